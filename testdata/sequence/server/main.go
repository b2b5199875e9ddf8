// Command server is the resource's half of the sequence on its own: an HTTP handler that compares the
// token of a request before it accepts the write. It takes no lock.
// Verdict: no lock site.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"log"
	"net/http"
)

// write is the body of a request; Token comes from the lock that the client holds.
type write struct {
	Value string `json:"value"`
	Token int64  `json:"token"`
}

func main() {
	addr := flag.String("addr", "localhost:8080", "address to listen on")
	flag.Parse()

	mux := http.NewServeMux()
	mux.Handle("PUT /documents/{key}", handler(NewStorage()))
	log.Fatal(http.ListenAndServe(*addr, mux))
}

func handler(store *Storage) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in write
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch err := store.Write(r.PathValue("key"), in.Value, in.Token); {
		case errors.Is(err, ErrStale):
			http.Error(w, err.Error(), http.StatusConflict)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}
}
