package good

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/bsm/redislock"
)

// Annotate: the server replaces the page only while it has the tag that was read in the section.
func Annotate(ctx context.Context, locks *redislock.Client, client *http.Client, url, note string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	lock, err := locks.Obtain(ctx, "lock:annotate", 10*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	get, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	old, err := client.Do(get)
	if err != nil {
		return err
	}
	defer old.Body.Close()
	page, err := io.ReadAll(old.Body)
	if err != nil {
		return err
	}

	put, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(append(page, note...)))
	if err != nil {
		return err
	}
	put.Header.Set("If-Match", old.Header.Get("ETag"))
	resp, err := client.Do(put)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusPreconditionFailed:
		return errStale
	case resp.StatusCode >= 300:
		return fmt.Errorf("annotate: %s", resp.Status)
	}
	return nil
	// doubt: that the server honours If-Match cannot be seen; unverified(rpc) would be the strict answer
}
