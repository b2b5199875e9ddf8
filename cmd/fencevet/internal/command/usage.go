package command

const findingsUsage = `fencevet finds distributed locks whose holders can overwrite each other.

Usage:

	fencevet [flags] [packages]
	fencevet inventory [flags] [packages]
	fencevet convert FILE [flags]
	fencevet audit [flags] [packages]
	fencevet gate -baseline FILE | -base REVISION [flags] [packages]
	fencevet explain [CHECK | LOCK] [flags] [packages]
	fencevet catalog [flags]
	fencevet catalog -check FILE [packages]
	fencevet completion bash|zsh|fish
	fencevet version
	fencevet help [command]
	go vet -vettool=$(which fencevet) [packages]

Without a command it prints findings, one per line, with the places that explain
each below it. Packages are named as the go command does; the default is ./...

	-C dir           run in dir
	-level level     print findings of this level and above: note, warning (the
	                 default) or error
	-format formats  text (the default), json, sarif, github (annotations of a
	                 workflow) or gitlab (code quality); several with commas between,
	                 each into a file: text,sarif=findings.sarif
	-color when      auto (the default), always or never
` + choicesUsage + `
Exit status: 0 no findings, 1 nothing could be analysed, 2 wrong usage,
3 findings.
`

// choicesUsage is about the flags that every analysis has.
const choicesUsage = `
Flags that say what .fencevet.yaml would, which is looked for from the directory up
to the root of the module:

	-config file     read this file instead; none: read none
	-CHECK=false     switch a check off; -CHECK runs it alone, with others that are
	                 named so
	-CHECK.level level
	                 as -level, for one check
	-exclude path=reason
	                 findings in these files do not count, such as
	                 internal/legacy/**=replaced; with unfenced,units:path=reason
	                 those of some checks; can be given repeatedly
	-model file      a model file: what functions mean; can be given repeatedly
	-also pattern    read these packages of required modules from source too, as is
	                 done for those that wrap a lock library; can be given repeatedly
	-tests           read test files too

	-cache dir       keep results of one run for the next in dir, or nowhere (off); the
	                 default is FENCEVETCACHE, or else the user's cache directory
`

const inventoryUsage = `fencevet inventory lists every distributed lock with what it protects and whether
the resource would refuse a stale holder.

Usage:

	fencevet inventory [flags] [packages]

	-C dir           run in dir
	-format formats  one or more of the formats below, with commas between; one goes
	                 to the standard output, others to files:
	                 text,html=locks.html,json=locks.json
	-source          put the lines of source that the report names into the JSON; on
	                 where html is among the formats
	-by what         count by class, library, package or owner (of CODEOWNERS) too,
	                 or by several with commas between
	-compare file    tell what changed since this JSON was saved
	-color when      auto (the default), always or never
` + choicesUsage + `
Formats:

	text      for a terminal (the default)
	markdown  for a comment on a pull request, or a wiki
	json      for programs, and for fencevet convert (fencevet.inventory/v1)
	csv       for a spreadsheet, a row for each lock
	sarif     findings, for code scanning
	html      for a browser: one page, with the story of each lock
	github    findings, as annotations of a GitHub workflow
	gitlab    findings, as a GitLab report of code quality

Verdicts:

	fenced            the resource refuses every write of a holder that lost its lock
	unfenced          it accepts at least one
	unverified        something is out of sight; the reason is given
	no-visible-write  the section changes nothing that fencevet knows of

The table is as wide as the terminal, or as COLUMNS says. NO_COLOR turns colours
off.

Exit status: 0 the inventory was made, 1 nothing could be analysed, 2 wrong usage.
`

const catalogUsage = `fencevet catalog prints what fencevet knows about libraries, its own models and
those of .fencevet.yaml, or checks a model file.

Usage:

	fencevet catalog [-C dir] [-config file] [-model file] [-library name] [-format format]
	fencevet catalog [-C dir] -check file [packages]

	-C dir          run in dir
	-config file    read this file instead of .fencevet.yaml; none: read none
	-model file     with this model file; can be given repeatedly
	-library name   only libraries whose name or import path has this text
	-format format  text (the default) or json
	-check file     hold a model file, or the models of a configuration file, against
	                what the packages (./... by default) import: names that are not
	                there, arguments and fields that do not exist, entries that
	                exclude each other

Exit status: 0 all is well, 1 packages could not be loaded, 2 wrong usage or a file
that cannot be read, 3 the file does not fit the packages.
`

