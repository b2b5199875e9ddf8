package check

import (
	"cmp"
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
	text = clip(strings.Join(strings.Fields(text), " "), 60)
	if strings.HasPrefix(text, `"`) {
		return text
	}
	return `"` + text + `"`
}

func clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Resource names what a write changes: "table stock" for sql:stock.
func Resource(w *lock.Write) string {
	store, name, _ := strings.Cut(w.Resource, ":")
	kind, known := kinds[store]
	switch {
	case w.Resource == "":
		return "the resource"
	case !known:
		return w.Resource
	case name == "":
		return "the " + cmp.Or(kind.store, kind.item)
	}
	return strings.TrimSpace(kind.item + " " + clip(name, 60))
}

// kinds names stores and what is in them.
var kinds = map[string]struct{ item, store string }{
	"sql":       {"table", "database"},
	"mongo":     {"collection", "database"},
	"dynamodb":  {"table", "table"},
	"s3":        {"object", "bucket"},
	"gcs":       {"object", "bucket"},
	"azblob":    {"blob", "container"},
	"k8s":       {"Kubernetes object", "Kubernetes API"},
	"redis":     {"Redis key", "Redis database"},
	"etcd":      {"etcd key", "etcd store"},
	"consul":    {"Consul key", "Consul store"},
	"zookeeper": {"znode", "ZooKeeper tree"},
	"file":      {"file", "file system"},
	"http":      {"HTTP resource", "HTTP service"},
	"rpc":       {"remote service", "remote service"},
	"memory":    {"", "memory"}, // of the program itself, which knows it by this name
}

// Version names what a resource compares that knows no tokens, or is "".
func Version(w *lock.Write) string {
	store, _, _ := strings.Cut(w.Resource, ":")
	return map[string]string{"k8s": "resourceVersion", "azblob": "ETag"}[store]
}

// Verb is what a write does, as it is read in a sentence: the word that the
// resource knows it by, or the call where there is none.
func Verb(w *lock.Write) string {
	if w.Operation != "" && !strings.HasPrefix(w.Resource, "memory:") {
		return w.Operation
	}
	return Short(w.Call)
}

// Short is the name of a function without its package path and receiver:
// "ExecContext" of "(*sql.DB).ExecContext".
func Short(call string) string {
	return call[strings.LastIndexByte(call, '.')+1:]
}

// Names are those of all checks, as a directive or a configuration may name them.
var Names = []string{
	"unfenced", "weakcondition", "unorderedtoken", "poolconn", "wallclock", "longsection", "acquire",
	"release", "earlyrelease", "keymismatch", "localstate", "renewal", "units", "tokenreset",
	"replica", "owner", "failover", "onceguard", "lockdelay", "crossslot", "staleread", "bypass",
	"unmetered", "redundantlock", "directive",
}
