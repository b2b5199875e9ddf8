// Command server is the half that stores, in the manner of etcd's own demonstration of fencing: the first
// version that writes a key owns it for ever, also where it is that of a stale client. It takes no lock, so that
// no lock use can be blamed for it.
// Verdict: no lock site.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
)

type request struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Version int64  `json:"version"`
}

type entry struct {
	value   string
	version int64
}

// data is read and written by all handlers at once, without a mutex.
var data = make(map[string]*entry)

func main() {
	addr := flag.String("addr", "localhost:8080", "address to listen on")
	flag.Parse()
	http.HandleFunc("POST /write", write)
	log.Fatal(http.ListenAndServe(*addr, nil))
}

func write(w http.ResponseWriter, r *http.Request) {
	var in request
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	cur, ok := data[in.Key]
	if !ok {
		data[in.Key] = &entry{value: in.Value, version: in.Version}
		return
	}
	if cur.version != in.Version {
		http.Error(w, fmt.Sprintf("version %x is not %x", in.Version, cur.version), http.StatusConflict)
		return
	}
	cur.value = in.Value
}
