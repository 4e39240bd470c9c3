package subscription_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/subscription"
)

func given(t *testing.T, events ...event.Event) scenario.Given[State, Command] {
	t.Helper()
	return scenario.Of(t, Decide, Evolve).Given(events...)
}

var (
	to    = Definition{Target: "webhook:https://chat.example/hook", Payload: Full, Lanes: Block, GiveUpSeconds: 60}
	added = SubscriptionAdded{Definition: to, From: at("0002", "b")}
)

func at(position, id string) Place {
	return Place{Position: position, Stream: "workflow-w", EventID: id}
}

func dead(position, id string) DeadLettered {
	return DeadLettered{Event: at(position, id), Type: "FixApplied", Lane: "workflow:w", Attempts: 3, Reason: "the receiver answered 500"}
}

// A setting that is not given has a default, which is written down: a later version may have another.
func TestDefaultsAreWrittenDown(t *testing.T) {
	t.Parallel()
	given(t).When(Add{Definition: Definition{Target: to.Target}}).Then(SubscriptionAdded{
		Definition: Definition{Target: to.Target, Payload: Full, Lanes: Block, GiveUpSeconds: 3 * 24 * 60 * 60},
	})
}

// A subscription is added once; after it was removed its name is free, and deliveries begin anew.
func TestANameIsTakenOnce(t *testing.T) {
	t.Parallel()
	is := given(t).When(Add{Definition: to, From: added.From}).Then(added)
	require.True(t, is.State().Active())
	is.When(Add{Definition: to}).ThenRefused(fault.Conflict, "already")
	removed := is.When(Remove{}).Then(SubscriptionRemoved{})
	require.False(t, removed.State().Exists)
	removed.When(Remove{}).ThenRefused(fault.NotFound, "no such subscription")
	again := removed.When(Add{Definition: to}).Then(SubscriptionAdded{Definition: to})
	require.NotEqual(t, is.State().Epoch, again.State().Epoch, "what was kept of the deliveries of the first is not of the second")
	for _, name := range []string{"", "A", "-a", "a b", "a/b"} {
		require.ErrorContains(t, CheckName(name), "no name")
	}
	require.NoError(t, CheckName("team-chat.2"))
}

// How far deliveries are is of those that are not over, and is not said twice.
func TestHowFarDeliveriesAreIsOfOneEpoch(t *testing.T) {
	t.Parallel()
	here := Advance{Epoch: 1, Place: at("0003", "c"), Lanes: map[string]LanePlace{"workflow:w": {After: at("0002", "b"), Failures: 2}}}
	is := given(t, added).When(here).Then(SubscriptionAdvanced(here))
	is.When(here).Then()
	require.Equal(t, here.Place, is.State().Advanced.Place)
	anew := is.When(Replay{From: at("0001", "a")}).Then(SubscriptionReplayed{From: at("0001", "a")})
	require.Nil(t, anew.State().Advanced, "that was of other deliveries")
	anew.When(here).Then()
	anew.When(FindPlace{Lost: at("0009", "x"), Place: at("0003", "c")}).Then(SubscriptionPlaceFound{Lost: at("0009", "x"), Place: at("0003", "c")})
	_, err := Follow(anew.State(), SubscriptionAdvanced(here))
	require.ErrorContains(t, err, "deliveries that are over")
}

func TestAWrongTargetIsRefused(t *testing.T) {
	t.Parallel()
	for target, says := range map[string]string{
		"":                                   "is no target",
		"https://a.example":                  "is no target",
		"nats://a.example":                   "is not an address of nats",
		"nats+tls://a.example/a..b":          "is not an address of nats",
		"nats://a.example/fixes":             "unencrypted",
		"kafka+tls://a.example/a/b":          "is not an address of kafka",
		"kafka+tls://a.example/a?x=y":        "is not an address of kafka",
		"amqps://a.example/":                 "is not an address of amqp",
		"amqps://a/?exchange=e&queue=q":      "is not an address of amqp",
		"rediss://a.example/x?stream=s":      "is not an address of redis",
		"redis://a.example?stream=s":         "unencrypted",
		"smtp://a.example?to=a@a.example":    "is not an address of smtp",
		"smtp://a.example?from=a&to=b@b.exa": "is not an address of smtp",
		"nats+tls://ann:word@a.example/f":    "has a password",
		"slack:https://hooks.example/s/T/B":  "a secret as a whole",
		"webhook:a.example":                  "not the address of a webhook",
		"webhook:ftp://a.example":            "not the address of a webhook",
		"webhook:https://u:p@a.example":      "password",
		"webhook:https://a.example/#x":       "fragment",
		"webhook:http://a.example":           "unencrypted",
		"webhook:https://a.example/\r\nX: y": "control characters",
		"exec:./program":                     "whole path",
	} {
		given(t).When(Add{Definition: Definition{Target: target}}).ThenRefused(fault.Invalid, says)
	}
	given(t).When(Add{Definition: Definition{Target: to.Target, Payload: "some"}}).ThenRefused(fault.Invalid, "payload")
	given(t).When(Add{Definition: Definition{Target: to.Target, Lanes: "drop"}}).ThenRefused(fault.Invalid, "policy")
	given(t).When(Add{Definition: Definition{Target: to.Target, GiveUpSeconds: -1}}).ThenRefused(fault.Invalid, "at least a second")
}

