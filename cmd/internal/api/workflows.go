package api

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/projections"
)

// OfWorkflow names a workflow.
type OfWorkflow struct {
	Workflow string `path:"workflow" maxLength:"200" doc:"The id of a workflow"`
}

// workflow refuses one that the caller does not see.
func (s *Server) workflow(ctx context.Context, id string) error {
	one, err := s.node.Queries.Workflow(ctx, id)
	owner := one.Owner
	if err != nil {
		gone, missing := s.node.Queries.Deleted(ctx, id)
		if missing != nil {
			return err
		}
		owner = gone.Owner
	}
	if !callOf(ctx).Sees(owner) {
		return fault.New(fault.NotFound, "there is no workflow %q: see the list of workflows", id)
	}
	return err
}

// onWorkflow carries out a command on a workflow that the caller sees, and answers with what it is then.
func (s *Server) onWorkflow(ctx context.Context, c *call, id string, command func() (commands.Result, error)) (projections.Workflow, error) {
	if err := s.workflow(ctx, id); err != nil {
		return projections.Workflow{}, err
	}
	result, err := command()
	if err != nil {
		return projections.Workflow{}, err
	}
	if err := s.see(ctx, c, result); err != nil {
		return projections.Workflow{}, err
	}
	return s.node.Queries.Workflow(ctx, id)
}

type createWorkflow struct {
	Body struct {
		Title        string          `json:"title" minLength:"1"`
		Intent       string          `json:"intent,omitempty" doc:"What it is for, in your words; a repair is judged by it"`
		Zone         string          `json:"zone,omitempty" doc:"IANA time zone of the script's local times; default UTC"`
		Owner        string          `json:"owner,omitempty" doc:"Whose it is; yours, if it is left out"`
		Script       string          `json:"script,omitempty" doc:"The first script"`
		Draft        bool            `json:"draft,omitempty" doc:"Do not activate it yet"`
		AllowedHosts []string        `json:"allowed_hosts,omitempty" doc:"Private hosts, or host:port, that the script may reach"`
		Input        json.RawMessage `json:"input,omitempty" doc:"The input of a run that is given none"`
	}
}

type withReason struct {
	OfWorkflow
	Body *struct {
		Reason string `json:"reason,omitempty" doc:"Why, for the history"`
	}
}

func (s *Server) workflows() {
	s.workflowLists()
	command(s, op{method: http.MethodPost, path: "/workflows", id: "createWorkflow", summary: "Create a workflow, with its first script if you have one", tag: "workflows", scope: installation.Edit, status: http.StatusCreated, maxBody: 4 << 20},
		func(ctx context.Context, c *call, in *createWorkflow) (app.SwitchedOn, error) {
			b := in.Body
			if err := app.CheckZone(b.Zone); err != nil {
				return app.SwitchedOn{}, err
			}
			owner, err := c.ownerFor(b.Owner)
			if err != nil {
				return app.SwitchedOn{}, err
			}
			create := workflow.Create{ID: c.newID("workflow"), Title: b.Title, Intent: b.Intent, Zone: b.Zone, Owner: owner}
			c.location = Base + "/workflows/" + create.ID
			if err := s.node.Workflows.CheckTitle(ctx, create.ID, create.Title, c.Owner); err != nil {
				return app.SwitchedOn{}, err
			}
			return s.node.Workflows.Create(ctx, c.meta, create, app.FirstScript{ID: c.newID("script"), Code: b.Script, Draft: b.Draft},
				workflow.Settings{AllowedHosts: b.AllowedHosts, Input: b.Input})
		})
	command(s, op{method: http.MethodPatch, path: "/workflows/{workflow}", id: "editWorkflow", summary: "Change a workflow's title, and what it is for", tag: "workflows", scope: installation.Edit},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body struct {
				Title  *string `json:"title,omitempty" minLength:"1"`
				Intent *string `json:"intent,omitempty"`
			}
		}) (projections.Workflow, error) {
			return s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				return s.node.Workflows.Edit(ctx, in.Workflow, in.Body.Title, in.Body.Intent, c.Owner, c.meta())
			})
		})
	s.workflowLife()
	s.workflowSettings()
}

