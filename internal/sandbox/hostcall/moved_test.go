package hostcall_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// made makes calls on a state, one after the other, as a run does.
func made(state *hostcall.Memory, nowMS int64, calls ...sandbox.Call) []hostcall.Answered {
	var answered []hostcall.Answered
	for _, c := range calls {
		answered = append(answered, hostcall.Answered{Call: c, Reply: hostcall.ApplyLocal(state, c, nowMS)})
	}
	return answered
}

// A key or file that somebody else changed is named, if a call depends on it.
func TestMoved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		calls, others []sandbox.Call
		want          []string
	}{
		"a key that was read":                          {[]sandbox.Call{call("kv.get", "last")}, []sandbox.Call{call("kv.set", "last", 2)}, []string{`key "last"`}},
		"a key that was not there":                     {[]sandbox.Call{call("kv.get", "new")}, []sandbox.Call{call("kv.set", "new", 2)}, []string{`key "new"`}},
		"a key that is gone":                           {[]sandbox.Call{call("kv.get", "last")}, []sandbox.Call{call("kv.delete", "last")}, []string{`key "last"`}},
		"a key that was written":                       {[]sandbox.Call{call("kv.set", "last", 1)}, []sandbox.Call{call("kv.set", "last", 2)}, []string{`key "last"`}},
		"a key that was deleted":                       {[]sandbox.Call{call("kv.delete", "last")}, []sandbox.Call{call("kv.set", "last", 2)}, []string{`key "last"`}},
		"a key that was set back":                      {[]sandbox.Call{call("kv.get", "last")}, []sandbox.Call{call("kv.set", "last", 2), call("kv.set", "last", map[string]int{"a": 2, "z": 1})}, nil},
		"a key that others add to as well":             {[]sandbox.Call{call("kv.update", "count", 1)}, []sandbox.Call{call("kv.update", "count", 2)}, nil},
		"a key that was read, and then added to":       {[]sandbox.Call{call("kv.get", "count"), call("kv.update", "count", 1)}, []sandbox.Call{call("kv.update", "count", 2)}, []string{`key "count"`}},
		"another key":                                  {[]sandbox.Call{call("kv.get", "last"), call("kv.set", "last", 1)}, []sandbox.Call{call("kv.set", "other", 2)}, nil},
		"a list of keys":                               {[]sandbox.Call{call("kv.list", "seen:")}, []sandbox.Call{call("kv.set", "seen:3", true)}, []string{`keys "seen:*"`}},
		"a list of keys, one of which it set":          {[]sandbox.Call{call("kv.list", "seen:"), call("kv.set", "seen:3", true)}, nil, nil},
		"a list of keys, and another one":              {[]sandbox.Call{call("kv.list", "seen:"), call("kv.set", "seen:3", true)}, []sandbox.Call{call("kv.set", "seen:4", true)}, []string{`keys "seen:*"`}},
		"a file that was read":                         {[]sandbox.Call{call("files.read", "report.csv")}, []sandbox.Call{call("files.append", "./report.csv", "1")}, []string{`file "report.csv"`}},
		"a file that was not there":                    {[]sandbox.Call{call("files.read", "x")}, []sandbox.Call{call("files.write", "x", "1")}, []string{`file "x"`}},
		"a file that was written":                      {[]sandbox.Call{call("files.write", "x", "1")}, []sandbox.Call{call("files.remove", "x")}, []string{`file "x"`}},
		"a file that was removed":                      {[]sandbox.Call{call("files.remove", "report.csv")}, []sandbox.Call{call("files.write", "report.csv", "1")}, []string{`file "report.csv"`}},
		"a log that others append to as well":          {[]sandbox.Call{call("files.append", "log", "a")}, []sandbox.Call{call("files.append", "log", "b")}, nil},
		"a log that was read before, and then another": {[]sandbox.Call{call("files.read", "report.csv"), call("files.append", "report.csv", "a")}, []sandbox.Call{call("files.append", "report.csv", "b")}, []string{`file "report.csv"`}},
		"a removed file that was begun anew":           {[]sandbox.Call{call("files.remove", "report.csv"), call("files.append", "report.csv", "a")}, nil, nil},
		"the size of a file":                           {[]sandbox.Call{call("files.stat", "report.csv")}, []sandbox.Call{call("files.write", "report.csv", "id\n")}, []string{`file "report.csv"`}},
		"a folder":                                     {[]sandbox.Call{call("files.list", "2026")}, []sandbox.Call{call("files.write", "2026/feb.md", "")}, []string{`folder "2026"`}},
		"a folder that was not there":                  {[]sandbox.Call{call("files.list", "2027")}, []sandbox.Call{call("files.write", "2027/jan.md", "")}, []string{`folder "2027"`}},
		"the whole folder":                             {[]sandbox.Call{call("files.list"), call("files.write", "2027/jan.md", "")}, nil, nil},
		"below a folder":                               {[]sandbox.Call{call("files.list")}, []sandbox.Call{call("files.write", "2026/feb.md", "")}, nil},
		"a write that was refused":                     {[]sandbox.Call{call("files.write", "2026", "1")}, []sandbox.Call{call("kv.set", "last", 2)}, nil},
	} {
		state := someState()
		answered := made(state, nowMS, c.calls...)
		made(state, nowMS+1000, c.others...)
		require.Equal(t, c.want, hostcall.Moved(answered, state), name)
	}
}

