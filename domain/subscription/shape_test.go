package subscription_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/kintsugi-run/kintsugi/domain/subscription"
)

// A rate is a number of events in a second, a minute or an hour, of which follows how far they are apart.
func TestRates(t *testing.T) {
	t.Parallel()
	for text, every := range map[string]time.Duration{"": 0, "10/s": 100 * time.Millisecond, "60/m": time.Second, "1000/h": 3600 * time.Millisecond, "1/s": time.Second} {
		got, err := ParseRate(text)
		require.NoError(t, err)
		require.Equal(t, every, got, text)
	}
	for _, text := range []string{"0/s", "10", "/s", "10/d", "-1/s", "1.5/s", "10/s ", "9999999/s", "ten/s"} {
		_, err := ParseRate(text)
		require.ErrorContains(t, err, "no rate", text)
	}
}
