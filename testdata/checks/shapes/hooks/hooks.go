// Package hooks has models whose mapper runs methods of theirs around each statement.
package hooks

import (
	"context"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

var errOvertaken = errors.New("berth: overtaken by a newer holder")

// A Berth is recounted in another table whenever it is saved.
type Berth struct {
	ID   uint
	Ship string
	Turn int64
}

func (b *Berth) AfterSave(tx *gorm.DB) error {
	return recount(tx, b.ID)
}

func recount(tx *gorm.DB, berth uint) error {
	return tx.Exec("UPDATE quays SET taken = taken + 1 WHERE berth = ?", berth).Error // want: unfenced
}

// A Crane is tidied before it is written, which changes nothing else.
type Crane struct {
	ID   uint
	Name string
	Turn int64
}

func (c *Crane) BeforeSave(tx *gorm.DB) error {
	if c.Name == "" {
		return errors.New("crane: no name")
	}
	return nil
}

func moved(db *gorm.DB) error {
	if db.Error == nil && db.RowsAffected == 0 {
		return errOvertaken
	}
	return db.Error
}

func Assign(ctx context.Context, s *concurrency.Session, db *gorm.DB, id uint, ship string) error {
	m := concurrency.NewMutex(s, "/berths")
	if err := m.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	turn := m.Header().Revision
	return moved(db.Model(&Berth{ID: id}).Where("turn < ?", turn).Updates(Berth{Ship: ship, Turn: turn}))
}

// Rename writes columns alone, for which no method is run.
func Rename(ctx context.Context, s *concurrency.Session, db *gorm.DB, id uint, ship string) error {
	m := concurrency.NewMutex(s, "/berths")
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	turn := m.Header().Revision
	return moved(db.Model(&Berth{ID: id}).Where("turn < ?", turn).UpdateColumns(map[string]any{"ship": ship, "turn": turn}))
}

func Repaint(ctx context.Context, s *concurrency.Session, db *gorm.DB, id uint, name string) error {
	m := concurrency.NewMutex(s, "/cranes")
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	turn := m.Header().Revision
	return moved(db.Model(&Crane{ID: id}).Where("turn < ?", turn).Updates(map[string]any{"name": name, "turn": turn}))
}
