package sqlread

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

type kind uint8

const (
	eof kind = iota
	word
	quoted // a quoted identifier: never a keyword
	str
	number
	param // a parameter of the driver
	verb  // a format verb or template action: an operand, a name, or a piece of SQL
	op
)

type token struct {
	kind     kind
	low      string // word, op: lower-case text; quoted: the bare name
	pos, end int
	ord      int    // param, verb: zero-based position, -1 if named
	name     string // param, verb: the name
	glued    bool   // nothing stands between this token and the one before
	pair     int    // index of the matching bracket, of "(" and ")" only
}

// lexer cuts a text into tokens. It is a scanner of our own because the
// reader needs source offsets, placeholders of every style beside format
// verbs, and no decision on a dialect: all quotes are identifiers or strings
// wherever the text leaves no doubt.
type lexer struct {
	text      string
	pos       int
	toks      []token
	backslash bool   // a backslash escapes in every string, as in MySQL
	dquotes   bool   // "x" is a string, as in MySQL
	flat      bool   // comments do not nest
	noDollar  bool   // $tag$ opens nothing
	noAction  bool   // {{ opens nothing: no }} follows
	unknown   string // what could not be cut
	marks     int    // question marks so far
	verbs     int    // format verbs so far
}

// lex decides the one thing about quoting that dialects disagree on, whether
// a backslash escapes a quote, by which reading leaves no string open.
func lex(text string) *lexer {
	mysql := strings.Contains(text, "`")
	run := func(backslash bool) *lexer {
		l := &lexer{text: text, backslash: backslash, dquotes: mysql}
		l.run()
		return l
	}
	if !strings.Contains(text, `\'`) && !strings.Contains(text, `\"`) && !strings.Contains(text, `\\`) {
		return run(mysql)
	}
	plain, escaped := run(false), run(true)
	switch {
	case mysql || plain.unknown != "" && escaped.unknown == "":
		return escaped
	case plain.unknown == "" && escaped.unknown == "" && len(plain.toks) != len(escaped.toks):
		plain.unknown = "a backslash before a quote reads differently in each dialect"
	}
	return plain
}

func (l *lexer) run() {
	for {
		before := l.pos
		if !l.space() {
			break
		}
		l.next(l.pos == before && before > 0)
	}
	end := len(l.text)
	l.toks = append(l.toks, token{kind: eof, pos: end, end: end, pair: -1})
	l.match()
}

// match pairs the parentheses, so that the reader can step over what it
// cannot follow.
func (l *lexer) match() {
	var open []int
	for i := range l.toks {
		t := &l.toks[i]
		t.pair = -1
		if t.kind != op {
			continue
		}
		switch t.low {
		case "(":
			open = append(open, i)
		case ")":
			if len(open) == 0 {
				l.fail("unbalanced parenthesis")
				continue
			}
			j := open[len(open)-1]
			open = open[:len(open)-1]
			t.pair, l.toks[j].pair = j, i
		}
	}
	if len(open) > 0 {
		l.fail("unbalanced parenthesis")
	}
}

func (l *lexer) fail(why string) {
	if l.unknown == "" {
		l.unknown = why
	}
}

// space steps over blanks and comments; false at the end of the text.
func (l *lexer) space() bool {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch c := rest[0]; {
		case c <= ' ':
			l.pos++
		case strings.HasPrefix(rest, "--"):
			l.line()
		case c == '#' && (len(rest) == 1 || !nameByte(rest[1]) && !strings.ContainsRune(">-=&|", rune(rest[1]))):
			l.line()
		case strings.HasPrefix(rest, "/*"):
			if strings.HasPrefix(rest, "/*!") {
				l.fail("a conditional comment holds code")
			}
			l.comment()
		default:
			if r, n := utf8.DecodeRuneInString(rest); r == '\u00a0' || r == '\ufeff' {
				l.pos += n
				continue
			}
			return true
		}
	}
	return false
}

func (l *lexer) line() {
	if n := strings.IndexByte(l.text[l.pos:], '\n'); n >= 0 {
		l.pos += n + 1
	} else {
		l.pos = len(l.text)
	}
}

