package api

import (
	"cmp"
	"context"
	"net/http"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// OfThread names a conversation.
type OfThread struct {
	Thread string `path:"thread" maxLength:"200" doc:"The id of a conversation with an agent"`
}

// thread is one of a workflow that the caller sees.
func (s *Server) thread(ctx context.Context, id string) (projections.Thread, error) {
	one, err := s.node.Queries.Thread(ctx, id)
	if err != nil {
		return one, err
	}
	if err := s.workflow(ctx, one.Workflow); err != nil {
		return projections.Thread{}, fault.New(fault.NotFound, "there is no thread %q: see the threads of the workflow", id)
	}
	return one, nil
}

func (s *Server) planning() {
	query(s, op{path: "/workflows/{workflow}/threads", id: "listThreads", summary: "Conversations with agents about a workflow, the newest first", tag: "planner", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfWorkflow
			Kind string `query:"kind" enum:"planner,maintainer"`
		}) (Page[projections.Thread], error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return Page[projections.Thread]{}, err
			}
			list, err := s.node.Queries.Threads(ctx, in.Workflow, in.Kind)
			return page(list, len(list), nil), err
		})
	query(s, op{path: "/threads/{thread}", id: "getConversation", summary: "A conversation with an agent: everything that was said and done, in order", tag: "planner", scope: installation.Read},
		func(ctx context.Context, in *OfThread) (app.Conversation, error) {
			of, err := s.thread(ctx, in.Thread)
			if err != nil {
				return app.Conversation{}, err
			}
			return s.node.Planner.Conversation(ctx, of)
		})
	query(s, op{path: "/workflows/{workflow}/plans/{task}", id: "getPlan", summary: "What came of a wish: what the planner said, saved and asks", tag: "planner", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfWorkflow
			Task string `path:"task" maxLength:"200"`
		}) (app.Planned, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.Planned{}, err
			}
			return s.planned(ctx, in.Workflow, in.Task)
		})
	s.wishes()
}

// planned is how a task stands, with what the newest version does if the task saved one.
func (s *Server) planned(ctx context.Context, id, task string) (app.Planned, error) {
	result, err := s.node.Planner.Planned(ctx, id, task)
	if err != nil {
		return result, err
	}
	if result.Thread == "" {
		return result, fault.New(fault.NotFound, "the planner had no task %q of workflow %s", task, id)
	}
	if len(result.Saved) > 0 {
		account, err := s.node.Workflows.AccountOf(ctx, id)
		if err != nil {
			return result, err
		}
		result.SwitchedOn = &account
	}
	return result, nil
}

type newPlan struct {
	Body struct {
		Wish       string   `json:"wish" minLength:"1" maxLength:"20000" doc:"What you want, in your own words"`
		Title      string   `json:"title,omitempty" maxLength:"200" doc:"Default the beginning of the wish"`
		Zone       string   `json:"zone,omitempty" doc:"IANA time zone of the script's local times; default UTC"`
		Owner      string   `json:"owner,omitempty" doc:"Whose it is; yours, if it is left out"`
		AllowHosts []string `json:"allow_hosts,omitempty" doc:"Hosts, or host:port, that the workflow may reach, also if they are private"`
	}
}

// longestTitle is how much of a wish becomes the title of what it makes, in characters.
const longestTitle = 80

