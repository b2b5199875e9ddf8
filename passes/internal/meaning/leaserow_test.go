package meaning

import (
	"testing"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// taken renders the lease record that a call takes.
func (w world) taken(call *term.T) string {
	for _, m := range w.Of(call) {
		if m.Role != Acquire || m.Row == nil {
			continue
		}
		s := m.Row.Resource + " " + m.Key.Text()
		if m.Row.Expiry != "" {
			s += " until " + m.Row.Expiry
		}
		if m.Value != nil {
			s += " by " + m.Value.Text()
		}
		if m.Row.Token != "" {
			s += " token " + m.Row.Token
		}
		if m.Row.Mine {
			s += " mine"
		}
		if m.Raw {
			s += " raw"
		}
		return s
	}
	return ""
}

func TestLeaseRows(t *testing.T) {
	w := newWorld(t)
	key, me := w.v("key"), w.v("me")
	for _, c := range []struct{ text, want string }{
		{"UPDATE l SET owner = $2, expires = now() + interval '1 minute' WHERE name = $1 AND expires < now()", "sql:l key until expires by me"},
		{"UPDATE l SET owner = $2, expires = now() + interval '1 minute' WHERE name = $1 AND (expires < now() OR owner = $2)", "sql:l key until expires by me mine"},
		{"UPDATE l SET owner = $2, expires = now() + interval '1 minute' WHERE name = $1 AND (owner IS NULL OR expires < now())", "sql:l key until expires by me"},
		{"UPDATE l SET owner = $2, expires = now() + interval '1 minute', term = term + 1 WHERE name = $1 AND expires < now() RETURNING term", "sql:l key until expires by me token term"},
		{"UPDATE l SET owner = $2, seen = now() WHERE name = $1 AND seen < now() - interval '5 seconds'", "sql:l key until seen by me"},
		{"UPDATE l SET owner = $2, locked_until = $3 WHERE name = $1 AND locked_until < $4", "sql:l key until locked_until by me"},
		{"UPDATE leader SET owner = $2, expires = now() + interval '1 minute' WHERE expires < now()", `sql:leader "leader" until expires by me`},
		{"INSERT INTO l (name, owner, expires) VALUES ($1, $2, now() + interval '1 minute') ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner, expires = EXCLUDED.expires WHERE l.expires < now()", "sql:l key until expires by me"},
		{"INSERT INTO l (name, owner, expires) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET owner = CASE WHEN l.expires < now() THEN EXCLUDED.owner ELSE l.owner END, expires = CASE WHEN l.expires < now() THEN EXCLUDED.expires ELSE l.expires END RETURNING owner", "sql:l key until expires by me"},
		{"UPDATE job SET state = 'running', attempt = attempt + 1, until = now() + interval '1 minute' WHERE id = $1 AND until < now() RETURNING attempt", "sql:job key until until token attempt"},

		// Taken where it has not moved since it was read.
		{"UPDATE shard SET owner = $2, beat = $3 WHERE name = $1 AND beat = $4", "sql:shard key by me raw"},
		{"UPDATE shard SET owner = $2, beat = beat + 1 WHERE name = $1 AND (beat = $4 OR owner IS NULL)", "sql:shard key by me raw"},
		{"UPDATE shard SET owner = $2 WHERE name = $1 AND beat = $4", ""},              // nothing moves
		{"UPDATE shard SET owner = NULL, beat = $3 WHERE name = $1 AND beat = $4", ""}, // nobody
		{"UPDATE shard SET place = $2, beat = $3 WHERE name = $1 AND beat = $4", ""},   // a version

		// Named like a lock, refused while it stands.
		{"INSERT INTO locks (name) VALUES ($1)", "sql:locks key raw"},
		{"INSERT INTO app.schema_lock (id, owner, expires_at) VALUES ($1, $2, now() + interval '1 hour') ON CONFLICT DO NOTHING", "sql:app.schema_lock key until expires_at by me raw"},
		{"INSERT IGNORE INTO leader_election (anchor, host) VALUES ($1, $2)", "sql:leader_election key by me raw"},

		// Refused while it stands, with an owner and an end.
		{"INSERT INTO maintenance (machine, owner, ends) VALUES ($1, $2, now() + interval '1 hour') ON CONFLICT DO NOTHING", "sql:maintenance key until ends by me raw"},

		{"INSERT INTO maintenance (host, owner, ends) VALUES ($1, $2, now() + interval '1 hour') ON CONFLICT DO NOTHING", "sql:maintenance key until ends by me raw"},

		// Whoever is late is the mark of a job that is done once in a while, a cached
		// answer, or a subscription.
		{"UPDATE reports SET sent_at = now() WHERE name = $1 AND sent_at < now() - interval '1 day'", "sql:reports key until sent_at raw"}, // unless something tells
		{"UPDATE subscriptions SET plan = $2, valid_until = now() + interval '1 month' WHERE id = $1 AND valid_until < now()", "sql:subscriptions key until valid_until by me raw"},
		{"INSERT INTO answers (id, body, expires) VALUES ($1, $2, now() + interval '1 hour') ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body, expires = EXCLUDED.expires WHERE answers.expires < now()", "sql:answers key until expires by me raw"},
		{"UPDATE sync SET locked_until = now() + interval '1 minute' WHERE name = $1 AND locked_until < now()", "sql:sync key until locked_until"},

		// None of these.
		{"INSERT INTO maintenance (machine, owner, ends) VALUES ($1, $2, now() + interval '1 hour')", ""},
		{"UPDATE job SET state = 'running', until = now() + interval '1 minute' WHERE id = $1 AND until < now()", "sql:job key until until raw"},                  // a job that nobody has a name for
		{"UPDATE job SET owner = $2, until = now() + interval '1 minute' WHERE id = (SELECT id FROM job WHERE until < now() LIMIT 1 FOR UPDATE SKIP LOCKED)", ""}, // whichever is due
		{"UPDATE job SET owner = $2, until = now() + interval '1 minute' WHERE id IN (SELECT id FROM job WHERE until < now() LIMIT 1)", ""},                       //
		{"UPDATE reminder SET due = now() + interval '1 hour' WHERE due < now()", ""},                                                                             // all that are due
		{"UPDATE session SET closed = true WHERE id = $1 AND expires < now()", ""},                                                                                // its end stays
		{"UPDATE session SET expires = NULL WHERE id = $1 AND expires < now()", ""},                                                                               //
		{"UPDATE d SET body = $2, updated_at = $3 WHERE id = $1 AND updated_at < $3", ""},                                                                         // a fence
		{"DELETE FROM locks WHERE expires < now()", ""},                                                                                                           //
		{"INSERT INTO processed (id) VALUES ($1) ON CONFLICT DO NOTHING", ""},                                                                                     // once
		{"INSERT INTO idempotency_keys (key, expires_at) VALUES ($1, now() + interval '1 day') ON CONFLICT DO NOTHING", ""},
		{"INSERT INTO locks (name, owner) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM locks WHERE name = $1)", ""},    // two steps
		{"INSERT INTO locks (name, owner) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner", ""}, // takes it from anybody
		{"UPDATE locks SET owner = $2 WHERE name = $1", ""},                                                             //
		{"UPDATE locks SET expires = now() + interval '1 minute' WHERE name = $1 AND owner = $2", ""},                   // renewal
		{"UPDATE account SET locked_until = NULL WHERE id = $1 AND locked_until < now()", ""},                           //
		{"INSERT INTO locked_accounts (id) VALUES ($1)", ""},                                                            //
	} {
		if got := w.taken(w.exec(c.text, key, me, w.v("end"), w.v("time"))); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.text, got, c.want)
		}
	}
}

