package command

const findingsUsage = `fencevet finds distributed locks whose holders can overwrite each other.

Usage:

	fencevet [-C dir] [-level level] [flags] [packages]
	fencevet [-C dir] inventory [-format format] [flags] [packages]
	fencevet catalog [-C dir] [-library name] [-format format] [-check file [packages]]
	fencevet explain [check]
	fencevet version
	fencevet help [command]
	go vet -vettool=$(which fencevet) [packages]

Without a command it prints findings, one per line, with the places that explain
each below it. Packages are named as the go command does; the default is ./...

	-C dir        run in dir
	-level level  print findings of this level and above: note, warning (the
	              default) or error
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

	fencevet [-C dir] inventory [-format format] [flags] [packages]

	-C dir          run in dir
	-format format  text (the default) or json (fencevet.inventory/v1)
` + choicesUsage + `
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
