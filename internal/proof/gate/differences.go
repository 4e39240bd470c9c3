package gate

import (
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Difference is one thing in which what a script makes of a recorded run is not as it was recorded.
type Difference struct {
	What string `json:"what" enum:"output,write,order,call,error" doc:"The result, a write, the order of the writes, a call that was never recorded, or the error that it ends with"`
	Path string `json:"path,omitempty" doc:"Where in the result or in the arguments of the write, as $.rows[2].total"`
	Was  string `json:"was,omitempty" doc:"As it was recorded; left out if there was none"`
	Now  string `json:"now,omitempty" doc:"As it would be; left out if there is none"`
}

// mostDifferences is how many of them a person reads.
const mostDifferences = 8

// differences are all things in which a replay parts from the record, where [Reproduction.Divergence] is the one that is
// seen through soonest: a write that is no longer made is told also if the result is another one.
func differences(run *Run, outcome *replayed, first *Divergence) []Difference {
	if first == nil {
		return nil
	}
	var found []Difference
	switch {
	case first.What == inCall:
		found = append(found, Difference{What: inCall, Now: first.Got})
	case first.What == inError:
		ends := Difference{What: inError, Was: first.Want, Now: first.Got}
		if run.Outcome.Error == nil {
			ends.Was = ""
		}
		if outcome.Error == nil {
			ends.Now = ""
		}
		found = append(found, ends)
	case outcome.Error == nil:
		if d, differs := diffValues("$", decode(orNull(run.Outcome.Output)), decode(orNull(outcome.Output))); differs {
			found = append(found, Difference{What: inOutput, Path: d.path, Was: withoutAbsent(d.want), Now: withoutAbsent(d.got)})
		}
	}
	found = append(found, otherWrites(recordedWrites(run), writesOf(outcome), outcome.Error == nil)...)
	return found[:min(len(found), mostDifferences)]
}

// otherWrites are the recorded writes that are not made, and those that are made besides; of a replay that is not complete
// none is missed.
func otherWrites(recorded, made []Write, complete bool) []Difference {
	left := slices.Clone(recorded)
	var besides []Write
	for _, one := range made {
		at := slices.IndexFunc(left, func(other Write) bool { return other.Tool == one.Tool && sandbox.SameArgs(other.Args, one.Args) })
		if at < 0 {
			besides = append(besides, one)
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	if len(left) == 0 && len(besides) == 0 && compareWrites("", recorded, made, complete) != nil {
		return []Difference{{What: "order"}}
	}
	var found []Difference
	for _, one := range left {
		at := slices.IndexFunc(besides, func(other Write) bool { return other.Tool == one.Tool })
		switch {
		case at >= 0:
			d, _ := diffValues("$", decode(one.Args), decode(besides[at].Args))
			found = append(found, Difference{What: inWrite, Path: d.path, Was: showCall(one.Tool, one.Args), Now: showCall(besides[at].Tool, besides[at].Args)})
			besides = slices.Delete(besides, at, at+1)
		case complete:
			found = append(found, Difference{What: inWrite, Was: showCall(one.Tool, one.Args)})
		}
	}
	for _, one := range besides {
		found = append(found, Difference{What: inWrite, Now: showCall(one.Tool, one.Args)})
	}
	return found
}

func withoutAbsent(shown string) string {
	if shown == absent {
		return ""
	}
	return shown
}
