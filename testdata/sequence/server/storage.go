package main

import (
	"errors"
	"fmt"
	"sync"
)

var ErrStale = errors.New("stale fencing token")

// Storage is the resource that the clients of this server protect with a lock.
type Storage struct {
	mu   sync.Mutex
	data map[string]string
	last map[string]int64 // greatest token seen, by key
}

func NewStorage() *Storage {
	return &Storage{data: make(map[string]string), last: make(map[string]int64)}
}

// Write stores value under key unless a later holder of the lock has written already.
func (s *Storage) Write(key, value string, token int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token < s.last[key] {
		return fmt.Errorf("%w: token %d, but %d has written", ErrStale, token, s.last[key])
	}
	s.last[key] = token
	s.data[key] = value
	return nil
}
