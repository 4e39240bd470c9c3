package payload

import (
	"slices"
	"strings"
	"unicode"
)

// Words splits a name as APIs write names: latestCharge, latest_charge, latest-charge.
func Words(name string) []string {
	var split []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			split = append(split, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])):
			flush()
		}
		word.WriteRune(r)
	}
	flush()
	return split
}

// Squeeze is a name without case and separators.
func Squeeze(name string) string { return strings.Join(Words(name), "") }

// Weak words say little about what a field holds.
var Weak = SetOf("at", "on", "id", "is", "has", "the", "of", "new", "url", "uri", "type", "date", "time", "count", "number", "no", "total", "value", "name", "key", "data", "info", "full", "display", "v2", "v3")

// Wrappers are names of objects that only hold other fields together.
var Wrappers = SetOf("attributes", "attribute", "data", "meta", "metadata", "details", "detail", "info", "information", "properties", "props", "fields", "node", "resource", "object",
	"item", "payload", "content", "contents", "settings", "summary", "result", "results", "response", "body", "record", "entity", "values", "current", "latest", "spec", "core", "embedded", "paging", "pagination", "page")

// synonyms that APIs use for the same thing. A word may be in several groups.
var synonyms = [][]string{
	{"created", "creation", "opened", "added", "inserted", "submitted", "published", "posted"},
	{"updated", "modified", "changed", "edited"},
	{"at", "on", "date", "time", "timestamp", "datetime", "when", "ts"},
	{"id", "uuid", "guid", "gid", "key", "identifier", "ref", "reference", "sid"},
	{"name", "title", "label", "summary", "subject", "caption"},
	{"url", "uri", "href", "link", "permalink"},
	{"mail", "email"},
	{"amount", "total", "sum", "price", "value", "cost"},
	{"quantity", "qty", "count", "number", "num", "amount"},
	{"description", "desc", "summary", "body", "text", "content", "message", "comment", "note"},
	{"user", "account", "owner", "author", "creator", "member", "person", "reporter", "sender", "login", "username", "handle"},
	{"customer", "client", "buyer", "purchaser"},
	{"status", "state", "phase"},
	{"type", "kind", "category", "class"},
	{"phone", "tel", "telephone", "mobile"},
	{"zip", "postal", "postcode", "zipcode"},
	{"address", "addr"},
	{"items", "data", "results", "records", "entries", "list", "rows", "values", "elements", "objects", "collection", "hits", "docs", "documents", "nodes", "edges", "resources"},
	{"number", "no", "num", "nr"},
	{"image", "picture", "photo", "avatar", "thumbnail"},
	{"tag", "label", "keyword"},
	{"country", "nation"},
	{"likes", "like", "favorite", "favourite", "star", "upvote"},
	{"magnitude", "mag"},
	{"latitude", "lat"},
	{"longitude", "lon", "lng", "long"},
	{"temperature", "temp"},
	{"currency", "ccy"},
	{"organization", "organisation", "org", "company", "team"},
	{"repository", "repo", "project"},
	{"shipping", "delivery", "shipment", "fulfillment"},
	{"product", "article", "sku"},
	{"order", "purchase"},
	{"error", "err", "failure"},
	{"previous", "prev", "last"},
	{"max", "maximum", "high"},
	{"min", "minimum", "low"},
	{"avg", "average", "mean"},
	{"percent", "pct", "percentage"},
}

// Opposites are pairs of words: a flag that is renamed to its opposite means the reverse.
var Opposites = [][2]string{
	{"enabled", "disabled"}, {"active", "inactive"}, {"active", "archived"}, {"visible", "hidden"}, {"public", "private"},
	{"open", "closed"}, {"published", "draft"}, {"valid", "invalid"}, {"paid", "unpaid"}, {"read", "unread"}, {"success", "error"},
	{"success", "failed"}, {"ok", "error"}, {"live", "test"}, {"online", "offline"}, {"allow", "deny"}, {"allowed", "blocked"}, {"included", "excluded"},
	{"available", "sold"}, {"available", "unavailable"}, {"in", "out"}, {"locked", "unlocked"}, {"complete", "pending"}, {"complete", "incomplete"}, {"done", "open"},
	{"done", "pending"}, {"start", "end"}, {"min", "max"}, {"from", "to"}, {"source", "target"}, {"buy", "sell"}, {"debit", "credit"}, {"income", "expense"},
	{"created", "updated"}, {"created", "deleted"}, {"open", "close"}, {"first", "last"}, {"before", "after"}, {"sender", "recipient"}, {"net", "gross"}, {"billing", "shipping"}, {"due", "paid"},
	{"refunded", "captured"}, {"billed", "paid"}, {"high", "low"}, {"ask", "bid"}, {"input", "output"}, {"author", "assignee"}, {"opened", "closed"}, {"received", "sent"}, {"next", "previous"}, {"next", "prev"},
	{"parent", "child"}, {"old", "new"}, {"width", "height"}, {"day", "month"}, {"lat", "lng"}, {"lat", "lon"}, {"latitude", "longitude"}, {"positive", "negative"}, {"resolved", "unresolved"},
}

