package view

import (
	"fmt"
	"strings"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/passes/lock"
)

// todo says what a reader can do about l, the most useful first.
func todo(l inventory.Lock) []string {
	if IsWrapper(l) {
		return nil
	}
	switch lock.Verdict(l.Verdict) {
	case lock.Fenced:
		return whenFenced(l)
	case lock.Unfenced:
		return whenUnfenced(l)
	case lock.Unverified:
		return append(whenUnverified(l), decide(l)...)
	}
	const teach = "If the section does write, the library is not in the catalogue: teach it with //fencevet:conditional on the function that writes."
	return append([]string{teach}, decide(l)...)
}

func whenFenced(l inventory.Lock) []string {
	var all []string
	if w := unchecked(l); w != nil {
		all = append(all, fmt.Sprintf("Look whether the write at %s was refused, and stop if so.", Place(w.File, w.Line)))
	}
	if refusable(l) && !l.Metrics.Rejections {
		all = append(all, "Count the refusals: they are the only sign that the lease is too short.")
	}
	return all
}

func whenUnfenced(l inventory.Lock) []string {
	if l.Class == string(lock.Efficiency) {
		return decide(l)
	}
	var all []string
	efficiency := l.Class == string(lock.Undecided) && l.Suggestion.Class == string(lock.Efficiency)
	if efficiency {
		all = append(all, decide(l)...)
	}
	_, bent, dropped := reached(l)
	switch ordered := l.Token.Ordered != nil && *l.Token.Ordered; {
	case ordered && bent > 0:
		all = append(all, "Let the write itself compare: accept it only if the token is higher than the stored one, and store the token in the same step.")
	case ordered && dropped > 0:
		all = append(all, fmt.Sprintf("Pass %s on to each write that compares nothing.", l.Token.Source))
	case !ordered:
		all = append(all, "Take a number with the lock that grows with every grant: "+tokenSource(l)+".")
	}
	seen := make(map[string]bool)
	for _, w := range l.Writes {
		if c := lock.Condition(w.Condition); c != lock.None && c != lock.Unknown {
			continue
		}
		store, _, _ := strings.Cut(w.Resource, ":")
		if text := guardWords[store]; !seen[text] {
			seen[text] = true
			if text == "" {
				text = "Let the resource keep the highest token it has seen, and refuse a lower one."
			}
			all = append(all, text)
		}
	}
	if !efficiency {
		all = append(all, decide(l)...)
	}
	return all
}

// guardWords say how a resource of a kind refuses an older token.
var guardWords = map[string]string{
	"sql":       "Keep the token in the row, and change the row only where the kept one is lower: UPDATE ... SET ..., fence = $1 WHERE ... AND fence < $1; then look at the number of rows.",
	"redis":     "Compare and store the token in one script, which writes only if the kept one is lower.",
	"s3":        "Write with If-Match on the ETag that was read in the section, or create with If-None-Match.",
	"etcd":      "Write in a transaction whose condition is that the lock's key is still this holder's (Mutex.IsOwner).",
	"file":      "Write to a file of the token's own, and let the reader take the highest.",
	"k8s":       "Update with the resourceVersion that was read in the section.",
	"consul":    "Write in a transaction that checks the lock's session, or with check-and-set on the ModifyIndex that was read in the section.",
	"dynamodb":  "Keep the token in the item, and write with a ConditionExpression that the kept one is lower.",
	"zookeeper": "Set with the version that was read in the section.",
	"http":      "Send the token with the request, and let the service refuse one lower than the highest it has seen.",
	"memory":    "Pass the token to the method, and let it refuse one lower than the highest it has seen.",
}

// tokenSource says where l could take an ordered token from.
func tokenSource(l inventory.Lock) string {
	library := strings.ToLower(l.Library)
	switch {
	case strings.Contains(library, "etcd"):
		return "etcd has one, Mutex.Header().Revision or Election.Rev()"
	case strings.Contains(library, "consul"):
		return "Consul has one, the key's LockIndex"
	case strings.Contains(library, "zookeeper") || library == "zk":
		return "ZooKeeper has one, the node's czxid or sequence number"
	case strings.Contains(library, "kubernetes"):
		return "the lease object has one, leaseTransitions"
	case strings.Contains(library, "redis") || strings.Contains(library, "redsync") || strings.Contains(library, "redislock"):
		return "Redis has none with its locks, so INCR a counter that never expires in the step that takes the lock, or use a sequence of the database that is written"
	case l.Kind == string(lock.Advisory):
		return "or better, do the writes on the very session or transaction that owns the lock"
	}
	return "a sequence of the database that is written will do"
}

