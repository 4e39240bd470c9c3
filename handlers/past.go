package handlers

import (
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/tool"
)

// past answers calls from what was done before, by tool, canonical arguments and
// occurrence. It keeps rule 15: writes must be repeated in order, and before any new one.
type past struct {
	entries []pastEntry
	byCall  map[string][]int // indexes of entries not yet taken
	writes  []int            // indexes of writes not yet repeated, in order
}

type pastEntry struct {
	sandbox.Entry
	from string // the run whose journal answers
	key  string // idempotency key of a write
	own  bool   // in the stream of the very run that goes on: not to be journaled again
	// inDoubt is a write that went out and never came back: nobody knows whether it happened.
	inDoubt bool
	// optional is a write that happened and that need not be repeated.
	optional bool
	seq      int // in the journal that it is of
}

func (e pastEntry) call() sandbox.Call {
	return sandbox.Call{Tool: e.Tool, Args: e.Args, Effect: e.Effect}
}

func newPast(entries []pastEntry) *past {
	p := &past{entries: entries, byCall: map[string][]int{}}
	for i, entry := range entries {
		call := callKey(entry.Tool, entry.Args)
		p.byCall[call] = append(p.byCall[call], i)
		if entry.Effect == sandbox.Write && !entry.optional {
			p.writes = append(p.writes, i)
		}
	}
	return p
}

func callKey(name string, args []byte) string {
	return name + "\x00" + sandbox.Canonical(args)
}

// take answers a call, if it was made before. Diverged says that the call is a write that
// does not repeat what was written, in order.
func (p *past) take(call sandbox.Call) (entry pastEntry, found, diverged bool) {
	key := callKey(call.Tool, call.Args)
	waiting := p.byCall[key]
	if len(waiting) == 0 {
		return pastEntry{}, false, call.Effect == sandbox.Write && len(p.writes) > 0
	}
	entry = p.entries[waiting[0]]
	if entry.Effect == sandbox.Write && !entry.optional {
		if p.writes[0] != waiting[0] {
			return pastEntry{}, false, true
		}
		p.writes = p.writes[1:]
	}
	p.byCall[key] = waiting[1:]
	return entry, true, false
}

// unrepeated is the next write that happened and was not made again.
func (p *past) unrepeated() (pastEntry, bool) {
	if len(p.writes) == 0 {
		return pastEntry{}, false
	}
	return p.entries[p.writes[0]], true
}

// left are the entries that nothing has taken, in order.
func (p *past) left() []pastEntry {
	var indexes []int
	for _, waiting := range p.byCall {
		indexes = append(indexes, waiting...)
	}
	slices.Sort(indexes)
	entries := make([]pastEntry, len(indexes))
	for i, index := range indexes {
		entries[i] = p.entries[index]
	}
	return entries
}

// pastOf is what a run did, as answers for whoever goes on with it.
// Writes that were never answered are made again if idempotent says that this does nothing twice;
// of one that was made again with its key, the last call tells.
func pastOf(s run.State, idempotent func(sandbox.Call) bool) []pastEntry {
	var entries []pastEntry
	last := map[string]int{}
	for _, call := range s.Calls {
		last[call.Key] = call.Seq
	}
	for _, call := range s.Calls {
		entry := pastEntry{from: call.From, key: call.Key, seq: call.Seq, Entry: sandbox.Entry{
			Tool: call.Tool, Args: call.Args, Effect: sandbox.Effect(call.Effect),
			Result: call.Result, Error: sandboxErrorOf(call.Error), MS: call.MS,
		}}
		if entry.from == "" {
			entry.from = s.Run
		}
		if !call.Returned {
			made := sandbox.Call{Tool: call.Tool, Args: call.Args, Effect: entry.Effect}
			again := call.Key != "" && last[call.Key] != call.Seq
			if !announced(call.Tool, entry.Effect) || call.Resolved == run.ResolvedDidNot || again || idempotent(made) {
				continue // it is made when it comes
			}
			entry.inDoubt = true
		}
		entries = append(entries, entry)
	}
	return entries
}

// leftOf is what older runs did and a newer one, with these entries of its own, did not come
// to repeat. A read that the newer one made for itself replaces the older answers.
func leftOf(older, newer []pastEntry, run string) []pastEntry {
	rest := newPast(older)
	again := map[string]bool{}
	for _, entry := range newer {
		if entry.from != run {
			rest.take(sandbox.Call{Tool: entry.Tool, Args: entry.Args, Effect: entry.Effect})
		} else {
			again[callKey(entry.Tool, entry.Args)] = true
		}
	}
	return slices.DeleteFunc(rest.left(), func(entry pastEntry) bool {
		return entry.Effect != sandbox.Write && again[callKey(entry.Tool, entry.Args)]
	})
}

// announced says that a call is journaled before it goes out, because repeating it might do
// something twice.
func announced(name string, effect sandbox.Effect) bool {
	declared, known := tool.Lookup(name)
	return effect == sandbox.Write && (!known || !declared.Idempotent)
}

// onlyWrites drops the reads: they are to be made afresh.
func onlyWrites(entries []pastEntry) []pastEntry {
	return slices.DeleteFunc(slices.Clone(entries), func(entry pastEntry) bool { return entry.Effect != sandbox.Write })
}

// withoutPassing drops the calls at the end whose trouble may have passed: they are made again. If that
// trouble is what the run failed with, what its script noted and told about it stays, and need not be repeated.
func withoutPassing(entries []pastEntry, failed *failure.Failure, settings workflow.Settings) []pastEntry {
	env := &tool.Env{AtomicHosts: settings.AtomicHosts}
	var about []pastEntry
	for end := len(entries); end > 0; end-- {
		switch last := entries[end-1]; {
		case last.passing(env):
			entries = slices.Concat(entries[:end-1], about)
		case failed == nil || !passingClass(failed.Class) || last.inDoubt || last.Tool != notifyTool && !isLocal(last.call()):
			return entries
		case last.Effect == sandbox.Write:
			last.optional = true
			about = append([]pastEntry{last}, about...)
		}
	}
	return entries
}

// passing says that a call was refused with a trouble that may have passed.
func (e pastEntry) passing(env *tool.Env) bool {
	switch {
	case e.inDoubt:
		return false
	case e.Error != nil:
		return passingClass(failure.Class(e.Error.Class))
	}
	return tool.Refused(env, e.call(), e.Result)
}

func passingClass(class failure.Class) bool {
	return class == failure.Network || class == failure.Auth || class == failure.Permission
}

// never is of those who look back at a run that has ended.
func never(sandbox.Call) bool { return false }

// idempotentHosts says which writes may be sent again with the same key: those to hosts that a
// person has declared so.
func idempotentHosts(settings workflow.Settings) func(sandbox.Call) bool {
	return func(call sandbox.Call) bool {
		return strings.HasPrefix(call.Tool, "web.") && slices.Contains(settings.IdempotentHosts, hostPortOf(call.Args))
	}
}
