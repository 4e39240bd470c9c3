package transpile

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"
)

// built is what esbuild made of a text.
type built struct {
	code string
	maps string
}

// options are what is asked of esbuild always. Nothing of it depends on the machine.
func options(loader api.Loader) api.TransformOptions {
	return api.TransformOptions{
		Loader: loader, Target: api.ESNext, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone, TreeShaking: api.TreeShakingFalse,
		TsconfigRaw: `{"compilerOptions":{"useDefineForClassFields":true,"experimentalDecorators":true}}`,
		LogLimit:    1,
		Supported:   map[string]bool{"top-level-await": false},
	}
}

// build has esbuild print a text; readable with a source map, or without any blanks.
func build(t text, loader api.Loader, readable bool) (built, error) {
	o := options(loader)
	o.MinifyWhitespace = !readable
	if readable {
		o.Sourcemap, o.SourcesContent = api.SourceMapExternal, api.SourcesContentExclude
	}
	return transform(t, o)
}

// lower has esbuild write what the engine does not have in terms of what it has.
func lower(t text) (built, error) {
	o := options(api.LoaderJS)
	o.Sourcemap, o.SourcesContent = api.SourceMapExternal, api.SourcesContentExclude
	features := []string{"for-await", "async-generator"}
	if privateIn.MatchString(t.s) { // with all that is private: part of it alone esbuild writes so that it is no JavaScript
		features = append(features, "class-private-brand-check", "class-private-field", "class-private-method", "class-private-accessor",
			"class-private-static-field", "class-private-static-method", "class-private-static-accessor", "class-static-field")
	}
	for _, feature := range features {
		o.Supported[feature] = false
	}
	return transform(t, o)
}

func transform(t text, o api.TransformOptions) (built, error) {
	result := api.Transform(t.s, o)
	if len(result.Errors) > 0 {
		return built{}, failure(t, result.Errors[0])
	}
	return built{code: string(result.Code), maps: string(result.Map)}, nil
}

// failure is an error of esbuild at its place in the script.
func failure(t text, message api.Message) *Error {
	failed := &Error{Message: message.Text, Offset: -1}
	if strings.HasPrefix(message.Text, "panic:") { // what it says is for those who know the compiler
		failed.Message = "the compiler cannot read this script: write this part in a simpler way"
	}
	if at := message.Location; at != nil {
		failed.Offset = t.source(offsetOf(t.s, at.Line, at.Column))
	}
	return failed
}

// offsetOf is the place of a line, from 1, and a byte column, from 0.
func offsetOf(s string, line, column int) int {
	at := 0
	for n := 1; n < line; n++ {
		next := nextLine(s, at)
		if next < 0 {
			return len(s)
		}
		at = next
	}
	return min(at+column, len(s))
}

// nextLine is where the next line begins, as JavaScript has it; -1 if there is none.
func nextLine(s string, at int) int {
	for i, c := range s[at:] {
		switch c {
		case '\r':
			if strings.HasPrefix(s[at+i+1:], "\n") {
				return at + i + 2
			}
			return at + i + 1
		case '\n':
			return at + i + 1
		case '\u2028', '\u2029':
			return at + i + 3
		}
	}
	return -1
}

// places says of offsets in the code which offsets in the text they come from.
func (b built) places(s string) map[int]int {
	places := map[int]int{}
	for _, m := range b.mappings(s) {
		places[m.made] = m.source
	}
	return places
}

// mapping is a place in the code and where it comes from.
type mapping struct{ made, source int }

// mappings are all of the source map, in order of the code. Lines of esbuild's output end with \n only.
func (b built) mappings(s string) []mapping {
	var m struct{ Mappings string }
	if json.Unmarshal([]byte(b.maps), &m) != nil {
		return nil
	}
	var (
		list                               []mapping
		sourceLines                        = lines(s)
		line, column, source, fromLine, at int
	)
	for row := range strings.SplitSeq(m.Mappings, ";") {
		column = 0
		units, offset := 0, line // the place in this line that was counted to
		for part := range strings.SplitSeq(row, ",") {
			values := variableLength(part)
			if len(values) < 4 {
				continue
			}
			column += values[0]
			source += values[1]
			fromLine += values[2]
			at += values[3]
			units, offset = advance(b.code, units, offset, column)
			if fromLine < len(sourceLines) {
				_, place := advance(s, 0, sourceLines[fromLine], at)
				list = append(list, mapping{offset, place})
			}
		}
		next := strings.IndexByte(b.code[line:], '\n')
		if next < 0 {
			break
		}
		line += next + 1
	}
	return list
}

// advance goes on from a place that is so many UTF-16 units into its line to the one that is at a column.
func advance(s string, units, offset, column int) (int, int) {
	for units < column && offset < len(s) {
		c, size := utf8.DecodeRuneInString(s[offset:])
		units++
		if c > 0xFFFF {
			units++
		}
		offset += size
	}
	return units, offset
}

// lines are the offsets where lines begin.
func lines(s string) []int {
	list := []int{0}
	for at := nextLine(s, 0); at >= 0; at = nextLine(s, at) {
		list = append(list, at)
	}
	return list
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// variableLength are the numbers of one mapping.
func variableLength(part string) []int {
	var values []int
	value, shift := 0, 0
	for i := range len(part) {
		digit := strings.IndexByte(base64Digits, part[i])
		value |= digit & 31 << shift
		if digit&32 != 0 {
			shift += 5
			continue
		}
		if value&1 != 0 {
			values = append(values, -(value >> 1))
		} else {
			values = append(values, value>>1)
		}
		value, shift = 0, 0
	}
	return values
}

// Error says what of a script is not understood. Offset is in bytes, negative if it has no place. Known is what is
// understood, and not supported: no parser knows better.
type Error struct {
	Offset  int
	Message string
	Known   bool
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Message) }
