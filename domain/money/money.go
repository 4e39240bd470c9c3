// Package money is amounts in whole millionths of a currency: sums of them are exact. It is pure.
//
//	amount, err := money.Parse("12.50") // 12_500_000
//	money.Text(amount, money.USD)       // $12.50
package money

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// USD is the currency of model prices, and so of everything that is compared with what agents spend.
const USD = "usd"

// Unit is one of a currency, in micros.
const Unit = 1_000_000

// most keeps sums of very many amounts in an int64.
const most = 1_000_000_000 * Unit

// FromUSD is what a provider's price came to, to the nearest millionth of a dollar.
func FromUSD(usd float64) int64 {
	switch micros := math.Round(usd * Unit); {
	case math.IsNaN(micros):
		return 0
	case micros > most:
		return most
	case micros < -most:
		return -most
	default:
		return int64(micros)
	}
}

// Parse reads an amount as people write it: 12, 12.5, 0.000001. None is below 0.
func Parse(text string) (int64, error) {
	refused := fault.New(fault.Invalid, "%q is not an amount: write it like 12 or 12.50, with six decimals at most", text)
	whole, decimals, pointed := strings.Cut(strings.TrimSpace(text), ".")
	if len(decimals) > 6 || pointed && decimals == "" || strings.Trim(whole+decimals, "0123456789") != "" || whole == "" {
		return 0, refused
	}
	micros, err := strconv.ParseInt(whole+decimals+strings.Repeat("0", 6-len(decimals)), 10, 64)
	if err != nil || micros > most {
		return 0, refused
	}
	return micros, nil
}

// Text is an amount for people: cents, and what is less than a cent as it is.
func Text(micros int64, currency string) string {
	sign := ""
	if micros < 0 {
		sign, micros = "-", -micros
	}
	digits := fmt.Sprintf("%d.%06d", micros/Unit, micros%Unit)
	if micros == 0 || micros >= Unit/100 {
		rounded := (micros + Unit/200) / (Unit / 100)
		digits = fmt.Sprintf("%d.%02d", rounded/100, rounded%100)
	} else {
		digits = strings.TrimRight(digits, "0")
	}
	if currency == USD {
		return sign + "$" + digits
	}
	return sign + digits + " " + strings.ToUpper(currency)
}
