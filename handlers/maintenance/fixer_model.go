package maintenance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
)

// ModelFixerConfig is what a ModelFixer needs.
type ModelFixerConfig struct {
	Model  llm.Model
	Words  *agents.Words // its words as it says them, for listeners; nil for nobody
	Logger *slog.Logger
	// Budget bounds one conversation. Default 6 turns, 120,000 tokens, no bound in money.
	Budget agent.Budget
	// Patience is how long a provider may fail before the workflow is handed to a person. Default
	// 6 hours.
	Patience time.Duration
}

// ModelFixer asks a model for fixes. It works on the thread of a maintainer's task, in tools that can change nothing:
// its proposals are judged as every candidate is.
type ModelFixer struct {
	config ModelFixerConfig

	mu   sync.Mutex
	told map[llm.Kind]bool // the operator was told of
}

// Pauses and limits after a provider's failures.
const (
	defaultPatience = 6 * time.Hour
	firstAgain      = 30 * time.Second // doubles with every failure
	lastAgain       = 15 * time.Minute
	// besideDoubts is how long a model is waited for if all that was found without it asks for a
	// person, and heldAgain the longest pause once that waits for one.
	besideDoubts = 10 * time.Minute
	heldAgain    = time.Hour

	maintainerTemperature = 0.1
	maintainerTokens      = 120_000
)

var _ repair.Fixer = (*ModelFixer)(nil)

// NewModelFixer panics if a dependency is missing: that is a mistake in the wiring.
func NewModelFixer(config ModelFixerConfig) *ModelFixer {
	if config.Model == nil || config.Logger == nil {
		panic("maintenance: NewModelFixer without a dependency")
	}
	config.Budget = config.Budget.Or(agent.Budget{Tokens: maintainerTokens})
	if config.Patience == 0 {
		config.Patience = defaultPatience
	}
	return &ModelFixer{config: config, told: map[llm.Kind]bool{}}
}

// Name implements [repair.Fixer].
func (f *ModelFixer) Name() string { return workflow.FixerModel }

// Version says which model was told what.
func (f *ModelFixer) Version() string {
	return f.config.Model.Name() + " prompt/" + promptVersion()
}

// Propose implements [repair.Fixer]. Without a task there is no thread to work on.
func (f *ModelFixer) Propose(context.Context, repair.Evidence, repair.Judge) (string, error) {
	return "", errors.New("maintenance.ModelFixer: a model works on the thread of a task: it is used by a Maintainer")
}

// at is the fixer at work on a task.
func (f *ModelFixer) at(j *job) repair.Fixer { return &modelAtWork{ModelFixer: f, job: j} }

// modelAtWork is a model on one task.
type modelAtWork struct {
	*ModelFixer
	job   *job
	judge repair.Judge
}

// Propose implements [repair.Fixer]: it goes on with the conversation of this round, or begins it.
func (w *modelAtWork) Propose(ctx context.Context, _ repair.Evidence, judge repair.Judge) (string, error) {
	w.judge = judge
	journal := w.job.thread
	told, err := loadHistory(ctx, w.job.config.Commands, w.job.id, w.job.open.Run, w.job.state.Zone)
	if err != nil {
		return "", err
	}
	if err := journal.BeginOnce(ctx, "model/"+w.job.round, maintainerPrompt(), w.caseText(told)); err != nil {
		return "", err
	}
	conversation, begun, err := journal.Conversation(ctx)
	if err != nil {
		return "", err
	}
	if !begun { // the thread was closed before a model was asked
		return "", nil
	}
	if err := w.rejudge(ctx, conversation); err != nil {
		return "", err
	}
	if journal.Closed() {
		return lastWords(conversation), nil
	}
	budget, perFix, err := w.budget(ctx, conversation.Spent)
	if err != nil {
		return "", err
	}
	if perFix.reached {
		return fmt.Sprintf("The model was not asked: %s.", perFix), nil
	}
	model := w.config.Words.Heard(w.config.Model, agents.Saying{Workflow: w.job.id, Thread: w.job.open.Thread, Agent: thread.KindMaintainer})
	ended, err := journal.Run(ctx, agent.Config{
		Model: agents.AllowedModel{Model: model, Allowed: w.job.allowed}, Tools: w.tools(told), Budget: budget,
		Temperature: maintainerTemperature, Implied: impliedFix,
	}, conversation)
	if provider, failed := errors.AsType[*llm.Error](err); failed {
		return w.unavailable(ctx, provider)
	}
	if err != nil {
		return "", err
	}
	w.answered()
	if ended.Why == agent.OutOf && budget.CostUSD == perFix.left && perFix.left > 0 && ended.Spent.CostUSD >= perFix.left {
		ended.Detail = perFix.String()
	}
	return explanationOf(ended), nil
}

