package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// LoadInstallation is what is decided for all workflows now.
func (c *core) LoadInstallation(ctx context.Context) (installation.State, error) {
	loaded, _, err := state(ctx, c, installationKind, installation.Stream)
	return loaded, err
}

// onInstallation carries out a command on the installation's stream.
func (c Installations) onInstallation(ctx context.Context, command installation.Command, meta Meta) (Result, error) {
	return execute(ctx, c.core, installationKind, installation.Stream, command, meta)
}

var installationKind = kind[installation.State, installation.Command]{
	kept:    true,
	evolve:  untimed(installation.Evolve),
	subject: func(installation.State, installation.Command) string { return installation.Subject },
	decide:  installation.Decide,
}

// StopRepairs stops all repairs of all workflows, on every node.
func (c Installations) StopRepairs(ctx context.Context, command installation.StopRepairs, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// ResumeRepairs ends a stop of all repairs: tasks that waited are worked on.
func (c Installations) ResumeRepairs(ctx context.Context, command installation.ResumeRepairs, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// ChangeSpendCap changes what agents may spend in a day or a month.
func (c Installations) ChangeSpendCap(ctx context.Context, command installation.ChangeSpendCap, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// ChangeEgress changes where scripts may go, whatever the settings of workflows allow.
func (c Installations) ChangeEgress(ctx context.Context, command installation.ChangeEgress, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// ReportSpend hands in what agents have spent; a cap that it reaches is recorded once.
func (c Installations) ReportSpend(ctx context.Context, command installation.ReportSpend, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// ReportStoreMended records what of the event log's tables was put back.
func (c Installations) ReportStoreMended(ctx context.Context, command installation.ReportStoreMended, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// AcknowledgeNotice records that the operator has seen a notification that is of no workflow.
func (c Installations) AcknowledgeNotice(ctx context.Context, command installation.AcknowledgeNotice, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// ChangeDraftArchiving says whether an owner's drafts that nobody touches go to the archive by themselves.
func (c Installations) ChangeDraftArchiving(ctx context.Context, command installation.ChangeDraftArchiving, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// ChooseTimeline keeps what somebody wants to see of timelines.
func (c Installations) ChooseTimeline(ctx context.Context, command installation.ChooseTimeline, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// CreateToken lets somebody in from outside.
func (c Installations) CreateToken(ctx context.Context, command installation.CreateToken, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// RevokeToken shuts a token out, and every session that was begun with it.
func (c Installations) RevokeToken(ctx context.Context, command installation.RevokeToken, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// NoteSecret records that a secret was set or removed.
func (c Installations) NoteSecret(ctx context.Context, command installation.NoteSecret, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// ReportStalled records that a piece of work fails again and again.
func (c Installations) ReportStalled(ctx context.Context, command installation.ReportStalled, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}

// ReportResumed records that it goes on.
func (c Installations) ReportResumed(ctx context.Context, command installation.ReportResumed, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}