// changeSettings gives a workflow the settings that become of those it has, by the names of their members. If somebody else
// changes the workflow meanwhile, they are made again of what it has then.
func (s *Server) changeSettings(ctx context.Context, c *call, id string, change func(now map[string]json.RawMessage) (workflow.Settings, error)) (settings workflow.Settings, err error) {
	meta := c.meta()
	_, err = s.onWorkflow(ctx, c, id, func() (commands.Result, error) {
		for {
			revision, _, err := s.node.Commands.WorkflowEnd(ctx, id)
			if err != nil {
				return commands.Result{}, err
			}
			state, err := s.node.Commands.WorkflowSince(ctx, id, revision)
			if err != nil {
				return commands.Result{}, err
			}
			now, err := app.SettingsMembers(state.Settings)
			if err != nil {
				return commands.Result{}, err
			}
			if settings, err = change(now); err != nil {
				return commands.Result{}, err
			}
			once := meta
			if once.Expected == nil {
				once.Expected = &revision
			}
			changed, err := s.node.Workflows.ChangeSettings(ctx, id, settings, once)
			if _, stale := errors.AsType[*commands.StaleError](err); stale && meta.Expected == nil {
				continue
			}
			return changed.Result, err
		}
	})
	return settings.WithDefaults(), err
}

// ListedWorkflow is a workflow of a list.
type ListedWorkflow struct {
	projections.Workflow
	NextRun       time.Time `json:"next_run,omitzero" doc:"When its schedule runs it next"`
	ScheduleWords string    `json:"schedule_words" doc:"When it runs, to go on after 'it runs': every weekday at 09:00"`
}

func (s *Server) workflowLists() {
	query(s, op{path: "/workflows", id: "listWorkflows", summary: "Workflows", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, in *struct {
			Paging
			Status   workflow.Status           `query:"status" enum:"draft,active,maintenance,held,waiting,escalated,paused,archived"`
			Archived bool                      `query:"archived" doc:"Also archived ones"`
			Owner    string                    `query:"owner"`
			Label    []string                  `query:"label,explode" maxItems:"16" doc:"Only those with this label, as team=billing; several choose those that have all"`
			Order    projections.WorkflowOrder `query:"sort" enum:"title,updated,trouble" doc:"By title, those that changed last first, or those first that need somebody most; default: in the order they were created"`
			Contains string                    `query:"q" maxLength:"200" doc:"Only those that have all these words, or parts of words, in their title or in what they are for, in upper or lower case; or whose id begins with this, at least four characters"`
		}) (Page[ListedWorkflow], error) {
			owner, err := callOf(ctx).OwnerAsked(in.Owner)
			if err != nil {
				return Page[ListedWorkflow]{}, err
			}
			labels, err := workflow.ParseLabels(in.Label)
			if err != nil {
				return Page[ListedWorkflow]{}, err
			}
			filter := projections.WorkflowFilter{
				Labels: labels.Texts(),
				Status: in.Status, Archived: in.Archived, Owner: owner, Contains: in.Contains, Order: in.Order, Limit: in.Limit + 1, After: in.After,
			}
			list, err := s.node.Queries.Workflows(ctx, filter)
			shown, zones := make([]ListedWorkflow, len(list)), map[string]*time.Location{}
			for i, one := range list {
				shown[i] = ListedWorkflow{Workflow: one, NextRun: app.NextRun(one, s.node.Now(), zones), ScheduleWords: schedule.Words(one.Schedule)}
			}
			return page(shown, in.Limit, func(one ListedWorkflow) string { return filter.Place(one.Workflow) }), err
		})
	query(s, op{path: "/workflows/recent", id: "listRecentRuns", summary: "How the last runs of many workflows went, the newest first", tag: "workflows", scope: installation.Read,
		about: "By the id of each workflow; one that is not there, or that you do not see, has none."},
		func(ctx context.Context, in *struct {
			IDs   []string `query:"ids" required:"true" minItems:"1" maxItems:"100" doc:"The ids of workflows, with commas between"`
			Limit int      `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The most runs of each"`
		}) (map[string][]projections.Lately, error) {
			return s.node.Queries.Recent(ctx, callOf(ctx).Owner, in.IDs, in.Limit)
		})
	query(s, op{path: "/workflows/{workflow}", id: "getWorkflow", summary: "A workflow: what it is for, where it stands, what happened last", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, in *OfWorkflow) (app.WorkflowView, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.WorkflowView{}, err
			}
			if err := s.revisionOf(ctx, in.Workflow); err != nil {
				return app.WorkflowView{}, err
			}
			return s.node.Workflows.Get(ctx, in.Workflow)
		})
}

