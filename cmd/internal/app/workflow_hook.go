package app

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

// Hook is an address at which the outside starts a workflow.
type Hook struct {
	Workflow string             `json:"workflow"`
	Name     string             `json:"name"`
	Style    workflow.HookStyle `json:"style" enum:"standard,github,token"`
	Path     string             `json:"path" doc:"Where it is, on the server"`
	Secret   string             `json:"secret,omitempty" doc:"What a sender proves itself with. It is said once"`
}

// The vault's names for what is kept of a hook. No workflow can have the name of the scope, so no script can use it; and it is sent
// nowhere.
const (
	hookSecret = "hook-key"
	hookHost   = "hook.invalid"
	hookPrefix = "kin_hook_"
)

// hookSkew is how far the clock of a sender may be off, and how old a signed request may be.
const hookSkew = 5 * time.Minute

func hookScope(id, name string) string { return "hook " + id + " " + name }

func hookOf(id, name string, style workflow.HookStyle) Hook {
	return Hook{Workflow: id, Name: name, Style: style, Path: "/hooks/" + id + "/" + name}
}

// Hooks are those of a workflow, by name.
func (w *Workflows) Hooks(ctx context.Context, id string) ([]Hook, error) {
	state, err := w.Commands.LoadWorkflow(ctx, id)
	hooks := []Hook{}
	for _, name := range slices.Sorted(maps.Keys(state.Settings.Hooks)) {
		hooks = append(hooks, hookOf(id, name, state.Settings.Hooks[name]))
	}
	return hooks, err
}

// AddHook makes a hook. Its secret is in the answer, and never again.
func (w *Workflows) AddHook(ctx context.Context, meta commands.Meta, id, name string, style workflow.HookStyle) (Hook, commands.Result, error) {
	state, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return Hook{}, commands.Result{}, err
	}
	if _, there := state.Settings.Hooks[name]; there {
		return Hook{}, commands.Result{}, fault.New(fault.Conflict, "%s has a hook %q already: remove it first, and senders need the new secret", state.Title, name)
	}
	made := hookOf(id, name, style)
	made.Secret = randomToken(hookPrefix)
	if style == workflow.HookStandard {
		made.Secret = publisher.NewKey()
	}
	settings := state.Settings
	settings.Hooks = maps.Clone(settings.Hooks)
	if settings.Hooks == nil {
		settings.Hooks = map[string]workflow.HookStyle{}
	}
	settings.Hooks[name] = style
	if err := settings.Validate(); err != nil {
		return Hook{}, commands.Result{}, err
	}
	v, err := w.Secrets.Vault(ctx, true)
	if err != nil {
		return Hook{}, commands.Result{}, err
	}
	// The secret comes first: a hook without one lets nobody in, and could not be shown again.
	if err := v.Set(ctx, vault.Binding{Name: hookSecret, Workflow: hookScope(id, name), Hosts: []string{hookHost}}, made.Secret, w.Now()); err != nil {
		return Hook{}, commands.Result{}, err
	}
	result, err := w.Commands.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: settings}, meta)
	return made, result, err
}

// RemoveHook takes a hook away, and forgets its secret.
func (w *Workflows) RemoveHook(ctx context.Context, meta commands.Meta, id, name string) (Hook, commands.Result, error) {
	state, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return Hook{}, commands.Result{}, err
	}
	style, there := state.Settings.Hooks[name]
	if !there {
		return Hook{}, commands.Result{}, fault.New(fault.NotFound, "%s has no hook %q: see 'kintsugi workflow hook list %s'", state.Title, name, id)
	}
	settings := state.Settings
	settings.Hooks = maps.Clone(settings.Hooks)
	delete(settings.Hooks, name)
	result, err := w.Commands.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: settings}, meta)
	if err != nil {
		return Hook{}, result, err
	}
	v, err := w.Secrets.VaultWith(ctx, vault.Key{})
	if err != nil {
		return Hook{}, result, err
	}
	if err := v.Remove(ctx, hookSecret, hookScope(id, name)); !errors.Is(err, vault.ErrNotFound) {
		return hookOf(id, name, style), result, err
	}
	return hookOf(id, name, style), result, nil
}

// errHook is all that a sender hears who does not prove itself: not even whether there is such a hook.
func errHook() error {
	return fault.New(fault.Forbidden, "there is no such hook, or the request does not prove that its sender has the hook's secret")
}

// Hooked starts a workflow from outside. The same id of a request again does nothing more. A sender that does not prove
// itself is a forbidden fault.
func (w *Workflows) Hooked(ctx context.Context, id, name string, header http.Header, body []byte) (Sent, error) {
	state, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return Sent{}, err
	}
	style, there := state.Settings.Hooks[name]
	if !there {
		return Sent{}, errHook()
	}
	v, err := w.Secrets.Vault(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		return Sent{}, errHook()
	}
	if err != nil {
		return Sent{}, err
	}
	secret, found, err := v.Value(ctx, hookScope(id, name), hookSecret, hookHost)
	if err != nil {
		return Sent{}, err
	}
	if !found || !proves(style, secret, header, body, w.Now()) {
		return Sent{}, errHook()
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	if !json.Valid(body) {
		return Sent{}, fault.New(fault.Invalid, "the body is not JSON: it is the input of the script")
	}
	key := cmp.Or(header.Get("Webhook-Id"), header.Get("X-Github-Delivery"), header.Get("Idempotency-Key"))
	if key != "" {
		// The names that a sender gives its requests do not meet those of another hook, and are not too long.
		sum := sha256.Sum256([]byte(key))
		key = "hook " + name + " " + hex.EncodeToString(sum[:])
	}
	sent, _, err := w.Runs.Send(ctx, "system:hook", id, key, body)
	return sent, err
}

// proves says that who sent a request has the secret.
func proves(style workflow.HookStyle, secret string, header http.Header, body []byte, now time.Time) bool {
	switch style {
	case workflow.HookStandard:
		return publisher.Proves(secret, header, body, now, hookSkew)
	case workflow.HookGitHub:
		shown, is := strings.CutPrefix(header.Get("X-Hub-Signature-256"), "sha256=")
		signature, err := hex.DecodeString(shown)
		return is && err == nil && hmac.Equal(signature, signed([]byte(secret), body))
	case workflow.HookToken:
		shown, _ := strings.CutPrefix(header.Get("Authorization"), "Bearer ")
		return subtle.ConstantTimeCompare([]byte(shown), []byte(secret)) == 1
	}
	return false
}

func signed(key, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write(body) // it never fails
	return mac.Sum(nil)
}
