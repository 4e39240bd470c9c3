package payment

import (
	"fmt"
	"time"
)

// Order is what is to be paid.
type Order struct {
	Account     string // whose it is: it comes back with everything that the provider says about it
	Micros      int64
	Currency    string
	Description string // that the person sees
	Return      string // where the person's browser goes afterwards
	// Key makes asking twice the same as asking once.
	Key string
}

// Session is a payment under way.
type Session struct {
	ID       string
	Account  string
	Link     string // where a person pays
	Micros   int64
	Currency string
	Until    time.Time // the link ends
	Paid     bool
	Lapsed   bool   // the link ended, and nobody paid
	Charge   string // what the provider calls the payment itself
}

// Reversal is how much of a payment the provider has taken back by now, altogether.
type Reversal struct {
	ID          string
	Account     string
	Kind        string // refund, dispute
	Charge      string
	TotalMicros int64
	Currency    string
	Reason      string
}

// Notice is what the provider says by itself. Both pointers are nil for what is no matter here.
type Notice struct {
	ID       string
	Paid     *Session
	Reversed *Reversal
}

// Error is a refusal of the provider.
type Error struct {
	Status  int
	Code    string
	Message string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("payment: the provider answers %d %s: %s", e.Status, e.Code, e.Message)
}
