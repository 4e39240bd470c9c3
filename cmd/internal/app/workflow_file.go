package app

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"go.yaml.in/yaml/v3"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/basics/yamlfile"
	"github.com/kintsugi-run/kintsugi/internal/script/transpile"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
	"github.com/kintsugi-run/kintsugi/projections"
)

// WorkflowSchema is the form of a workflow as a file, as editors read it.
//
//go:embed workflow.schema.json
var WorkflowSchema []byte

// WorkflowFileName is how a workflow's file is called in its folder.
const WorkflowFileName = "kintsugi.yaml"

// environmentFileName is how the file beside it is called that has what is different in an environment.
func environmentFileName(environment string) string { return "kintsugi." + environment + ".yaml" }

// IsWorkflowFile says that a file describes a workflow, or what is different of one in some environment.
func IsWorkflowFile(name string) bool {
	base := path.Base(name)
	return base == WorkflowFileName || strings.HasPrefix(base, "kintsugi.") && strings.HasSuffix(base, ".yaml")
}

var workflowForm = yamlfile.Form{Name: "a workflow", Fields: "title: and script:", Schema: yamlfile.Compiled(WorkflowSchema)}

// differenceForm is of what is different in an environment: only the whole is checked.
var differenceForm = yamlfile.Form{Name: "what is different in an environment", Fields: "hosts: and settings:", Schema: yamlfile.Compiled([]byte(`{"type": "object"}`))}

// WorkflowFile is a workflow as people write it down. A part that is left out stays as it is.
type WorkflowFile struct {
	ID       string           `json:"id"`
	Title    string           `json:"title"`
	Intent   *string          `json:"intent,omitempty"`
	Zone     string           `json:"zone,omitempty"`
	Script   string           `json:"script,omitempty"` // a file, relative to this one
	Active   *bool            `json:"active,omitempty"`
	Labels   *workflow.Labels `json:"labels,omitempty"`
	Hosts    *[]string        `json:"hosts,omitempty"`
	Secrets  []string         `json:"secrets,omitempty"`
	Schedule *FileSchedule    `json:"schedule,omitempty"`
	Triggers *[]FileTrigger   `json:"triggers,omitempty"`
	Input    json.RawMessage  `json:"input,omitempty"`
	Settings json.RawMessage  `json:"settings,omitempty"` // a merge patch
	Path     string           `json:"-"`                  // of the file
	Code     string           `json:"-"`                  // of the script
	lines    yamlfile.File    // for what is found wrong later
}

// FileSchedule is when a workflow runs; of one that runs by hand only, the spec is [NoSchedule].
type FileSchedule struct {
	Spec    string           `json:"spec"`
	Zone    string           `json:"zone,omitempty"`
	Input   json.RawMessage  `json:"input,omitempty"`
	Overlap workflow.Overlap `json:"overlap,omitempty"`
	CatchUp workflow.CatchUp `json:"catch_up,omitempty"`
	Window  string           `json:"window,omitempty"`
	Jitter  string           `json:"jitter,omitempty"`
}

// NoSchedule is how a file says that a workflow runs by hand only.
const NoSchedule = "none"

// UnmarshalJSON implements [json.Unmarshaler]: a schedule may be its spec alone.
func (s *FileSchedule) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &s.Spec) == nil {
		return nil
	}
	type whole FileSchedule
	return json.Unmarshal(text, (*whole)(s))
}

// MarshalJSON implements [json.Marshaler]: a spec alone is a text.
func (s FileSchedule) MarshalJSON() ([]byte, error) {
	if reflect.DeepEqual(s, FileSchedule{Spec: s.Spec}) {
		return json.Marshal(s.Spec)
	}
	type whole FileSchedule
	return json.Marshal(whole(s))
}

// FileTrigger is another workflow on whose outcomes one starts.
type FileTrigger struct {
	On       string             `json:"on"`
	Outcomes []workflow.Outcome `json:"outcomes,omitempty"`
}

