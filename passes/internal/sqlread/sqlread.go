// Package sqlread reads what a single SQL text does to data, and on what
// condition the database itself accepts the write.
//
// It follows no particular dialect: one tolerant reader takes PostgreSQL,
// MySQL, SQLite, SQL Server and Oracle text with every placeholder style, and
// also the format verbs and template actions of texts that are assembled in
// Go. It never panics and needs time linear in the text.
//
// What it cannot follow it says in an Unknown field. A write with no Guards and
// no Unknown really has no condition; a write with Unknown may have one.
package sqlread

// Statement is one statement of a text.
type Statement struct {
	Verb       string  // SELECT INSERT UPDATE DELETE MERGE REPLACE TRUNCATE DDL CALL BEGIN COMMIT ROLLBACK SET LOCK OTHER; of WITH ... the main statement's
	Writes     []Write // every data change, also those in CTEs, in text order
	Tables     []string
	Functions  []Call // calls anywhere in the statement; names lower-case, without schema
	Select     []Expr // select list of the main SELECT, without aliases
	Where      []Guard
	ForUpdate  bool     // nobody changes the rows until the transaction ends: FOR UPDATE, FOR SHARE
	Locked     []string // where ForUpdate is about some of the tables only: which
	SkipLocked bool
	Returning  []Expr
	Params     int    // distinct parameters of the driver (? $1 :name @p1 {{name}})
	Verbs      int    // format verbs (%s %d %v): arguments of Sprintf, not of the driver
	Unknown    string // why the statement could not be followed; "" if it was
}

// Write is one data change.
type Write struct {
	Op       string   // INSERT UPDATE DELETE MERGE UPSERT REPLACE TRUNCATE DDL
	Table    string   // lower-case, unquoted, schema kept
	Set      []Assign // what an update assigns, also the update of an UPSERT or MERGE
	Insert   []Assign // what an insert stores
	Guards   []Guard  // must all hold for the write to change a row that is already there
	Conflict string   // "", "nothing" or "update": what happens when the row is already there
	Unique   []string // the names in the key by which a row is there already, where that is told
	Missing  bool     // creates only what is not there
	Columns  []Column // of a DDL: what it says of the table's columns
	Unknown  string   // why the condition could not be followed
}

// Guard is one conjunct of a condition, turned so that a stored column, if
// there is one, stands on the left.
type Guard struct {
	Column string  // lower-case, without qualifier; "" if no plain column is compared
	Table  string  // the table the column belongs to; "" if the text leaves that open
	Op     string  // < <= > >= = <> "is null" "is not null" in exists like or and other
	Value  Expr    // right side; the whole expression if Column is ""
	NullOK bool    // an absent stored value passes too
	AsText bool    // ordered as text, by a cast
	Or     []Guard // Op "or": the alternatives
	And    []Guard // Op "and" (only inside Or): the conjuncts; Op "exists" or "in": those of the sub-select
	Not    bool    // negated, where the negation could not be pushed into Op
	From   *Write  // the CTE's write this guard was taken from; nil for a write's own
	Text   string  // source text of the conjunct
}

// Expr is a value expression. Casts and parentheses are gone.
type Expr struct {
	Kind     string // param column literal call binary other
	Param    int    // zero-based argument position (? and verbs count apart; $N is N-1); -1 for a named parameter
	Name     string // parameter's name or verb, column, function or operator
	Args     []Expr // operands of call and binary
	Text     string
	Incoming bool // the incoming value of column Name (EXCLUDED.c, VALUES(c), source of a MERGE); Args[0] is the inserted expression if known

	qualifier string // of a column, as written
	query     *query // of a sub-select
	text      bool   // cast to text
}

// Assign is one assignment; Column is "" if the text names none.
type Assign struct {
	Column  string
	Value   Expr
	Greater bool // the column keeps its own value where that is the greater one

	qualifier string
}

// Call is a function call.
type Call struct {
	Name string
	Args []Expr
}
