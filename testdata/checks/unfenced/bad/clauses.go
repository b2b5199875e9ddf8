package bad

import (
	"context"

	"github.com/bsm/redislock"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Stand is a row of the stands table.
type Stand struct {
	ID     string
	Tenant string
	Turn   int64
}

// A Term is what a change asks for.
type Term func(*terms)

type terms struct{ list []clause.Expression }

// Below lets a change through where the turn is below a number; below none, always.
func Below(turn int64) Term {
	return func(t *terms) {
		if turn > 0 {
			t.list = append(t.list, clause.Lt{Column: "turn", Value: turn})
		}
	}
}

// Stands changes stands; it honours the terms of removals only.
type Stands struct{ db *gorm.DB }

func (b Stands) Let(ctx context.Context, id string, set map[string]any, given ...Term) error {
	var t terms
	for _, apply := range given {
		apply(&t)
	}
	return b.db.WithContext(ctx).Model(&Stand{}).Where("id = ?", id).Clauses(clause.Returning{}).Updates(set).Error // want: unfenced
}

func (b Stands) Remove(ctx context.Context, id string, given ...Term) error {
	var t terms
	for _, apply := range given {
		apply(&t)
	}
	return b.db.WithContext(ctx).Where("id = ?", id).Clauses(clause.Where{Exprs: t.list}).Delete(&Stand{}).Error
}

// Let asks for terms that are not kept.
func Let(ctx context.Context, locks *redislock.Client, stands Stands, id, tenant string, turn int64) error {
	return under(ctx, locks, "lock:stand:"+id, func() error { // verdict: unfenced
		return stands.Let(ctx, id, map[string]any{"tenant": tenant, "turn": turn}, Below(turn))
	})
}
