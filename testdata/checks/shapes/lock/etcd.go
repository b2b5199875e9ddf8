package lock

import (
	"context"
	"strconv"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Fence is a lock of etcd whose revision is the token.
type Fence struct {
	session *concurrency.Session
	mutex   *concurrency.Mutex
	token   int64
}

// NewFence prepares a fence.
func NewFence(cli *clientv3.Client, name string) (*Fence, error) {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return nil, err
	}
	return &Fence{session: session, mutex: concurrency.NewMutex(session, "/fence/"+name)}, nil
}

// Lock keeps the token for the methods that ask for it.
func (f *Fence) Lock(ctx context.Context) error {
	if err := f.mutex.Lock(ctx); err != nil {
		return err
	}
	f.token = f.mutex.Header().Revision
	return nil
}

func (f *Fence) Unlock(ctx context.Context) error { return f.mutex.Unlock(ctx) }

// Drop gives the lock back by a transaction, which does nothing for whoever has lost it.
func (f *Fence) Drop(ctx context.Context) error {
	_, err := f.session.Client().Txn(ctx).If(f.mutex.IsOwner()).Then(clientv3.OpDelete(f.mutex.Key())).Commit()
	return err
}

// Token is greater than those of all earlier holders.
func (f *Fence) Token() int64 { return f.token }

// Text is the token as a header carries it.
func (f *Fence) Text() string { return strconv.FormatInt(f.token, 10) }

func (f *Fence) Close() error { return f.session.Close() }

// Open prepares a fence and locks it.
func Open(ctx context.Context, cli *clientv3.Client, name string) (_ *Fence, err error) {
	f, err := NewFence(cli, name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if err := f.Lock(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

// Fenced runs fn with the token.
func Fenced(ctx context.Context, cli *clientv3.Client, name string, fn func(ctx context.Context, token int64) error) error {
	f, err := Open(ctx, cli, name)
	if err != nil {
		return err
	}
	defer f.Close()
	defer f.Unlock(context.WithoutCancel(ctx))
	return fn(ctx, f.Token())
}

type tokenKey struct{}

// InContext runs fn with the token in its context.
func InContext(ctx context.Context, cli *clientv3.Client, name string, fn func(ctx context.Context) error) error {
	return Fenced(ctx, cli, name, func(ctx context.Context, token int64) error {
		return fn(context.WithValue(ctx, tokenKey{}, token))
	})
}

// FromContext returns the token of the lock that ctx works under.
func FromContext(ctx context.Context) (int64, bool) {
	token, ok := ctx.Value(tokenKey{}).(int64)
	return token, ok
}

// Grant is a token on its way to another process.
type Grant struct {
	Name  string `json:"name"`
	Token uint64 `json:"token,string"`
}

// GetToken is how generated code reads fields.
func (g *Grant) GetToken() uint64 {
	if g != nil {
		return g.Token
	}
	return 0
}

// Grants runs fn with a grant.
func Grants(ctx context.Context, cli *clientv3.Client, name string, fn func(ctx context.Context, g *Grant) error) error {
	return Fenced(ctx, cli, name, func(ctx context.Context, token int64) error {
		return fn(ctx, &Grant{Name: name, Token: uint64(token)})
	})
}

// Registry keeps the fences that are held, by name.
type Registry struct {
	cli  *clientv3.Client
	mu   sync.Mutex
	held map[string]*Fence
}

func NewRegistry(cli *clientv3.Client) *Registry {
	return &Registry{cli: cli, held: make(map[string]*Fence)}
}

// Lock takes the fence of that name.
func (r *Registry) Lock(ctx context.Context, name string) error {
	f, err := Open(ctx, r.cli, name)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[name] = f
	return nil
}

// Token returns the token of a fence that is held.
func (r *Registry) Token(name string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.held[name]; f != nil {
		return f.Token()
	}
	return 0
}

// Unlock gives the fence of that name back.
func (r *Registry) Unlock(ctx context.Context, name string) error {
	r.mu.Lock()
	f := r.held[name]
	delete(r.held, name)
	r.mu.Unlock()
	if f == nil {
		return nil
	}
	defer f.Close()
	return f.Unlock(ctx)
}
