package account

import "time"

// LimitSet says what agents may spend on the owner's workflows in a calendar month in UTC. 0 is no limit.
type LimitSet struct {
	PerMonthMicros int64  `json:"per_month_micros"`
	Currency       string `json:"currency"`
}

// BalanceOpened begins with the first top-up: what agents spend on the owner's workflows from then on is paid from the
// balance.
type BalanceOpened struct {
	From     time.Time `json:"from"`
	Currency string    `json:"currency"`
}

// PaymentStarted records that a person was given a link to pay at.
type PaymentStarted struct {
	Payment  string    `json:"payment"`
	Provider string    `json:"provider"`
	Link     string    `json:"link"`
	Micros   int64     `json:"micros"`
	Currency string    `json:"currency"`
	Until    time.Time `json:"until,omitzero"` // the link ends
}

// PaymentLapsed records that nobody paid while the link was good.
type PaymentLapsed struct {
	Payment string `json:"payment"`
}

// ToppedUp adds what was paid to the balance. A payment is there once.
type ToppedUp struct {
	Payment  string `json:"payment"`
	Provider string `json:"provider,omitempty"` // empty for what a person entered
	// Reference finds it again at the provider or in somebody's books.
	Reference string `json:"reference,omitempty"`
	Micros    int64  `json:"micros"`
	Currency  string `json:"currency"`
}

// PaymentReversed takes back what a payment had added, or, below 0, gives it again: a refund, a dispute and its end.
type PaymentReversed struct {
	Reversal  string `json:"reversal"` // at the provider; several events may be of one
	Kind      string `json:"kind"`     // refund, dispute
	Reference string `json:"reference,omitempty"`
	Micros    int64  `json:"micros"`
	Currency  string `json:"currency"`
	Reason    string `json:"reason,omitempty"`
	// Notice is the provider's message that said so.
	Notice string `json:"notice,omitempty"`
}

// LimitReached records once that agents have spent what they may, so that the owner hears of it once.
type LimitReached struct {
	Limit       Limit     `json:"limit"`
	From        time.Time `json:"from"` // since when it is counted
	Micros      int64     `json:"micros"`
	SpentMicros int64     `json:"spent_micros"`
	Currency    string    `json:"currency"`
}
