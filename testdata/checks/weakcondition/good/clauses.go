package good

import (
	"context"

	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Kennel is a row of the kennels table.
type Kennel struct {
	ID    string
	Guest string
	Term  int64
}

// changed takes a change of no row for a rejected one.
func changed(db *gorm.DB) error {
	if db.Error == nil && db.RowsAffected == 0 {
		return errStale
	}
	return db.Error
}

// Demand is what a change of rows asks for.
type Demand func(*demands)

type demands struct {
	list  []clause.Expression
	quiet bool
}

// Older lets a change through where the column is below a number.
func Older(column string, than int64) Demand {
	return func(d *demands) {
		d.list = append(d.list, clause.Lt{Column: clause.Column{Name: column}, Value: than})
	}
}

// Quietly leaves a change out of the log of the database.
func Quietly() Demand { return func(d *demands) { d.quiet = true } }

// Kennels changes kennels.
type Kennels interface {
	Change(ctx context.Context, id string, to Kennel, demands ...Demand) error
}

type gormKennels struct{ db *gorm.DB }

func (k gormKennels) Change(ctx context.Context, id string, to Kennel, given ...Demand) error {
	var d demands
	for _, apply := range given {
		apply(&d)
	}
	res := k.db.WithContext(ctx).Model(&Kennel{}).Where("id = ?", id).
		Clauses(clause.Where{Exprs: d.list}).Updates(to)
	return changed(res)
}

// Lodge hands the demand over to the kennels, whatever they are kept in.
func Lodge(ctx context.Context, session *concurrency.Session, kennels Kennels, id, guest string) error {
	return withToken(ctx, session, "/kennels/"+id, func(token int64) error { // verdict: fenced
		return kennels.Change(ctx, id, Kennel{Guest: guest, Term: token}, Older("term", token), Quietly())
	})
}

// OpenKennels keeps the kennels in a database.
func OpenKennels(db *gorm.DB) Kennels { return gormKennels{db} }

// Swap gives its conditions as clauses.
func Swap(ctx context.Context, session *concurrency.Session, db *gorm.DB, id, guest string) error {
	return withToken(ctx, session, "/kennels/"+id, func(token int64) error { // verdict: fenced
		res := db.WithContext(ctx).Model(&Kennel{}).
			Where(clause.And(clause.Eq{Column: "id", Value: id}, clause.Or(
				clause.Eq{Column: "term", Value: nil}, clause.Lte{Column: "term", Value: token}))).
			Updates(map[string]any{"guest": guest, "term": token})
		return changed(res)
	})
}

// Sometimes asks where there is a number, which a token always is.
func Sometimes(token int64) Demand {
	return func(d *demands) {
		if token > 0 {
			d.list = append(d.list, clause.Lt{Column: "term", Value: token})
		}
	}
}

// Boarding hands such a demand over.
func Boarding(ctx context.Context, session *concurrency.Session, kennels gormKennels, id, guest string) error {
	return withToken(ctx, session, "/kennels/"+id, func(token int64) error { // verdict: fenced
		return kennels.Change(ctx, id, Kennel{Guest: guest, Term: token}, Sometimes(token))
	})
}

// Some applies the demands only where there is a name for them.
func (k gormKennels) Some(ctx context.Context, id string, to Kennel, name string, given ...Demand) error {
	var d demands
	for _, apply := range given {
		if name != "" {
			apply(&d)
		}
	}
	res := k.db.WithContext(ctx).Model(&Kennel{}).Where("id = ?", id).
		Clauses(clause.Where{Exprs: d.list}).Updates(to)
	return changed(res)
}

// Walk hands a demand over that may be left out.
func Walk(ctx context.Context, session *concurrency.Session, kennels gormKennels, id, guest, name string) error {
	return withToken(ctx, session, "/kennels/"+id, func(token int64) error { // verdict: unverified
		return kennels.Some(ctx, id, Kennel{Guest: guest, Term: token}, name, Older("term", token))
	})
}
