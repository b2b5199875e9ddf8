package store

//go:generate go run -mod=mod entgo.io/ent/cmd/ent generate --feature sql/upsert,sql/modifier,sql/lock --target . ../schema