// Rule: what a target is shown of its sender is named, whole, and goes to nobody unencrypted who could be anybody.
func TestWhatATargetIsShown(t *testing.T) {
	t.Parallel()
	oauth := OAuth{TokenURL: "https://idp.example/token", ClientID: "k", Secret: "idp"}
	with := func(change func(*Definition)) Add {
		d, of := to, oauth
		d.OAuth = &of
		change(&d)
		return Add{Definition: d}
	}
	given(t).When(with(func(d *Definition) { d.ClientCertificate, d.ClientKey = "cert", "key" }))
	for says, change := range map[string]func(*Definition){
		"go together": func(d *Definition) { d.ClientKey = "key" },
		"no client certificate": func(d *Definition) {
			d.OAuth, d.Target, d.ClientCertificate, d.ClientKey = nil, "exec:/bin/true", "c", "k"
		},
		"are given by the names":      func(d *Definition) { d.ClientCertificate, d.ClientKey = "-----BEGIN CERTIFICATE-----", "key" },
		"only a webhook is shown":     func(d *Definition) { d.Target = "nats+tls://a.example/f" },
		"no address that gives":       func(d *Definition) { d.OAuth.TokenURL = "https://a:b@idp.example/token" },
		"not sent unencrypted":        func(d *Definition) { d.OAuth.TokenURL = "http://idp.example/token" },
		"has an id":                   func(d *Definition) { d.OAuth.ClientID = "" },
		"is given by its name":        func(d *Definition) { d.OAuth.Secret = "a secret" },
		"without spaces":              func(d *Definition) { d.OAuth.Scopes = []string{"a b"} },
		"in the header Authorization": func(d *Definition) { d.Headers = []string{"authorization"} },
	} {
		given(t).When(with(change)).ThenRefused(fault.Invalid, says)
	}
	d := to
	d.OAuth = &oauth
	given(t, SubscriptionAdded{Definition: d}).When(Change{OAuth: &OAuth{}})
}

func TestDeliveriesArePausedOnce(t *testing.T) {
	t.Parallel()
	paused := given(t, added).When(Pause{Reason: "it is gone"}).Then(SubscriptionPaused{Reason: "it is gone"})
	require.False(t, paused.State().Active())
	paused.When(Pause{}).Then()
	resumed := paused.When(Resume{}).Then(SubscriptionResumed{})
	require.True(t, resumed.State().Active())
	require.Empty(t, resumed.State().Reason)
	require.Equal(t, paused.State().Epoch, resumed.State().Epoch, "they go on where they were")
	resumed.When(Resume{}).Then()
	given(t).When(Pause{}).ThenRefused(fault.NotFound, "no such subscription")
}

// An event is a dead letter once, and settled once.
func TestADeadLetterIsSettledOnce(t *testing.T) {
	t.Parallel()
	letter := dead("0003", "c")
	given := given(t, added).When(GiveUp(letter)).Then(letter)
	require.Equal(t, 1, given.State().Open())
	given.When(GiveUp(letter)).Then()
	retried := given.When(Retried{EventID: "c"}).Then(DeadLetterRetried{EventID: "c"})
	require.Zero(t, retried.State().Open())
	require.Equal(t, 1, given.State().Open(), "an earlier state keeps its own")
	retried.When(Retried{EventID: "c"}).Then()
	retried.When(Drop{EventID: "c"}).Then()
	retried.When(GiveUp(letter)).Then()
	dropped := given.When(Drop{EventID: "c", Reason: "no need"}).Then(DeadLetterDropped{EventID: "c", Reason: "no need"})
	require.Zero(t, dropped.State().Open())
	given.When(Drop{EventID: "x"}).ThenRefused(fault.NotFound, "no dead letter")
}

// A subscription becomes another one, with what it was said as well; its place stays, and its target stays of its kind.
func TestASubscriptionIsChanged(t *testing.T) {
	t.Parallel()
	target, types, skip, payload := "webhook:https://new.example/hook", []string{"FixApplied"}, Skip, Payload("some")
	now := to
	now.Target, now.Types, now.Lanes = target, types, Skip
	changed := given(t, added).When(Change{Target: &target, Types: &types, Lanes: &skip}).Then(SubscriptionChanged{Before: to, Now: now})
	require.Equal(t, given(t, added).When(Pause{}).Then(SubscriptionPaused{}).State().Epoch, changed.State().Epoch, "deliveries go on where they were")
	changed.When(Change{Target: &target}).Then()
	none := []string{}
	now.Types = nil
	require.Equal(t, now, changed.When(Change{Types: &none}).Then(SubscriptionChanged{Before: changed.State().Definition, Now: now}).State().Definition)
	given(t, added).When(Change{Payload: &payload}).ThenRefused(fault.Invalid, "payload")
	for to, says := range map[string]string{"nats+tls://a.example/f": "another kind", "webhook:http://a.example": "unencrypted", "exec:/bin/true": "another kind"} {
		given(t, added).When(Change{Target: &to}).ThenRefused(fault.Invalid, says)
	}
	given(t).When(Change{}).ThenRefused(fault.NotFound, "no such subscription")
}

