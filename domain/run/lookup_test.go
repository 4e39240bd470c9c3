package run_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/run"
)

// A write in doubt is asked about when nothing of it can be under way any more, three times at most and with growing
// pauses. A clear answer of the other side ends the doubt.
func TestAWriteInDoubtIsLookedUp(t *testing.T) {
	t.Parallel()
	g := given(t, started, called(1, "web.postJSON", `["u"]`, EffectWrite))
	at := g.Now().Add(time.Minute)
	g = g.When(DoubtEffect{Seq: 1, LookUpAt: at}).Then(EffectInDoubt{Seq: 1, Tool: "web.postJSON", Target: "u", LookUpAt: at})
	g.When(LookUpEffect{Seq: 1, Found: LookedUpHappened}).ThenRefused(fault.Conflict, "may still be under way")
	g = g.After(time.Minute)

	happened := g.When(LookUpEffect{Seq: 1, Found: LookedUpHappened, Result: json.RawMessage(`{"id":7}`), Detail: "it is there"}).
		Then(EffectLookedUp{Seq: 1, Tool: "web.postJSON", Target: "u", Attempt: 1, Found: LookedUpHappened, Detail: "it is there"}, EffectResolved{Seq: 1, How: ResolvedHappened, Result: json.RawMessage(`{"id":7}`)})
	require.Empty(t, happened.State().InDoubt())
	require.Equal(t, `{"id":7}`, string(happened.State().Calls[0].Result))
	happened.When(LookUpEffect{Seq: 1, Found: LookedUpDidNot}).ThenRefused(fault.Conflict, "nobody asks")
	didNot := g.When(LookUpEffect{Seq: 1, Found: LookedUpDidNot}).ThenTypes(TypeEffectLookedUp, TypeEffectResolved)
	require.False(t, didNot.State().Calls[0].Returned, "it is made when it comes again")

	second := g.Now().Add(30 * time.Second)
	g = g.When(LookUpEffect{Seq: 1, Found: LookedUpNothing, Detail: "status 500"}).
		Then(EffectLookedUp{Seq: 1, Tool: "web.postJSON", Target: "u", Attempt: 1, Found: LookedUpNothing, Detail: "status 500", Next: second})
	g.When(LookUpEffect{Seq: 1, Found: LookedUpNothing}).ThenRefused(fault.Conflict, "is asked about at")
	g = g.After(30 * time.Second)
	third := g.Now().Add(2 * time.Minute)
	g = g.When(LookUpEffect{Seq: 1, Found: LookedUpNothing}).Then(EffectLookedUp{Seq: 1, Tool: "web.postJSON", Target: "u", Attempt: 2, Found: LookedUpNothing, Next: third}).After(2 * time.Minute)
	g = g.When(LookUpEffect{Seq: 1, Found: LookedUpNothing}).Then(EffectLookedUp{Seq: 1, Tool: "web.postJSON", Target: "u", Attempt: 3, Found: LookedUpNothing}).After(time.Hour)
	g.When(LookUpEffect{Seq: 1, Found: LookedUpHappened}).ThenRefused(fault.Conflict, "nobody asks")
	g.When(ResolveEffect{Seq: 1, How: ResolvedHappened}).ThenTypes(TypeEffectResolved)
}

func TestLookUpsAreChecked(t *testing.T) {
	t.Parallel()
	g := given(t, started, called(1, "web.postJSON", `["u"]`, EffectWrite), EffectInDoubt{Seq: 1, LookUpAt: started.Clock})
	g.When(LookUpEffect{Seq: 2}).ThenRefused(fault.NotFound, "no call 2")
	g.When(LookUpEffect{Seq: 1, Found: "maybe"}).ThenRefused(fault.Invalid, `"maybe" is nothing`)
	g.When(LookUpEffect{Seq: 1, Found: LookedUpHappened, Result: json.RawMessage(`{`)}).ThenRefused(fault.Invalid, "not JSON")
	g.When(ResolveEffect{Seq: 1, How: ResolvedSkip}).ThenTypes(TypeEffectResolved)
	given(t, started, called(1, "web.postJSON", `["u"]`, EffectWrite), EffectInDoubt{Seq: 1}).
		When(LookUpEffect{Seq: 1, Found: LookedUpHappened}).ThenRefused(fault.Conflict, "nobody asks")
	_, err := Follow(fold(started), EffectLookedUp{Seq: 1})
	require.ErrorContains(t, err, "not in doubt")
}
