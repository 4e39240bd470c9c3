package commands

import (
	"context"
	"encoding/base64"
	"fmt"
	"sync"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// packagesPlace is where packages are kept: in an event of a workflow.
type packagesPlace struct {
	workflow string
	revision int64
}

// places are where packages are kept, by their digests. A script is run when its workflow was folded. The text of a digest is
// the same wherever it is.
type places struct {
	mu sync.Mutex
	of map[string][]packagesPlace
}

// mostPlaces is how many places of one text are known: workflows may be deleted, and more than one have it.
const mostPlaces = 64

func (p *places) note(digest string, place packagesPlace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string][]packagesPlace{}
	}
	list := p.of[digest]
	for _, known := range list {
		if known == place {
			return
		}
	}
	if len(list) == mostPlaces {
		list = list[1:]
	}
	p.of[digest] = append(list[:len(list):len(list)], place)
}

func (p *places) list(digest string) []packagesPlace {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of[digest]
}

// Packages is the text of packages, packed, which a workflow keeps that was looked at in this process; a workflow of the tenant, if one
// asks. The caller checks that it is the one of the digest.
func (c Workflows) Packages(ctx context.Context, tenant, digest string) ([]byte, error) {
	for _, place := range c.packages.list(digest) {
		if tenant != "" {
			if state, err := c.LoadWorkflow(ctx, place.workflow); err != nil || state.Owner != tenant {
				continue
			}
		}
		for record, err := range c.log.Stream(ctx, workflow.Stream(place.workflow), place.revision) {
			if err != nil {
				return nil, fmt.Errorf("commands: read the packages of workflow %s: %w", place.workflow, err)
			}
			recorded, err := c.Show(record)
			if err != nil {
				break // another workflow may have them
			}
			if kept, is := recorded.Event.(workflow.PackagesKept); is && kept.SHA256 == digest {
				packed, err := base64.StdEncoding.DecodeString(kept.Packed)
				if err != nil {
					return nil, fmt.Errorf("commands: read the packages of workflow %s: %w", place.workflow, err)
				}
				return packed, nil
			}
			break
		}
	}
	return nil, fmt.Errorf("commands: no workflow keeps the packages %.12s", digest)
}
