package sandbox

import (
	"crypto/md5"  //nolint:gosec // for scripts that compare with what an API sends
	"crypto/sha1" //nolint:gosec // likewise
	"crypto/sha256"
	"crypto/sha512"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dop251/goja"
)

//go:embed builtins.js
var builtinsJS string

var builtins = mustCompile("builtins.js", builtinsJS)

// fromJS is one of the built-ins that are written in JavaScript.
func (r *run) fromJS(name string) goja.Value {
	if r.written == nil {
		v, err := r.vm.RunProgram(builtins())
		if err != nil {
			panic(err)
		}
		build, _ := goja.AssertFunction(v)
		v, err = build(goja.Undefined(), r.function("parseURL", r.parseURL),
			r.textFunction("encodeForm", encodeForm), r.textFunction("decodeForm", decodeForm))
		if err != nil {
			panic(err)
		}
		r.written = v.ToObject(r.vm)
	}
	return r.written.Get(name)
}

func (r *run) textFunction(name string, f func(string) string) *goja.Object {
	return r.function(name, func(call goja.FunctionCall) goja.Value {
		return r.vm.ToValue(f(call.Argument(0).String()))
	})
}

func (r *run) parseURL(call goja.FunctionCall) goja.Value {
	var base *webURL
	if b := call.Argument(1); !goja.IsUndefined(b) {
		var err error
		if base, err = parseURL(b.String(), nil); err != nil {
			panic(r.vm.NewTypeError("%s", err.Error()))
		}
	}
	u, err := parseURL(call.Argument(0).String(), base)
	if err != nil {
		panic(r.vm.NewTypeError("%s", err.Error()))
	}
	parts := r.vm.NewObject()
	for _, part := range []struct{ name, text string }{
		{"protocol", u.scheme + ":"}, {"username", u.username}, {"password", u.password}, {"hostname", u.host},
		{"port", u.port}, {"pathname", u.path}, {"search", u.query}, {"hash", u.fragment},
	} {
		define(parts, part.name, r.vm.ToValue(part.text), visible)
	}
	define(parts, "authority", r.vm.ToValue(u.authority), visible)
	return parts
}

// localTime takes a time apart in the workflow's zone, or the one named. weekday is 0
// for Sunday, as in Date; offset is minutes east of Greenwich.
func (r *run) localTime(call goja.FunctionCall) goja.Value {
	location := r.zone
	if name := call.Argument(1); !goja.IsUndefined(name) && !goja.IsNull(name) {
		var err error
		if location, err = zone(name.String()); err != nil {
			panic(r.rangeError("localTime: " + err.Error()))
		}
	}
	at := r.now()
	if when := call.Argument(0); !goja.IsUndefined(when) {
		if goja.IsString(when) {
			date, err := r.vm.New(r.original.Get("Date"), when)
			if err != nil {
				panic(err)
			}
			when = date
		}
		ms := when.ToFloat()
		if math.IsNaN(ms) || math.Abs(ms) > 8.64e15 {
			panic(r.rangeError("localTime: not a date, or milliseconds since 1970"))
		}
		at = time.UnixMilli(int64(ms))
	}
	at = at.In(location)
	_, seconds := at.Zone()
	parts := r.vm.NewObject()
	for _, part := range []struct {
		name  string
		value any
	}{
		{"year", at.Year()}, {"month", int(at.Month())}, {"day", at.Day()},
		{"hour", at.Hour()}, {"minute", at.Minute()}, {"second", at.Second()},
		{"weekday", int(at.Weekday())}, {"offset", seconds / 60},
		{"date", at.Format("2006-01-02")}, {"iso", at.Format("2006-01-02T15:04:05-07:00")},
	} {
		define(parts, part.name, r.vm.ToValue(part.value), visible)
	}
	return parts
}

func (r *run) rangeError(message string) *goja.Object {
	object, err := r.vm.New(r.original.Get("RangeError"), r.vm.ToValue(message))
	if err != nil {
		panic(err)
	}
	return object
}

// crypto has what scripts need of it: ids that come from the run's seed, and digests.
func (r *run) crypto() *goja.Object {
	object := r.vm.NewObject()
	define(object, "randomUUID", r.function("randomUUID", r.randomUUID), visible)
	define(object, "hash", r.function("hash", r.hash), visible)
	return object
}

func (r *run) randomUUID(goja.FunctionCall) goja.Value {
	high, low := r.ids.Uint64(), r.ids.Uint64()
	high = high&^0xF000 | 0x4000       // version 4
	low = low&^(3<<62) | uint64(2)<<62 // variant 10
	return r.vm.ToValue(fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xFFFF, high&0xFFFF, low>>48, low&0xFFFFFFFFFFFF))
}

func (r *run) hash(call goja.FunctionCall) goja.Value {
	data := []byte(call.Argument(1).String())
	if secretHandle().Match(data) {
		panic(r.vm.NewTypeError("crypto.hash: the text has a secret in it, whose value a script does not have"))
	}
	var sum []byte
	switch name := strings.ToLower(strings.ReplaceAll(call.Argument(0).String(), "-", "")); name {
	case "md5":
		s := md5.Sum(data) //nolint:gosec // see the import
		sum = s[:]
	case "sha1":
		s := sha1.Sum(data) //nolint:gosec // see the import
		sum = s[:]
	case "sha256":
		s := sha256.Sum256(data)
		sum = s[:]
	case "sha512":
		s := sha512.Sum512(data)
		sum = s[:]
	default:
		panic(r.vm.NewTypeError("crypto.hash: unknown algorithm %q, there are md5, sha1, sha256, sha512", cut(name, 40)))
	}
	return r.vm.ToValue(hex.EncodeToString(sum))
}

// btoa leaves a text with a secret in it to the host, which has the value.
func (r *run) btoa(call goja.FunctionCall) goja.Value {
	text := call.Argument(0).String()
	if plain := secretHandle().ReplaceAllString(text, ""); plain != text {
		if strings.ContainsAny(plain, "{}") {
			panic(r.vm.NewTypeError("btoa: beside a secret there may be no { or }, and it is encoded once"))
		}
		return r.vm.ToValue("{{base64:" + text + "}}")
	}
	var data []byte
	for _, c := range text {
		if c > 0xFF {
			panic(r.vm.NewTypeError("btoa: the text has the character %q, only those up to U+00FF can be encoded", c))
		}
		data = append(data, byte(c))
	}
	return r.vm.ToValue(base64.StdEncoding.EncodeToString(data))
}

func (r *run) atob(call goja.FunctionCall) goja.Value {
	given := call.Argument(0).String()
	if secretHandle().MatchString(given) {
		panic(r.vm.NewTypeError("atob: the text has a secret in it, whose value a script does not have"))
	}
	text := strings.Map(func(c rune) rune {
		if strings.ContainsRune(" \t\n\f\r", c) {
			return -1
		}
		return c
	}, given)
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		panic(r.vm.NewTypeError("atob: the text is not base64"))
	}
	units := make([]rune, len(data))
	for i, b := range data {
		units[i] = rune(b)
	}
	return r.vm.ToValue(string(units))
}
