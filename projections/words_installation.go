package projections

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// differing are the names of the members that differ, as they are recorded.
func differing(before, now subscription.Definition) (names []string) {
	was, is := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for definition, members := range map[*subscription.Definition]*map[string]json.RawMessage{&before: &was, &now: &is} {
		text, err := json.Marshal(definition)
		if err == nil {
			err = json.Unmarshal(text, members)
		}
		if err != nil {
			panic(err) // it is plain data
		}
	}
	both := maps.Clone(was)
	maps.Copy(both, is)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if string(was[name]) != string(is[name]) {
			names = append(names, name)
		}
	}
	return names
}

// installationWords are the words of the installation, accounts and subscriptions.
var installationWords = []row{
	of(words[installation.RepairsStopped]{
		line: func(e installation.RepairsStopped, _ *time.Location) string { return e.Reason },
		notice: func(_ *notifier, e installation.RepairsStopped) Notification {
			return Notification{
				Type: NotifyInternal, Title: "Repairs are switched off on all workflows", Text: e.Reason, Actions: []string{ActionResumeRepairs}, About: aboutStopped,
			}
		},
	}),
	of(words[installation.RepairsResumed]{
		line:          func(e installation.RepairsResumed, _ *time.Location) string { return e.Reason },
		resolvesThose: func(*notifier, installation.RepairsResumed) func(*Notification) bool { return about(aboutStopped) },
	}),
	of(words[installation.SpendCapChanged]{
		line: func(e installation.SpendCapChanged, _ *time.Location) string {
			return fmt.Sprintf("a day %s, a month %s, a repair %s", capText(e.PerDayUSD), capText(e.PerMonthUSD), capText(e.PerFixUSD))
		},
		resolvesThose: func(*notifier, installation.SpendCapChanged) func(*Notification) bool {
			return about(aboutCap(installation.Day), aboutCap(installation.Month))
		},
	}),
	of(words[installation.SpendCapReached]{
		line: func(e installation.SpendCapReached, _ *time.Location) string {
			return fmt.Sprintf("agents spent $%.2f of $%.2f in a %s", e.SpentUSD, e.CapUSD, e.Period)
		},
		resolvesThose: func(_ *notifier, e installation.SpendCapReached) func(*Notification) bool {
			return about(aboutCap(e.Period))
		}, // of an earlier period
		notice: (*notifier).capReached,
	}),
	of(words[installation.EgressChanged]{
		line: func(e installation.EgressChanged, _ *time.Location) string {
			open := make([]string, 0, len(e.Open))
			for _, one := range e.Open {
				open = append(open, strings.TrimSpace(one.Place+" "+one.Owner))
			}
			return "closed to scripts: " + cmp.Or(strings.Join(e.Closed, ", "), "nothing") + "; open to tenants: " + cmp.Or(strings.Join(open, ", "), "nothing")
		},
	}),
	of(words[installation.NoticeAcknowledged]{
		line: func(e installation.NoticeAcknowledged, _ *time.Location) string { return e.Notification },
		also: func(n *notifier, e installation.NoticeAcknowledged) { n.acknowledged(e.Notification) },
	}),
	of(words[installation.DraftArchivingChanged]{
		line: func(e installation.DraftArchivingChanged, _ *time.Location) string {
			if e.On {
				return "old drafts of " + e.Owner + " are archived"
			}
			return "old drafts of " + e.Owner + " stay"
		},
	}),
	of(words[installation.TokenCreated]{
		line: func(e installation.TokenCreated, _ *time.Location) string {
			return fmt.Sprintf("%s may %s%s", e.Person, tokenScopes(e), tokenName(e))
		},
	}),
	of(words[installation.TokenRevoked]{
		line: func(e installation.TokenRevoked, _ *time.Location) string { return e.Reason },
	}),
	of(words[installation.SecretSet]{
		line: func(e installation.SecretSet, _ *time.Location) string {
			return fmt.Sprintf("secret %s for %s, of %s", e.Name, strings.Join(e.Hosts, ", "), cmp.Or(e.Workflow, "all workflows"))
		},
		kind: "setting", matters: Notable,
		entry: func(e installation.SecretSet, t *telling) string {
			if e.Workflow == "" {
				return "" // it is of no workflow alone
			}
			t.Workflow = e.Workflow
			return fmt.Sprintf("%s set the key %s, for %s.", t.who, e.Name, strings.Join(e.Hosts, ", "))
		},
	}),
	of(words[installation.SecretRemoved]{
		line: func(e installation.SecretRemoved, _ *time.Location) string {
			return fmt.Sprintf("secret %s of %s", e.Name, cmp.Or(e.Workflow, "all workflows"))
		},
		kind: "setting", matters: Notable,
		entry: func(e installation.SecretRemoved, t *telling) string {
			if e.Workflow == "" {
				return ""
			}
			t.Workflow = e.Workflow
			return fmt.Sprintf("%s removed the key %s.", t.who, e.Name)
		},
	}),
	of(words[installation.TimelineChosen]{
		line: func(e installation.TimelineChosen, _ *time.Location) string {
			return e.Viewer + " looks at timelines: " + dash(strings.Join(append(slices.Clone(e.Significance), e.Kinds...), ", "))
		},
	}),
	of(words[installation.WorkStalled]{
		line: func(e installation.WorkStalled, _ *time.Location) string {
			if e.Kind == installation.Server {
				return fmt.Sprintf("%s failed %d times, and is tried on: %s", e.Work, e.Tries, e.Problem)
			}
			return fmt.Sprintf("%s of %s %s failed %d times, and is tried on: %s", e.Work, e.Kind, e.ID, e.Tries, e.Problem)
		},
		notice: (*notifier).stalled,
	}),
	of(words[installation.WorkResumed]{
		line: func(e installation.WorkResumed, _ *time.Location) string {
			if e.Kind == installation.Server {
				return e.Work + " goes on"
			}
			return fmt.Sprintf("%s of %s %s goes on", e.Work, e.Kind, e.ID)
		},
		resolvesThose: func(n *notifier, e installation.WorkResumed) func(*Notification) bool {
			if e.Kind == "workflow" {
				n.workflow = e.ID
			}
			return about(stalledOf(e.Kind, e.ID, e.Work))
		},
	}),
	of(words[installation.StoreMended]{
		line: func(e installation.StoreMended, _ *time.Location) string {
			return "the store was changed past the program, and put back: " + strings.Join(e.Found, "; ")
		},
		notice: (*notifier).storeMended,
	}),
	of(words[account.LimitSet]{
		line: func(e account.LimitSet, _ *time.Location) string {
			if e.PerMonthMicros == 0 {
				return "no limit"
			}
			return money.Text(e.PerMonthMicros, e.Currency) + " a month"
		},
		resolvesThose: func(n *notifier, _ account.LimitSet) func(*Notification) bool {
			return about(n.aboutLimit(account.LimitMonth))
		},
	}),
	of(words[account.BalanceOpened]{
		line: func(e account.BalanceOpened, _ *time.Location) string { return "in " + e.Currency },
	}),
	of(words[account.PaymentStarted]{
		line: func(e account.PaymentStarted, _ *time.Location) string {
			return fmt.Sprintf("%s over %s, payment %s", money.Text(e.Micros, e.Currency), e.Provider, e.Payment)
		},
	}),
	of(words[account.PaymentLapsed]{
		line: func(e account.PaymentLapsed, _ *time.Location) string { return "payment " + e.Payment },
	}),
	of(words[account.ToppedUp]{
		line: func(e account.ToppedUp, _ *time.Location) string {
			return fmt.Sprintf("%s, payment %s", money.Text(e.Micros, e.Currency), e.Payment)
		},
		resolvesThose: func(n *notifier, _ account.ToppedUp) func(*Notification) bool {
			return about(n.aboutLimit(account.LimitBalance))
		},
	}),
	of(words[account.PaymentReversed]{
		line: func(e account.PaymentReversed, _ *time.Location) string {
			return strings.TrimSpace(fmt.Sprintf("%s of %s %s", e.Kind, money.Text(e.Micros, e.Currency), e.Reason))
		},
	}),
	of(words[account.LimitReached]{
		line: func(e account.LimitReached, _ *time.Location) string {
			return fmt.Sprintf("%s of %s spent", money.Text(e.SpentMicros, e.Currency), money.Text(e.Micros, e.Currency))
		},
		resolvesThose: func(n *notifier, e account.LimitReached) func(*Notification) bool {
			return about(n.aboutLimit(e.Limit))
		}, // of an earlier month
		notice: (*notifier).limitReached,
	}),
	of(words[subscription.SubscriptionAdded]{
		line: func(e subscription.SubscriptionAdded, _ *time.Location) string {
			return fmt.Sprintf("%s, %s, %s behind a dead letter", e.Target, e.Payload, e.Lanes)
		},
	}),
	of(words[subscription.SubscriptionChanged]{
		line: func(e subscription.SubscriptionChanged, _ *time.Location) string {
			text := fmt.Sprintf("%s, %s, %s behind a dead letter; changed: %s", e.Now.Target, e.Now.Payload, e.Now.Lanes, strings.Join(differing(e.Before, e.Now), ", "))
			if e.Before.Target != e.Now.Target {
				text += "; before: " + e.Before.Target
			}
			return text
		},
		resolvesThose: func(n *notifier, _ subscription.SubscriptionChanged) func(*Notification) bool {
			return about(n.aboutFailing())
		},
	}),
	of(words[subscription.SubscriptionPaused]{
		line: func(e subscription.SubscriptionPaused, _ *time.Location) string { return e.Reason },
		resolvesThose: func(n *notifier, _ subscription.SubscriptionPaused) func(*Notification) bool {
			return about(n.aboutFailing())
		},
		notice: (*notifier).paused,
	}),
	of(words[subscription.SubscriptionResumed]{
		resolvesThose: func(n *notifier, _ subscription.SubscriptionResumed) func(*Notification) bool {
			return about(n.aboutPause())
		},
	}),
	of(words[subscription.SubscriptionReplayed]{
		line: func(e subscription.SubscriptionReplayed, _ *time.Location) string {
			return "from after position " + dash(strings.TrimLeft(e.From.Position, "0"))
		},
		resolvesThose: func(n *notifier, _ subscription.SubscriptionReplayed) func(*Notification) bool {
			return about(n.aboutFailing())
		},
		also: func(n *notifier, _ subscription.SubscriptionReplayed) { n.settled("") }, // an event that was given up may come again
	}),
	of(words[subscription.SubscriptionRemoved]{
		resolvesThose: func(n *notifier, _ subscription.SubscriptionRemoved) func(*Notification) bool {
			return about(n.aboutPause(), n.aboutFailing())
		},
		also: func(n *notifier, _ subscription.SubscriptionRemoved) { n.settled("") },
	}),
	of(words[subscription.SubscriptionAdvanced]{
		line: func(e subscription.SubscriptionAdvanced, _ *time.Location) string {
			return "came to position " + dash(strings.TrimLeft(e.Place.Position, "0"))
		},
	}),
	of(words[subscription.SubscriptionPlaceFound]{
		line: func(e subscription.SubscriptionPlaceFound, _ *time.Location) string {
			return fmt.Sprintf("this log was restored or copied: goes on after position %s, and what was delivered after that may come again", dash(strings.TrimLeft(e.Place.Position, "0")))
		},
	}),
	of(words[subscription.SubscriptionFailing]{
		line: func(e subscription.SubscriptionFailing, in *time.Location) string {
			return fmt.Sprintf("%s %s was not taken since %s, in %s: %s", e.Type, e.Event.EventID, e.Since.In(in).Format(time.DateTime), attempts(e.Attempts), e.Reason)
		},
		notice: (*notifier).failing,
	}),
	of(words[subscription.SubscriptionRecovered]{
		line: func(e subscription.SubscriptionRecovered, in *time.Location) string {
			return "events are taken again, which they were not since " + e.Since.In(in).Format(time.DateTime)
		},
		resolvesThose: func(n *notifier, _ subscription.SubscriptionRecovered) func(*Notification) bool {
			return about(n.aboutFailing())
		},
	}),
	of(words[subscription.DeadLettered]{
		line: func(e subscription.DeadLettered, _ *time.Location) string {
			return fmt.Sprintf("%s %s after %d tries: %s", e.Type, e.Event.EventID, e.Attempts, e.Reason)
		},
		notice: (*notifier).deadLettered,
	}),
	of(words[subscription.DeadLetterRetried]{
		line: func(e subscription.DeadLetterRetried, _ *time.Location) string { return e.EventID + " was delivered" },
		also: func(n *notifier, e subscription.DeadLetterRetried) { n.settled(e.EventID) },
	}),
	of(words[subscription.DeadLetterDropped]{
		line: func(e subscription.DeadLetterDropped, _ *time.Location) string {
			return fmt.Sprintf("%s %s", e.EventID, e.Reason)
		},
		also: func(n *notifier, e subscription.DeadLetterDropped) { n.settled(e.EventID) },
	}),
	of(words[subscription.RedeliveryAsked]{
		line: func(e subscription.RedeliveryAsked, in *time.Location) string {
			if e.EventID != "" {
				return e.EventID + " is delivered once more"
			}
			return "what was not taken since " + e.Since.In(in).Format(time.DateTime) + " is tried now"
		},
	}),
	of(words[subscription.SigningKeyRotated]{
		line: func(e subscription.SigningKeyRotated, in *time.Location) string {
			return "the key before signs, too, until " + e.Until.In(in).Format(time.DateTime)
		},
	}),
	of(words[subscription.TargetSecretSet]{
		line: func(_ subscription.TargetSecretSet, _ *time.Location) string { return "it is shown another secret" },
	}),
}

