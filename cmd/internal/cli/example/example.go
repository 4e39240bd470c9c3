// Package example has the command that serves a small API to try the program with.
package example

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/testdata"
)

// NewCommand is 'kintsugi example'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	var listen, script string
	var change bool
	command := &cobra.Command{
		Use:   "example",
		Short: "Serve a small API on this machine, to try Kintsugi with",
		Long: `Serve a small API on this machine until Ctrl-C: the refunds of a shop. A script that asks it is
written to --script, if there is no such file. --change has the one that serves give amounts another
name, as services do, so that the script breaks; once more takes it back.

Scripts do not reach addresses of this machine unless you say so: --allow-host in the commands that
make workflows. Needs no data directory, and keeps nothing.`,
		Example: `  kintsugi example
  kintsugi example --change`,
		Args: terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if host, _, err := net.SplitHostPort(listen); err != nil || !isLoopback(host) {
				return fault.New(fault.Invalid, "--listen %q is not a host:port of this machine alone: write one like %s", listen, testdata.RefundAddress)
			}
			if change {
				return changeExample(c.Context(), cli, listen)
			}
			return serveExample(c.Context(), cli, listen, script)
		},
	}
	command.Flags().StringVar(&listen, "listen", testdata.RefundAddress, "where it serves; port 0 for a free one")
	command.Flags().StringVar(&script, "script", "refunds.js", "the file that gets the script; '' for none")
	command.Flags().BoolVar(&change, "change", false, "have the one that serves there change its answers")
	return command
}

func serveExample(ctx context.Context, cli *terminal.CLI, listen, script string) (err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return fault.New(fault.Conflict, "cannot serve at %s: %w. Another address: --listen HOST:PORT", listen, err)
	}
	at := listener.Addr().String()
	server := &http.Server{Handler: &automation.Refunds{}, ReadHeaderTimeout: time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer func() {
		err = errors.Join(err, server.Close())
		if stopped := <-ended; !errors.Is(stopped, http.ErrServerClosed) {
			err = errors.Join(err, stopped)
		}
	}()
	if script != "" {
		if err := writeExample(cli, script, at); err != nil {
			return err
		}
	}
	fmt.Fprintf(cli.Err, "Refunds are served at http://%s/refunds?day=2026-03-01. Stop with Ctrl-C.\n", at)
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		ended <- http.ErrServerClosed
		return err
	}
}

// writeExample writes the script that asks at an address. A file that is there stays.
func writeExample(cli *terminal.CLI, file, at string) error {
	code := strings.ReplaceAll(testdata.RefundScript, testdata.RefundAddress, at)
	there, err := os.ReadFile(file)
	switch {
	case err == nil && string(there) == code:
		return nil
	case err == nil:
		fmt.Fprintf(cli.Err, "%s is there already and stays as it is; --script names another file.\n", file)
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return fault.New(fault.Invalid, "cannot read %s: %w", file, err)
	}
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		return fault.New(fault.Invalid, "cannot write %s: %w", file, err)
	}
	fmt.Fprintf(cli.Err, "Wrote %s, which asks it.\n", file)
	return nil
}

func changeExample(ctx context.Context, cli *terminal.CLI, at string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+at+"/change", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fault.New(fault.Conflict, "nothing serves at %s: start it with 'kintsugi example', in another terminal", at)
	}
	defer func() { _ = response.Body.Close() }()
	var shape automation.Shape
	if err := json.NewDecoder(response.Body).Decode(&shape); err != nil || shape.Amount == "" {
		return fault.New(fault.Conflict, "what serves at %s is not 'kintsugi example'", at)
	}
	return cli.Show(shape, func(w io.Writer) { fmt.Fprintf(w, "An amount is called %q from now on.\n", plain.Clean(shape.Amount)) })
}

// isLoopback says that a host is this machine, and reached from it only.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
