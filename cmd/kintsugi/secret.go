package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/llm"
	"github.com/kintsugi-run/kintsugi/internal/tool"
	"github.com/kintsugi-run/kintsugi/internal/vault"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Where the master key of secrets is: in the environment, in the file that it names, or in a
// file of the user's own that is made when the first secret is set. Never in the data directory,
// which is copied and backed up.
const (
	secretKeyEnv     = "KINTSUGI_SECRET_KEY"
	secretKeyFileEnv = "KINTSUGI_SECRET_KEY_FILE"
)

func secretKeyFile() (string, error) {
	if path := os.Getenv(secretKeyFileEnv); path != "" {
		return path, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for the key of secrets: set %s or %s: %w", secretKeyEnv, secretKeyFileEnv, err)
	}
	return filepath.Join(config, "kintsugi", "secret.key"), nil
}

// vault uses the secrets of the installation; mayMake says that a key may be made.
func (n *node) vault(ctx context.Context, mayMake bool) (*vault.Vault, error) {
	key, err := func() (vault.Key, error) {
		if text := os.Getenv(secretKeyEnv); text != "" {
			return vault.ParseKey(text)
		}
		path, err := secretKeyFile()
		if err != nil {
			return vault.Key{}, err
		}
		if mayMake {
			return vault.ReadOrMakeKey(path)
		}
		return vault.ReadKey(path)
	}()
	if err != nil {
		return nil, err
	}
	return n.vaultWith(ctx, key)
}

func (n *node) vaultWith(ctx context.Context, key vault.Key) (*vault.Vault, error) {
	store, err := n.state.open(ctx)
	if err != nil {
		return nil, err
	}
	return vault.New(store, key), nil
}

// secretPatience is how long a request waits for the secret that it carries.
const secretPatience = 10 * time.Second

// secrets gives scripts' requests what they may have. A vault that does not open is said to the
// operator; the request then fails as one without the secret does.
func (n *node) secrets(workflow, name, host string) (string, bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), secretPatience)
	defer cancel()
	v, err := n.vault(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		// Nobody has made a key, so most likely nobody has set a secret: what is not there needs no key.
		if sealed, openErr := n.vaultWith(ctx, vault.Key{}); openErr == nil {
			if _, ok, valueErr := sealed.Value(ctx, workflow, name, host); !ok && valueErr == nil {
				return "", false, nil
			}
		}
	}
	if err == nil {
		var value string
		var ok bool
		if value, ok, err = v.Value(ctx, workflow, name, host); err == nil {
			return value, ok, nil
		}
	}
	n.logger.Error("a secret cannot be read", "name", name, "workflow", workflow, "error", err)
	return "", false, err
}

