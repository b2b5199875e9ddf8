package command

const findingsUsage = `fencevet finds distributed locks whose holders can overwrite each other.

Usage:

	fencevet [-C dir] [-level level] [-tests] [-also pattern] [packages]
	fencevet [-C dir] inventory [-format format] [-tests] [-also pattern] [packages]
	fencevet explain [check]
	fencevet version
	fencevet help [command]
	go vet -vettool=$(which fencevet) [packages]

Without a command it prints findings, one per line, with the places that explain
each below it. Packages are named as the go command does; the default is ./...

	-C dir        run in dir
	-level level  print findings of this level and above: note, warning (the
	              default) or error
	-tests        read test files too
	-also pattern read these packages of required modules from source too, as is
	              done for those that wrap a lock library; can be given repeatedly

Exit status: 0 no findings, 1 nothing could be analysed, 2 wrong usage,
3 findings.
`

const inventoryUsage = `fencevet inventory lists every distributed lock with what it protects and whether
the resource would refuse a stale holder.

Usage:

	fencevet [-C dir] inventory [-format format] [-tests] [-also pattern] [packages]

	-C dir          run in dir
	-format format  text (the default) or json (fencevet.inventory/v1)
	-tests          read test files too
	-also pattern   read these packages of required modules from source too; can be
	                given repeatedly

Verdicts:

	fenced            the resource refuses every write of a holder that lost its lock
	unfenced          it accepts at least one
	unverified        something is out of sight; the reason is given
	no-visible-write  the section changes nothing that fencevet knows of

The table is as wide as the terminal, or as COLUMNS says. NO_COLOR turns colours
off.

Exit status: 0 the inventory was made, 1 nothing could be analysed, 2 wrong usage.
`

const explainUsage = `fencevet explain prints the manual of a check, or the list of checks.

Usage:

	fencevet explain [check]
`

const versionUsage = `fencevet version prints the version of fencevet and of Go that it was built with.

Usage:

	fencevet version
`

const helpUsage = `fencevet help prints how a command is used.

Usage:

	fencevet help [command]
`
