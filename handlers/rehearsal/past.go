package rehearsal

import (
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Past answers calls from what was done before, by tool, canonical arguments and
// occurrence. It keeps rule 15: writes must be repeated in order, and before any new one.
type Past struct {
	entries []Entry
	byCall  sandbox.Matches // entries not yet taken
	writes  []int           // indexes of writes not yet repeated, in order
}

// Entry is one call that was made.
type Entry struct {
	sandbox.Entry
	From    string // the run that made it
	Version string // of the script that made or repeated it last
	Age     int    // how many runs ago it was made, if by one that goes before
	Key     string // idempotency key of a write
	Own     bool   // in the stream of the very run that goes on: not to be journaled again
	// InDoubt is a write that went out and never came back: nobody knows whether it happened.
	InDoubt bool
	// optional is a write that happened and that need not be repeated.
	optional bool
	Seq      int // in the journal that it is of
}

func (e Entry) call() sandbox.Call {
	return sandbox.Call{Tool: e.Tool, Args: e.Args, Effect: e.Effect}
}

// NewPast answers from entries, in their order.
func NewPast(entries []Entry) *Past {
	p := &Past{entries: entries}
	for i, entry := range entries {
		p.byCall.Add(i, entry.Tool, entry.Args)
		if entry.Effect == sandbox.Write && !entry.optional {
			p.writes = append(p.writes, i)
		}
	}
	return p
}

// Take answers a call, if it was made before. Diverged says that the call is a write that
// does not repeat what was written, in order.
func (p *Past) Take(call sandbox.Call) (entry Entry, found, diverged bool) {
	outOfOrder := false
	index, found := p.byCall.TakeIf(call.Tool, call.Args, func(index int) bool {
		repeats := p.entries[index]
		outOfOrder = repeats.Effect == sandbox.Write && !repeats.optional && p.writes[0] != index
		return !outOfOrder
	})
	if !found {
		return Entry{}, false, outOfOrder || call.Effect == sandbox.Write && len(p.writes) > 0
	}
	entry = p.entries[index]
	if entry.Effect == sandbox.Write && !entry.optional {
		p.writes = p.writes[1:]
	}
	return entry, true, false
}

// Unrepeated is the next write that happened and was not made again.
func (p *Past) Unrepeated() (Entry, bool) {
	if len(p.writes) == 0 {
		return Entry{}, false
	}
	return p.entries[p.writes[0]], true
}

// OwesLocal says that a write to the workflow's own keys or files happened and was not made again.
func (p *Past) OwesLocal() bool {
	return slices.ContainsFunc(p.writes, func(i int) bool { return hostcall.Of(p.entries[i].Tool).Local })
}

// left are the entries that nothing has taken, in order.
func (p *Past) left() []Entry {
	indexes := p.byCall.Left()
	entries := make([]Entry, len(indexes))
	for i, index := range indexes {
		entries[i] = p.entries[index]
	}
	return entries
}

// PastOf is a run's calls as answers for the run that continues it. Writes that were never answered are made again if
// idempotent says that this does nothing twice; if one was made again with its key, its last call counts.
func PastOf(s run.State, idempotent func(sandbox.Call) bool) []Entry {
	var entries []Entry
	last, resolved := map[string]int{}, false
	for _, call := range s.Calls {
		last[call.Key] = call.Seq
	}
	for _, call := range slices.Concat(s.Calls, s.Before) {
		if Dropped(s) && call.From == "" && call.Effect == run.EffectWrite && hostcall.Of(call.Tool).Local {
			continue
		}
		resolved = resolved || call.Resolved != ""
		entry := Entry{From: call.From, Version: s.Version, Key: call.Key, Seq: call.Seq, Entry: sandbox.Entry{
			Tool: call.Tool, Args: call.Args, Effect: sandbox.Effect(call.Effect),
			Result: answered(call), Error: SandboxErrorOf(call.Error), MS: call.MS,
		}}
		if entry.From == "" {
			entry.From = s.Run
		}
		if !call.Returned {
			made := sandbox.Call{Tool: call.Tool, Args: call.Args, Effect: entry.Effect}
			again := call.Key != "" && last[call.Key] != call.Seq
			if !Announced(call.Tool, entry.Effect) || call.Resolved == run.ResolvedDidNot || again || idempotent(made) {
				continue // it is made when it comes
			}
			entry.InDoubt = true
		}
		entry.optional = resolved && hostcall.Of(call.Tool).Local // what followed on another answer may come otherwise
		entries = append(entries, entry)
	}
	return entries
}

// Dropped says that what a run wrote to keys and files itself came to nothing: it held that back, and ended because others had changed
// what it had read.
func Dropped(s run.State) bool {
	return s.HoldsBack && s.Failure != nil && s.Failure.Code == failure.CodeOvertaken
}

// LeftOf is what older runs did and a newer one, with these entries of its own, did not come
// to repeat. A read that the newer one made for itself replaces the older answers.
func LeftOf(older, newer []Entry, run string) []Entry {
	rest := NewPast(older)
	again := map[string]bool{}
	for _, entry := range newer {
		if entry.From != run {
			rest.Take(sandbox.Call{Tool: entry.Tool, Args: entry.Args, Effect: entry.Effect})
		} else {
			again[sandbox.CallKey(entry.Tool, entry.Args)] = true
		}
	}
	return slices.DeleteFunc(rest.left(), func(entry Entry) bool {
		return entry.Effect != sandbox.Write && again[sandbox.CallKey(entry.Tool, entry.Args)]
	})
}

// Announced says that a call is journaled before it goes out, because repeating it might do
// something twice.
func Announced(name string, effect sandbox.Effect) bool {
	return effect == sandbox.Write && !hostcall.Of(name).Idempotent
}

// OnlyWrites drops the reads: they are to be made afresh.
func OnlyWrites(entries []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(entry Entry) bool { return entry.Effect != sandbox.Write })
}

