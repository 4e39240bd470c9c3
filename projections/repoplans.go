package projections

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// RepoPlanHeld is the status of a plan that is running, and of which all that is left waits for a person.
const RepoPlanHeld = "held"

// RepoPlan is a plan for coding agents, as a list shows it.
type RepoPlan struct {
	ID          string    `json:"id" col:"id,key"`
	Title       string    `json:"title" col:"title"`
	Status      string    `json:"status" col:"status"` // running, held, completed or cancelled
	Repository  string    `json:"repository" col:"repository"`
	Base        string    `json:"base" col:"base"`
	BaseCommit  string    `json:"base_commit" col:"base_commit"`
	Integration string    `json:"integration" col:"integration"`
	Commit      string    `json:"commit" col:"head"` // of the integration branch
	Place       string    `json:"place" col:"place"`
	StartedAt   time.Time `json:"started_at" col:"started_at"`
	StartedBy   string    `json:"started_by" col:"started_by"`
	EndedAt     time.Time `json:"ended_at,omitzero" col:"ended_at"`
	Reason      string    `json:"reason,omitempty" col:"reason"` // why it was cancelled
	Total       int       `json:"total" col:"total"`             // jobs
	Merged      int       `json:"merged" col:"merged"`
	Held        int       `json:"held" col:"held"`
	// States are how many jobs are in which status.
	States    map[string]int `json:"states" col:"states,json"`
	LastAt    time.Time      `json:"last_at" col:"last_at"`
	LastEvent string         `json:"last_event" col:"last_event"` // its type
	LastJob   string         `json:"last_job,omitempty" col:"last_job"`

	Number    int64  `json:"-" col:"number"`
	Revision  int64  `json:"-" col:"revision"`  // of its stream
	Readied   int    `json:"-" col:"readied"`   // how often a job became ready
	Backwards string `json:"-" col:"backwards"` // the id, by whose end people name a plan
}

// repoPlanDefinition is what a plan says, which lists do not read.
type repoPlanDefinition struct {
	Plan       string          `col:"plan,key"`
	Definition plan.Definition `col:"definition,json"`
}

// RepoJob is where a job of a plan is.
type RepoJob struct {
	Plan   string    `json:"-" col:"plan,key"`
	ID     string    `json:"id" col:"job,key"`
	Status string    `json:"status" col:"status"`
	Since  time.Time `json:"since,omitzero" col:"since"` // it is in this status
	// Train is its place in the merge train, from 1; 0 if it never was ready.
	Train    int       `json:"train,omitempty" col:"train"`
	Onto     string    `json:"onto,omitempty" col:"onto"` // the commit that it is, or was, merged onto
	ReadyAt  time.Time `json:"ready_at,omitzero" col:"ready_at"`
	MergedAt time.Time `json:"merged_at,omitzero" col:"merged_at"`
	Changed  int       `json:"changed,omitempty" col:"changed"` // files, as they were checked last

	Place int `json:"-" col:"place"` // in the plan
	// State is what the plan's own fold makes of the job, without what is not needed to go on with that.
	State plan.JobState `json:"-" col:"state,json"`
}

// RepoStep is a program that was launched for a job: what a job's attempts consist of.
type RepoStep struct {
	Plan    string    `json:"-" col:"plan,key"`
	Job     string    `json:"job" col:"job,key"`
	Launch  string    `json:"launch" col:"launch,key"`
	Attempt int       `json:"attempt" col:"attempt"`
	Phase   string    `json:"phase" col:"phase"` // init, agent or verify
	Index   int       `json:"index" col:"index_in_phase"`
	Merging bool      `json:"merging" col:"merging"` // of the merge, not of the job's own branch
	Line    string    `json:"line" col:"line"`       // what is run
	Started time.Time `json:"started" col:"started"`
	Ended   time.Time `json:"ended,omitzero" col:"ended"`
	OK      bool      `json:"ok" col:"ok"`
	Says    string    `json:"says,omitempty" col:"says"` // how it ended
	Code    int       `json:"code" col:"code"`
	Millis  int64     `json:"millis" col:"millis"`
	Bytes   int64     `json:"bytes" col:"bytes"` // of its output
	Left    int       `json:"left,omitempty" col:"left_running"`
	Number  int64     `json:"number" col:"number"`
}

// The answers to a checkpoint.
const (
	AnswerAccept    = "accept"
	AnswerRelaunch  = "relaunch"
	AnswerRetry     = "retry"
	AnswerCancelled = "cancelled" // the plan was
	AnswerDropped   = "dropped"   // the job was
)