// TestLeaseRecords takes the same leases through builders, and in other stores.
func TestLeaseRecords(t *testing.T) {
	w := newWorld(t)
	key, me, now, end := w.v("key"), w.v("me"), w.v("now"), w.v("end")
	m := func(kv ...any) *term.T { return w.mapping("map", kv...) }
	where := func(text string, args ...*term.T) *term.T {
		model := w.call("(*t.DB).Model", w.v("db"), w.mapping("app.JobLock"))
		return w.call("(*t.DB).Where", model, w.str(text), w.p.List(args...))
	}
	put := func(condition string) *term.T {
		return w.call("(*t.Table).Put", w.v("db"), w.mapping("dynamodb.PutItemInput",
			"TableName", w.str("leases"),
			"Item", m("Name", key, "Owner", me, "Expires", end),
			"ConditionExpression", w.str(condition),
			"ExpressionAttributeValues", m(":now", now, ":me", me)))
	}
	update := func(filter *term.T) *term.T {
		return w.call("(*t.Collection).Update", w.call("(*t.DB).Collection", w.v("db"), w.str("jobs")), filter, m("$set", m("owner", me, "expires", end)), w.p.Nil())
	}
	insert := func(collection string, doc *term.T) *term.T {
		return w.call("(*t.Collection).Insert", w.call("(*t.DB).Collection", w.v("db"), w.str(collection)), doc)
	}
	for _, c := range []struct {
		name string
		call *term.T
		want string
	}{
		{"chain", w.call("(*t.DB).Updates", where("name = ? AND expires_at < ?", key, now), m("owner", me, "expires_at", end)), "sql:job_lock key until expires_at by me"},
		{"chain of a fence", w.call("(*t.DB).Updates", where("name = ? AND term < ?", key, now), m("owner", me, "term", now)), ""},
		{"create", w.call("(*t.DB).Create", w.v("db"), w.mapping("app.JobLock", "Name", key, "Owner", me)), "sql:job_lock key by me raw"},
		{"create of another", w.call("(*t.DB).Create", w.v("db"), w.mapping("app.Job", "Name", key, "Owner", me)), ""},

		{"item", put("attribute_not_exists(Name) OR Expires < :now"), "dynamodb:leases  until expires by me"},
		{"item of mine", put("attribute_not_exists(Name) OR Expires < :now OR Owner = :me"), "dynamodb:leases  until expires by me mine"},
		{"item that is created once", put("attribute_not_exists(Name)"), ""},
		{"item that is held", put("Owner = :me"), ""},

		{"document", update(m("_id", key, "expires", m("$lt", now))), "mongo:jobs key until expires by me"},
		{"document of mine", update(m("_id", key, "$or", w.p.List(m("expires", m("$lt", now)), m("owner", me)))), "mongo:jobs key until expires by me mine"},
		{"any document that is due", update(m("expires", m("$lt", now))), ""},
		{"renewed document", update(m("_id", key, "owner", me)), ""},
		{"new document", insert("locks", m("_id", key, "owner", me, "expires", end)), "mongo:locks key until expires by me raw"},
		{"new document of another kind", insert("orders", m("_id", key, "owner", me, "expires", end)), ""},
	} {
		if got := w.taken(c.call); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.name, got, c.want)
		}
	}
}