// WithoutPassing is what a run did without the calls at its end whose trouble may have passed: they are made again. Reads that
// were answered at the same time stay. If that trouble is what the run failed with, what its script noted and told about it
// stays, and need not be repeated.
func WithoutPassing(entries []Entry, failed run.State, settings workflow.Settings) []Entry {
	env := &hostcall.Env{AtomicHosts: settings.AtomicHosts}
	about := failed.Failure != nil && passingClass(failed.Failure.Class)
	refused := failed.Failure.RefusedWrite() // the last one
	var stay []Entry
	for end := len(entries); end > 0; end-- {
		switch last := entries[end-1]; {
		case refused && last.Effect == sandbox.Write && !last.InDoubt && hostcall.Of(last.Tool).Request != nil:
			refused, entries = false, slices.Concat(entries[:end-1], stay)
		case last.passing(env), last.failed(failed.Failure, IdempotentHosts(settings)):
			entries = slices.Concat(entries[:end-1], stay)
		case failed.Overlap && last.Effect == sandbox.Read && !hostcall.Of(last.Tool).Local:
			stay = append([]Entry{last}, stay...)
		case !about || last.InDoubt || hostcall.Of(last.Tool).Message == nil && !hostcall.Of(last.Tool).Local:
			return entries
		case last.Effect == sandbox.Write:
			last.optional = true
			stay = append([]Entry{last}, stay...)
		}
	}
	return entries
}

// passing says that a call was refused with a trouble that may have passed.
func (e Entry) passing(env *hostcall.Env) bool {
	switch {
	case e.InDoubt:
		return false
	case e.Error != nil:
		return passingClass(failure.Class(e.Error.Class))
	}
	return hostcall.Refused(env, e.call(), e.Result)
}

// failed says that a run failed of what a write was answered with, and the write can be made again: a page for signing in, or what says
// nothing to a host that knows writes by their key.
func (e Entry) failed(why *failure.Failure, idempotent func(sandbox.Call) bool) bool {
	if why == nil || e.InDoubt || e.Error != nil || e.Effect != sandbox.Write {
		return false
	}
	judged := hostcall.Judged(e.call(), e.Result)
	return judged != nil && judged.Code == why.Code && (judged.Code != hostcall.CodeIndeterminate || idempotent(e.call()))
}

func passingClass(class failure.Class) bool {
	return class == failure.Network || class == failure.Auth || class == failure.Permission
}

// Never is of those who look back at a run that has ended.
func Never(sandbox.Call) bool { return false }

// IdempotentHosts says which writes may be sent again with the same key: those to hosts that a
// person has declared so.
func IdempotentHosts(settings workflow.Settings) func(sandbox.Call) bool {
	return func(call sandbox.Call) bool {
		return hostcall.Of(call.Tool).Request != nil && slices.Contains(settings.IdempotentHosts, egress.HostPortOf(call.Args))
	}
}

const excerptBytes = 120

// Excerpt is the beginning of a call's arguments, for people.
func Excerpt(args []byte) string {
	if len(args) <= excerptBytes {
		return string(args)
	}
	return string(args[:excerptBytes]) + "…"
}