// fixCap is what models may cost in one repair, if that is bounded.
type fixCap struct {
	usd     float64
	left    float64 // for this round, of which some may be spent; 0 for no bound
	reached bool
}

// String says it to people.
func (c fixCap) String() string {
	return fmt.Sprintf("the cap of $%.2f for one fix is reached (kintsugi autofix cap --per-fix)", c.usd)
}

// budget is that of one conversation, and no more than what the cap for one fix has left.
func (w *modelAtWork) budget(ctx context.Context, spent agent.Spent) (agent.Budget, fixCap, error) {
	budget := w.config.Budget
	if w.job.config.Allowance == nil {
		return budget, fixCap{}, nil
	}
	usd, err := w.job.config.Allowance.PerFix(ctx)
	if err != nil || usd == 0 {
		return budget, fixCap{}, err
	}
	state, err := w.job.thread.State(ctx)
	if err != nil {
		return budget, fixCap{}, err
	}
	earlier := state.CostUSD - spent.CostUSD // of other rounds of the same repair
	of := fixCap{usd: usd, left: usd - earlier, reached: state.CostUSD >= usd}
	if budget.CostUSD == 0 || of.left < budget.CostUSD {
		budget.CostUSD = of.left
	}
	return budget, of, nil
}

// explanationOf is what people read if nothing came of it.
func explanationOf(ended agent.Ended) string {
	text := ended.Message
	why := ""
	switch ended.Why {
	case agent.OutOf:
		why = fmt.Sprintf("The model stopped without a fix that passes: its budget is used up (%s).", ended.Detail)
	case agent.Broken:
		why = "The model stopped without a fix that passes, because Kintsugi itself failed: " + ended.Detail + "."
	case agent.Repeating:
		why = fmt.Sprintf("The model stopped without a fix that passes: %s.", ended.Detail)
	case agent.Silent:
		if text == "" {
			why = "The model had nothing to say."
		}
	}
	if text != "" && why != "" {
		return text + "\n\n" + why
	}
	return text + why
}

func lastWords(c agent.Conversation) string {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == llm.Assistant && c.Messages[i].Text != "" {
			return c.Messages[i].Text
		}
	}
	return ""
}

