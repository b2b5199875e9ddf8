// Package suggest guesses what a lock is for where nobody wrote it down.
//
// The guess decides how loud a finding is, so it errs towards "unclear": an
// error that a good reviewer waves through costs more trust than a warning that
// should have been one. Structure is asked first, names last.
package suggest

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/fencevet/fencevet/passes/lock"
)

// A Suggestion is a class with the reasons for it.
type Suggestion struct {
	Class   lock.Class // correctness | efficiency | unclear
	Reasons []string   // most telling first
}

// For suggests what the lock of u is for.
func For(u *lock.Use) Suggestion {
	if u.Verdict == lock.Fenced {
		if !u.Leader && withoutLock(u) {
			return Suggestion{lock.Efficiency, []string{"the resource refuses what comes too late by itself, so that the lock saves work"}}
		}
		return Suggestion{lock.Correctness, []string{"every write in view is guarded by the resource"}}
	}
	var (
		protected, derived, removed, guarded, counted int

		changes *lock.Write // what two holders would both write
	)
	for i := range u.Writes {
		w := &u.Writes[i]
		switch {
		case w.Own || w.After || w.Setup || isTrace(w):
			continue
		case isDerived(u, w):
			derived++
		case w.Condition.Holds():
			guarded++
		case isRemoval(w):
			removed++
		case isCount(w):
			counted++
		case changes == nil || changes.Condition == lock.Unknown && w.Condition == lock.None:
			changes = w
		}
		protected++
	}
	cared, caredFor := named(u, correctnessWords)
	idle, idleFor := named(u, efficiencyWords)

	s := Suggestion{Class: lock.Unclear}
	because := func(format string, args ...any) { s.Reasons = append(s.Reasons, fmt.Sprintf(format, args...)) }

	switch {
	case protected > 0 && derived == protected:
		s.Class = lock.Efficiency
		because("writes only derived data, which can be made again")

	case WorksAnyway(u):
		because("who does not get the lock does the work all the same")
		if idleFor && !caredFor {
			s.Class = lock.Efficiency
		}

	case u.Skips:
		because("the loser skips the work without an error")
		if caredFor {
			because("but the name says %s", cared)
			break
		}
		if changes != nil && changes.Condition == lock.None && !idleFor {
			// Twice the same work is harmless only if its second half does not go by
			// what the first half found.
			because("but %s is accepted without a condition", describe(changes))
			break
		}
		s.Class = lock.Efficiency

	case changes != nil && Claimed(u):
		because("only one gets past a conditional write that comes first and is asked whether it was accepted")

	case changes != nil && byVersion(u):
		because("the records that change do so by their version, and %s goes with them", describe(changes))

	case changes != nil && countsWorkers(u.Key):
		because("the key is a number among workers, so that the lock limits how many work at a time")

	case changes != nil && remade(u):
		because("%s is made of nothing that was read under the lock, so that the second one writes the same", describe(changes))

	case changes != nil:
		if changes.Condition == lock.None {
			because("%s is accepted without a condition, and the loser waits or fails", describe(changes))
		} else {
			because("%s is made under the lock, and the loser waits or fails", describe(changes))
		}
		if idleFor && !caredFor {
			because("but the name says %s", idle)
			return s
		}
		s.Class = lock.Correctness

	case removed > 0 && removed+derived == protected && !caredFor:
		s.Class = lock.Efficiency
		because("only removes in view, and what is gone cannot be removed twice")

	case guarded > 0 && guarded == protected && len(u.Unseen) == 0:
		because("the writes in view are safe without the lock")

	case caredFor && idleFor:
		because("the name says %s as well as %s", cared, idle)

	case idleFor:
		s.Class = lock.Efficiency

	case counted > 0:
		because("only counts in view, and the store counts in one step")

	case u.Kind == lock.Election:
		s.Class = lock.Correctness
		because("one leader works at a time")

	default:
		s.Class = lock.Correctness
		because("the loser waits or fails")
	}

	switch {
	case s.Class == lock.Correctness && caredFor:
		because("the name says %s", cared)
	case s.Class == lock.Efficiency && idleFor:
		because("the name says %s", idle)
	}
	return s
}

// countsWorkers reports whether a key names one of several that may be taken, and nothing of
// what is done under it: who finds one taken takes the next.
func countsWorkers(key string) bool {
	rest, numbered := strings.CutSuffix(key, "%d")
	if !numbered {
		return false
	}
	said := slices.DeleteFunc(words(rest), func(word string) bool { return word == "lock" })
	return len(said) > 0 && slices.Contains([]string{"worker", "workers", "slot", "slots", "permit", "permits", "semaphore", "concurrency"}, said[len(said)-1])
}

