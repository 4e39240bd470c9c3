package drift

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// Kind is one way in which APIs change.
type Kind struct {
	Name string
	// Lossy changes take something away or give it another meaning: no edit of the script can
	// bring back what was there, and what is applied nevertheless is wrong.
	Lossy bool
	// member changes a member of an object in place; whole replaces a whole answer. Each says
	// whether it could. One of them is nil.
	member func(rng *rand.Rand, at place, o *orderedjson.Object) bool
	whole  func(value any) (any, bool)
	status int // of the answer from now on, 0 for as it was
}

// place is a member of the objects at a path of an answer.
type place struct {
	source string // which answers: method, host and path with their numbers starred, or "input"
	path   []string
	key    string // empty for the whole answer
}

func (p place) String() string {
	if p.key == "" {
		return p.source
	}
	return p.source + " " + strings.ReplaceAll(strings.Join(append(slices.Clip(p.path), p.key), "."), ".[]", "[]")
}

// Kinds are the changes that APIs are known for.
func Kinds() []Kind {
	return slices.Concat(renamings(), moves(), retypings(), envelopes(), losses())
}

func renamings() []Kind {
	return []Kind{
		{Name: "renamed: another style", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool { return o.Rename(at.key, restyled(at.key)) }},
		{Name: "renamed: a synonym", member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			others := synonyms[at.key]
			return len(others) > 0 && o.Rename(at.key, others[rng.IntN(len(others))])
		}},
		{Name: "renamed: with what it is of", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			owner := at.owner()
			return owner != "" && !isContainer(o.Fields[at.key]) && o.Rename(at.key, join(at.key, owner, at.key))
		}},
		{Name: "renamed: more words", member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			return o.Rename(at.key, join(at.key, at.key, []string{"value", "info", "v2", "data"}[rng.IntN(4)]))
		}},
		{Name: "renamed: a list", member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			_, isList := o.Fields[at.key].([]any)
			names := slices.DeleteFunc([]string{"items", "results", "records", "data", "entries"}, func(name string) bool { return name == at.key })
			return isList && o.Rename(at.key, names[rng.IntN(len(names))])
		}},
		{Name: "renamed: a list and its paging", whole: func(value any) (any, bool) {
			o, ok := value.(*orderedjson.Object)
			if !ok || o.Fields["results"] != nil {
				return nil, false
			}
			lists, paged := 0, false
			rename := func(o *orderedjson.Object) {
				for _, key := range slices.Clone(o.Keys) {
					paged = paging[key] != "" && o.Rename(key, paging[key]) || paged
				}
			}
			for _, key := range slices.Clone(o.Keys) {
				switch v := o.Fields[key].(type) {
				case []any:
					lists++
					o.Rename(key, "results")
				case *orderedjson.Object:
					rename(v)
				}
			}
			rename(o)
			return o, paged && lists == 1
		}},
		{Name: "renamed: another word", member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			return o.Rename(at.key, []string{"zeta", "primary_kind", "extra", "ledger"}[rng.IntN(4)])
		}},
	}
}

func moves() []Kind {
	return []Kind{
		{Name: "nested: in attributes", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			value := o.Fields[at.key]
			o.Remove(at.key)
			return o.Put("attributes", orderedjson.New(at.key, value))
		}},
		{Name: "nested: in its details", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			value := o.Fields[at.key]
			o.Remove(at.key)
			return o.Put(join(at.key, at.key, "details"), orderedjson.New("object", "details", at.key, value))
		}},
		{Name: "nested: value in an object", member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			switch v := o.Fields[at.key].(type) {
			case string:
				o.Fields[at.key] = orderedjson.New([]string{"value", "raw", "name"}[rng.IntN(3)], v, "source", "system")
			case float64:
				o.Fields[at.key] = orderedjson.New([]string{"value", "amount"}[rng.IntN(2)], v, "precision", nil)
			default:
				return false
			}
			return true
		}},
		{Name: "flattened", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			inner, ok := o.Fields[at.key].(*orderedjson.Object)
			if !ok || len(inner.Keys) == 0 || len(inner.Keys) > 8 {
				return false
			}
			for _, key := range inner.Keys {
				if _, taken := o.Fields[join(at.key, at.key, key)]; taken {
					return false
				}
			}
			o.Remove(at.key)
			for _, key := range inner.Keys {
				o.Put(join(at.key, at.key, key), inner.Fields[key])
			}
			return true
		}},
	}
}

