package atif_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent/atif"
	"github.com/kintsugi-run/kintsugi/internal/agent/atif/atiftest"
)

func read(t *testing.T, text string) atif.Trajectory {
	t.Helper()
	read, err := atif.Read(strings.NewReader(text))
	require.NoError(t, err)
	return read
}

// Rule: whatever is written is valid by the models that Harbor publishes of the version that it names.
func TestWhatIsWrittenIsValid(t *testing.T) {
	t.Parallel()
	none := 0
	var text bytes.Buffer
	require.NoError(t, atif.Write(&text, atif.Trajectory{
		SessionID: "s", TrajectoryID: "s-1", Agent: atif.Agent{Name: "a", Version: "1"}, Extra: map[string]any{"outcome": "resolved"},
		Steps: []atif.Step{
			{Source: atif.User, Message: "do it", Timestamp: &atif.Time{Time: time.Date(2026, 3, 2, 7, 0, 0, 123456789, time.FixedZone("", 3600))}},
			{
				Source: atif.Doer, Inferences: &none, ToolCalls: []atif.ToolCall{{ID: "c", Function: "f", Arguments: []byte(`{}`)}},
				Observation: &atif.Observation{Results: []atif.Result{{Call: "c", Content: "done", Agents: []atif.Reference{{Path: "/t.json"}}, Extra: map[string]any{"is_error": false}}}},
			},
		},
	}))
	require.Empty(t, atiftest.Faults(text.Bytes()))
	require.Contains(t, text.String(), `"2026-03-02T06:00:00.123Z"`)
}

// Rule: what those models refuse is refused here, too: a member that the format has not, and each rule between members.
func TestWhatIsInvalid(t *testing.T) {
	t.Parallel()
	const agent = `"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"}`
	for says, text := range map[string]string{
		"property 'steps'":  `{` + agent + `}`,
		"/steps: ":          `{` + agent + `,"steps":[]}`,
		"'extras'":          `{` + agent + `,"extras":{},"steps":[{"step_id":1,"source":"user","message":""}]}`,
		"/schema_version":   `{"schema_version":"ATIF-v1.4","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":""}]}`,
		"message":           `{` + agent + `,"steps":[{"step_id":1,"source":"user"}]}`,
		"is_error":          `{` + agent + `,"steps":[{"step_id":1,"source":"agent","message":"","observation":{"results":[{"content":"x","is_error":true}]}}]}`,
		"the number 2":      `{` + agent + `,"steps":[{"step_id":2,"source":"user","message":""}]}`,
		"only an agent's":   `{` + agent + `,"steps":[{"step_id":1,"source":"system","message":"","model_name":"m"}]}`,
		"in another step":   `{` + agent + `,"steps":[{"step_id":1,"source":"agent","message":"","observation":{"results":[{"source_call_id":"c"}]}}]}`,
		"cannot be found":   `{` + agent + `,"steps":[{"step_id":1,"source":"agent","message":"","observation":{"results":[{"subagent_trajectory_ref":[{"session_id":"s"}]}]}}]}`,
		"its reasoning":     `{` + agent + `,"steps":[{"step_id":1,"source":"agent","message":"","llm_call_count":0,"reasoning_content":"r"}]}`,
		"empty or used":     `{` + agent + `,"steps":[{"step_id":1,"source":"user","message":""}],"subagent_trajectories":[{` + agent + `,"steps":[{"step_id":1,"source":"user","message":""}]}]}`,
		"/steps/0/timestam": `{` + agent + `,"steps":[{"step_id":1,"source":"user","message":"","timestamp":"yesterday"}]}`,
	} {
		require.Contains(t, strings.Join(atiftest.Faults([]byte(text)), "; "), says)
	}
}

