package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/handlers/stall"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

// Subscriptions tells external systems of events.
type Subscriptions struct {
	Log      watchedLog
	State    *stateStore
	Codec    *event.Registry
	Commands *commands.Commands
	Now      func() time.Time
	Logger   *slog.Logger
	Links    *Links
	Secrets  *Secrets
	// Expressions makes filters and transforms.
	Expressions *process.Pool
	// Owner is whose subscriptions they are; empty for all. Any other is not there.
	Owner string

	upkeep *stall.Upkeep
}

// Subscription is an external system that is told of events, as people see it.
type Subscription struct {
	Name string `json:"name"`
	subscription.Definition
	State    string             `json:"state"` // active or paused, or lost: where it is, is not in this log
	Reason   string             `json:"reason,omitempty"`
	From     subscription.Place `json:"from"`     // after which its deliveries began
	Position string             `json:"position"` // of the last event that was read for it
	Lag      int                `json:"lag"`      // events that it has not taken
	// LeftOut is how many events its filter left out since its deliveries began.
	LeftOut   int64  `json:"left_out"`
	Failing   int    `json:"failing"` // workflows with an event that is tried again
	LastError string `json:"last_error,omitempty"`
	// FailingSince is when an event was not taken for the first time that has not been for so long that people were told.
	FailingSince time.Time `json:"failing_since,omitzero"`
	DeadLetters  int       `json:"dead_letters"` // that wait for a person
}

func (s *Subscriptions) publisher() *publisher.Publisher {
	return publisher.New(publisher.Config{
		Commands: s.Commands, Log: s.Log, Codec: s.Codec, Sinks: s.sinks(), Now: s.Now, Logger: s.Logger, Expressions: s.Expressions,
		Groups: func(ctx context.Context) (watermillsub.Groups, error) { return s.State.open(ctx) },
		Ledger: func(ctx context.Context) (watermillsub.Ledger, error) { return s.State.open(ctx) },
		Fares: func(ctx context.Context, name string, err error) {
			_, lost := errors.AsType[*eventlog.NotOfLogError](err) // which is not tried again
			s.upkeep.After(ctx, "telling "+name+" of events", err, lost)
		},
	})
}

func (s *Subscriptions) sinks() publisher.Sinks {
	return publisher.Sinks{
		Secret: s.targetSecret, Headers: s.targetHeaders, Named: s.namedSecret, Workflow: s.Commands.LoadWorkflow, Links: s.Links.decision, Now: s.Now,
		Closed: func(ctx context.Context, owner, host, port string, address netip.Addr) (string, error) {
			return egress.Closed(ctx, s.Commands, owner)(host, port, address)
		},
	}
}

// For are those of an owner only, as somebody sees them whose token is for this owner's workflows; of all if it is empty.
func (s *Subscriptions) For(owner string) *Subscriptions {
	theirs := *s
	theirs.Owner = owner
	return &theirs
}

// sees says that a subscription is for whoever asks.
func (s *Subscriptions) sees(d subscription.Definition) bool {
	return s.Owner == "" || d.Owner == s.Owner
}

// signingSecret is the name in the vault of what a subscription's target is shown: the key of a webhook, the password of a
// server. It is of no workflow, so no script can have it.
const signingSecret = "signing-key"

// headerValues is the name in the vault of the values of a webhook's headers that are not its own.
const headerValues = "header-values"

func signingScope(name string) string { return subscription.Subject(name) }

func (s *Subscriptions) targetSecret(ctx context.Context, name, host string) (string, bool, error) {
	v, err := s.Secrets.Vault(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil // nobody has made a key of the vault here
	}
	if err != nil {
		return "", false, err
	}
	return v.Value(ctx, signingScope(name), signingSecret, host)
}

// namedSecret is a secret that a subscription names, as far as it is bound to the host.
func (s *Subscriptions) namedSecret(ctx context.Context, name, secret, host string) (string, bool, error) {
	return s.Secrets.value(ctx, signingScope(name), secret, host)
}

