package hostcall_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// A service that answers with success, and says in the body that it is none, is quoted and classed. Data says nothing.
func TestABodyThatSaysItIsAnError(t *testing.T) {
	t.Parallel()
	const auth, network, logic, nothing = sandbox.ClassAuth, sandbox.ClassNetwork, sandbox.ClassLogic, ""
	for _, test := range []struct {
		body, class, quotes string
		wait                int64
	}{
		{`{"Note":"Our standard API call frequency is 5 calls per minute and 500 calls per day."}`, network, "5 calls per minute", 60_000},
		{`{"Information":"You have reached your daily limit"}`, network, "daily limit", 0},
		{`{"error":{"code":429,"message":"Slow down, retry in 30 seconds"}}`, network, "retry in 30 seconds", 30_000},
		{`{"error":{"code":429}}`, network, "429", 0},
		{`{"error":"rate_limited","retry_after":12}`, network, "rate_limited", 12_000},
		{`{"errors":[{"message":"API rate limit exceeded for user 7","type":"RATE_LIMITED"}]}`, network, "rate limit exceeded", 0},
		{`{"ok":false,"error":"ratelimited"}`, network, "ratelimited", 0},
		{`{"status":"503","detail":"The service is busy"}`, network, "busy", 0},
		{`{"message":"Temporarily out of order, try again later"}`, network, "try again later", 0},
		{`{"errors":[{"message":"You must be somebody","extensions":{"code":"UNAUTHENTICATED"}}]}`, auth, "You must be somebody", 0},
		{`{"error":{"message":"Invalid API key"}}`, auth, "Invalid API key", 0},
		{`{"ok":false,"error":"invalid_auth"}`, auth, "invalid_auth", 0},
		{`{"status":"error","message":"This endpoint was retired, use /v2"}`, logic, "use /v2", 0},
		{`{"code":410,"message":"Look elsewhere for prices"}`, logic, "elsewhere", 0},
		{`{"warning":"v1 is deprecated","error":"It is no longer available"}`, logic, "deprecated", 0},

		{`{"message":"The item of 5 pounds is sold"}`, nothing, "", 0},
		{`{"error":null,"message":"OK"}`, nothing, "", 0},
		{`{"items":[{"title":"How rate limits work","message":"Too many requests"}]}`, nothing, "", 0},
		{`[{"message":"Too many requests"}]`, nothing, "", 0},
		{`{"status":200,"code":0}`, nothing, "", 0},
	} {
		body, err := orderedjson.Decode([]byte(test.body))
		require.NoError(t, err)
		said, ok := hostcall.SaidIn(body, func([]string) bool { return false })
		require.Equal(t, test.class != nothing, ok, test.body)
		require.Equal(t, test.class, said.Class, test.body)
		require.Contains(t, said.Text, test.quotes, test.body)
		require.Equal(t, test.wait, said.RetryAfterMS, test.body)
		require.Equal(t, test.class == logic, said.Code == hostcall.CodeRetired, test.body)
		_, ok = hostcall.SaidIn(body, func(path []string) bool {
			return !slices.ContainsFunc(path, func(step string) bool { return strings.HasPrefix(step, "x") })
		})
		require.False(t, ok, "what always stands there is data: %s", test.body)
	}
}