// ReadWorkflowFiles reads all workflows of a folder: each has a file of its own, [WorkflowFileName], in the folder or below it. The
// files of the folder are given by their paths. A file beside it has what is different in an environment, as a JSON merge
// patch (RFC 7396). An error has the file and the line of everything that is wrong.
func ReadWorkflowFiles(ctx context.Context, folder, environment string, files map[string][]byte) ([]WorkflowFile, error) {
	var list []WorkflowFile
	var wrong []error
	if environment != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(name string) bool { return path.Base(name) == environmentFileName(environment) }) {
		return nil, fault.New(fault.Invalid, "no workflow of %s has a file %s beside its %s: is the environment called %s?", folder, environmentFileName(environment), WorkflowFileName, environment)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Base(name) != WorkflowFileName {
			continue
		}
		one, err := readWorkflowFile(ctx, folder, name, environment, files)
		wrong = append(wrong, err)
		list = append(list, one)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, fault.New(fault.Invalid, "%w", err)
	}
	if len(list) == 0 {
		return nil, fault.New(fault.Invalid, "%s has no file %s, and no folder in it has one. Write one (kintsugi apply --schema says what it may have), or have a workflow written down: kintsugi export WORKFLOW --as files --to %s",
			folder, WorkflowFileName, plain.Quoted(folder))
	}
	return list, nil
}

func readWorkflowFile(ctx context.Context, folder, name, environment string, files map[string][]byte) (one WorkflowFile, err error) {
	shown := path.Join(folder, name)
	lines, faults := workflowForm.Read(files[name])
	if len(faults) > 0 {
		return one, yamlfile.Error(shown, faults)
	}
	if different, is := files[path.Join(path.Dir(name), environmentFileName(environment))]; is && environment != "" {
		if lines, err = inEnvironment(lines, different, path.Join(path.Dir(shown), environmentFileName(environment))); err != nil {
			return one, err
		}
	}
	if err := json.Unmarshal(lines.JSON, &one); err != nil {
		return one, fmt.Errorf("%s: %w", shown, err)
	}
	one.Path, one.lines = shown, lines
	if one.ID == "" {
		if one.ID = path.Base(path.Dir(shown)); one.ID == "." || one.ID == "/" || one.ID == ".." {
			return one, one.fault("", "it needs an id: its folder has no name here that could be one")
		}
	}
	if one.Zone != "" && CheckZone(one.Zone) != nil {
		return one, one.fault("/zone", "%q is not a time zone: use a name like Europe/Berlin", one.Zone)
	}
	if one.Schedule != nil {
		if _, err := one.Schedule.change(); err != nil {
			return one, one.fault("/schedule", "%v", err)
		}
	}
	if one.Script == "" {
		return one, nil
	}
	at := path.Join(path.Dir(name), one.Script)
	code, is := files[at]
	if !is {
		why := "there is no such file"
		if strings.HasPrefix(at, "../") || path.IsAbs(one.Script) {
			why = "it is outside of the folder " + folder
		}
		return one, one.fault("/script", "the script %s cannot be read: %s", one.Script, why)
	}
	if one.Code, err = OpenScript(ctx, string(code)); err != nil {
		return one, fmt.Errorf("%s: %w", path.Join(folder, at), err)
	}
	return one, CheckNewScript(ctx, one.Code, path.Join(folder, at))
}

// inEnvironment is a file with what is different in an environment. It has the lines of the file alone.
func inEnvironment(whole yamlfile.File, different []byte, shown string) (yamlfile.File, error) {
	patch, faults := differenceForm.Read(different)
	if len(faults) > 0 {
		return whole, yamlfile.Error(shown, faults)
	}
	var err error
	if whole.JSON, err = mergePatched(whole.JSON, patch.JSON); err != nil {
		return whole, fmt.Errorf("%s: %w", shown, err)
	}
	if _, faults = workflowForm.Read(whole.JSON); len(faults) == 0 { // JSON is YAML
		return whole, nil
	}
	for i := range faults {
		faults[i].Line = patch.Line(faults[i].Path)
	}
	return whole, yamlfile.Error(shown, faults)
}

// fault is an error at the line of a part of the file.
func (f WorkflowFile) fault(part, format string, args ...any) error {
	return fault.New(fault.Invalid, "%w", yamlfile.Error(f.Path, []yamlfile.Fault{{Line: f.lines.Line(part), Path: part, Text: fmt.Sprintf(format, args...)}}))
}