// WorksAnyway reports whether a program does the work without the lock, and knows it.
func WorksAnyway(u *lock.Use) bool {
	return slices.ContainsFunc(u.Slips, func(s lock.Slip) bool { return s.Kind == lock.SlipUnasked && s.Detail == lock.Meant })
}

// withoutLock reports whether what guards the writes of u would do so without the
// lock: a version of the record itself, or that there is none yet. A token, a session
// and a transaction are the lock's.
func withoutLock(u *lock.Use) bool {
	return !slices.ContainsFunc(u.Writes, func(w lock.Write) bool {
		return !w.Own && !w.After && w.Condition != lock.Version && w.Condition != lock.Unique
	})
}

// Matters reports whether two holders who both make the write w lose something by
// it: it is neither derived, nor a removal, nor one step of a counter, nor a line in a
// log, nor what is done once where connections are opened.
func Matters(u *lock.Use, w *lock.Write) bool {
	return !w.Setup && !isDerived(u, w) && !isRemoval(w) && !isCount(w) && !isTrace(w)
}

// IsStep reports whether a write is made by the store in one step, with the same
// outcome whoever comes first.
func IsStep(w *lock.Write) bool { return isRemoval(w) || isCount(w) }

// Claimed reports whether a conditional write comes before all that are not: who is
// refused stops there. What comes before is told by the order of the source, in the
// function of the section.
func Claimed(u *lock.Use) bool {
	var claim *lock.Write
	for i := range u.Writes {
		w := &u.Writes[i]
		holds := w.Condition == lock.Version || w.Condition == lock.Unique
		if holds && w.Checked != nil && *w.Checked && !w.Own && !w.After && (claim == nil || before(w, claim)) {
			claim = w
		}
	}
	if claim == nil {
		return false
	}
	for i := range u.Writes {
		w := &u.Writes[i]
		if !w.Own && !w.After && !w.Condition.Holds() && Matters(u, w) && !before(claim, w) {
			return false
		}
	}
	return true
}

// byVersion reports whether what changes in a store does so by a version that is asked
// for, and nothing that was there before is written over in that store without one: new
// rows, messages and files that go with the change are of little use to a second holder
// whose change is refused, though nobody keeps them out.
func byVersion(u *lock.Use) bool {
	stores := make(map[string]bool)
	for i := range u.Writes {
		w := &u.Writes[i]
		if w.Condition == lock.Version && w.Checked != nil && *w.Checked && !w.Own && !w.After {
			stores[storeOf(w)] = true
		}
	}
	return len(stores) > 0 && !slices.ContainsFunc(u.Writes, func(w lock.Write) bool {
		return !w.Own && !w.After && w.Condition == lock.None && stores[storeOf(&w)] && !adds(&w) && Matters(u, &w)
	})
}

// adds reports whether a write leaves what was there before as it is.
func adds(w *lock.Write) bool {
	switch w.Operation {
	case "INSERT", "DDL", "InsertOne", "InsertMany", "Create", "XADD", "PUBLISH", "LPUSH", "RPUSH":
		return true
	}
	return false
}

// remade reports whether all that a section changes is put in place whole, be it there
// already or not, by a section that reads nothing.
func remade(u *lock.Use) bool {
	return !u.Reads && !slices.ContainsFunc(u.Writes, func(w lock.Write) bool {
		return !w.Own && !w.After && w.Operation != "UPSERT" && w.Operation != "REPLACE" && Matters(u, &w)
	})
}

func storeOf(w *lock.Write) string {
	store, _, _ := strings.Cut(w.Resource, ":")
	return store
}

// before reports whether the section comes to v before it comes to w.
func before(v, w *lock.Write) bool {
	a, b := begins(v), begins(w)
	return a.File == b.File && a.Compare(b) < 0
}

// begins is where the section does, or calls what does, a write.
func begins(w *lock.Write) lock.Position {
	if len(w.Trail) > 0 {
		return w.Trail[0].Position
	}
	return w.Position
}

// isCount reports whether a write is one step of the store's own, so that neither
// holder's is lost, or sets no more than how long something lives.
func isCount(w *lock.Write) bool {
	switch w.Operation {
	case "INCR", "INCRBY", "INCRBYFLOAT", "DECR", "DECRBY", "HINCRBY", "EXPIRE", "PEXPIRE":
		return true
	}
	return false
}

// isTrace reports whether a write adds to a record of what was done, by the name of that or
// of the function that does it: both holders did it. A file that ends in log may as well be
// what changes are written to ahead.
func isTrace(w *lock.Write) bool {
	store, name, _ := strings.Cut(w.Resource, ":")
	if !adds(w) && store != "file" {
		return false
	}
	said := words(name)
	return slices.ContainsFunc(append(said, words(w.Function)...), func(word string) bool { return strings.HasPrefix(word, "audit") }) ||
		store != "file" && len(said) > 0 && (said[len(said)-1] == "log" || said[len(said)-1] == "logs")
}

