package command

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/passes/lock"
)

// The scripts ask the command itself what may follow, so that they need not
// change when it does. Where it has no answer the shell completes names of files.
var shells = map[string]string{
	"bash": `_fencevet() {
	local IFS=$'\n' word="${COMP_WORDS[COMP_CWORD]}"
	# Bash takes = for a word of its own: join -flag=value again.
	local line="${COMP_LINE:0:COMP_POINT}" words
	IFS=' ' read -r -a words <<< "$line"
	[[ $line == *' ' ]] && words+=("")
	COMPREPLY=($(fencevet __complete "${words[@]:1}" 2>/dev/null))
	local last="${words[-1]}"
	if [[ $last != "$word" ]]; then
		COMPREPLY=("${COMPREPLY[@]#"${last%"$word"}"}")
		COMPREPLY=("${COMPREPLY[@]#=}")
	fi
}
complete -o default -F _fencevet fencevet
`,
	"zsh": `#compdef fencevet
_fencevet() {
	local -a found
	found=("${(@f)$(fencevet __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ -n ${found[1]} ]]; then
		compadd -- $found
	else
		_files
	fi
}
compdef _fencevet fencevet
`,
	"fish": `complete -c fencevet -a '(fencevet __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

func runCompletion(_ context.Context, env *environment, args []string) error {
	f := newFlags("fencevet completion", completionUsage)
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	script, ok := shells[f.Arg(0)]
	if !ok || f.NArg() != 1 {
		return usageError("completion takes one shell: bash, zsh or fish")
	}
	_, err := fmt.Fprint(env.stdout, script)
	return err
}

// runComplete prints, a line each, what the last of the words may become.
func runComplete(_ context.Context, env *environment, words []string) error {
	for _, c := range candidates(words) {
		if _, err := fmt.Fprintln(env.stdout, c); err != nil {
			return err
		}
	}
	return nil
}

// values lists what a flag of a subcommand takes.
func values(subcommand, flag string) []string {
	if _, property, ok := strings.Cut(flag, "."); ok {
		flag = property // -unfenced.level
	}
	switch flag {
	case "level":
		return []string{string(lock.Note), string(lock.Warning), string(lock.Error)}
	case "color":
		return []string{"auto", "always", "never"}
	case "by":
		var names []string
		for _, d := range view.Dimensions {
			names = append(names, string(d))
		}
		return names
	case "format":
		formats := report.Inventory
		switch subcommand {
		case "":
			formats = report.Findings
		case "gate":
			formats = report.Gate
		case "catalog":
			return []string{"text", "json"}
		}
		var names []string
		for _, f := range formats {
			names = append(names, f.Name)
		}
		return names
	}
	return nil
}

// forTests is a flag that no user needs: the day that it is, as decisions end
// some day.
const forTests = "today"

// candidates completes the last word.
func candidates(words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	before, word := words[:len(words)-1], words[len(words)-1]
	subcommand, set, operands := "", described(), about("help")
	for i := 0; i < len(before); i++ {
		name := strings.TrimLeft(before[i], "-")
		switch f := set.Lookup(name); {
		case name == before[i]:
			if len(operands) == 0 || !isSubcommand(name) || subcommand != "" {
				operands = nil // a package, or what a subcommand is about
				break
			}
			subcommand, set, operands = name, described(name), about(name)
		case f != nil && !isBool(f):
			if i++; i == len(before) {
				return starting(word, "", values(subcommand, name))
			}
		}
	}
	if name, _, found := strings.Cut(word, "="); found {
		return starting(word, name+"=", values(subcommand, strings.TrimLeft(name, "-")))
	}
	if strings.HasPrefix(word, "-") {
		var names []string
		set.VisitAll(func(f *flag.Flag) {
			if f.Name != forTests {
				names = append(names, f.Name)
			}
		})
		return starting(word, "-", names)
	}
	return starting(word, "", operands)
}

// about lists what a subcommand takes, apart from packages and files.
func about(name string) []string {
	var list []string
	switch name {
	case "explain":
		for _, c := range analyzers.Checks() {
			list = append(list, c.Name)
		}
	case "help":
		for _, c := range subcommands {
			list = append(list, c.name)
		}
	case "completion":
		for shell := range shells {
			list = append(list, shell)
		}
	}
	return list
}

func starting(word, prefix string, list []string) []string {
	var some []string
	for _, name := range list {
		if strings.HasPrefix(prefix+name, word) {
			some = append(some, prefix+name)
		}
	}
	slices.Sort(some)
	return some
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// described returns the flags of a subcommand, or without one those of fencevet
// itself.
func described(subcommand ...string) *flag.FlagSet {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	env := &environment{describe: func(f *flag.FlagSet) { set = f }}
	if err := run(context.Background(), env, subcommand); err != nil {
		panic(err) // a subcommand that does not parse its flags first
	}
	return set
}
