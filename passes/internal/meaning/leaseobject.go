package meaning

import (
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// The Lease objects of Kubernetes, which programs also take by hand. What they say is in
// their field Spec, of type LeaseSpec.
const (
	Spec           = "Spec"
	LeaseSpec      = "k8s.io/api/coordination/v1.LeaseSpec"
	HolderIdentity = "HolderIdentity"
)

// leaseObject reads the write of a Lease, which nobody else changed since it was read or
// created. One that names a holder takes it, if the program asks for the holder first:
// nodes tell by theirs that they live.
//
// A Lease without a duration in view may have one all the same: it is that of the object
// as it was read.
func (r *Reader) leaseObject(w Meaning) (Meaning, bool) {
	args := Args(w.Write.Call)
	if guard := condition(w.Write); len(args) < 2 || guard == nil || guard.Op != "version" && guard.Op != "absent" {
		return Meaning{}, false
	}
	set := r.leaseSpec(args[1])
	holder, renewed := set[HolderIdentity], set["RenewTime"]
	m := Meaning{Library: w.Library, Family: w.Family, Key: r.objectName(args[1]), Record: LeaseSpec, Checked: true}
	switch {
	case holder == nil && renewed != nil && w.Write.Operation == "Update":
		m.Role = Renew
		return m, true
	case holder == nil:
		return Meaning{}, false
	case holder.IsZero() || constText(holder) == "" && holder.Kind == term.Const:
		m.Role, m.Raw = Release, true
		return m, true
	}
	m.Role, m.Kind, m.Try, m.Checked = Acquire, lock.Lease, true, false
	m.Value, m.Held = holder, HolderIdentity
	m.TTL = lock.TTL{Source: "unknown"}
	m.Evidence = []string{"a Lease names its holder, who is asked for first", "written on a condition"}
	return m, true
}

// leaseSpec is what is set in the spec of a Lease, by the names of its fields. Where the
// object was read these alone tell that it is one.
func (r *Reader) leaseSpec(object *term.T) map[string]*term.T {
	set := make(map[string]*term.T)
	spec := r.Pool.Field(object, Spec)
	for {
		inner, name, value, ok := spec.Changed()
		if !ok {
			break
		}
		if set[name] == nil { // what was set last
			set[name] = value
		}
		spec = inner
	}
	if spec.Kind == term.Struct {
		if spec.Type != LeaseSpec {
			return nil
		}
		for i, name := range spec.Names {
			if set[name] == nil {
				set[name] = spec.Args[i]
			}
		}
	}
	return set
}

// objectName is the name of an object of Kubernetes: that by which it was read, or the one
// that it is given.
func (r *Reader) objectName(object *term.T) *term.T {
	for {
		x, _, _, ok := object.Changed()
		if !ok {
			break
		}
		object = x
	}
	read := object
	if read.Kind == term.Out {
		read = read.Args[0]
	}
	if args := Args(read); read.Kind == term.Call && methodName(read.Name) == "Get" && len(args) > 1 {
		return args[1]
	}
	if meta := r.Pool.Field(object, "ObjectMeta"); meta.Kind == term.Struct {
		return r.Pool.Field(meta, "Name")
	}
	return r.Pool.Field(object, "Name")
}
