package main

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"example.org/locks/shop/internal/billing"
	"example.org/locks/shop/internal/lock"
	"example.org/locks/shop/internal/stock"
)

type api struct {
	stock   *stock.Service
	billing *billing.Service
}

func (a *api) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reservations", a.reserve)
	mux.HandleFunc("POST /invoices/{id}/close", a.closeInvoice)
	return mux
}

func (a *api) reserve(w http.ResponseWriter, r *http.Request) {
	var in struct {
		SKU      string `json:"sku"`
		Quantity int    `json:"quantity"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&in); err != nil {
		http.Error(w, "malformed reservation", http.StatusBadRequest)
		return
	}
	answer(w, a.stock.Reserve(r.Context(), in.SKU, in.Quantity))
}

func (a *api) closeInvoice(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		http.Error(w, "malformed invoice number", http.StatusBadRequest)
		return
	}
	answer(w, a.billing.Close(r.Context(), id))
}

func answer(w http.ResponseWriter, err error) {
	switch {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, stock.ErrUnknown):
		http.Error(w, "no such article", http.StatusNotFound)
	case errors.Is(err, stock.ErrOutOfStock), errors.Is(err, lock.ErrBusy), errors.Is(err, billing.ErrStale):
		http.Error(w, "conflict, try again", http.StatusConflict)
	default:
		slog.Error("request failed", "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
	}
}
