package term

import "testing"

func TestPlace(t *testing.T) {
	p := NewPool()
	str := func(s string) *T { return p.Const("string", s) }
	param := func(name string) *T { return p.Param(name, 0, name) }
	decoded := p.Call("(*encoding/json.Decoder).Decode", "f.go:1:2", param("d"))
	made := p.Call("make", "f.go:1:2")
	for _, test := range []struct {
		of   *T
		want string
	}{
		{nil, ""},
		{p.Unknown("limit"), ""},
		{str("orders"), "orders"},
		{p.Op("+", str("order:"), param("id")), "order:%s"},
		{p.Op("format", str("order:%d"), param("id")), "order:%d"},
		{param("bucket"), "bucket"},
		{p.Global("example.org/shop.Bucket"), "Bucket"},
		{p.Field(p.Field(param("s"), "conf"), "bucket"), "s.conf.bucket"},
		{p.Field(p.Field(p.Out(decoded, 0), "Task"), "UUID"), "Task.UUID"},
		{p.Field(p.Elem(made, p.Const("int", "1")), "UUID"), "UUID"},
		{p.Elem(param("files"), p.Const("int", "1")), "files[]"},
		{p.Field(p.Elem(param("files"), nil), "Name"), "files[].Name"},
		{p.Elem(p.Call("strings.Split", "f.go:1:2", param("s")), nil), ""},
		{p.Call("(*example.org/shop.Store).lockKey", "f.go:1:2", param("s")), "lockKey(...)"},
		{p.Call("example.org/shop.lockKey", "f.go:1:2"), "lockKey(...)"},
		{made, ""},
		{p.Call("path/filepath.Join", "f.go:1:2", p.List(param("dir"), p.Unknown("value"), str("index.json"))), "dir/index.json"},
		{p.Call("path/filepath.Join", "f.go:1:2", param("parts")), ""},
		{p.Op("slice", param("key")), "key"},
		{p.Op("*", p.Call("hash/crc32.ChecksumIEEE", "f.go:1:2", param("name")), param("salt")), "ChecksumIEEE(...)"},
		{p.List(param("first"), param("second")), "first, second"},
		{p.List(param("first"), param("second"), param("third")), "first"},
		{p.Join(p.Unknown("loop"), param("key")), "key"},
		{p.Join(p.Const("int", "0"), p.Op("+", p.Op("<<", p.Unknown("loop"), p.Const("int", "8")), p.Elem(param("sum"), nil))), "sum[]"},
		{p.Join(p.Const("int", "0"), p.Unknown("loop")), ""},
		{p.Op("+", p.Const("int", "7000"), param("shard")), "shard"},
	} {
		if got := test.of.Place(); got != test.want {
			t.Errorf("%s: %q, want %q", test.of.Text(), got, test.want)
		}
	}
}