func whenUnverified(l inventory.Lock) []string {
	var all []string
	for _, r := range l.Unseen {
		if text := lookWords[lock.Reason(r)]; text != "" {
			all = append(all, text)
		}
	}
	return all
}

var lookWords = map[lock.Reason]string{
	lock.ReasonRPC:       "Send the token with the request, and look whether the service compares it.",
	lock.ReasonInterface: "Say on the interface's method whether it compares: //fencevet:conditional.",
	lock.ReasonCallback:  "Look at what the callers pass in.",
	lock.ReasonReflect:   "Call the function itself.",
	lock.ReasonGoroutine: "Wait for the goroutine within the section, or look at what it writes.",
	lock.ReasonNoSource:  "Look at that function, or say on a wrapper of it what it does: //fencevet:conditional.",
	lock.ReasonSQL:       "Write the statement as a constant, or look at how it is put together.",
	lock.ReasonProcedure: "Look whether the procedure compares a token.",
	lock.ReasonClaim:     "Make the claim and what follows it one transaction, or repeat its condition in the write.",
	lock.ReasonSHA:       "Pass the script itself, as library helpers do, so that it can be read.",
}

// decide says how the decision that no fence is needed is written down, or what
// became of the one that there is. Where the source demands a fence there is
// nothing to decide.
func decide(l inventory.Lock) []string {
	switch {
	case l.Class == string(lock.Efficiency):
		return []string{"The risk is accepted: " + Decision(l) + "."}
	case l.Class == string(lock.Correctness):
		return nil
	case l.Decision != nil:
		return []string{"The decision has run out: " + Decision(l) + ". Decide again, with a new date."}
	}
	return []string{"If the lock only saves work, and two holders at once do no harm, write that down above the call that takes it: //fencevet:efficiency REASON."}
}

// refusable reports whether the writes of l can be refused one by one, rather
// than fail with their session.
func refusable(l inventory.Lock) bool {
	for _, w := range l.Writes {
		switch lock.Condition(w.Condition) {
		case lock.Token, lock.Owner, lock.Version, lock.Unique:
			return true
		}
	}
	return false
}

// unchecked is the first guarded write of l whose refusal nobody looks at.
func unchecked(l inventory.Lock) *inventory.Write {
	for i, w := range l.Writes {
		if lock.Condition(w.Condition).Holds() && w.Checked != nil && !*w.Checked {
			return &l.Writes[i]
		}
	}
	return nil
}

// ZeroRejections says what it would mean if no write under l was ever refused,
// or why that would mean nothing. It is empty unless l is fenced.
func ZeroRejections(l inventory.Lock) string {
	if IsWrapper(l) || l.Verdict != string(lock.Fenced) {
		return ""
	}
	w := unchecked(l)
	switch {
	case w != nil:
		return fmt.Sprintf("Zero rejections would mean nothing: nobody looks whether the write at %s was refused.", Place(w.File, w.Line))
	case !refusable(l):
		return "Zero rejections would mean nothing: the writes fail with the session or transaction that owns the lock, and are not refused one by one."
	case !l.Metrics.Rejections:
		return "Zero rejections would mean nothing yet: no refusal is counted."
	case !hasCondition(l, lock.Token) && !hasCondition(l, lock.Owner):
		return "Zero rejections would mean that no two holders worked on the same " + storesOf(l) + " at once; the lock is not what refuses them."
	}
	return "Zero rejections would mean that no holder went on writing to " + storesOf(l) + " after another had taken the lock: so far every lease was long enough."
}

func hasCondition(l inventory.Lock, c lock.Condition) bool {
	for _, w := range l.Writes {
		if lock.Condition(w.Condition) == c {
			return true
		}
	}
	return false
}

// storesOf names what the guarded writes of l change.
func storesOf(l inventory.Lock) string {
	var names []string
	for _, r := range Resources(l) {
		if lock.Condition(r.Condition).Holds() {
			names = append(names, r.Name)
		}
	}
	if len(names) > 2 {
		return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
	}
	return strings.Join(names, " and ")
}