// comment steps over a block comment, nested as PostgreSQL has it unless that
// leaves it open. The second reading is then kept, which bounds the work.
func (l *lexer) comment() {
	start := l.pos
	if !l.flat {
		depth := 0
		for i := start; i+1 < len(l.text); i++ {
			switch l.text[i : i+2] {
			case "/*":
				depth++
				i++
			case "*/":
				depth--
				i++
				if depth == 0 {
					l.pos = i + 1
					return
				}
			}
		}
		l.flat = true
	}
	if n := strings.Index(l.text[start+2:], "*/"); n >= 0 {
		l.pos = start + 2 + n + 2
		return
	}
	l.pos = len(l.text)
	l.fail("a comment is not closed")
}

func (l *lexer) next(glued bool) {
	start, rest := l.pos, l.text[l.pos:]
	c := rest[0]
	switch {
	case c == '\'':
		l.str(start, '\'', l.backslash, glued)
	case c == '"' && l.dquotes:
		l.str(start, '"', l.backslash, glued)
	case c == '"' || c == '`':
		l.ident(c, glued)
	case c == '[' && l.bracket(glued):
	case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && digit(rest[1]) && !(glued && l.afterOperand()):
		l.number()
		l.emit(token{kind: number, pos: start, glued: glued})
	case nameStart(c):
		l.word(glued)
	case c == '$':
		l.dollar(glued)
	case c == '?':
		l.mark(glued)
	case c == ':' || c == '@':
		l.named(glued)
	case strings.HasPrefix(rest, "{{"):
		l.action(glued)
	case c == '%' && l.verbLen(start) > 0:
		l.format(glued)
	default:
		l.operator(glued)
	}
}

func (l *lexer) emit(t token) {
	t.end = l.pos
	l.toks = append(l.toks, t)
}

func (l *lexer) afterOperand() bool {
	if len(l.toks) == 0 {
		return false
	}
	t := l.toks[len(l.toks)-1]
	return t.kind != op || t.low == ")" || t.low == "]"
}

// str reads a string from start (its prefix included) with the opening quote
// at l.pos. A string that consists of one format verb is that verb.
func (l *lexer) str(start int, quote byte, escapes, glued bool) {
	open := l.pos
	closed := false
	for l.pos++; l.pos < len(l.text); l.pos++ {
		switch c := l.text[l.pos]; {
		case c == '\\' && escapes:
			l.pos++
			continue
		case c != quote:
			continue
		}
		if l.pos+1 < len(l.text) && l.text[l.pos+1] == quote {
			l.pos++
			continue
		}
		closed = true
		l.pos++
		break
	}
	if l.pos > len(l.text) {
		l.pos = len(l.text)
	}
	if !closed {
		l.fail("a string is not closed")
		l.emit(token{kind: str, pos: start, glued: glued})
		return
	}
	if n, first := l.countVerbs(open+1, l.pos-1); n > 0 && l.verbLen(open+1) == l.pos-1-(open+1) {
		l.emit(token{kind: verb, pos: start, ord: first, name: l.text[open+1 : l.pos-1], glued: glued})
		return
	}
	l.emit(token{kind: str, pos: start, glued: glued})
}

// countVerbs numbers the format verbs inside a quoted piece, which take
// arguments too, and gives the position of the first.
func (l *lexer) countVerbs(from, to int) (n, first int) {
	for i := from; i < to; i++ {
		if l.text[i] != '%' {
			continue
		}
		if i+1 < to && l.text[i+1] == '%' {
			i++
			continue
		}
		if size := l.verbLen(i); size > 0 && i+size <= to {
			ord := l.argument(l.text[i : i+size])
			if n == 0 {
				first = ord
			}
			n++
			i += size - 1
		}
	}
	return n, first
}

// verbLen gives the length of the format verb at i, 0 if a percent sign there
// is something else: an operator, a pattern.
func (l *lexer) verbLen(i int) int {
	s := l.text[i:]
	if s == "" || s[0] != '%' {
		return 0
	}
	n := 1
	for n < len(s) && n < 12 && strings.IndexByte("+-#.*[]0123456789", s[n]) >= 0 {
		n++
	}
	if n >= len(s) || strings.IndexByte("sdvqxXTtfgcU", s[n]) < 0 {
		return 0
	}
	if n+1 < len(s) && (nameByte(s[n+1]) && s[n+1] != '_') {
		return 0
	}
	return n + 1
}