func (s *Server) wishes() {
	command(s, op{method: http.MethodPost, path: "/plans", id: "createPlan", summary: "Have a workflow written from one sentence: it is made, and the planner begins", tag: "planner", scope: installation.Edit, status: http.StatusCreated},
		func(ctx context.Context, c *call, in *newPlan) (app.Planned, error) {
			b := in.Body
			if err := s.hasModel(); err != nil {
				return app.Planned{}, err
			}
			if err := app.CheckZone(b.Zone); err != nil {
				return app.Planned{}, err
			}
			owner, err := c.ownerFor(b.Owner)
			if err != nil {
				return app.Planned{}, err
			}
			create := workflow.Create{ID: c.newID("workflow"), Title: titleOf(b.Title, b.Wish), Intent: b.Wish, Zone: b.Zone, Owner: owner}
			c.location = Base + "/workflows/" + create.ID
			if err := s.node.Workflows.CheckTitle(ctx, create.ID, create.Title, c.Owner); err != nil {
				return app.Planned{}, err
			}
			if err := s.node.Workflows.Begin(ctx, c.meta, create, b.AllowHosts); err != nil {
				return app.Planned{}, err
			}
			return s.wish(ctx, c, create.ID, app.Wish{Text: b.Wish})
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/plans", id: "planWorkflow", summary: "Have a language model change a workflow's script, or go on with what was begun", tag: "planner", scope: installation.Edit, status: http.StatusCreated},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body *struct {
				Wish   string `json:"wish,omitempty" maxLength:"20000" doc:"What you want; without it the planner goes on"`
				Replan bool   `json:"replan,omitempty" doc:"Plan a workflow anew that was handed to you: the planner gets what broke"`
			}
		}) (app.Planned, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.Planned{}, err
			}
			return s.wish(ctx, c, in.Workflow, app.Wish{Text: given(in.Body).Wish, Replan: given(in.Body).Replan})
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/messages", id: "sendMessage", summary: "Say something to the planner: it answers its question, goes on with its task, or begins one", tag: "planner", scope: installation.Edit, status: http.StatusCreated},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body struct {
				Text string `json:"text" minLength:"1" maxLength:"20000" doc:"A number chooses one, where the planner asked with answers to choose from"`
			}
		}) (app.Planned, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.Planned{}, err
			}
			if err := s.hasModel(); err != nil {
				return app.Planned{}, err
			}
			task, err := s.node.Planner.Say(ctx, c.meta(), in.Workflow, app.Wish{Task: c.newID("task"), Thread: c.newID("thread"), Text: in.Body.Text})
			if err != nil {
				return app.Planned{}, err
			}
			return s.begun(ctx, in.Workflow, task)
		})
	command(s, op{method: http.MethodDelete, path: "/workflows/{workflow}/conversation", id: "endConversation", summary: "End the conversation with the planner", tag: "planner", scope: installation.Edit},
		func(ctx context.Context, c *call, in *OfWorkflow) (projections.Workflow, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return projections.Workflow{}, err
			}
			if err := s.node.Planner.End(ctx, c.meta, in.Workflow); err != nil {
				return projections.Workflow{}, err
			}
			if err := s.node.Views.CatchUp(ctx); err != nil {
				return projections.Workflow{}, err
			}
			return s.node.Queries.Workflow(ctx, in.Workflow)
		})
}

// hasModel refuses what only a planner with a language model would do: it would wait, and nobody would know for what.
func (s *Server) hasModel() error {
	if s.node.Model == nil {
		return fault.New(fault.Conflict, "no language model is configured, so nobody would read it: start the server with one ('kintsugi serve --model NAME', or %s), and see 'kintsugi llm check'", app.ModelVariable)
	}
	return nil
}

func (s *Server) wish(ctx context.Context, c *call, id string, wish app.Wish) (app.Planned, error) {
	if err := s.hasModel(); err != nil {
		return app.Planned{}, err
	}
	wish.Task, wish.Thread = c.newID("task"), c.newID("thread")
	task, err := s.node.Planner.Begin(ctx, c.meta, id, wish)
	if err != nil {
		return app.Planned{}, err
	}
	return s.begun(ctx, id, task)
}

// begun is how a task stands that was just given words, once views have them.
func (s *Server) begun(ctx context.Context, id, task string) (app.Planned, error) {
	if err := s.node.Views.CatchUp(ctx); err != nil {
		return app.Planned{}, err
	}
	return s.planned(ctx, id, task)
}

// titleOf is what a workflow is called that a wish makes.
func titleOf(title, wish string) string {
	if title != "" {
		return title
	}
	words := []rune(wish)
	if len(words) > longestTitle {
		return string(words[:longestTitle-1]) + "…"
	}
	return wish
}

// ownerFor is whose a workflow becomes that the caller makes.
func (c *call) ownerFor(named string) (string, error) {
	owner, err := c.OwnerAsked(named)
	return cmp.Or(owner, c.Person), err
}
