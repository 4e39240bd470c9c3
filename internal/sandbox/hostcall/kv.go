package hostcall

import (
	"encoding/json"
	"strconv"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

const (
	keyArgument = `{"title": "key", "type": "string", "minLength": 1, "maxLength": 512}`
	keySchema   = `{"type": "array", "minItems": 1, "items": false, "prefixItems": [` + keyArgument + `]}`
)

var _ = Declare(localRead(Tool{
	Name: "kv.get", Doc: `The value that was kept, or null.`,
	Types: `<T = any>(key: string): Promise<T | null>`, Schema: keySchema, About: Key,
	settle: func(l *look, made Answered, key string) { l.key(key, made.Reply.Result) },
}, func(state State, call sandbox.Call) (json.RawMessage, *sandbox.Error) {
	var key string
	if fault := decode(call, &key); fault != nil {
		return nil, fault
	}
	value, _ := state.KV(key)
	return value, nil
}))

var _ = Declare(localRead(Tool{
	Name: "kv.list", Doc: `The keys that begin with prefix, sorted; without one all keys.`,
	Types: `(prefix?: string | null): Promise<string[]>`,
	Schema: `{"type": "array", "minItems": 0, "items": false, "prefixItems": [
		{"title": "prefix", "type": ["string", "null"], "maxLength": 512}
	]}`,
	settle: func(l *look, made Answered, prefix string) {
		l.names("keys "+strconv.Quote(prefix+"*"), made.Reply.Result, toJSON(l.state.Keys(prefix)), l.keys)
	},
}, func(state State, call sandbox.Call) (json.RawMessage, *sandbox.Error) {
	var prefix string
	if fault := decode(call, &prefix); fault != nil {
		return nil, fault
	}
	return toJSON(state.Keys(prefix)), nil
}))

var _ = Declare(Tool{
	Name: "kv.set", Doc: `null. Keeps any JSON value for later runs.`,
	Types: `(key: string, value: unknown): Promise<null>`, About: Key, Leaves: Put,
	Schema: `{"type": "array", "minItems": 2, "items": false, "prefixItems": [` + keyArgument + `, {"title": "value"}]}`,
})

var _ = Declare(Tool{
	Name: "kv.update", Doc: `null. Adds a number to the one that is kept, or to 0. Runs at the same time add all they add. Another value that is kept throws LogicError.`,
	Types: `(key: string, add: number): Promise<null>`, About: Key, Leaves: Added,
	Schema: `{"type": "array", "minItems": 2, "items": false, "prefixItems": [` + keyArgument + `, {"title": "add", "type": "number"}]}`,
})

var _ = Declare(Tool{
	Name: "kv.delete", Doc: `null. A key that is not there is fine.`,
	Types: `(key: string): Promise<null>`, Schema: keySchema, About: Key, Leaves: Gone,
})

// Sum is what is kept when a number was added to what was; nothing kept is 0. It is not ok if that makes no number.
func Sum(kept, add json.RawMessage) (json.RawMessage, bool) {
	var a, b float64
	if len(kept) > 0 && json.Unmarshal(kept, &a) != nil || json.Unmarshal(add, &b) != nil {
		return nil, false
	}
	sum, err := json.Marshal(a + b)
	return sum, err == nil
}

// leaveKey leaves what a call of a tool leaves at a key. A write that is refused changes nothing.
func (t Touch) leaveKey(state State, tool string) *sandbox.Error {
	if t.Leaves == Gone {
		state.DeleteKV(t.Name)
		return nil
	}
	if t.Leaves == Added {
		kept, _ := state.KV(t.Name)
		sum, ok := Sum(kept, t.Value)
		if !ok {
			return fail(sandbox.ClassLogic, "", "%s: %q cannot have %s added: it is %s", tool, clip(t.Name), t.Value, clip(string(kept)))
		}
		t.Value = sum
	}
	if len(t.Value) > MaxValueBytes {
		return fail(sandbox.ClassLimit, CodeLimitState, "%s: the value of %q is %d bytes of JSON, more than %d", tool, clip(t.Name), len(t.Value), MaxValueBytes)
	}
	keys, grows := state.Usage().Keys, len(t.Name)+len(t.Value)
	if old, ok := state.KV(t.Name); ok {
		keys, grows = keys-1, len(t.Value)-len(old)
	}
	if fault := checkRoom(tool, "keys", keys, MaxKeys, state, grows); fault != nil {
		return fault
	}
	state.SetKV(t.Name, t.Value)
	return nil
}