// Common constants are the same in many fields: that two fields share them says little.
var Common = SetOf("open", "opened", "closed", "active", "inactive", "paid", "unpaid", "pending", "complete", "completed", "done", "success", "succeeded", "failure", "failed", "error", "ok", "new", "draft", "published",
	"enabled", "disabled", "none", "default", "high", "medium", "low", "normal", "true", "false", "yes", "no", "public", "private", "user", "admin", "unknown", "other", "cancelled", "canceled", "approved", "rejected",
	"running", "stopped", "queued", "started", "finished", "in_progress", "live", "test", "eur", "usd", "gbp", "en", "de", "visible", "hidden", "archived", "deleted", "created", "updated")

// Units of measure: a name that gains or changes one may hold another scale.
var Units = SetOf("tenths", "hundredths", "cents", "cent", "minor", "subunit", "subunits", "micros", "micro", "millis", "ms", "msec", "milliseconds", "millisecond", "sec", "secs", "s", "seconds", "second", "minutes", "minute", "mins", "min",
	"hours", "hour", "hrs", "h", "days", "day", "weeks", "months", "years", "ns", "us", "bytes", "byte", "kb", "mb", "gb", "kib", "mib", "bits", "percent", "pct", "percentage", "ratio", "fraction", "bps", "basis",
	"eur", "usd", "gbp", "euros", "dollars", "pence", "pennies", "major", "unit", "units", "km", "m", "meters", "metres", "miles", "feet", "ft", "cm", "mm", "inches", "kg", "g", "grams", "lb", "lbs", "pounds", "oz",
	"celsius", "fahrenheit", "kelvin", "c", "f", "k", "kmh", "mph", "kph", "knots", "degrees", "radians", "thousands", "millions", "unix", "epoch", "net", "gross", "decimal", "scaled", "raw", "wei", "satoshi", "sats", "btc")

// SetOf is a set of words.
func SetOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes") || strings.HasSuffix(word, "ches"):
		return strings.TrimSuffix(word, "es")
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && len(word) > 3:
		return strings.TrimSuffix(word, "s")
	}
	return word
}

func singulars(name []string) []string {
	made := make([]string, len(name))
	for i, word := range name {
		made[i] = singular(word)
	}
	return made
}

// SameWord is how far two words mean the same, 0 to 1.
func SameWord(a, b string) float64 {
	if a == b {
		return 1
	}
	x, y := singular(a), singular(b)
	if x == y {
		return 0.95
	}
	best := 0.0
	for _, group := range synonyms {
		if (slices.Contains(group, x) || slices.Contains(group, a)) && (slices.Contains(group, y) || slices.Contains(group, b)) {
			best = 0.8
		}
	}
	short, long := x, y
	if len(short) > len(long) {
		short, long = long, short
	}
	switch {
	case len(short) >= 3 && strings.HasPrefix(long, short):
		best = max(best, 0.75)
	case len(short) >= 5 && strings.HasSuffix(long, short):
		best = max(best, 0.7)
	}
	if len(short) >= 5 && EditDistance(x, y) <= 1 {
		best = max(best, 0.85)
	}
	return best
}

// short says that a name is another one with nothing but the first letter of its first word: pid is short for project_id.
func short(name, long []string) bool {
	return len(name) == 1 && len(long) > 1 && long[0][:1]+strings.Join(long[1:], "") == name[0]
}

// Likeness is how far two names mean the same, 0 to 1. Words that say little count little.
func Likeness(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if strings.Join(a, "") == strings.Join(b, "") {
		return 1
	}
	if short(a, b) || short(b, a) {
		return 0.8
	}
	a, b = Merge(a, b), Merge(b, a)
	weight := func(word string) float64 {
		if Weak[word] || strings.ContainsAny(word, "0123456789") {
			return 0.35
		}
		return 1
	}
	matched, total := 0.0, 0.0
	used := make([]bool, len(b))
	for _, x := range a {
		best, at := 0.0, -1
		for i, y := range b {
			if score := SameWord(x, y); !used[i] && score > best {
				best, at = score, i
			}
		}
		if at >= 0 && best >= 0.7 {
			used[at] = true
			w := max(weight(x), weight(b[at]))
			matched += 2 * w * best
			total += 2 * w
		} else {
			total += weight(x)
		}
	}
	for i, y := range b {
		if !used[i] {
			total += weight(y)
		}
	}
	score := matched / total
	x, y := strings.Join(a, ""), strings.Join(b, "")
	if long := max(len(x), len(y)); long >= 6 {
		if near := 1 - float64(EditDistance(x, y))/float64(long); near >= 0.8 {
			score = max(score, near)
		}
	}
	return score
}

