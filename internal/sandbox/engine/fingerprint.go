package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// fingerprintVersion is part of every fingerprint, so that a change of the rules never
// makes two different errors the same.
const fingerprintVersion = "v1"

// Fingerprint sets Strict and Loose of an error that a run of code ended with.
//
// Strict is over class, name, tool, code, status, the message with its variable parts
// replaced, and the innermost five frames; a frame counts as its function and the text of
// the smallest statement around it, without its literals. So it stays when lines move and
// changes when the statement is edited. Loose is over class, name, tool and message: the
// same kind of error anywhere. Both limits of time count as one, and so does memory whoever notices it.
func Fingerprint(code string, e *sandbox.Error) {
	message, kind := parameterise(e.Message), e.Code
	switch e.Code {
	case sandbox.LimitWall, sandbox.LimitCPU:
		// A script that does not end meets one or the other first: that is the machine's load.
		message, kind = "the script does not end in time", "limit.time"
	case sandbox.LimitMemory:
		// The run notices it, or the runtime, or the kernel that ends the worker: each has other words.
		message = "the script takes too much memory"
	}
	strict := []string{
		fingerprintVersion, "strict", e.Class, e.Name, e.Tool, kind, strconv.Itoa(e.Status), message,
	}
	switch e.Code {
	case sandbox.LimitWall, sandbox.LimitCPU, sandbox.LimitMemory:
		// Where such a limit stops a script is chance.
	default:
		strict = append(strict, statements(code, e.Frames)...)
	}
	e.Strict = digest(strict)
	e.Loose = digest([]string{fingerprintVersion, "loose", e.Class, e.Name, e.Tool, message})
}

func digest(parts []string) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// variable are the parts of a message that differ from one occurrence to the next. The
// first alternative keeps quoted names: which property is missing matters.
var variable = lazyregexp.New(`(?i)` + strings.Join([]string{
	`(?P<keep>'[^'\n]{0,100}')`,
	`(?P<url>[a-z][a-z0-9+.-]*://[^\s"'<>)]*[^\s"'<>).,:;])`,
	`(?P<email>[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,})`,
	`(?P<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)`,
	`(?P<date>\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b)`,
	`(?P<ip>\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b)`,
	`(?P<nothing>\b(?:undefined or null|null or undefined|undefined|null)\b)`,
	`(?P<duration>\b\d+(?:\.\d+)?(?:ns|µs|us|ms|s|m|h)\b)`,
	`(?P<hex>\b(?:0x[0-9a-f]+|[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]{6,}|[0-9a-f]*[a-f][0-9a-f]*\d[0-9a-f]{6,})\b)`,
	`(?P<float>-?\b\d+\.\d+(?:e[+-]?\d+)?\b)`,
	`(?P<int>-?\b\d+\b)`,
}, "|"))

var variableNames = sync.OnceValue(func() []string { return variable.Regexp().SubexpNames() })

// parameterise replaces what differs between two occurrences of the same error.
func parameterise(message string) string {
	var b strings.Builder
	at, names := 0, variableNames()
	for _, m := range variable.FindAllStringSubmatchIndex(message, -1) {
		b.WriteString(message[at:m[0]])
		for group := 1; group < len(names); group++ {
			if m[2*group] < 0 {
				continue
			}
			if name := names[group]; name == "keep" {
				b.WriteString(message[m[0]:m[1]])
			} else {
				b.WriteString("<" + name + ">")
			}
			break
		}
		at = m[1]
	}
	b.WriteString(message[at:])
	return b.String()
}

// statements describes the innermost frames; equal neighbours, as recursion makes them,
// count once.
func statements(code string, frames []sandbox.Frame) []string {
	const count = 5
	if len(frames) == 0 {
		return nil
	}
	s, err := load(code)
	if err != nil {
		return nil
	}
	var list []string
	for _, frame := range frames {
		text := frame.Function + "\x00" + s.statement(offset(code, frame.Line, frame.Column))
		if len(list) > 0 && list[len(list)-1] == text {
			continue
		}
		if list = append(list, text); len(list) == count {
			break
		}
	}
	return list
}

// span is a part of the code, with what stands for it.
type span struct {
	from, to int
	as       string
}

// statement is the text of the smallest statement around a place, on one line: literals
// are replaced, comments and the bodies of blocks and functions inside it left out.
func (s *script) statement(at int) string {
	if known, ok := s.statements.Load(at); ok {
		return known.(string) //nolint:forcetypeassert // nothing else is kept
	}
	text := s.findStatement(at)
	s.statements.Store(at, text)
	return text
}

func (s *script) findStatement(at int) string {
	from, to := 0, len(s.code)
	var drop []span
	walk(s.tree, func(node ast.Node, _ int) bool {
		start, end, ok := s.bounds(node)
		if !ok {
			return true
		}
		switch node := node.(type) {
		case ast.Statement:
			drop = append(drop, span{start, end, "{}"})
			if start <= at && at <= end && end-start <= to-from {
				from, to = start, end
			}
		case *ast.StringLiteral:
			drop = append(drop, span{start, end, `""`})
		case *ast.NumberLiteral:
			drop = append(drop, span{start, end, "0"})
		case *ast.TemplateElement:
			drop = append(drop, span{start, end, ""})
		case *ast.RegExpLiteral:
			drop = append(drop, span{start, end, "/" + node.Pattern + "/"})
		}
		return true
	})
	// The statements inside the one found are left, and its literals.
	drop = slices.DeleteFunc(drop, func(d span) bool {
		return d.from < from || d.to > to || d.from == from && d.to == to && d.as == "{}"
	})
	slices.SortFunc(drop, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	return squeeze(s.code, from, to, drop)
}

// bounds are the 0-based offsets of a node; the tree counts from 1.
func (s *script) bounds(node ast.Node) (from, to int, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false // some nodes cannot say where they end: an empty program, an empty case
		}
	}()
	from, to = int(node.Idx0())-1, min(int(node.Idx1())-1, len(s.code))
	return from, to, from >= 0 && from < to
}

// squeeze is code[from:to] with spans replaced, comments dropped, and white space only
// where it separates words.
func squeeze(code string, from, to int, drop []span) string {
	var b strings.Builder
	gap := false
	emit := func(text string) {
		if text == "" {
			return
		}
		if gap && b.Len() > 0 && isWord(b.String()[b.Len()-1]) && isWord(text[0]) {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteString(text)
	}
	for i := from; i < to; {
		for len(drop) > 0 && drop[0].from < i {
			drop = drop[1:] // inside one that was dropped already
		}
		switch rest := code[i:to]; {
		case len(drop) > 0 && drop[0].from == i:
			emit(drop[0].as)
			i = drop[0].to
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			i += end
			gap = true
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				end = len(rest) - 2
			}
			i += end + 2
			gap = true
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r':
			gap = true
			i++
		default:
			emit(rest[:1])
			i++
		}
	}
	return strings.TrimRight(b.String(), ";")
}

func isWord(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}
