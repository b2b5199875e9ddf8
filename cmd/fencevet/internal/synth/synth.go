// Package synth writes modules of any size for measurements: how time and memory
// grow with packages, locks, writes, calls and implementations.
//
// The modules need the standard library alone. Their locks are advisory locks of a
// database, taken directly or by way of a wrapper, and rows of a table.
package synth

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// A Size says what a module holds.
type Size struct {
	Packages int
	Locks    int // per package, every other one taken by a wrapper
	Leases   int // rows of a table per package that are locks too, renewed beside the work
	Writes   int // per section
	Depth    int // calls from the section to the writes
	Types    int // implementations of the interface that sections call; none: no such call
	Filler   int // functions per package that have nothing to do with locks
}

// Default is a module in which nothing stands out.
var Default = Size{Packages: 20, Locks: 4, Writes: 2, Depth: 3, Types: 2, Filler: 30}

// Write writes a module into a directory.
func Write(dir string, size Size) error {
	files := map[string]string{
		"go.mod":         "module example.org/synth\n\ngo 1.26\n",
		"lease/lease.go": lease,
		"book/book.go":   book(size),
	}
	for n := range size.Packages {
		files[fmt.Sprintf("p%d/p%[1]d.go", n)] = source(n, size)
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

const lease = `package lease

import (
	"context"
	"database/sql"
)

// With runs work under a lock.
func With(ctx context.Context, db *sql.DB, key int, work func(context.Context) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", key); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", key)
	return work(ctx)
}
`

// book declares the interface that sections call, and the types behind it.
func book(size Size) string {
	var b bytes.Buffer
	fmt.Fprint(&b, `package book

import (
	"context"
	"database/sql"
)

// A Book is written under a lock.
type Book interface {
	Enter(ctx context.Context, n int) error
}
`)
	for i := range size.Types {
		fmt.Fprintf(&b, `
type book%[1]d struct{ db *sql.DB }

func (b *book%[1]d) Enter(ctx context.Context, n int) error {
	_, err := b.db.ExecContext(ctx, "UPDATE book%[1]d SET n = $1", n)
	return err
}

// New%[1]d opens a book.
func New%[1]d(db *sql.DB) Book { return &book%[1]d{db} }
`, i)
	}
	return b.String()
}

// source is the package number n. It imports one with a lower number.
func source(n int, size Size) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package p%d\n\nimport (\n\t\"context\"\n\t\"database/sql\"\n\t\"fmt\"\n\t\"sort\"\n\t\"strings\"\n\t\"sync/atomic\"\n\t\"time\"\n\n", n)
	fmt.Fprint(&b, "\t\"example.org/synth/book\"\n\t\"example.org/synth/lease\"\n")
	if n > 0 {
		fmt.Fprintf(&b, "\t\"example.org/synth/p%d\"\n", n/2)
	}
	fmt.Fprint(&b, ")\n\n// A Service has what it needs.\ntype Service struct {\n\tdb     *sql.DB\n\tbook   book.Book\n\tleader atomic.Bool\n}\n\nvar (\n\t_ = lease.With\n\t_ = time.Now\n\t_ = strings.ToUpper\n\t_ = sort.Strings\n\t_ = fmt.Sprint\n")
	if n > 0 {
		fmt.Fprintf(&b, "\t_ p%d.Service\n", n/2)
	}
	fmt.Fprint(&b, ")\n")
	for i := range size.Locks {
		if i%2 == 0 {
			fmt.Fprintf(&b, direct, i, 1000*n+i)
		} else {
			fmt.Fprintf(&b, wrapped, i, 1000*n+i)
		}
		for d := range size.Depth {
			fmt.Fprintf(&b, "\nfunc (s *Service) step%d_%d(ctx context.Context, n int) error { return s.step%[1]d_%[3]d(ctx, n+1) }\n", i, d, d+1)
		}
		fmt.Fprintf(&b, "\nfunc (s *Service) step%d_%d(ctx context.Context, n int) error {\n", i, size.Depth)
		for w := range size.Writes {
			fmt.Fprintf(&b, "\tif _, err := s.db.ExecContext(ctx, \"UPDATE t%d_%d SET n = $1 WHERE id = %d\", n); err != nil {\n\t\treturn err\n\t}\n", i, w, w)
		}
		if size.Types > 0 {
			fmt.Fprint(&b, "\treturn s.book.Enter(ctx, n)\n}\n")
		} else {
			fmt.Fprint(&b, "\treturn nil\n}\n")
		}
	}
	for i := range size.Leases {
		fmt.Fprintf(&b, leased, i, 1000*n+i)
	}
	for i := range size.Filler {
		fmt.Fprintf(&b, filler, i)
	}
	return b.String()
}

const direct = `
// Work%[1]d works under a lock of its own.
func (s *Service) Work%[1]d(ctx context.Context) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(%[2]d)"); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(%[2]d)")
	return s.step%[1]d_0(ctx, %[2]d)
}
`

const wrapped = `
// Work%[1]d works under the lock of a wrapper.
func (s *Service) Work%[1]d(ctx context.Context) error {
	return lease.With(ctx, s.db, %[2]d, func(ctx context.Context) error { return s.step%[1]d_0(ctx, %[2]d) })
}
`

const leased = `
// Lead%[1]d works while it has a row, which it renews.
func (s *Service) Lead%[1]d(ctx context.Context, me string) error {
	res, err := s.db.ExecContext(ctx, "INSERT INTO leases (name, owner, expires_at) VALUES ('work%[2]d', $1, now() + interval '30 seconds') ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at WHERE leases.expires_at < now()", me)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	s.leader.Store(true)
	done := make(chan struct{})
	defer close(done)
	go s.renew%[1]d(ctx, me, done)
	if _, err := s.db.ExecContext(ctx, "UPDATE led%[2]d SET n = n + 1"); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "DELETE FROM leases WHERE name = 'work%[2]d' AND owner = $1", me)
	return err
}

func (s *Service) renew%[1]d(ctx context.Context, me string, done chan struct{}) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			s.db.ExecContext(ctx, "UPDATE leases SET expires_at = now() + interval '30 seconds' WHERE name = 'work%[2]d' AND owner = $1", me)
		}
	}
}

// Lead%[1]dReport works only where this process leads.
func (s *Service) Lead%[1]dReport(ctx context.Context) error {
	if !s.leader.Load() {
		return nil
	}
	_, err := s.db.ExecContext(ctx, "UPDATE reports%[2]d SET n = n + 1")
	return err
}
`

const filler = `
type record%[1]d struct {
	name  string
	parts []string
	count map[string]int
}

func (r *record%[1]d) tally%[1]d(lines []string) (string, error) {
	if r.count == nil {
		r.count = make(map[string]int)
	}
	for i, line := range lines {
		key, value, ok := strings.Cut(line, "=")
		switch {
		case !ok:
			return "", fmt.Errorf("line %%d: no value in %%q", i, line)
		case key == "" || strings.HasPrefix(key, "#"):
			continue
		}
		r.count[strings.TrimSpace(key)] += len(value)
		r.parts = append(r.parts, value)
	}
	names := make([]string, 0, len(r.count))
	for name := range r.count {
		names = append(names, name)
	}
	sort.Strings(names)
	return r.name + strings.Join(names, ","), nil
}
`
