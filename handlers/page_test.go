package handlers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/guard"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Rule 13: a web page in the place of a text that a script went on after is an outage; with a change of shape beside it, it is not.
func TestAPageInThePlaceOfATextIsAnOutage(t *testing.T) {
	t.Parallel()
	page := guard.Finding{Kind: guard.Status, Source: "GET shop.example.test/list", Was: "text/csv", Is: "text/html", NoData: true}
	require.Equal(t, sandbox.ClassNetwork, rehearsal.FailureOf([]guard.Finding{page}).Class)
	require.Equal(t, sandbox.ClassLogic, rehearsal.FailureOf([]guard.Finding{page, {Kind: guard.Shape, Source: "input", Is: "gone"}}).Class)
}