func retypings() []Kind {
	return []Kind{
		{Name: "type: number to text", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			n, ok := o.Fields[at.key].(float64)
			if ok {
				o.Fields[at.key] = strconv.FormatFloat(n, 'f', -1, 64)
			}
			return ok
		}},
		{Name: "type: text to number", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			text, _ := o.Fields[at.key].(string)
			n, err := strconv.ParseFloat(text, 64)
			if err == nil {
				o.Fields[at.key] = n
			}
			return err == nil
		}},
		{Name: "type: flag to text", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			flag, ok := o.Fields[at.key].(bool)
			if ok {
				o.Fields[at.key] = strconv.FormatBool(flag)
			}
			return ok
		}},
		{Name: "type: single to list", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			switch o.Fields[at.key].(type) {
			case string, *orderedjson.Object:
				o.Fields[at.key] = []any{o.Fields[at.key]}
				return true
			}
			return false
		}},
		{Name: "type: list of one to single", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			list, ok := o.Fields[at.key].([]any)
			if ok = ok && len(list) == 1; ok {
				o.Fields[at.key] = list[0]
			}
			return ok
		}},
		{Name: "type: texts to objects", member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			list, ok := o.Fields[at.key].([]any)
			if !ok || slices.ContainsFunc(list, func(e any) bool { _, isText := e.(string); return !isText }) {
				return false
			}
			name := []string{"name", "value", "label"}[rng.IntN(3)]
			made := []any{}
			for i, element := range list {
				made = append(made, orderedjson.New("id", float64(100+i), name, element))
			}
			o.Fields[at.key] = made
			return true
		}},
		{Name: "type: list to object by id", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			list, ok := o.Fields[at.key].([]any)
			made := orderedjson.New()
			for _, element := range list {
				one, isObject := element.(*orderedjson.Object)
				if !isObject {
					return false
				}
				id, isText := one.Fields["id"].(string)
				if _, err := strconv.Atoi(id); !isText || err == nil || !made.Put(id, one) {
					return false // numbers would come in another order
				}
			}
			o.Fields[at.key] = made
			return ok
		}},
		{Name: "type: object to JSON text", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			if !isContainer(o.Fields[at.key]) {
				return false
			}
			text, err := orderedjson.Encode(o.Fields[at.key])
			o.Fields[at.key] = string(text)
			return err == nil
		}},
		{Name: "date: seconds to ISO", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			n, ok := o.Fields[at.key].(float64)
			if ok = ok && n > 1e9 && n < 1e10; ok {
				o.Fields[at.key] = time.Unix(int64(n), 0).UTC().Format(time.RFC3339)
			}
			return ok
		}},
		{Name: "date: ISO to seconds", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			return retime(o, at.key, func(t time.Time) any { return float64(t.Unix()) })
		}},
		{Name: "date: ISO to milliseconds", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			return retime(o, at.key, func(t time.Time) any { return float64(t.UnixMilli()) })
		}},
		{Name: "date: ISO to HTTP", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			return retime(o, at.key, func(t time.Time) any { return t.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT") })
		}},
		{Name: "date: day to ISO", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			text, _ := o.Fields[at.key].(string)
			t, err := time.Parse(time.DateOnly, text)
			if err == nil {
				o.Fields[at.key] = t.UTC().Format("2006-01-02T15:04:05.000Z")
			}
			return err == nil
		}},
		{Name: "text: JSON in fences", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			text, _ := o.Fields[at.key].(string)
			if !json.Valid([]byte(text)) || !strings.HasPrefix(strings.TrimSpace(text), "{") && !strings.HasPrefix(strings.TrimSpace(text), "[") {
				return false
			}
			o.Fields[at.key] = "```json\n" + text + "\n```"
			return true
		}},
	}
}

func envelopes() []Kind {
	return []Kind{
		{Name: "envelope: the answer in data", whole: func(value any) (any, bool) {
			if o, ok := value.(*orderedjson.Object); ok && o.Fields["data"] != nil {
				return nil, false
			}
			return orderedjson.New("data", value), isContainer(value)
		}},
		{Name: "envelope: the answer in a result", whole: func(value any) (any, bool) {
			return orderedjson.New("success", true, "errors", []any{}, "messages", []any{}, "result", value), isContainer(value)
		}},
		{Name: "envelope: the list with its paging", whole: func(value any) (any, bool) {
			list, ok := value.([]any)
			return orderedjson.New("items", value, "total", float64(len(list)), "next", nil), ok
		}},
		{Name: "envelope: taken off", whole: func(value any) (any, bool) {
			inner := contained(value)
			return inner, inner != nil
		}},
		{Name: "envelope: a list in a list object", member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			list, ok := o.Fields[at.key].([]any)
			if ok {
				o.Fields[at.key] = orderedjson.New("object", "list", "data", list, "has_more", false)
			}
			return ok
		}},
	}
}

