package main

import "sync"

// Storage is the resource that the lock protects. It lives in this process to keep the
// program small; everything holds for a service behind a network as well.
type Storage struct {
	mu   sync.Mutex
	data map[string]string
}

func NewStorage() *Storage {
	return &Storage{data: make(map[string]string)}
}

// Put stores value under key, whoever asks.
func (s *Storage) Put(key, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[key] = value
}
