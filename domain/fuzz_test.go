package domain_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// FuzzDecode: whatever a log holds decodes or is an error, and what decodes is stored again
// in a form that decodes to the same.
func FuzzDecode(f *testing.F) {
	r := domain.NewCodec()
	for _, name := range r.Types() {
		stored, err := os.ReadFile(golden(name, r.Version(name)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(name, r.Version(name), stored)
		f.Add(name, 1, []byte(`{}`))
	}
	f.Add("NoSuchEvent", 0, []byte(nil))
	f.Fuzz(func(t *testing.T, name string, version int, payload []byte) {
		decoded, err := r.Decode(name, version, payload)
		if err != nil {
			return
		}
		_, _, once, err := r.Encode(decoded)
		if err != nil {
			t.Fatalf("%s decoded and does not encode: %v", name, err)
		}
		again, err := r.Decode(name, r.Version(name), once)
		if err != nil {
			t.Fatalf("%s does not come back: %v", name, err)
		}
		_, _, twice, err := r.Encode(again)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s changes each time it is stored: %s, then %s (%v)", name, once, twice, err)
		}
	})
}

// FuzzFold: any sequence of decodable events folds in every kind of stream, and no command
// makes a decider panic on what it folds to.
func FuzzFold(f *testing.F) {
	r := domain.NewCodec()
	var all []byte
	for _, name := range r.Types() {
		stored, err := os.ReadFile(golden(name, r.Version(name)))
		if err != nil {
			f.Fatal(err)
		}
		line, err := json.Marshal(envelope{Type: name, Payload: stored})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
		all = append(append(all, line...), '\n')
	}
	f.Add(all)
	f.Fuzz(func(_ *testing.T, lines []byte) {
		var w workflow.State
		var ran run.State
		var said thread.State
		for line := range bytes.Lines(lines) {
			var e envelope
			if json.Unmarshal(line, &e) != nil {
				continue
			}
			happened, err := r.Decode(e.Type, r.Version(e.Type), e.Payload)
			if err != nil {
				continue
			}
			w, ran, said = workflow.Evolve(w, happened), run.Evolve(ran, happened), thread.Evolve(said, happened)
			askAll(w, ran, said)
		}
	})
}

type envelope struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

func askAll(w workflow.State, ran run.State, said thread.State) {
	now := time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC)
	commands := []workflow.Command{
		workflow.Activate{}, workflow.Archive{}, workflow.WithdrawFixes{},
		workflow.SaveScript{ScriptID: "s", Code: "x", Origin: workflow.OriginPerson}, workflow.Rollback{ScriptID: "s", To: w.Active},
		workflow.AdmitRun{Run: "n", Trigger: workflow.TriggerManual},
	}
	for admitted := range w.Admitted {
		commands = append(commands, workflow.SettleRun{Run: admitted})
	}
	for _, proposal := range w.Undecided {
		commands = append(commands, workflow.JudgeFix{
			Proposal: proposal, ScriptID: "s", Verification: workflow.Verification{Verdict: workflow.VerdictIdentical},
		})
	}
	if m := w.Maintenance; m != nil {
		commands = append(commands, workflow.EndMaintenance{Task: m.Task}, workflow.ProposeFix{Proposal: "n", Task: m.Task, Code: "x"})
		if m.Held != nil {
			commands = append(commands, workflow.AcceptFix{Proposal: m.Held.Proposal, ScriptID: "s"}, workflow.DeclineFix{Proposal: m.Held.Proposal})
		}
	}
	for _, command := range commands {
		events, err := workflow.Decide(w, command, now)
		if err == nil {
			for _, happened := range events {
				workflow.Evolve(w, happened)
			}
		}
	}
	for _, command := range []run.Command{run.RecordCall{Seq: len(ran.Calls) + 1, Effect: run.EffectRead}, run.RecordReturn{Seq: len(ran.Calls)}, run.End{}} {
		if events, err := run.Decide(ran, command, now); err == nil {
			for _, happened := range events {
				run.Evolve(ran, happened)
			}
		}
	}
	for _, command := range []thread.Command{thread.JudgeCandidate{}, thread.Close{}} {
		if events, err := thread.Decide(said, command, now); err == nil {
			for _, happened := range events {
				thread.Evolve(said, happened)
			}
		}
	}
}

// FuzzParseVersion: what parses is written the same way.
func FuzzParseVersion(f *testing.F) {
	for _, text := range []string{"1.0", "2.10", "0.1", "1", "-1.0", "9999999999999999999.1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := workflow.ParseVersion(text)
		if err == nil && (v.String() != text || v.Major < 1 || v.Minor < 0) {
			t.Fatalf("%q is read as %v", text, v)
		}
	})
}
