package guard_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/proof/guard"
)

// answered is a run that reads lists of records over several addresses, and writes after each.
func answered(id string, records int) (run gate.Run, size int) {
	run = gate.Run{ID: id, Input: json.RawMessage(`{}`), Clock: time.Unix(0, 0).UTC(), Outcome: gate.Outcome{Status: "succeeded", Output: json.RawMessage(`{"sent":3}`)}}
	for page := range 3 {
		var rows []string
		for n := range records {
			rows = append(rows, fmt.Sprintf(`{"id":"%s-%d-%d","total":%d.5,"currency":"EUR","created":"2026-03-%02dT07:00:00Z","customer":{"name":"Customer %d","email":"c%d@example.test","tags":["new","vip"]},"note":null,"paid":%t}`,
				id, page, n, n*7+page, n%28+1, n, n, n%2 == 0))
		}
		result := fmt.Sprintf(`{"rows":[%s],"next":%d}`, strings.Join(rows, ","), page+1)
		size += len(result)
		run.Calls = append(run.Calls,
			gate.Call{Tool: "web.getJSON", Effect: "read", Args: json.RawMessage(fmt.Sprintf(`["https://api.example.test/v1/accounts/a%d/rows?page=1"]`, page)), Result: json.RawMessage(result)},
			gate.Call{Tool: "web.postJSON", Effect: "write", Args: json.RawMessage(fmt.Sprintf(`["https://sink.example.test/v1/sums",{"page":%d,"sum":%d,"text":"Sum of %d rows"}]`, page, records*page, records)), Result: json.RawMessage(`{"ok":true}`)})
	}
	return run, size
}

// BenchmarkOrdinaryRun is the cost of an ordinary run: the guard looks at it before each of its writes and at its
// end, and learns from it.
func BenchmarkOrdinaryRun(b *testing.B) {
	const code = `async function main() { await web.getJSON('https://api.example.test/v1/accounts/' + id + '/rows'); await web.postJSON('https://sink.example.test/v1/sums', {}); }`
	known := guard.Learn(guard.Version{Code: code})
	for n := range 10 {
		run, _ := answered(fmt.Sprint("r", n), 40)
		known.Add(&run)
	}
	run, size := answered("now", 40)
	n := 0
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		n++
		run.ID = fmt.Sprint("now", n)
		live := known.Watch()
		for at, call := range run.Calls {
			if call.Effect == "write" {
				so := run
				so.Calls, so.Outcome = run.Calls[:at+1], gate.Outcome{}
				live.See(&so)
				if found := live.Suspects(&so); len(found) > 0 {
					b.Fatal(found)
				}
			}
		}
		live.See(&run)
		if found := live.Suspects(&run); len(found) > 0 {
			b.Fatal(found)
		}
		live.Learn(&run)
	}
}
