package meaning

import "testing"

func TestLeaseFunctions(t *testing.T) {
	for name, want := range map[string][2]bool{
		"acquirelock":       {true, false},
		"acquire_lock":      {true, false},
		"try_get_lease":     {true, false},
		"claim_job_lock":    {true, false},
		"releaselock":       {false, true},
		"give_back_lease":   {false, true},
		"unlock":            {false, true},
		"take_job":          {false, false}, // jobs are taken from queues as well
		"acquire_lock_fee":  {false, false},
		"getblockhash":      {false, false},
		"get_locked_orders": {false, false},
		"lock":              {false, false},
		"try_release_lock":  {false, false}, // neither
		"":                  {false, false},
	} {
		if got := [2]bool{madeOf(name, takingWords), madeOf(name, givingWords)}; got != want {
			t.Errorf("%q takes and gives back: %v, want %v", name, got, want)
		}
	}
}
