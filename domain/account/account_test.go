package account_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	"github.com/kintsugi-run/kintsugi/domain/money"
)

func given(t *testing.T, events ...event.Event) scenario.Given[State, Command] {
	t.Helper()
	return scenario.Of(t, Decide, Evolve).Given(events...)
}

func topUp(payment string, amount int64) TopUp {
	return TopUp{Payment: payment, Reference: "invoice", Micros: amount, Currency: money.USD}
}

// An account of which nothing was said limits nothing: that is how people run it for themselves.
func TestNothingIsLimitedByItself(t *testing.T) {
	t.Parallel()
	state := given(t).State()
	require.False(t, state.Limited())
	require.Nil(t, state.Reached(Spent{BalanceMicros: 1 << 50, MonthMicros: 1 << 50}, scenario.Start))
	given(t).When(ReportSpend{Spent{MonthMicros: 1 << 50}}).Then()
}

// The first top-up opens the balance. A payment that is handed in twice is counted once.
func TestAPaymentIsCountedOnce(t *testing.T) {
	t.Parallel()
	paid := given(t).When(topUp("p1", 5*money.Unit)).
		Then(BalanceOpened{From: scenario.Start, Currency: money.USD}, ToppedUp{Payment: "p1", Reference: "invoice", Micros: 5 * money.Unit, Currency: money.USD})
	paid.When(topUp("p1", 5*money.Unit)).Then()
	paid.When(topUp("p1", 6*money.Unit)).ThenRefused(fault.Conflict, "counted already, with $5.00")
	twice := paid.When(topUp("p2", money.Unit)).Then(ToppedUp{Payment: "p2", Reference: "invoice", Micros: money.Unit, Currency: money.USD})
	require.Equal(t, int64(6*money.Unit), twice.State().PaidMicros)
	require.Equal(t, int64(5*money.Unit), paid.State().PaidMicros, "an earlier state keeps its own")
	given(t).When(TopUp{Payment: "p", Micros: 1, Currency: "eur"}).ThenRefused(fault.Invalid, "counted in US dollars")
	given(t).When(topUp("p", 0)).ThenRefused(fault.Invalid, "more than 0")
	given(t).When(topUp(" ", 1)).ThenRefused(fault.Invalid, "an id of its own")
}

// A link is open until it is paid or has lapsed.
func TestALinkIsOpenUntilItIsPaidOrLapses(t *testing.T) {
	t.Parallel()
	start := StartPayment{Payment: "cs_1", Provider: "stripe", Link: "https://pay.example", Micros: money.Unit, Currency: money.USD}
	open := given(t).When(start).Then(PaymentStarted(start))
	require.Len(t, open.State().Started, 1)
	open.When(start).Then()
	lapsed := open.When(LapsePayment{Payment: "cs_1"}).Then(PaymentLapsed{Payment: "cs_1"})
	require.Empty(t, lapsed.State().Started)
	lapsed.When(LapsePayment{Payment: "cs_1"}).Then()
	paid := open.When(topUp("cs_1", money.Unit)).Then(BalanceOpened{From: scenario.Start, Currency: money.USD}, ToppedUp{Payment: "cs_1", Reference: "invoice", Micros: money.Unit, Currency: money.USD})
	require.Empty(t, paid.State().Started)
	paid.When(start).Then()
}

// At zero the owner hears of it once, until there is a top-up; the balance comes before the month, which ends by itself.
func TestALimitIsToldOnce(t *testing.T) {
	t.Parallel()
	month := installation.Month.Start(scenario.Start)
	account := given(t, BalanceOpened{From: scenario.Start, Currency: money.USD}, ToppedUp{Payment: "p", Micros: 5 * money.Unit, Currency: money.USD},
		LimitSet{PerMonthMicros: 3 * money.Unit, Currency: money.USD})
	account.When(ReportSpend{Spent{BalanceMicros: 3*money.Unit - 1, MonthMicros: 3*money.Unit - 1}}).Then()
	monthly := account.When(ReportSpend{Spent{BalanceMicros: 3 * money.Unit, MonthMicros: 3 * money.Unit}}).
		Then(LimitReached{Limit: LimitMonth, From: month, Micros: 3 * money.Unit, SpentMicros: 3 * money.Unit, Currency: money.USD})
	monthly.When(ReportSpend{Spent{BalanceMicros: 4 * money.Unit, MonthMicros: 4 * money.Unit}}).Then()
	empty := monthly.When(ReportSpend{Spent{BalanceMicros: 5 * money.Unit, MonthMicros: 5 * money.Unit}}).
		Then(LimitReached{Limit: LimitBalance, From: scenario.Start, Micros: 5 * money.Unit, SpentMicros: 5 * money.Unit, Currency: money.USD})
	empty.When(ReportSpend{Spent{BalanceMicros: 6 * money.Unit, MonthMicros: 5 * money.Unit}}).Then()
	require.Contains(t, empty.State().Reached(Spent{BalanceMicros: 5 * money.Unit}, scenario.Start).String(), "They go on after a top-up")

	again := empty.And(ToppedUp{Payment: "q", Micros: money.Unit, Currency: money.USD}, LimitSet{Currency: money.USD})
	require.Nil(t, again.State().Reached(Spent{BalanceMicros: 5 * money.Unit, MonthMicros: 5 * money.Unit}, scenario.Start))
	again.When(ReportSpend{Spent{BalanceMicros: 6 * money.Unit}}).
		Then(LimitReached{Limit: LimitBalance, From: scenario.Start, Micros: 6 * money.Unit, SpentMicros: 6 * money.Unit, Currency: money.USD})
	next := monthly.After(31 * 24 * time.Hour)
	require.Equal(t, LimitMonth, next.State().Reached(Spent{MonthMicros: 3 * money.Unit}, next.Now()).Limit)
	next.When(ReportSpend{Spent{MonthMicros: 3 * money.Unit}}).
		Then(LimitReached{Limit: LimitMonth, From: installation.Month.Start(next.Now()), Micros: 3 * money.Unit, SpentMicros: 3 * money.Unit, Currency: money.USD})
}

