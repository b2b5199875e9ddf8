package good

import (
	"context"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
)

// Tickets reads the prices near by, and the seats where they are written.
type Tickets struct {
	session    *concurrency.Session
	near, main *mongo.Collection
}

func NewTickets(session *concurrency.Session, db *mongo.Database) *Tickets {
	return &Tickets{
		session: session,
		near:    db.Collection("prices", options.Collection().SetReadPreference(readpref.Nearest())),
		main:    db.Collection("tickets"),
	}
}

// Sell reads from another collection what it does not change.
func (t *Tickets) Sell(ctx context.Context, show string) (err error) {
	mutex := concurrency.NewMutex(t.session, "/tickets/"+show)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	token := mutex.Header().Revision
	var seats struct{ Left int }
	if err := t.near.FindOne(ctx, bson.M{"_id": show}).Decode(&seats); err != nil {
		return err
	}
	if seats.Left == 0 {
		return errors.New("sold out")
	}
	filter := bson.M{"_id": show, "last_token": bson.M{"$lt": token}}
	res, err := t.main.UpdateOne(ctx, filter, bson.M{"$set": bson.M{"left": seats.Left - 1, "last_token": token}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("sold under a newer lock")
	}
	return err
}

type nearby struct{}

// prefer lets a copy answer whoever has asked for one.
func prefer(ctx context.Context) *options.CollectionOptionsBuilder {
	opt := options.Collection()
	if ctx.Value(nearby{}) != nil {
		opt = opt.SetReadPreference(readpref.Secondary())
	}
	return opt
}

// Return asks as its caller wants it.
func Return(ctx context.Context, session *concurrency.Session, db *mongo.Database, show string) (err error) {
	mutex := concurrency.NewMutex(session, "/tickets/"+show)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	token := mutex.Header().Revision
	var seats struct{ Left int }
	if err := db.Collection("tickets", prefer(ctx)).FindOne(ctx, bson.M{"_id": show}).Decode(&seats); err != nil {
		return err
	}
	filter := bson.M{"_id": show, "last_token": bson.M{"$lt": token}}
	res, err := db.Collection("tickets").UpdateOne(ctx, filter, bson.M{"$set": bson.M{"left": seats.Left + 1, "last_token": token}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("given back under a newer lock")
	}
	return err
}
