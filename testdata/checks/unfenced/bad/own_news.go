package bad

import (
	"github.com/hashicorp/consul/api"
)

// Chair has the chair, and puts its minutes there while it does.
func Chair(client *api.Client, session string, minutes []byte) error {
	pair := &api.KVPair{Key: "chair", Value: minutes, Session: session}
	ok, _, err := client.KV().Acquire(pair, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer client.KV().Release(pair, nil)
	if _, err := client.KV().Put(&api.KVPair{Key: "minutes", Value: minutes}, nil); err != nil { // want: unfenced
		return err
	}
	_, err = client.KV().Put(pair, nil)
	return err
}