// paging is how members that say where the next page is are renamed.
var paging = map[string]string{
	"next": "cursor", "next_page": "cursor", "nextPage": "cursor", "cursor": "next_cursor", "next_cursor": "cursor", "nextCursor": "pageToken",
	"next_url": "cursor", "nextPageToken": "pageToken", "next_page_token": "cursor", "has_more": "more", "hasMore": "more",
}

// contained is the one object or list in an object, nil if there is none or more.
func contained(value any) any {
	o, ok := value.(*orderedjson.Object)
	if !ok {
		return nil
	}
	containers := slices.DeleteFunc(slices.Clone(o.Keys), func(key string) bool { return !isContainer(o.Fields[key]) })
	if len(containers) != 1 {
		return nil
	}
	return o.Fields[containers[0]]
}

func losses() []Kind {
	some := func(rng *rand.Rand) bool { return rng.IntN(2) == 0 }
	return []Kind{
		{Name: "lost: removed", Lossy: true, member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool { o.Remove(at.key); return true }},
		{Name: lostEnvelope, Lossy: true, whole: func(any) (any, bool) { return nil, false }},
		{Name: "lost: null", Lossy: true, member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool { o.Fields[at.key] = nil; return true }},
		{Name: "lost: null in some", Lossy: true, member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			if !some(rng) {
				return false
			}
			o.Fields[at.key] = nil
			return true
		}},
		{Name: "lost: missing in some", Lossy: true, member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			if !some(rng) {
				return false
			}
			o.Remove(at.key)
			return true
		}},
		{Name: "lost: a stranger instead", Lossy: true, member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			var other any
			switch v := o.Fields[at.key].(type) {
			case string:
				other = []string{"alpha", "beta", "gamma ray", "eu-west"}[rng.IntN(4)]
			case float64:
				other = v*float64(2+rng.IntN(5)) + 3
			case bool:
				other = !v
			default:
				return false
			}
			o.Remove(at.key)
			return o.Put([]string{"region", "tier", "score", "channel", "batch"}[rng.IntN(5)], other)
		}},
		{Name: "lost: another unit", Lossy: true, member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			n, ok := o.Fields[at.key].(float64)
			if !ok || n == 0 {
				return false
			}
			o.Remove(at.key)
			if some(rng) {
				return o.Put(join(at.key, at.key, "cents"), n*100)
			}
			return o.Put(join(at.key, at.key, "major"), n/100)
		}},
		{Name: "lost: another quantity", Lossy: true, member: func(rng *rand.Rand, at place, o *orderedjson.Object) bool {
			n, ok := o.Fields[at.key].(float64)
			if !ok {
				return false
			}
			o.Remove(at.key)
			return o.Put(join(at.key, []string{"previous", "net", "estimated"}[rng.IntN(3)], at.key), n+7)
		}},
		{Name: "lost: constants renamed", Lossy: true, member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			text, _ := o.Fields[at.key].(string)
			if !constants[at.key] || strings.ToUpper(text) == text {
				return false
			}
			o.Fields[at.key] = strings.ToUpper(text)
			return o.Rename(at.key, join(at.key, at.key, "code"))
		}},
		{Name: "lost: constants changed in place", Lossy: true, member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			text, _ := o.Fields[at.key].(string)
			if !constants[at.key] || text == "" {
				return false
			}
			o.Fields[at.key] = "STATE_" + strings.ToUpper(text)
			return true
		}},
		{Name: "lost: a flag turned around", Lossy: true, member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			flag, ok := o.Fields[at.key].(bool)
			if !ok {
				return false
			}
			o.Remove(at.key)
			return o.Put(join(at.key, "not", at.key), !flag)
		}},
	}
}

// lostEnvelope is what taking an envelope off is to a script that reads what else it held.
const lostEnvelope = "lost: the envelope and what it said"

