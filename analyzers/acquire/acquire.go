package acquire

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/analyzers/internal/suggest"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports locks that are taken, or believed to be taken, wrongly.
var Check = &check.Check{
	Name:    "acquire",
	Doc:     check.Manual(doc, "acquire"),
	Default: true,
	Run:     check.Slips(say),
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

// say is the message for a slip, if it is about the acquire.
func say(u *lock.Use, s *lock.Slip) (lock.Level, string) {
	name, call, other := check.Lock(u), check.Short(u.Call), check.Place(s.Other.Position)
	switch s.Kind {
	case lock.SlipUnasked:
		if s.Detail == lock.Meant {
			level := lock.Warning
			if suggest.For(u).Class == lock.Efficiency {
				level = lock.Note
			}
			return level, fmt.Sprintf("two at once whenever %s is taken, or its store is down: who does not get it from %s leaves out the release and does the work at %s all the same; return there, unless the lock only saves work", name, call, other)
		}
		return lock.Error, fmt.Sprintf("the section runs without the lock: the work at %s is done whether or not %s has taken %s; return when it fails or is refused", other, call, name)
	case lock.SlipRefused:
		return lock.Error, fmt.Sprintf("the loser believes that it holds the lock: %s returns neither a lock nor an error for %s when it gives up waiting, and only the error is asked for; ask whether the result is nil", call, name)
	case lock.SlipUntold:
		if s.Detail == lock.AfterTries {
			return lock.Error, fmt.Sprintf("two holders at once when the lock stays busy: after the last try callers are told that %s is held, whether or not %s took it; fail when the tries are used up", name, call)
		}
		if s.Detail == lock.Blurred {
			return lock.Error, fmt.Sprintf("everybody gets the lock: what %s answers for %s is looked at, and callers are told that it is held all the same; fail on every answer but that of success", call, name)
		}
		return lock.Error, fmt.Sprintf("everybody gets the lock: the error of %s says only that the command was sent, and whether it took %s is in its answer, which nobody reads; fail where that is no", call, name)
	case lock.SlipOpen:
		if s.Detail == "optional" {
			return lock.Note, fmt.Sprintf("everybody holds the lock while its store is down: this tells the caller that %s was taken although %s failed (%s), as it does where no store is configured; count on it only for saving work", name, call, other)
		}
		return lock.Error, fmt.Sprintf("everybody holds the lock while its store is down: this tells the caller that %s was taken although %s failed (%s); return the error", name, call, other)
	case lock.SlipForever:
		return lock.Warning, fmt.Sprintf("a crash leaves the lock for ever: %s takes %s without an expiry; set one in the same command", call, name)
	case lock.SlipTwoCalls:
		return lock.Warning, fmt.Sprintf("a crash leaves the lock for ever: %s takes %s, and only a second command (%s) sets its expiry; use one command for both (SET with NX and PX)", call, name, other)
	}
	return "", ""
}
