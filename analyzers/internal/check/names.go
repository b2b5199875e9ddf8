package check

import (
	"strings"

	"github.com/fencevet/fencevet/passes/lock"
)

// Lock names a lock in a message: by its key if the source shows one, otherwise
// by its library.
func Lock(u *lock.Use) string {
	if u.Key != "" {
		return "lock " + Quote(u.Key)
	}
	if u.Library != "" {
		return "the " + u.Library + " lock"
	}
	return "the lock"
}

// Quote puts source text into a message, on one line and not too long.
func Quote(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	if strings.HasPrefix(text, `"`) {
		return text
	}
	return `"` + text + `"`
}

// Resource names what a write changes: "table stock" for sql:stock.
func Resource(w *lock.Write) string {
	store, name, ok := strings.Cut(w.Resource, ":")
	if !ok || name == "" {
		name = ""
	}
	kind := map[string]string{
		"sql": "table", "s3": "object", "gcs": "object", "redis": "Redis key", "etcd": "etcd key",
		"consul": "Consul key", "zookeeper": "znode", "mongo": "collection", "dynamodb": "table",
		"file": "file", "http": "HTTP resource", "rpc": "remote service",
	}[store]
	switch {
	case kind != "" && name != "":
		return kind + " " + name
	case kind != "":
		return "a " + kind
	case w.Resource != "":
		return w.Resource
	}
	return "the resource"
}

// Verb is what a write does, as it is read in a sentence: the SQL word, or the
// call where there is none.
func Verb(w *lock.Write) string {
	if w.Operation != "" {
		return w.Operation
	}
	return Short(w.Call)
}

// Short is the name of a function without its package path and receiver:
// "ExecContext" of "(*sql.DB).ExecContext".
func Short(call string) string {
	return call[strings.LastIndexByte(call, '.')+1:]
}
