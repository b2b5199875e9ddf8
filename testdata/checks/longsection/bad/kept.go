package bad

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bsm/redislock"
)

// Tides asks a slow service with a client of its own.
type Tides struct {
	locks    *redislock.Client
	client   *http.Client
	patience time.Duration
}

// NewTides is patient.
func NewTides(locks *redislock.Client) *Tides {
	return &Tides{locks: locks, client: &http.Client{Timeout: 90 * time.Second}, patience: time.Minute}
}

// Table waits for its client, which waits longer than the lease lives.
func (t *Tides) Table(ctx context.Context, port string) (heights []float64, err error) {
	lock, err := t.locks.Obtain(ctx, "tides:"+port, 20*time.Second, nil) // want: longsection // verdict: no-visible-write
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return t.ask(ctx, port)
}

func (t *Tides) ask(ctx context.Context, port string) (heights []float64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://tides.example.org/"+port, nil)
	if err != nil {
		return nil, err
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("tides: %w", err)
	}
	defer resp.Body.Close()
	return heights, json.NewDecoder(resp.Body).Decode(&heights)
}

// Forecast lets others work as long as it has patience.
func (t *Tides) Forecast(ctx context.Context, port string, model interface{ Run(context.Context) error }) (err error) {
	lock, err := t.locks.Obtain(ctx, "forecast:"+port, 20*time.Second, nil) // want: longsection // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	working, cancel := context.WithTimeout(ctx, t.patience)
	defer cancel()
	return model.Run(working)
}
