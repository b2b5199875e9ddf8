// Package spell finds the word that somebody meant to write.
package spell

import "fmt"

// Nearest returns the known word that differs least from word, and the empty
// string if none is near.
func Nearest(word string, known []string) string {
	best, least := "", 1+max(1, len(word)/3)
	for _, k := range known {
		if d := distance(word, k, least); d < least {
			best, least = k, d
		}
	}
	return best
}

// Meant is a remark for the end of a message: which known word was meant, if one
// is near.
func Meant(word string, known []string) string {
	if k := Nearest(word, known); k != "" {
		return fmt.Sprintf(" (did you mean %s?)", k)
	}
	return ""
}

// distance counts the letters to insert, delete or replace, and the neighbours
// to swap, to get from a to b; most is as good as anything above it.
func distance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			next[j+1] = min(replace, last[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
