package script

import (
	"encoding/json"
	"regexp"
	"strings"
)

// PlainKey matches keys that need no quotes.
var PlainKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// QuoteKey is a key as it stands in an object literal or pattern.
func QuoteKey(key string) string {
	if PlainKey.MatchString(key) {
		return key
	}
	return Quote(key)
}

// Quote writes a text as a literal.
func Quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return "''"
	}
	inner := strings.ReplaceAll(string(quoted[1:len(quoted)-1]), `\"`, `"`)
	return "'" + strings.ReplaceAll(inner, "'", `\'`) + "'"
}

// Chain is a way down from an expression: .a?.b?.[0], safe where a step is missing.
func Chain(path ...string) string {
	var text strings.Builder
	for i, part := range path {
		step := "." + part
		switch {
		case part == "[0]":
			step = "[0]"
		case !PlainKey.MatchString(part):
			step = "[" + Quote(part) + "]"
		}
		if i > 0 {
			if strings.HasPrefix(step, "[") {
				step = "?." + step
			} else {
				step = "?" + step
			}
		}
		text.WriteString(step)
	}
	return text.String()
}

// SafeChain is a chain whose first step is safe too.
func SafeChain(path ...string) string {
	text := Chain(path...)
	if text == "" {
		return ""
	}
	if strings.HasPrefix(text, "[") {
		return "?." + text
	}
	return "?" + text
}

// Reserved are the words that cannot name a variable.
var Reserved = map[string]bool{}

func init() {
	for _, word := range strings.Fields(`
		default class function return new delete in of for if else switch case do while var let const this
		null true false typeof void with yield await async enum export import package private public static
		super try catch throw break continue extends finally instanceof interface implements protected
		arguments eval debugger`) {
		Reserved[word] = true
	}
}