// Merge joins neighbouring words that the other name writes as one: wind speed, windspeed.
func Merge(name, other []string) []string {
	for i := range name {
		for j := i + 2; j <= len(name); j++ {
			if joined := strings.Join(name[i:j], ""); slices.Contains(other, joined) {
				return slices.Concat(name[:i], []string{joined}, name[j:])
			}
		}
	}
	return name
}

// Opposed says that two names mean opposite things: enabled and disabled.
func Opposed(a, b []string) bool {
	a, b = singulars(a), singulars(b)
	for _, pair := range Opposites {
		for _, way := range [][2]string{pair, {pair[1], pair[0]}} {
			if slices.Contains(a, way[0]) && !slices.Contains(b, way[0]) && slices.Contains(b, way[1]) && !slices.Contains(a, way[1]) {
				return true
			}
		}
	}
	for _, prefix := range []string{"un", "in", "non", "dis", "de", "im"} {
		for _, x := range a {
			for _, y := range b {
				if x == prefix+y || y == prefix+x {
					return true
				}
			}
		}
	}
	negated := func(list []string) bool {
		// no_reply is a negation, flight_no is a number
		return slices.Contains(list, "not") || len(list) > 1 && list[0] == "no"
	}
	return negated(a) != negated(b)
}

// GainedUnit is a unit that stands in one name and not in the other, "" if there is none.
func GainedUnit(from, to []string) string {
	for _, pair := range [][2][]string{{to, from}, {from, to}} {
		for i, word := range pair[0] {
			if i > 0 && Units[word] && !slices.ContainsFunc(pair[1], func(other string) bool { return unitOf(other) == unitOf(word) }) {
				return word
			}
		}
	}
	return ""
}

// unitOf is the short name of a unit that is spelled in several ways, the word itself if it is not.
func unitOf(word string) string {
	switch word {
	case "milliseconds", "millisecond", "millis", "msec":
		return "ms"
	case "seconds", "second", "secs", "sec":
		return "s"
	case "minutes", "minute", "mins":
		return "min"
	case "hours", "hour", "hrs", "hr":
		return "h"
	case "cents":
		return "cent"
	}
	return word
}

// UnitScales are by how much a number may grow when what one name says in its unit is said in that of another: 100 from
// price to price_cents. A duration or a length whose name has no unit may be in any. None if the names do not tell.
func UnitScales(from, to []string) []float64 {
	was, is := unitIn(from), unitIn(to)
	if was.of == is.of {
		if was.count == is.count {
			return nil
		}
		return []float64{is.count / was.count}
	}
	var scales []float64
	for _, other := range unitsOf[was.of+is.of] { // of the one that has a unit, if the other has none
		switch {
		case was.of == "" && was.count == 1 && other != is.count:
			scales = append(scales, is.count/other)
		case is.of == "" && is.count == 1 && other != was.count:
			scales = append(scales, other/was.count)
		}
	}
	return scales
}

// unit is a part of what something is counted in, and how many of it make one: an amount of money without a unit is whole, a
// duration is counted in seconds.
type unit struct {
	of    string
	count float64
}

var (
	unitNames = map[string]unit{
		"cent": {"", 100}, "minor": {"", 100}, "hundredths": {"", 100}, "tenths": {"", 10},
		"ms": {"time", 1000}, "s": {"time", 1}, "min": {"time", 1.0 / 60}, "h": {"time", 1.0 / 3600},
		"mm": {"length", 1000}, "cm": {"length", 100}, "meters": {"length", 1}, "metres": {"length", 1}, "km": {"length", 0.001},
	}
	unitsOf = map[string][]float64{"time": {1000, 1, 1.0 / 60, 1.0 / 3600}, "length": {1000, 100, 1, 0.001}}
)

// longUnits are names that say nothing but in which unit it is counted; h may be a height.
var longUnits = SetOf("milliseconds", "millis", "seconds", "minutes", "hours", "cents", "tenths", "hundredths", "meters", "metres", "km")

// unitIn is the unit that a name says.
func unitIn(name []string) unit {
	for i, word := range name {
		if found, known := unitNames[unitOf(word)]; known && (i > 0 || longUnits[word]) {
			return found
		}
	}
	return unit{"", 1}
}

// EditDistance counts insertions, deletions, replacements and swaps of neighbours.
func EditDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
