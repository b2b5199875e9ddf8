package good

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/bsm/redislock"
)

// Charts asks with clients of its own, which are given up before the leases end, or when the
// configuration says so.
type Charts struct {
	locks *redislock.Client
	quick *http.Client
	set   *http.Client
	brief time.Duration
}

// NewCharts has little patience.
func NewCharts(locks *redislock.Client, timeout time.Duration) *Charts {
	c := &Charts{locks: locks, quick: &http.Client{Timeout: 5 * time.Second}, set: &http.Client{Timeout: time.Minute}, brief: 10 * time.Second}
	if timeout > 0 {
		c.set.Timeout = timeout
	}
	return c
}

// Sheet copies a body which ends with the request.
func (c *Charts) Sheet(ctx context.Context, to io.Writer, sheet string) (err error) {
	lock, err := c.locks.Obtain(ctx, "sheet:"+sheet, 20*time.Second, nil) // verdict: no-visible-write
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	resp, err := c.quick.Get("https://charts.example.org/" + sheet)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(to, resp.Body)
	return err
}

// Index has a client whose timeout others choose.
func (c *Charts) Index(ctx context.Context) (body []byte, err error) {
	lock, err := c.locks.Obtain(ctx, "charts", 20*time.Second, nil) // verdict: no-visible-write
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	resp, err := c.set.Get("https://charts.example.org/")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// Draw gives the work less than the lease has.
func (c *Charts) Draw(ctx context.Context, pen interface{ Draw(context.Context) error }) (err error) {
	lock, err := c.locks.Obtain(ctx, "drawing", 20*time.Second, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	brief, cancel := context.WithTimeout(ctx, c.brief)
	defer cancel()
	return pen.Draw(brief)
}