// change is the command that sets the schedule.
func (s FileSchedule) change() (change workflow.ChangeSchedule, err error) {
	if s.Spec == NoSchedule {
		if !reflect.DeepEqual(s, FileSchedule{Spec: NoSchedule}) {
			return change, fmt.Errorf("a schedule that is %s has nothing else", NoSchedule)
		}
		return change, nil
	}
	change = workflow.ChangeSchedule{Spec: s.Spec, Zone: s.Zone, Input: s.Input, Overlap: s.Overlap, CatchUp: s.CatchUp}
	if s.Zone != "" && CheckZone(s.Zone) != nil {
		return change, fmt.Errorf("%q is not a time zone: use a name like Europe/Berlin", s.Zone)
	}
	for _, one := range []struct {
		name, text string
		to         *time.Duration
	}{{"window", s.Window, &change.Window}, {"jitter", s.Jitter, &change.Jitter}} {
		if one.text == "" {
			continue
		}
		if *one.to, err = time.ParseDuration(one.text); err != nil {
			return change, fmt.Errorf("%s %q is no duration: write it like 30s or 48h", one.name, one.text)
		}
	}
	_, err = schedule.Parse(s.Spec, time.UTC)
	return change, err
}

// FileChange is a difference between a workflow and its file.
type FileChange struct {
	Part string `json:"part"`
	From string `json:"from,omitempty"`
	To   string `json:"to"`
	// foresee is the change as the domain sees it: it is asked before anything is done.
	foresee workflow.Command
	last    bool // it needs all workflows to be there
	carry   func(ctx context.Context) error
}

// FilePlan is what becomes of a workflow when its file is applied.
type FilePlan struct {
	Workflow string       `json:"workflow"`
	Title    string       `json:"title"`
	File     string       `json:"file,omitempty"` // none of one that is pruned
	New      bool         `json:"new,omitempty"`
	Changes  []FileChange `json:"changes"`
	Notes    []string     `json:"notes,omitempty"`
	state    workflow.State
}

// FileApplier compares workflows with their files, and changes them.
type FileApplier struct {
	Node   *Node
	Meta   func() commands.Meta
	Logger *slog.Logger
	// Overwrite says that a script is saved also if it lacks what was changed here since.
	Overwrite bool
	// Prune archives the workflows with these labels that no file describes. Without labels nothing is archived.
	Prune workflow.Labels
}

// Plan finds what is to be changed so that workflows are what their files say, and refuses what cannot be done before anything is.
func (a *FileApplier) Plan(ctx context.Context, files []WorkflowFile) ([]FilePlan, error) {
	if err := a.Node.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	seen, titled, plans := map[string]WorkflowFile{}, map[string]string{}, make([]FilePlan, 0, len(files))
	for _, one := range files {
		title := strings.ToLower(strings.TrimSpace(one.Title))
		if other, twice := titled[title]; twice {
			return nil, one.fault("/title", "the title %q is that of %s, too", one.Title, other)
		}
		titled[title] = one.Path
		if other, twice := seen[one.ID]; twice {
			return nil, one.fault("/id", "the id %q is that of %s, too", one.ID, other.Path)
		}
		seen[one.ID] = one
	}
	var wrong []error
	for _, one := range files {
		p, err := a.plan(ctx, one, seen)
		if err != nil && !strings.HasPrefix(err.Error(), one.Path) {
			err = fmt.Errorf("%s: %w", one.Path, err)
		}
		wrong, plans = append(wrong, err), append(plans, p)
	}
	if err := errors.Join(wrong...); err != nil || len(a.Prune) == 0 {
		return plans, err
	}
	pruned, err := a.prune(ctx, files, plans)
	return append(plans, pruned...), err
}

// prune finds the workflows that have all the labels and no file. Each file needs the labels, too: otherwise the workflow
// would outlive its file, and wrong labels would archive the workflows of others.
func (a *FileApplier) prune(ctx context.Context, files []WorkflowFile, plans []FilePlan) (pruned []FilePlan, err error) {
	described := map[string]bool{}
	for i, one := range files {
		described[one.ID] = true
		labels := plans[i].state.Settings.Labels
		if one.Labels != nil {
			labels = *one.Labels
		}
		for key, value := range a.Prune {
			if has, is := labels[key]; !is || has != value {
				return nil, one.fault("/labels", "it lacks the label %s=%s, by which --prune finds the workflows of this folder", key, value)
			}
		}
	}
	there, err := a.Node.Queries.Workflows(ctx, projections.WorkflowFilter{Owner: a.Node.Owner, Labels: a.Prune.Texts()})
	if err != nil {
		return nil, err
	}
	for _, one := range there {
		if described[one.ID] {
			continue
		}
		meta, archive := a.Meta(), workflow.Archive{Reason: "its file is gone"}
		pruned = append(pruned, FilePlan{Workflow: one.ID, Title: one.Title, Changes: []FileChange{{
			Part: "status", From: string(one.Status), To: string(workflow.StatusArchived), last: true, carry: func(ctx context.Context) error {
				_, err := a.Node.Commands.ArchiveWorkflow(ctx, one.ID, archive, meta)
				return err
			},
		}}})
	}
	return pruned, nil
}

