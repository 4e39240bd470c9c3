package healer

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/basics/filelock"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

// Config is what a Healer needs. Model and Allowed may be missing: then the rules choose.
type Config struct {
	Commands *commands.Commands
	Launcher *launch.Launcher
	// Dir is the data directory: launches are kept below it, and sessions of other machines are not for this one.
	Dir    string
	Host   string
	Now    func() time.Time
	Logger *slog.Logger
	Model  llm.Model
	// Allowed is asked before each call to the model.
	Allowed func(ctx context.Context) error
	Place   agents.Place
	// Equip gives a program of a plan's job what such programs have, and an agent its secrets; nil where there are no plans. A
	// refusal of the kind not found is for a person: the spell is not applied.
	Equip func(ctx context.Context, plan, job string, agent bool, spec *launch.Spec) error
}

// Healer heals sessions. It is a reaction of the loop, and works without one.
type Healer struct {
	config Config
	spells map[session.Spell]spell
	repos  gitrepo.Opener
}

var _ loop.Reaction[session.State] = (*Healer)(nil)

// New panics if a dependency is missing: that is a mistake in the wiring.
func New(config Config) *Healer {
	if config.Commands == nil || config.Launcher == nil || config.Dir == "" || config.Host == "" || config.Now == nil || config.Logger == nil {
		panic("healer: New without a dependency")
	}
	return &Healer{config: config, spells: allSpells()}
}

// Name implements [loop.Reaction].
func (h *Healer) Name() string { return "healer" }

// Due implements [loop.Reaction]: a healing that is under way here.
func (h *Healer) Due(id string, state session.State) []loop.Work {
	healing, open := state.Open()
	if !open || !state.For(h.config.Host, h.config.Dir) {
		return nil
	}
	return []loop.Work{{Key: strconv.Itoa(healing.Healing), Do: func(ctx context.Context) error { return h.Run(ctx, id) }}}
}

// Run goes on with the healing of a session to its end; if another process is at it, that one does.
func (h *Healer) Run(ctx context.Context, id string) error {
	release, err := h.lock(id)
	if err != nil {
		return err
	}
	defer release()
	for {
		state, err := h.config.Commands.LoadSession(ctx, id)
		if err != nil {
			return err
		}
		next, due := state.Next()
		if !due {
			return nil
		}
		if !state.For(h.config.Host, h.config.Dir) {
			return fault.New(fault.Conflict, "session %s works on %s, with the data in %s: it is healed there", id, state.Host, state.Place)
		}
		if err := h.step(ctx, state, next); err != nil {
			if fault.KindOf(err) == fault.Conflict && h.ended(ctx, state) {
				return nil // somebody stopped it
			}
			if ctx.Err() == nil && gitrepo.Refused(err) { // it would be so again: people are told, and may have it healed anew
				return h.giveUp(ctx, state, err)
			}
			return fmt.Errorf("healer: session %s, %s %s: %w", id, next.Step, next.Spell, err)
		}
	}
}

// giveUp ends a healing that git lets nobody go on with.
func (h *Healer) giveUp(ctx context.Context, state session.State, why error) error {
	if err := h.Stop(ctx, state.ID, "it could not go on: "+why.Error()); err != nil {
		return err
	}
	healing, _ := state.Open()
	return h.report(ctx, state.ID, healing.Healing)
}

// ended says that the healing which was under way in a state is not any more.
func (h *Healer) ended(ctx context.Context, state session.State) bool {
	now, err := h.config.Commands.LoadSession(ctx, state.ID)
	before, _ := state.Open()
	open, still := now.Open()
	return err == nil && (!still || open.Healing != before.Healing)
}

// otherLooked is how often it is seen whether another process has ended.
const otherLooked = time.Second

// lock makes this process the one that heals a session. The kernel lets go of it when the process ends.
func (h *Healer) lock(id string) (release func(), err error) {
	if err := os.MkdirAll(h.place(id), 0o700); err != nil {
		return nil, fmt.Errorf("healer: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(h.place(id), "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("healer: %w", err)
	}
	if locked, err := filelock.Try(file, filelock.Exclusive); err != nil || !locked {
		_ = file.Close()
		return nil, &loop.Wait{Until: h.config.Now().Add(otherLooked)}
	}
	return func() {
		// Said, not left to the end of the file: a process that is being started has it open, too, for a moment.
		_ = filelock.Unlock(file)
		_ = file.Close()
	}, nil
}

// meta is of a command that the Healer gives. A command that is repeated, also after a restart, is carried out once.
func meta(id string, parts ...any) commands.Meta {
	text := []string{"healer", id}
	for _, part := range parts {
		text = append(text, fmt.Sprint(part))
	}
	return commands.Meta{Actor: "system:healer", CommandID: commands.DerivedID(text...), CorrelationID: session.Subject(id)}
}

func (h *Healer) step(ctx context.Context, state session.State, next session.Next) error {
	healing, _ := state.Open()
	number := healing.Healing
	switch next.Step {
	case session.StepAsk:
		return h.ask(ctx, state)
	case session.StepCast:
		if next.Started == 0 {
			return h.start(ctx, state, session.StartSpell{Healing: number, Spell: next.Spell, By: session.Rules})
		}
		return h.apply(ctx, state, true)
	case session.StepCheck:
		return h.check(ctx, state)
	default:
		if _, err := h.config.Commands.OnSession(ctx, state.ID, session.Conclude{Healing: number}, meta(state.ID, number, "conclude")); err != nil {
			return err
		}
		return h.report(ctx, state.ID, number)
	}
}

// start says that a spell begins, and applies it.
func (h *Healer) start(ctx context.Context, state session.State, command session.StartSpell) error {
	healing, _ := state.Open()
	if _, err := h.config.Commands.OnSession(ctx, state.ID, command, meta(state.ID, command.Healing, "start", len(healing.Casts)+1)); err != nil {
		return err
	}
	state, err := h.config.Commands.LoadSession(ctx, state.ID)
	if err != nil {
		return err
	}
	return h.apply(ctx, state, false)
}

// apply applies the spell that was started, again if an earlier life may have begun with it.
func (h *Healer) apply(ctx context.Context, state session.State, again bool) error {
	healing, _ := state.Open()
	cast := healing.Casts[len(healing.Casts)-1]
	repo, tree, err := h.open(ctx, state)
	if err != nil {
		return err
	}
	b := &workspace{Healer: h, state: state, healing: healing, cast: cast.SpellStarted, repo: repo, tree: tree}
	applied, err := b.perform(ctx, again)
	if err != nil {
		return err
	}
	_, err = h.config.Commands.OnSession(ctx, state.ID, session.ApplySpell{SpellApplied: applied}, meta(state.ID, cast.Healing, "applied", cast.Cast))
	return err
}

// check runs the check that failed again, and says what came of it.
func (h *Healer) check(ctx context.Context, state session.State) error {
	healing, _ := state.Open()
	name := fmt.Sprintf("healing-%d-check-%d", healing.Healing, len(healing.Casts))
	saw, err := h.observe(ctx, state, healing, healing.Failure.Check, name)
	if err != nil {
		return err
	}
	_, err = h.config.Commands.OnSession(ctx, state.ID, session.ReportCheck{CheckRan: saw}, meta(state.ID, healing.Healing, "check", len(healing.Casts)))
	return err
}