// removals are operations after which something is gone: the second one finds
// nothing. Of a row or key that another holder has put there since, that is not so;
// but who removes under a lock mostly cleans up.
var removals = []string{"DELETE", "DEL", "UNLINK", "SREM", "ZREM", "HDEL", "LREM", "XACK", "XDEL", "XTRIM", "Delete", "DeleteObject", "DeleteItem", "DeleteOne", "DeleteMany", "Remove", "RemoveAll"}

func isRemoval(w *lock.Write) bool {
	return slices.Contains(removals, w.Operation) || strings.HasPrefix(w.Operation, "ZREMRANGE")
}

func describe(w *lock.Write) string {
	if w.Operation != "" && w.Resource != "" {
		return w.Operation + " " + w.Resource
	}
	for _, text := range []string{w.Resource, w.Operation, w.Call} {
		if text != "" {
			return text
		}
	}
	return "a write"
}

// isDerived reports whether what w writes can be made again: a cache or metric,
// by the operation, by its name, by what the package around keeps in Redis or the type
// through which it is kept there, or a file in a temporary directory.
func isDerived(u *lock.Use, w *lock.Write) bool {
	if w.Cache {
		return true
	}
	store, name, _ := strings.Cut(w.Resource, ":")
	if store == "file" {
		return strings.HasPrefix(name, "/tmp/") || strings.Contains(name, "TempDir(") || strings.HasPrefix(name, "MkdirTemp(") || strings.HasPrefix(name, "CreateTemp(")
	}
	if store == "redis" {
		name += "/" + u.Package
		for _, frame := range w.Trail {
			name += "/" + receiver(frame.Function) + "/" + receiver(frame.Callee)
		}
	}
	return slices.ContainsFunc(words(name), func(word string) bool { return strings.HasPrefix(word, "cache") })
}

// receiver is the name of the type that a method belongs to, or of the interface; it is
// empty for a function.
func receiver(method string) string {
	of, _, ok := strings.Cut(method, ").")
	if !ok {
		return ""
	}
	of, _, _ = strings.Cut(of, "[") // its type arguments
	return of[strings.LastIndexAny(of, "(*.")+1:]
}

// Stems of words, so that "migrat" is found in migrate, migration and migrator.
var (
	efficiencyWords = []string{
		"analytic", "cache", "cron", "dedup", "gc", "cleanup", "cleaner", "expir", "evict", "heartbeat", "metric", "monitor",
		"poll", "prefetch", "prune", "purge", "reap", "refresh", "reindex", "resync", "scrape", "stats", "sweep", "sync",
		"telemetr", "warm",
	}
	correctnessWords = []string{
		"allocat", "balance", "billing", "booking", "charge", "checkout", "credit", "debit", "deposit", "inventory",
		"invoice", "ledger", "migrat", "order", "payment", "payout", "quota", "refund", "reservation", "reserve", "settle",
		"stock", "transfer", "wallet", "withdraw",
	}
	wholeWords = []string{"gc"} // too short to be the start of a word
)

// named returns the first word in the key, the function or the package of u
// that begins with one of stems. What the type of a method is called says how the
// lock is kept, rather than what it is for.
func named(u *lock.Use, stems []string) (word string, ok bool) {
	_, method, isMethod := strings.Cut(u.Acquire.Function, ").")
	if !isMethod {
		method = u.Acquire.Function
	}
	for _, text := range []string{u.Key, method, path.Base(u.Package)} {
		said := words(text)
		for i, word := range said {
			if word == "refresh" && i > 0 && i+1 < len(said) && strings.HasPrefix(said[i+1], "token") {
				continue // a thing: RotateRefreshToken
			}
			for _, stem := range stems {
				if word == stem || strings.HasPrefix(word, stem) && !slices.Contains(wholeWords, stem) {
					return word, true
				}
			}
		}
	}
	return "", false
}

// words splits an identifier or key into lower-case words: "RefreshFXRates" is
// refresh, fx, rates.
func words(text string) []string {
	var (
		all  []string
		word []rune
	)
	end := func() {
		if len(word) > 0 {
			all = append(all, strings.ToLower(string(word)))
		}
		word = word[:0]
	}
	runes := []rune(text)
	for i, r := range runes {
		if !unicode.IsLetter(r) {
			end()
			continue
		}
		upper := unicode.IsUpper(r)
		afterLower := i > 0 && unicode.IsLower(runes[i-1])
		beforeLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if upper && (afterLower || beforeLower) {
			end()
		}
		word = append(word, r)
	}
	end()
	return all
}
