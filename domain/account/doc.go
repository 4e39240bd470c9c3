// Package account is what the owner of workflows may spend on agents: a limit for a month, and a balance that is paid
// beforehand. Each owner has a stream. Spending is no event of it: agents count that on their threads, and whoever
// decides hands it in. It is pure: no clock, no I/O.
//
//	events, err := account.Decide(state, account.TopUp{Payment: "invoice-12", Micros: 20 * money.Unit, Currency: money.USD}, now)
//	if reached := state.Reached(spent, now); reached != nil {
//		// agents of the owner's workflows wait; runs go on
//	}
package account
