package repair

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/replay"
)

func (s scenario) prepared() scenario {
	s.code = strings.ReplaceAll(s.code, "´", "`")
	return s
}

// TestMendRepairsDrift: an API change of these kinds is found in the payloads and mended.
func TestMendRepairsDrift(t *testing.T) {
	t.Parallel()
	for _, s := range repairable {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s := s.prepared()
			r := mend(t, s.evidence(t))
			require.NotNil(t, r.Best, show(r))
			require.False(t, r.Held, show(r))
			if s.unproven {
				require.Equal(t, replay.Unverifiable, r.Best.Judgement.Verdict, show(r))
				require.True(t, r.Best.Judgement.Rehearsable, show(r))
				return
			}
			require.JSONEq(t, s.want, string(r.Best.Judgement.FailingRun.Output), show(r))
			if s.writes != nil {
				var writes []string
				for _, write := range r.Best.Judgement.FailingRun.Writes {
					writes = append(writes, write.Tool+" "+string(write.Args))
				}
				require.Equal(t, s.writes, writes, show(r))
			}
			require.NotEmpty(t, r.Best.Candidate.Comment)
			require.NotContains(t, r.Best.Candidate.Comment, "\n")
		})
	}
}

// TestMendLetsNoWrongRepairThrough: where the payloads do not say clearly what the value
// is now, nothing is applied without a person.
func TestMendLetsNoWrongRepairThrough(t *testing.T) {
	t.Parallel()
	for _, s := range traps {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s := s.prepared()
			r := mend(t, s.evidence(t))
			require.True(t, r.Best == nil || r.Held, show(r))
			if s.heldOnly {
				require.NotNil(t, r.Best, show(r))
			}
			require.NotEmpty(t, r.Explanation)
		})
	}
}