// A provider says the total that it takes back, so that messages may come twice and a part after a part.
func TestRefundsAreTakenBackOnce(t *testing.T) {
	t.Parallel()
	account := given(t, BalanceOpened{From: scenario.Start, Currency: money.USD}, ToppedUp{Payment: "p", Micros: 5 * money.Unit, Currency: money.USD})
	reverse := func(total int64, notice string) ReversePayment {
		return ReversePayment{Reversal: "ch_1", Kind: "refund", TotalMicros: total, Currency: money.USD, Notice: notice}
	}
	part := account.When(reverse(2*money.Unit, "evt_1")).Then(PaymentReversed{Reversal: "ch_1", Kind: "refund", Micros: 2 * money.Unit, Currency: money.USD, Notice: "evt_1"})
	require.Equal(t, int64(3*money.Unit), part.State().PaidMicros)
	part.When(reverse(2*money.Unit, "evt_2")).Then()
	whole := part.When(reverse(5*money.Unit, "evt_3")).Then(PaymentReversed{Reversal: "ch_1", Kind: "refund", Micros: 3 * money.Unit, Currency: money.USD, Notice: "evt_3"})
	require.Zero(t, whole.State().PaidMicros)
	require.NotNil(t, whole.State().Reached(Spent{}, scenario.Start))
	whole.When(reverse(2*money.Unit, "evt_1")).Then() // an old message is sent again
	won := whole.When(reverse(0, "evt_4")).Then(PaymentReversed{Reversal: "ch_1", Kind: "refund", Micros: -5 * money.Unit, Currency: money.USD, Notice: "evt_4"})
	require.Equal(t, int64(5*money.Unit), won.State().PaidMicros)
	account.When(ReversePayment{Reversal: "x", TotalMicros: -1, Currency: money.USD}).ThenRefused(fault.Invalid, "not below 0")
}

// A limit is an amount, and 0 takes it away.
func TestALimitIsSetAndTakenAway(t *testing.T) {
	t.Parallel()
	set := given(t).When(SetLimit{PerMonthMicros: 9, Currency: money.USD}).Then(LimitSet{PerMonthMicros: 9, Currency: money.USD})
	require.True(t, set.State().Limited())
	set.When(SetLimit{PerMonthMicros: 9, Currency: money.USD}).Then()
	require.False(t, set.When(SetLimit{Currency: money.USD}).Then(LimitSet{Currency: money.USD}).State().Limited())
	given(t).When(SetLimit{PerMonthMicros: -1, Currency: money.USD}).ThenRefused(fault.Invalid, "not below 0")
}

// Histories that nobody can have come to are refused.
func TestImpossibleAccountsAreRefused(t *testing.T) {
	t.Parallel()
	opened, paid := BalanceOpened{From: scenario.Start}, ToppedUp{Payment: "p", Micros: 2}
	for name, history := range map[string][]event.Event{
		"a top-up without a balance":    {paid},
		"a second opening":              {opened, opened},
		"a payment twice":               {opened, paid, paid},
		"a payment of nothing":          {opened, ToppedUp{Payment: "p"}},
		"a link after the payment":      {opened, paid, PaymentStarted{Payment: "p", Micros: 2}},
		"a lapse of nothing":            {PaymentLapsed{Payment: "p"}},
		"more given again than taken":   {PaymentReversed{Reversal: "r", Micros: -1}},
		"a limit below 0":               {LimitSet{PerMonthMicros: -1}},
		"another limit reached":         {opened, paid, LimitReached{Limit: LimitBalance, Micros: 3, SpentMicros: 3}},
		"a limit that is not reached":   {opened, paid, LimitReached{Limit: LimitBalance, Micros: 2, SpentMicros: 1}},
		"a limit that there is none of": {LimitReached{Limit: "year"}},
		"an event of another stream":    {installation.RepairsStopped{}},
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
	state, err := Follow(Evolve(State{}, opened), paid)
	require.NoError(t, err)
	_, err = Follow(state, LimitReached{Limit: LimitBalance, Micros: 2, SpentMicros: 2})
	require.NoError(t, err)
}

// An owner may be called anything, and each has a stream of their own.
func TestEveryOwnerHasAStream(t *testing.T) {
	t.Parallel()
	require.Equal(t, "account-Ann%20M%25%C2%A0x", Stream("Ann M%\u00a0x"))
	for _, owner := range []string{"ann", "Ann M%\u00a0x", "100%", "%20", "ß\n"} {
		require.Equal(t, owner, Owner(Stream(owner)))
	}
}