// targetHeaders are the values of headers, by name.
func (s *Subscriptions) targetHeaders(ctx context.Context, name, host string) (values map[string]string, found bool, err error) {
	v, err := s.Secrets.Vault(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	kept, found, err := v.Value(ctx, signingScope(name), headerValues, host)
	if err != nil || !found {
		return nil, found, err
	}
	err = json.Unmarshal([]byte(kept), &values)
	return values, true, err
}

// keepHeaders keeps the values of headers for a host, and for no other.
func (s *Subscriptions) keepHeaders(ctx context.Context, name, host string, values map[string]string) error {
	v, err := s.Secrets.Vault(ctx, true)
	if err != nil {
		return err
	}
	if len(values) == 0 {
		if err := v.Remove(ctx, headerValues, signingScope(name)); !errors.Is(err, vault.ErrNotFound) {
			return err
		}
		return nil
	}
	kept, err := json.Marshal(values)
	if err != nil {
		return err
	}
	return v.Set(ctx, vault.Binding{Name: headerValues, Workflow: signingScope(name), Hosts: []string{host}}, string(kept), s.Now())
}

// headerNames are the names of headers, and refuses values that none can have.
func headerNames(values map[string]string) ([]string, error) {
	for name, value := range values {
		if len(value) > maxHeaderValue || strings.TrimSpace(value) != value || value == "" || strings.ContainsFunc(value, unicode.IsControl) {
			return nil, fault.New(fault.Invalid, "the value of the header %s is empty, has control characters or spaces around it, or is longer than %d bytes", name, maxHeaderValue)
		}
	}
	return slices.Sorted(maps.Keys(values)), nil
}

const maxHeaderValue = 4 << 10

// targetHost is the host that a subscription's events are sent to; empty for a program.
func targetHost(d subscription.Definition) string {
	u, err := d.Address()
	if err != nil || u == nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// Add begins to tell an external system of events. Key is what a webhook's deliveries are signed with, which is
// shown this once. A password in the target is kept in the vault, and not with the subscription.
// A subscription that the same command added before keeps the key that it has.
// The values of headers are kept there, too.
func (s *Subscriptions) Add(ctx context.Context, meta commands.Meta, name string, add subscription.Add, headers map[string]string) (key string, err error) {
	if add.Headers, err = headerNames(headers); err != nil {
		return "", err
	}
	if err := s.checkExpressions(ctx, &add.Filter, &add.Transform); err != nil {
		return "", err
	}
	if s.Owner != "" {
		add.Owner = s.Owner
	}
	public, secret := subscription.Part(add.Target)
	add.Target = public
	result, err := s.Commands.AddSubscription(ctx, name, add, meta)
	if err != nil {
		return "", err
	}
	if result.Repeated {
		if _, has, err := s.targetSecret(ctx, name, targetHost(add.Definition)); has || err != nil {
			return "", err
		}
	}
	if len(headers) > 0 {
		if err := s.keepHeaders(ctx, name, targetHost(add.Definition), headers); err != nil {
			return "", fmt.Errorf("the subscription is added, and has no headers: 'kintsugi subscription update %s --headers' gives them: %w", name, err)
		}
	}
	if subscription.Scheme(public) == "webhook" {
		key = publisher.NewKey()
		secret = key
	}
	if secret == "" {
		return "", nil
	}
	err = s.keepTargetSecret(ctx, name, targetHost(add.Definition), secret)
	switch {
	case err == nil:
		return key, nil
	case key != "":
		return "", fmt.Errorf("the subscription is added, and has no key to sign with: 'kintsugi subscription rotate-key %s' makes one: %w", name, err)
	}
	return "", fmt.Errorf("the subscription is added, and has no password: remove it, and add it again: %w", err)
}

// Change changes what a subscription is. Its place stays, and so does the key that a webhook's deliveries are signed with. A password is
// shown to no other host than the one it was given for, and so are headers; nil headers stay as they are.
func (s *Subscriptions) Change(ctx context.Context, meta commands.Meta, name string, change subscription.Change, headers map[string]string) error {
	state, err := s.load(ctx, name)
	if err == nil {
		err = s.checkExpressions(ctx, change.Filter, change.Transform)
	}
	if err != nil {
		return err
	}
	if headers == nil {
		return s.change(ctx, meta, name, state, change)
	}
	names, err := headerNames(headers)
	if err != nil {
		return err
	}
	change.Headers = &names
	after := change.Apply(state.Definition)
	note := meta
	note.CommandID = commands.DerivedID(meta.CommandID, "headers")
	for _, id := range []string{meta.CommandID, note.CommandID} {
		earlier, err := s.Commands.Earlier(ctx, subscription.Stream(name), id)
		if err != nil {
			return err
		}
		if _, kept, err := s.targetHeaders(ctx, name, targetHost(after)); err != nil || earlier != nil && kept {
			return err // asking twice does not take back what came between
		}
	}
	if slices.Equal(after.Headers, state.Headers) && targetHost(after) == targetHost(state.Definition) {
		if _, err := s.Commands.NoteTargetSecret(ctx, name, note); err != nil { // that they have other values is in no other event
			return err
		}
		meta.Expected = nil
	}
	if err := s.change(ctx, meta, name, state, change); err != nil {
		return err
	}
	return s.keepHeaders(ctx, name, targetHost(after), headers)
}

func (s *Subscriptions) change(ctx context.Context, meta commands.Meta, name string, state subscription.State, change subscription.Change) error {
	secret := ""
	if change.Target != nil {
		var public string
		public, secret = subscription.Part(*change.Target)
		change.Target = &public
	}
	before, now := targetHost(state.Definition), targetHost(change.Apply(state.Definition))
	if before != now && len(state.Headers) > 0 && change.Headers == nil {
		return fault.New(fault.Invalid, "the headers of %s (%s) were given for %s, and are not shown to %s: give them again, or none", name, strings.Join(state.Headers, ", "), before, now)
	}
	_, has, err := s.targetSecret(ctx, name, before)
	if err != nil {
		return err
	}
	moves := has && before != now
	if moves && secret == "" && subscription.Scheme(state.Target) != "webhook" {
		return fault.New(fault.Invalid, "the password of %s was given for %s, and is not shown to %s: give the target with its password", name, before, now)
	}
	// Both targets are shown only their own secret, whatever comes between these steps.
	keeps := moves && secret == ""
	if keeps {
		v, err := s.Secrets.Vault(ctx, true)
		if err != nil {
			return err
		}
		if err := v.Bind(ctx, signingSecret, signingScope(name), []string{now}, s.Now()); err != nil {
			return err
		}
	}
	only := now
	if _, err = s.Commands.ChangeSubscription(ctx, name, change, meta); err != nil {
		only = before
	}
	if keeps {
		kept, _, reading := s.targetSecret(ctx, name, only)
		if reading != nil {
			return errors.Join(err, reading)
		}
		return errors.Join(err, s.keepTargetSecret(ctx, name, only, kept))
	}
	if err == nil && secret != "" {
		err = s.keepTargetSecret(ctx, name, now, secret)
	}
	return err
}

func (s *Subscriptions) keepTargetSecret(ctx context.Context, name, host, kept string) error {
	v, err := s.Secrets.Vault(ctx, true)
	if err != nil {
		return err
	}
	return v.Set(ctx, vault.Binding{Name: signingSecret, Workflow: signingScope(name), Hosts: []string{host}}, kept, s.Now())
}

// RotateSigningKey makes a new key, which is shown this once: a repeated command has none. The one before signs, too, for a while.
func (s *Subscriptions) RotateSigningKey(ctx context.Context, meta commands.Meta, name string, both time.Duration) (key string, until time.Time, err error) {
	earlier, err := s.Commands.Earlier(ctx, subscription.Stream(name), meta.CommandID)
	if rotated, is := earlier.(subscription.SigningKeyRotated); is || err != nil {
		return "", rotated.Until, err
	}
	state, err := s.load(ctx, name)
	if err != nil {
		return "", until, err
	}
	host := targetHost(state.Definition)
	if subscription.Scheme(state.Target) != "webhook" {
		return "", until, fault.New(fault.Invalid, "deliveries to %s are not signed: there is no key to change", state.Target)
	}
	before, _, err := s.targetSecret(ctx, name, host)
	if err != nil {
		return "", until, err
	}
	key, until = publisher.NewKey(), s.Now().Add(both).UTC().Truncate(time.Second)
	if err := s.keepTargetSecret(ctx, name, host, publisher.RotateKey(before, key, until)); err != nil {
		return "", until, err
	}
	_, err = s.Commands.RotateSigningKey(ctx, name, subscription.RotateKey{Until: until}, meta)
	return key, until, err
}

// SetTargetSecret replaces what a target is shown, as the password of a server or the address of a Slack webhook, once for a
// command. Deliveries that failed are tried with it.
func (s *Subscriptions) SetTargetSecret(ctx context.Context, meta commands.Meta, name, secret string) error {
	state, err := s.load(ctx, name)
	if err != nil {
		return err
	}
	host := targetHost(state.Definition)
	switch scheme := subscription.Scheme(state.Target); scheme {
	case "webhook":
		return fault.New(fault.Invalid, "deliveries to %s are signed with a key that is made here: 'kintsugi subscription rotate-key %s' makes a new one", state.Target, name)
	case "exec":
		return fault.New(fault.Invalid, "a program is shown no secret")
	case "slack":
		if address, path := subscription.Part("slack:" + secret); path != "" {
			if address != state.Target {
				return fault.New(fault.Invalid, "that is an address of another host than %s: remove the subscription, and add it again", state.Target)
			}
			secret = path
		}
		if !strings.HasPrefix(secret, "/") {
			return fault.New(fault.Invalid, "give the address of the Slack webhook, https://… as Slack shows it")
		}
	default:
		if u, err := state.Address(); err != nil || u.User.Username() == "" && scheme != "redis" && scheme != "rediss" {
			return fault.New(fault.Invalid, "nobody signs in at %s: a password needs a user in the target", state.Target)
		}
	}
	if secret == "" || strings.ContainsFunc(secret, unicode.IsControl) {
		return fault.New(fault.Invalid, "the secret is empty, or has control characters")
	}
	if earlier, err := s.Commands.Earlier(ctx, subscription.Stream(name), meta.CommandID); err != nil || earlier != nil {
		return err
	}
	if err := s.keepTargetSecret(ctx, name, host, secret); err != nil {
		return err
	}
	_, err = s.Commands.NoteTargetSecret(ctx, name, meta)
	return err
}

// Remove ends a subscription, and forgets its key and what became of its deliveries.
func (s *Subscriptions) Remove(ctx context.Context, meta commands.Meta, name string) error {
	earlier, err := s.Commands.Earlier(ctx, subscription.Stream(name), meta.CommandID)
	if err == nil && earlier == nil {
		_, err = s.load(ctx, name)
	}
	if err != nil {
		return err
	}
	if _, err := s.Commands.RemoveSubscription(ctx, name, meta); err != nil {
		return err
	}
	kept, err := s.State.open(ctx)
	if err != nil {
		return err
	}
	if err := kept.Forget(ctx, name); err != nil {
		return err
	}
	v, err := s.Secrets.VaultWith(ctx, vault.Key{})
	if err != nil {
		return err
	}
	for _, kept := range []string{signingSecret, headerValues} {
		if err := v.Remove(ctx, kept, signingScope(name)); err != nil && !errors.Is(err, vault.ErrNotFound) {
			return err
		}
	}
	return nil
}

// Pause stops deliveries.
func (s *Subscriptions) Pause(ctx context.Context, meta commands.Meta, name, reason string) (commands.Result, error) {
	if _, err := s.load(ctx, name); err != nil {
		return commands.Result{}, err
	}
	return s.Commands.PauseSubscription(ctx, name, subscription.Pause{Reason: reason}, meta)
}

// Resume lets deliveries go on where they were.
func (s *Subscriptions) Resume(ctx context.Context, meta commands.Meta, name string) (commands.Result, error) {
	if _, err := s.load(ctx, name); err != nil {
		return commands.Result{}, err
	}
	return s.Commands.ResumeSubscription(ctx, name, meta)
}

// Replay delivers everything after a place again.
func (s *Subscriptions) Replay(ctx context.Context, meta commands.Meta, name string, from subscription.Place) (commands.Result, error) {
	if _, err := s.load(ctx, name); err != nil {
		return commands.Result{}, err
	}
	return s.Commands.ReplaySubscription(ctx, name, subscription.Replay{From: from}, meta)
}

// load is one that exists.
func (s *Subscriptions) load(ctx context.Context, name string) (subscription.State, error) {
	state, err := s.Commands.LoadSubscription(ctx, name)
	if err == nil && !(state.Exists && s.sees(state.Definition)) {
		state, err = subscription.State{}, fault.New(fault.NotFound, "there is no subscription %q: see 'kintsugi subscription list'", name)
	}
	return state, err
}

// Defined are all, by name.
func (s *Subscriptions) Defined(ctx context.Context) (map[string]subscription.State, error) {
	all, err := s.Commands.Subscriptions(ctx)
	maps.DeleteFunc(all, func(_ string, one subscription.State) bool { return !s.sees(one.Definition) })
	return all, err
}

// List are all, ordered by name.
func (s *Subscriptions) List(ctx context.Context) ([]Subscription, error) {
	all, err := s.Defined(ctx)
	if err != nil {
		return nil, err
	}
	shown := []Subscription{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		one, err := s.show(ctx, name, all[name])
		if err != nil {
			return nil, err
		}
		shown = append(shown, one)
	}
	return shown, nil
}

// Get is one as it is now, with what was decided about it.
func (s *Subscriptions) Get(ctx context.Context, name string) (Subscription, []HistoryLine, error) {
	state, err := s.load(ctx, name)
	if err != nil {
		return Subscription{}, nil, err
	}
	shown, err := s.show(ctx, name, state)
	if err != nil {
		return shown, nil, err
	}
	var recorded []event.Recorded
	for one, err := range s.Commands.History(ctx, []string{subscription.Stream(name)}) {
		if err != nil {
			return shown, nil, err
		}
		if _, routine := one.Event.(subscription.SubscriptionAdvanced); !routine {
			recorded = append(recorded, one)
		}
	}
	lines, err := HistoryLines(recorded, s.Now().Location())
	return shown, lines, err
}

func (s *Subscriptions) show(ctx context.Context, name string, state subscription.State) (Subscription, error) {
	shown := Subscription{Name: name, Definition: state.Definition, State: "active", Reason: state.Reason, From: state.From, DeadLetters: state.Open()}
	if state.Paused {
		shown.State = "paused"
	}
	if state.Failing != nil {
		shown.FailingSince = state.Failing.Since
	}
	progress, err := s.publisher().Progress(ctx, name, state)
	if lost, is := errors.AsType[*eventlog.NotOfLogError](err); is {
		if shown.State == "active" {
			shown.State = lostPlace
		}
		shown.LastError = fmt.Sprintf("%s: %v", publisher.LostRemedy(name), lost)
		// Nobody knows what was delivered, so the lag counts all that may not have been.
		shown.Lag, err = s.publisher().Since(ctx, name, state)
		return shown, err
	}
	if err != nil {
		return shown, err
	}
	shown.Position, shown.Lag, shown.Failing = string(progress.Read.Position), progress.Waiting, len(progress.Failing)
	shown.LeftOut = progress.LeftOut
	for _, lane := range slices.Sorted(maps.Keys(progress.Failing)) {
		shown.LastError = progress.Failing[lane]
		break
	}
	return shown, nil
}

// lostPlace is the state of a subscription whose place is not in this log: nothing is delivered to it until it is replayed.
const lostPlace = "lost"

// NotePlaces has a log say itself how far its subscriptions are, as a state store has it, for a copy that is about to be made of the log.
func NotePlaces(ctx context.Context, log eventlog.Log, state Address, logger *slog.Logger) (err error) {
	if state.Exists() != nil {
		return nil // nothing was ever kept
	}
	codec, err := NewCodec()
	if err != nil {
		return err
	}
	of := commands.New(commands.Config{Log: log, Codec: codec, Now: time.Now, NewID: NewID, CheckScript: process.Check})
	all, err := of.Subscriptions(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	store := stateStore{Address: state, logger: logger}
	defer func() { err = errors.Join(err, store.Close()) }()
	notes := publisher.New(publisher.Config{
		Commands: of, Log: log, Codec: codec, Now: time.Now, Logger: logger,
		Groups: func(ctx context.Context) (watermillsub.Groups, error) { return store.open(ctx) },
	})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if noting := notes.Note(ctx, name, all[name]); noting != nil {
			err = errors.Join(err, fmt.Errorf("subscription %s: %w", name, noting))
		}
	}
	return err
}

// PlaceIn reads from where deliveries begin: start, now, a position, or a time as [ParseSince] reads it.
func (s *Subscriptions) PlaceIn(ctx context.Context, text string) (subscription.Place, error) {
	var at eventlog.Position
	switch number, err := strconv.ParseInt(text, 10, 64); {
	case text == "start":
		return subscription.Place{}, nil
	case text == "now":
		at = eventlog.End
	case err == nil && number >= 0:
		at = eventlog.PositionOf(number)
		head, err := s.Log.Head(ctx)
		if err != nil {
			return subscription.Place{}, err
		}
		if at > head {
			return subscription.Place{}, fault.New(fault.Invalid, "--from %s: the log has no such position yet; its newest event is at %s", text, strings.TrimLeft(string(head), "0"))
		}
	default:
		since, err := ParseSince(text, s.Now())
		if err != nil {
			return subscription.Place{}, fault.New(fault.Invalid, "--from %q is not start, now, a position in the log, a time like 2026-03-03 or \"2026-03-03 08:00\", or a weekday like monday", text)
		}
		for record, err := range s.Log.AllBackward(ctx, eventlog.End, eventlog.Everything) {
			if err != nil {
				return subscription.Place{}, err
			}
			recorded := record.RecordedAt // of this copy of the log
			if metadata, err := event.ReadMetadata(record.Metadata); err == nil {
				recorded = metadata.RecordedAt
			}
			if recorded.Before(since) {
				return publisher.PlaceOf(eventlog.CheckpointOf(record)), nil
			}
		}
		return subscription.Place{}, nil
	}
	checkpoint, err := eventlog.CheckpointAt(ctx, s.Log, at)
	return publisher.PlaceOf(checkpoint), err
}

// DeadLetters are those that wait for a person, in the order of the log.
func (s *Subscriptions) DeadLetters(ctx context.Context, name string) ([]subscription.DeadLettered, error) {
	state, err := s.load(ctx, name)
	letters := []subscription.DeadLettered{}
	for _, letter := range state.Letters {
		if !letter.Settled {
			letters = append(letters, letter.DeadLettered)
		}
	}
	slices.SortFunc(letters, func(a, b subscription.DeadLettered) int { return cmp.Compare(a.Event.Position, b.Event.Position) })
	return letters, err
}

// chosen are the dead letters that are named, or all.
func (s *Subscriptions) chosen(ctx context.Context, name string, ids []string) ([]subscription.DeadLettered, error) {
	letters, err := s.DeadLetters(ctx, name)
	if err != nil || len(ids) == 0 {
		return letters, err
	}
	var chosen []subscription.DeadLettered
	for _, id := range ids {
		at := slices.IndexFunc(letters, func(one subscription.DeadLettered) bool { return one.Event.EventID == id })
		if at < 0 {
			return nil, fault.New(fault.NotFound, "event %s is no dead letter that waits: see 'kintsugi subscription dead-letters list %s'", id, name)
		}
		chosen = append(chosen, letters[at])
	}
	return chosen, nil
}

// ofLetter is of the command about the nth of several dead letters, one command for whoever asked.
func ofLetter(meta commands.Meta, nth int, id string) commands.Meta {
	if nth > 0 {
		meta.CommandID, meta.Expected = commands.DerivedID(meta.CommandID, id), nil
	}
	return meta
}

// DropDeadLetters does without the delivery of dead letters; none named is all that there are when the command comes for the first
// time. It returns their events.
func (s *Subscriptions) DropDeadLetters(ctx context.Context, meta commands.Meta, name, reason string, ids []string) ([]string, error) {
	dropped := []string{}
	if earlier, err := s.Commands.Earlier(ctx, subscription.Stream(name), meta.CommandID); err != nil || earlier != nil {
		return dropped, err
	}
	letters, err := s.chosen(ctx, name, ids)
	for i, letter := range letters {
		if _, err := s.Commands.DropDeadLetter(ctx, name, subscription.Drop{EventID: letter.Event.EventID, Reason: reason}, ofLetter(meta, i, letter.Event.EventID)); err != nil {
			return dropped, err
		}
		dropped = append(dropped, letter.Event.EventID)
	}
	return dropped, err
}
