package readmodel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Generation is the views of one version of the program.
type Generation struct {
	Name     string            `json:"name"`
	Current  bool              `json:"current"` // of this version
	State    string            `json:"state"`   // building, live, or damaged
	InUse    bool              `json:"in_use"`  // some process has it open
	Position eventlog.Position `json:"position"`
	// Behind is how many events of the log are not in it, up to [MostBehind].
	Behind int64     `json:"behind"`
	Used   time.Time `json:"used"` // when it was opened last
	Rows   int64     `json:"rows"`
	Bytes  int64     `json:"bytes"`
	Aside  []Aside   `json:"set_aside,omitempty"`
	Error  string    `json:"error,omitempty"`

	at eventlog.Checkpoint
}

// The states of a generation.
const (
	StateBuilding = "building"
	StateLive     = "live"
	StateDamaged  = "damaged"
)

// MostBehind bounds how far the lag of a generation is counted.
const MostBehind = 1_000_000

// generations is all generations in one place.
type generations interface {
	// list is what there is; what is wrong with one is in it.
	list(ctx context.Context) ([]Generation, error)
	// drop removes one, and says false if some process has it open.
	drop(ctx context.Context, name string) (bool, error)
	// there says whether there is one of a name, and how many others there are.
	there(ctx context.Context, name string) (others int, there bool, err error)
	// where is where one is, for people; without a name, where all are.
	where(name string) string
	// snapshot runs fn on one state of one, whether it is live or not.
	snapshot(ctx context.Context, name string, fn func(source) error) error
	// trouble says what an error means.
	trouble(err error) trouble
	// prune drops all but the newest old generations, by last use, and those in use; it names what it dropped.
	prune(ctx context.Context, keep int) ([]string, error)
}

// prune is what all places do.
func prune(ctx context.Context, of generations, current string, keep int) (dropped []string, err error) {
	all, err := of.list(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(one Generation) bool { return one.Name == current })
	slices.SortFunc(all, func(a, b Generation) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.Name, b.Name)) })
	for i, one := range all {
		if i < keep || one.InUse {
			continue
		}
		done, err := of.drop(ctx, one.Name)
		if err != nil {
			return dropped, err
		}
		if done {
			dropped = append(dropped, one.Name)
		}
	}
	return dropped, nil
}

// List is all generations in the place of a configuration, the one of this program first, then by last use.
func List(ctx context.Context, config Config) ([]Generation, error) {
	schema, err := config.validate()
	if err != nil {
		return nil, err
	}
	place, err := config.generations(schema)
	if err != nil {
		return nil, err
	}
	all, err := place.list(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		one := &all[i]
		one.Current = one.Name == schema.name()
		if one.State == StateDamaged {
			continue
		}
		here, there, err := resolve(ctx, config.Log, one.at)
		switch {
		case err != nil:
			return nil, err
		case !there:
			one.Error = "it was built from another log, or this one was restored from an older copy: it is built anew when it is used"
		default:
			if one.Behind, err = countAfter(ctx, config.Log, here.Position, eventlog.End); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(all, func(a, b Generation) int {
		if a.Current != b.Current {
			if a.Current {
				return -1
			}
			return 1
		}
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// countAfter counts events after a position up to another, but not beyond [MostBehind].
func countAfter(ctx context.Context, log eventlog.Log, after, last eventlog.Position) (n int64, err error) {
	for record, err := range log.All(ctx, after, eventlog.Everything) {
		if err != nil {
			return n, fmt.Errorf("readmodel: read the log: %w", err)
		}
		if record.Position > last || n == MostBehind {
			break
		}
		n++
	}
	return n, nil
}

// UnknownGenerationError says that there is no generation of a name.
type UnknownGenerationError struct{ Name string }

// Error implements error.
func (e *UnknownGenerationError) Error() string {
	return fmt.Sprintf("there is no generation %q: see 'kintsugi projection list'", e.Name)
}

// InUseError says why a generation is not dropped.
type InUseError struct {
	Name    string
	Current bool
}

// Error implements error.
func (e *InUseError) Error() string {
	if e.Current {
		return fmt.Sprintf("%s is what this version of the program reads: it is not dropped. If it is wrong, see 'kintsugi projection verify'", e.Name)
	}
	return fmt.Sprintf("%s is in use by another process: stop that one first", e.Name)
}

// Drop removes a generation, but not the one of this program, and none that is in use.
func Drop(ctx context.Context, config Config, name string) error {
	schema, err := config.validate()
	if err != nil {
		return err
	}
	if name == schema.name() {
		return &InUseError{Name: name, Current: true}
	}
	place, err := config.generations(schema)
	if err != nil {
		return err
	}
	all, err := place.list(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(one Generation) bool { return one.Name == name }) {
		return &UnknownGenerationError{Name: name}
	}
	done, err := place.drop(ctx, name)
	if err == nil && !done {
		return &InUseError{Name: name}
	}
	return err
}

// name is what a generation is called: its schema, or its file without the ending.
func (g generation) name() string { return "views_" + g.fingerprint[:16] }

func (c Config) generations(schema generation) (generations, error) {
	if c.Database != "" {
		config, err := pgConfig(c.Database, "")
		return pgGenerations{config: config, current: schema.name()}, err
	}
	return sqliteGenerations{dir: c.Dir, current: schema.name()}, nil
}