const convertUsage = `fencevet convert reports a saved inventory in other formats, as fencevet inventory
would have.

Usage:

	fencevet convert FILE [flags]

FILE is what fencevet inventory -format=json=FILE has written; with -source it
has the lines of source that the formats html and sarif show.

	-C dir           run in dir
	-format formats  as in fencevet inventory
	-by what         likewise
	-compare file    likewise
	-color when      likewise

Exit status: 0 the report was made, 1 the file could not be read, 2 wrong usage.
`

const auditUsage = `fencevet audit walks you through the locks that nobody has decided on, the most
dangerous first: it shows what is known of each, asks what only people know, and
writes the answer into the source, as //fencevet:efficiency or correctness, or into
a file of notes. It can be left at any time, with q, and goes on where it was left.
Nothing is written to the source unless its diff was shown and agreed to.

Usage:

	fencevet audit [flags] [packages]

	-dry-run       show what would be written, and write nothing
	-notes file    notes of what is to be done; default: fencevet.audit beside go.mod
	-summary file  write the summary, which the audit ends with, to the file too
	-again         ask about locks with notes too
	-color when    auto (the default), always or never
	-C dir         run in dir
` + choicesUsage + `
The summary is Markdown, for a ticket.

Exit status: 0 the audit ended or was left, 1 nothing could be analysed, 2 wrong
usage or notes that cannot be read.
`

const gateUsage = `fencevet gate compares the locks with what they were, and fails if that was better:
on a new lock that is unfenced and undecided, on a lock that was fenced and no
longer is, on new findings, and on decisions that have expired. Code that was
moved or renamed is no change.

Usage:

	fencevet gate -write-baseline file [flags] [packages]
	fencevet gate -baseline file [flags] [packages]
	fencevet gate -base revision [flags] [packages]

	-write-baseline file  write what there is to the file, and accept it
	-baseline file        compare with the file; without packages, those that it
	                      was written for
	-base revision        compare with where the branch has left the revision
	                      (origin/main), which is analysed beside your files
	-format formats       text (the default), markdown (a comment for a pull request)
	                      or github (annotations of a workflow); several with commas
	                      between, each into a file: github,markdown=comment.md
	-level level          new findings below this level do not fail: note, warning
	                      (the default) or error
	-color when           auto (the default), always or never
	-C dir                run in dir
` + choicesUsage + `
Exit status: 0 no regression, 1 something could not be analysed, 2 wrong usage or
a baseline that cannot be read, 3 regressions.
`

const explainUsage = `fencevet explain prints the manual of a check, or all that is known of one lock.
Without either it lists the checks.

Usage:

	fencevet explain [CHECK]
	fencevet explain LOCK [flags] [packages]

LOCK is an id from the inventory, or the beginning of one; or FILE:LINE, where
the lock is taken or a write is made under it.

	-C dir       run in dir
	-from file   look into this saved inventory instead of analysing packages
	-color when  auto (the default), always or never
` + choicesUsage + `
Exit status: 0 it was told, 1 nothing could be analysed, 2 there is no such
check, or not just one such lock.
`

const completionUsage = `fencevet completion prints a script with which a shell completes commands, flags,
their values and the names of checks.

Usage:

	fencevet completion bash|zsh|fish

To have it in every session:

	bash  fencevet completion bash > ~/.local/share/bash-completion/completions/fencevet
	zsh   fencevet completion zsh > "${fpath[1]}/_fencevet"
	fish  fencevet completion fish > ~/.config/fish/completions/fencevet.fish

Exit status: 0 it was printed, 2 there is no such shell.
`

const versionUsage = `fencevet version prints the version of fencevet and of Go that it was built with.

Usage:

	fencevet version

Exit status: 0 it was printed, 2 wrong usage.
`

const helpUsage = `fencevet help prints how a command is used.

Usage:

	fencevet help [command]

Exit status: 0 it was printed, 2 there is no such command.
`
