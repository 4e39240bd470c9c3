package engine

import (
	"unicode/utf8"

	"github.com/dop251/goja"
)

// TextOf is a value that is a string already; nothing is converted.
func TextOf(value goja.Value) (string, bool) {
	if value == nil || !goja.IsString(value) {
		return "", false
	}
	return value.String(), true
}

func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

func SetOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