// RepoCheckpoint is a job that stood still until a person answered, and the answer.
type RepoCheckpoint struct {
	Plan       string           `json:"-" col:"plan,key"`
	Number     int              `json:"checkpoint" col:"number,key"`
	Job        string           `json:"job" col:"job"`
	Kind       plan.Kind        `json:"kind" col:"kind"`
	Attempt    int              `json:"attempt" col:"attempt"`
	At         time.Time        `json:"at" col:"at"`
	Reason     string           `json:"reason" col:"reason"`
	Violations []plan.Violation `json:"violations,omitempty" col:"violations,json"`
	Count      int              `json:"count,omitempty" col:"violated"` // all of them
	Allowed    []string         `json:"allowed,omitempty" col:"allowed,json"`
	MayCreate  []string         `json:"may_create,omitempty" col:"may_create,json"`
	Commit     string           `json:"commit,omitempty" col:"made"`
	Since      string           `json:"since,omitempty" col:"since"`
	// Healing is what the Healer came to before, if it was called.
	Healing *plan.HealingEnded `json:"healing,omitempty" col:"healing,json"`
	// Answer is empty as long as it waits.
	Answer     string    `json:"answer,omitempty" col:"answer"`
	AnsweredAt time.Time `json:"answered_at,omitzero" col:"answered_at"`
	AnsweredBy string    `json:"answered_by,omitempty" col:"answered_by"`
	Why        string    `json:"why,omitempty" col:"why"`

	Open string `json:"-" col:"open"` // the plan, as long as it waits
}

var (
	repoPlans = readmodel.NewTable[RepoPlan]("repo_plan",
		readmodel.Index("number"), readmodel.Index("status", "number"), readmodel.Index("title", "number"), readmodel.Index("backwards"), readmodel.Index("integration", "repository"))
	repoDefinitions = readmodel.NewTable[repoPlanDefinition]("repo_plan_definition")
	repoJobs        = readmodel.NewTable[RepoJob]("repo_job", readmodel.Lookup("of", "plan"), readmodel.Index("plan", "place"))
	repoSteps       = readmodel.NewTable[RepoStep]("repo_step", readmodel.Index("plan", "number"), readmodel.Index("plan", "job", "number"))
	repoCheckpoints = readmodel.NewTable[RepoCheckpoint]("repo_checkpoint",
		readmodel.Index("plan", "job", "number"), readmodel.Lookup("open", "open", "job"))
)

func applyRepoPlan(tx *readmodel.Tx, recorded event.Recorded) error {
	id, its := strings.CutPrefix(recorded.Stream, plan.StreamPrefix)
	if !its {
		return nil
	}
	p := planner{tx: tx, id: strings.Clone(id), at: recorded.Metadata.RecordedAt, by: recorded.Metadata.Actor}
	if started, is := recorded.Event.(plan.PlanStarted); is {
		p.started(started)
	}
	if repoPlans.Get(tx, p.id) == nil {
		return nil
	}
	job := p.apply(recorded.Event)
	p.count(recorded, job)
	return nil
}

// planner folds one event of a plan.
type planner struct {
	tx *readmodel.Tx
	id string
	at time.Time
	by string
}

func (p planner) started(e plan.PlanStarted) {
	d := e.Definition
	repoPlans.Insert(p.tx, RepoPlan{
		ID: p.id, Number: p.tx.Next("repo_plan"), Title: d.Title, Status: string(plan.StatusRunning), Repository: d.Repository, Base: d.Base,
		BaseCommit: e.BaseCommit, Integration: d.Integration, Commit: e.IntegrationCommit, Place: e.Place, StartedAt: p.at, StartedBy: p.by, Total: len(d.Jobs),
		Backwards: backwards(p.id),
	})
	repoDefinitions.Insert(p.tx, repoPlanDefinition{Plan: p.id, Definition: d})
	for i, job := range d.Jobs {
		state := plan.JobState{ID: job.ID, Status: plan.JobPending}
		repoJobs.Insert(p.tx, RepoJob{Plan: p.id, ID: job.ID, Place: i, Status: string(state.Status), Since: p.at, State: state})
	}
}

// added is one more job of a plan.
func (p planner) added(e plan.JobAdded) {
	of := repoDefinitions.Edit(p.tx, p.id)
	if of == nil {
		return
	}
	of.Definition.Jobs = append(slices.Clip(of.Definition.Jobs), e.Definition)
	repoPlans.Edit(p.tx, p.id).Total++
	state := plan.JobState{ID: e.Job, Status: plan.JobPending}
	repoJobs.Insert(p.tx, RepoJob{Plan: p.id, ID: e.Job, Place: len(of.Definition.Jobs) - 1, Status: string(state.Status), Since: p.at, State: state})
}