// revisionOf notes the revision of a workflow that the caller is about to see, once views have it: what they see is not
// older than the ETag that they get.
func (s *Server) revisionOf(ctx context.Context, id string) error {
	revision, position, err := s.node.Commands.WorkflowEnd(ctx, id)
	if err != nil {
		return nil // it cannot be read, which is shown: nothing can be changed either
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	callOf(ctx).revision = &revision
	return s.node.Views.WaitFor(wait, position)
}

func (s *Server) workflowLife() {
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/pause", id: "pauseWorkflow", summary: "Stop new runs", tag: "workflows", scope: installation.Edit},
		func(ctx context.Context, c *call, in *withReason) (projections.Workflow, error) {
			return s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				return s.node.Commands.PauseWorkflow(ctx, in.Workflow, workflow.Pause{Reason: given(in.Body).Reason}, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/archive", id: "archiveWorkflow", summary: "Retire a workflow; everything is kept", tag: "workflows", scope: installation.Edit},
		func(ctx context.Context, c *call, in *withReason) (projections.Workflow, error) {
			return s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				return s.node.Commands.ArchiveWorkflow(ctx, in.Workflow, workflow.Archive{Reason: given(in.Body).Reason}, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/restore", id: "restoreWorkflow", summary: "Take a workflow out of the archive, paused, or as the draft that it was", tag: "workflows", scope: installation.Edit},
		func(ctx context.Context, c *call, in *OfWorkflow) (projections.Workflow, error) {
			return s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				return s.node.Workflows.Restore(ctx, in.Workflow, c.Owner, c.meta())
			})
		})
	query(s, op{path: "/workflows/{workflow}/deletion", id: "getDeletion", summary: "What deleting an archived workflow for good would take away; refused if it cannot be deleted", tag: "workflows", scope: installation.Admin},
		func(ctx context.Context, in *OfWorkflow) (app.Deletion, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.Deletion{}, err
			}
			return s.node.Workflows.Deletion(ctx, in.Workflow)
		})
	command(s, op{method: http.MethodDelete, path: "/workflows/{workflow}", id: "deleteWorkflow", summary: "Delete an archived workflow for good", tag: "workflows", scope: installation.Admin,
		about: "What its events say is erased, with its runs, conversations, keys, files and the secrets that only it may use. It cannot be undone. Their digests, who deleted it and what it used stay; backups, copies and external systems keep theirs. It answers when everything is erased."},
		func(ctx context.Context, c *call, in *OfWorkflow) (app.Deletion, error) {
			if gone, err := s.node.Queries.Deleted(ctx, in.Workflow); err != nil || !c.Sees(gone.Owner) {
				if err := s.workflow(ctx, in.Workflow); err != nil {
					return app.Deletion{}, err
				}
			}
			return s.node.Workflows.Delete(ctx, c.meta(), in.Workflow)
		})
	query(s, op{path: "/workflows/{workflow}/account", id: "getWorkflowAccount", summary: "What the active version does once it is switched on, as far as that can be told without running it", tag: "workflows", scope: installation.Read,
		about: "Also which of its secrets nobody has set, and which of its hosts nobody has named."},
		func(ctx context.Context, in *OfWorkflow) (egress.Account, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return egress.Account{}, err
			}
			return s.node.Workflows.AccountOf(ctx, in.Workflow)
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/activate", id: "activateWorkflow", summary: "Let runs start; also answers a pause, a wait and an escalation", tag: "workflows", scope: installation.Edit,
		about: "Hosts that an agent or a bundle wrote into the script, and that nobody named, have to be allowed; else it is refused, and says which."},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body *struct {
				AllowHosts []string `json:"allow_hosts,omitempty"`
			}
		}) (app.SwitchedOn, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.SwitchedOn{}, err
			}
			on, _, err := s.node.Workflows.Activate(ctx, c.meta, in.Workflow, given(in.Body).AllowHosts)
			return on, err
		})
}