func (a *FileApplier) plan(ctx context.Context, f WorkflowFile, all map[string]WorkflowFile) (p FilePlan, err error) {
	n := a.Node
	p = FilePlan{Workflow: f.ID, Title: f.Title, File: f.Path, Changes: []FileChange{}}
	p.state, err = n.Commands.LoadWorkflow(ctx, f.ID)
	if fault.KindOf(err) == fault.NotFound {
		p.New, err = true, nil
	}
	if err != nil {
		return p, err
	}
	if s := p.state.Status; s == workflow.StatusArchived || s == workflow.StatusDeleted {
		return p, fault.New(fault.Conflict, "the workflow %s is %s: restore it (kintsugi workflow restore %s), or give the file another id", f.ID, s, f.ID)
	}
	if p.New || p.state.Title != strings.TrimSpace(f.Title) {
		if err := n.Workflows.CheckTitle(ctx, f.ID, f.Title, ""); err != nil {
			return p, fmt.Errorf("%w; the file means that one if it has its id", err)
		}
	}
	steps := []func(context.Context, WorkflowFile, *FilePlan) error{a.planWords, a.planSettings, a.planScript, a.planSchedule,
		func(ctx context.Context, f WorkflowFile, p *FilePlan) error { return a.planTriggers(ctx, f, all, p) }, a.planActive}
	for _, step := range steps {
		if err := step(ctx, f, &p); err != nil {
			return p, err
		}
	}
	var foreseen []workflow.Command
	for _, one := range p.Changes {
		if one.foresee != nil {
			foreseen = append(foreseen, one.foresee)
		}
	}
	return p, n.Commands.Foresee(ctx, a.Meta(), p.state, foreseen...)
}

// planWords has the workflow made, or its title and intent changed.
func (a *FileApplier) planWords(_ context.Context, f WorkflowFile, p *FilePlan) error {
	meta, title, intent := a.Meta(), strings.TrimSpace(f.Title), p.state.Intent
	if f.Intent != nil {
		intent = *f.Intent
	}
	if p.New {
		create := workflow.Create{ID: f.ID, Title: title, Intent: intent, Zone: f.Zone, Owner: strings.TrimPrefix(meta.Actor, "person:")}
		p.Changes = append(p.Changes, FileChange{Part: "workflow", To: "made, as " + f.ID, foresee: create, carry: func(ctx context.Context) error {
			_, err := a.Node.Commands.CreateWorkflow(ctx, create, meta)
			return err
		}})
		return nil
	}
	if f.Zone != "" && f.Zone != p.state.Zone {
		return f.fault("/zone", "the workflow was made with the zone %s, which stays. A schedule may have another one: schedule: {spec: …, zone: %s}", cmp.Or(p.state.Zone, "UTC"), f.Zone)
	}
	if title == p.state.Title && intent == p.state.Intent {
		return nil
	}
	change := workflow.ChangeIntent{Title: title, Intent: intent}
	carry := func(ctx context.Context) error {
		_, err := a.Node.Workflows.Edit(ctx, f.ID, &title, &intent, "", meta)
		return err
	}
	if title != p.state.Title {
		p.Changes = append(p.Changes, FileChange{Part: "title", From: p.state.Title, To: title, foresee: change, carry: carry})
		carry = nil // both at once
	}
	if intent != p.state.Intent {
		p.Changes = append(p.Changes, FileChange{Part: "intent", From: p.state.Intent, To: intent, foresee: change, carry: carry})
	}
	return nil
}