// It is said once that a target takes nothing, until it does, or a person has deliveries begin anew or stop.
func TestASubscriptionFailsUntilItRecovers(t *testing.T) {
	t.Parallel()
	failing := SubscriptionFailing{Event: at("0003", "c"), Type: "FixApplied", Lane: "workflow:w", Since: scenario.Start, Attempts: 4, Reason: "500", GivesUpAt: scenario.Start.Add(time.Hour)}
	given(t, added).When(NoteRecovered{}).Then()
	fails := given(t, added).When(NoteFailing(failing)).Then(failing)
	fails.When(NoteFailing{Since: scenario.Start.Add(time.Minute)}).Then()
	require.Nil(t, fails.When(NoteRecovered{}).Then(SubscriptionRecovered{Since: scenario.Start}).State().Failing)
	require.Nil(t, fails.When(Pause{}).Then(SubscriptionPaused{}).State().Failing)
	require.Nil(t, fails.When(Replay{}).Then(SubscriptionReplayed{}).State().Failing)
	given(t, added, failing, dead("0003", "c")).When(Retried{EventID: "c"}).Then(DeadLetterRetried{EventID: "c"}, SubscriptionRecovered{Since: scenario.Start})
}

// A replay begins deliveries anew. Dead letters after its place are delivered again, those before it still wait.
func TestAReplayBeginsAnew(t *testing.T) {
	t.Parallel()
	before := given(t, added, dead("0003", "c"), dead("0005", "e"))
	replayed := before.When(Replay{From: at("0004", "d")}).Then(SubscriptionReplayed{From: at("0004", "d")})
	require.Equal(t, before.State().Epoch+1, replayed.State().Epoch)
	require.Equal(t, 1, replayed.State().Open())
	require.Contains(t, replayed.State().Letters, "c")
	replayed.When(GiveUp(dead("0005", "e"))).Then(dead("0005", "e"))
}

func TestAKeyIsRotated(t *testing.T) {
	t.Parallel()
	until := scenario.Start.Add(time.Hour)
	given(t, added).When(RotateKey{Until: until}).Then(SigningKeyRotated{Until: until})
}

// Histories that nobody can have come to are refused.
func TestImpossibleSubscriptionsAreRefused(t *testing.T) {
	t.Parallel()
	for name, history := range map[string][]event.Event{
		"nothing was added":           {SubscriptionPaused{}},
		"added twice":                 {added, added},
		"given up before it is tried": {SubscriptionAdded{}},
		"paused twice":                {added, SubscriptionPaused{}, SubscriptionPaused{}},
		"resumed without a pause":     {added, SubscriptionResumed{}},
		"dead twice":                  {added, dead("3", "c"), dead("3", "c")},
		"retried and not dead":        {added, DeadLetterRetried{EventID: "c"}},
		"settled twice":               {added, dead("3", "c"), DeadLetterRetried{EventID: "c"}, DeadLetterDropped{EventID: "c"}},
		"was another one":             {added, SubscriptionChanged{}},
		"fails twice":                 {added, SubscriptionFailing{}, SubscriptionFailing{}},
		"recovers and did not fail":   {added, SubscriptionRecovered{}},
		"an event of another stream":  {added, installation.RepairsStopped{}},
	} {
		var state State
		var err error
		for _, one := range history {
			if state, err = Follow(state, one); err != nil {
				break
			}
		}
		require.Error(t, err, name)
	}
	var state State
	for _, one := range []event.Event{
		added, SubscriptionPaused{}, SubscriptionResumed{}, dead("3", "c"), DeadLetterDropped{EventID: "c"},
		SigningKeyRotated{}, SubscriptionReplayed{}, SubscriptionRemoved{}, added,
	} {
		var err error
		state, err = Follow(state, one)
		require.NoError(t, err)
	}
}

// A secret is taken out of a target, since everybody may read the log, and the target goes on without it.
func TestSecretPartsOfATarget(t *testing.T) {
	t.Parallel()
	for target, want := range map[string][2]string{
		"nats+tls://ann:wo%20rd@a.example/f":       {"nats+tls://ann@a.example/f", "wo rd"},
		"redis://:word@127.0.0.1/2?stream=s":       {"redis://@127.0.0.1/2?stream=s", "word"},
		"smtp://a:b@c.example?from=d@e&to=f@g.exa": {"smtp://a@c.example?from=d@e&to=f@g.exa", "b"},
		"slack:https://hooks.example/services/T/B": {"slack:https://hooks.example", "/services/T/B"},
		"amqps://a.example/?queue=q":               {"amqps://a.example/?queue=q", ""},
		"webhook:https://a.example/hook":           {"webhook:https://a.example/hook", ""},
		"exec:/bin/a:b@c":                          {"exec:/bin/a:b@c", ""},
	} {
		public, secret := Part(target)
		require.Equal(t, want, [2]string{public, secret}, target)
	}
}
