package migration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

func parse(t *testing.T, texts ...string) []any {
	t.Helper()
	var values []any
	for _, text := range texts {
		value, err := orderedjson.Decode([]byte(text))
		require.NoError(t, err)
		values = append(values, value)
	}
	return values
}

// An old payload is carried into the shape that fresh payloads have, whatever changed.
func TestCarriesOldPayloadsIntoTheNewShape(t *testing.T) {
	t.Parallel()
	for _, change := range []struct {
		name, old, fresh, want, says string
	}{
		{
			"renamed", `{"lines":[{"sku":"a","total":4.5,"qty":2},{"sku":"b","total":1,"qty":1}]}`,
			`{"lines":[{"sku":"c","amount":7.25,"qty":3}]}`,
			`{"lines":[{"sku":"a","amount":4.5,"qty":2},{"sku":"b","amount":1,"qty":1}]}`, "lines[].total is now lines[].amount",
		},
		{
			"nested", `{"id":7,"name":"Ann","city":"Bonn"}`, `{"id":8,"profile":{"name":"Bob","city":"Ulm"}}`,
			`{"id":7,"profile":{"name":"Ann","city":"Bonn"}}`, "name is now profile.name; city is now profile.city",
		},
		{
			"in an envelope", `[{"id":1,"title":"x"}]`, `{"data":[{"id":2,"title":"y"}],"has_more":false}`,
			`{"data":[{"id":1,"title":"x"}],"has_more":false}`, "the answer is now data",
		},
		{
			"out of its envelope", `{"data":[{"id":1,"title":"x"}]}`, `[{"id":2,"title":"y"}]`,
			`[{"id":1,"title":"x"}]`, "data is now the answer",
		},
		{
			"flattened", `{"user":{"id":3,"login":"ann"},"n":1}`, `{"user_id":4,"user_login":"bob","n":2}`,
			`{"user_id":3,"user_login":"ann","n":1}`, "user.id is now user_id; user.login is now user_login",
		},
		{
			"a number in text", `{"price":12.5}`, `{"price":"3.00"}`, `{"price":"12.50"}`, "price is now written as text",
		},
		{
			"a price with its currency", `{"price":12.5,"sku":"q"}`, `{"price":{"amount":3.25,"currency":"EUR"},"sku":"r"}`,
			`{"price":{"amount":12.5,"currency":"EUR"},"sku":"q"}`, "price is now price.amount",
		},
		{
			"texts that became objects", `{"tags":["red","blue"]}`, `{"tags":[{"id":1,"name":"green"}]}`,
			`{"tags":[{"id":1,"name":"red"},{"id":1,"name":"blue"}]}`, "tags[] is now tags[].name",
		},
		{
			"seconds that became a date", `{"at":1767225600}`, `{"at":"2026-03-01T10:00:00Z"}`,
			`{"at":"2026-01-01T00:00:00Z"}`, "at is now written as a date",
		},
		{
			"renamed wherever it is", `{"blocks":[{"id":1,"head":{"text":"a"}},{"id":2,"par":{"text":"b"}},{"id":3,"todo":{"text":"c"}}]}`,
			`{"blocks":[{"id":4,"head":{"rich_text":"d"}},{"id":5,"par":{"rich_text":"e"}}]}`,
			`{"blocks":[{"id":1,"head":{"rich_text":"a"}},{"id":2,"par":{"rich_text":"b"}},{"id":3,"todo":{"rich_text":"c"}}]}`,
			"blocks[].head.text is now blocks[].head.rich_text; blocks[].par.text is now blocks[].par.rich_text; blocks[].todo.text is now blocks[].todo.rich_text",
		},
		{
			"in an envelope, with what this one does not have", `{"base":"EUR","rates":{"USD":1.07,"JPY":157.6}}`, `{"data":{"base":"EUR","rates":{"USD":1.2}}}`,
			`{"data":{"base":"EUR","rates":{"USD":1.07,"JPY":157.6}}}`, "base is now data.base; rates is now data.rates",
		},
		{
			"list of one to single", `{"choices":[{"message":{"content":"{\"n\":1}","role":"a"}}]}`, `{"choices":{"message":{"content":"{\"n\":2}","role":"a"}}}`,
			`{"choices":{"message":{"content":"{\"n\":1}","role":"a"}}}`, "choices is now written without its list",
		},
		{
			"an object in text", `{"show":{"items":[1],"total":1}}`, `{"show":"{\"items\":[2],\"total\":1}"}`,
			`{"show":"{\"items\":[1],\"total\":1}"}`, "show is now written as JSON text",
		},
		{
			"the answer in a list of its own", `{"title":"Tea","euros":4.5,"author":{"name":"Ann"}}`, `{"data":[{"title":"Cup","euros":3.25,"author":{"name":"Bob"}}],"meta":{"count":1}}`,
			`{"data":[{"title":"Tea","euros":4.5,"author":{"name":"Ann"}}],"meta":{"count":1}}`, "the answer is now data, in a list of its own",
		},
		{
			"in a list of its own, and renamed", `{"title":"Tea","euros":4.5,"stock":3}`, `{"data":[{"title":"Cup","euros":3.25,"in_stock":7}]}`,
			`{"data":[{"title":"Tea","euros":4.5,"in_stock":3}]}`, "the answer is now data, in a list of its own",
		},
		{
			"a list by key, which is kept", `{"users":[{"id":"u7","name":"Ann","age":41},{"id":"u3","name":"Bob","age":25}]}`,
			`{"users":{"u8":{"id":"u8","name":"Cid","age":33},"u9":{"id":"u9","name":"Dan","age":52}}}`,
			`{"users":{"u7":{"id":"u7","name":"Ann","age":41},"u3":{"id":"u3","name":"Bob","age":25}}}`, "users was a list by id",
		},
		{
			"a list by key, which is gone from the elements", `{"rooms":[{"code":"A","beds":2,"view":"sea"},{"code":"B","beds":1,"view":"yard"}]}`,
			`{"rooms":{"C":{"beds":3,"view":"sea"},"D":{"beds":1,"view":"park"}}}`,
			`{"rooms":{"A":{"beds":2,"view":"sea"},"B":{"beds":1,"view":"yard"}}}`, "rooms was a list by code",
		},
		{
			"objects by key that are a list now", `{"rooms":{"A":{"beds":2,"view":"sea"},"B":{"beds":1,"view":"yard"}}}`,
			`{"rooms":[{"code":"C","beds":3,"view":"sea"},{"code":"D","beds":1,"view":"park"}]}`,
			`{"rooms":[{"code":"A","beds":2,"view":"sea"},{"code":"B","beds":1,"view":"yard"}]}`, "rooms is now a list by code",
		},
		{
			"cents of what was in whole", `{"items":[{"price":4.35,"sku":"a"},{"price":12.5,"sku":"b"}]}`, `{"items":[{"price_cents":799,"sku":"c"}]}`,
			`{"items":[{"price_cents":435,"sku":"a"},{"price_cents":1250,"sku":"b"}]}`, "items[].price is now items[].price_cents, in another unit",
		},
		{
			"milliseconds that were seconds", `{"elapsed_seconds":90,"ok":true}`, `{"elapsed_ms":120000,"ok":true}`,
			`{"elapsed_ms":90000,"ok":true}`, "elapsed_seconds is now elapsed_ms, in another unit",
		},
		{
			"seconds that were milliseconds", `{"elapsed_ms":90500,"ok":true}`, `{"elapsed_seconds":120,"ok":true}`,
			`{"elapsed_seconds":90.5,"ok":true}`, "elapsed_ms is now elapsed_seconds, in another unit",
		},
		{
			"milliseconds of a duration without a unit", `{"list":[{"duration":90},{"duration":1200}]}`, `{"list":[{"duration_ms":120000},{"duration_ms":900000}]}`,
			`{"list":[{"duration_ms":90000},{"duration_ms":1200000}]}`, "list[].duration is now list[].duration_ms, in another unit",
		},
		{
			"cents that are a decimal text now", `{"total":{"amount_cents":254}}`, `{"total":{"amount":"3.10"}}`,
			`{"total":{"amount":"2.54"}}`, "total.amount_cents is now total.amount, in another unit, as text",
		},
		{
			"numbers in texts with other marks", `{"rows":[{"sum":"1.204,50 €","n":1},{"sum":"17,05 €","n":2}]}`, `{"rows":[{"sum":"12,345.60 €","n":3},{"sum":"9.95 €","n":1}]}`,
			`{"rows":[{"sum":"1,204.50 €","n":1},{"sum":"17.05 €","n":2}]}`, "rows[].sum is now written with other marks in numbers",
		},
		{
			"numbers in texts with a comma", `{"rows":[{"sum":"1204.50"},{"sum":"-17.05"}]}`, `{"rows":[{"sum":"12.345,60"},{"sum":"9,95"}]}`,
			`{"rows":[{"sum":"1.204,50"},{"sum":"-17,05"}]}`, "rows[].sum is now written with other marks in numbers",
		},
		{
			"a member that a word beside it names", `{"props":{"state":{"type":"select","select":{"name":"open"}}}}`, `{"props":{"state":{"type":"status","status":{"name":"done"}}}}`,
			`{"props":{"state":{"type":"status","status":{"name":"open"}}}}`, "props.state.type is now written as status; props.state.select.name is now props.state.status.name",
		},
		{
			"an object in a list of its own", `{"todo":{"text":"a","done":true},"id":1}`, `{"todo":[{"text":"b","done":false}],"id":2}`,
			`{"todo":[{"text":"a","done":true}],"id":1}`, "todo is now written in a list",
		},
		{
			"objects in an envelope that are alike", `{"btc":{"eur":1.5,"usd":2.5},"eth":{"eur":2.5,"usd":1.5}}`, `{"data":{"btc":{"eur":2.5,"usd":1.5},"eth":{"eur":1.5,"usd":2.5}}}`,
			`{"data":{"btc":{"eur":1.5,"usd":2.5},"eth":{"eur":2.5,"usd":1.5}}}`,
			"btc.eur is now data.btc.eur; btc.usd is now data.btc.usd; eth.eur is now data.eth.eur; eth.usd is now data.eth.usd",
		},
		{
			"in some of the objects alone", `{"answers":[{"text":"a"},{"choice":{"label":"red"}},{"text":"c"}]}`, `{"answers":[{"text":"x"},{"choice":{"primary":"blue"}}]}`,
			`{"answers":[{"text":"a"},{"choice":{"primary":"red"}},{"text":"c"}]}`, "answers[].choice.label is now answers[].choice.primary",
		},
		{
			"keys that are data keep their order", `{"users":[{"id":"u9","name":"Ann","age":41},{"id":"u8","name":"Bob","age":25}]}`,
			`{"users":{"u8":{"id":"u8","name":"Cid","age":33},"u9":{"id":"u9","name":"Dan","age":52}}}`,
			`{"users":{"u9":{"id":"u9","name":"Ann","age":41},"u8":{"id":"u8","name":"Bob","age":25}}}`, "users was a list by id",
		},
		{
			"values out of their objects", `{"props":{"mail":{"value":"a@x.test"},"city":{"value":"Ulm"}}}`, `{"props":{"mail":"b@x.test","city":"Bonn"}}`,
			`{"props":{"mail":"a@x.test","city":"Ulm"}}`, "props.mail.value is now props.mail; props.city.value is now props.city",
		},
		{
			"ids with a word before them", `{"rows":[{"id":7,"of":"3"},{"id":12,"of":"41"}]}`, `{"rows":[{"id":"row_21","of":"box-5"},{"id":"row_8","of":"box-77"}]}`,
			`{"rows":[{"id":"row_7","of":"box-3"},{"id":"row_12","of":"box-41"}]}`, "rows[].id is now written with row_ before it; rows[].of is now written with box- before it",
		},
		{
			"ids without the word before them", `{"rows":[{"id":"row_21"},{"id":"row_8"}]}`, `{"rows":[{"id":"7"},{"id":"12"}]}`,
			`{"rows":[{"id":"21"},{"id":"8"}]}`, "rows[].id is now written without row_ before it",
		},
		{
			"a list under a name that says nothing, with others in it", `{"orders":[{"id":1,"customer":"Ada","total":5,"state":"open"},{"id":2,"customer":"Bo","total":7,"state":"paid"}],"page":1}`,
			`{"data":[{"id":3,"buyer":"Ada","sum":6,"state":"paid"},{"id":4,"buyer":"Cy","sum":5,"state":"open"}],"page":2}`,
			`{"data":[{"id":1,"buyer":"Ada","sum":5,"state":"open"},{"id":2,"buyer":"Bo","sum":7,"state":"paid"}],"page":1}`,
			"orders is now data; data[].customer is now data[].buyer; data[].total is now data[].sum",
		},
		{
			"cents that are a decimal text under the same name", `{"rows":[{"total":120545},{"total":2500},{"total":999}]}`, `{"rows":[{"total":"47.20"},{"total":"12.00"}]}`,
			`{"rows":[{"total":"1205.45"},{"total":"25.00"},{"total":"9.99"}]}`, "rows[].total is now written in another unit, as text",
		},
		{
			"seconds in text that are milliseconds", `{"at":"1767225600"}`, `{"at":1767225700000}`, `{"at":1767225600000}`, "at is now written in milliseconds",
		},
		{
			"seconds in text that are a date", `{"at":"1767225600"}`, `{"at":"2026-03-01T10:00:00Z"}`, `{"at":"2026-01-01T00:00:00Z"}`, "at is now written as a date",
		},
		{
			"words in capitals", `{"rows":[{"state":"in_transit"},{"state":"paid"},{"state":"paid"},{"state":"in_transit"},{"state":"paid"},{"state":"paid"},{"state":"paid"},{"state":"paid"}]}`,
			`{"rows":[{"state":"IN_TRANSIT"}]}`,
			`{"rows":[{"state":"IN_TRANSIT"},{"state":"PAID"},{"state":"PAID"},{"state":"IN_TRANSIT"},{"state":"PAID"},{"state":"PAID"},{"state":"PAID"},{"state":"PAID"}]}`,
			"rows[].state is now written in capitals",
		},
		{
			"words in CamelCase", `{"rows":[{"state":"in_transit"},{"state":"paid"},{"state":"paid"},{"state":"in_transit"},{"state":"paid"},{"state":"paid"},{"state":"paid"},{"state":"paid"}]}`,
			`{"rows":[{"state":"InTransit"},{"state":"Paid"}]}`,
			`{"rows":[{"state":"InTransit"},{"state":"Paid"},{"state":"Paid"},{"state":"InTransit"},{"state":"Paid"},{"state":"Paid"},{"state":"Paid"},{"state":"Paid"}]}`,
			"rows[].state is now written in CamelCase",
		},
		{
			"a list that is one text", `{"rows":[{"tags":["vip","eu"]},{"tags":[]},{"tags":["bug"]}]}`, `{"rows":[{"tags":"eu,bug"},{"tags":null}]}`,
			`{"rows":[{"tags":"vip,eu"},{"tags":null},{"tags":"bug"}]}`, "rows[].tags is now written as one text",
		},
		{
			"single to list", `{"owner":{"id":1},"items":"a"}`, `{"owner":{"id":2},"items":["b"]}`,
			`{"owner":{"id":1},"items":["a"]}`, "items is now written in a list",
		},
	} {
		t.Run(change.name, func(t *testing.T) {
			t.Parallel()
			old := parse(t, change.old)
			ways := Infer(payload.Keys{}, old, parse(t, change.fresh))
			require.NotEmpty(t, ways)
			require.Empty(t, ways[0].Lost)
			require.Equal(t, change.says, ways[0].String())
			carried, ok := ways[0].Apply(old[0])
			require.True(t, ok)
			text, err := orderedjson.Encode(carried)
			require.NoError(t, err)
			require.Equal(t, change.want, string(text))
			putsBack(t, ways[0], old[0], carried)
		})
	}
}

