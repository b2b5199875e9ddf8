// Package session makes sessions for its callers, as long as they say.
package session

import "github.com/hashicorp/consul/api"

// For makes one.
func For(client *api.Client, name, ttl string) (string, error) {
	id, _, err := client.Session().Create(&api.SessionEntry{Name: name, TTL: ttl}, nil)
	return id, err
}
