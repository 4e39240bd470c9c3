package api

import (
	"cmp"
	"context"
	"net/http"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/projections"
)

// OfVersion names a version of a script.
type OfVersion struct {
	OfWorkflow
	Version string `path:"version" maxLength:"40" doc:"major.minor, or active"`
}

func (v OfVersion) named() []string {
	if v.Version == "active" {
		return nil
	}
	return []string{v.Version}
}

// RollbackImpact is what going back to a version would change.
type RollbackImpact struct {
	app.RollbackImpact
	Runs rehearsal.SaveCheck `json:"runs"` // those that would come out otherwise
}

func (s *Server) scripts() {
	query(s, op{path: "/workflows/{workflow}/versions", id: "listVersions", summary: "A workflow's script versions", tag: "scripts", scope: installation.Read},
		func(ctx context.Context, in *OfWorkflow) (Page[app.Version], error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return Page[app.Version]{}, err
			}
			list, err := s.node.Scripts.Versions(ctx, in.Workflow)
			return page(list, len(list), nil), err
		})
	query(s, op{path: "/workflows/{workflow}/versions/{version}", id: "getScript", summary: "A script: the active version, or the one named", tag: "scripts", scope: installation.Read},
		func(ctx context.Context, in *OfVersion) (app.ReadScript, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.ReadScript{}, err
			}
			if err := s.revisionOf(ctx, in.Workflow); err != nil {
				return app.ReadScript{}, err
			}
			return s.node.Scripts.Read(ctx, in.Workflow, in.named())
		})
	query(s, op{path: "/workflows/{workflow}/compare", id: "compareVersions", summary: "Two versions: in words, and line by line", tag: "scripts", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfWorkflow
			From string `query:"from" doc:"Default the version before"`
			To   string `query:"to" doc:"Default the active version"`
		}) (app.Comparison, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.Comparison{}, err
			}
			var versions []string
			switch {
			case in.From != "" && in.To != "":
				versions = []string{in.From, in.To}
			case in.From != "":
				versions = []string{in.From}
			case in.To != "":
				return app.Comparison{}, fault.New(fault.Invalid, "to needs from: which version is %s compared with?", in.To)
			}
			from, to, err := s.node.Scripts.Compared(ctx, in.Workflow, versions)
			if err != nil {
				return app.Comparison{}, err
			}
			return s.node.Scripts.Compare(ctx, from, to)
		})
	s.saving()
}

