package gate

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// templates tells calls of the same kind from others. A part that a script spells out in its own strings belongs to
// the kind; a part that comes from data is a variable, written *: web.getJSON GET api.test/repos/*/*/releases.
type templates struct {
	spelled string          // the strings of the script, one a line
	tokens  map[string]bool // the words in them
}

func newTemplates(scripts ...*script.Source) *templates {
	var b strings.Builder
	for _, s := range scripts {
		if s == nil {
			continue
		}
		for _, node := range s.Nodes {
			switch n := node.(type) {
			case *ast.StringLiteral:
				b.WriteString(n.Value.String())
			case *ast.TemplateElement:
				b.WriteString(n.Parsed.String())
			default:
				continue
			}
			b.WriteByte('\n')
		}
	}
	t := &templates{spelled: b.String(), tokens: map[string]bool{}}
	for _, token := range strings.FieldsFunc(t.spelled, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }) {
		t.tokens[token] = true
	}
	return t
}

// of is the template of a call.
func (t *templates) of(tool string, args json.RawMessage) string {
	list, _ := decode(args).([]any)
	var first string
	if len(list) > 0 {
		first, _ = list[0].(string)
	}
	if target, ok := webTarget(tool, list); ok {
		target = t.folded(target)
		return tool + " " + target.method + " " + target.host + "/" + strings.Join(target.segments, "/")
	}
	if declares(tool).Folds {
		return tool + " " + t.name(first)
	}
	return tool
}

// folded is a target with the variable parts of its path starred.
func (t *templates) folded(to target) target {
	segments := make([]string, len(to.segments))
	for i, segment := range to.segments {
		segments[i] = t.word(segment)
	}
	to.segments = segments
	return to
}

// name is a key or path with its variable parts starred.
func (t *templates) name(text string) string {
	var b strings.Builder
	for text != "" {
		i := strings.IndexAny(text, "/:.@#|")
		if i < 0 {
			i = len(text)
		}
		b.WriteString(t.word(text[:i]))
		if i < len(text) {
			b.WriteByte(text[i])
			i++
		}
		text = text[i:]
	}
	return b.String()
}

func (t *templates) word(text string) string {
	switch {
	case text == "", t.tokens[text]:
		return text
	case strings.Trim(text, "0123456789") != "" && strings.Contains(t.spelled, text): // a number in v17 is no 17
		return text
	}
	return "*"
}

// target is where a web call goes.
type target struct {
	method   string
	host     string // with a port, if it has one
	segments []string
}

// place is the method, host and first two path segments, the units of an envelope.
func (t target) place() string {
	return t.method + " " + t.host + "/" + strings.Join(t.segments[:min(2, len(t.segments))], "/")
}

// webTarget reads the arguments of a web call.
func webTarget(tool string, args []any) (target, bool) {
	request := declares(tool).Request
	if request == nil || len(args) == 0 {
		return target{}, false
	}
	text, _ := args[0].(string)
	t, ok := urlTarget(text)
	if !ok {
		return target{}, false
	}
	t.method = request.Method
	if len(args) > request.Options {
		if o, ok := args[request.Options].(map[string]any); ok {
			if method, ok := o["method"].(string); ok && method != "" {
				t.method = strings.ToUpper(method)
			}
		}
	}
	return t, true
}

func urlTarget(text string) (target, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return target{}, false
	}
	segments := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	return target{host: strings.ToLower(u.Host), segments: slices.DeleteFunc(segments, func(s string) bool { return s == "" })}, true
}

// declares is what a tool says of itself, for those whose own names hide the package.
func declares(name string) *hostcall.Tool { return hostcall.Of(name) }

// toolOf is the tool whose calls a template is of.
func toolOf(template string) string {
	name, _, _ := strings.Cut(template, " ")
	return name
}

func asksWeb(name string) bool { return hostcall.Of(name).Request != nil }
