// Package keys has nothing to do with locks: it checks names. Nothing of it can write, though it takes contexts.
package keys

import (
	"context"
	"errors"
)

var ErrName = errors.New("no such account")

// Check reports whether a name can be an account's.
func Check(ctx context.Context, account string) error {
	if account == "" {
		return ErrName
	}
	return ctx.Err()
}
