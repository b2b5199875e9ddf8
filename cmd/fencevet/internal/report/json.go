package report

import (
	"encoding/json"
	"io"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// JSON writes the inventory as it is published.
func JSON(w io.Writer, r *view.Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r.Inventory)
}
