package publisher

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ForPeople are the types of events for people who did not name any: applied fixes, decisions and questions that wait
// for them, and repairs that were given up.
var ForPeople = []string{
	workflow.TypeFixApplied, workflow.TypeFixHeld, workflow.TypeEscalated, workflow.TypeAuthErrorClassified, workflow.TypePermissionErrorClassified,
	workflow.TypeRetriesExhausted, workflow.TypeOutageReported, workflow.TypeOutageEnded, workflow.TypeRunUnfinished, workflow.TypeQuestionAsked, workflow.TypeDecisionDelegated, workflow.TypeDecisionReminded,
	plan.TypeJobHeld,
}

// note is an event in words, for people. None of it is trusted: anybody may have written titles and reasons.
type note struct {
	id      string
	heading string // what became of it: Fixed, Waits for you, …
	title   string // of the workflow
	what    string // was fixed, for the headline
	text    string
	cause   string        // what is told at once; empty for what stands by itself
	asked   Asked         // of the person, if it asks something
	answers []plan.Answer // of a job that is held
	to      string        // the person that it was given to, see [workflow.DecisionDelegated]; empty for every reader
	// commands are what can be done; where there is a link to decide by, it stands for them.
	commands []string
}

// choice is a link by which a person decides.
type choice struct{ label, link string }

// messenger delivers notes to people.
type messenger interface {
	deliver(ctx context.Context, notes []note) (Answer, error)
	close()
}

// Limits of what people are told at once.
const (
	mostNotes   = 20
	maxWords    = 600 // bytes, of a text
	maxTitle    = 120
	mostFiles   = 5 // of a job that is held
	usualGather = 3 * time.Second
)

// people is a sink that tells people of events in words. Events with the same cause that come within a few seconds
// are one message: while it is collected, later events of those workflows wait as well.
type people struct {
	sinks Sinks
	name  string // of the subscription
	by    messenger

	mu      sync.Mutex
	batches map[string]*batch // by cause
}

// batch is one message in the making. The delivery that opened it sends it, the others wait for the outcome.
type batch struct {
	notes []note
	full  chan struct{} // closed when no more fit
	done  chan struct{} // closed after
	said  Answer
	err   error
}

func newPeople(sinks Sinks, name string, by messenger) *people {
	sinks.Gather = cmp.Or(sinks.Gather, usualGather)
	return &people{sinks: sinks, name: name, by: by, batches: map[string]*batch{}}
}

// Send implements [Sink].
func (p *people) Send(ctx context.Context, out Outgoing) (Answer, error) {
	one, err := p.sinks.words(ctx, out)
	if err != nil {
		return Answer{}, err
	}
	if group, is := workflow.GroupOf(one.to); is && group != p.name {
		return Answer{Said: "it is for the readers of " + group}, nil
	}
	if one.cause == "" {
		return p.by.deliver(ctx, []note{one})
	}
	of, mine := p.join(one)
	if !mine {
		select {
		case <-of.done:
			return of.said, of.err
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
	}
	wait := time.NewTimer(p.sinks.Gather)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-of.full:
	case <-ctx.Done():
	}
	notes := p.take(one.cause, of)
	of.said, of.err = p.by.deliver(ctx, notes)
	close(of.done)
	return of.said, of.err
}

// join adds a note to what is told with it; mine says that nobody else does.
func (p *people) join(one note) (of *batch, mine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of = p.batches[one.cause]
	if of == nil {
		of, mine = &batch{full: make(chan struct{}), done: make(chan struct{})}, true
		p.batches[one.cause] = of
	}
	if of.notes = append(of.notes, one); len(of.notes) == mostNotes {
		close(of.full)
		delete(p.batches, one.cause)
	}
	return of, mine
}

// take closes a batch to others.
func (p *people) take(cause string, of *batch) []note {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.batches[cause] == of {
		delete(p.batches, cause)
	}
	return of.notes
}

// Close implements [Sink].
func (p *people) Close() { p.by.close() }

// words says what an event means for a person.
func (s Sinks) words(ctx context.Context, out Outgoing) (note, error) {
	one, err := out.event()
	if err != nil {
		return note{}, err
	}
	n := note{id: out.ID, heading: strings.TrimPrefix(one.Type, TypePrefix), title: cmp.Or(one.PartitionKey, "Kintsugi")}
	var of workflow.State
	if strings.HasPrefix(one.Subject, workflow.Subject("")) {
		if of, err = s.Workflow(ctx, one.PartitionKey); err != nil {
			return note{}, err
		}
		n.title = cmp.Or(of.Title, n.title)
	}
	if err := speak(&n, one, of); err != nil {
		return note{}, err
	}
	n.title, n.what, n.text = plainWords(n.title, maxTitle), plainWords(n.what, maxTitle), plainWords(n.text, maxWords)
	return n, nil
}

