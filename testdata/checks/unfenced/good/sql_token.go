package good

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// SetName: the plain form, with the count read in place.
func SetName(ctx context.Context, session *concurrency.Session, db *sql.DB, id, name string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/name/"+id)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	const set = "UPDATE person SET name = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	res, err := db.ExecContext(ctx, set, id, name, mutex.Header().Revision)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n != 1 {
		return errStale
	}
	return nil
}

// locked runs fn with the token of a held mutex.
func locked(ctx context.Context, session *concurrency.Session, key string, fn func(token int64) error) (err error) {
	mutex := concurrency.NewMutex(session, key)
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	return fn(mutex.Header().GetRevision())
}

// Forms of the same condition; each statement stores the token that it has compared.
const (
	atMost    = "UPDATE person SET mail = $2, last_token = $3 WHERE id = $1 AND last_token <= $3"
	swapped   = "UPDATE person SET phone = $2, last_token = $3 WHERE id = $1 AND $3 > last_token"
	coalesced = "UPDATE person SET city = ?, last_token = ? WHERE id = ? AND COALESCE(last_token, 0) < ?"
	nullable  = "update person p set street = $1, last_token = $2 where p.id = $3 and (p.last_token is null or p.last_token < $2)"
	returning = "UPDATE person SET zip = $2, last_token = $3 WHERE id = $1 AND last_token < $3 RETURNING id"
	upsert    = `INSERT INTO address (id, text, last_token) VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE SET text = EXCLUDED.text, last_token = EXCLUDED.last_token
WHERE address.last_token < EXCLUDED.last_token`
	joined = `WITH tip AS (
	UPDATE chapter SET last_token = $2, lines = lines + 1 WHERE title = $1 AND last_token <= $2 RETURNING title, lines)
INSERT INTO line (chapter, number, text) SELECT title, lines, $3 FROM tip`
	quoted = `UPDATE "person" SET "note" = $2 -- last_token > $3 is wrong
     , "last_token" = $3 WHERE "id" = $1 AND "last_token" < $3::bigint`
)

func SetMail(ctx context.Context, s *concurrency.Session, db *sql.DB, id, mail string) error {
	return locked(ctx, s, "/locks/mail/"+id, func(token int64) error { // verdict: fenced
		return one(db.ExecContext(ctx, atMost, id, mail, token))
	})
}

func SetPhone(ctx context.Context, s *concurrency.Session, db *sql.DB, id, phone string) error {
	return locked(ctx, s, "/locks/phone/"+id, func(token int64) error { // verdict: fenced
		return one(db.ExecContext(ctx, swapped, id, phone, token))
	})
}

func SetCity(ctx context.Context, s *concurrency.Session, db *sql.DB, id, city string) error {
	return locked(ctx, s, "/locks/city/"+id, func(token int64) error { // verdict: fenced
		return one(db.ExecContext(ctx, coalesced, city, token, id, token))
	})
}

func SetStreet(ctx context.Context, s *concurrency.Session, db *sql.DB, id, street string) error {
	return locked(ctx, s, "/locks/street/"+id, func(token int64) error { // verdict: fenced
		return one(db.ExecContext(ctx, nullable, street, token, id))
	})
}

func SetZip(ctx context.Context, s *concurrency.Session, db *sql.DB, id, zip string) error {
	return locked(ctx, s, "/locks/zip/"+id, func(token int64) error { // verdict: fenced
		var got string
		err := db.QueryRowContext(ctx, returning, id, zip, token).Scan(&got)
		if errors.Is(err, sql.ErrNoRows) {
			return errStale
		}
		return err
	})
}

func SetAddress(ctx context.Context, s *concurrency.Session, db *sql.DB, id, text string) error {
	return locked(ctx, s, "/locks/address/"+id, func(token int64) error { // verdict: fenced
		return one(db.ExecContext(ctx, upsert, id, text, token))
	})
}

func Append(ctx context.Context, s *concurrency.Session, db *sql.DB, chapter, text string) error {
	return locked(ctx, s, "/locks/chapter/"+chapter, func(token int64) error { // verdict: fenced
		return one(db.ExecContext(ctx, joined, chapter, token, text))
	})
}

func SetNote(ctx context.Context, s *concurrency.Session, db *sql.DB, id, note string) error {
	return locked(ctx, s, "/locks/note/"+id, func(token int64) error { // verdict: fenced
		return one(db.ExecContext(ctx, quoted, id, note, strconv.FormatInt(token, 10)))
	})
}

// Numbered arguments of another dialect, in another order.
func SetTitle(ctx context.Context, s *concurrency.Session, db *sql.DB, id, title string) error {
	const set = "UPDATE person SET title = @title, last_token = @token WHERE id = @id AND last_token < @token"
	return locked(ctx, s, "/locks/title/"+id, func(token int64) error { // verdict: fenced
		return one(db.ExecContext(ctx, set, sql.Named("token", token), sql.Named("id", id), sql.Named("title", title)))
	})
}

// The name of the table is a constant that is formatted in.
func SetAge(ctx context.Context, s *concurrency.Session, db *sql.DB, id string, age int) error {
	return locked(ctx, s, "/locks/age/"+id, func(token int64) error { // verdict: fenced
		set := fmt.Sprintf("UPDATE %s SET age = $2, last_token = $3 WHERE id = $1 AND last_token < $3", "person_age")
		return one(db.ExecContext(ctx, set, id, age, token))
	})
}
