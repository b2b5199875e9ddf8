// Command shopd serves the shop: reservations and invoices over HTTP, exports and periodic jobs beside it.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"

	"example.org/locks/shop/internal/billing"
	"example.org/locks/shop/internal/cron"
	"example.org/locks/shop/internal/export"
	"example.org/locks/shop/internal/leader"
	"example.org/locks/shop/internal/lock"
	"example.org/locks/shop/internal/migrate"
	"example.org/locks/shop/internal/stock"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv); err != nil && !errors.Is(err, context.Canceled) {
		slog.Error("shopd ends", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, getenv func(string) string) error {
	pool, err := pgxpool.New(ctx, getenv("DATABASE_URL"))
	if err != nil {
		return fmt.Errorf("connect to database: %w", err)
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	if err := migrate.Up(ctx, db); err != nil {
		return err
	}

	rdb := redis.NewClient(&redis.Options{Addr: getenv("REDIS_ADDR")})
	defer rdb.Close()
	etcd, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(getenv("ETCD_ENDPOINTS"), ","), DialTimeout: 5 * time.Second})
	if err != nil {
		return fmt.Errorf("connect to etcd: %w", err)
	}
	defer etcd.Close()

	locks := lock.New(rdb)
	api := &api{stock: stock.New(pool, locks), billing: billing.New(etcd, db)}
	jobs, ctx := errgroup.WithContext(ctx)
	jobs.Go(func() error { return serve(ctx, getenv("LISTEN"), api.routes()) })
	jobs.Go(func() error { return lead(ctx, db, getenv("POD_NAME")) })

	prices := &cron.Prices{DB: db, RDB: rdb}
	carts := &cron.Carts{DB: db, Locks: locks}
	exporter := export.New(db, bucketClient(getenv), getenv("EXPORT_BUCKET"), redsync.New(redsyncredis.NewPool(rdb)))
	jobs.Go(func() error { return every(ctx, time.Minute, "prices", prices.Refresh) })
	jobs.Go(func() error { return every(ctx, 5*time.Minute, "carts", carts.Sweep) })
	jobs.Go(func() error {
		return every(ctx, time.Hour, "export", func(ctx context.Context) error {
			return exporter.Run(ctx, time.Now().Add(-24*time.Hour))
		})
	})
	return jobs.Wait()
}

func serve(ctx context.Context, addr string, h http.Handler) error {
	srv := &http.Server{Addr: addr, Handler: h, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := srv.Shutdown(end); err != nil {
			slog.Warn("shutdown", "error", err)
		}
	})
	defer stop()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", addr, err)
	}
	return nil
}

func lead(ctx context.Context, db *sql.DB, identity string) error {
	config, err := rest.InClusterConfig()
	if err != nil {
		return fmt.Errorf("kubernetes: %w", err)
	}
	leases, err := coordinationv1.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("kubernetes: %w", err)
	}
	pricer := &leader.Pricer{DB: db, Leases: leases, Identity: identity, Every: 10 * time.Second}
	return pricer.Run(ctx)
}

// every runs a job now and then; a job that fails is tried again in its next turn.
func every(ctx context.Context, period time.Duration, name string, job func(context.Context) error) error {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		if err := job(ctx); err != nil {
			slog.Error("job failed", "job", name, "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func bucketClient(getenv func(string) string) *s3.Client {
	keys := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY")}, nil
	})
	return s3.New(s3.Options{Region: getenv("AWS_REGION"), Credentials: aws.NewCredentialsCache(keys)})
}
