package inputschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/script/transpile"
)

// How far types are followed into each other, and how many are read: what is beyond takes anything.
const (
	deepest = 12
	most    = 4000
)

var name = lazyregexp.New(`^[A-Za-z_$][\w$]*$`)

func isName(text string) bool { return name.MatchString(text) }

// reader goes through the tokens of a script.
type reader struct {
	code  string
	list  []transpile.Token
	at    int
	depth int
	read  int            // types
	types map[string]int // where a type's declaration stands: the token of its name
}

func newReader(code string) *reader {
	r := &reader{code: code, list: transpile.Tokens(code), types: map[string]int{}}
	for i, t := range r.list {
		if t.Depth == 0 && (t.Text == "interface" || t.Text == "type") && i+1 < len(r.list) && isName(r.list[i+1].Text) {
			if _, twice := r.types[r.list[i+1].Text]; twice {
				r.types[r.list[i+1].Text] = -1 // interfaces that are merged, or names that are no types
				continue
			}
			r.types[r.list[i+1].Text] = i + 1
		}
	}
	return r
}

// peek is the text of a token from here on, empty behind the end.
func (r *reader) peek(ahead int) string {
	if i := r.at + ahead; i >= 0 && i < len(r.list) {
		return r.list[i].Text
	}
	return ""
}

func (r *reader) takes(text string) bool {
	if r.peek(0) != text || r.at >= len(r.list) {
		return false
	}
	r.at++
	return true
}

// skip goes to the next of some tokens that is in no bracket that opens on the way. Those < and > are brackets.
func (r *reader) skip(stops ...string) {
	angles := 0
	for start := r.at; r.at < len(r.list); r.at++ {
		t := r.list[r.at]
		switch {
		case angles == 0 && t.Depth <= r.list[start].Depth && slices.Contains(stops, t.Text):
			return
		case t.Depth < r.list[start].Depth:
			return
		case t.Text == "<":
			angles++
		case t.Text == ">" && angles > 0:
			angles--
		}
	}
}

// kind reads a type. A type that it does not know takes anything, and it stops there: the caller looks whether
// the type ends where it stands.
func (r *reader) kind() *Schema {
	r.depth++
	r.read++
	defer func() { r.depth-- }()
	if r.depth > deepest || r.read > most {
		return &Schema{}
	}
	r.takes("|")
	options := []*Schema{r.both()}
	for r.takes("|") {
		options = append(options, r.both())
	}
	return oneOf(options)
}

// oneOf makes of alternatives the simplest schema: literals are an enum, and undefined is that
// nothing stands there.
func oneOf(options []*Schema) *Schema {
	options = slices.DeleteFunc(options, func(one *Schema) bool { return one.Type == "undefined" })
	if len(options) == 1 {
		return options[0]
	}
	var values []any
	for _, one := range options {
		switch {
		case one.Anything():
			return &Schema{}
		case len(one.Enum) > 0:
			values = append(values, one.Enum...)
		case one.Type == "null":
			values = append(values, nil)
		default:
			return &Schema{AnyOf: options}
		}
	}
	return &Schema{Enum: values}
}

// both reads A & B.
func (r *reader) both() *Schema {
	made := r.listed()
	for r.takes("&") {
		made = merged(made, r.listed())
	}
	return made
}

func merged(one, other *Schema) *Schema {
	if one.Type != "object" || other.Type != "object" {
		return &Schema{}
	}
	made := &Schema{Type: "object", Required: slices.Concat(one.Required, other.Required), Properties: slices.Clone(one.Properties)}
	for _, property := range other.Properties {
		if made.property(property.Name) != nil {
			return &Schema{}
		}
		made.Properties = append(made.Properties, property)
	}
	return made
}

// listed reads A[].
func (r *reader) listed() *Schema {
	made := r.single()
	for r.peek(0) == "[" && r.peek(1) == "]" && !r.list[r.at].Line {
		r.at += 2
		made = &Schema{Type: "array", Items: made}
	}
	return made
}

func (r *reader) single() *Schema {
	text := r.peek(0)
	switch text {
	case "readonly", "!": // the second is of JSDoc
		r.at++
		return r.listed()
	case "?": // of JSDoc
		r.at++
		return oneOf([]*Schema{r.listed(), {Type: "null"}})
	case "*":
		r.at++
		return &Schema{}
	case "{":
		return r.object()
	case "(":
		r.at++
		open := r.at
		made := r.kind()
		if !r.takes(")") {
			made, r.at = &Schema{}, open
			r.leave()
		}
		if r.takes("=>") {
			r.kind()
			return &Schema{} // a function, which JSON has not
		}
		return made
	case "[":
		r.at++
		r.leave()
		return &Schema{Type: "array"}
	}
	if value, ok := r.literal(); ok {
		if value == nil {
			return &Schema{Type: "null"}
		}
		return &Schema{Enum: []any{value}}
	}
	if !isName(text) {
		return &Schema{}
	}
	return r.named()
}

