// Package session makes sessions for its callers.
package session

import "github.com/hashicorp/consul/api"

// Short asks for less than Consul gives, for a lock that is taken elsewhere.
func Short(client *api.Client) (string, error) {
	id, _, err := client.Session().Create(&api.SessionEntry{Name: "short", TTL: "3s"}, nil) // want: units
	return id, err
}

// Session is one that lives as long as its maker says.
type Session struct {
	id string
}

// For makes one.
func For(client *api.Client, ttl string) (*Session, error) {
	id, _, err := client.Session().CreateNoChecks(&api.SessionEntry{Name: "for", TTL: ttl}, nil)
	if err != nil {
		return nil, err
	}
	return &Session{id: id}, nil
}

// ID names it.
func (s *Session) ID() string { return s.id }