// Notices of the installation are about these: each is told once until it is resolved.
const aboutStopped = "repairs_stopped"

func aboutCap(period installation.Period) string { return "spend_cap " + string(period) }

// capReached tells the operator.
func (n *notifier) capReached(e installation.SpendCapReached) Notification {
	return Notification{
		Type: NotifyInternal, Title: fmt.Sprintf("Agents have spent what they may this %s: $%.2f", e.Period, e.CapUSD),
		Text: fmt.Sprintf("No repair starts, and no model is asked, until the %s after %s begins in UTC or the cap is raised. Open tasks wait; failures are recorded.",
			e.Period, e.From.UTC().Format("2006-01-02")),
		Actions: []string{ActionRaiseCap}, About: aboutCap(e.Period),
	}
}

func (n *notifier) aboutLimit(limit account.Limit) string {
	return "account " + string(limit) + " " + account.Owner(n.recorded.Stream)
}

// limitReached tells an owner.
func (n *notifier) limitReached(e account.LimitReached) Notification {
	owner := account.Owner(n.recorded.Stream)
	told := Notification{
		Type: NotifyBalance, Owner: owner, Title: "The balance of " + owner + " is used up: " + money.Text(e.Micros, e.Currency),
		Text: "Agents on the owner's workflows wait until there is a top-up: nothing is repaired or planned. Runs go on, and failures are recorded.", Actions: []string{ActionTopUp}, About: n.aboutLimit(e.Limit),
	}
	if e.Limit == account.LimitMonth {
		told.Title = fmt.Sprintf("Agents have spent what %s lets them in a month: %s", owner, money.Text(e.Micros, e.Currency))
		told.Text = "Agents on the owner's workflows wait until the next month begins in UTC or the limit is raised: nothing is repaired or planned. Runs go on, and failures are recorded."
		told.Actions = []string{ActionRaiseLimit}
	}
	return told
}

