package ephemeral

import (
	"errors"
	"time"

	"github.com/go-zookeeper/zk"
)

// A Choir has one conductor: whose name is in the node that ends with the session.
type Choir struct {
	conn      *zk.Conn
	name      string
	electPath string
	conductor chan string
	done      chan struct{}
}

// elects tries to be the conductor whenever there is none, and tells who is.
func (c *Choir) elects() {
	for {
		_, err := c.conn.Create(c.electPath, []byte(c.name), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		if err != nil && !errors.Is(err, zk.ErrNodeExists) {
			time.Sleep(time.Second)
			continue
		}
		data, _, changed, err := c.conn.GetW(c.electPath)
		if err != nil {
			continue
		}
		c.conductor <- string(data)
		select {
		case <-changed:
		case <-c.done:
			return
		}
	}
}

// sings says that a singer is there, and sees to it that this stays so.
func (c *Choir) sings(seat string) error {
	if _, err := c.conn.Create("/choir/seats/"+seat, []byte(c.name), zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return err
	}
	there, _, _, err := c.conn.ExistsW("/choir/seats/" + seat)
	if err == nil && !there {
		return zk.ErrNoNode
	}
	return err
}
