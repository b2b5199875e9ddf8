// Package writers has exports whose rows are fenced, and which print, encode or copy
// something else besides: to a file, to a connection, to memory.
package writers

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/smtp"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errOvertaken = errors.New("export: overtaken by a newer holder")

// An Exporter stores states of exports.
type Exporter struct {
	session *concurrency.Session
	pool    *pgxpool.Pool
	list    *bufio.Writer // of a file
	feed    *gob.Encoder  // of a connection
	summary io.Writer     // the program's output
	ledger  *ledger
	mixed   io.Writer // a file, or memory
	entries *log.Logger
	journal *log.Logger
}

// Open makes an exporter with its list and its feed.
func Open(s *concurrency.Session, pool *pgxpool.Pool, path, addr string) (*Exporter, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Exporter{
		session: s, pool: pool, list: bufio.NewWriterSize(f, 1<<16), feed: gob.NewEncoder(conn),
		summary: tabwriter.NewWriter(os.Stdout, 0, 8, 1, ' ', 0), ledger: &ledger{pool}, mixed: f,
		entries: log.New(&ledger{pool}, "", 0), journal: log.New(f, "", log.LstdFlags),
	}, nil
}

// Dry makes an exporter that keeps what it prints.
func Dry(s *concurrency.Session, pool *pgxpool.Pool, out *bytes.Buffer) *Exporter {
	return &Exporter{session: s, pool: pool, mixed: out}
}

func (e *Exporter) store(ctx context.Context, id, state string, turn int64) error {
	tag, err := e.pool.Exec(ctx, "UPDATE export SET state = $2, turn = $3 WHERE id = $1 AND turn < $3", id, state, turn)
	if err == nil && tag.RowsAffected() == 0 {
		err = errOvertaken
	}
	return err
}

func (e *Exporter) List(ctx context.Context, id string) error {
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	if err := e.store(ctx, id, "listed", m.Header().Revision); err != nil {
		return err
	}
	fmt.Fprintln(e.list, id) // want: unfenced
	return e.list.Flush()
}

func (e *Exporter) Feed(ctx context.Context, id string) error {
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	if err := e.store(ctx, id, "fed", m.Header().Revision); err != nil {
		return err
	}
	return e.feed.Encode(id)
}

// render is given files and buffers.
func render(w io.Writer, rows []string) error {
	for _, row := range rows {
		if _, err := io.WriteString(w, row+"\n"); err != nil { // want: unfenced
			return err
		}
	}
	return nil
}

func (e *Exporter) Render(ctx context.Context, id, path string, rows []string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	if err := e.store(ctx, id, "rendered", m.Header().Revision); err != nil {
		return err
	}
	return render(f, rows)
}

func (e *Exporter) Checksum(ctx context.Context, id string, rows []string) error {
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	sum := sha256.New()
	var text strings.Builder
	if err := render(io.MultiWriter(sum, &text), rows); err != nil {
		return err
	}
	fmt.Fprintf(e.summary, "%s\t%d\n", id, text.Len())
	return e.store(ctx, id, hex.EncodeToString(sum.Sum(nil)), m.Header().Revision)
}

// Answer prints to whoever has asked.
func (e *Exporter) Answer(ctx context.Context, w http.ResponseWriter, id string) error {
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	if err := e.store(ctx, id, "answered", m.Header().Revision); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "answered")
	return json.NewEncoder(w).Encode(map[string]string{"state": "answered"})
}

// Pack is given its archive by somebody out of sight.
func (e *Exporter) Pack(ctx context.Context, archive *tar.Writer, id string) error {
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	if err := e.store(ctx, id, "packed", m.Header().Revision); err != nil {
		return err
	}
	return archive.WriteHeader(&tar.Header{Name: id, Mode: 0o600})
}

// Mixed prints to what is a file for one exporter and memory for another.
func (e *Exporter) Mixed(ctx context.Context, id string) error {
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	if err := e.store(ctx, id, "mixed", m.Header().Revision); err != nil {
		return err
	}
	return xml.NewEncoder(e.mixed).Encode(id)
}

func (e *Exporter) Mail(ctx context.Context, mail *smtp.Client, id string) error {
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	if err := e.store(ctx, id, "mailed", m.Header().Revision); err != nil {
		return err
	}
	body, err := mail.Data() // want: unfenced
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = fmt.Fprintf(body, "Subject: %s\r\n\r\n", id)
	return err
}

// A ledger keeps what is printed to it.
type ledger struct{ pool *pgxpool.Pool }

func (l *ledger) Write(line []byte) (int, error) {
	_, err := l.pool.Exec(context.Background(), "UPDATE ledger SET last = $1", line) // want: unfenced
	return len(line), err
}

func (e *Exporter) Enter(ctx context.Context, id string) error {
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	if err := e.store(ctx, id, "entered", m.Header().Revision); err != nil {
		return err
	}
	return render(e.ledger, []string{id})
}

// Log logs to a file, as programs do.
func (e *Exporter) Log(ctx context.Context, id string) error {
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	e.journal.Printf("exporting %s", id)
	return e.store(ctx, id, "logged", m.Header().Revision)
}

// Logged logs to a writer that changes a table.
func (e *Exporter) Logged(ctx context.Context, id string) error {
	m := concurrency.NewMutex(e.session, "/exports/"+id)
	if err := m.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	e.entries.Printf("exporting %s", id)
	return e.store(ctx, id, "logged", m.Header().Revision)
}
