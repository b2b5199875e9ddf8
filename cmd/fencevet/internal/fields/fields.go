// Package fields reads and writes the lines of text files that people review and
// git merges: words with a space between, and in quotes as in Go what is not one
// plain word.
package fields

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Join makes a line of at least one field.
func Join(all ...string) string {
	quoted := make([]string, len(all))
	for i, text := range all {
		quoted[i] = quote(text)
	}
	return strings.Join(quoted, " ")
}

func quote(text string) string {
	plain := text != "" && text[0] != '"' && text[0] != '#' && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r)
	})
	if plain {
		return text
	}
	return strconv.Quote(text)
}

// Split undoes Join.
func Split(line string) ([]string, error) {
	var fields []string
	for rest := line; ; {
		if strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, errors.New("a quote is not closed")
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			fields = append(fields, text)
			if rest = rest[len(quoted):]; rest == "" {
				return fields, nil
			}
			if rest[0] != ' ' {
				return nil, errors.New("no space after a quote")
			}
			rest = rest[1:]
			continue
		}
		word, after, more := strings.Cut(rest, " ")
		if word == "" {
			return nil, errors.New("an empty field: fields are parted by one space")
		}
		fields = append(fields, word)
		if !more {
			return fields, nil
		}
		rest = after
	}
}
