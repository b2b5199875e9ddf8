package sqlread

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestStatements reads testdata/statements.txt: blocks of a text, then a line
// "=> what Read makes of it".
func TestStatements(t *testing.T) {
	data, err := os.ReadFile("testdata/statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, block := range strings.Split(string(data), "\n\n") {
		block = strings.TrimSuffix(block, "\n")
		if strings.HasPrefix(block, "# ") || block == "" {
			continue
		}
		text, want, ok := strings.Cut(block, "\n=> ")
		if !ok {
			t.Errorf("no result in block %q", block)
			continue
		}
		n++
		if got := showStatements(Read(text)); got != want {
			t.Errorf("%s\n got  %s\n want %s", text, got, want)
		}
	}
	if n < 190 {
		t.Errorf("only %d statements", n)
	}
}

// isToken accepts $9, :token and the second question mark of the tests below.
func isToken(e Expr) bool { return e.Kind == "param" && (e.Param == 8 || e.Name == "token") }

func TestCompares(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"UPDATE doc SET body = $1, token = $9 WHERE id = $2 AND token < $9", "doc.token < $9 stored"},
		{"UPDATE doc SET body = $1, token = $9 WHERE token <= $9", "doc.token <= $9 stored"},
		{"UPDATE doc SET token = $9 WHERE token IS NULL OR token < $9", "doc.token < $9 or null stored"},
		{"UPDATE doc SET body = $1 WHERE token < $9", "doc.token < $9"},
		{"UPDATE doc SET token = $9 WHERE token > $9", "doc.token > $9 stored"},
		{"UPDATE doc SET token = $9 WHERE id = $1", ""},
		{"UPDATE doc SET other = $9 WHERE token < $9", "doc.token < $9"},
		{"UPDATE doc SET token = $9 FROM lease WHERE lease.token < $9", "lease.token < $9"},
		{"UPDATE doc SET token = GREATEST(token, $9) WHERE token < $9", "doc.token < $9 stored"},
		{"UPDATE doc SET token = $9 WHERE token < $9 OR owner = $1", ""},
		{"UPDATE doc SET token = $9 WHERE token < $9 OR token = $9 AND owner = $1", "doc.token < $9 stored alternative, doc.token = $9 stored alternative"},
		{"UPDATE doc SET token = $9 WHERE token IS NULL OR (token < $9 AND open)", "doc.token < $9 or null stored alternative"},
		{"UPDATE doc SET token = $9 WHERE other IS NULL OR token < $9", ""},
		{"UPDATE doc SET token = $9 WHERE $9 IS NULL OR token < $9", ""},
		{"UPDATE doc SET token = $9 WHERE token < $9 OR TRUE", ""},
		{"UPDATE doc SET token = $9 WHERE check_token(token, $9)", "<check_token(token,$9)>"},
		{"UPDATE doc SET token = $9 WHERE meta->>'token' < $9", "<((meta ->> 'token') < $9)>"},
		{"DELETE FROM lease WHERE name = $1 AND token = $9", "lease.token = $9"},
		{"DELETE FROM lease WHERE token IN ($9, $1)", "lease.token in list[$9,$1]"},
		{"DELETE FROM lease WHERE token NOT IN ($9, $1)", ""},
		{"INSERT INTO doc (id, token) VALUES ($1, $9) ON CONFLICT (id) DO UPDATE SET token = EXCLUDED.token WHERE doc.token < EXCLUDED.token", "doc.token < new.token=$9 stored"},
		{"INSERT INTO doc (id, token) VALUES ($1, $9) ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id WHERE doc.token < EXCLUDED.token", "doc.token < new.token=$9 stored"},
		{"INSERT INTO doc (id, token) VALUES (:id, :token) ON DUPLICATE KEY UPDATE token = IF(VALUES(token) > token, VALUES(token), token)", "doc.token < new.token=:token stored"},
		{"INSERT INTO doc (id, token) VALUES (:id, :token) ON DUPLICATE KEY UPDATE token = VALUES(token)", ""},
		{"WITH held AS (UPDATE head SET token = $9 WHERE name = $1 AND token <= $9 RETURNING name) INSERT INTO journal (name) SELECT name FROM held", "head.token <= $9 by head stored"},
		{"WITH held AS (UPDATE head SET seen = 1 WHERE token <= $9 RETURNING name) INSERT INTO journal (name, token) SELECT name, $9 FROM held", "head.token <= $9 by head"},
		{"WITH held AS (UPDATE head SET token = $9 WHERE token <= $9 RETURNING name) INSERT INTO journal (name) SELECT count(*) FROM held", ""},
		{"INSERT INTO journal (e) SELECT $1 WHERE EXISTS (SELECT 1 FROM lease WHERE token = $9)", "lease.token = $9"},
		{"INSERT INTO journal (e) SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM lease WHERE token > $9)", ""},
		{"INSERT INTO journal (e) SELECT $1 FROM lease WHERE token = $9", "lease.token = $9"},
		{"UPDATE doc SET body = $1 WHERE (SELECT token FROM fence WHERE id = $2) <= $9", "fence.token <= $9"},
		{"MERGE INTO doc t USING (SELECT $1 AS id, $9 AS token) s ON t.id = s.id WHEN MATCHED AND t.token < s.token THEN UPDATE SET token = s.token", "doc.token < new.token=$9 stored"},
		{"UPDATE doc SET term = $9, seq = $1 WHERE (term, seq) < ($9, $1)", "doc.term <= $9 stored"},
	} {
		list := Read(tt.text)
		writes := list[len(list)-1].Writes
		var got []string
		for _, c := range writes[len(writes)-1].Compares(isToken) {
			s := showGuard(c.Guard)
			if c.Stored {
				s += " stored"
			}
			if c.Alternative {
				s += " alternative"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s\n got  %s\n want %s", tt.text, s, tt.want)
		}
	}
}