// apply changes what an event is about, and returns the job.
func (p planner) apply(happened event.Event) (job string) {
	switch e := happened.(type) {
	case plan.PlanCompleted:
		p.ended(plan.StatusCompleted, "")
	case plan.PlanCancelled:
		p.ended(plan.StatusCancelled, e.Reason)
		for _, one := range repoJobs.Where(p.tx, "of", p.id) {
			if one.Status != string(plan.JobMergedIn) && one.Status != string(plan.JobDroppedOut) {
				one = repoJobs.Edit(p.tx, p.id, one.ID)
				one.Status, one.State.Status, one.Since = string(plan.JobCancelled), plan.JobCancelled, p.at
				p.answered(one.ID, AnswerCancelled, e.Reason)
			}
		}
	case plan.JobAdded:
		p.added(e)
		return e.Job
	case plan.JobStopped:
		return p.becomes(e.Job, e).ID
	case plan.JobDropped:
		p.answered(e.Job, AnswerDropped, e.Reason)
		return p.becomes(e.Job, e).ID
	case plan.JobStarted:
		return p.becomes(e.Job, e).ID
	case plan.StepStarted:
		p.stepStarted(e)
		return p.becomes(e.Job, e).ID
	case plan.StepEnded:
		p.stepEnded(e)
		return p.becomes(e.Job, e).ID
	case plan.JobDelayed:
		return p.becomes(e.Job, e).ID
	case plan.JobChecked:
		one := p.becomes(e.Job, e)
		one.Changed = e.Changed
		return one.ID
	case plan.JobReady:
		one := p.becomes(e.Job, e)
		one.ReadyAt = p.at
		return one.ID
	case plan.HealingStarted:
		return p.becomes(e.Job, e).ID
	case plan.HealingEnded:
		return p.becomes(e.Job, e).ID
	case plan.JobHeld:
		p.held(e)
		return p.becomes(e.Job, e).ID
	case plan.JobAccepted:
		p.answered(e.Job, AnswerAccept, e.Reason)
		return p.becomes(e.Job, e).ID
	case plan.JobRelaunched:
		if e.Checkpoint != 0 { // else it was launched again by itself
			p.answered(e.Job, AnswerRelaunch, e.Note)
		}
		return p.becomes(e.Job, e).ID
	case plan.JobRetried:
		p.answered(e.Job, AnswerRetry, e.Note)
		return p.becomes(e.Job, e).ID
	case plan.MergeStarted:
		one := p.becomes(e.Job, e)
		one.Onto = e.Onto
		return one.ID
	case plan.JobMerged:
		one := p.becomes(e.Job, e)
		one.MergedAt = p.at
		repoPlans.Edit(p.tx, p.id).Commit = e.Commit
		return one.ID
	}
	return ""
}

// becomes has a job be what the domain says that it is after an event; of a job that is not there it is a row that nobody keeps.
func (p planner) becomes(job string, e event.Event) *RepoJob {
	one, of, what := repoJobs.Edit(p.tx, p.id, job), repoPlans.Edit(p.tx, p.id), repoDefinitions.Get(p.tx, p.id)
	if one == nil || what == nil {
		return &RepoJob{}
	}
	state := plan.Evolve(plan.State{
		ID: p.id, Definition: what.Definition, Status: plan.StatusRunning, Readied: of.Readied, Jobs: map[string]plan.JobState{job: one.State},
	}, e)
	of.Readied, one.State = state.Readied, brieflyOf(state.Jobs[job])
	one.Train = one.State.Ready
	if status := string(one.State.Status); one.Status != status {
		one.Status, one.Since = status, p.at
	}
	return one
}

// brieflyOf leaves out what no later status follows from.
func brieflyOf(job plan.JobState) plan.JobState {
	job.Guarded, job.Prompt, job.Last.Result.Tail, job.Last.Result.Says, job.SetupChanged, job.Last.Changed = nil, "", "", "", nil, nil
	job.Held.Violations, job.Held.Guarded, job.Held.Reason, job.Held.Allowed, job.Held.MayCreate = nil, nil, "", nil, nil
	return job
}

func (p planner) ended(status plan.Status, reason string) {
	one := repoPlans.Edit(p.tx, p.id)
	one.Status, one.EndedAt, one.Reason = string(status), p.at, reason
}

