package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// InstallationStream is the stream of what is decided for all workflows at once.
const InstallationStream = "admin"

// InstallationSubject is the subject of its events: they belong to no workflow.
const InstallationSubject = "installation"

// LoadInstallation is what is decided for all workflows now.
func (c *Commands) LoadInstallation(ctx context.Context) (installation.State, error) {
	loaded, _, err := state(ctx, c, installationKind, InstallationStream)
	return loaded, err
}

// onInstallation carries out a command on the installation's stream.
func (c *Commands) onInstallation(ctx context.Context, command installation.Command, meta Meta) (Result, error) {
	return execute(ctx, c, installationKind, InstallationStream, command, meta)
}

var installationKind = kind[installation.State, installation.Command]{
	kept:    true,
	evolve:  installation.Evolve,
	subject: func(installation.State, installation.Command) string { return InstallationSubject },
	decide:  installation.Decide,
}
