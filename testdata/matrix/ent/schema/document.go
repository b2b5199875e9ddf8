// Package schema says what the client in store is generated from.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// Document is what a lock protects, and who holds it.
type Document struct{ ent.Schema }

// Fields of a Document.
func (Document) Fields() []ent.Field {
	return []ent.Field{
		field.String("name"),
		field.String("body").Optional(),
		field.Int64("token"),
		field.Int64("version"),
		field.String("holder"),
		field.Time("expires_at"),
	}
}