// leave goes behind the bracket that is open here.
func (r *reader) leave() {
	if r.at >= len(r.list) {
		return
	}
	depth := r.list[r.at-1].Depth
	for ; r.at < len(r.list); r.at++ {
		if r.list[r.at].Depth == depth && slices.Contains([]string{")", "]", "}"}, r.list[r.at].Text) {
			r.at++
			return
		}
	}
}

func (r *reader) named() *Schema {
	of := r.peek(0)
	switch of {
	case "keyof", "typeof", "unique", "infer", "new", "asserts":
		r.at++
		r.single()
		return &Schema{}
	}
	r.at++
	if r.peek(0) == "." && r.peek(1) == "<" { // Array.<string>, of JSDoc
		r.at++
	}
	for r.peek(0) == "." { // a type of a module
		r.at += 2
		of = ""
	}
	var with []*Schema
	if r.peek(0) == "<" {
		r.at++
		for {
			with = append(with, r.kind())
			if !r.takes(",") {
				break
			}
		}
		if !r.takes(">") {
			r.skip(">")
			r.takes(">")
			return &Schema{}
		}
	}
	if r.peek(0) == "[" && r.peek(1) != "]" && !r.list[r.at].Line { // Order['id']
		r.at++
		r.leave()
		return &Schema{}
	}
	return r.meant(of, with)
}

// meant is the type of a name.
func (r *reader) meant(of string, with []*Schema) *Schema {
	if at, declared := r.types[of]; declared {
		if at < 0 || len(with) > 0 {
			return &Schema{}
		}
		return r.declared(at)
	}
	switch of {
	case "string", "String":
		return &Schema{Type: "string"}
	case "number", "Number":
		return &Schema{Type: "number"}
	case "boolean", "Boolean", "bool":
		return &Schema{Type: "boolean"}
	case "object", "Object":
		if len(with) == 2 {
			return &Schema{Type: "object", Values: with[1]}
		}
		return &Schema{Type: "object"}
	case "undefined", "void":
		return &Schema{Type: "undefined"}
	case "Date":
		return &Schema{Format: "date-time"} // a text, in JSON; it is not said what main makes of it
	case "Array", "ReadonlyArray":
		made := &Schema{Type: "array"}
		if len(with) == 1 && !with[0].Anything() {
			made.Items = with[0]
		}
		return made
	case "Record":
		if len(with) == 2 && with[0].Type == "string" {
			return &Schema{Type: "object", Values: with[1]}
		}
		return &Schema{Type: "object"}
	case "Partial":
		if len(with) == 1 && with[0].Type == "object" {
			made := *with[0]
			made.Required = nil
			return &made
		}
	case "Readonly":
		if len(with) == 1 {
			return with[0]
		}
	}
	return &Schema{}
}

// declared reads the type that is declared at a token.
func (r *reader) declared(at int) *Schema {
	r.depth++
	back := r.at
	defer func() { r.at = back; r.depth-- }()
	if r.depth > deepest {
		return &Schema{}
	}
	r.at = at + 1
	if r.list[at-1].Text == "type" {
		if !r.takes("=") {
			return &Schema{} // it has parameters
		}
		made := r.kind()
		if r.at < len(r.list) && r.peek(0) != ";" && !r.list[r.at].Line {
			return &Schema{}
		}
		return made
	}
	made := &Schema{Type: "object"}
	if r.takes("extends") {
		made = r.listed()
		for r.takes(",") {
			made = merged(made, r.listed())
		}
	}
	if r.peek(0) != "{" {
		return &Schema{}
	}
	return merged(made, r.object())
}