func (s *Server) saving() {
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/versions", id: "saveScript", executes: true, summary: "Save a new version of the script: the next major, active from now on", tag: "scripts", scope: installation.Edit, status: http.StatusCreated, maxBody: 4 << 20},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body struct {
				Code    string `json:"code" minLength:"1"`
				Comment string `json:"comment,omitempty" doc:"What changed, in one line"`
				Summary string `json:"summary,omitempty" doc:"What the script does, for people"`
			}
		}) (projections.Script, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return projections.Script{}, err
			}
			code, err := app.OpenScript(ctx, in.Body.Code)
			if err == nil {
				err = app.CheckNewScript(ctx, code, "the script")
			}
			if err != nil {
				return projections.Script{}, err
			}
			if _, err := s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				return s.node.Scripts.Save(ctx, s.logger, in.Workflow, workflow.SaveScript{
					ScriptID: c.newID("script"), Code: code, Comment: in.Body.Comment, Summary: in.Body.Summary, Origin: workflow.OriginPerson,
				}, c.meta())
			}); err != nil {
				return projections.Script{}, err
			}
			saved, err := s.node.Queries.ActiveScript(ctx, in.Workflow)
			c.location = Base + "/workflows/" + in.Workflow + "/versions/" + saved.Version
			return saved, err
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/fixes", id: "suggestFix", executes: true, summary: "Put a fix of one's own through the gate: what passes is applied or waits for a person, what changes what used to work is refused", tag: "fixes", scope: installation.Edit, maxBody: 4 << 20},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body struct {
				Code    string `json:"code" minLength:"1" doc:"The whole script, mended"`
				Comment string `json:"comment,omitempty" doc:"What it changes, in one line"`
				Base    string `json:"base,omitempty" doc:"The version that it was made of; default the active one"`
			}
		}) (shown app.SuggestedFix, err error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return shown, err
			}
			if err := app.CheckNewScript(ctx, in.Body.Code, "the script"); err != nil {
				return shown, err
			}
			_, err = s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				shown, err = s.node.Fixes.Suggest(ctx, in.Workflow, in.Body.Base, workflow.SuggestFix{
					Proposal: c.newID("fix"), Code: in.Body.Code, Comment: in.Body.Comment,
				}, c.meta())
				return commands.Result{Position: shown.Position, Repeated: shown.Repeated}, err
			})
			return shown, err
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/check", id: "checkScript", executes: true, summary: "What saving a script would change: recorded successes are replayed on it, nothing is saved", tag: "scripts", scope: installation.Read, maxBody: 4 << 20},
		func(ctx context.Context, _ *call, in *struct {
			OfWorkflow
			Body struct {
				Code string `json:"code" minLength:"1"`
			}
		}) (check rehearsal.SaveCheck, err error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return check, err
			}
			if err := app.CheckNewScript(ctx, in.Body.Code, "the script"); err != nil {
				return check, err
			}
			return check, s.node.Scripts.Explore(ctx, s.logger, func(e *rehearsal.Explorer) error {
				check, err = e.CheckSave(ctx, in.Workflow, in.Body.Code, app.SuccessesJudged)
				return err
			})
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/versions/{version}/rollback", id: "rollback", summary: "Go back to a version: it is saved again, as the next major", tag: "scripts", scope: installation.Edit},
		func(ctx context.Context, c *call, in *struct {
			OfVersion
			Body *struct {
				Comment     string `json:"comment,omitempty" doc:"Why"`
				ExemptSince string `json:"exempt_since,omitempty" doc:"Declare everything wrong, too, that succeeded since a day, a time or a weekday: both, or neither. It takes the scope decide"`
			}
		}) (projections.Script, error) {
			version, err := workflow.ParseVersion(in.Version)
			if err != nil {
				return projections.Script{}, fault.New(fault.Invalid, "%w", err)
			}
			rollback := workflow.Rollback{To: version, ScriptID: c.newID("script"), Comment: given(in.Body).Comment}
			if err := s.exemptedWith(ctx, c, in.Workflow, given(in.Body).ExemptSince, &rollback); err != nil {
				return projections.Script{}, err
			}
			if _, err := s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				return s.node.Commands.RollbackScript(ctx, in.Workflow, rollback, c.meta())
			}); err != nil {
				return projections.Script{}, err
			}
			return s.node.Queries.ActiveScript(ctx, in.Workflow)
		})
	query(s, op{path: "/workflows/{workflow}/versions/{version}/impact", id: "rollbackImpact", executes: true, summary: "What going back to a version would change, and which recorded runs would come out otherwise", tag: "scripts", scope: installation.Read},
		func(ctx context.Context, in *OfVersion) (impact RollbackImpact, err error) {
			version, err := workflow.ParseVersion(in.Version)
			if err != nil {
				return impact, fault.New(fault.Invalid, "%w", err)
			}
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return impact, err
			}
			of, target, err := s.node.Scripts.RollbackImpact(ctx, in.Workflow, version)
			if err != nil {
				return impact, err
			}
			impact.RollbackImpact = of
			return impact, s.node.Scripts.Explore(ctx, s.logger, func(e *rehearsal.Explorer) error {
				impact.Runs, err = e.CheckSave(ctx, in.Workflow, target.Code, app.SuccessesJudged)
				return err
			})
		})
}

// exemptedWith adds to a rollback what it declares wrong: what succeeded since a time.
func (s *Server) exemptedWith(ctx context.Context, c *call, id, since string, rollback *workflow.Rollback) error {
	if since == "" {
		return nil
	}
	if !c.Allows(installation.Judge) {
		return fault.New(fault.Forbidden, "to declare runs wrong takes the scope %s: leave exempt_since out, or use another token", installation.Judge)
	}
	if err := s.workflow(ctx, id); err != nil {
		return err
	}
	between, err := Since{Since: since}.between(s.node.Now())
	if err != nil {
		return err
	}
	rows, err := s.node.Runs.Succeeded(ctx, id, between)
	for _, row := range rows {
		rollback.Exempt = append(rollback.Exempt, row.ID)
	}
	rollback.ExemptReason = cmp.Or(rollback.Comment, "made before the script was rolled back to "+rollback.To.String())
	return err
}
