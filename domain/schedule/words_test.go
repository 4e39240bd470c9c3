package schedule_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/schedule"
)

// People read when something runs in words. A rule that is too much for a phrase is said as it was written, rather than
// something wrong.
func TestWordsOfASchedule(t *testing.T) {
	t.Parallel()
	for spec, words := range map[string]string{
		"": "by hand only", "@daily": "every day at 00:00", "every 15m": "every 15 minutes", "@every 1h": "every hour", "*/5 * * * *": "every 5 minutes",
		"0 * * * *": "every hour, on the hour", "20 * * * *": "every hour at minute 20", "30 8 * * *": "every day at 08:30", "0 9 * * 1-5": "every weekday at 09:00",
		"0 9,17 * * MON,wed": "every Monday and Wednesday at 09:00 and 17:00", "15 6 1 * *": "on the 1st of every month at 06:15",
		"0 0 3 1,7 *": "on the 3rd in January and July at 00:00", "0 */6 * * *": "every 6 hours", "0 9-17 * * 1-5": "every hour from 09:00 to 17:00, every weekday",
		"*/10 9-17 * * *": "every 10 minutes from 09:00 to 17:59", "0 7 * * fri-mon": "from Friday to Monday at 07:00", "at 2026-03-01 08:00": "once, at 2026-03-01 08:00",
		"1 2 3 4": "by the rule “1 2 3 4”", "61 * * * *": "by the rule “61 * * * *”", "0 0 1 * 1": "by the rule “0 0 1 * 1”", "15 30 7 * * *": "by the rule “15 30 7 * * *”",
	} {
		require.Equal(t, words, schedule.Words(spec), spec)
	}
}