func (s *Server) workflowSettings() {
	query(s, op{path: "/workflows/{workflow}/settings", id: "getSettings", summary: "Settings, with the defaults of what nobody set", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, in *OfWorkflow) (workflow.Settings, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return workflow.Settings{}, err
			}
			if err := s.revisionOf(ctx, in.Workflow); err != nil {
				return workflow.Settings{}, err
			}
			state, err := s.node.Commands.LoadWorkflow(ctx, in.Workflow)
			return state.Settings.WithDefaults(), err
		})
	command(s, op{method: http.MethodPut, path: "/workflows/{workflow}/settings", id: "putSettings", summary: "Replace all settings; a workflow that waits for a host which they allow goes on", tag: "workflows", scope: installation.Edit,
		about: "A body that leaves out a setting which is set is refused, so that none is lost by mistake: PATCH changes some of them."},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body    workflow.Settings
			RawBody []byte
		}) (workflow.Settings, error) {
			return s.changeSettings(ctx, c, in.Workflow, func(now map[string]json.RawMessage) (workflow.Settings, error) {
				var given map[string]json.RawMessage
				if err := json.Unmarshal(in.RawBody, &given); err != nil {
					return workflow.Settings{}, err
				}
				left := slices.DeleteFunc(slices.Sorted(maps.Keys(now)), func(name string) bool { _, is := given[name]; return is })
				if len(left) > 0 {
					return workflow.Settings{}, fault.New(fault.Invalid, "PUT replaces all settings, and the body leaves out %s: send all of them, or only what changes with PATCH", strings.Join(left, ", "))
				}
				return in.Body, nil
			})
		})
	command(s, op{method: http.MethodPatch, path: "/workflows/{workflow}/settings", id: "patchSettings", summary: "Change some settings; a workflow that waits for a host which they allow goes on", tag: "workflows", scope: installation.Edit,
		about: "The body is a JSON merge patch (RFC 7396): a setting that is left out stays, null gives it its default, and a list is replaced as a whole."},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body    map[string]any `contentType:"application/merge-patch+json"`
			RawBody []byte
		}) (workflow.Settings, error) {
			return s.changeSettings(ctx, c, in.Workflow, func(now map[string]json.RawMessage) (workflow.Settings, error) {
				return app.PatchSettings(now, in.RawBody)
			})
		})
	query(s, op{path: "/workflows/{workflow}/schedule", id: "getSchedule", summary: "When it runs, and the next times", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfWorkflow
			Next int `query:"next" minimum:"0" maximum:"100" default:"10"`
		}) (app.Scheduled, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.Scheduled{}, err
			}
			state, err := s.node.Commands.LoadWorkflow(ctx, in.Workflow)
			if err != nil {
				return app.Scheduled{}, err
			}
			return app.ScheduledOf(state, s.node.Now(), in.Next)
		})
}
