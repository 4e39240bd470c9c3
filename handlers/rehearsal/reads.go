package rehearsal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// GetsOnly says that a read is one whatever the script says: not a POST that is declared a read.
func GetsOnly(call sandbox.Call) bool {
	request := hostcall.Of(call.Tool).Request
	if request == nil {
		return true
	}
	method := request.MethodOf(call.Args)
	return method == http.MethodGet || method == http.MethodHead
}

// AsRecorded says so also of a POST that recorded runs made as a read: to the same address, with the same headers and the same
// members in its body. Only what differed among the recorded ones may be something else, as the cursor of a page is, and nothing
// that the code spells out.
func AsRecorded(code string, runs ...gate.Run) func(sandbox.Call) bool {
	known := map[string][]map[string]any{}
	for _, run := range runs {
		for _, call := range run.Calls {
			if of := (sandbox.Call{Tool: call.Tool, Args: call.Args}); call.Effect == string(sandbox.Read) && !GetsOnly(of) {
				at, leaves := requestOf(of)
				known[at] = append(known[at], leaves)
			}
		}
	}
	return func(call sandbox.Call) bool {
		if GetsOnly(call) {
			return true
		}
		at, leaves := requestOf(call)
		for _, like := range known[at] {
			same := true
			for path, value := range leaves {
				if same = same && (reflect.DeepEqual(value, like[path]) || isData(code, value) && differs(known[at], path)); !same {
					break
				}
			}
			if same && len(leaves) == len(like) {
				return true
			}
		}
		return false
	}
}

// differs says that recorded requests had several values at a path.
func differs(known []map[string]any, path string) bool {
	for _, one := range known {
		if !reflect.DeepEqual(one[path], known[0][path]) {
			return true
		}
	}
	return false
}

// isData says that a value cannot be an order of its own: a text that the code spells out could be.
func isData(code string, value any) bool {
	text, isText := value.(string)
	return !isText || !strings.Contains(code, text)
}

// requestOf is where a request goes and how, and all else that it says, by path.
func requestOf(call sandbox.Call) (at string, leaves map[string]any) {
	leaves = map[string]any{}
	var args []any
	_ = json.Unmarshal(call.Args, &args) // recorded by the program
	for i, arg := range args {
		if options, ok := arg.(map[string]any); ok {
			if text, is := options["body"].(string); is {
				options["body"] = inside(text)
			}
		}
		if i > 0 {
			leavesOf(strconv.Itoa(i), arg, leaves)
		}
	}
	at = call.Tool + " " + hostcall.Of(call.Tool).Request.MethodOf(call.Args)
	if len(args) > 0 {
		at = fmt.Sprint(at, " ", args[0])
	}
	return at, leaves
}

// inside is what a body says: JSON, a form, or a text.
func inside(body string) (value any) {
	if json.Unmarshal([]byte(body), &value) == nil {
		return value
	}
	if form, err := url.ParseQuery(body); err == nil && strings.Contains(body, "=") {
		return form
	}
	return body
}

func leavesOf(path string, value any, found map[string]any) {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			leavesOf(path+"."+key, member, found)
		}
	case url.Values:
		for key, member := range v {
			found[path+"."+key] = strings.Join(member, "\n")
		}
	case []any:
		for i, one := range v {
			leavesOf(path+"."+strconv.Itoa(i), one, found)
		}
	default:
		found[path] = value
	}
}
