package engine

import "testing"

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"Storage": true, "OrderStore": true, "Ledger": true, "UserRepository": true, "Cache": false, "StoreCache": false, "Registry": false, "Metrics": false,
		"SessionStore": false, "Server": false, "Restore": false, "StoreClient": false, "store": true, "memStore": true,
	} {
		if got := storeName(name); got != want {
			t.Errorf("storeName(%q) = %v", name, got)
		}
	}
	for name, want := range map[string]bool{"last_token": true, "fence:x": true, "EPOCH": true, "version": false, "stock": false} {
		if got := FenceName(name); got != want {
			t.Errorf("fenceName(%q) = %v", name, got)
		}
	}
}
