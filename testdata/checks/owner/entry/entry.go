// Package entry takes a lock for whoever its caller says, once more if that is who has it.
package entry

import (
	"context"
	"errors"

	"github.com/gomodule/redigo/redis"
)

var errBusy = errors.New("held elsewhere")

var enter = redis.NewScript(1, `
local holder = redis.call("GET", KEYS[1])
if holder == false or holder == ARGV[1] then
	redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
	return 1
end
return 0`)

var leave = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Lock is the way in.
func Lock(c redis.Conn, name, owner string) error {
	n, err := redis.Int(enter.Do(c, "lock:"+name, owner, 30000))
	if err == nil && n != 1 {
		err = errBusy
	}
	return err
}

// Unlock is the way out.
func Unlock(c redis.Conn, name, owner string) error {
	_, err := leave.Do(c, "lock:"+name, owner)
	return err
}

// With is both around work.
func With(ctx context.Context, c redis.Conn, name, owner string, work func(context.Context) error) (err error) {
	if err := Lock(c, name, owner); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, Unlock(c, name, owner)) }()
	return work(ctx)
}