// Rule: times are read as other programs write them: without a zone they are UTC, with a blank they are times, and one that is none
// refuses nothing else.
func TestTimesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2025-10-16T14:30:00":       "2025-10-16T14:30:00Z",
		"2025-10-16T14:30:00.5":     "2025-10-16T14:30:00.5Z",
		"2025-10-16 14:30:00":       "2025-10-16T14:30:00Z",
		"2025-10-16 14:30:00+02:00": "2025-10-16T12:30:00Z",
		"2025-10-16T14:30:00.123Z":  "2025-10-16T14:30:00.123Z",
		"yesterday":                 "0001-01-01T00:00:00Z",
	} {
		one := read(t, `{"schema_version":"ATIF-v1.2","session_id":"s","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"m","timestamp":"`+text+`"}]}`)
		require.Equal(t, want, one.Steps[0].Timestamp.UTC().Format(time.RFC3339Nano), text)
	}
}

// Rule: the lines of Claude Code are read as a trajectory: its session, which tools failed again and again, and which sub-agent. A torn
// last line loses only itself, and lines of anything else are no trajectory.
func TestLinesOfClaudeCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/claude-code.jsonl")
	require.NoError(t, err)
	one := read(t, string(text))
	require.Equal(t, "0a1b2c3d-0000-4000-8000-000000000001", one.SessionID)
	require.Equal(t, "claude-code", one.Agent.Name)
	require.Equal(t, []string{"Bash"}, one.FailedTools())
	require.Equal(t, []string{"test-writer"}, one.FailedAgents(nil))
	require.Equal(t, atif.Text("Write the prices."), one.Steps[0].Message)
	require.Equal(t, "2026-03-02T07:00:01.5Z", one.Steps[1].Timestamp.UTC().Format(time.RFC3339Nano))
	var written bytes.Buffer
	require.NoError(t, atif.Write(&written, one))
	require.Empty(t, atiftest.Faults(written.Bytes()))

	torn := read(t, string(text)+`{"type":"assistant","sessionId":"0a1b`)
	require.Len(t, torn.Steps, len(one.Steps))
	for _, other := range []string{"{}\n{}\n", `{"sessionId":"x"}`, "no\nlines\n", ""} {
		_, err := atif.Read(strings.NewReader(other))
		require.ErrorContains(t, err, "no trajectory")
	}
}

// Rule: a sub-agent failed if the result of its call says so, or if the last call in its own trajectory failed, be that in the
// document or in another file.
func TestFailedSubagents(t *testing.T) {
	t.Parallel()
	const document = `{"schema_version":"ATIF-v1.7","agent":{"name":"lead","version":"1"},"steps":[{"step_id":1,"source":"agent","message":"",
		"tool_calls":[{"tool_call_id":"c","function_name":"delegate","arguments":{}}],"observation":{"results":[
			{"source_call_id":"c","content":"Error: it gave up","subagent_trajectory_ref":[{"trajectory_id":"said"}]},
			{"source_call_id":"c","content":"done","subagent_trajectory_ref":[{"trajectory_id":"bad"},{"trajectory_id":"good"},{"trajectory_path":"away.json"},{"trajectory_path":"gone.json"}]}]}}],
		"subagent_trajectories":[
			{"schema_version":"ATIF-v1.7","trajectory_id":"bad","agent":{"name":"tester","version":"1"},"steps":[{"step_id":1,"source":"agent","message":"","observation":{"results":[{"content":"Error: 3 tests fail"}]}}]},
			{"schema_version":"ATIF-v1.7","trajectory_id":"good","agent":{"name":"writer","version":"1"},"steps":[{"step_id":1,"source":"agent","message":"","observation":{"results":[{"content":"well"}]}}]}]}`
	open := func(path string) (atif.Trajectory, error) {
		if path == "gone.json" {
			return atif.Trajectory{}, errors.New("gone")
		}
		return read(t, `{"schema_version":"ATIF-v1.7","agent":{"name":"far","version":"1"},"steps":[{"step_id":1,"source":"agent","message":"","observation":{"results":[{"content":"Exit code: 2"}]}}]}`), nil
	}
	one := read(t, document)
	require.Empty(t, atiftest.Faults([]byte(document)))
	require.Equal(t, []string{"said", "tester (bad)", "far (away.json)"}, one.FailedAgents(open))
	require.Equal(t, []string{"said", "tester (bad)"}, one.FailedAgents(nil))
}
