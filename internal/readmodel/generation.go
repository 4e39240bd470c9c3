package readmodel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// format is raised when the tables of this package or the encoding of values change.
const format = 6

// generation is what the projections of a program keep.
type generation struct {
	fingerprint string
	tables      []*table // those of this package come first
	texts       map[*table]*sqliteTexts
}

// generationOf names a generation by its fingerprint: any change of a table or a version gives another one.
func generationOf(projections []Projection) (generation, error) {
	sorted := slices.SortedFunc(slices.Values(projections), func(a, b Projection) int {
		return cmp.Compare(a.Name(), b.Name())
	})
	made := generation{tables: slices.Clone(own), texts: map[*table]*sqliteTexts{}}
	digest := sha256.New()
	fmt.Fprintf(digest, "format %d\n", format)
	for _, p := range sorted {
		fmt.Fprintf(digest, "%q %d\n", p.Name(), p.Version())
		for _, declared := range p.Tables() {
			t := declared.declared()
			if slices.ContainsFunc(made.tables, func(other *table) bool { return other.name == t.name }) {
				return made, fmt.Errorf("readmodel: two tables are named %q", t.name)
			}
			made.tables = append(made.tables, t)
			for _, statement := range append(t.ddl(fingerprintTypes, ""), t.indexed()...) {
				fmt.Fprintf(digest, "%q\n", statement)
			}
		}
	}
	made.fingerprint = hex.EncodeToString(digest.Sum(nil))
	return made, nil
}

var fingerprintTypes = types{"text", "int", "float", "bool", "time", "bytes", "raw", "json"}

// resolve gives a checkpoint the position that its event has in the log. It is not there if the
// log is no copy of the one that the checkpoint was made on, or was restored from an older copy.
func resolve(ctx context.Context, log eventlog.Log, c eventlog.Checkpoint) (here eventlog.Checkpoint, there bool, err error) {
	position, err := eventlog.Resolve(ctx, log, c)
	if _, not := errors.AsType[*eventlog.NotOfLogError](err); not {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("readmodel: look up the checkpoint in the log: %w", err)
	}
	c.Position = position
	return c, true, nil
}
