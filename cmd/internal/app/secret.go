package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

// Where the master key of secrets is: in the environment, in the file that it names, or in a
// file of the user's own that is made when the first secret is set. Never in the data directory,
// which is copied and backed up.
const (
	SecretKeyEnv     = "KINTSUGI_SECRET_KEY"
	secretKeyFileEnv = "KINTSUGI_SECRET_KEY_FILE"
)

func secretKeyFile() (string, error) {
	if path := os.Getenv(secretKeyFileEnv); path != "" {
		return path, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for the key of secrets: set %s or %s: %w", SecretKeyEnv, secretKeyFileEnv, err)
	}
	return filepath.Join(config, "kintsugi", "secret.key"), nil
}

func masterKey(mayMake bool) (vault.Key, error) {
	if text := os.Getenv(SecretKeyEnv); text != "" {
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
}

// Vault uses the secrets of the installation; mayMake says that a key may be made.
func (n *Node) Vault(ctx context.Context, mayMake bool) (*vault.Vault, error) {
	if mayMake {
		n.State.fills()
	}
	key, err := masterKey(mayMake)
	if err != nil {
		return nil, err
	}
	return n.VaultWith(ctx, key)
}

// VaultWith uses the secrets of the installation with a key; lists and removals need none.
func (n *Node) VaultWith(ctx context.Context, key vault.Key) (*vault.Vault, error) {
	store, err := n.State.open(ctx)
	if err != nil {
		return nil, err
	}
	return vault.New(store, key), nil
}

// secretPatience is how long a request waits for the secret that it carries.
const secretPatience = 10 * time.Second

// Secrets gives scripts' requests what they may have. A vault that does not open is said to the
// operator; the request then fails as one without the secret does.
func (n *Node) Secrets(workflow, name, host string) (string, bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), secretPatience)
	defer cancel()
	var value string
	var ok bool
	var err error
	_ = Outlast(ctx, n.Logger, LookAgain, func(ctx context.Context) error {
		value, ok, err = n.secret(ctx, workflow, name, host)
		return err
	})
	if err != nil {
		n.Logger.Error("a secret cannot be read", "name", name, "workflow", workflow, "error", err)
	}
	return value, ok, err
}

func (n *Node) secret(ctx context.Context, workflow, name, host string) (string, bool, error) {
	v, err := n.Vault(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		// Nobody has made a key, so most likely nobody has set a secret: what is not there needs no key.
		if sealed, openErr := n.VaultWith(ctx, vault.Key{}); openErr == nil {
			if _, ok, valueErr := sealed.Value(ctx, workflow, name, host); !ok && valueErr == nil {
				return "", false, nil
			}
		}
	}
	if err != nil {
		return "", false, err
	}
	return v.Value(ctx, workflow, name, host)
}

// sealedVault is the vault without a key; nil if there is no secret in it.
func (n *Node) sealedVault(ctx context.Context) (*vault.Vault, error) {
	if place := n.State.Address; place.Backend == SQLite {
		if _, err := os.Stat(place.Path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	if n.State.knownEmpty() {
		return nil, nil
	}
	sealed, err := n.VaultWith(ctx, vault.Key{})
	if err != nil {
		return nil, err
	}
	if all, err := sealed.List(ctx); err != nil || len(all) == 0 {
		if err == nil {
			n.State.foundEmpty()
		}
		return nil, err
	}
	return sealed, nil
}

// filledVault is the vault with this node's key; nil if there is no secret in it.
func (n *Node) filledVault(ctx context.Context) (*vault.Vault, error) {
	if sealed, err := n.sealedVault(ctx); sealed == nil || err != nil {
		return nil, err
	}
	return n.Vault(ctx, false)
}

// CheckSecrets says what runs would stumble over later: that there are secrets, and the key of this
// node does not open them.
func (n *Node) CheckSecrets(ctx context.Context) error {
	opening, err := n.filledVault(ctx)
	if opening == nil || err != nil {
		return err
	}
	return opening.Check(ctx)
}

// withoutSecrets refuses what a person hands over with the value of a secret in it: it would be kept for
// good, and models would read it. Where this node cannot open the vault it cannot tell.
func (n *Node) withoutSecrets(ctx context.Context, text []byte) error {
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

// Scope is the workflow that --workflow names; --all is empty.
func (n *Node) Scope(ctx context.Context, of string) (string, error) {
	if of == "" {
		return "", nil
	}
	return n.ResolveWorkflow(ctx, of)
}

// SetSecret is a secret that was set.
type SetSecret struct {
	vault.Binding
	Activated []string     `json:"activated"`       // workflows that waited for it
	GoOn      []Unfinished `json:"go_on,omitempty"` // their half-done runs that go on where they stopped
	Retried   []string     `json:"retried,omitempty" doc:"The runs that were refused and are tried again with it: their result says whether it is taken"`
}

// SetSecret sets or replaces a secret, once for a command; workflows that wait for access because of it go on, with retry also the
// runs that were refused.
func (n *Node) SetSecret(ctx context.Context, meta commands.Meta, binding vault.Binding, value string, retry bool) (shown SetSecret, err error) {
	shown = SetSecret{Binding: binding, Activated: []string{}}
	if earlier, err := n.Commands.Earlier(ctx, installation.Stream, meta.CommandID); err != nil || earlier != nil {
		return shown, err
	}
	v, err := n.Vault(ctx, true)
	if err != nil {
		return shown, err
	}
	if err := v.Set(ctx, binding, value, n.Now()); err != nil {
		return shown, fault.New(fault.Invalid, "%w", err)
	}
	if _, err := n.Commands.NoteSecret(ctx, installation.NoteSecret{Name: binding.Name, Workflow: binding.Workflow, Hosts: binding.Hosts}, meta); err != nil {
		return shown, err
	}
	on, err := n.goOn(ctx, meta.Actor, binding.Workflow, workflow.Activate{Retry: retry}, func(r refusal) bool { return r.answeredBy(binding) })
	shown.Activated, shown.GoOn, shown.Retried = on.Workflows, on.GoOn, on.Retried
	return shown, err
}

// ListSecrets are all secrets, without their values: the list is not encrypted, and needs no key.
func (n *Node) ListSecrets(ctx context.Context) ([]vault.Secret, error) {
	v, err := n.VaultWith(ctx, vault.Key{})
	if err != nil {
		return nil, err
	}
	return v.List(ctx)
}

// RemoveSecret removes a secret of a workflow, or that of all, once for a command.
func (n *Node) RemoveSecret(ctx context.Context, meta commands.Meta, name, scope string) error {
	if earlier, err := n.Commands.Earlier(ctx, installation.Stream, meta.CommandID); err != nil || earlier != nil {
		return err
	}
	v, err := n.VaultWith(ctx, vault.Key{})
	if err != nil {
		return err
	}
	err = v.Remove(ctx, name, scope)
	if errors.Is(err, vault.ErrNotFound) {
		return fault.New(fault.NotFound, "%w: see 'kintsugi secret list'", err)
	}
	if err == nil {
		_, err = n.Commands.NoteSecret(ctx, installation.NoteSecret{Name: name, Workflow: scope}, meta)
	}
	return err
}
