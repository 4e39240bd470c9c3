package gate

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Widening is what a candidate needs beyond where its major version has been: what a person
// allows by accepting it.
type Widening struct {
	Hosts   []string    `json:"hosts,omitempty"`   // as URLs have them: with a port if it is not the usual one
	Writes  []string    `json:"writes,omitempty"`  // method host/first/second
	Secrets []SecretUse `json:"secrets,omitempty"` // that were never sent there
}

// SecretUse is a secret that a script sends to a host.
type SecretUse struct {
	Name string `json:"name"`
	Host string `json:"host"`
}

// secretHandle is what stands in a call's arguments in the place of a secret.
var secretHandle = lazyregexp.New(`\{\{secret:([^{}]*)\}\}`)

// widening is found in the calls that the candidate makes on the failing run, as far as they are
// answered, in its first unanswered calls, and in the addresses that it spells out. Nil if it
// stays inside.
func (q *inquiry) widening() *Widening {
	var w Widening
	envelope := q.gate.envelope
	calls := slices.Clone(q.missed)
	for _, call := range q.outcome.Calls {
		calls = append(calls, sandbox.Call{Tool: call.Tool, Args: call.Args, Effect: call.Effect})
	}
	sent := q.gate.secretsSent()
	for _, call := range calls {
		args, _ := decode(call.Args).([]any)
		t, ok := webTarget(call.Tool, args)
		if !ok {
			continue
		}
		if !envelope.allows(call.Tool, call.Args, call.Effect, q.own) {
			if !envelope.hosts[t.host] {
				w.Hosts = append(w.Hosts, t.host)
			}
			if call.Effect == sandbox.Write {
				w.Writes = append(w.Writes, envelope.place(t, q.own))
			}
		}
		for _, use := range secretsIn(t.host, call.Args) {
			if !sent[use] {
				w.Secrets = append(w.Secrets, use)
			}
		}
	}
	for _, node := range q.candidate.Nodes {
		if t, ok := spelledTarget(node); ok && !envelope.hosts[t.host] {
			w.Hosts = append(w.Hosts, t.host)
		}
	}
	slices.Sort(w.Hosts)
	slices.Sort(w.Writes)
	slices.SortFunc(w.Secrets, func(a, b SecretUse) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Host, b.Host)) })
	w.Hosts, w.Writes, w.Secrets = slices.Compact(w.Hosts), slices.Compact(w.Writes), slices.Compact(w.Secrets)
	if len(w.Hosts)+len(w.Writes)+len(w.Secrets) == 0 {
		return nil
	}
	return &w
}

// secretsSent is which secrets the recorded runs sent where.
func (g *Gate) secretsSent() map[SecretUse]bool {
	sent := map[SecretUse]bool{}
	for _, run := range append(slices.Clone(g.subject.Successes), g.subject.Failed) {
		for _, call := range run.Calls {
			args, _ := decode(call.Args).([]any)
			if t, ok := webTarget(call.Tool, args); ok {
				for _, use := range secretsIn(t.host, call.Args) {
					sent[use] = true
				}
			}
		}
	}
	return sent
}

func secretsIn(host string, args json.RawMessage) []SecretUse {
	var uses []SecretUse
	for _, found := range secretHandle.FindAllSubmatch(args, -1) {
		uses = append(uses, SecretUse{Name: string(found[1]), Host: host})
	}
	return uses
}