// argument gives the position of the argument that a verb takes.
func (l *lexer) argument(verb string) int {
	if i := strings.IndexByte(verb, '['); i >= 0 {
		if j := strings.IndexByte(verb, ']'); j > i {
			if k, err := strconv.Atoi(verb[i+1 : j]); err == nil && k > 0 {
				l.verbs = k - 1
			}
		}
	}
	l.verbs += strings.Count(verb, "*")
	l.verbs++
	return l.verbs - 1
}

func (l *lexer) format(glued bool) {
	start := l.pos
	l.pos += l.verbLen(start)
	text := l.text[start:l.pos]
	l.dynamic(token{kind: verb, pos: start, ord: l.argument(text), name: text, glued: glued})
}

func (l *lexer) action(glued bool) {
	start := l.pos
	n := -1
	if !l.noAction {
		n = strings.Index(l.text[start:], "}}")
	}
	if n < 0 {
		l.noAction = true
		l.pos += 2
		l.fail("a template action is not closed")
		l.emit(token{kind: op, low: "{{", pos: start, glued: glued})
		return
	}
	l.pos += n + 2
	name := strings.TrimSpace(strings.Trim(l.text[start+2:l.pos-2], "-"))
	l.dynamic(token{kind: verb, pos: start, ord: -1, name: name, glued: glued})
}

// dynamic joins a verb with the name it completes: tbl_%s, {{.Schema}}.doc.
func (l *lexer) dynamic(t token) {
	after := l.pos < len(l.text) && nameByte(l.text[l.pos])
	if n := len(l.toks); t.glued && n > 0 && l.toks[n-1].kind == word {
		l.pos = l.nameEnd(l.pos)
		w := &l.toks[n-1]
		w.kind, w.end = quoted, l.pos
		w.low = strings.ToLower(l.text[w.pos:l.pos])
		return
	}
	if after {
		l.pos = l.nameEnd(l.pos)
		l.emit(token{kind: quoted, low: strings.ToLower(l.text[t.pos:l.pos]), pos: t.pos, glued: t.glued})
		return
	}
	l.emit(t)
}

func (l *lexer) ident(quote byte, glued bool) {
	start := l.pos
	var name strings.Builder
	for l.pos++; l.pos < len(l.text); l.pos++ {
		c := l.text[l.pos]
		if c == quote {
			if l.pos+1 < len(l.text) && l.text[l.pos+1] == quote {
				l.pos++
			} else {
				l.pos++
				l.countVerbs(start+1, l.pos-1)
				l.emit(token{kind: quoted, low: strings.ToLower(name.String()), pos: start, glued: glued})
				return
			}
		}
		name.WriteByte(c)
	}
	l.fail("a quoted name is not closed")
	l.emit(token{kind: quoted, low: strings.ToLower(name.String()), pos: start, glued: glued})
}

// bracket reads [name], which elsewhere is a subscript or an array.
func (l *lexer) bracket(glued bool) bool {
	if glued && l.afterOperand() || len(l.toks) > 0 && l.toks[len(l.toks)-1].low == "array" {
		return false
	}
	s := l.text[l.pos+1:]
	if len(s) > 128 {
		s = s[:128]
	}
	n := strings.IndexByte(s, ']')
	if n <= 0 || !nameStart(s[0]) && s[0] != '%' && s[0] != '{' || strings.ContainsAny(s[:n], "(),'\n") {
		return false
	}
	start := l.pos
	l.pos += n + 2
	l.countVerbs(start+1, l.pos-1)
	l.emit(token{kind: quoted, low: strings.ToLower(s[:n]), pos: start, glued: glued})
	return true
}

func (l *lexer) number() {
	hex := strings.HasPrefix(l.text[l.pos:], "0x") || strings.HasPrefix(l.text[l.pos:], "0X")
	for ; l.pos < len(l.text); l.pos++ {
		c := l.text[l.pos]
		sign := (c == '+' || c == '-') && !hex && l.text[l.pos-1]|0x20 == 'e'
		if !digit(c) && c != '.' && !nameByte(c) && !(l.pos > 0 && sign) {
			return
		}
	}
}

func (l *lexer) word(glued bool) {
	start := l.pos
	l.pos = l.nameEnd(start + 1)
	text := l.text[start:l.pos]
	if l.pos < len(l.text) && l.text[l.pos] == '\'' {
		switch text {
		case "e", "E":
			l.str(start, '\'', true, glued)
			return
		case "n", "N", "b", "B", "x", "X":
			l.str(start, '\'', l.backslash, glued)
			return
		}
	}
	l.emit(token{kind: word, low: strings.ToLower(text), pos: start, glued: glued})
}

