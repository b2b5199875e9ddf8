// Package bypass defines the check of that name.
//
// # Analyzer bypass
//
// bypass: remark on writes that go round a lock
//
// A lock is an agreement: it protects a resource from those who take it. One function
// that changes the same rows without the lock, and without a token that the rows
// compare, undoes it for all.
//
// # Why it loses data
//
//	A  takes the lock, reads stock 5
//	B  in another function, without the lock: UPDATE stock SET n = n - 3
//	A  UPDATE stock SET n = 4
//
// # Bad
//
//	func (s *Service) Reserve(ctx context.Context, id string) error {
//		// takes the lock "stock:"+id, then UPDATE stock SET n = ... WHERE id = ...
//	}
//
//	func (s *Admin) Correct(ctx context.Context, id string, n int) error {
//		_, err := s.db.ExecContext(ctx, "UPDATE stock SET n = $1 WHERE id = $2", n, id)
//		return err
//	}
//
// # Good
//
// Correct takes the same lock; or both statements compare the row's token, and Correct
// draws one of its own.
//
// # How it decides
//
// The command sees all packages of the module. Outside of every lock in view stands a
// write of the same table, key or object, by the same operation (etcd, Consul, ZooKeeper
// and object stores: any that sets it, or any that deletes it), on a column that the
// locked write sets as well, and its conditions do no more than name the row, or several
// by a list. It is a
// note at that write: whether the two ever meet, only its authors know.
//
// # When it stays silent
//
// Under go vet, where one package is in view; for inserts and deletes, and for what adds a
// member to a set or takes one off; where both count on from what is there; for locks that
// seem to save work only; where the write compares a version.
package bypass