func (a *FileApplier) planSettings(_ context.Context, f WorkflowFile, p *FilePlan) error {
	now := p.state.Settings
	settings := now
	if len(f.Settings) > 0 {
		members, err := SettingsMembers(now)
		if err != nil {
			return err
		}
		if settings, err = PatchSettings(members, f.Settings); err != nil {
			return f.fault("/settings", "%v", err)
		}
	}
	if f.Labels != nil {
		settings.Labels = *f.Labels
	}
	if f.Hosts != nil {
		settings.AllowedHosts = ChangeHosts(nil, *f.Hosts, nil)
	}
	if len(f.Input) > 0 && !sameJSON(f.Input, now.DefaultInput()) {
		settings.Input = f.Input
	}
	changes, err := settingsChanged(now, settings)
	if err != nil || len(changes) == 0 {
		return err
	}
	meta := a.Meta()
	changes[0].foresee = workflow.ChangeSettings{Settings: settings}
	changes[0].carry = func(ctx context.Context) error {
		_, err := a.Node.Workflows.ChangeSettings(ctx, f.ID, settings, meta)
		return err
	}
	p.Changes = append(p.Changes, changes...)
	return nil
}

// settingsChanged are the settings that are not the same, each by its name.
func settingsChanged(before, after workflow.Settings) (changes []FileChange, err error) {
	was, err := SettingsMembers(before)
	if err != nil {
		return nil, err
	}
	is, err := SettingsMembers(after)
	if err != nil {
		return nil, err
	}
	both := maps.Clone(was)
	maps.Copy(both, is)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if !sameJSON(was[name], is[name]) {
			changes = append(changes, FileChange{Part: name, From: settingText(was[name]), To: settingText(is[name])})
		}
	}
	return changes, nil
}

func settingText(value json.RawMessage) string {
	var text string
	switch {
	case len(value) == 0:
		return "default"
	case json.Unmarshal(value, &text) == nil:
		return text
	}
	return string(value)
}

func sameJSON(a, b json.RawMessage) bool {
	var left, right any
	return bytes.Equal(a, b) || json.Unmarshal(a, &left) == nil && json.Unmarshal(b, &right) == nil && reflect.DeepEqual(left, right)
}

// planScript saves a script that is another one. An older file undoes no fix, and no change that was made on the page.
func (a *FileApplier) planScript(_ context.Context, f WorkflowFile, p *FilePlan) error {
	if f.Script == "" {
		return nil
	}
	active, before := p.state.Active, ""
	for _, one := range p.state.Versions {
		if one.Version == active {
			before = one.Code
		}
	}
	if before == f.Code {
		return nil
	}
	if active != (workflow.Version{}) && !a.Overwrite {
		export := fmt.Sprintf("kintsugi export %s --as files --to DIR", f.ID)
		for _, one := range slices.Backward(p.state.Versions) {
			if one.Code == f.Code {
				p.Notes = append(p.Notes, fmt.Sprintf("%s is version %s. Version %s, which is newer, stays active: '%s' writes it down, --overwrite saves the file all the same", f.Script, one.Version, active, export))
				return nil
			}
		}
		if since := lastApplied(p.state); !carries(f.Code, since.Code, before) {
			return f.fault("/script", "version %s is active, and %s lacks some of what was changed here since version %s: to save it would undo that. '%s' writes the active version down: take its changes over, and apply again. --overwrite saves the file as it is",
				active, f.Script, since.Version, export)
		}
	}
	next := workflow.Version{Major: 1}
	for _, one := range p.state.Versions {
		next.Major = max(next.Major, one.Version.Major+1)
	}
	from := ""
	if before != "" {
		from = active.String()
	}
	added, removed := linesChanged(before, f.Code)
	meta := a.Meta()
	save := workflow.SaveScript{ScriptID: NewID(), Code: f.Code, Comment: appliedFrom + path.Base(path.Dir(f.Path)) + "/" + f.Script, Origin: workflow.OriginPerson}
	p.Changes = append(p.Changes, FileChange{Part: "script", From: from, To: fmt.Sprintf("%s (lines added: %d, removed: %d)", next, added, removed), foresee: save, carry: func(ctx context.Context) error {
		_, err := a.Node.Scripts.Save(ctx, a.Logger, f.ID, save, meta)
		return err
	}})
	return nil
}

// appliedFrom begins the comment of a version that was saved from a file.
const appliedFrom = "applied from "

// lastApplied is the version that was saved from a file last, or the first one.
func lastApplied(s workflow.State) workflow.Script {
	for _, one := range slices.Backward(s.Versions) {
		if strings.HasPrefix(one.Comment, appliedFrom) {
			return one
		}
	}
	return s.Versions[0]
}

