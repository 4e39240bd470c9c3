package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Generations builds and drops the views of versions of the program.
type Generations struct {
	Views       *readmodel.Store
	ViewsConfig readmodel.Config
}

// ViewsPlace is where views are kept: in a database, or in files of a directory. The zero value is the default.
type ViewsPlace struct {
	Database Address // of PostgreSQL
	dir      string
}

// ParseViews reads --views: nothing for what goes with the log, an address of PostgreSQL, or a directory.
func ParseViews(text, dataDir string, log Address) (ViewsPlace, error) {
	switch {
	case text == "" && log.Backend == Postgres:
		return ViewsPlace{Database: log}, nil
	case text == "":
		return ViewsPlace{dir: dataDir}, nil
	case !strings.Contains(text, "://"):
		return ViewsPlace{dir: text}, nil
	}
	address, err := parseURL(text)
	if err == nil && address.Backend != Postgres {
		return ViewsPlace{}, fault.New(fault.Invalid, "--views takes postgres://…, or a directory: EventStoreDB keeps events only")
	}
	return ViewsPlace{Database: address}, err
}

// config is of the views of a log.
func (p ViewsPlace) config(address Address, log eventlog.Log, codec *event.Registry) readmodel.Config {
	config := readmodel.Config{Log: log, Projections: projections.All(codec)}
	if p.Database.Backend == Postgres {
		config.Database = p.Database.url
	} else {
		config.Dir, config.Inherit = address.viewsDir(p.dir), address.otherViews(p.dir)
	}
	return config
}

// Readiness says whether a node answers what it is asked: runs and repairs go on while it is not.
type Readiness struct {
	Ready bool                `json:"ready"`
	Views string              `json:"views"` // where they are
	State string              `json:"state"` // building or live
	Build *readmodel.Progress `json:"build,omitempty"`
	// Left is about how long the build takes, in seconds; 0 if nobody knows.
	Left float64 `json:"seconds_left,omitempty"`
}

// Readiness says it as it is now.
func (g *Generations) Readiness() Readiness {
	live, progress := g.Views.Live()
	if live {
		return Readiness{Ready: true, Views: g.Views.Path(), State: readmodel.StateLive}
	}
	return Readiness{Views: g.Views.Path(), State: readmodel.StateBuilding, Build: &progress, Left: progress.Left.Seconds()}
}

// List are the views of all versions of the program in this place.
func (g *Generations) List(ctx context.Context) ([]readmodel.Generation, error) {
	return readmodel.List(ctx, g.ViewsConfig)
}

// Drop removes the views of another version of the program.
func (g *Generations) Drop(ctx context.Context, name string) error {
	err := readmodel.Drop(ctx, g.ViewsConfig, name)
	switch err.(type) {
	case *readmodel.InUseError:
		return fault.New(fault.Conflict, "%w", err)
	case *readmodel.UnknownGenerationError:
		return fault.New(fault.NotFound, "%w", err)
	}
	return err
}

// servedLook is how often a build looks whether a server has taken over.
const servedLook = 200 * time.Millisecond

// Build builds the views of this version beside whatever runs. Until a server of this version serves them it keeps them
// caught up, unless it is to be done once; told is told how far it is, until it is done.
func (g *Generations) Build(ctx context.Context, once bool, told func(readmodel.Progress)) (served bool, err error) {
	ticker := time.NewTicker(servedLook)
	defer ticker.Stop()
	built := make(chan error, 1)
	go func() { built <- g.Views.CatchUp(ctx) }()
	for done := false; !done; {
		select {
		case err := <-built:
			if err != nil || once {
				return false, err
			}
			done = true
		case <-ticker.C:
			if live, progress := g.Views.Live(); !live {
				told(progress)
			}
		}
	}
	follow, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- g.Views.Run(follow) }()
	for {
		select {
		case err := <-ended:
			return false, err
		case <-ticker.C:
			if served, err = g.Views.Served(ctx); served || err != nil {
				stop()
				return served, errors.Join(err, <-ended)
			}
		}
	}
}