// said is what there is to say of an event; each type fills some of it.
type said struct {
	Message, Proposal, Reason, Explanation, Problem, Text, Run, Evidence, Loose, Strict string
	Notification, Question, To, Note                                                    string

	Call       int
	Due        time.Time
	Since, At  time.Time
	Host, Why  string
	OnDeadline string `json:"on_deadline"`

	Version  workflow.Version
	Reasons  []string
	Attempts int
}

func speak(n *note, one cloudEvent, of workflow.State) error {
	var e said
	if len(one.Data) > 0 {
		if err := json.Unmarshal(one.Data, &e); err != nil {
			return fmt.Errorf("the payload is not what its type says: %w", err)
		}
	}
	proposal, _ := of.Proposal(e.Proposal)
	of.ID = cmp.Or(of.ID, one.PartitionKey)
	switch n.heading {
	case "test":
		n.heading, n.title, n.text = "A test", "Kintsugi", e.Message
	case workflow.TypeFixApplied:
		n.heading, n.cause = "Fixed", fixedCause(of, e.Proposal)
		n.what = proposal.Comment
		n.text = fmt.Sprintf("Version %s is active: %s", e.Version, cmp.Or(proposal.Comment, "a fix"))
		n.commands = []string{"kintsugi fix show " + e.Proposal}
	case workflow.TypeFixHeld:
		n.heading, n.cause = "Waits for you", fixedCause(of, e.Proposal)
		n.text = fmt.Sprintf("A fix (%s) is not applied until you say so: %s", cmp.Or(proposal.Comment, "see it"), strings.Join(e.Reasons, "; "))
		n.asked.Fix = e.Proposal
		n.commands = decideCommands(e.Proposal)
	case workflow.TypeEscalated:
		n.heading, n.cause = "Gave up", e.Reason+e.Explanation
		n.text = "Because " + cmp.Or(e.Explanation, e.Reason)
		n.commands = []string{"kintsugi workflow show " + of.ID}
	case workflow.TypeAuthErrorClassified, workflow.TypePermissionErrorClassified:
		n.cause = n.heading + e.Loose
		n.heading, n.text = "Waits for you", "It was refused access: "+e.Evidence
		n.commands = []string{"kintsugi workflow show " + of.ID}
	case workflow.TypeRetriesExhausted:
		n.heading, n.cause = "Goes on later", n.heading+e.Strict
		n.text = fmt.Sprintf("A run did not get through in %d tries; the next one tries again", e.Attempts)
		n.commands = []string{"kintsugi run show " + e.Run}
	case workflow.TypeOutageReported:
		n.heading, n.cause = "No answer", n.heading+e.Host
		n.text = fmt.Sprintf("There is none since %s, and it is asked again by itself: %s", e.Since.UTC().Format("2 January 2006 at 15:04 UTC"), e.Problem)
		n.commands = []string{"kintsugi workflow show " + of.ID}
	case workflow.TypeOutageEnded:
		n.heading, n.cause = "Over", n.heading+e.Host+e.Why
		n.text = fmt.Sprintf("There is an answer again, after %s", e.At.Sub(e.Since).Round(time.Second))
		if e.Why != workflow.OutageAnswered {
			n.text = "Nothing waits for an answer any more, which did not come"
		}
	case workflow.TypeRunUnfinished:
		n.heading, n.text = "Waits for you", "A run is half done: "+e.Problem
		n.commands = []string{"kintsugi run show " + e.Run}
	case workflow.TypeQuestionAsked:
		n.heading, n.text = "Asks you", e.Text
		n.asked.Question = n.id
		n.commands = []string{"kintsugi notification answer " + n.id + " ANSWER"}
	case workflow.TypeDecisionDelegated:
		n.heading, n.to = "Given to "+plainWords(e.To, maxTitle), e.To
		switch {
		case e.Proposal != "":
			n.text = fmt.Sprintf("It is for %s to decide about a fix (%s)", e.To, cmp.Or(proposal.Comment, "see it"))
			n.asked.Fix, n.commands = e.Proposal, decideCommands(e.Proposal)
		case e.Question != "" || e.Call > 0:
			n.text = fmt.Sprintf("It is for %s to answer a question", e.To)
			n.asked.Question, n.commands = e.Notification, []string{"kintsugi notification answer " + e.Notification + " ANSWER"}
		default:
			n.text = fmt.Sprintf("It is for %s to see to what waits for a person", e.To)
			n.commands = []string{"kintsugi notification list --workflow " + of.ID}
		}
		if e.Note != "" {
			n.text += ": " + e.Note
		}
	case workflow.TypeDecisionReminded:
		n.heading, n.to, n.cause = "Still waits for you", e.To, fixedCause(of, e.Proposal)+e.To
		n.text = fmt.Sprintf("A fix (%s) is %s on %s, unless somebody decides before", cmp.Or(proposal.Comment, "see it"), workflow.DeadlineWords(e.OnDeadline), e.Due.UTC().Format("2 January 2006 at 15:04 UTC"))
		n.asked.Fix, n.commands = e.Proposal, decideCommands(e.Proposal)
	case plan.TypeJobHeld:
		return speakOfJob(n, one)
	case subscription.TypeSubscriptionFailing:
		name := strings.TrimPrefix(one.Subject, subscription.SubjectPrefix)
		n.heading, n.title = "Not delivered", name
		n.text = fmt.Sprintf("It takes no events since %s: %s", e.Since.UTC().Format("2 January 2006 at 15:04 UTC"), e.Reason)
		n.commands = []string{"kintsugi subscription deliveries " + name + " --failed"}
	case subscription.TypeSubscriptionRecovered:
		n.heading, n.title = "Over", strings.TrimPrefix(one.Subject, subscription.SubjectPrefix)
		n.text = "It takes events again, which it did not since " + e.Since.UTC().Format("2 January 2006 at 15:04 UTC")
	default:
		n.text = cmp.Or(e.Reason, e.Problem, e.Explanation, e.Message, e.Text, e.Evidence)
	}
	return nil
}

