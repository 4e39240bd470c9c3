package gate

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// place is where a run was given values: the input or a kind of call, and the path in it, items as [*].
type place struct {
	Source string
	Path   string // empty for an answer that is one value
}

func (p place) compare(other place) int {
	return cmp.Or(strings.Compare(p.Source, other.Source), strings.Compare(p.Path, other.Path))
}

// leaf is a value in what a run was given that is neither an object nor a list, and the name of the member that holds it.
type leaf struct {
	key   string
	value any
}

// eachLeaf visits the leaves of a value that are not null, with their paths.
func eachLeaf(value any, path, key string, visit func(path string, l leaf)) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			eachLeaf(member, path+memberPath(name), name, visit)
		}
	case []any:
		for _, item := range v {
			eachLeaf(item, path+"[*]", key, visit)
		}
	case nil:
	default:
		visit(path, leaf{key, value})
	}
}

// placesOf are the places at which a run was given values, with these.
func placesOf(o *observed) map[place][]leaf {
	found := map[place][]leaf{}
	for _, a := range o.answered() {
		eachLeaf(a.value, "", "", func(path string, l leaf) {
			text, isText := l.value.(string)
			_, isDocument := document(text)
			switch {
			case isText && text == "", isDocument:
			case isText && strings.HasSuffix(text, "\n") && !strings.Contains(strings.TrimSpace(text), "\n"): // a heading and no line
			case path == "" && (!isText || declares(toolOf(a.source)).About == hostcall.Key):
			default:
				at := place{a.source, path}
				found[at] = append(found[at], l)
			}
		})
	}
	return found
}

// elements counts those of the innermost list around a place.
func elements(o *observed, at place) int {
	list := ""
	if inner := strings.LastIndex(at.Path, "[*]"); inner >= 0 {
		list = at.Path[:inner+len("[*]")]
	}
	count := 0
	for _, a := range o.answered() {
		if a.source == at.Source {
			eachMember(a.value, "", func(path string) {
				if path == list {
					count++
				}
			})
		}
	}
	return count
}

// eachMember visits the paths of a value and of all members and items in it.
func eachMember(value any, path string, visit func(path string)) {
	visit(path)
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			eachMember(member, path+memberPath(key), visit)
		}
	case []any:
		for _, item := range v {
			eachMember(item, path+"[*]", visit)
		}
	}
}

var pathStep = lazyregexp.New(`\[\*\]|\.[^.\[]+|\["(?:[^"\\]|\\.)*"\]`)

// lastStep is the name of the innermost member of a path.
func lastStep(path string) string {
	for _, step := range slices.Backward(pathStep.FindAllString(path, -1)) {
		if name := strings.Trim(step, `.[]"*`); name != "" {
			return name
		}
	}
	return ""
}

var nameParts = lazyregexp.New(`[A-Z]?[a-z]+|[A-Z]+|[0-9]+`)

// identifier is what the last word of a name is that tells things apart.
var identifier = lazyregexp.New(`(?i)^(id|gid|uid|uuid|guid|identifier)$`)

// flatName is a name however it is cased: first_name and firstName are the same.
func flatName(name string) string {
	return strings.ToLower(strings.Join(nameParts.FindAllString(name, -1), ""))
}

// alike says that two names have much in common: one holds the other, they share a word
// that says something, or both are the thing's own id.
func alike(a, b string) bool {
	if identifier.MatchString(a) && identifier.MatchString(b) {
		return true
	}
	x, y := flatName(a), flatName(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) >= 3 && strings.Contains(y, x) {
		return true
	}
	words := map[string]bool{}
	for _, part := range nameParts.FindAllString(a, -1) {
		words[singular(part)] = true
	}
	for _, part := range nameParts.FindAllString(b, -1) {
		if word := singular(part); len(word) >= 4 && words[word] {
			return true
		}
	}
	return false
}

func singular(word string) string { return strings.TrimSuffix(strings.ToLower(word), "s") }

// callsOf begins the sink that counts calls.
const callsOf = "calls of "

// sinks are the values that came out of a run, by where.
func (t *templates) sinks(words map[string]int, outcome *replayed) map[string][]string {
	found := map[string][]string{}
	add := func(at string, value any) {
		text, err := marshal(value)
		if err == nil {
			found[at] = append(found[at], string(text))
		}
	}
	var visit func(at string, value any)
	visit = func(at string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if words[key] == 0 {
					add(at+" keys", key)
				}
				visit(at+step(words, key), v[key])
			}
		case []any:
			for _, item := range v {
				visit(at+"[*]", item)
			}
		default:
			add(at, value)
		}
	}
	if outcome.Error != nil {
		add("end", outcome.Error.Message)
	} else {
		visit("output", decode(outcome.Output))
	}
	for _, call := range outcome.Calls {
		name := t.of(call.Tool, call.Args)
		args, _ := decode(call.Args).([]any)
		if call.Effect != sandbox.Write {
			add(callsOf+name, args)
			continue
		}
		add(callsOf+name, nil)
		for i, arg := range args {
			visit(name+" args["+strconv.Itoa(i)+"]", arg)
		}
	}
	return found
}

// step is a key in a path. Without words, every key is spelled out.
func step(words map[string]int, key string) string {
	if words != nil && words[key] == 0 {
		return ".*"
	}
	return memberPath(key)
}
