// Package stall has people hear of what a loop cannot do.
package stall

import (
	"context"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// Log keeps what fails again and again: it is an event of the installation, and a notice in the inbox.
type Log struct{ Commands *commands.Commands }

var _ loop.Stalls = Log{}

// Stalled implements [loop.Stalls].
func (l Log) Stalled(ctx context.Context) ([]loop.Stall, error) {
	state, err := l.Commands.LoadInstallation(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]loop.Stall, 0, len(state.Stalled))
	for stall := range state.Stalled {
		list = append(list, loop.Stall(stall))
	}
	return list, nil
}

// ReportStalled implements [loop.Stalls].
func (l Log) ReportStalled(ctx context.Context, stall loop.Stall, problem string, tries int) error {
	_, err := l.Commands.ReportStalled(ctx, installation.ReportStalled{Stall: installation.Stall(stall), Problem: problem, Tries: tries}, byLoop)
	return err
}

// ReportResumed implements [loop.Stalls].
func (l Log) ReportResumed(ctx context.Context, stall loop.Stall) error {
	_, err := l.Commands.ReportResumed(ctx, installation.ReportResumed{Stall: installation.Stall(stall)}, byLoop)
	return err
}

var byLoop = commands.Meta{Actor: "system:loop"}