// A run comes out the same on a state that differs only where it did not look. Else the test hears what differs.
func TestAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		calls, others []sandbox.Call
		want          []string
	}{
		"nothing happened":           {[]sandbox.Call{call("kv.get", "last"), call("kv.set", "last", 1), call("kv.get", "last"), call("files.stat", "report.csv")}, nil, nil},
		"a key that it read":         {[]sandbox.Call{call("kv.get", "last"), call("kv.set", "last", 1)}, []sandbox.Call{call("kv.set", "last", 2)}, []string{`key "last"`}},
		"a key that it only wrote":   {[]sandbox.Call{call("kv.set", "last", 1), call("kv.get", "last")}, []sandbox.Call{call("kv.set", "last", 2)}, nil},
		"a number that it added to":  {[]sandbox.Call{call("kv.update", "count", 1)}, []sandbox.Call{call("kv.update", "count", 1)}, nil},
		"and read then":              {[]sandbox.Call{call("kv.update", "count", 1), call("kv.get", "count")}, []sandbox.Call{call("kv.update", "count", 1)}, []string{`key "count"`}},
		"and that is no number now":  {[]sandbox.Call{call("kv.update", "count", 1)}, []sandbox.Call{call("kv.set", "count", "x")}, []string{`key "count"`}},
		"a file that it appended to": {[]sandbox.Call{call("files.append", "log", "a")}, []sandbox.Call{call("files.append", "log", "b")}, nil},
		"a file that it read":        {[]sandbox.Call{call("files.read", "report.csv")}, []sandbox.Call{call("files.append", "./report.csv", "b")}, []string{`file "report.csv"`}},
		"a list":                     {[]sandbox.Call{call("kv.list", "seen:")}, []sandbox.Call{call("kv.set", "seen:3", 1)}, []string{"what kv.list answers"}},
		"a file that is there now":   {[]sandbox.Call{call("files.read", "new")}, []sandbox.Call{call("files.write", "new", "")}, []string{`file "new"`}},
	} {
		mine, now := someState(), someState()
		answered := made(mine, nowMS, c.calls...)
		for i := range answered {
			answered[i].AtMS = nowMS
		}
		made(now, nowMS+1000, c.others...)
		require.Equal(t, c.want, hostcall.Again(answered, now), name)
	}
}

// Rule: a run's own calls never count as changes of somebody else.
func TestNothingIsMovedByWhoMadeTheCalls(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := someState()
		var answered []hostcall.Answered
		for i := range rapid.IntRange(0, 30).Draw(t, "calls") {
			key := rapid.SampledFrom([]string{"last", "seen:1", "seen:2", "new"}).Draw(t, "key")
			file := rapid.SampledFrom([]string{"report.csv", "./2026/jan.md", "2026/q1/all.md", "2027/x", "log", "2026"}).Draw(t, "file")
			folder := rapid.SampledFrom([]string{"", ".", "2026", "2026/q1", "2027"}).Draw(t, "folder")
			answered = append(answered, made(state, nowMS+int64(i), rapid.SampledFrom([]sandbox.Call{
				call("kv.get", key), call("kv.set", key, i), call("kv.set", key, nil), call("kv.update", key, 0.1), call("kv.delete", key), call("kv.list", key[:2]), call("kv.list"),
				call("files.read", file), call("files.write", file, key), call("files.append", file, key), call("files.remove", file),
				call("files.stat", file), call("files.list", folder),
			}).Draw(t, "call"))...)
			require.Empty(t, hostcall.Moved(answered, state))
		}
	})
}
