// Package remote takes leases from a lock service of the program's own, which keeps
// them in a table of its database. Its client is as a generator writes it.
package remote

import (
	"context"

	"google.golang.org/grpc"
)

type Resource struct {
	Path  string
	Owner string
}

type LockRequest struct {
	Resource     *Resource
	TtlInSeconds int64
}

type LockReply struct{ Index int64 }

type ReleaseRequest struct{ Resource *Resource }

type ReleaseReply struct{}

type LockerClient interface {
	Lock(ctx context.Context, in *LockRequest, opts ...grpc.CallOption) (*LockReply, error)
	Release(ctx context.Context, in *ReleaseRequest, opts ...grpc.CallOption) (*ReleaseReply, error)
}

type lockerClient struct{ cc grpc.ClientConnInterface }

func NewLockerClient(cc grpc.ClientConnInterface) LockerClient { return &lockerClient{cc} }

func (c *lockerClient) Lock(ctx context.Context, in *LockRequest, opts ...grpc.CallOption) (*LockReply, error) {
	out := new(LockReply)
	if err := c.cc.Invoke(ctx, "/locks.Locker/Lock", in, out, opts...); err != nil {
		return nil, err
	}
	return out, nil
}

func (c *lockerClient) Release(ctx context.Context, in *ReleaseRequest, opts ...grpc.CallOption) (*ReleaseReply, error) {
	out := new(ReleaseReply)
	if err := c.cc.Invoke(ctx, "/locks.Locker/Release", in, out, opts...); err != nil {
		return nil, err
	}
	return out, nil
}

// DoorsClient locks doors: it says for how long, but not who holds one.
type DoorsClient interface {
	Lock(ctx context.Context, in *DoorRequest, opts ...grpc.CallOption) (*DoorReply, error)
	Unlock(ctx context.Context, in *DoorRequest, opts ...grpc.CallOption) (*DoorReply, error)
}

type DoorRequest struct {
	Door     string
	Duration int64
}

type DoorReply struct{}

// AccountsClient locks accounts: nobody holds one, and it has no end.
type AccountsClient interface {
	Lock(ctx context.Context, in *AccountRequest, opts ...grpc.CallOption) (*AccountReply, error)
	Unlock(ctx context.Context, in *AccountRequest, opts ...grpc.CallOption) (*AccountReply, error)
}

type AccountRequest struct{ Owner, Reason string }

type AccountReply struct{}
