package money_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/money"
)

// Amounts are read and shown exactly: no float is between what a person writes and what is kept.
func TestAmountsAreExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"0": 0, "12": 12_000_000, "12.5": 12_500_000, "0.000001": 1, "0.1": 100_000, "1000000000": 1_000_000_000 * money.Unit} {
		got, err := money.Parse(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "-1", "+1", "1.", ".5", "1.0000001", "1e3", "1,50", "$5", "NaN", "1000000001", "99999999999999999999"} {
		_, err := money.Parse(text)
		require.ErrorContains(t, err, "is not an amount", text)
	}
	for micros, want := range map[int64]string{0: "$0.00", 12_500_000: "$12.50", 1: "$0.000001", 9_990: "$0.00999", 10_000: "$0.01", 1_994_999: "$1.99", 1_995_000: "$2.00", -3_000_000: "-$3.00"} {
		require.Equal(t, want, money.Text(micros, money.USD))
	}
	require.Equal(t, "5.00 EUR", money.Text(5*money.Unit, "eur"))
	for usd, want := range map[float64]int64{0.1: 100_000, 0.0000004: 0, 0.0000006: 1, -0.5: -500_000, math.NaN(): 0, math.Inf(1): 1_000_000_000 * money.Unit} {
		require.Equal(t, want, money.FromUSD(usd))
	}
}