// carries says that a text has what was changed from one version to another: the lines that were added, and none of those that were
// removed. It goes by lines, as a person does who brings two versions together; how they are indented does not matter.
func carries(text, before, after string) bool {
	count := func(text string) map[string]int {
		lines := map[string]int{}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				lines[line]++
			}
		}
		return lines
	}
	was, is, has := count(before), count(after), count(text)
	for line, n := range is {
		if n > was[line] && has[line] < n {
			return false
		}
	}
	for line, n := range was {
		if n > is[line] && has[line] > is[line] {
			return false
		}
	}
	return true
}

func (a *FileApplier) planSchedule(_ context.Context, f WorkflowFile, p *FilePlan) error {
	if f.Schedule == nil {
		return nil
	}
	change, err := f.Schedule.change()
	if err != nil {
		return f.fault("/schedule", "%v", err)
	}
	own := p.state.Schedule
	now := workflow.ChangeSchedule{Spec: own.Spec, Zone: own.Zone, Input: own.Input, Overlap: own.Overlap, CatchUp: own.CatchUp, Window: own.Window, Jitter: own.Jitter}
	if sameJSON(now.Input, change.Input) {
		now.Input = change.Input // spelled otherwise
	}
	if reflect.DeepEqual(now, change) {
		return nil
	}
	if change.Spec != "" {
		if err := CheckComes(p.state, change, a.Node.Now()); err != nil {
			return f.fault("/schedule", "%v", err)
		}
	}
	meta := a.Meta()
	p.Changes = append(p.Changes, FileChange{Part: "schedule", From: scheduleText(now), To: scheduleText(change), foresee: change, carry: func(ctx context.Context) error {
		_, err := a.Node.Commands.ChangeSchedule(ctx, f.ID, change, meta)
		return err
	}})
	return nil
}

func scheduleText(s workflow.ChangeSchedule) string {
	if s.Spec == "" {
		return NoSchedule
	}
	text := s.Spec
	for _, one := range []struct{ name, value string }{
		{"zone", s.Zone}, {"overlap", string(s.Overlap)}, {"catch-up", string(s.CatchUp)}, {"window", durationText(s.Window)}, {"jitter", durationText(s.Jitter)}, {"input", string(s.Input)},
	} {
		if one.value != "" {
			text += ", " + one.name + " " + one.value
		}
	}
	return text
}

func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// planTriggers sets the triggers that the file has, and removes all others. One may be on a workflow that is made at the same time.
func (a *FileApplier) planTriggers(ctx context.Context, f WorkflowFile, all map[string]WorkflowFile, p *FilePlan) error {
	if f.Triggers == nil {
		return nil
	}
	wanted := map[string][]workflow.Outcome{}
	for i, one := range *f.Triggers {
		part := fmt.Sprintf("/triggers/%d/on", i)
		source, err := a.source(ctx, one.On, all)
		if err != nil {
			return f.fault(part, "%v", err)
		}
		if _, twice := wanted[source]; twice {
			return f.fault(part, "%q is there twice", one.On)
		}
		if wanted[source] = one.Outcomes; len(one.Outcomes) == 0 {
			wanted[source] = []workflow.Outcome{workflow.OutcomeSucceeded}
		}
	}
	for _, source := range slices.Sorted(maps.Keys(p.state.Triggers)) {
		if _, stays := wanted[source]; stays {
			continue
		}
		meta, remove := a.Meta(), workflow.RemoveTrigger{Source: source}
		p.Changes = append(p.Changes, FileChange{Part: "trigger", last: true, From: source, To: "none", carry: func(ctx context.Context) error {
			_, err := a.Node.Commands.RemoveTrigger(ctx, f.ID, remove, meta)
			return err
		}})
	}
	for _, source := range slices.Sorted(maps.Keys(wanted)) {
		outcomes := wanted[source]
		if now, is := p.state.Triggers[source]; is && slices.Equal(slices.Sorted(slices.Values(now.Outcomes)), slices.Sorted(slices.Values(outcomes))) {
			continue
		}
		meta, set := a.Meta(), workflow.SetTrigger{Source: source, Outcomes: outcomes}
		p.Changes = append(p.Changes, FileChange{Part: "trigger", last: true, To: source + ": " + projections.OutcomesText(outcomes), carry: func(ctx context.Context) error {
			_, err := a.Node.Commands.SetTrigger(ctx, f.ID, set, meta)
			return err
		}})
	}
	return nil
}

