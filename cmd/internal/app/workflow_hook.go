package app

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"slices"
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
	Style    workflow.HookStyle `json:"style" enum:"standard,token,github,stripe,slack,shopify,twilio,meta,zoom,discord,linear,telegram"`
	Path     string             `json:"path" doc:"Where it is, on the server"`
	Answers  int64              `json:"answer_within_ms,omitempty" doc:"It answers with what the run returns, if that ends within this time, in milliseconds"`
	Secret   string             `json:"secret,omitempty" doc:"What a sender proves itself with, if it was made here. It is said once"`
	Verify   string             `json:"verify_token,omitempty" doc:"What Meta is given as the verify token. It is said once"`
}

// The vault's names for what is kept of a hook. No workflow can have the name of the scope, so no script can use it; and it is sent
// nowhere.
const (
	hookSecret = "hook-key"
	hookHost   = "hook.invalid"
	hookPrefix = "kin_hook_"
)

func hookScope(id, name string) string { return "hook " + id + " " + name }

func hookOf(id, name string, style workflow.HookStyle) Hook {
	return Hook{Workflow: id, Name: name, Style: style, Path: "/hooks/" + id + "/" + name}
}

// Hooks are those of a workflow, by name.
func (w *Workflows) Hooks(ctx context.Context, id string) ([]Hook, error) {
	state, err := w.Commands.LoadWorkflow(ctx, id)
	hooks := []Hook{}
	for _, name := range slices.Sorted(maps.Keys(state.Settings.Hooks)) {
		hook := hookOf(id, name, state.Settings.Hooks[name])
		hook.Answers = state.Settings.HookAnswersMS[name]
		hooks = append(hooks, hook)
	}
	return hooks, err
}

// AddHook makes a hook, with the secret that its service has made, or with a new one if it is empty, which is in the answer, and never
// again. A sender waits for the run for the given time, zero for not at all.
func (w *Workflows) AddHook(ctx context.Context, meta commands.Meta, id, name string, style workflow.HookStyle, secret string, within time.Duration) (Hook, commands.Result, error) {
	state, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return Hook{}, commands.Result{}, err
	}
	if _, there := state.Settings.Hooks[name]; there {
		return Hook{}, commands.Result{}, fault.New(fault.Conflict, "%s has a hook %q already: remove it first, and senders need the new secret", state.Title, name)
	}
	made := hookOf(id, name, style)
	if err := checkHookSecret(style, secret); err != nil {
		return Hook{}, commands.Result{}, err
	}
	switch {
	case secret != "":
	case style == workflow.HookStandard:
		made.Secret = publisher.NewKey()
	default:
		made.Secret = randomToken(hookPrefix)
	}
	secret = cmp.Or(secret, made.Secret)
	if style == workflow.HookMeta {
		made.Verify = verifyToken(id, name, secret)
	}
	settings := state.Settings
	settings.Hooks = maps.Clone(settings.Hooks)
	if settings.Hooks == nil {
		settings.Hooks = map[string]workflow.HookStyle{}
	}
	settings.Hooks[name] = style
	if within != 0 {
		made.Answers = within.Milliseconds()
		settings.HookAnswersMS = maps.Clone(settings.HookAnswersMS)
		if settings.HookAnswersMS == nil {
			settings.HookAnswersMS = map[string]int64{}
		}
		settings.HookAnswersMS[name] = made.Answers
	}
	if err := settings.Validate(); err != nil {
		return Hook{}, commands.Result{}, err
	}
	v, err := w.Secrets.Vault(ctx, true)
	if err != nil {
		return Hook{}, commands.Result{}, err
	}
	// The secret comes first: a hook without one lets nobody in, and could not be shown again.
	if err := v.Set(ctx, vault.Binding{Name: hookSecret, Workflow: hookScope(id, name), Hosts: []string{hookHost}}, secret, w.Now()); err != nil {
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
	if _, answers := settings.HookAnswersMS[name]; answers {
		settings.HookAnswersMS = maps.Clone(settings.HookAnswersMS)
		delete(settings.HookAnswersMS, name)
	}
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

// verifyToken is what Meta shows when it asks whether a hook is there. It follows from the secret, so that nothing else is kept.
func verifyToken(id, name, secret string) string {
	sum := hmac.New(sha256.New, []byte(secret))
	_, _ = sum.Write([]byte("verify " + hookScope(id, name))) // it never fails
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Hooked starts a workflow from outside, or answers a sender that only asks whether the hook is there. The same id of a request again
// does nothing more. A sender that does not prove itself is a forbidden fault. Sent is the answer where that is zero, and what the run
// returns is if it ends within the answer's time.
func (w *Workflows) Hooked(ctx context.Context, id, name string, request HookRequest) (answer HookAnswer, sent Sent, err error) {
	state, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return answer, sent, err
	}
	style, there := hookStyles[state.Settings.Hooks[name]]
	if !there {
		return answer, sent, errHook()
	}
	v, err := w.Secrets.Vault(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		return answer, sent, errHook()
	}
	if err != nil {
		return answer, sent, err
	}
	secret, found, err := v.Value(ctx, hookScope(id, name), hookSecret, hookHost)
	if err != nil {
		return answer, sent, err
	}
	came := hookAsked{request, secret, verifyToken(id, name, secret), w.Now()}
	switch {
	case !found || !style.admits(came):
		return answer, sent, errHook()
	case style.challenge != nil:
		if challenged := style.challenge(came); challenged != nil {
			return *challenged, sent, nil
		}
	}
	if request.Method != http.MethodPost {
		return answer, sent, errHook()
	}
	input, err := request.input()
	if err != nil {
		return answer, sent, err
	}
	key := style.id(came)
	if key != "" {
		// The names that a sender gives its requests do not meet those of another hook, and are not too long.
		sum := sha256.Sum256([]byte(key))
		key = "hook " + name + " " + hex.EncodeToString(sum[:])
	}
	if sent, _, err = w.Runs.Send(ctx, "system:hook", id, key, input); err == nil && style.taken != nil {
		answer = style.taken(came)
	}
	answer.Within = time.Duration(state.Settings.HookAnswersMS[name]) * time.Millisecond
	return answer, sent, err
}
