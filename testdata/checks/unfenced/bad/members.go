package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// A member of a cluster goes by a name that it gave itself. It stores that in its own
// record, and in the lock as well.
type member struct {
	rdb  *redis.Client
	db   *sql.DB
	name string
}

func newMember(rdb *redis.Client, db *sql.DB) *member {
	return &member{rdb: rdb, db: db, name: uuid.NewString()}
}

func (m *member) join(ctx context.Context) error {
	_, err := m.db.ExecContext(ctx, "INSERT INTO member (name, seen) VALUES ($1, $2)", m.name, time.Now())
	return err
}

var leave = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// tidy finds its record by its name, which is no fence that has gone wrong.
func (m *member) tidy(ctx context.Context) error {
	ok, err := m.rdb.SetNX(ctx, "lock:tidy", m.name, time.Minute).Result() // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("somebody tidies up")
	}
	defer leave.Run(context.WithoutCancel(ctx), m.rdb, []string{"lock:tidy"}, m.name)
	_, err = m.db.ExecContext(ctx, "UPDATE member SET duty = 'tidy' WHERE name = $1", m.name) // want: unfenced
	return err
}
