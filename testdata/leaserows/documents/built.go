package documents

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// What a lease is taken by, and what is stored then, is made by functions of their own.

// Halls has a document for each hall of a fair.
type Halls struct {
	coll  *mongo.Collection
	plans *mongo.Collection
	ttl   time.Duration
}

var errHall = errors.New("somebody else has the hall")

func (h *Halls) free(hall string, at time.Time) bson.D {
	return bson.D{{Key: "_id", Value: hall}, {Key: "until", Value: bson.D{{Key: "$lte", Value: at}}}}
}

func booking(who string, end time.Time) bson.D {
	return bson.D{{Key: "$set", Value: bson.D{{Key: "holder", Value: who}, {Key: "until", Value: end}}}}
}

// Book has the hall until its time is over.
func (h *Halls) Book(ctx context.Context, hall string) (string, error) {
	who, now := rand.Text(), time.Now()
	res, err := h.coll.UpdateOne(ctx, h.free(hall, now), booking(who, now.Add(h.ttl))) // want: wallclock
	if err != nil {
		return "", err
	}
	if res.ModifiedCount == 0 {
		return "", errHall
	}
	return who, nil
}

// Plan stores a plan of the hall.
func (h *Halls) Plan(ctx context.Context, hall, plan string) error {
	if _, err := h.Book(ctx, hall); err != nil { // verdict: unfenced
		return err
	}
	_, err := h.plans.UpdateOne(ctx, bson.M{"_id": hall}, bson.M{"$set": bson.M{"plan": plan}}) // want: unfenced
	return err
}

// over asks the clock of the server, which also says until when.
func over(hall string) bson.M {
	return bson.M{"_id": hall, "$expr": bson.M{"$lte": bson.A{"$until", "$$NOW"}}}
}

func stay(who string, ttl time.Duration) bson.A {
	end := bson.M{"$add": bson.A{"$$NOW", ttl.Milliseconds()}}
	return bson.A{bson.M{"$set": bson.M{"holder": who, "until": end}}}
}

// Rent has the hall by the clock of the server.
func (h *Halls) Rent(ctx context.Context, hall, plan string) error {
	err := h.coll.FindOneAndUpdate(ctx, over(hall), stay(rand.Text(), h.ttl)).Err() // verdict: unfenced
	if errors.Is(err, mongo.ErrNoDocuments) {
		return errHall
	}
	if err != nil {
		return err
	}
	_, err = h.plans.UpdateOne(ctx, bson.M{"_id": hall}, bson.M{"$set": bson.M{"plan": plan}}) // want: unfenced
	return err
}

// stale and fresh are about a plan that is made again now and then: nobody has it.
func stale(hall string, at time.Time) bson.M {
	return bson.M{"_id": hall, "made": bson.M{"$lt": at}}
}

func fresh(plan string) bson.M {
	return bson.M{"$set": bson.M{"plan": plan, "made": time.Now()}}
}

// Again stores a plan that is newer.
func (h *Halls) Again(ctx context.Context, hall, plan string) error {
	_, err := h.plans.UpdateOne(ctx, stale(hall, time.Now().Add(-time.Hour)), fresh(plan))
	return err
}
