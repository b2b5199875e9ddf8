package bad

import (
	"context"
	"time"

	"cirello.io/dynamolock/v2"
)

// Paced tells the library to renew when most of the lease is over.
func Paced(ctx context.Context, db dynamolock.DynamoDBClient, work func(context.Context) error) error {
	c, err := dynamolock.New(db, "locks",
		dynamolock.WithLeaseDuration(20*time.Second),
		dynamolock.WithHeartbeatPeriod(16*time.Second), // want: renewal
	)
	if err != nil {
		return err
	}
	defer c.CloseWithContext(context.WithoutCancel(ctx))
	held, lost := context.WithCancel(ctx)
	defer lost()
	if _, err := c.AcquireLockWithContext(ctx, "paced", dynamolock.WithSessionMonitor(5*time.Second, lost)); err != nil {
		return err
	}
	return work(held)
}

// Half leaves the second try to the very end of the lease.
func Half(ctx context.Context, db dynamolock.DynamoDBClient, lease time.Duration, work func(context.Context) error) error {
	options := []dynamolock.ClientOption{
		dynamolock.WithHeartbeatPeriod(lease / 2), // note: renewal
		dynamolock.WithLeaseDuration(lease),
	}
	c, err := dynamolock.New(db, "locks", options...)
	if err != nil {
		return err
	}
	defer c.CloseWithContext(context.WithoutCancel(ctx))
	held, lost := context.WithCancel(ctx)
	defer lost()
	if _, err := c.AcquireLockWithContext(ctx, "half", dynamolock.WithSessionMonitor(5*time.Second, lost)); err != nil {
		return err
	}
	return work(held)
}

// Short keeps the library's five seconds, which a lease of six does not last.
func Short(ctx context.Context, db dynamolock.DynamoDBClient, work func(context.Context) error) error {
	c, err := dynamolock.New(db, "locks", dynamolock.WithLeaseDuration(6*time.Second)) // want: renewal
	if err != nil {
		return err
	}
	defer c.CloseWithContext(context.WithoutCancel(ctx))
	held, lost := context.WithCancel(ctx)
	defer lost()
	if _, err := c.AcquireLockWithContext(ctx, "short", dynamolock.WithSessionMonitor(2*time.Second, lost)); err != nil {
		return err
	}
	return work(held)
}

// Fields are set by a constructor for methods.
type Fields struct{ c *dynamolock.Client }

func NewFields(db dynamolock.DynamoDBClient) (*Fields, error) {
	c, err := dynamolock.New(db, "locks", dynamolock.WithLeaseDuration(8*time.Second), dynamolock.WithHeartbeatPeriod(7*time.Second)) // gap: FN renewal the options of a client in a field are not looked at
	return &Fields{c}, err
}

func (f *Fields) Do(ctx context.Context, work func(context.Context) error) error {
	held, lost := context.WithCancel(ctx)
	defer lost()
	l, err := f.c.AcquireLockWithContext(ctx, "fields", dynamolock.WithSessionMonitor(2*time.Second, lost))
	if err != nil {
		return err
	}
	defer l.Close()
	return work(held)
}