// stalled tells of what Kintsugi cannot do: of a workflow with what that one has to tell.
func (n *notifier) stalled(e installation.WorkStalled) Notification {
	what, task, _ := strings.Cut(e.Work, " ")
	title, again := fmt.Sprintf("Kintsugi itself fails: its %s for %s %s", what, e.Kind, e.ID), "is tried on, less and less often ("+cmp.Or(task, what)+")"
	ends := ""
	switch e.Kind {
	case "workflow":
		n.workflow, title = e.ID, "Kintsugi itself fails here: its "+what
		ends = "; a saved script, a rollback or the archive ends what is under way"
	case installation.Server:
		title, again = "Kintsugi itself fails at "+e.Work, "is tried on"
	}
	return Notification{
		Type: NotifyInternal, Title: title,
		Text: fmt.Sprintf("%s\nIt failed %s and %s. If it does not end by itself, 'kintsugi doctor' says what is wrong with this installation, and the server's log says more, "+
			"which is worth a report if this is a fault of the program%s.", e.Problem, times(e.Tries), again, ends),
		About: stalledOf(e.Kind, e.ID, e.Work),
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// storeMended tells the operator each time: it is theirs to acknowledge, and until then a verification ends with an error.
func (n *notifier) storeMended(e installation.StoreMended) Notification {
	return Notification{
		Type: NotifyInternal, Title: "Somebody changed the event log's store past the program",
		Text: fmt.Sprintf("Found, and put back: %s. Nothing kept the history from being changed meanwhile: 'kintsugi verify --deep' says whether it was, with --checkpoint also whether "+
			"newest events are missing. It ends with 20 until this is acknowledged.", strings.Join(e.Found, "; ")),
	}
}

// stalledOf is what the notice of stalled work is about. Stalled work of a workflow is told with its other news.
func stalledOf(kind, id, work string) string {
	if kind == "workflow" {
		return "stalled " + work
	}
	return "stalled " + kind + " " + id + " " + work
}

// openLetter is an event that could not be delivered, and waits for a person.
type openLetter struct {
	Subscription string `col:"subscription,key"`
	Event        string `col:"event,key"`
}

var openLetters = readmodel.NewTable[openLetter]("open_letter", readmodel.Lookup("of", "subscription"))

func (n *notifier) subscription() string {
	return strings.TrimPrefix(n.recorded.Stream, subscription.StreamPrefix)
}

func (n *notifier) aboutPause() string { return "paused " + n.subscription() }

func (n *notifier) aboutLetters() string { return "letters " + n.subscription() }

func (n *notifier) aboutFailing() string { return "failing " + n.subscription() }

// failing tells the operator of a target that takes no events, while there is time.
func (n *notifier) failing(e subscription.SubscriptionFailing) Notification {
	name := n.subscription()
	return Notification{
		Type: NotifyInternal, Title: name + " does not take events",
		Text: fmt.Sprintf("%s\nIt is tried again until %s; then the event is a dead letter. See what came back, and try it: kintsugi subscription deliveries %s --failed, kintsugi subscription test %s",
			e.Reason, e.GivesUpAt.UTC().Format("2006-01-02 15:04 UTC"), name, name),
		About: n.aboutFailing(),
	}
}

// deadLettered tells the operator once of all events that could not be delivered.
func (n *notifier) deadLettered(e subscription.DeadLettered) Notification {
	name := n.subscription()
	if openLetters.Get(n.tx, name, e.Event.EventID) == nil {
		openLetters.Insert(n.tx, openLetter{name, e.Event.EventID})
	}
	return Notification{
		Type: NotifyInternal, Title: "Events could not be delivered to " + name,
		Text:  fmt.Sprintf("%s\nIt was given up after %s. Deliver it now, or do without: kintsugi subscription dead-letters list %s", e.Reason, attempts(e.Attempts), name),
		About: n.aboutLetters(),
	}
}

// settled forgets an event that could not be delivered, or all of them, and ends the notice when none is left.
func (n *notifier) settled(eventID string) {
	name := n.subscription()
	for _, one := range openLetters.Where(n.tx, "of", name) {
		if eventID == "" || one.Event == eventID {
			openLetters.Delete(n.tx, name, one.Event)
		}
	}
	if len(openLetters.Where(n.tx, "of", name)) == 0 {
		n.resolve(about(n.aboutLetters()))
	}
}

// paused tells the operator of a pause that no person made.
func (n *notifier) paused(e subscription.SubscriptionPaused) Notification {
	if n.recorded.Metadata.Actor != "system:publisher" {
		return Notification{}
	}
	name := n.subscription()
	return Notification{
		Type: NotifyInternal, Title: "Nothing is delivered to " + name + " any more",
		Text: fmt.Sprintf("%s\nOnce it can be delivered to again: kintsugi subscription resume %s", e.Reason, name), About: n.aboutPause(),
	}
}

func attempts(n int) string {
	if n == 1 {
		return "one attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

// capText is a cap of what agents may spend, which 0 does not bound.
func capText(usd float64) string {
	if usd == 0 {
		return "without a cap"
	}
	return fmt.Sprintf("$%.2f", usd)
}

func tokenScopes(e installation.TokenCreated) string {
	names := make([]string, len(e.Scopes))
	for i, scope := range e.Scopes {
		names[i] = string(scope)
	}
	text := strings.Join(names, ", ")
	if e.Holder != installation.HeldByPerson {
		text += ", held by " + map[installation.Holder]string{installation.HeldByAgent: "an agent", installation.HeldByProgram: "a program"}[e.Holder]
	}
	if e.Owner != "" {
		text += " for the workflows of " + e.Owner
	}
	return text
}

func tokenName(e installation.TokenCreated) string {
	switch {
	case e.Account != installation.Account{}:
		return " (signed in at " + e.Account.Issuer + ")"
	case e.Parent != "":
		return " (a session)"
	case e.Name != "":
		return " (token " + e.Name + ")"
	}
	return ""
}
