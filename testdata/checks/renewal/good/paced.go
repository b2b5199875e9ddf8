package good

import (
	"context"
	"time"

	"cirello.io/dynamolock/v2"
)

func paced(ctx context.Context, c *dynamolock.Client, name string, work func(context.Context) error) error {
	held, lost := context.WithCancel(ctx)
	defer lost()
	l, err := c.AcquireLockWithContext(ctx, name, dynamolock.WithSessionMonitor(5*time.Second, lost))
	if err != nil {
		return err
	}
	defer l.Close()
	return work(held)
}

// Thirds renews often enough.
func Thirds(ctx context.Context, db dynamolock.DynamoDBClient, work func(context.Context) error) error {
	c, err := dynamolock.New(db, "locks", dynamolock.WithLeaseDuration(20*time.Second), dynamolock.WithHeartbeatPeriod(6*time.Second))
	if err != nil {
		return err
	}
	defer c.CloseWithContext(context.WithoutCancel(ctx))
	return paced(ctx, c, "thirds", work)
}

// Defaults fit each other.
func Defaults(ctx context.Context, db dynamolock.DynamoDBClient, work func(context.Context) error) error {
	c, err := dynamolock.New(db, "locks")
	if err != nil {
		return err
	}
	defer c.CloseWithContext(context.WithoutCancel(ctx))
	held, lost := context.WithCancel(ctx)
	defer lost()
	l, err := c.AcquireLockWithContext(ctx, "defaults", dynamolock.WithSessionMonitor(5*time.Second, lost))
	if err != nil {
		return err
	}
	defer l.Close()
	return work(held)
}

// Unknown takes more options from its caller, who may say how often.
func Unknown(ctx context.Context, db dynamolock.DynamoDBClient, options []dynamolock.ClientOption, work func(context.Context) error) error {
	c, err := dynamolock.New(db, "locks", append(options, dynamolock.WithLeaseDuration(6*time.Second))...)
	if err != nil {
		return err
	}
	defer c.CloseWithContext(context.WithoutCancel(ctx))
	held, lost := context.WithCancel(ctx)
	defer lost()
	l, err := c.AcquireLockWithContext(ctx, "unknown", dynamolock.WithSessionMonitor(5*time.Second, lost))
	if err != nil {
		return err
	}
	defer l.Close()
	return work(held)
}