func (p planner) stepStarted(e plan.StepStarted) {
	job := repoJobs.Get(p.tx, p.id, e.Job)
	of := repoDefinitions.Get(p.tx, p.id)
	if job == nil || of == nil {
		return
	}
	line := plan.State{Definition: of.Definition}.Line(job.State, e.Step)
	if one, _ := of.Definition.Job(e.Job); e.Step.Phase == plan.PhaseAgent {
		line = AgentLine(one.Agent)
	}
	repoSteps.Insert(p.tx, RepoStep{
		Plan: p.id, Job: e.Job, Launch: e.Launch, Attempt: e.Attempt, Phase: string(e.Step.Phase), Index: e.Step.Index,
		Merging: job.Status == string(plan.JobMerging), Line: line, Started: p.at, Number: p.tx.Next("repo_step"),
	})
}

// AgentLine is an agent's command line: what the shell reads, or the arguments.
func AgentLine(agent plan.Program) string {
	if len(agent) == 3 && agent[0] == "/bin/sh" && agent[1] == "-c" {
		return agent[2]
	}
	return strings.Join(agent, " ")
}

func (p planner) stepEnded(e plan.StepEnded) {
	one := repoSteps.Edit(p.tx, p.id, e.Job, e.Launch)
	if one == nil {
		return
	}
	r := e.Result
	one.Ended, one.OK, one.Says, one.Code, one.Millis, one.Bytes, one.Left = p.at, r.OK, r.Says, r.Code, r.Millis, r.Bytes, r.Left
}

func (p planner) held(e plan.JobHeld) {
	repoCheckpoints.Insert(p.tx, RepoCheckpoint{
		Plan: p.id, Number: e.Checkpoint, Job: e.Job, Kind: e.Kind, Attempt: e.Attempt, At: p.at, Reason: e.Reason, Violations: e.Violations,
		Count: max(e.Count, len(e.Violations)), Allowed: e.Allowed, MayCreate: e.MayCreate, Commit: e.Commit, Since: e.Since, Healing: e.Healing, Open: p.id,
	})
}

func (p planner) answered(job, answer, why string) {
	for _, one := range repoCheckpoints.EditWhere(p.tx, "open", p.id, job) {
		one.Answer, one.AnsweredAt, one.AnsweredBy, one.Why, one.Open = answer, p.at, p.by, why, ""
	}
}

// count brings the plan's own row up to its jobs. It is held when no job of it can go on without a person.
func (p planner) count(recorded event.Recorded, job string) {
	one := repoPlans.Edit(p.tx, p.id)
	one.LastAt, one.LastEvent, one.LastJob, one.Revision = p.at, recorded.Event.EventType(), job, recorded.Revision
	if _, is := recorded.Event.(plan.StepStarted); is { // no job has another status
		return
	}
	jobs := repoJobs.Where(p.tx, "of", p.id)
	one.States, one.Merged, one.Held = map[string]int{}, 0, 0
	status := map[string]string{}
	for _, of := range jobs {
		one.States[of.Status]++
		status[of.ID] = of.Status
	}
	one.Merged, one.Held = one.States[string(plan.JobMergedIn)], one.States[string(plan.JobHeldBack)]
	if one.Status != string(plan.StatusRunning) && one.Status != RepoPlanHeld {
		return
	}
	one.Status = string(plan.StatusRunning)
	if one.Held > 0 && !p.goesOn(status) {
		one.Status = RepoPlanHeld
	}
}

