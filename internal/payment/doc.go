// Package payment asks a provider for money on behalf of a seller, and believes it only when it is signed or was
// asked for. [Stripe] is the one adapter.
//
//	started, err := stripe.Start(ctx, payment.Order{Account: "ann", Micros: 25_000_000, Currency: "usd", Return: "https://…"})
//	// a person pays at started.Link
//	looked, err := stripe.Look(ctx, started.ID) // looked.Paid
//	notice, err := stripe.Notice(ctx, body, request.Header.Get(payment.SignatureHeader), secret)
//
// Amounts are whole millionths of a currency.
package payment
