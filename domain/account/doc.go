// Package account decides what the owner of workflows may spend on agents: a limit for a month, and a balance that is
// paid beforehand. Each owner has a stream. Spending is no event of this stream: agents count it on their threads,
// and the caller of Decide passes the sum. The package is pure: no clock, no I/O.
//
//	events, err := account.Decide(state, account.TopUp{Payment: "invoice-12", Micros: 20 * money.Unit, Currency: money.USD}, now)
//	if reached := state.Reached(spent, now); reached != nil {
//		// agents of the owner's workflows wait; runs go on
//	}
package account
