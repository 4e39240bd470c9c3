package guard

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/ordered"
	"github.com/kintsugi-run/kintsugi/internal/payload"
)

// What bounds the cost of looking at a large answer.
const (
	maxPlaces   = 1500 // of one source; further ones are not looked at
	maxElements = 500  // of one list
	maxSampled  = 60   // values of one place whose text or number is looked at
	maxWords    = 40   // different texts of one place; with more they are no constants
)

// Place is what stood at one place of payloads. Lists share one place for all elements ([]), and a text that is
// JSON has its document below it ({}).
type Place struct {
	Path    []string       `json:"path"`
	Kinds   map[string]int `json:"kinds"` // null among them
	Runs    int            `json:"runs"`  // that had it
	Numbers []float64      `json:"numbers,omitempty"`
	Formats map[string]int `json:"formats,omitempty"`
	Words   map[string]int `json:"words,omitempty"`
	Open    bool           `json:"open,omitempty"` // there are too many texts to be constants
	Filled  int            `json:"filled,omitempty"`

	last string // the run that was counted last
}

func (p *Place) seen() int {
	sum := 0
	for _, n := range p.Kinds {
		sum += n
	}
	return sum
}

// Values is what stood at the places of payloads that are alike.
type Values struct {
	Places map[string]*Place `json:"places"`
}

func newValues() *Values { return &Values{Places: map[string]*Place{}} }

// The steps of a path that are no members.
const (
	element  = "[]"
	document = "{}"
)

func keyOf(path []string) string { return strings.Join(path, "\x00") }

func (v *Values) at(path []string) *Place { return v.Places[keyOf(path)] }

// objects is how many objects stood at a path.
func (v *Values) objects(path []string) int {
	if p := v.at(path); p != nil {
		return p.Kinds["object"]
	}
	return 0
}

func (v *Values) add(run string, value any, path []string) {
	key := keyOf(path)
	p := v.Places[key]
	if p == nil {
		if len(v.Places) >= maxPlaces {
			return
		}
		p = &Place{Path: slices.Clone(path), Kinds: map[string]int{}}
		v.Places[key] = p
	}
	p.Kinds[payload.KindOf(value)]++
	if p.last != run {
		p.last = run
		p.Runs++
	}
	switch value := value.(type) {
	case *ordered.Object:
		for _, member := range value.Keys {
			v.add(run, value.Fields[member], append(slices.Clip(path), member))
		}
	case []any:
		if len(value) > 0 {
			p.Filled++
		}
		for _, one := range value[:min(len(value), maxElements)] {
			v.add(run, one, append(slices.Clip(path), element))
		}
	case float64:
		if len(p.Numbers) < maxSampled {
			p.Numbers = append(p.Numbers, value)
		}
	case string:
		p.addText(value)
		if inside, ok := documentIn(value); ok {
			v.add(run, inside, append(slices.Clip(path), document))
		}
	}
}

func (p *Place) addText(text string) {
	sampled := 0
	for _, n := range p.Formats {
		sampled += n
	}
	if text == "" || sampled >= maxSampled {
		if _, known := p.Words[text]; !known {
			p.Open = p.Open || text != ""
		}
		return
	}
	if p.Formats == nil {
		p.Formats, p.Words = map[string]int{}, map[string]int{}
	}
	p.Formats[payload.FormatOf(text)]++
	if p.Open {
		return
	}
	if p.Words[text]++; len(p.Words) > maxWords || len(text) > 60 {
		p.Words, p.Open = nil, true
	}
}

// documentIn reads a text that is a JSON object or list.
func documentIn(text string) (any, bool) {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") || !json.Valid([]byte(trimmed)) {
		return nil, false
	}
	value, err := ordered.Decode(json.RawMessage(trimmed))
	return value, err == nil
}

// show is a path as people read it.
func show(path []string) string {
	var b strings.Builder
	for _, step := range path {
		switch {
		case step == element:
			b.WriteString("[]")
		case step == document:
			b.WriteString(" as JSON:")
		case b.Len() > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}

// kinds are the kinds of a place in words, null left out.
func (p *Place) kinds() []string {
	var kinds []string
	for kind := range p.Kinds {
		if kind != "null" {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

func (p *Place) words() string {
	kinds := p.kinds()
	if len(kinds) == 0 {
		return "null"
	}
	return "always " + strings.Join(kinds, " or ")
}

// format is the one format of all texts that were seen, "" if there are several.
func (p *Place) format() string {
	if len(p.Formats) != 1 {
		return ""
	}
	for format := range p.Formats {
		return format
	}
	return ""
}

// middle is the median of the sizes of the numbers.
func (p *Place) middle() float64 {
	sizes := make([]float64, len(p.Numbers))
	for i, n := range p.Numbers {
		sizes[i] = math.Abs(n)
	}
	slices.Sort(sizes)
	if len(sizes) == 0 {
		return 0
	}
	return sizes[len(sizes)/2]
}

// edit changes what stands at a path, everywhere; change says whether it stays.
func edit(value any, path []string, change func(any) (any, bool)) (any, bool) {
	if len(path) == 0 {
		return change(value)
	}
	switch step := path[0]; v := value.(type) {
	case *ordered.Object:
		if member, there := v.Fields[step]; there {
			made, stays := edit(member, path[1:], change)
			if !stays {
				v.Remove(step)
				return v, true
			}
			v.Fields[step] = made
		}
	case []any:
		if step == element {
			for i, one := range v {
				v[i], _ = edit(one, path[1:], change)
			}
		}
	case string:
		if inside, ok := documentIn(v); ok && step == document {
			inside, _ = edit(inside, path[1:], change)
			if text, err := ordered.Encode(inside); err == nil {
				return string(text), true
			}
		}
	}
	return value, true
}

// collect lists what stands at a path.
func collect(value any, path []string) []any {
	var found []any
	edit(value, path, func(one any) (any, bool) {
		found = append(found, one)
		return one, true
	})
	return found
}
