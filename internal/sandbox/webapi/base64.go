package webapi

import (
	"encoding/base64"
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: []string{"atob", "btoa"},
	Use:   "atob(text), btoa(text)",
	Doc:   "Base64.",
	Types: "declare function atob(text: string): string;\ndeclare function btoa(text: string): string;",
	Make: func(r *engine.Run, name string) goja.Value {
		if name == "atob" {
			return r.Function(name, func(call goja.FunctionCall) goja.Value { return atob(r, call) })
		}
		return r.Function(name, func(call goja.FunctionCall) goja.Value { return Btoa(r, call) })
	},
})

// Btoa leaves a text with a secret in it to the host, which has the value.
func Btoa(r *engine.Run, call goja.FunctionCall) goja.Value {
	text := call.Argument(0).String()
	if plain := engine.SecretHandle.ReplaceAllString(text, ""); plain != text {
		if strings.ContainsAny(plain, "{}") {
			panic(r.VM.NewTypeError("btoa: beside a secret there may be no { or }, and it is encoded once"))
		}
		return r.VM.ToValue("{{base64:" + text + "}}")
	}
	var data []byte
	for _, c := range text {
		if c > 0xFF {
			panic(invalidCharacter(r, "btoa: the text has the character %q, only those up to U+00FF can be encoded", c))
		}
		data = append(data, byte(c))
	}
	return r.VM.ToValue(base64.StdEncoding.EncodeToString(data))
}

func atob(r *engine.Run, call goja.FunctionCall) goja.Value {
	given := call.Argument(0).String()
	if engine.SecretHandle.MatchString(given) {
		panic(r.VM.NewTypeError("atob: the text has a secret in it, whose value a script does not have"))
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
		panic(invalidCharacter(r, "atob: the text is not base64"))
	}
	units := make([]rune, len(data))
	for i, b := range data {
		units[i] = rune(b)
	}
	return r.VM.ToValue(string(units))
}

// invalidCharacter has the name by which such errors are known elsewhere.
func invalidCharacter(r *engine.Run, format string, values ...any) *goja.Object {
	made := r.VM.NewTypeError(append([]any{format}, values...)...)
	engine.Define(made, "name", r.VM.ToValue("InvalidCharacterError"), engine.Hidden)
	return made
}
