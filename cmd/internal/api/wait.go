package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// longestWait is how long a request may wait for the end of a run.
const longestWait = time.Minute

// startedRun is what who starts a run is answered with: the run, or if they waited and it has ended, what became of it.
type startedRun struct {
	Status     int
	Position   string `header:"Kintsugi-Position" doc:"Send it back as Kintsugi-Wait-For, and you read what you wrote"`
	ETag       string `header:"ETag" doc:"The revision of the stream, for If-Match"`
	Location   string `header:"Location" doc:"Where the run is"`
	Preference string `header:"Preference-Applied" doc:"How long it waited at most, if Prefer asked for that (RFC 7240)"`
	Body       any
}

func (s *Server) starts() {
	schemas := s.api.OpenAPI().Components.Schemas
	of := func(about string, body reflect.Type) *huma.Response {
		return &huma.Response{Description: about, Content: map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(body, true, "")}}}
	}
	params := []*huma.Param{
		headerParam(headerKey, "Asking again with the same key does nothing more, and has the same answer"),
		headerParam(headerIfMatch, "The ETag of what you have seen: if it has changed since, this is refused with 412"),
	}
	register(s, op{
		method: http.MethodPost, path: "/workflows/{workflow}/runs", id: "startRun", summary: "Start a run now, and wait for what becomes of it if you want to", tag: "runs", scope: installation.Run,
		status: http.StatusCreated, waits: longestWait,
		about: "With wait (or Prefer: wait=20) it answers 200 with what became of the run if that ended within this time, else 202 with the run. A client that goes away meanwhile ends nothing.",
		answers: map[string]*huma.Response{
			"200": of("The run has ended within the time: this is what became of it", reflect.TypeFor[app.RunResult]()),
			"201": of("The run was started", reflect.TypeFor[projections.Run]()),
			"202": of("The run was started, and has not ended within the time", reflect.TypeFor[projections.Run]()),
		},
	}, params, s.startRun)
}

type startRun struct {
	OfWorkflow
	Wait   string `query:"wait" maxLength:"20" doc:"How long to wait for the end of the run at most: seconds, or a duration such as 20s, up to a minute"`
	Prefer string `header:"Prefer" maxLength:"500" doc:"The same as wait=20, in seconds (RFC 7240); what is no such preference is left aside"`
	Body   *struct {
		Input  json.RawMessage `json:"input,omitempty" doc:"The script's input; default that of the settings, or {}"`
		Labels workflow.Labels `json:"labels,omitempty" doc:"What the run is found by, beside the labels of its workflow: up to 16, as {\"order\": \"4711\"}"`
		Repair bool            `json:"repair,omitempty" doc:"If it fails, have the workflow mended of that, as for a run that starts by itself; else a failure is this run's alone"`
	}
}

func (s *Server) startRun(ctx context.Context, in *startRun) (*startedRun, error) {
	c := callOf(ctx)
	if err := s.workflow(ctx, in.Workflow); err != nil {
		return nil, err
	}
	wait, waits, err := waitOf(in.Wait)
	if err != nil {
		return nil, err
	}
	preferred := false
	if !waits {
		wait, preferred = preferredWait(in.Prefer)
	}
	begun, err := s.admit(ctx, c, in.Workflow, workflow.AdmitRun{Trigger: workflow.TriggerManual, Input: given(in.Body).Input, Repair: given(in.Body).Repair, Labels: given(in.Body).Labels})
	if err != nil {
		return nil, err
	}
	answered, err := done(ctx, s, begun, nil)
	if err != nil {
		return nil, err
	}
	out := &startedRun{Status: http.StatusCreated, Position: answered.Position, ETag: answered.ETag, Location: answered.Location, Body: begun}
	if !waits && !preferred {
		return out, nil
	}
	out.Status = http.StatusAccepted
	if preferred {
		out.Preference = "wait=" + strconv.Itoa(int(wait/time.Second))
	}
	// It was started, so nothing that goes wrong from here on is a failure of the request.
	if result, ended := s.result(ctx, in.Workflow, begun.ID, wait); ended {
		out.Status, out.Body = http.StatusOK, result
	}
	return out, nil
}

// waitOf reads how long to wait.
func waitOf(text string) (wait time.Duration, waits bool, err error) {
	if text == "" {
		return 0, false, nil
	}
	wait, err = time.ParseDuration(text)
	if seconds, is := strconv.Atoi(text); is == nil {
		wait, err = time.Duration(seconds)*time.Second, nil
	}
	if err != nil || wait < 0 || wait > longestWait {
		return 0, false, fault.New(fault.Invalid, "wait=%q is no time to wait: give seconds or a duration from 0s to %s, such as 20s", text, longestWait)
	}
	return wait, true, nil
}

// preferredWait reads the preference wait of a Prefer header. A client that prefers to wait longer than is allowed waits as long as is allowed, and is told.
func preferredWait(header string) (time.Duration, bool) {
	for one := range strings.SplitSeq(header, ",") {
		one, _, _ = strings.Cut(one, ";")
		name, value, _ := strings.Cut(one, "=")
		seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
		if strings.EqualFold(strings.TrimSpace(name), "wait") && err == nil {
			return min(time.Duration(seconds)*time.Second, longestWait), true
		}
	}
	return 0, false
}

// result is what became of a run, if it ends within a time.
func (s *Server) result(ctx context.Context, of, id string, within time.Duration) (app.RunResult, bool) {
	waiting, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if !s.runEnds(waiting, of, id) {
		return app.RunResult{}, false
	}
	result, err := s.node.Runs.Result(ctx, of, id)
	return result, err == nil
}

// runEnds waits until a run has ended: it looks again when the workflow's stream says that one of its runs has.
func (s *Server) runEnds(ctx context.Context, of, id string) bool {
	stream := workflow.Stream(of)
	for {
		events, leave := s.tail.watch()
		state, err := s.node.Commands.LoadWorkflow(ctx, of)
		if _, settled := state.Run(id); err != nil || settled {
			leave()
			return err == nil
		}
		for behind := false; !behind; {
			select {
			case <-ctx.Done():
				leave()
				return false
			case <-s.ended:
				leave()
				return false
			case record, more := <-events:
				behind = !more
				if more && record.Stream == stream && endsRun[record.Type] {
					behind = true
				}
			}
		}
		leave()
	}
}

// endsRun are the events by which a workflow takes notice of the end of a run.
var endsRun = map[string]bool{workflow.TypeRunSucceeded: true, workflow.TypeRunFailed: true, workflow.TypeRunCancelled: true}