// Rule: a list of one that is its element now says nothing of longer ones, unless some are still there.
func TestListsOfOneAreTheirElements(t *testing.T) {
	t.Parallel()
	old := parse(t, `{"of":[{"n":1,"at":"a"}]}`, `{"of":[{"n":2,"at":"b"},{"n":3,"at":"c"}]}`)
	for fresh, longer := range map[string]bool{`{"of":[{"n":5,"at":"e"},{"n":6,"at":"f"}]}`: true, `{"of":{"n":5,"at":"e"}}`: false} {
		ways := Infer(payload.Keys{}, old, parse(t, `{"of":{"n":4,"at":"d","by":"x"}}`, fresh))
		require.Len(t, ways, 1)
		require.Empty(t, ways[0].Fills)
		carried, ok := ways[0].Apply(old[0])
		require.True(t, ok)
		require.Equal(t, parse(t, `{"of":{"n":1,"at":"a"}}`)[0], carried)
		carried, ok = ways[0].Apply(old[1])
		require.Equal(t, longer, ok)
		if longer {
			require.Equal(t, old[1], carried)
		}
	}
}

// putsBack runs the function that puts a carried value back: it is the old one again, and the old one stays as it is.
func putsBack(t *testing.T, way Migration, old, carried any) {
	t.Helper()
	code, ok := way.Back("back", "r")
	require.True(t, ok, code)
	engine := goja.New()
	_, err := engine.RunString(code)
	require.NoError(t, err, code)
	want, err := orderedjson.Encode(old)
	require.NoError(t, err)
	for _, value := range []any{carried, old} {
		text, err := orderedjson.Encode(value)
		require.NoError(t, err)
		made, err := engine.RunString("JSON.stringify(back(" + string(text) + "))")
		require.NoError(t, err, code)
		back, err := orderedjson.Decode([]byte(made.String()))
		require.NoError(t, err)
		require.Empty(t, lacking(parse(t, string(want))[0], back, ""), "%s\nof %s makes %s", code, text, made)
	}
}

