package account

import "time"

// Command asks something of an owner's account. It is sealed.
type Command interface{ command() }

// SetLimit says what agents may spend in a month; 0 takes the limit away.
type SetLimit struct {
	PerMonthMicros int64
	Currency       string
}

// StartPayment records the link that a person pays at.
type StartPayment struct {
	Payment  string
	Provider string
	Link     string
	Micros   int64
	Currency string
	Until    time.Time
}

// LapsePayment records that nobody paid.
type LapsePayment struct{ Payment string }

// TopUp adds a payment to the balance. The same payment again is nothing.
type TopUp struct {
	Payment   string
	Provider  string
	Reference string
	Micros    int64
	Currency  string
}

// ReversePayment says how much of the payments behind a reversal is taken back by now, altogether.
type ReversePayment struct {
	Reversal    string
	Kind        string
	Reference   string
	TotalMicros int64
	Currency    string
	Reason      string
	Notice      string
}

// ReportSpend hands in what agents have spent.
type ReportSpend struct{ Spent Spent }

func (SetLimit) command()       {}
func (StartPayment) command()   {}
func (LapsePayment) command()   {}
func (TopUp) command()          {}
func (ReversePayment) command() {}
func (ReportSpend) command()    {}