// goesOn says that something is to be done for a plan without a person.
func (p planner) goesOn(status map[string]string) bool {
	of := repoDefinitions.Get(p.tx, p.id)
	for _, job := range of.Definition.Jobs {
		switch plan.JobStatus(status[job.ID]) {
		case plan.JobHeldBack, plan.JobMergedIn, plan.JobCancelled, plan.JobDroppedOut:
		case plan.JobPending:
			missing := false
			for _, need := range job.Needs {
				missing = missing || status[need] != string(plan.JobMergedIn)
			}
			if !missing {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// RepoPlanFilter chooses plans; zero fields choose all.
type RepoPlanFilter struct {
	Status string
	// Limit is the most plans to return, the newest; 0 for no limit.
	Limit int
	// Before leaves out that plan and those after it: it is the last one of the page before.
	Before string
}

// RepoPlans are the plans chosen, the newest first.
func (q *Queries) RepoPlans(ctx context.Context, filter RepoPlanFilter) ([]RepoPlan, error) {
	var chosen conditions
	chosen.equal("status", filter.Status)
	if filter.Before != "" {
		chosen.add("number < (SELECT number FROM repo_plan WHERE id = ?)", filter.Before)
	}
	return selected(ctx, q, repoPlans, chosen.limit(chosen.where()+" ORDER BY number DESC", filter.Limit), chosen.args...)
}

// RepoPlan is one plan.
func (q *Queries) RepoPlan(ctx context.Context, id string) (RepoPlan, error) {
	return selectedOne(ctx, q, fault.New(fault.NotFound, "there is no plan %q: see 'kintsugi repo plan list'", id), repoPlans, "WHERE id = ?", id)
}

// mostNamed is how many plans may be meant by one name.
const mostNamed = 10

// RepoPlansNamed are the newest plans that somebody may mean: by the id, by the end of it (that of four letters or more) or by the title.
func (q *Queries) RepoPlansNamed(ctx context.Context, named string) ([]RepoPlan, error) {
	exact, err := selected(ctx, q, repoPlans, "WHERE id = ?", named)
	if err != nil || len(exact) > 0 {
		return exact, err
	}
	titled, err := selected(ctx, q, repoPlans, "WHERE title = ? ORDER BY number DESC LIMIT ?", named, mostNamed)
	if err != nil || len(titled) > 0 || len(named) < 4 {
		return titled, err
	}
	end := backwards(named)
	return selected(ctx, q, repoPlans, "WHERE backwards >= ? AND backwards < ? ORDER BY backwards LIMIT ?", end, end+"~", mostNamed)
}

func backwards(id string) string {
	b := []byte(id)
	slices.Reverse(b)
	return string(b)
}

// RepoPlansOnto are the plans that are under way onto a branch of a repository.
func (q *Queries) RepoPlansOnto(ctx context.Context, repository, integration string) ([]RepoPlan, error) {
	return selected(ctx, q, repoPlans, "WHERE integration = ? AND repository = ? AND ended_at IS NULL", integration, repository)
}

// RepoJobs are the jobs of a plan, in its order.
func (q *Queries) RepoJobs(ctx context.Context, id string) ([]RepoJob, error) {
	return selected(ctx, q, repoJobs, "WHERE plan = ? ORDER BY place", id)
}

// RepoStepFilter chooses programs that were launched for a plan.
type RepoStepFilter struct {
	Plan, Job string
	// Limit is the most to return, the newest; Before leaves out those from this number on.
	Limit  int
	Before int64
}

// RepoSteps are the programs chosen, the newest first.
func (q *Queries) RepoSteps(ctx context.Context, filter RepoStepFilter) ([]RepoStep, error) {
	var chosen conditions
	chosen.add("plan = ?", filter.Plan)
	chosen.equal("job", filter.Job)
	if filter.Before != 0 {
		chosen.add("number < ?", filter.Before)
	}
	return selected(ctx, q, repoSteps, chosen.limit(chosen.where()+" ORDER BY number DESC", filter.Limit), chosen.args...)
}

// RepoStep is one program that was launched for a job; the newest, if none is named.
func (q *Queries) RepoStep(ctx context.Context, id, job, launch string) (RepoStep, error) {
	if launch == "" {
		return selectedOne(ctx, q, fault.New(fault.NotFound, "nothing was launched for job %q of plan %s yet", job, id), repoSteps, "WHERE plan = ? AND job = ? ORDER BY number DESC", id, job)
	}
	return selectedOne(ctx, q, fault.New(fault.NotFound, "job %q of plan %s has no launch %q", job, id, launch), repoSteps, "WHERE plan = ? AND job = ? AND launch = ?", id, job, launch)
}

// RepoCheckpointFilter chooses checkpoints of a plan.
type RepoCheckpointFilter struct {
	Plan, Job string
	// Limit is the most to return, the newest; Before leaves out those from this number on.
	Limit, Before int
}

// RepoCheckpoints are the checkpoints chosen, the newest first.
func (q *Queries) RepoCheckpoints(ctx context.Context, filter RepoCheckpointFilter) ([]RepoCheckpoint, error) {
	var chosen conditions
	chosen.add("plan = ?", filter.Plan)
	chosen.equal("job", filter.Job)
	if filter.Before != 0 {
		chosen.add("number < ?", filter.Before)
	}
	return selected(ctx, q, repoCheckpoints, chosen.limit(chosen.where()+" ORDER BY number DESC", filter.Limit), chosen.args...)
}