// object reads { day: string; limit?: number }.
func (r *reader) object() *Schema {
	made := &Schema{Type: "object"}
	r.at++
	for r.at < len(r.list) && !r.takes("}") {
		if r.takes(";") || r.takes(",") {
			continue
		}
		start := r.at
		if r.peek(0) == "readonly" && r.peek(1) != ":" && r.peek(1) != "?" {
			r.at++
		}
		key, isKey := r.key()
		optional := isKey && r.takes("?")
		if r.peek(0) == "[" { // [key: string]: number
			r.at++
			r.leave()
			if r.takes(":") {
				if values := r.kind(); r.endsMember() && !values.Anything() {
					made.Values = values
				}
			}
			r.restOfMember()
			continue
		}
		if !isKey || !r.takes(":") {
			r.restOfMember() // a method, which JSON has not
			if r.at == start {
				r.at++
			}
			continue
		}
		of := r.kind()
		if !r.endsMember() {
			of = &Schema{}
			r.restOfMember()
		}
		if r.peek(0) == "=" && slices.Contains([]string{"}", ",", ";"}, r.peek(1)) { // {day: string=}, of JSDoc
			optional = true
			r.at++
		}
		property := *of
		property.Description = r.described(start)
		made.Properties = append(made.Properties, Property{key, &property})
		// A member that may be undefined may be left out: JSON has no undefined.
		if !optional && !r.mayBeUndefined(start, r.at) && !property.Anything() {
			made.Required = append(made.Required, key)
		}
	}
	return made
}

func (r *reader) mayBeUndefined(from, to int) bool {
	return slices.ContainsFunc(r.list[from:min(to, len(r.list))], func(t transpile.Token) bool {
		return t.Depth == r.list[from].Depth && (t.Text == "undefined" || t.Text == "void")
	})
}

func (r *reader) key() (string, bool) {
	text := r.peek(0)
	if isName(text) {
		r.at++
		return text, true
	}
	if value, ok := r.literal(); ok {
		key, isText := value.(string)
		return key, isText
	}
	return "", false
}

// endsMember says that a member of an object ends here.
func (r *reader) endsMember() bool {
	if r.at >= len(r.list) {
		return false
	}
	switch r.peek(0) {
	case ";", ",", "}":
		return true
	case "=":
		return slices.Contains([]string{"}", ",", ";"}, r.peek(1))
	}
	return r.list[r.at].Line && (isName(r.peek(0)) || strings.ContainsAny(r.peek(0)[:1], `'"[`))
}

func (r *reader) restOfMember() {
	for start := r.at; r.at < len(r.list); r.at++ {
		t := r.list[r.at]
		if t.Depth < r.list[start].Depth || t.Depth == r.list[start].Depth && (t.Text == ";" || t.Text == "," || t.Line && r.at > start) {
			return
		}
	}
}

// described is the comment before a token: /** … */.
func (r *reader) described(at int) string {
	text := docBefore(r.code, r.list, at)
	if i := strings.Index(text, "\n@"); i >= 0 {
		text = text[:i]
	}
	return strings.Join(strings.Fields(text), " ")
}

// docBefore is the text of the last documentation comment between a token and the one before.
func docBefore(code string, list []transpile.Token, at int) string {
	from := 0
	if at > 0 {
		from = list[at-1].End
	}
	if at >= len(list) {
		return ""
	}
	between := code[from:list[at].Start]
	open := strings.LastIndex(between, "/**")
	if open < 0 {
		return ""
	}
	text, _, closed := strings.Cut(between[open+len("/**"):], "*/")
	if !closed {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "*"))
	}
	return "\n" + strings.TrimSpace(strings.Join(lines, "\n"))
}

// literal reads a value that JSON has, too, and stays where it is if there is none.
func (r *reader) literal() (value any, ok bool) {
	start := r.at
	if value, ok = r.value(); !ok {
		r.at = start
	}
	return value, ok
}

func (r *reader) value() (any, bool) {
	text := r.peek(0)
	if text == "" {
		return nil, false
	}
	r.at++
	switch text {
	case "null":
		return nil, true
	case "true", "false":
		return text == "true", true
	case "-":
		value, ok := r.value()
		n, isNumber := value.(float64)
		return -n, ok && isNumber
	case "[":
		values := []any{}
		for !r.takes("]") {
			value, ok := r.value()
			if !ok || !r.takes(",") && r.peek(0) != "]" {
				return nil, false
			}
			values = append(values, value)
		}
		return values, true
	case "{":
		values := map[string]any{}
		for !r.takes("}") {
			key, isKey := r.key()
			if !isKey || !r.takes(":") {
				return nil, false
			}
			value, ok := r.value()
			if !ok || !r.takes(",") && r.peek(0) != "}" {
				return nil, false
			}
			values[key] = value
		}
		return values, true
	}
	switch c := text[0]; {
	case (c == '\'' || c == '"' || c == '`') && len(text) > 1 && text[len(text)-1] == c && !strings.ContainsAny(text[1:len(text)-1], "\\"+string(c)):
		return text[1 : len(text)-1], true
	case c >= '0' && c <= '9':
		n, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		return n, err == nil
	}
	return nil, false
}