func (l *lexer) nameEnd(i int) int {
	for i < len(l.text) && nameByte(l.text[i]) {
		i++
	}
	return i
}

// dollar reads $1, $name and $tag$ ... $tag$.
func (l *lexer) dollar(glued bool) {
	start := l.pos
	end := start + 1
	for end < len(l.text) && nameByte(l.text[end]) && l.text[end] != '$' {
		end++
	}
	name := l.text[start+1 : end]
	if end < len(l.text) && l.text[end] == '$' && (name == "" || !digit(name[0])) && !l.noDollar {
		tag := l.text[start : end+1]
		if n := strings.Index(l.text[end+1:], tag); n >= 0 {
			l.pos = end + 1 + n + len(tag)
			l.emit(token{kind: str, low: "$", pos: start, glued: glued})
			return
		}
		l.noDollar = true
		l.fail("a dollar-quoted string is not closed")
	}
	l.pos = end
	if name == "" {
		l.emit(token{kind: op, low: "$", pos: start, glued: glued})
		return
	}
	l.param(start, name, glued)
}

// param emits a parameter whose name may be its number.
func (l *lexer) param(start int, name string, glued bool) {
	t := token{kind: param, pos: start, ord: -1, name: name, glued: glued}
	if n, err := strconv.Atoi(name); err == nil && n < 1<<20 {
		t.ord, t.name = max(n-1, 0), ""
	} else if len(name) > 1 && (name[0] == 'p' || name[0] == 'P') && l.text[start] == '@' {
		if n, err := strconv.Atoi(name[1:]); err == nil && n > 0 && n < 1<<20 {
			t.ord = n - 1
		}
	}
	l.emit(t)
}

func (l *lexer) mark(glued bool) {
	start := l.pos
	l.pos++
	if l.pos < len(l.text) && (l.text[l.pos] == '|' || l.text[l.pos] == '&') && (l.pos+1 >= len(l.text) || l.text[l.pos+1] != l.text[l.pos]) {
		l.pos++
		l.emit(token{kind: op, low: l.text[start:l.pos], pos: start, glued: glued})
		return
	}
	if end := l.nameEnd(l.pos); end > l.pos && digit(l.text[l.pos]) {
		l.pos = end
		l.param(start, l.text[start+1:end], glued)
		return
	}
	l.emit(token{kind: param, pos: start, ord: l.marks, glued: glued})
	l.marks++
}

// named reads :name, :1, @name and the operators that begin like them.
func (l *lexer) named(glued bool) {
	start, c := l.pos, l.text[l.pos]
	next := byte(0)
	if start+1 < len(l.text) {
		next = l.text[start+1]
	}
	switch {
	case nameByte(next) && !(glued && l.afterOperand() && digit(next)):
		l.pos = l.nameEnd(start + 1)
		l.param(start, l.text[start+1:l.pos], glued)
	case c == '@' && next == '@':
		l.pos = l.nameEnd(start + 2)
		l.emit(token{kind: quoted, low: strings.ToLower(l.text[start:l.pos]), pos: start, glued: glued})
	default:
		l.operator(glued)
	}
}

// operators of more than one byte, longest first.
var operators = []string{
	"<=>", "->>", "#>>", "!~*", "!~~", "::", ":=", "<=", ">=", "<>", "!=", "==", "||", "&&", "->", "#>", "#-",
	"@>", "<@", "@@", "@?", "<<", ">>", "~*", "!~", "~~", "=>", "!<", "!>", "+=", "-=", "*=", "/=", "||/", "|/",
}

func (l *lexer) operator(glued bool) {
	start := l.pos
	for _, o := range operators {
		if strings.HasPrefix(l.text[start:], o) {
			l.pos += len(o)
			l.emit(token{kind: op, low: o, pos: start, glued: glued})
			return
		}
	}
	_, n := utf8.DecodeRuneInString(l.text[start:])
	l.pos += n
	l.emit(token{kind: op, low: l.text[start:l.pos], pos: start, glued: glued})
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func nameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf || c == '#'
}

func nameByte(c byte) bool { return nameStart(c) && c != '#' || digit(c) || c == '$' }
