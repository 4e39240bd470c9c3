package handlers_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// orderKeys knows of a world whose script keeps a cursor which writes went out under which keys, and
// when people were asked about the runs that made them. Moments are places in the log: clocks differ.
type orderKeys struct {
	made   map[string]int    // by key: when the write was first called for
	by     map[string]string // … and by which chain of runs
	asked  map[string]int    // by chain: when its person was first asked about it
	first  map[string]string // by run: the first of its chain
	cursor int               // as the newest run has set it
}

func (k *orderKeys) chain(of string) string {
	if first, known := k.first[of]; known {
		return first
	}
	return of
}

// see holds that what the workflow keeps never goes back.
func (k *orderKeys) see(s *sim, at int, record eventlog.Record) {
	switch record.Type {
	case workflow.TypeRunAdmitted, workflow.TypeRunUnfinished, run.TypeToolCalled, run.TypeToolAnswered:
	default:
		return
	}
	var e struct {
		Run, Continues  string
		Tool, Key, From string
		Args            []json.RawMessage
	}
	if err := json.Unmarshal(record.Payload, &e); err != nil {
		s.violated("%s of %s: %v", record.Type, record.Stream, err)
		return
	}
	switch {
	case record.Type == workflow.TypeRunAdmitted && e.Continues != "":
		k.first[e.Run] = k.chain(e.Continues)
	case record.Type == workflow.TypeRunUnfinished:
		if _, before := k.asked[k.chain(e.Run)]; !before {
			k.asked[k.chain(e.Run)] = at
		}
	case e.From != "" || e.Key == "":
	case e.Tool == "kv.set":
		var cursor int
		if json.Unmarshal(e.Args[1], &cursor) != nil || cursor < k.cursor {
			s.violated("%s set the cursor back from %d to %s", record.Stream, k.cursor, e.Args[1])
		}
		k.cursor = max(k.cursor, cursor)
	default:
		if _, before := k.made[e.Key]; !before {
			k.made[e.Key], k.by[e.Key] = at, k.chain(strings.TrimPrefix(record.Stream, "run-"))
		}
	}
}

// hold holds that nothing is written twice under two keys, but after a person was asked about one of the
// runs: they know then that it is half done.
func (k *orderKeys) hold(s *sim, id writeID, write *arrived) {
	keys := slices.SortedFunc(maps.Keys(write.keys), func(a, b string) int { return k.made[a] - k.made[b] })
	for i := 1; i < len(keys); i++ {
		again := k.made[keys[i]]
		asked := func(key string) bool {
			at, asked := k.asked[k.by[key]]
			return asked && at < again
		}
		if !asked(keys[i-1]) && !asked(keys[i]) {
			s.violated("%v was written by %s and again by %s, under another key, and nobody was asked", id, k.by[keys[i-1]], k.by[keys[i]])
		}
	}
}
