// Package pantry keeps at hand in Redis what is written elsewhere, and is not called what
// such a thing is called.
package pantry

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
)

// A Pantry is stocked from recipes.
type Pantry struct {
	locks *redsync.Redsync
	rdb   *redis.Client
	db    *sql.DB
}

// Dish looks a recipe up under a lock, and cooks it in one step if it is still raw. What a
// second holder puts in the pantry is read again from the same table.
func (p *Pantry) Dish(ctx context.Context, id string) (err error) {
	m := p.locks.NewMutex("dish:"+id, redsync.WithExpiry(5*time.Second))
	if err := m.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, unlock(ctx, m)) }()
	text, err := p.recipe(ctx, id)
	if err != nil {
		return err
	}
	if text == "" {
		return errors.New("no recipe")
	}
	return nil
}

// recipe is read from the table where it is not at hand.
func (p *Pantry) recipe(ctx context.Context, id string) (string, error) {
	key := "dish:text:" + id
	text, err := p.rdb.Get(ctx, key).Result()
	if err == nil {
		return text, nil
	}
	if err := p.db.QueryRowContext(ctx, "SELECT text FROM recipe WHERE id = $1", id).Scan(&text); err != nil {
		return "", err
	}
	return text, p.rdb.Set(ctx, key, text, time.Hour).Err() // note: unfenced
}

// A Serving is what Serve has to know.
type Serving struct {
	Table int
	Hot   bool
}

// Serve does the same with a record, which one variable holds whatever its source.
func (p *Pantry) Serve(ctx context.Context, id string) (err error) {
	m := p.locks.NewMutex("serve:"+id, redsync.WithExpiry(5*time.Second))
	if err := m.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, unlock(ctx, m)) }()
	s, err := p.serving(ctx, id)
	if err == nil && !s.Hot {
		err = errors.New("cold")
	}
	return err
}

func (p *Pantry) serving(ctx context.Context, id string) (*Serving, error) {
	var s Serving
	raw, err := p.rdb.Get(ctx, "serving:"+id).Bytes()
	if err == nil && json.Unmarshal(raw, &s) == nil {
		return &s, nil
	}
	if err := sqlx.NewDb(p.db, "postgres").GetContext(ctx, &s, "SELECT place, hot FROM serving WHERE id = $1", id); err != nil {
		return nil, err
	}
	if raw, err = json.Marshal(s); err == nil {
		err = p.rdb.Set(ctx, "serving:"+id, raw, time.Hour).Err()
	}
	return &s, err
}

// shelf is where things lie by name, and come from whoever is asked.
type shelf[T any] struct {
	rdb  *redis.Client
	load func(ctx context.Context, name string) (T, error)
}

func (s *shelf[T]) put(ctx context.Context, name string, v T) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.rdb.Set(ctx, "shelf:"+name, raw, time.Minute).Err()
}

func (s *shelf[T]) take(ctx context.Context, name string) (v T, ok bool) {
	raw, err := s.rdb.Get(ctx, "shelf:"+name).Bytes()
	if err != nil || json.Unmarshal(raw, &v) != nil {
		return v, false
	}
	return v, true
}

func (s *shelf[T]) at(ctx context.Context, name string) (T, error) {
	if v, ok := s.take(ctx, name); ok {
		return v, nil
	}
	v, err := s.load(ctx, name)
	if err != nil {
		return v, err
	}
	return v, s.put(ctx, name, v)
}

// Weigh looks something up whose store and source are behind functions.
func (p *Pantry) Weigh(ctx context.Context, s *shelf[int], name string) (err error) {
	m := p.locks.NewMutex("weigh:"+name, redsync.WithExpiry(5*time.Second))
	if err := m.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, unlock(ctx, m)) }()
	n, err := s.at(ctx, name)
	if err == nil && n == 0 {
		err = errors.New("nothing to weigh")
	}
	return err
}

// Label gives a jar the mark that it keeps: it is in no other place, and of two holders who
// both find none each makes its own.
func (p *Pantry) Label(ctx context.Context, jar string) (mark string, err error) {
	m := p.locks.NewMutex("jar:"+jar, redsync.WithExpiry(5*time.Second))
	if err := m.LockContext(ctx); err != nil { // verdict: unfenced
		return "", err
	}
	defer func() { err = errors.Join(err, unlock(ctx, m)) }()
	if mark, err = p.rdb.Get(ctx, "mark:"+jar).Result(); err == nil {
		return mark, nil
	}
	mark = rand.Text()
	return mark, p.rdb.Set(ctx, "mark:"+jar, mark, 0).Err() // want: unfenced
}

// Tally adds what the table says to what was counted before: the sum is in no other place.
func (p *Pantry) Tally(ctx context.Context, jar string) (sum string, err error) {
	m := p.locks.NewMutex("tally:"+jar, redsync.WithExpiry(5*time.Second))
	if err := m.LockContext(ctx); err != nil { // verdict: unfenced
		return "", err
	}
	defer func() { err = errors.Join(err, unlock(ctx, m)) }()
	before, err := p.rdb.Get(ctx, "sum:"+jar).Result()
	if err == nil && strings.HasSuffix(before, "!") {
		return before, nil
	}
	var more string
	if err := p.db.QueryRowContext(ctx, "SELECT eaten FROM jar WHERE id = $1", jar).Scan(&more); err != nil {
		return "", err
	}
	sum = before + "+" + more
	return sum, p.rdb.Set(ctx, "sum:"+jar, sum, 0).Err() // want: unfenced
}

// Renew makes a copy anew whatever is there: what is stored is not what it answers with.
func (p *Pantry) Renew(ctx context.Context, jar string) (err error) {
	m := p.locks.NewMutex("renew:"+jar, redsync.WithExpiry(5*time.Second))
	if err := m.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, unlock(ctx, m)) }()
	var text string
	if err := p.db.QueryRowContext(ctx, "SELECT text FROM jar WHERE id = $1", jar).Scan(&text); err != nil {
		return err
	}
	return p.rdb.Set(ctx, "jar:text:"+jar, text, 0).Err() // want: unfenced
}

// open makes the tables before anybody uses the pool.
func open(dsn string) (*sql.DB, error) {
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec("UPDATE pantry_schema SET version = 7")
	return db, err
}

// Count only reads: what is written where the pool is opened is not what the lock is for.
func (p *Pantry) Count(ctx context.Context, jar string) (n int, err error) {
	m := p.locks.NewMutex("count:"+jar, redsync.WithExpiry(5*time.Second))
	if err := m.LockContext(ctx); err != nil { // verdict: unfenced
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock(ctx, m)) }()
	db, err := open(os.Getenv("PANTRY"))
	if err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM jar WHERE id = $1", jar).Scan(&n)
	return n, err
}

// Eat changes a table beside what it notes in a journal: it is the table that is told of.
func (p *Pantry) Eat(ctx context.Context, jar string) (err error) {
	m := p.locks.NewMutex("eat:"+jar, redsync.WithExpiry(5*time.Second))
	if err := m.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, unlock(ctx, m)) }()
	if _, err := p.db.ExecContext(ctx, "INSERT INTO jar_audit (jar, what) VALUES ($1, 'eaten')", jar); err != nil {
		return err
	}
	_, err = p.db.ExecContext(ctx, "UPDATE jar SET eaten = true WHERE id = $1", jar) // want: unfenced
	return err
}

func unlock(ctx context.Context, m *redsync.Mutex) error {
	ok, err := m.UnlockContext(context.WithoutCancel(ctx))
	if err == nil && !ok {
		err = errors.New("the lock was lost")
	}
	return err
}
