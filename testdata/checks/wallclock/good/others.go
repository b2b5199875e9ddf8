package good

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

// session is a login, not a lease of a lock.
type session struct {
	User      string    `json:"user"`
	ExpiresAt time.Time `json:"expires_at"`
}

func (s session) valid() bool { return time.Now().UTC().Before(s.ExpiresAt) }

// entry is an entry of a cache.
type entry struct {
	Body     []byte
	StoredAt int64
}

func fresh(ctx context.Context, rdb *redis.Client, key string, maxAge time.Duration) (*entry, error) {
	body, err := rdb.Get(ctx, "cache:"+key).Bytes()
	if err != nil {
		return nil, err
	}
	var e entry
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, err
	}
	if time.Now().Unix()-e.StoredAt > int64(maxAge.Seconds()) {
		return nil, errors.New("cache entry is old")
	}
	return &e, nil
}

// renewCertificate compares dates that only exist as wall-clock time.
func renewCertificate(cert *x509.Certificate) bool {
	return time.Until(cert.NotAfter) < 30*24*time.Hour
}

// due is a schedule of calendar days.
func due(last time.Time) bool { return time.Now().After(last.AddDate(0, 0, 1)) }

// retryAfter honours a date that a server has sent.
func retryAfter(resp *http.Response) time.Duration {
	at, err := http.ParseTime(resp.Header.Get("Retry-After"))
	if err != nil {
		return time.Second
	}
	return time.Until(at)
}
