package handlers

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Reaction says what is due for a workflow.
type Reaction = loop.Reaction[workflow.State]

// Loader gives a workflow as it is, with every event up to a revision of its stream or more.
type Loader interface {
	WorkflowSince(ctx context.Context, id string, revision int64) (workflow.State, error)
}

// Workflows has a loop watch the workflows of a log.
func Workflows(from Loader, reactions ...Reaction) loop.Kind {
	return loop.Watch[workflow.State]{
		Name: "workflow", Prefix: workflow.StreamPrefix, Load: from.WorkflowSince, Also: aboutWorkflows, Reactions: reactions,
	}
}

// aboutWorkflows says which workflows an event of another stream is about. A run's own calls make nothing due, but a
// person's word about the run does. Decisions for the installation and payments are for all.
func aboutWorkflows(record eventlog.Record) loop.About {
	if record.Type == installation.TypeWorkStalled || record.Type == installation.TypeWorkResumed {
		return loop.About{} // for people
	}
	if record.Stream == installation.Stream || strings.HasPrefix(record.Stream, account.StreamPrefix) {
		return loop.About{All: true}
	}
	if record.Type != run.TypeEffectResolved && record.Type != run.TypeAnswerGiven {
		return loop.About{}
	}
	var metadata event.Metadata
	if json.Unmarshal(record.Metadata, &metadata) != nil {
		return loop.About{} // a reader of the run's stream meets the error, and reports it
	}
	id, _ := strings.CutPrefix(metadata.Subject, workflow.Subject(""))
	return loop.About{ID: id}
}
