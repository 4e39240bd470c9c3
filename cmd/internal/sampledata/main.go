// Command sampledata makes a data directory of any size, made up from a seed (commands/sample), to try the program
// with much data: for benchmarks of the page, above all.
//
//	go run ./cmd/internal/sampledata -data-dir /tmp/much -workflows 100000 -events 1000000
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands/sample"
)

// patience is how long another process may hold the directory.
const patience = 10 * time.Second

func main() {
	dir := flag.String("data-dir", "", "where it is made; it must not be there yet")
	var config sample.Config
	flag.Uint64Var(&config.Seed, "seed", 1, "the same seed makes the same events")
	flag.IntVar(&config.Events, "events", 1_000_000, "events, at least")
	flag.IntVar(&config.Workflows, "workflows", 100_000, "workflows that there are in the end")
	flag.BoolVar(&config.ByHand, "by-hand", false, "no workflow has a schedule, so that a server that opens it has nothing to do")
	flag.Parse()
	if err := write(context.Background(), *dir, config); err != nil {
		fmt.Fprintln(os.Stderr, "sampledata:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, dir string, config sample.Config) (err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("-data-dir names a new directory: %w", err)
	}
	address, err := app.ParseStore("", dir)
	if err != nil {
		return err
	}
	log, err := app.OpenLog(ctx, address, patience, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	written, err := sample.Write(ctx, log, config)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%d events of %d workflows are in %s\n", written, config.Workflows, dir)
	return log.Close()
}
