package repair

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
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
			require.Equal(t, s.waits, r.Held, show(r))
			if s.unproven {
				require.Equal(t, gate.Unverifiable, r.Best.Judgement.Verdict, show(r))
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

// A list that moved is named also where the script does not ask for it by its name.
func TestAMovedListIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ answer, says string }{
		"moved": {`{"data":{"items":[{"id":3}]}}`, "orders is gone (it was array 1 items)\n- web.getJSON shop.example.test/orders: data is new (object with items)"},
		"gone":  {`{"status":"ok"}`, "orders is gone"},
		"there": {`{"orders":[]}`, "orders was array 1 items, and is empty"},
	} {
		s := scenario{
			code: `async function main() {
  const found = await web.getJSON('https://shop.example.test/orders');
  const ids = [];
  for (const [name, list] of Object.entries(found)) if (name === 'orders') for (const order of list) ids.push(order.id);
  if (ids.length === 0) throw new Error('there is never a day without orders');
  return ids;
}`,
			old: []world{
				{answers: []answer{{"orders", `{"orders":[{"id":1}]}`}}}, {answers: []answer{{"orders", `{"orders":[{"id":2},{"id":3}]}`}}},
			},
			fresh: world{answers: []answer{{"orders", c.answer}}},
		}.prepared()
		r := mend(t, s.evidence(t))
		require.Contains(t, r.Explanation, c.says, name)
	}
}

// unhurried is a sandbox that nobody hurries by the clock.
type unhurried struct {
	sandbox.Runner
	t *testing.T
}

func (u unhurried) Run(ctx context.Context, x sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	_, hurried := ctx.Deadline()
	require.False(u.t, hurried)
	require.Greater(u.t, x.Limits.Wall, time.Minute, "a loop ends by its processor time")
	return u.Runner.Run(ctx, x, host)
}

// TestTheSearchIsNotBoundByTheClock: how many scripts templates try does not depend on how busy the machine is.
func TestTheSearchIsNotBoundByTheClock(t *testing.T) {
	t.Parallel()
	e := repairable[0].evidence(t)
	opened := openGate(t, e)
	result, err := Mend(t.Context(), opened, e, Templates{Runner: unhurried{runner(), t}})
	require.NoError(t, err)
	require.NotNil(t, result.Best)
}

// A member that only some had, that none has now, and beside which something of its kind came, is told: what leaves it behind is half a fix, and
// nobody is offered that. So it is however few members the objects have: names that the script spells are no keys of a map.
func TestAMemberOfSomeIsNotLeftBehind(t *testing.T) {
	t.Parallel()
	hours := [][2]string{{`"temperature":3.5,"wind":11`, `"temperature":4.25`}, {`"temperature":5.5`, `"temperature":-1.25,"wind":14`}, {`"temperature":0.5,"wind":9`, `"temperature":2.75`}, {`"temperature":1.5`, `"temperature":7.25,"wind":21`}}
	for name, c := range map[string]struct{ code, beside string }{
		"of many members": {"return hours.map((h) => h.temperature.toFixed(1) + ' ' + (h.wind ?? 0));", `"at":"6 h","sky":"clear","rain":0,`},
		"of two":          {"return hours.map((h) => h.temperature.toFixed(1) + ' ' + (h.wind ?? 0));", ""},
		"taken apart":     {"return hours.map(({ temperature, wind = 0 }) => `${temperature.toFixed(1)} ${wind}`);", ""},
	} {
		outside := func(of [2]string) world {
			return world{answers: []answer{{"forecast", "[{" + c.beside + of[0] + "},{" + c.beside + of[1] + "}]"}}}
		}
		s := scenario{
			name: name, code: "async function main() {\n  const hours = await web.getJSON('https://weather.example.test/forecast');\n  " + c.code + "\n}",
			fresh: outside([2]string{`"temperature_2m":2.5,"gusts":13`, `"temperature_2m":6.25,"gusts":8`}),
		}
		for _, one := range hours {
			s.old = append(s.old, outside(one))
		}
		r := mend(t, s.evidence(t))
		require.Nil(t, r.Best, name+show(r))
		require.Contains(t, r.Explanation, "temperature is read from temperature_2m where it is missing: wind is in nothing now, gusts came, and the script makes do without it", name+show(r))
	}
}
