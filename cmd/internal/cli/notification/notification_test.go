package notification

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/projections"
)

// A notice that needs a person stands above one that only tells, however new that is.
func TestNoticesForAPersonComeFirst(t *testing.T) {
	t.Parallel()
	const (
		one   = "019aac10-0001-7000-8000-00000badcafe"
		two   = "019aac10-0001-7000-8000-10000badf00d"
		three = "019aac10-0001-7000-8000-20000badf00d"
	)
	list := []projections.Notification{
		{ID: one, Type: projections.NotifyScriptMessage, Title: "Good morning"},
		{ID: two, Type: projections.NotifyFixed, Title: "Fixed"},
		{ID: three, Type: projections.NotifyEscalated, Title: "Handed to you", Text: strings.Repeat("word ", 60)},
		{ID: "old", Type: projections.NotifyEscalated, Title: "Seen", Acknowledged: time.Now()},
	}
	var out bytes.Buffer
	writeNotifications(terminal.Screen{Writer: &out, Width: 60}, list, make([]app.Decision, len(list)))
	require.Regexp(t, `(?s)^Needs you\n20000badf00d .*Handed to you\n.*\nMessages\n0badcafe .*10000badf00d .*Seen\n$`, out.String())
	for shown := range strings.Lines(out.String()) {
		require.LessOrEqual(t, len(shown), 61)
	}
}