// filledVault is the vault with this node's key; nil if there is no secret in it.
func (n *node) filledVault(ctx context.Context) (*vault.Vault, error) {
	if place := n.state.address; place.backend == sqliteBackend {
		if _, err := os.Stat(place.path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	sealed, err := n.vaultWith(ctx, vault.Key{})
	if err != nil {
		return nil, err
	}
	if all, err := sealed.List(ctx); err != nil || len(all) == 0 {
		return nil, err
	}
	return n.vault(ctx, false)
}

// checkSecrets says what runs would stumble over later: that there are secrets, and the key of this
// node does not open them.
func (n *node) checkSecrets(ctx context.Context) error {
	opening, err := n.filledVault(ctx)
	if opening == nil || err != nil {
		return err
	}
	return opening.Check(ctx)
}

// withoutSecrets refuses what a person hands over with the value of a secret in it: it would be kept for
// good, and models would read it. Where this node cannot open the vault it cannot tell.
func (n *node) withoutSecrets(ctx context.Context, text []byte) error {
	opening, _ := n.filledVault(ctx)
	if opening == nil {
		return nil
	}
	name, _ := opening.Find(ctx, text)
	if name == "" {
		return nil
	}
	return fault.New(fault.Invalid,
		"this has the value of the secret %s in it, and everything that is handed over is kept in the log and shown to models: leave it out, a script uses it as secret('%s')", name, name)
}

// scrubbing is a model that is told no secret: handles stand in the place of values that somebody wrote
// down somewhere.
type scrubbing struct {
	llm.Model
	node *node
}

// Chat implements [llm.Model].
func (s scrubbing) Chat(ctx context.Context, request llm.Request) (llm.Answer, error) {
	opening, _ := s.node.filledVault(ctx)
	if opening == nil {
		return s.Model.Chat(ctx, request) // there is none, or this node cannot know it
	}
	values, err := opening.Values(ctx)
	if err != nil {
		return llm.Answer{}, fmt.Errorf("what no model may be told cannot be read: %w", err)
	}
	handles := map[string]string{}
	for _, one := range values {
		if len(one.Value) >= vault.Telling {
			handles[one.Value] = "{{secret:" + one.Name + "}}"
		}
	}
	scrub := tool.Redact(handles)
	request.Messages = slices.Clone(request.Messages)
	for i := range request.Messages {
		message := &request.Messages[i]
		message.Text = scrub(message.Text)
		message.Calls = slices.Clone(message.Calls)
		for j := range message.Calls {
			message.Calls[j].Arguments = scrub(message.Calls[j].Arguments)
		}
	}
	return s.Model.Chat(ctx, request)
}

// useModel has agents ask the model that was configured, if one was.
func (a *app) useModel(n *node) error {
	model, err := a.llm.open()
	if err == nil && model != nil {
		n.model = scrubbing{model, n}
	}
	return err
}

func newSecretCommand(a *app) *cobra.Command {
	return group("secret", "What scripts sign in with: they hold names, never values",
		newSecretSetCommand(a), newSecretListCommand(a), newSecretRemoveCommand(a))
}

// scope is the workflow that --workflow names; --all is empty.
func (n *node) scope(ctx context.Context, of string) (string, error) {
	if of == "" {
		return "", nil
	}
	return n.resolveWorkflow(ctx, of)
}

func newSecretSetCommand(a *app) *cobra.Command {
	var of, file string
	var all bool
	var hosts []string
	command := &cobra.Command{
		Use: "set NAME", Short: "Set or replace a secret; its value is read from standard input", Args: takes(1, 1),
		Long: `Set or replace a secret. The value is read from standard input or --file, never from the command
line. Scripts use it as secret('NAME') in header values and in query values; it is sent to the named
hosts only. Workflows that wait for access because of it go on.

Values are encrypted, in state.db of the data directory, or in PostgreSQL if the event log is there
or --state says so: then every node has them. The key is in KINTSUGI_SECRET_KEY (base64 of 32
bytes), in the file KINTSUGI_SECRET_KEY_FILE, or in secret.key of the user's configuration
directory, which is made when it is not there. All nodes need the same one. Keep it apart from
backups.`,
		Example: `  kintsugi secret set SHOP_TOKEN --workflow "Refund report" --host api.example.com < token
  kintsugi secret set PROXY_KEY --all --host 10.0.0.5:8443 --file key`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				binding := vault.Binding{Name: args[0], Hosts: hosts}
				var err error
				if binding.Workflow, err = n.scope(c.Context(), of); err != nil {
					return err
				}
				text, err := a.readFile(file)
				if err != nil {
					return err
				}
				v, err := n.vault(c.Context(), true)
				if err != nil {
					return err
				}
				if err := v.Set(c.Context(), binding, strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), n.now()); err != nil {
					return fault.New(fault.Invalid, "%w", err)
				}
				released, again, err := n.release(c.Context(), actor(), binding)
				if err != nil {
					return err
				}
				shown := struct {
					vault.Binding
					Activated []string          `json:"activated"`       // workflows that waited for it
					GoOn      []shownUnfinished `json:"go_on,omitempty"` // their half-done runs that go on where they stopped
				}{binding, released, again}
				return a.show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Set %s for %s.\n", binding.Name, strings.Join(binding.Hosts, ", "))
					for _, id := range released {
						fmt.Fprintf(w, "Workflow %s waited for it and is active again.\n", id)
					}
					writeGoOn(w, again)
				})
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&of, "workflow", "", "the workflow that may use it")
	flags.BoolVar(&all, "all", false, "every workflow may use it")
	flags.StringSliceVar(&hosts, "host", nil, "a host, or host:port, that it may be sent to")
	flags.StringVar(&file, "file", "-", "where the value is; - is standard input")
	command.MarkFlagsOneRequired("workflow", "all")
	command.MarkFlagsMutuallyExclusive("workflow", "all")
	_ = command.MarkFlagRequired("host")
	return command
}

