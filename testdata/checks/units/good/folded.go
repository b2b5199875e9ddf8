package good

import (
	"math"
	"time"

	"github.com/gomodule/redigo/redis"
)

const watch = 20 * time.Second

var clear = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func Millis(c redis.Conn, ship, me string, length time.Duration, work func() error) error {
	if _, err := redis.String(c.Do("SET", "helm:"+ship, me, "NX", "PX", int(length/time.Millisecond))); err != nil {
		return err
	}
	defer clear.Do(c, "helm:"+ship, me)
	return work()
}

func Multiple(c redis.Conn, ship, me string, work func() error) error {
	if _, err := redis.String(c.Do("SET", "helm:"+ship, me, "NX", "PX", int(watch.Seconds())*1000)); err != nil {
		return err
	}
	defer clear.Do(c, "helm:"+ship, me)
	return work()
}

func Words(c redis.Conn, ship, me string, length time.Duration, work func() error) error {
	if _, err := redis.String(c.Do("SET", "helm:"+ship, me, "NX", "PX", int64(length.Seconds()*1000))); err != nil {
		return err
	}
	defer clear.Do(c, "helm:"+ship, me)
	return work()
}

func Divided(c redis.Conn, ship, me string, length time.Duration, work func() error) error {
	if _, err := redis.String(c.Do("SET", "helm:"+ship, me, "NX", "PX", length.Nanoseconds()/1e6)); err != nil {
		return err
	}
	defer clear.Do(c, "helm:"+ship, me)
	return work()
}

func Rounded(c redis.Conn, ship, me string, length time.Duration, work func() error) error {
	if _, err := redis.String(c.Do("SET", "helm:"+ship, me, "NX", "EX", int(math.Ceil(length.Seconds())))); err != nil {
		return err
	}
	defer clear.Do(c, "helm:"+ship, me)
	return work()
}

// Month is long, and a number of milliseconds all the same.
func Month(c redis.Conn, ship, me string, work func() error) error {
	if _, err := redis.String(c.Do("SET", "helm:"+ship, me, "NX", "PX", 2_592_000_000)); err != nil {
		return err
	}
	defer clear.Do(c, "helm:"+ship, me)
	return work()
}
