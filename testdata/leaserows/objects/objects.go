// Package objects takes leases that are objects of an S3 bucket.
package objects

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

var ErrHeld = errors.New("somebody else has the lock")

// A Bucket keeps its lock beside its data.
type Bucket struct {
	client *s3.Client
	name   string
}

type record struct {
	Holder  string    `json:"holder"`
	Expires time.Time `json:"expires"`
}

// lock puts the lock's object where there is none.
func (b *Bucket) lock(ctx context.Context, me string) error {
	_, err := b.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket:      &b.name,
		Key:         aws.String("state.lock"),
		Body:        bytes.NewReader([]byte(me)),
		IfNoneMatch: aws.String("*"),
	})
	var refused smithy.APIError
	if errors.As(err, &refused) && refused.ErrorCode() == "PreconditionFailed" {
		return ErrHeld
	}
	return err
}

func (b *Bucket) unlock(ctx context.Context) error {
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: aws.String("state.lock")})
	return err
}

// Put replaces the state, which is another object.
func (b *Bucket) Put(ctx context.Context, me string, state []byte) error {
	if err := b.lock(ctx, me); err != nil { // verdict: unfenced
		return err
	}
	defer b.unlock(context.WithoutCancel(ctx))
	_, err := b.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &b.name, Key: aws.String("state"), Body: bytes.NewReader(state)}) // want: unfenced
	return err
}

// Elect replaces a lease that is over, if nobody else was quicker.
func (b *Bucket) Elect(ctx context.Context, me string) error {
	got, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: aws.String("leader.json")})
	if err != nil {
		return err
	}
	defer got.Body.Close()
	data, err := io.ReadAll(got.Body)
	if err != nil {
		return err
	}
	var last record
	if err := json.Unmarshal(data, &last); err != nil {
		return err
	}
	if time.Now().Before(last.Expires) { // want: wallclock
		return ErrHeld
	}
	next, err := json.Marshal(record{Holder: me, Expires: time.Now().Add(time.Minute)})
	if err != nil {
		return err
	}
	_, err = b.client.PutObject(ctx, &s3.PutObjectInput{ // verdict: unfenced
		Bucket:  &b.name,
		Key:     aws.String("leader.json"),
		Body:    bytes.NewReader(next),
		IfMatch: got.ETag,
	})
	if err != nil {
		return err
	}
	_, err = b.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &b.name, Key: aws.String("totals"), Body: bytes.NewReader(nil)}) // want: unfenced
	return err
}

// A Crane is lent to one site at a time. Whoever finds that its object has not changed for an
// hour replaces it.
type Crane struct {
	client *s3.Client
	bucket string
}

func taken(err error) bool {
	var refused smithy.APIError
	return errors.As(err, &refused) && refused.ErrorCode() == "PreconditionFailed"
}

// lockCrane tells by its last line whether the object was put.
func (c *Crane) lockCrane(ctx context.Context, site string) error {
	put := &s3.PutObjectInput{Bucket: &c.bucket, Key: aws.String("crane.lock"), Body: bytes.NewReader([]byte(site)), IfNoneMatch: aws.String("*")}
	_, err := c.client.PutObject(ctx, put)
	if taken(err) {
		return ErrHeld
	}
	return err
}

// seizeCrane takes it from a site that has gone home.
func (c *Crane) seizeCrane(ctx context.Context, site string) error {
	head, err := c.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &c.bucket, Key: aws.String("crane.lock")})
	if err != nil {
		return err
	}
	if time.Since(*head.LastModified) < time.Hour {
		return ErrHeld
	}
	put := &s3.PutObjectInput{Bucket: &c.bucket, Key: aws.String("crane.lock"), Body: bytes.NewReader([]byte(site)), IfMatch: head.ETag}
	if _, err = c.client.PutObject(ctx, put); taken(err) {
		return ErrHeld
	}
	return err
}

// unlockCrane takes away the object of whichever site has the crane by then.
func (c *Crane) unlockCrane(ctx context.Context) error {
	_, err := c.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &c.bucket, Key: aws.String("crane.lock")}) // want: release
	return err
}

// Lift writes down what is lifted.
func (c *Crane) Lift(ctx context.Context, site string, load []byte) error {
	if err := c.lockCrane(ctx, site); err != nil { // verdict: unfenced
		return err
	}
	defer c.unlockCrane(context.WithoutCancel(ctx))
	_, err := c.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &c.bucket, Key: aws.String("load"), Body: bytes.NewReader(load)}) // want: unfenced
	return err
}
