package luaread

import (
	"os"
	"strings"
	"testing"
)

// TestScripts reads testdata/scripts.txt: blocks of a script, a line "=> its
// effects", then its fences and what it is for, if anything.
func TestScripts(t *testing.T) {
	n := 0
	for _, block := range blocks(t) {
		text, want, ok := strings.Cut(block, "\n=> ")
		if !ok {
			t.Errorf("no result in block %q", block)
			continue
		}
		n++
		s := Read(text)
		got := show(s)
		if f := showFences(s); f != "" {
			got += "\nfences " + f
		}
		if k := showKind(s); k != "" {
			got += "\nis " + k
		}
		if got != want {
			t.Errorf("%s\n got  %s\n want %s", text, got, want)
		}
	}
	if n < 60 {
		t.Errorf("only %d scripts", n)
	}
}

func blocks(t testing.TB) []string {
	data, err := os.ReadFile("testdata/scripts.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n\n")
}

// TestMutations bends every fence: what Read makes of it must change.
func TestMutations(t *testing.T) {
	const fence = `local cur = redis.call('GET', KEYS[1])
if cur and tonumber(cur) >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2], ARGV[2])`
	for _, m := range [][2]string{
		{">=", "<="}, {">=", ">"}, {"ARGV[1]) then", "ARGV[2]) then"}, {"return 0", ""}, {"cur and ", ""}, {"'SET', KEYS[1], ARGV[1]", "'SET', KEYS[1], ARGV[2]"},
		{"'SET', KEYS[1]", "'SET', KEYS[3]"}, {"tonumber(cur)", "cur"}, {"'GET', KEYS[1]", "'GET', KEYS[2]"}, {"cur and", "ARGV[3] and"},
	} {
		bent := strings.Replace(fence, m[0], m[1], 1)
		if a, b := showFences(Read(fence)), showFences(Read(bent)); a == b {
			t.Errorf("%q for %q leaves %s", m[1], m[0], a)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, piece := range []string{
		"(", "not ", "- ", "a..", "a or ", "a and ", "f(", "{", "a.", "[[", "--[[", "if a then ", "if a then else", "while a do ", "function f() ",
		"local a = a == a ", "local a = a .. a ", "local a = a and a ", "if a == b then return end ", "if redis.call('GET', a) == b then c = 1 end ",
		"redis.call('SET', a, b) ", "for i = 1, 2 do ", "repeat ", "::a:: ", "local function f() f() f() end ", "a[", "'", "\\", "return ",
		"local x = x or not x ", "local a = redis.call('GET', a) == a ", "local a = {a, a} ", "if a then b = 1 else b = 2 end if b == 1 then return end ",
	} {
		for _, end := range []string{"", "1 ", "redis.call('SET', a, a)"} {
			check(t, strings.Repeat(piece, 20000/len(piece))+end)
		}
	}
	if s := Read(strings.Repeat(" ", maxText+1)); s.Unknown == "" {
		t.Error("a text beyond the bound is not Unknown")
	}
}

// check reads a script and asks all there is to ask.
func check(t *testing.T, text string) {
	t.Helper()
	s := Read(text)
	s.Fences()
	s.CompareAndDelete()
	s.CompareAndExpire()
	s.Acquires()
	for _, e := range s.Effects {
		if e.Cmd != strings.ToUpper(e.Cmd) {
			t.Errorf("command %q", e.Cmd)
		}
		for _, g := range e.Guards {
			if g.Op == "" {
				t.Errorf("a guard without operator: %q", text)
			}
		}
	}
}

// TestPrefixes cuts every script off everywhere: nothing may panic.
func TestPrefixes(t *testing.T) {
	for _, block := range blocks(t) {
		text, _, _ := strings.Cut(block, "\n=> ")
		for i := range text {
			check(t, text[:i])
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, block := range blocks(f) {
		text, _, _ := strings.Cut(block, "\n=> ")
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, text) })
}

// TestCounts tells scripts that answer with a number, whichever way they take.
func TestCounts(t *testing.T) {
	for text, want := range map[string]bool{
		`if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then return 1 else return 0 end`:    true,
		`local n = -1 if KEYS[1] == ARGV[1] then return 2 end return n`:                    true,
		`if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then return 1 end`:                  false, // or nothing
		`if KEYS[1] == ARGV[1] then return end return 0`:                                   false,
		`if KEYS[1] == ARGV[1] then return false end return 1`:                             false, // false is no reply
		`if KEYS[1] == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], 9) end return 0`: true,
		`return redis.call('SET', KEYS[1], ARGV[1], 'NX')`:                                 false,
		`return 'OK'`: false,
		`local function f() return 'a' end f() return 1`: true,
	} {
		if got := Read(text).Counts; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