// rejudge lets the gate see again what the model proposed in an earlier life: its verdicts are in
// the conversation, but not at hand. Nothing goes out for it.
func (w *modelAtWork) rejudge(ctx context.Context, c agent.Conversation) error {
	answered := map[string]string{}
	for _, message := range c.Messages {
		if message.Role == llm.ToolRole {
			answered[message.Call] = message.Text
		}
	}
	for _, message := range c.Messages {
		for _, call := range message.Calls {
			answer, there := answered[call.ID]
			if !there || strings.HasPrefix(answer, "Error: ") {
				continue
			}
			for _, candidate := range w.candidatesOf(call) {
				if _, err := w.judge(ctx, candidate); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// candidatesOf are the scripts that a call proposes.
func (w *modelAtWork) candidatesOf(call llm.Call) []repair.Candidate {
	switch call.Tool {
	case "fix":
		var args fixArgs
		if json.Unmarshal([]byte(call.Arguments), &args) == nil {
			return []repair.Candidate{w.candidate(args)}
		}
	case "ask_person":
		var args offerArgs
		if json.Unmarshal([]byte(call.Arguments), &args) == nil {
			return w.alternatives(args)
		}
	}
	return nil
}

func (w *modelAtWork) candidate(args fixArgs) repair.Candidate {
	return repair.Candidate{Code: args.Code, Comment: args.Comment, Fixer: workflow.FixerModel, Template: w.Version()}
}

// alternatives are candidates between which the person decides, whatever the gate says of them.
func (w *modelAtWork) alternatives(args offerArgs) []repair.Candidate {
	var candidates []repair.Candidate
	for _, alternative := range args.Alternatives {
		candidate := w.candidate(alternative)
		candidate.Doubts = []string{args.Question}
		candidates = append(candidates, candidate)
	}
	return candidates
}

// unavailable decides what follows when the provider gives no answer. It says nothing of the
// script, so it is no attempt to mend it: the task waits, unless what templates found needs no
// person. If it does need one it is waited for a while, then handed in; the model is asked on, and
// what it finds before the person has answered takes its place.
func (w *modelAtWork) unavailable(ctx context.Context, failed *llm.Error) (string, error) {
	now := w.job.config.Place.Now()
	w.tellOperator(failed)
	state, err := w.job.thread.State(ctx)
	if err != nil {
		return "", err
	}
	tries, since := 0, now
	if state.Missing != nil {
		tries, since = state.Missing.Tries, state.Missing.Since
	}
	found, waited := repair.Choose(w.job.tried), now.Sub(since)
	doubted, held := found.Best != nil && found.Held, w.job.open.Held != nil
	pause := min(firstAgain<<min(tries, 20), lastAgain)
	switch {
	case held:
		pause = min(firstAgain<<min(tries, 20), heldAgain)
	case doubted && waited < besideDoubts:
		pause = min(pause, besideDoubts-waited)
	}
	again := now.Add(pause)
	if err := w.job.thread.Missed(ctx, w.config.Model.Name(), failed, again); err != nil {
		return "", err
	}
	switch {
	case found.Best != nil && !found.Held:
		return fmt.Sprintf("The model %s gives no answer (%s): what was found without it stands.", w.config.Model.Name(), failed.Kind), nil
	case held:
		return "", &loop.Wait{Until: again}
	case doubted && (waited >= besideDoubts || failed.Kind == llm.Invalid):
		w.job.unheard = fmt.Sprintf("The model %s was not heard (%s), so only templates were tried. It is asked again: a better fix takes the place of this one, until you answer.",
			w.config.Model.Name(), failed.Kind)
		return w.job.unheard, nil
	case failed.Kind == llm.Invalid:
		return fmt.Sprintf("The model %s could not be asked, for it refuses the request: %s. See: kintsugi llm check", w.config.Model.Name(), cmp.Or(failed.Detail, failed.Code, "it does not say why")), nil
	case !doubted && waited >= w.config.Patience:
		return fmt.Sprintf("The model %s has given no answer for %s (%s, asked %d times), so nothing was tried but templates. This says nothing about the script.",
			w.config.Model.Name(), waited.Round(time.Minute), failed.Kind, tries+1), nil
	}
	return "", &loop.Wait{Until: again}
}

// modelDue waits while a provider that failed is to be left alone: nothing is claimed, judged or
// asked for that long.
func (j *job) modelDue(ctx context.Context) error {
	state, err := j.config.Commands.LoadThread(ctx, j.open.Thread)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil // it is opened now
	case err != nil:
		return err
	case !state.Closed && state.Missing != nil && j.config.Place.Now().Before(state.Missing.RetryAt):
		return &loop.Wait{Until: state.Missing.RetryAt}
	}
	return nil
}

// tellOperator says once, until the model answers again, what only an operator can mend.
func (f *ModelFixer) tellOperator(failed *llm.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told[failed.Kind] {
		return
	}
	f.told[failed.Kind] = true
	switch failed.Kind {
	case llm.Quota, llm.Refused:
		f.config.Logger.Error("the model refuses to answer, and repairs wait for it: look at its key, its name and the account",
			"model", f.config.Model.Name(), "kind", failed.Kind, "status", failed.Status, "code", failed.Code, "detail", failed.Detail)
	default:
		f.config.Logger.Warn("the model gives no answer, and is asked again later",
			"model", f.config.Model.Name(), "kind", failed.Kind, "status", failed.Status, "code", failed.Code, "detail", failed.Detail)
	}
}

func (f *ModelFixer) answered() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.told)
}

// codeBlock is a script that a model wrote down instead of calling fix.
var codeBlock = regexp.MustCompile("(?s)```(?:js|javascript|JavaScript)[ \t]*\r?\n(.*?)```")

// impliedFix takes the last block of JavaScript in a text for a fix: models that do not know how to
// call a tool answer so.
func impliedFix(text string) (llm.Call, bool) {
	blocks := codeBlock.FindAllStringSubmatch(text, -1)
	if len(blocks) == 0 {
		return llm.Call{}, false
	}
	comment := "Mend the script"
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "`") && !strings.HasPrefix(line, "#") {
			comment = line
			break
		}
	}
	arguments, err := json.Marshal(fixArgs{Code: blocks[len(blocks)-1][1], Comment: string([]rune(comment)[:min(len([]rune(comment)), 300)])})
	if err != nil {
		return llm.Call{}, false
	}
	return llm.Call{Tool: "fix", Arguments: string(arguments)}, true
}

// handedIn says that a candidate needs no better one: it passes, and nothing but that it is not proved holds it.
func handedIn(candidate repair.Candidate, judged gate.Judgement) bool {
	return repair.Judged{Candidate: candidate, Judgement: judged}.Passes() && len(judged.Reasons) == 0 && len(candidate.Doubts) == 0
}
