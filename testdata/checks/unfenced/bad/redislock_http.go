package bad

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bsm/redislock"
)

// Publish: the request says nothing that the server could compare.
func Publish(ctx context.Context, locks *redislock.Client, client *http.Client, url string, page []byte) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	lock, err := locks.Obtain(ctx, "lock:publish", 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(page))
	if err != nil {
		return err
	}
	resp, err := client.Do(req) // want: unfenced
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("publish: %s", resp.Status)
	}
	return nil
}

// Overwrite demands that there is a page, whichever: the server refuses no holder that is late.
func Overwrite(ctx context.Context, locks *redislock.Client, client *http.Client, url string, page []byte) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	lock, err := locks.Obtain(ctx, "lock:overwrite", 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(page))
	if err != nil {
		return err
	}
	req.Header.Set("If-Match", "*")
	resp, err := client.Do(req) // want: unfenced
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("overwrite: %s", resp.Status)
	}
	return nil
}
