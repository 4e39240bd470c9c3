package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Secrets keeps the secrets of an installation in its vault.
type Secrets struct {
	State    *stateStore
	Commands *commands.Commands
	Queries  *projections.Queries
	Now      func() time.Time
	Logger   *slog.Logger
}

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
func (s *Secrets) Vault(ctx context.Context, mayMake bool) (*vault.Vault, error) {
	if mayMake {
		s.State.fills()
	}
	key, err := masterKey(mayMake)
	if err != nil {
		return nil, err
	}
	return s.VaultWith(ctx, key)
}

// VaultWith uses the secrets of the installation with a key; lists and removals need none.
func (s *Secrets) VaultWith(ctx context.Context, key vault.Key) (*vault.Vault, error) {
	store, err := s.State.open(ctx)
	if err != nil {
		return nil, err
	}
	return vault.New(store, key), nil
}

// secretPatience is how long a request waits for the secret that it carries.
const secretPatience = 10 * time.Second

// Value gives scripts' requests what they may have. A vault that does not open is said to the
// operator; the request then fails as one without the secret does.
func (s *Secrets) Value(workflow, name, host string) (string, bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), secretPatience)
	defer cancel()
	var value string
	var ok bool
	var err error
	_ = Outlast(ctx, s.Logger, LookAgain, func(ctx context.Context) error {
		value, ok, err = s.value(ctx, workflow, name, host)
		return err
	})
	if err != nil {
		s.Logger.Error("a secret cannot be read", "name", name, "workflow", workflow, "error", err)
	}
	return value, ok, err
}

func (s *Secrets) value(ctx context.Context, workflow, name, host string) (string, bool, error) {
	v, err := s.Vault(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		// Nobody has made a key, so most likely nobody has set a secret: what is not there needs no key.
		if sealed, openErr := s.VaultWith(ctx, vault.Key{}); openErr == nil {
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

// sealed is the vault without a key; nil if there is no secret in it.
func (s *Secrets) sealed(ctx context.Context) (*vault.Vault, error) {
	if place := s.State.Address; place.Backend == SQLite {
		if _, err := os.Stat(place.Path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	if s.State.knownEmpty() {
		return nil, nil
	}
	sealed, err := s.VaultWith(ctx, vault.Key{})
	if err != nil {
		return nil, err
	}
	if all, err := sealed.List(ctx); err != nil || len(all) == 0 {
		if err == nil {
			s.State.foundEmpty()
		}
		return nil, err
	}
	return sealed, nil
}

// filled is the vault with this node's key; nil if there is no secret in it.
func (s *Secrets) filled(ctx context.Context) (*vault.Vault, error) {
	if sealed, err := s.sealed(ctx); sealed == nil || err != nil {
		return nil, err
	}
	return s.Vault(ctx, false)
}

// Check says what runs would stumble over later: that there are secrets, and the key of this
// node does not open them.
func (s *Secrets) Check(ctx context.Context) error {
	opening, err := s.filled(ctx)
	if opening == nil || err != nil {
		return err
	}
	return opening.Check(ctx)
}

// refuse refuses what a person hands over with the value of a secret in it: it would be kept for
// good, and models would read it. Where this node cannot open the vault it cannot tell.
func (s *Secrets) refuse(ctx context.Context, text []byte) error {
	opening, _ := s.filled(ctx)
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

// SecretScope is the workflow that --workflow names; --all is empty.
func (resolver *Resolver) SecretScope(ctx context.Context, of string) (string, error) {
	if of == "" {
		return "", nil
	}
	return resolver.Workflow(ctx, of)
}

// SetSecret is a secret that was set.
type SetSecret struct {
	vault.Binding
	Activated []string     `json:"activated"`       // workflows that waited for it
	GoOn      []Unfinished `json:"go_on,omitempty"` // their half-done runs that go on where they stopped
	Retried   []string     `json:"retried,omitempty" doc:"The runs that were refused and are tried again with it: their result says whether it is taken"`
}

// Set sets or replaces a secret, once for a command; workflows that wait for access because of it go on, with retry also the
// runs that were refused.
func (s *Secrets) Set(ctx context.Context, meta commands.Meta, binding vault.Binding, value string, retry bool) (shown SetSecret, err error) {
	shown = SetSecret{Binding: binding, Activated: []string{}}
	if earlier, err := s.Commands.Earlier(ctx, installation.Stream, meta.CommandID); err != nil || earlier != nil {
		return shown, err
	}
	v, err := s.Vault(ctx, true)
	if err != nil {
		return shown, err
	}
	if err := v.Set(ctx, binding, value, s.Now()); err != nil {
		return shown, fault.New(fault.Invalid, "%w", err)
	}
	if _, err := s.Commands.NoteSecret(ctx, installation.NoteSecret{Name: binding.Name, Workflow: binding.Workflow, Hosts: binding.Hosts}, meta); err != nil {
		return shown, err
	}
	on, err := s.goOn(ctx, meta.Actor, binding.Workflow, workflow.Activate{Retry: retry}, func(r refusal) bool { return r.answeredBy(binding) })
	shown.Activated, shown.GoOn, shown.Retried = on.Workflows, on.GoOn, on.Retried
	return shown, err
}

// List are all secrets, without their values: the list is not encrypted, and needs no key.
func (s *Secrets) List(ctx context.Context) ([]vault.Secret, error) {
	v, err := s.VaultWith(ctx, vault.Key{})
	if err != nil {
		return nil, err
	}
	return v.List(ctx)
}

// Remove removes a secret of a workflow, or that of all, once for a command.
func (s *Secrets) Remove(ctx context.Context, meta commands.Meta, name, scope string) error {
	if earlier, err := s.Commands.Earlier(ctx, installation.Stream, meta.CommandID); err != nil || earlier != nil {
		return err
	}
	v, err := s.VaultWith(ctx, vault.Key{})
	if err != nil {
		return err
	}
	err = v.Remove(ctx, name, scope)
	if errors.Is(err, vault.ErrNotFound) {
		return fault.New(fault.NotFound, "%w: see 'kintsugi secret list'", err)
	}
	if err == nil {
		_, err = s.Commands.NoteSecret(ctx, installation.NoteSecret{Name: name, Workflow: scope}, meta)
	}
	return err
}
