package good

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Tariffs is about contracts, not about who has something.
type Tariffs struct{ rdb *redis.Client }

// Due looks when a flat is free, and when a price ends.
func (t *Tariffs) Due(ctx context.Context, flat string) (bool, error) {
	fields, err := t.rdb.HGetAll(ctx, "flat:"+flat).Result()
	if err != nil {
		return false, err
	}
	end, err := strconv.ParseInt(fields["lease_until"], 10, 64)
	if err != nil {
		return false, err
	}
	price, err := time.Parse(time.RFC3339, fields["price_until"])
	return time.Now().Unix() > end || time.Now().After(price), err
}