// release activates the workflows that wait for access and whose failed run used the secret; again
// are their runs that go on.
func (n *node) release(ctx context.Context, actor string, set vault.Binding) (released []string, again []shownUnfinished, err error) {
	waiting, err := n.queries.Workflows(ctx, projections.WorkflowFilter{Status: workflow.StatusWaiting})
	if err != nil {
		return nil, nil, err
	}
	released = []string{}
	handle := []byte("{{secret:" + set.Name + "}}")
	for _, one := range waiting {
		if set.Workflow != "" && set.Workflow != one.ID {
			continue
		}
		state, err := n.commands.LoadWorkflow(ctx, one.ID)
		if err != nil {
			return nil, nil, err
		}
		if state.Waiting == nil {
			continue
		}
		failed, err := n.commands.LoadRun(ctx, state.Waiting.Run)
		if err != nil {
			return nil, nil, err
		}
		used := false
		for _, call := range failed.Calls {
			used = used || bytes.Contains(call.Args, handle)
		}
		if !used {
			continue
		}
		result, err := n.commands.ActivateWorkflow(ctx, one.ID, workflow.Activate{}, by(actor))
		if err != nil {
			return nil, nil, err
		}
		released, again = append(released, one.ID), append(again, goOnAgain(state, result.Events)...)
	}
	return released, again, nil
}

func newSecretListCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List secrets, without their values", Args: takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		return a.with(c.Context(), func(n *node) error {
			v, err := n.vaultWith(c.Context(), vault.Key{}) // the list is not encrypted: it needs no key
			if err != nil {
				return err
			}
			all, err := v.List(c.Context())
			if err != nil {
				return err
			}
			titles, err := n.titles(c.Context())
			if err != nil {
				return err
			}
			return a.show(all, func(w io.Writer) {
				if len(all) == 0 {
					fmt.Fprintln(w, "No secrets. Set one with 'kintsugi secret set'.")
					return
				}
				rows := make([][]string, len(all))
				for i, one := range all {
					rows[i] = []string{one.Name, cmp.Or(titles[one.Workflow], one.Workflow, "-"), strings.Join(one.Hosts, ", "), one.SetAt.Local().Format("2006-01-02 15:04")}
				}
				table(w, []string{"NAME", "WORKFLOW", "HOSTS", "SET"}, rows)
			})
		})
	}}
}

func newSecretRemoveCommand(a *app) *cobra.Command {
	var of string
	command := &cobra.Command{Use: "remove NAME", Short: "Remove a secret", Args: takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return a.with(c.Context(), func(n *node) error {
			scope, err := n.scope(c.Context(), of)
			if err != nil {
				return err
			}
			v, err := n.vaultWith(c.Context(), vault.Key{})
			if err != nil {
				return err
			}
			err = v.Remove(c.Context(), args[0], scope)
			if errors.Is(err, vault.ErrNotFound) {
				return fault.New(fault.NotFound, "%w: see 'kintsugi secret list'", err)
			}
			if err != nil {
				return err
			}
			return a.show(vault.Binding{Name: args[0], Workflow: scope, Hosts: []string{}}, func(w io.Writer) { fmt.Fprintf(w, "Removed %s.\n", args[0]) })
		})
	}}
	command.Flags().StringVar(&of, "workflow", "", "that of this workflow; without it, that of all")
	return command
}
