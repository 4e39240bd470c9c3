package sandbox

import (
	"encoding/base64"
	"strings"

	"github.com/dop251/goja"
)

var _ = declare(Builtin{
	Names: []string{"atob", "btoa"},
	Use:   "atob(text), btoa(text)",
	Doc:   "Base64.",
	Types: "declare function atob(text: string): string;\ndeclare function btoa(text: string): string;",
	make: func(r *run, name string) goja.Value {
		if name == "atob" {
			return r.function(name, r.atob)
		}
		return r.function(name, r.btoa)
	},
})

// btoa leaves a text with a secret in it to the host, which has the value.
func (r *run) btoa(call goja.FunctionCall) goja.Value {
	text := call.Argument(0).String()
	if plain := secretHandle.ReplaceAllString(text, ""); plain != text {
		if strings.ContainsAny(plain, "{}") {
			panic(r.vm.NewTypeError("btoa: beside a secret there may be no { or }, and it is encoded once"))
		}
		return r.vm.ToValue("{{base64:" + text + "}}")
	}
	var data []byte
	for _, c := range text {
		if c > 0xFF {
			panic(r.invalidCharacter("btoa: the text has the character %q, only those up to U+00FF can be encoded", c))
		}
		data = append(data, byte(c))
	}
	return r.vm.ToValue(base64.StdEncoding.EncodeToString(data))
}

func (r *run) atob(call goja.FunctionCall) goja.Value {
	given := call.Argument(0).String()
	if secretHandle.MatchString(given) {
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
		panic(r.invalidCharacter("atob: the text is not base64"))
	}
	units := make([]rune, len(data))
	for i, b := range data {
		units[i] = rune(b)
	}
	return r.vm.ToValue(string(units))
}

// invalidCharacter has the name by which such errors are known elsewhere.
func (r *run) invalidCharacter(format string, values ...any) *goja.Object {
	made := r.vm.NewTypeError(append([]any{format}, values...)...)
	define(made, "name", r.vm.ToValue("InvalidCharacterError"), hidden)
	return made
}
