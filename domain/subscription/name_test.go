package subscription_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
)

// The name of a subscription has 1 to 63 small letters, digits, ., - or _, and begins with no mark.
func TestNamesOfSubscriptions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "a.b_c-9", strings.Repeat("a", 63)} {
		require.NoError(t, subscription.CheckName(name), name)
	}
	for _, name := range []string{"", ".a", "A", "a b", "a\n", strings.Repeat("a", 64)} {
		require.Error(t, subscription.CheckName(name), name)
	}
}