// source is the id of the workflow that a trigger names.
func (a *FileApplier) source(ctx context.Context, named string, all map[string]WorkflowFile) (string, error) {
	for id, one := range all {
		if id == named || strings.EqualFold(one.Title, named) {
			return id, nil
		}
	}
	return a.Node.Resolve.Workflow(ctx, named)
}

// planActive switches the workflow on or off. A wait and an escalation are for a person to answer, not for a file.
func (a *FileApplier) planActive(_ context.Context, f WorkflowFile, p *FilePlan) error {
	status := cmp.Or(p.state.Status, workflow.StatusDraft)
	wants := f.Active != nil && *f.Active || f.Active == nil && p.New && f.Script != ""
	meta := a.Meta()
	switch {
	case wants && (status == workflow.StatusDraft || status == workflow.StatusPaused):
		if f.Script == "" && p.state.Active == (workflow.Version{}) {
			return f.fault("/active", "it cannot be active: it has no script")
		}
		p.Changes = append(p.Changes, FileChange{Part: "status", last: true, From: string(status), To: string(workflow.StatusActive), carry: func(ctx context.Context) error {
			_, _, err := a.Node.Workflows.Activate(ctx, a.Meta, f.ID, nil)
			return err
		}})
	case wants && !p.New && status != workflow.StatusActive:
		p.Notes = append(p.Notes, fmt.Sprintf("it is %s, which a file does not answer: see 'kintsugi workflow show %s'", status, f.ID))
	case f.Active != nil && !*f.Active && !p.New && status != workflow.StatusDraft && status != workflow.StatusPaused:
		pause := workflow.Pause{Reason: "applied from " + path.Base(f.Path)}
		p.Changes = append(p.Changes, FileChange{Part: "status", last: true, From: string(status), To: string(workflow.StatusPaused), foresee: pause, carry: func(ctx context.Context) error {
			_, err := a.Node.Commands.PauseWorkflow(ctx, f.ID, pause, meta)
			return err
		}})
	}
	return nil
}

// Carry carries plans out, and notes afterwards which hosts and secrets are not there yet.
func (a *FileApplier) Carry(ctx context.Context, files []WorkflowFile, plans []FilePlan) error {
	done := 0
	for _, last := range []bool{false, true} {
		for _, p := range plans {
			for _, one := range p.Changes {
				if one.last != last || one.carry == nil {
					continue
				}
				if err := one.carry(ctx); err != nil {
					return fmt.Errorf("%s: %s: %w. Changes before this one: %d. Apply again once that is mended", cmp.Or(p.File, p.Title), one.Part, err, done)
				}
				done++
			}
		}
		if err := a.Node.Views.CatchUp(ctx); err != nil { // a trigger looks for its workflow there
			return err
		}
	}
	for i, one := range files {
		if err := a.missing(ctx, one, &plans[i]); err != nil {
			return err
		}
	}
	return nil
}

// missing notes what a workflow needs and has not.
func (a *FileApplier) missing(ctx context.Context, f WorkflowFile, p *FilePlan) error {
	state, err := a.Node.Commands.LoadWorkflow(ctx, f.ID)
	if err != nil || state.Active == (workflow.Version{}) {
		return err
	}
	account, err := a.Node.Workflows.AccountOf(ctx, f.ID)
	if err != nil {
		return err
	}
	for _, one := range account.Hosts {
		if one.Command != "" {
			p.Notes = append(p.Notes, fmt.Sprintf("it may not reach %s yet: add it under hosts, or kintsugi %s", one.Host, one.Command))
		}
	}
	named := map[string]bool{}
	for _, one := range account.Unset {
		named[one.Name] = true
		p.Notes = append(p.Notes, fmt.Sprintf("the secret %s is not set: kintsugi %s", one.Name, one.Command))
	}
	set, err := a.Node.Secrets.List(ctx)
	if err != nil {
		return err
	}
	for _, name := range f.Secrets {
		if !named[name] && !slices.ContainsFunc(set, func(one vault.Secret) bool { return one.Name == name }) {
			p.Notes = append(p.Notes, fmt.Sprintf("the secret %s is not set: kintsugi secret set %s --workflow %s --host HOST", name, name, f.ID))
		}
	}
	return nil
}

// linesChanged counts the lines that one text has and the other has not, in order.
func linesChanged(before, after string) (added, removed int) {
	for _, edit := range udiff.Lines(before, after) {
		added += strings.Count(edit.New, "\n")
		removed += strings.Count(before[edit.Start:edit.End], "\n")
	}
	return added, removed
}

