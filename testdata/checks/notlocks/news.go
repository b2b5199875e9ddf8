package notlocks

import (
	"encoding/json"
	"errors"

	"github.com/hashicorp/consul/api"
)

// Beacon tells others what state a node is in, for as long as the node lives.
type Beacon struct {
	client  *api.Client
	session string
}

// Tell puts the state where others read it, or replaces what this node has put there before: the
// session makes it go with the node, and keeps nobody out.
func (b Beacon) Tell(node string, state any, told bool) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	pair := &api.KVPair{Key: "state/" + node, Value: text, Session: b.session}
	if told {
		_, err := b.client.KV().Put(pair, nil)
		return err
	}
	ok, _, err := b.client.KV().Acquire(pair, nil)
	if err == nil && !ok {
		err = errors.New("somebody else tells of " + node)
	}
	return err
}

// Report leaves the sending to whoever has time for it, and takes back what is over.
func (b Beacon) Report(states <-chan map[string]string, send func(func() error)) {
	told := false
	for state := range states {
		if len(state) == 0 {
			send(func() error {
				_, err := b.client.KV().Delete("report/all", nil)
				return err
			})
			continue
		}
		text, err := json.Marshal(state)
		if err != nil {
			return
		}
		pair := &api.KVPair{Key: "report/all", Value: text, Session: b.session}
		if told {
			send(func() error {
				_, err := b.client.KV().Put(pair, nil)
				return err
			})
		} else {
			send(func() error {
				ok, _, err := b.client.KV().Acquire(pair, nil)
				if err == nil && !ok {
					err = errors.New("somebody else reports")
				}
				return err
			})
			told = true
		}
	}
}
