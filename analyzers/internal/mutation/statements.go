package mutation

import (
	"go/ast"
	"regexp"
	"strings"
)

// statement breaks the condition that the text of an SQL statement or of a Lua
// script holds.
func (b *breaker) statement(lit *ast.BasicLit) {
	if strings.Contains(lit.Value, "redis.call") {
		b.script(lit)
		return
	}
	start, text := b.offset(lit.Pos())+1, lit.Value[1:len(lit.Value)-1]
	at := func(kind string, from, to int, with string) { b.addBytes(kind, start+from, start+to, with) }
	for _, c := range b.comparisons(text) {
		switch {
		case c.sets:
			at("do not store the token", c.column[0], c.column[1], "spare")
		default:
			at("reverse the comparison", c.op[0], c.op[1], turned[text[c.op[0]:c.op[1]]])
			if strings.Contains(text[c.value[0]:c.value[1]], "?") {
				at("delete the condition", c.column[0], c.column[1], "0") // the argument needs its place
				continue
			}
			from, with := c.all[0], "1 = 1"
			if and := regexp.MustCompile(`(?i)\s+AND\s+$`).FindStringIndex(text[:from]); and != nil {
				from, with = and[0], strings.Repeat("\n", strings.Count(text[and[0]:from], "\n"))
			}
			at("delete the condition", from, c.all[1], with)
		}
	}
}

var turned = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "<>"}

// A span is a part of a text.
type span [2]int

// A comparison of a column with a parameter, or the assignment of one.
type comparison struct {
	all, column, op, value span
	sets                   bool
}

// comparisons finds the comparisons and assignments of b's columns.
func (b *breaker) comparisons(text string) []comparison {
	column := `((?:COALESCE\()?(?:\b[a-z]+\.)?"?\b` + b.columns + `\b"?(?:, 0\))?)`
	value := `([$@:][a-z0-9]+|\?|EXCLUDED\.\w+|nextval\([^)]*\)|token \+ 1|GREATEST\([^)]*\))(?:::\w+)?`
	op := `\s*(<=|>=|<|>|=)\s*`
	var out []comparison
	for _, m := range regexp.MustCompile(`(?i)`+column+op+value).FindAllStringSubmatchIndex(text, -1) {
		if commented(text[:m[0]]) {
			continue
		}
		c := comparison{all: span{m[0], m[1]}, column: span{m[2], m[3]}, op: span{m[4], m[5]}, value: span{m[6], m[7]}}
		c.sets = text[c.op[0]:c.op[1]] == "=" && assigned(text[:m[0]])
		out = append(out, c)
	}
	for _, m := range regexp.MustCompile(`(?i)`+value+op+column).FindAllStringSubmatchIndex(text, -1) {
		if text[m[4]:m[5]] != "=" && !commented(text[:m[0]]) {
			out = append(out, comparison{all: span{m[0], m[1]}, value: span{m[2], m[3]}, op: span{m[4], m[5]}, column: span{m[6], m[7]}})
		}
	}
	return out
}

// assigned reports whether what follows before stands in a SET.
func assigned(before string) bool {
	words := regexp.MustCompile(`(?i)\b(SET|WHERE)\b`).FindAllString(before, -1)
	return len(words) > 0 && strings.EqualFold(words[len(words)-1], "SET")
}

// commented reports whether what follows before stands in a comment.
func commented(before string) bool {
	return strings.Contains(before[strings.LastIndexByte(before, '\n')+1:], "-- ")
}

// column renames the column that an element of a map sets.
func (b *breaker) column(n *ast.KeyValueExpr) {
	lit, ok := n.Key.(*ast.BasicLit)
	if ok && regexp.MustCompile("^[\"`]"+b.columns+"[\"`]$").MatchString(lit.Value) {
		b.add("do not store the token", lit, `"spare"`)
	}
}

var (
	luaOrder  = regexp.MustCompile(`\s(<=|>=|<|>|==)\s`)
	luaBranch = regexp.MustCompile(`if ([^\n]*(?:<|>|==)[^\n]*) then\n([^\n]*)`)
	luaStore  = regexp.MustCompile(`"(token)", |"MSET", KEYS\[1\], ARGV\[1\](, KEYS\[2\], ARGV\[2\])`)
	luaCount  = regexp.MustCompile(`redis\.call\("INCR", [^)]*\)`)
)

// script breaks a Lua script.
func (b *breaker) script(lit *ast.BasicLit) {
	text, start := lit.Value, b.offset(lit.Pos())
	at := func(kind string, from, to int, with string) { b.addBytes(kind, start+from, start+to, with) }
	for _, m := range luaOrder.FindAllStringSubmatchIndex(text, -1) {
		op := text[m[2]:m[3]]
		with := turned[op]
		if op == "==" {
			with = "~="
		}
		at("reverse the comparison", m[2], m[3], with)
	}
	for _, m := range luaBranch.FindAllStringSubmatchIndex(text, -1) {
		passes := "true"
		if strings.Contains(text[m[4]:m[5]], "return") {
			passes = "false"
		}
		at("delete the condition", m[2], m[3], passes)
	}
	for _, m := range luaStore.FindAllStringSubmatchIndex(text, -1) {
		switch {
		case m[4] >= 0:
			at("do not store the token", m[4], m[5], "")
		case !strings.Contains(text[max(0, m[0]-30):m[0]], "HGET"):
			at("do not store the token", m[2], m[3], "spare")
		}
	}
	for _, m := range luaCount.FindAllStringIndex(text, -1) {
		at("drop the token", m[0], m[1], "1")
	}
}