// lacking is where a value does not have what another one has; it may have more members.
func lacking(want, got any, at string) string {
	switch want := want.(type) {
	case *orderedjson.Object:
		o, ok := got.(*orderedjson.Object)
		if !ok {
			return at
		}
		for _, key := range want.Keys {
			if found := lacking(want.Fields[key], o.Fields[key], at+"."+key); found != "" {
				return found
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return at
		}
		for i := range want {
			if found := lacking(want[i], list[i], at+"[]"); found != "" {
				return found
			}
		}
		return ""
	}
	if want != got {
		return at + " is another"
	}
	return ""
}

// Two members that could both be what went are two explanations, and one of a clear name is one.
func TestTellsEveryExplanation(t *testing.T) {
	t.Parallel()
	old := parse(t, `{"id":1,"total":5.5,"tax":1}`, `{"id":2,"total":6.5,"tax":2}`)
	require.Len(t, Infer(payload.Keys{}, old, parse(t, `{"id":3,"zeta":7.5,"ledger":8.5,"tax":1}`)), 2)
	require.Len(t, Infer(payload.Keys{}, old, parse(t, `{"id":3,"total_amount":7.5,"ledger":8.5,"tax":1}`)), 1)
}

// The only member that went may be the only one that came beside it, whatever its name; it is a guess,
// and none where others have it still.
func TestGuessesWhatNothingElseSpeaksFor(t *testing.T) {
	t.Parallel()
	old := parse(t, `{"items":[{"sku":"mirror-1","n":1},{"sku":"basket-2","n":2}]}`, `{"items":[{"sku":"lamp-3","n":1}]}`, `{"items":[{"sku":"lamp-4","n":1}]}`)
	ways := Infer(payload.Keys{}, old, parse(t, `{"items":[{"extra":"saddle-5","n":1}]}`))
	require.Len(t, ways, 1)
	require.Equal(t, "items[].sku is now items[].extra", ways[0].String())
	require.Less(t, ways[0].Score, 0.6, "it rejects nothing")
	for _, way := range Infer(payload.Keys{}, old, parse(t, `{"items":[{"sku":"saddle-5","n":1},{"extra":"bot","n":1}]}`)) {
		require.NotContains(t, way.String(), "extra")
	}
}

// A list that was split may be in either part, and the other part has none of it.
func TestAListThatWasSplit(t *testing.T) {
	t.Parallel()
	old := parse(t, `{"orders":[{"id":"a","sum":1}]}`)
	var carried []string
	for _, way := range Infer(payload.Keys{}, old, parse(t, `{"orders":{"north":[{"id":"b","sum":2}],"south":[{"id":"c","sum":3}]}}`)) {
		value, ok := way.Apply(old[0])
		require.True(t, ok)
		text, err := orderedjson.Encode(value)
		require.NoError(t, err)
		carried = append(carried, string(text))
	}
	require.ElementsMatch(t, []string{
		`{"orders":{"north":[{"id":"a","sum":1}],"south":[]}}`, `{"orders":{"north":[],"south":[{"id":"a","sum":1}]}}`,
	}, carried)
}

// A member that went and stands nowhere is called lost.
func TestSaysWhatIsLost(t *testing.T) {
	t.Parallel()
	ways := Infer(payload.Keys{}, parse(t, `{"id":1,"email":"a@example.test"}`), parse(t, `{"id":2}`))
	require.Len(t, ways, 1)
	require.Equal(t, []string{"email"}, ways[0].Lost)
	require.Empty(t, Infer(payload.Keys{}, parse(t, `{"id":1}`), parse(t, `{"id":2}`)))
}

// Numbers as keys come in their order, whatever the order of the list was: the script's outcome then cannot be
// compared, and is not carried.
func TestAListByNumbersInAnotherOrderIsNotCarried(t *testing.T) {
	t.Parallel()
	old := parse(t, `{"users":[{"id":7,"name":"Ann"},{"id":3,"name":"Bob"}]}`, `{"users":[{"id":1,"name":"Eve"},{"id":2,"name":"Fay"}]}`)
	ways := Infer(payload.Keys{}, old, parse(t, `{"users":{"8":{"id":8,"name":"Cid"},"9":{"id":9,"name":"Dan"}}}`))
	require.NotEmpty(t, ways)
	_, ok := ways[0].Apply(old[0])
	require.False(t, ok)
	_, ok = ways[0].Apply(old[1])
	require.True(t, ok)
}

// A name that says another unit does not make numbers of the same size another unit's.
func TestANameOfAUnitAloneScalesNothing(t *testing.T) {
	t.Parallel()
	for _, way := range Infer(payload.Keys{}, parse(t, `{"price":435,"sku":"a"}`), parse(t, `{"price_cents":799,"sku":"c"}`)) {
		require.NotContains(t, way.String(), "unit")
	}
}

// A list of several is not the object that the answer was, and of two members that are gone
// either may be the key.
func TestSaysNothingOfListsThatMayBeAnything(t *testing.T) {
	t.Parallel()
	said := func(old, fresh string) string {
		text := ""
		for _, way := range Infer(payload.Keys{}, parse(t, old), parse(t, fresh)) {
			text += way.String() + "\n"
		}
		return text
	}
	require.NotContains(t, said(`{"title":"Tea","euros":4.5}`, `{"data":[{"title":"Cup","euros":3.25},{"title":"Pot","euros":9.5}]}`), "list of its own")
	require.NotContains(t, said(`{"rooms":[{"code":"A","door":"x","beds":2,"view":"sea"}]}`, `{"rooms":{"C":{"beds":3,"view":"sea"},"D":{"beds":1,"view":"park"}}}`), "by its")
}

// TestMaps: values by keys that are data are explained for all of them together, with the keys of any day.
func TestMaps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old, fresh    []any
		want, carried string
	}{
		"by day": {
			parse(t, `{"days":{"2026-03-01":{"close":4.5},"2026-03-02":{"close":5.5}}}`, `{"days":{"2026-03-03":{"close":6.5}}}`),
			parse(t, `{"days":{"2026-03-04":{"close_price":4.25},"2026-03-05":{"close_price":5.25}}}`),
			"days.*.close is now days.*.close_price", `{"days":{"2026-03-01":{"close_price":4.5},"2026-03-02":{"close_price":5.5}}}`,
		},
		"wrapped": {
			parse(t, `{"rates":{"2026-03-01":4.5,"2026-03-02":5.5}}`, `{"rates":{"2026-03-03":6.5}}`),
			parse(t, `{"data":{"rates":{"2026-03-04":4.25}}}`),
			"rates is now data.rates", `{"data":{"rates":{"2026-03-01":4.5,"2026-03-02":5.5}}}`,
		},
		"numbers as text": {
			parse(t, `{"EUR":4.5,"USD":5.5}`, `{"EUR":4.25,"JPY":5.5}`), parse(t, `{"GBP":"4.25","EUR":"6.5"}`),
			"the answer.* is now written as text", `{"EUR":"4.5","USD":"5.5"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ways := Infer(payload.Keys{}, c.old, c.fresh)
			require.NotEmpty(t, ways)
			require.Equal(t, c.want, ways[0].String())
			require.Empty(t, ways[0].Lost)
			made, ok := ways[0].Apply(c.old[0])
			require.True(t, ok)
			text, err := orderedjson.Encode(made)
			require.NoError(t, err)
			require.JSONEq(t, c.carried, string(text))
		})
	}
	require.Empty(t, Infer(payload.Keys{}, parse(t, `{"days":{"2026-03-01":{"n":1}}}`), parse(t, `{"days":{"2026-03-02":{"n":1}}}`)), "another day is no change")
}

// A migration that puts a value where no payload ever had one is no explanation, and a name is not the same as a part
// of it.
func TestExplainsNothingByWhatIsNowhere(t *testing.T) {
	t.Parallel()
	for old, fresh := range map[string]string{
		`{"levels":[{"node":{"name":"Ulm","free":3}},{"node":{"name":"Bonn","free":9}},{"node":{"name":"Jena","free":4}}]}`: `{"levels":[{"node":{"location":{"name":"Ulm"},"counts":[{"of":"free","n":7}]}},{"node":{"location":{"name":"Jena"},"counts":[]}}]}`,
		`{"people":[{"name":"Ada Byron"},{"name":"Ben Ek"},{"name":"Cid Lund"}]}`:                                           `{"people":[{"given_name":"Fay","family_name":"Oak"}]}`,
	} {
		for _, way := range Infer(payload.Keys{}, parse(t, old), parse(t, fresh)) {
			require.NotContains(t, way.String(), "location.free")
			require.NotContains(t, way.String(), "name is now people[].given_name")
		}
	}
}

// A member that has another name in several places, of several calls, has the same one in all of them, also where a single
// place shows nothing.
func TestOneNameInAllPlaces(t *testing.T) {
	t.Parallel()
	old := parse(t, `{"user":"ann","age":3}`, `{"user":"bo","age":5}`, `{"user":"cy","age":4}`)
	other := parse(t, `{"owner":{"user":"dee"},"by":{"user":"ivy"}}`, `{"owner":{"user":"eli"},"by":{"user":"jan"}}`, `{"owner":{"user":"fay"},"by":{"user":"dee"}}`)
	fresh, now := parse(t, `{"user_page":"gus","user_nick":"gus","age":9}`), parse(t, `{"owner":{"user_nick":"hal"},"by":{"user_nick":"ida"}}`)
	alone := Infer(payload.Keys{}, old, fresh)[0]
	together := InferAll(payload.Keys{}, []Change{{old, fresh}, {other, now}})[0][0]
	require.Equal(t, "user is now user_page", alone.String())
	require.Equal(t, "user is now user_nick", together.String())
}

// A value that is lost inside of a moved object is nowhere now: it does not speak against where the rest went.
func TestALostMemberInventsNothing(t *testing.T) {
	t.Parallel()
	old := parse(t, `{"tickets":[{"id":1,"subject":"a","by":{"name":"Ann","phone":"1"}},{"id":2,"subject":"b","by":{"name":"Bo","phone":"2"}},{"id":3,"subject":"c","by":{"name":"Cy","phone":"3"}}]}`)
	fresh := parse(t, `{"results":[{"id":4,"title":"d","by":{"name":"Ann"}},{"id":5,"title":"e","by":{"name":"Di"}}]}`)
	keys := payload.Keys{Spelled: payload.SetOf("tickets", "id", "subject", "by", "name")}
	ways := Infer(keys, old, fresh)
	require.NotEmpty(t, ways)
	require.Equal(t, "tickets is now results; results[].subject is now results[].title", ways[0].String())
	require.Equal(t, []string{"results[].by.phone"}, ways[0].Lost)
}

// Only places that the script names make an explanation less sure; other lost places do not.
func TestAMemberThatNothingReadsMayBeLost(t *testing.T) {
	t.Parallel()
	old := parse(t, `{"rows":[{"number":"A-1","at":"09:10"},{"number":"A-2","at":"09:12"},{"number":"A-3","at":"10:30"}]}`)
	fresh := parse(t, `{"rows":[{"reference":"A-41"},{"reference":"A-42"}]}`)
	for names, sure := range map[string]bool{"number": true, "number at": false} {
		ways := Infer(payload.Keys{Spelled: payload.SetOf(append(strings.Fields(names), "rows")...)}, old, fresh)
		require.Equal(t, "rows[].number is now rows[].reference", ways[0].String())
		require.Equal(t, sure, ways[0].Joint >= whole, names)
	}
}

// Whole numbers that are texts with decimals may be in hundredths: only their size tells.
func TestDecimalsOfWhatWasWholeAreOpen(t *testing.T) {
	t.Parallel()
	old := parse(t, `{"rows":[{"total":12},{"total":25},{"total":99}]}`)
	for _, way := range Infer(payload.Keys{}, old, parse(t, `{"rows":[{"total":"47.20"},{"total":"12.00"}]}`)) {
		require.NotContains(t, way.String(), "as text")
	}
}

// Rule: a text that is written another way everywhere is not where it was until it is told how, and digits alone are a way to write.
func TestATextInAnotherFormIsLeftOpen(t *testing.T) {
	t.Parallel()
	day := func(text string) string { return `{"day":"` + text + `","bin":"paper"}` }
	var old []string
	for i := range 6 {
		old = append(old, day(fmt.Sprintf("2026021%d", i)))
	}
	found := Infer(payload.Keys{}, parse(t, old...), parse(t, day("20260217T233000Z")))
	require.NotEmpty(t, found)
	require.Equal(t, []string{"day"}, found[0].Lost)
	require.Empty(t, Infer(payload.Keys{}, parse(t, old...), parse(t, day("20260217"))))
}