func TestStores(t *testing.T) {
	w := Read("INSERT INTO doc (id, token) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET token = $3")[0].Writes[0]
	for col, want := range map[string]string{"token": "$3", "id": "$1", "body": "", "": ""} {
		got := ""
		if e, ok := w.Stores(col); ok {
			got = showExpr(e)
		}
		if got != want {
			t.Errorf("Stores(%q) = %q, want %q", col, got, want)
		}
	}
}

// BenchmarkRead reads texts that repeat what is hard to follow, once as they are
// and once eight times as long: the time should be about eight times as much.
func BenchmarkRead(b *testing.B) {
	for _, piece := range []string{
		"(", ")", "((SELECT ", "NOT ", "- ", "CASE WHEN ", "a.", "a AND ", "a OR b AND ", "a + b - ", "$a$ ", "$a$ $b", "/*", "/* /* */ ", "'", "\"", "`",
		"[a", "{{", "%s", "%[1]d", "'%s'", "?", "::", ";", ",", "a,", "WITH a AS (", "WITH a AS (SELECT 1), ", "SELECT ", "SELECT 1 UNION ",
		"FROM a, ", "SELECT * FROM a, ", "SELECT (SELECT * FROM ", "IN (", "f(", "f(a,", "a = b = ", "x::int[]", "INSERT INTO a VALUES (", "(1),", "INSERT INTO t SET a = 1, ",
		"UPDATE t SET a = IF(b, ", "UPDATE t SET a = IF(b < 1, 2, a), ", "ON CONFLICT DO UPDATE SET a = excluded.a, ", "\\'", "e'\\", "INTERVAL ", "a[", "|| ", "BETWEEN ",
		"JOIN a ON b ", "WHEN MATCHED THEN UPDATE SET a = b ", "FOR UPDATE ", "EXISTS (",
	} {
		for _, prefix := range []string{"", "UPDATE t SET a = 1 WHERE ", "SELECT 1 FROM "} {
			for _, size := range []int{8 << 10, 64 << 10} {
				text := prefix + strings.Repeat(piece, size/len(piece))
				b.Run(fmt.Sprintf("%q after %q/%d", piece, prefix, size), func(b *testing.B) {
					for b.Loop() {
						Read(text)
					}
				})
			}
		}
	}
}

// TestPrefixes cuts every statement off everywhere: nothing may panic.
func TestPrefixes(t *testing.T) {
	data, err := os.ReadFile("testdata/statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(data), "\n\n") {
		text, _, _ := strings.Cut(block, "\n=> ")
		for i := range text {
			check(t, text[:i])
			check(t, text[i:])
		}
	}
}

// check holds what is true of every result.
func check(t *testing.T, text string) {
	t.Helper()
	for _, st := range Read(text) {
		if st.Verb == "" {
			t.Errorf("no verb: %q", text)
		}
		for _, w := range st.Writes {
			if w.Op == "" {
				t.Errorf("no operation: %q", text)
			}
			if w.Unknown != "" && st.Unknown == "" && w.Op != "INSERT" && w.Op != "UPSERT" && w.Op != "UPDATE" && w.Op != "DELETE" && w.Op != "MERGE" && w.Op != "REPLACE" {
				t.Errorf("a write is unknown, its statement is not: %q", text)
			}
			w.Compares(func(Expr) bool { return true })
		}
	}
}

func FuzzRead(f *testing.F) {
	data, err := os.ReadFile("testdata/statements.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, block := range strings.Split(string(data), "\n\n") {
		text, _, _ := strings.Cut(block, "\n=> ")
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, text)
		// A comment at the end changes nothing, unless a quote is open.
		a := Read(text)
		for _, st := range a {
			if st.Unknown != "" {
				return
			}
		}
		if got, want := showStatements(Read(text+"\n-- x")), showStatements(a); got != want {
			t.Errorf("%q\n with a comment %s\n without        %s", text, got, want)
		}
	})
}

// TestRecords reads what functions return that are told the columns of it.
func TestRecords(t *testing.T) {
	for _, text := range []string{
		"INSERT INTO line (bill, item, cents) SELECT $1, item, cents FROM jsonb_to_recordset($2) AS x(item text, cents numeric(10, 2))",
		"INSERT INTO line (bill, item) SELECT $1, item FROM json_to_recordset($2::json) AS (item character varying(20))",
		"INSERT INTO line (bill, item) SELECT $1, x.item FROM unnest($2::text[]) AS x(item)",
	} {
		list := Read(text)
		if len(list) != 1 || list[0].Unknown != "" || len(list[0].Writes) != 1 || list[0].Writes[0].Unknown != "" {
			t.Errorf("%s: %s", text, showStatements(list))
		}
	}
}
