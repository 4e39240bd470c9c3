package payload

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLikeness: names that APIs use for the same thing are alike, others are not.
func TestLikeness(t *testing.T) {
	t.Parallel()
	for _, pair := range []struct {
		a, b string
		low  float64
		high float64
	}{
		{"fullName", "full_name", 1, 1},
		{"URLPath", "url_path", 1, 1},
		{"magnitudeType", "magType", 0.75, 0.99},
		{"text", "rich_text", 0.6, 0.9},
		{"windspeed", "wind_speed_10m", 0.8, 0.99},
		{"subject", "title", 0.7, 0.9},
		{"assignee", "assignees", 0.9, 1},
		{"favorite_count", "like_count", 0.7, 1},
		{"status", "state", 0.7, 1},
		{"pid", "project_id", 0.8, 0.8},
		{"uid", "owner_id", 0, 0.4},
		{"name", "full_name", 0.6, 0.9},
		{"billing", "collection_method", 0, 0.2},
		{"created_at", "updated_at", 0, 0.4},
		{"id", "created_at", 0, 0.2},
		{"email", "region", 0, 0.2},
	} {
		got := Likeness(Words(pair.a), Words(pair.b))
		require.GreaterOrEqual(t, got, pair.low, "%s %s", pair.a, pair.b)
		require.LessOrEqual(t, got, pair.high, "%s %s", pair.a, pair.b)
		require.InDelta(t, got, Likeness(Words(pair.b), Words(pair.a)), 1e-9, "%s %s: the same both ways", pair.a, pair.b)
	}
}

// TestNamesThatTurnTheMeaning: opposites and units are seen in the names.
func TestNamesThatTurnTheMeaning(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]bool{
		{"enabled", "disabled"}: true, {"is_active", "isInactive"}: true, {"starts_at", "ends_at"}: true, {"verified", "unverified"}: true,
		{"read", "not_read"}: true, {"reply", "no_reply"}: true, {"flight_no", "flightNumber"}: false, {"fullName", "full_name"}: false, {"created", "created_at"}: false,
	} {
		require.Equal(t, want, Opposed(Words(pair[0]), Words(pair[1])), "%v", pair)
	}
	for pair, want := range map[[2]string]string{
		{"duration", "duration_ms"}: "ms", {"amount_cents", "amount"}: "cents", {"total", "total_amount"}: "", {"size", "size_kb"}: "kb", {"minutes", "mins"}: "", {"delay_min", "delayMinutes"}: "", {"delay_min", "delaySeconds"}: "seconds",
	} {
		require.Equal(t, want, GainedUnit(Words(pair[0]), Words(pair[1])), "%v", pair)
	}
	for pair, want := range map[[2]string][]float64{
		{"price", "price_cents"}: {100}, {"amount_cents", "amount"}: {0.01}, {"delay_seconds", "delay_ms"}: {1000}, {"total", "total_amount"}: nil, {"size", "size_kb"}: nil, {"cents", "amount"}: {0.01},
		{"duration", "duration_ms"}: {1000, 60000, 3600000}, {"delay", "delaySeconds"}: {0.001, 60, 3600}, {"wait_min", "wait"}: {60000, 60, 1.0 / 60},
		{"degrees", "degrees_tenths"}: {10}, {"distance", "distance_km"}: {0.000001, 0.00001, 0.001}, {"amount_cents", "wait_ms"}: nil,
	} {
		require.InDeltaSlice(t, want, UnitScales(Words(pair[0]), Words(pair[1])), 1e-6, "%v", pair)
	}
}

// TestEditDistance counts a swap of neighbours as one edit.
func TestEditDistance(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]int{{"", ""}: 0, {"totals", "totls"}: 1, {"form", "from"}: 1, {"é", "e"}: 1, {"abc", "ca"}: 3} {
		require.Equal(t, want, EditDistance(pair[0], pair[1]), "%v", pair)
	}
}

// TestFormats: texts are told apart by what they are.
func TestFormats(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-01": FormatDate, "2026-03-01T10:00:00Z": FormatDateTime, "Sun, 01 Mar 2026 10:00:00 GMT": FormatHTTPDate, "12": FormatInteger, "-1.50": FormatDecimal, "1,200.00": FormatDecimal,
		"0f8fad5b-d9cb-469f-a165-70867728950e": FormatUUID, "a@example.test": FormatEmail, "https://example.test/a": FormatURL, "0123456789abcdef0123": FormatHash,
		"ch_1A2b": FormatID, "sub_1QaAda": FormatID, "send_invoice": FormatWord, "open": FormatWord, "Two words": FormatText, `{"a":1}`: FormatJSON, `{"to":"ann@example.test","n":1}`: FormatJSON,
	} {
		require.Equal(t, want, FormatOf(text), text)
	}
}

// TestCompareOfOneValue: names that all differed are not what is the same everywhere.
func TestCompareOfOneValue(t *testing.T) {
	t.Parallel()
	names := ProfileOf([]any{"Ada Byron", "Ben Okafor", "Dora Lind", "Gus Hale", "Ada Byron"})
	require.NotEmpty(t, Compare(names, ProfileOf([]any{"beta", "beta", "beta"}), "tier").Doubts)
	require.Empty(t, Compare(names, ProfileOf([]any{"Eve Moss", "Ida Berg", "Eve Moss"}), "tier").Doubts)
}

// Members that a template reads are spelled out like those outside of it.
func TestSpelledInTemplates(t *testing.T) {
	t.Parallel()
	words := Spelled("const text = `#${issue.number} (${issue.labels.map((l) => `<${l.name}>`).join('; ')})` + by[who['login']];")
	for _, word := range []string{"number", "labels", "name", "login"} {
		require.True(t, words[word], word)
	}
}

// Names in patterns are spelled out whatever the pattern defaults to or holds, and names of a block are not.
func TestSpelledInPatterns(t *testing.T) {
	t.Parallel()
	words := Spelled(`
	class Sheet {
	  add({ pid, start, tags = [], by: { name, at = () => ({}) }, of = one(2), last }) { let inner = pid; this.row[inner] = start; }
	}
	const { 'due-date': due, ...rest } = task;`)
	for _, word := range []string{"pid", "start", "tags", "by", "name", "at", "last", "due-date", "due", "rest"} {
		require.True(t, words[word], word)
	}
	require.False(t, words["inner"])
}
