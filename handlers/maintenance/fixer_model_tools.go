package maintenance

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// The arguments of the maintainer's tools.
type (
	fixArgs struct {
		Code    string `json:"code"`
		Comment string `json:"comment"`
	}
	evalArgs struct {
		Code string `json:"code"`
		Run  string `json:"run"`
	}
	lookArgs struct {
		Path string `json:"path"`
	}
	fetchArgs struct {
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	offerArgs struct {
		Question     string    `json:"question"`
		Options      []string  `json:"options"`
		Alternatives []fixArgs `json:"alternatives"`
	}
)

// tools is what the maintainer may do. None of them writes anything but the thread.
func (w *modelAtWork) tools(told history) []agent.Tool {
	return []agent.Tool{
		agents.Tool("fix", "Propose the whole mended script. The gate replays it and answers with its verdict and the smallest difference, so that you can try again.",
			`{"type":"object","properties":{
				"code":{"type":"string","minLength":1,"description":"the whole script"},
				"comment":{"type":"string","minLength":1,"maxLength":300,"description":"one line for people: what changed, and why"}},
				"required":["code","comment"],"additionalProperties":false}`, w.fix),
		agents.Tool("eval", "Run JavaScript on a recorded run, without changing anything: the body of async function main(input), or an expression. Its calls are answered from the recording; what was never recorded cannot be read. Gives the result and the log.",
			`{"type":"object","properties":{
				"code":{"type":"string","minLength":1},
				"run":{"type":"string","description":"failed (default), or success[0] for the newest success, success[1] …"}},
				"required":["code"],"additionalProperties":false}`, w.eval),
		agents.Tool("inspect", "Look into recorded payloads by a path: failed.calls[2].result.items[0].price, failed.input, failed.log, success[0].calls[1].args, success[0].outcome.output. An empty path lists what there is.",
			`{"type":"object","properties":{
				"path":{"type":"string","maxLength":1000}},"required":["path"],"additionalProperties":false}`, w.inspect),
		agents.Tool("fetch", "Make a GET for real, to a host that this version already reads from. Headers may hold a secret as {{secret:name}}, which you never see. Redirects to other hosts are refused.",
			`{"type":"object","properties":{
				"url":{"type":"string","minLength":1,"maxLength":2000},
				"headers":{"type":"object","description":"names and values, both texts"}},
				"required":["url"],"additionalProperties":false}`, w.fetch),
		agents.Tool("history", "What happened to this workflow lately: runs, failures, versions, fixes and what became of them.",
			`{"type":"object","properties":{},"additionalProperties":false}`, func(context.Context, string, struct{}) (agent.Result, error) {
				lines := strings.Join(told.lines, "\n")
				return agents.Text(llm.Fence("history", lines[max(0, len(lines)-mostShown):])), nil
			}),
		agents.Tool("ask_person", "Let the person decide, in two cases only: something newly required is missing and nobody else has it (a question), or several fixes pass and differ in what they do (alternatives, whole scripts; the person sees what each would write).",
			`{"type":"object","properties":{
				"question":{"type":"string","minLength":1,"maxLength":2000},
				"options":{"type":"array","maxItems":8,"items":{"type":"string","minLength":1,"maxLength":300},"description":"likely answers to a question without alternatives"},
				"alternatives":{"type":"array","maxItems":4,"items":{"type":"object","properties":{
					"code":{"type":"string","minLength":1},"comment":{"type":"string","minLength":1,"maxLength":300}},
					"required":["code","comment"],"additionalProperties":false}}},
				"required":["question"],"additionalProperties":false}`, w.askPerson),
	}
}

// fix asks the gate, and tells the model its findings, so that it can try again.
func (w *modelAtWork) fix(ctx context.Context, _ string, args fixArgs) (agent.Result, error) {
	if args.Code == w.job.base.Code {
		return agent.Result{}, errors.New("this is the script that failed, unchanged")
	}
	candidate, known := w.candidate(args), len(w.job.evidence.Failed.Calls)
	judged, problem, err := w.try(ctx, candidate)
	if err != nil || problem != "" {
		return agents.Text(problem), err
	}
	said := "The gate's verdict:\n" + llm.Fence("verdict", failure.Cut(verdictText(judged), mostShown)) + "\n"
	if now := len(w.job.evidence.Failed.Calls); now > known {
		said += fmt.Sprintf("Behind the end of the recording its reads were made for real: look at them as failed.calls[%d] to failed.calls[%d]. All that changed so far:\n%s\n",
			known, now-1, llm.Fence("explanation", w.job.jointly()))
	}
	result := agents.Text(said + w.advice(candidate, judged))
	result.End = handedIn(candidate, judged)
	return result, nil
}

// try judges a candidate that can be parsed. The problem is for the model.
func (w *modelAtWork) try(ctx context.Context, candidate repair.Candidate) (gate.Judgement, string, error) {
	problem, err := rehearsal.Unparsed(ctx, w.job.config.Sandbox, candidate.Code)
	if err != nil {
		return gate.Judgement{}, "", &agent.Fatal{Err: err}
	}
	if problem != "" {
		return gate.Judgement{}, "This is not a script:\n" + llm.Fence("syntax error", problem), nil
	}
	judged, err := w.judge(ctx, candidate)
	if err != nil {
		return judged, "", &agent.Fatal{Err: err}
	}
	return judged, "", nil
}

// advice is what the model can do with a verdict.
func (w *modelAtWork) advice(candidate repair.Candidate, judged gate.Judgement) string {
	switch {
	case handedIn(candidate, judged):
		return "The fix is handed in. You are done."
	case repair.Judged{Candidate: candidate, Judgement: judged}.Passes():
		return "This passes, but a person would have to look at it, for the reasons above. If there is a fix without these reasons, propose it. If there is none, end with a message that says why this one is right."
	case judged.FailingRun.Status == "succeeded":
		return "The failed run succeeds, but something that worked comes out otherwise. Keep that, and try again."
	}
	return "The failed run does not succeed with it. Find out why, and try again."
}

// mainName finds a main in what is to be evaluated.
var mainName = regexp.MustCompile(`\bmain\b\s*(=|\()`)

// eval runs JavaScript on a recording. No call goes out: an unrecorded read is refused, and writes are caught.
func (w *modelAtWork) eval(ctx context.Context, _ string, args evalArgs) (agent.Result, error) {
	code := args.Code
	if !mainName.MatchString(code) {
		code = "async function main(input) {\nreturn (" + args.Code + "\n);\n}"
		problem, err := rehearsal.Unparsed(ctx, w.job.config.Sandbox, code)
		if err != nil {
			return agent.Result{}, &agent.Fatal{Err: err}
		}
		if problem != "" {
			code = "async function main(input) {\n" + args.Code + "\n}"
		}
	}
	problem, err := rehearsal.Unparsed(ctx, w.job.config.Sandbox, code)
	if err != nil {
		return agent.Result{}, &agent.Fatal{Err: err}
	}
	if problem != "" {
		return agents.Text("This cannot be run:\n" + llm.Fence("syntax error", problem)), nil
	}
	of := w.job.failed
	if args.Run != "" && args.Run != "failed" {
		recorded, err := w.success(args.Run)
		if err != nil {
			return agent.Result{}, err
		}
		if of, err = w.job.config.Commands.LoadRun(ctx, recorded.ID); err != nil {
			return agent.Result{}, &agent.Fatal{Err: err}
		}
	}
	made, err := rehearsal.Rehearse(ctx, w.job.config.Sandbox, rehearsal.Rehearsal{
		Code: code, Run: of, Past: readsOf(of), OnlyPast: true, Settings: w.job.state.Settings, Outside: w.job.config.Outside, Logger: w.job.config.Logger,
		Assumed: gate.Assume(w.job.subject.Successes, w.job.subject.Code, code),
	})
	if err != nil {
		return agent.Result{}, &agent.Fatal{Err: err}
	}
	return agents.Text(llm.Fence("evaluation", failure.Cut(evaluationText(made), mostShown))), nil
}

// readsOf are the answers of a run's reads.
func readsOf(of run.State) []rehearsal.Entry {
	var reads []rehearsal.Entry
	for _, entry := range rehearsal.PastOf(of, rehearsal.Never) {
		if entry.Effect != sandbox.Write {
			reads = append(reads, entry)
		}
	}
	return reads
}

func evaluationText(made rehearsal.Rehearsed) string {
	var text strings.Builder
	if e := made.Outcome.Error; e != nil {
		fmt.Fprintf(&text, "it failed: %s: %s\n", e.Name, e.Message)
	} else {
		fmt.Fprintf(&text, "result: %s\n", made.Outcome.Output)
	}
	for _, line := range made.Outcome.Log {
		fmt.Fprintf(&text, "log: %s\n", line.Text)
	}
	for _, write := range made.Writes {
		fmt.Fprintf(&text, "would write (not sent): %s %s\n", write.Tool, failure.Cut(string(write.Args), 500))
	}
	for _, assumed := range made.Assumed {
		fmt.Fprintf(&text, "%s\n", assumed)
	}
	return text.String()
}

var successName = regexp.MustCompile(`^success\[(\d{1,4})\]$`)

// success is a recorded success by its name: success[0] is the newest.
func (w *modelAtWork) success(name string) (gate.Run, error) {
	match := successName.FindStringSubmatch(name)
	all := w.job.evidence.Successes
	if match != nil {
		if n, err := strconv.Atoi(match[1]); err == nil && n < len(all) {
			return all[len(all)-1-n], nil
		}
	}
	return gate.Run{}, fmt.Errorf("there is no such run: there are failed, and success[0] to success[%d]", len(all)-1)
}

// fetch makes a GET, within the envelope of the version that failed: a model that was led astray by a text still
// reaches no host that the script did not reach before.
func (w *modelAtWork) fetch(ctx context.Context, _ string, args fetchArgs) (agent.Result, error) {
	call := hostcall.Get(args.URL, args.Headers)
	envelope := gate.NewEnvelope(w.job.subject)
	if !envelope.Allows(call.Tool, call.Args, call.Effect) {
		return agents.Text("This host is outside of what the version used before. You may read from:\n" + llm.Fence("hosts", strings.Join(envelope.Reads(), "\n"))), nil
	}
	settings := w.job.state.Settings
	live := w.job.config.Outside.Live(&hostcall.Env{
		State: &hostcall.Memory{}, AllowedHosts: settings.AllowedHosts, Reach: w.job.reach(ctx, envelope), Secrets: w.job.config.Secrets.Of(w.job.id),
		KnownHosts: egress.KnownHosts(ctx, w.job.config.Recordings, w.job.id, w.job.base.Version.Major),
		Closed:     egress.Closed(ctx, w.job.config.Commands, w.job.state.Owner),
		BodyBytes:  mostFetched, FetchBytes: 5 * mostFetched, Logger: w.job.config.Logger,
	})
	defer live.Close()
	reply, err := live.Call(ctx, call)
	if err != nil {
		return agent.Result{}, &agent.Fatal{Err: err}
	}
	if e := reply.Error; e != nil {
		return agents.Text("It failed:\n" + llm.Fence("error", failure.Cut(fmt.Sprintf("%s: %s (status %d)\n%s", e.Name, e.Message, e.Status, e.Body), mostShown))), nil
	}
	return agents.Text(llm.Fence("answer", failure.Cut(string(reply.Result), mostShown))), nil
}

// mostShown is how many bytes of material one answer to the model holds: a block that is cut by the
// loop, which allows a little more, would lose its end.
const mostShown = agent.MaxResult - 1<<10

// mostFetched is how many bytes of an answer are read for a model, which sees 8 kB of them.
const mostFetched = 1 << 20

// reach is where the maintainer may read from, also by redirects: inside the envelope, and no further
// than a run of its fix could go.
func (j *job) reach(ctx context.Context, envelope *gate.Envelope) func(host, port string) bool {
	hosts := map[string]bool{}
	for _, host := range envelope.Reads() {
		hosts[host] = true
	}
	may := egress.OfFix(j.state, j.base.Version, egress.OwnPlaces(ctx, j.config.Recordings, j.id))
	return func(host, port string) bool {
		// In the envelope a host has its port if that is not the usual one.
		return (hosts[host+":"+port] || hosts[host]) && may(host, port)
	}
}

// askPerson lets the person decide. With alternatives that pass it ends the conversation: they
// become a fix that is held. A question waits, for days if need be, without a process.
func (w *modelAtWork) askPerson(ctx context.Context, call string, args offerArgs) (agent.Result, error) {
	if len(args.Alternatives) > 0 {
		return w.offer(ctx, args)
	}
	j := w.job
	question := commands.DerivedID(j.open.Task, j.round, "question", call)
	state, err := j.config.Commands.LoadWorkflow(ctx, j.id)
	if err != nil {
		return agent.Result{}, &agent.Fatal{Err: err}
	}
	if answer, answered := state.Answer(question); answered {
		return agents.Text("The person answered: " + answer), nil
	}
	if !j.asking(state) {
		_, err = j.config.Commands.AskQuestion(ctx, j.id, workflow.AskQuestion{
			Question: question, Task: j.open.Task, Text: failure.Cut(args.Question, 4<<10), Options: args.Options,
		}, j.meta("ask", question))
		if err != nil {
			return agent.Result{}, &agent.Fatal{Err: err}
		}
	}
	return agent.Result{}, &agent.Fatal{Err: &loop.Wait{}}
}

// offer judges alternatives. If any passes, the person chooses.
func (w *modelAtWork) offer(ctx context.Context, args offerArgs) (agent.Result, error) {
	var told strings.Builder
	passed := 0
	for i, candidate := range w.alternatives(args) {
		judged, problem, err := w.try(ctx, candidate)
		if err != nil {
			return agent.Result{}, err
		}
		if problem == "" {
			problem = llm.Fence("verdict", failure.Cut(verdictText(judged), mostShown/4))
		}
		fmt.Fprintf(&told, "Alternative %d:\n%s\n", i+1, problem)
		if (repair.Judged{Candidate: candidate, Judgement: judged}).Passes() {
			passed++
		}
	}
	if passed == 0 {
		return agents.Text(told.String() + "None of them passes, so the person was not asked. Mend them, or say that you cannot."), nil
	}
	result := agents.Text(fmt.Sprintf("%sThe person is shown the %d that pass, and decides. You are done.", told.String(), passed))
	result.End = true
	return result, nil
}