// speakOfJob says what a job of a plan is held for, and how it is answered.
func speakOfJob(n *note, one cloudEvent) error {
	var held plan.JobHeld
	if err := json.Unmarshal(one.Data, &held); err != nil {
		return fmt.Errorf("the payload is not what its type says: %w", err)
	}
	id := strings.TrimPrefix(one.Subject, plan.SubjectPrefix)
	n.heading, n.title, n.text = "Waits for you", "job "+held.Job, held.Reason
	for i, violation := range held.Violations {
		if i == mostFiles {
			break
		}
		n.text += fmt.Sprintf("; %s (%s): %s", violation.Path, violation.Change, violation.Why)
	}
	if more := max(held.Count, len(held.Violations)) - mostFiles; more > 0 {
		n.text += fmt.Sprintf("; and %d more", more)
	}
	n.asked, n.answers = Asked{Plan: id, Job: held.Job, Checkpoint: held.Checkpoint}, held.Answers()
	for _, answer := range n.answers {
		n.commands = append(n.commands, "kintsugi "+answer.Command(id, held.Job, held.Checkpoint))
	}
	return nil
}

func decideCommands(fix string) []string {
	return []string{"kintsugi fix accept " + fix, "kintsugi fix decline " + fix}
}

// fixedCause is the error that a fix is for, as it is anywhere.
func fixedCause(of workflow.State, proposal string) string {
	if m := of.Maintenance; m != nil && m.Held != nil && m.Held.Proposal == proposal {
		return "held" + m.Failure.Loose
	}
	for _, one := range of.Fixes {
		if one.Proposal == proposal {
			return "fixed" + one.Loose
		}
	}
	return ""
}

// person is whom a note was given to, if that is one person.
func (n note) person() string {
	if _, group := workflow.GroupOf(n.to); group {
		return ""
	}
	return n.to
}

// choices are where a reader of a subscription decides about what a note asks; none if there is nowhere to lead them, or if it is
// for somebody else.
func (s Sinks) choices(ctx context.Context, name string, one note, reader string) ([]choice, error) {
	if s.Links == nil || one.asked == (Asked{}) || one.person() != "" && one.person() != reader {
		return nil, nil
	}
	about := one.asked
	about.Via = name
	link, err := s.Links(ctx, about, reader)
	switch {
	case err != nil || link == "":
		return nil, err
	case one.asked.Question != "":
		return []choice{{"Answer", link}}, nil
	case one.asked.Plan != "":
		choices := make([]choice, len(one.answers))
		for i, answer := range one.answers {
			choices[i] = choice{answer.Label(), link + "?answer=" + string(answer)}
		}
		return choices, nil
	}
	return []choice{{"Accept", link + "?answer=accept"}, {"Decline", link + "?answer=decline"}}, nil
}

// lines are a note in words, with where its reader decides.
func (n note) lines(choices []choice) []string {
	lines := []string{n.heading + ": " + n.title, n.text}
	if len(choices) == 0 {
		return append(lines, n.commands...)
	}
	return lines
}

// plainWords are one line without characters that do something, also if an attacker wrote them.
func plainWords(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return failure.Cut(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) { // that turn the direction of writing, and those that nobody sees
			return -1
		}
		return r
	}, text), most)
}

// headline is what several notes are about, in a line.
func headline(notes []note) string {
	text := notes[0].heading + ": " + notes[0].title
	if what := notes[0].what; what != "" {
		text += " (" + what + ")"
	}
	if more := len(notes) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
