// Command given puts a program together from functions.
package main

import (
	"context"
	"log"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"

	"example.org/locks/checks/shapes/given/booth"
	"example.org/locks/checks/shapes/given/turns"
)

func main() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE"))
	if err != nil {
		log.Fatal(err)
	}
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{os.Getenv("ETCD")}})
	if err != nil {
		log.Fatal(err)
	}
	b := &booth.Booth{
		Pool:   pool,
		Turn:   turns.From(cli),
		Stamp:  booth.Stamped(pool),
		Ledger: booth.NewLedger,
	}
	for _, ticket := range os.Args[1:] {
		if err := b.Sell(ctx, ticket); err != nil {
			log.Print(err)
		}
	}
}
