// Package optimisticlock stands in for the plugin of gorm by that name: it has the type
// by which a model asks for its version, and nothing of what makes gorm do so.
package optimisticlock

import "database/sql"

// Version is the version of a row.
type Version sql.NullInt64
