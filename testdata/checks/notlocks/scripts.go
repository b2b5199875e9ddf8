package notlocks

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// A parcel's state goes from one to the next where it is what it was, and nobody has the
// parcel: a record that is compared and changed.
var advance = redis.NewScript(`
if redis.call("HGET", KEYS[1], "state") ~= ARGV[1] then
  return 0
end
local courier = redis.call("HGET", KEYS[1], "courier")
if courier and courier ~= "" then
  return 0
end
redis.call("HSET", KEYS[1], "state", ARGV[2])
redis.call("EXPIRE", KEYS[1], ARGV[3])
return 1`)

// A seat is booked once, with what is known of the guest; asking again says ok again.
var book = redis.NewScript(`
if redis.call("EXISTS", KEYS[2]) == 1 then
  return "ok"
end
if tonumber(redis.call("HGET", KEYS[1], "taken") or "0") + tonumber(ARGV[1]) > tonumber(ARGV[2]) then
  return "full"
end
redis.call("HINCRBY", KEYS[1], "taken", ARGV[1])
redis.call("HSET", KEYS[2], "seats", ARGV[1], "guest", ARGV[3])
return "ok"`)

var cancel = redis.NewScript(`
local seats = redis.call("HGET", KEYS[2], "seats")
if not seats then
  return 0
end
redis.call("HINCRBY", KEYS[1], "taken", -seats)
redis.call("DEL", KEYS[2])
return 1`)

// A token goes back to the bucket, once for each request where that has a name.
var refund = redis.NewScript(`
if ARGV[3] == "1" then
  if redis.call("SET", KEYS[2], 1, "NX", "EX", ARGV[2]) == false then
    return -1
  end
end
local left = tonumber(redis.call("GET", KEYS[1]) or ARGV[1])
redis.call("SET", KEYS[1], left + 1, "EX", ARGV[2])
return left + 1`)

// A locker in the hall goes from one renter to another.
var hand = redis.NewScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
  return redis.error_reply("not yours")
end
local other = redis.call("GET", KEYS[2])
if other and other ~= ARGV[1] then
  return redis.error_reply("has one already")
end
redis.call("DEL", KEYS[1])
redis.call("SET", KEYS[2], ARGV[1])
return 1`)

// Parcels keeps what is on the way.
type Parcels struct{ rdb *redis.Client }

// Withdraw stops a parcel that nobody has fetched yet, and forgets it.
func (p *Parcels) Withdraw(ctx context.Context, id string) error {
	stopped, err := p.stop(ctx, id)
	if err != nil {
		return err
	}
	if stopped {
		return p.rdb.Del(ctx, "parcel:"+id).Err()
	}
	return p.rdb.HSet(ctx, "parcel:"+id, "note", "withdrawn").Err()
}

func (p *Parcels) stop(ctx context.Context, id string) (bool, error) {
	return advance.Run(ctx, p.rdb, []string{"parcel:" + id}, "new", "stopped", 300).Bool()
}

// Book books seats for a guest, and gives them back where the guest cannot be told.
func (p *Parcels) Book(ctx context.Context, show, guest string, seats int) error {
	keys := []string{"show:" + show, "booking:" + show + ":" + guest}
	said, err := book.Run(ctx, p.rdb, keys, seats, 200, guest).Text()
	if err != nil || said != "ok" {
		return fmt.Errorf("%s: %w", said, err)
	}
	if err := p.rdb.RPush(ctx, "mail:"+guest, show).Err(); err != nil {
		return cancel.Run(ctx, p.rdb, keys, time.Now().Unix()).Err()
	}
	return nil
}

// Finish gives a request's token back, and keeps its line open a while.
func (p *Parcels) Finish(ctx context.Context, line, request string) {
	defer p.giveBack(ctx, line, request)
	p.rdb.SetEx(ctx, "line:"+line, 1, time.Minute)
}

func (p *Parcels) giveBack(ctx context.Context, line, request string) error {
	keys, named := []string{"tokens:" + line}, 0
	if request != "" {
		keys, named = append(keys, "given:"+request), 1
	}
	if err := refund.Run(ctx, p.rdb, keys, 8, 60, named).Err(); err != nil {
		return err
	}
	return p.rdb.Expire(ctx, "tokens:"+line, time.Minute).Err()
}

// Hand gives a locker on.
func (p *Parcels) Hand(ctx context.Context, from, to, number string) error {
	return hand.Run(ctx, p.rdb, []string{"locker:" + from, "locker:" + to}, number).Err()
}
