package bad

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Poller is told elsewhere how long its lock lives.
type Poller struct {
	rdb   *redis.Client
	http  *http.Client
	lease time.Duration
	me    string
}

// Ask asks every host in the list, however many there are.
func (p *Poller) Ask(ctx context.Context, hosts []string) (err error) {
	taken, err := p.rdb.SetNX(ctx, "lock:ask", p.me, p.lease).Result() // verdict: no-visible-write // want: longsection
	if err != nil {
		return err
	}
	if !taken {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, p.rdb, "lock:ask", p.me)) }()
	for _, host := range hosts {
		answer, err := p.http.Get("https://" + host + "/state")
		if err != nil {
			return err
		}
		if err := answer.Body.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Greet sends one request: nobody can say that it outlasts a lease of unknown length.
func (p *Poller) Greet(ctx context.Context, host string) (err error) {
	taken, err := p.rdb.SetNX(ctx, "lock:greet", p.me, p.lease).Result() // verdict: no-visible-write
	if err != nil {
		return err
	}
	if !taken {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, p.rdb, "lock:greet", p.me)) }()
	answer, err := p.http.Get("https://" + host + "/hello")
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