// InPlace are changes that no shape shows, and errors: who looks at errors alone does not see them.
func InPlace() []Kind {
	// Where no value is written another way than before, nobody can tell another unit from other amounts.
	amount := func(key string, value any) (float64, bool) {
		n, ok := value.(float64)
		return n, ok && n != 0 && !strings.HasSuffix(strings.ToLower(key), "id")
	}
	return []Kind{
		{Name: "in place: a major unit to a minor one", Lossy: true, member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			n, ok := amount(at.key, o.Fields[at.key])
			if ok {
				o.Fields[at.key] = math.Round(n * 100)
			}
			return ok && n != math.Trunc(n)
		}},
		{Name: "in place: a minor unit to a major one", Lossy: true, member: func(_ *rand.Rand, at place, o *orderedjson.Object) bool {
			n, ok := amount(at.key, o.Fields[at.key])
			if ok {
				o.Fields[at.key] = n / 100
			}
			return ok && n == math.Trunc(n) && math.Mod(n, 100) != 0 && n >= 100 && n < 1e8
		}},
		{Name: "in place: an error with status 500", Lossy: true, status: 500, whole: func(any) (any, bool) { return orderedjson.New("error", "internal error"), true }},
	}
}

// constants are members that hold one of few words.
var constants = map[string]bool{
	"status": true, "state": true, "type": true, "kind": true, "priority": true, "severity": true, "category": true,
	"event": true, "level": true, "channel": true, "reason": true, "conclusion": true, "stage": true,
}

// synonyms are how APIs rename members.
var synonyms = map[string][]string{
	"id": {"uid", "identifier"}, "name": {"title", "display_name"}, "title": {"name", "subject"}, "status": {"state"}, "state": {"status"},
	"url": {"link", "href"}, "html_url": {"web_url", "link"}, "link": {"url"}, "amount": {"amount_total", "value"}, "total": {"total_amount", "total_count"},
	"price": {"unit_price", "cost"}, "created_at": {"created", "creation_date"}, "createdAt": {"created", "creationDate"}, "created": {"created_at"},
	"updated_at": {"modified_at", "last_updated"}, "email": {"email_address", "mail"}, "phone": {"phone_number"}, "user": {"account", "member"},
	"author": {"creator", "user"}, "assignee": {"owner", "assigned_to"}, "description": {"summary", "details"}, "body": {"content", "text"},
	"text": {"body", "content"}, "message": {"text", "msg"}, "labels": {"tags"}, "tags": {"labels", "keywords"}, "quantity": {"qty", "count"},
	"count": {"total", "quantity"}, "currency": {"currency_code"}, "customer": {"client", "buyer"}, "date": {"day", "timestamp"}, "time": {"timestamp"},
	"start": {"starts_at", "start_time"}, "end": {"ends_at", "end_time"}, "address": {"location"}, "city": {"town"}, "country": {"country_code"},
	"next": {"next_page", "next_cursor"}, "cursor": {"next_cursor"}, "number": {"no"}, "temperature": {"temp"}, "duration": {"length"}, "sku": {"product_code"},
	"first_name": {"given_name"}, "last_name": {"family_name", "surname"}, "due": {"due_date"}, "due_date": {"due_on", "deadline"}, "priority": {"importance"}, "rating": {"score"},
}

// owner is what the objects at the place are, in the singular; empty if the path does not say.
func (p place) owner() string {
	for i := len(p.path) - 1; i >= 0; i-- {
		if p.path[i] != "[]" {
			return strings.TrimSuffix(p.path[i], "s")
		}
	}
	return ""
}

func isContainer(value any) bool {
	switch value.(type) {
	case *orderedjson.Object, []any:
		return true
	}
	return false
}

func retime(o *orderedjson.Object, key string, write func(time.Time) any) bool {
	text, _ := o.Fields[key].(string)
	t, err := time.Parse(time.RFC3339, text)
	if err == nil {
		o.Fields[key] = write(t)
	}
	return err == nil
}

// join makes a name of two words in the style of a name of the same payload.
func join(like, first, second string) string {
	if strings.ContainsFunc(like, unicode.IsUpper) && !strings.Contains(like, "_") {
		return first + strings.ToUpper(second[:1]) + second[1:]
	}
	return first + "_" + second
}

// restyled writes a name in the other style: camelCase for snake_case and back. Empty for
// a name of one word.
func restyled(name string) string {
	var made strings.Builder
	if strings.Contains(strings.Trim(name, "_"), "_") {
		for i, part := range strings.Split(name, "_") {
			if i > 0 && part != "" {
				part = strings.ToUpper(part[:1]) + part[1:]
			}
			made.WriteString(part)
		}
		return made.String()
	}
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			made.WriteByte('_')
		}
		made.WriteRune(unicode.ToLower(r))
	}
	if made.String() == name {
		return ""
	}
	return made.String()
}
