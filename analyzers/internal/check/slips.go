package check

import "github.com/fencevet/fencevet/passes/lock"

// Slips makes a rule over the slips of a use: say gives the level and the message
// for those that the check is about, and no message for others.
func Slips(say func(u *lock.Use, s *lock.Slip) (lock.Level, string)) func(*lock.Use, func(lock.Finding)) {
	return func(u *lock.Use, report func(lock.Finding)) {
		for i := range u.Slips {
			s := &u.Slips[i]
			level, message := say(u, s)
			if message == "" {
				continue
			}
			f := lock.Finding{At: s.Position, Level: level, Message: message, Fix: s.Fix}
			if other := s.Other; other.IsValid() {
				if other.Text == "" {
					other.Text = Lock(u) + " acquired here"
				}
				f.Related = []lock.Frame{other}
			}
			report(f)
		}
	}
}