// WrittenWorkflow is a workflow written down: its file, and its active script.
type WrittenWorkflow struct {
	File   []byte
	Script string // how the file of the script is called
	Code   string
}

// WriteWorkflow writes a workflow down, as [ReadWorkflowFiles] reads it. A setting that is its default is left out.
func (n *Node) WriteWorkflow(ctx context.Context, id string) (written WrittenWorkflow, err error) {
	s, err := n.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return written, err
	}
	on := !slices.Contains([]workflow.Status{workflow.StatusDraft, workflow.StatusPaused, workflow.StatusArchived}, s.Status)
	f := WorkflowFile{ID: s.ID, Title: s.Title, Zone: s.Zone, Active: &on}
	if s.Intent != "" {
		f.Intent = &s.Intent
	}
	if s.Active != (workflow.Version{}) {
		for _, one := range s.Versions {
			if one.Version == s.Active {
				written.Code = one.Code
			}
		}
		f.Script = "main.js"
		if source, err := transpile.Read(written.Code); err == nil && source.Typed {
			f.Script = "main.ts"
		}
		written.Script = f.Script
		account, err := n.Workflows.AccountOf(ctx, id)
		if err != nil {
			return written, err
		}
		f.Secrets = account.Secrets
	}
	settings := s.Settings
	if len(settings.AllowedHosts) > 0 {
		f.Hosts = &s.Settings.AllowedHosts
	}
	if len(settings.Labels) > 0 {
		f.Labels = &s.Settings.Labels
	}
	f.Input = settings.Input
	settings.AllowedHosts, settings.Labels, settings.Input, settings.Hooks, settings.HookAnswersMS = nil, nil, nil, nil, nil
	if f.Settings, err = json.Marshal(settings); err != nil {
		return written, err
	}
	if string(f.Settings) == "{}" {
		f.Settings = nil
	}
	if own := s.Schedule; own.Spec != "" {
		f.Schedule = &FileSchedule{
			Spec: own.Spec, Zone: own.Zone, Input: own.Input, Overlap: own.Overlap, CatchUp: own.CatchUp, Window: durationText(own.Window), Jitter: durationText(own.Jitter),
		}
	}
	if len(s.Triggers) > 0 {
		list := []FileTrigger{}
		for _, source := range slices.Sorted(maps.Keys(s.Triggers)) {
			list = append(list, FileTrigger{On: source, Outcomes: s.Triggers[source].Outcomes})
		}
		f.Triggers = &list
	}
	written.File, err = inYAML(f)
	return written, err
}

// ScriptNamed is how a file of a workflow calls the script; empty if it does not, or cannot be read.
func ScriptNamed(text []byte) string {
	var f struct {
		Script string `yaml:"script"`
	}
	_ = yaml.Unmarshal(text, &f) // whoever reads the whole file says what is wrong
	return f.Script
}

// ScriptOfFile is how the file of a workflow that is in a folder calls the script; the file has to be of that workflow.
func ScriptOfFile(folder string, text []byte, id string) (string, error) {
	at := path.Join(folder, WorkflowFileName)
	lines, faults := workflowForm.Read(text)
	if len(faults) > 0 {
		return "", fault.New(fault.Invalid, "%w", yamlfile.Error(at, faults))
	}
	var f WorkflowFile
	if err := json.Unmarshal(lines.JSON, &f); err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	if own := cmp.Or(f.ID, path.Base(path.Clean(folder))); own != id {
		return "", fault.New(fault.Conflict, "%s is of the workflow %s, not of %s: name another folder", at, own, id)
	}
	return f.Script, nil
}

// inYAML is a value as people write it, with its members in their order.
func inYAML(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil { // JSON is YAML
		return nil, err
	}
	plainStyle(&node)
	var written bytes.Buffer
	encoder := yaml.NewEncoder(&written)
	encoder.SetIndent(2)
	err = errors.Join(encoder.Encode(&node), encoder.Close())
	return written.Bytes(), err
}

func plainStyle(node *yaml.Node) {
	if node.Style = 0; node.Kind == yaml.ScalarNode && node.Tag == "!!str" && strings.Contains(node.Value, "\n") {
		node.Style = yaml.LiteralStyle
	}
	for _, one := range node.Content {
		plainStyle(one)
	}
}
