// Package failover defines the check of that name.
//
// # Analyzer failover
//
// failover: remark on locks that a failover forgets
//
// Redis replicates with a delay. When the primary dies after it granted the lock and
// before it passed that on, the promoted replica grants the lock again.
//
// # Why it loses data
//
//	A  SET lock NX on the primary: granted
//	-  the primary dies, Sentinel promotes a replica that never saw the key
//	B  SET lock NX on the new primary: granted
//	A  and B write
//
// # Bad
//
//	rdb := redis.NewFailoverClient(sentinels)
//	rdb.SetNX(ctx, key, me, ttl)
//	db.ExecContext(ctx, "UPDATE quota SET used = $1", used)
//
// # Good
//
//	db.ExecContext(ctx, "UPDATE quota SET used = $1, last_token = $2 WHERE last_token < $2", used, token)
//
// # How it decides
//
// The client that takes the lock is made for Sentinel or a cluster, as its
// constructor or type shows, also where the client was made elsewhere and lies in a
// field, and the verdict is unfenced. It is a note: the remedy is that of unfenced.
//
// # When it stays silent
//
// Where the constructor of the client is out of sight, or is one of several, and where
// every write is guarded.
package failover
