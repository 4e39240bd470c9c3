package payload

import (
	"strings"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// contentLines are the lines of a calendar or a card: NAME;PARAMETER=VALUE:TEXT, between BEGIN and END, long ones folded.
type contentLines struct {
	newline string
	ends    bool
	width   int // in characters from which lines go on in the next one, 0 if none does
	names   []string
}

// contentLinesIn reads them as objects: a member for each name, which is a list if it stands there several times or is a
// component that does by its nature. A line with parameters is an object with its text.
func contentLinesIn(text string) (InText, bool) {
	d := &contentLines{newline: "\n", ends: strings.HasSuffix(text, "\n"), names: []string{TextOf}}
	if strings.Contains(text, "\r\n") {
		d.newline = "\r\n"
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(text, d.newline), d.newline) {
		if rest, folded := strings.CutPrefix(line, " "); folded && len(lines) > 0 {
			if d.width == 0 {
				d.width = utf8.RuneCountInString(lines[len(lines)-1])
			}
			lines[len(lines)-1] += rest
			continue
		}
		lines = append(lines, line)
	}
	root := orderedjson.New()
	open, names := []*orderedjson.Object{root}, []string{}
	for _, line := range lines {
		head, value, ok := strings.Cut(line, ":")
		if !ok || len(open) == 1 && (head != "BEGIN" || len(root.Keys) > 0) {
			return InText{}, false
		}
		here := open[len(open)-1]
		switch head {
		case "BEGIN":
			inner := orderedjson.New()
			d.put(here, value, inner)
			open, names = append(open, inner), append(names, value)
			continue
		case "END":
			if names[len(names)-1] != value {
				return InText{}, false
			}
			open, names = open[:len(open)-1], names[:len(names)-1]
			continue
		}
		parts := strings.Split(head, ";")
		if len(parts) == 1 {
			d.put(here, head, value)
			continue
		}
		made := orderedjson.New()
		for _, part := range parts[1:] {
			name, of, ok := strings.Cut(part, "=")
			if !ok || !made.Put("@"+name, of) {
				return InText{}, false
			}
			d.names = append(d.names, "@"+name)
		}
		made.Put(TextOf, value)
		d.put(here, parts[0], made)
	}
	in := InText{Value: root, Form: "content lines", calendar: d}
	again, ok := in.Write(root)
	return in, ok && again == text && len(open) == 1
}

func (d *contentLines) put(to *orderedjson.Object, name string, value any) {
	d.names = append(d.names, name)
	was, there := to.Fields[name]
	list, isList := was.([]any)
	switch {
	case there && !isList:
		to.Fields[name] = []any{was, value}
	case there:
		to.Fields[name] = append(list, value)
	case listed[name]:
		to.Put(name, []any{value})
	default:
		to.Put(name, value)
	}
}

func (d *contentLines) write(value any) (string, bool) {
	o, _ := value.(*orderedjson.Object)
	if o == nil {
		return "", false
	}
	lines, ok := d.lines(nil, o)
	text := strings.Join(lines, d.newline)
	if d.ends {
		text += d.newline
	}
	return text, ok
}

func (d *contentLines) lines(lines []string, o *orderedjson.Object) ([]string, bool) {
	for _, name := range o.Keys {
		list, isList := o.Fields[name].([]any)
		if !isList {
			list = []any{o.Fields[name]}
		}
		for _, one := range list {
			head, text := name, one
			inner, isObject := one.(*orderedjson.Object)
			if isObject {
				var ok bool
				if text, ok = inner.Fields[TextOf]; !ok {
					if lines, ok = d.lines(append(lines, "BEGIN:"+name), inner); !ok {
						return nil, false
					}
					lines = append(lines, "END:"+name)
					continue
				}
				for _, key := range inner.Keys {
					if parameter, is := strings.CutPrefix(key, "@"); is {
						of, _ := inner.Fields[key].(string)
						head += ";" + parameter + "=" + of
					}
				}
			}
			written, isText := text.(string)
			if !isText {
				return nil, false
			}
			line := []rune(head + ":" + written)
			for d.width > 1 && len(line) > d.width {
				lines, line = append(lines, string(line[:d.width])), append([]rune(" "), line[d.width:]...)
			}
			lines = append(lines, string(line))
		}
	}
	return lines, true
}
