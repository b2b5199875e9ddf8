package code

import "testing"

func TestReceiverType(t *testing.T) {
	for name, want := range map[string]string{
		"(*database/sql.DB).ExecContext":        "database/sql.DB",
		"(github.com/jackc/pgx/v5.Tx).QueryRow": "github.com/jackc/pgx/v5.Tx",
		"(*example.org/p.Pool[T]).Get":          "example.org/p.Pool[T]",
		"database/sql.Open":                     "",
		"call":                                  "",
	} {
		if got := ReceiverType(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
