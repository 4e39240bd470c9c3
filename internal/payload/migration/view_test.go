package migration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// A list of things by their names and an object that has them say the same, and so do columns and rows: other changes
// are told beside that, and all of them are put back.
func TestReadsWhatSaysTheSameInAnotherForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spelled    []string
		old, fresh []string
		want, says string
	}{
		"members that are a list by their names": {
			[]string{"rooms", "name", "free", "taken"},
			[]string{`{"rooms":[{"name":"A","free":3,"taken":1},{"name":"B","free":0,"taken":4}]}`, `{"rooms":[{"name":"C","free":2,"taken":2}]}`},
			[]string{`{"rooms":[{"name":"D","seats":[{"state":"taken","n":5},{"state":"broken","n":0},{"state":"free","n":1}]},{"name":"A","seats":[{"state":"broken","n":0},{"state":"taken","n":2},{"state":"free","n":2}]}]}`},
			`{"rooms":[{"name":"A","seats":[{"state":"free","n":3},{"state":"taken","n":1},{"state":"broken","n":0}]},{"name":"B","seats":[{"state":"free","n":0},{"state":"taken","n":4},{"state":"broken","n":0}]}]}`,
			"rooms[].seats is now a list by state; rooms[].free is now rooms[].seats.free; rooms[].taken is now rooms[].seats.taken",
		},
		"a list by names that is an object": {
			[]string{"sums", "span", "count", "week", "month"},
			[]string{`{"sums":[{"span":"week","count":12},{"span":"month","count":55}],"id":1}`, `{"sums":[{"span":"week","count":3},{"span":"month","count":9}],"id":2}`},
			[]string{`{"sums":{"day":2,"month":40,"week":10},"id":3}`},
			`{"sums":{"day":2,"month":55,"week":12},"id":1}`,
			"sums was a list by span",
		},
		"columns that are rows, in other units": {
			[]string{"hourly", "time", "price"},
			[]string{`{"hourly":{"time":["00:00","01:00"],"price":[4.35,12.5]}}`, `{"hourly":{"time":["00:00","01:00","02:00"],"price":[8.25,11.5,9.75]}}`},
			[]string{`{"hours":[{"time":"00:00","price_cents":735},{"time":"01:00","price_cents":1199}]}`},
			`{"hours":[{"time":"00:00","price_cents":435},{"time":"01:00","price_cents":1250}]}`,
			"hourly was in columns; hourly is now hours; hours[].price is now hours[].price_cents, in another unit",
		},
		"columns that are rows, in tenths": {
			[]string{"days", "on", "degrees"},
			[]string{`{"days":{"on":["Mo","Tu"],"degrees":[-0.5,2.1]}}`, `{"days":{"on":["We"],"degrees":[0.4]}}`},
			[]string{`{"list":[{"on":"Th","degrees_tenths":-7},{"on":"Fr","degrees_tenths":31}]}`},
			`{"list":[{"on":"Mo","degrees_tenths":-5},{"on":"Tu","degrees_tenths":21}]}`,
			"days was in columns; days is now list; list[].degrees is now list[].degrees_tenths, in another unit",
		},
		"keys with a text before each": {
			[]string{"rates", "USD", "JPY"},
			[]string{`{"base":"EUR","rates":{"USD":1.05,"JPY":165.5}}`, `{"base":"EUR","rates":{"USD":1.06,"JPY":164.5}}`},
			[]string{`{"base":"EUR","quotes":{"EURJPY":163.25,"EURUSD":1.08}}`},
			`{"base":"EUR","quotes":{"EURJPY":165.5,"EURUSD":1.05}}`,
			"quotes is now by keys with EUR before them; rates.USD is now quotes.USD; rates.JPY is now quotes.JPY",
		},
		"rows that are columns": {
			[]string{"points", "at", "level"},
			[]string{`{"points":[{"at":"00:00","level":4.5},{"at":"01:00","level":2.5}]}`, `{"points":[{"at":"00:00","level":8.5}]}`},
			[]string{`{"points":{"at":["00:00","01:00"],"level":[7.5,1.5]}}`},
			`{"points":{"at":["00:00","01:00"],"level":[4.5,2.5]}}`,
			"points is now in columns",
		},
		"a map that is a list, with a map inside that is one": {
			[]string{"coins", "quote", "price", "EUR"},
			[]string{`{"coins":{"ADA":{"title":"Cardano","symbol":"ADA","quote":{"EUR":{"price":0.75}}},"BTC":{"title":"Bitcoin","symbol":"BTC","quote":{"EUR":{"price":90100.5}}}}}`, `{"coins":{"BTC":{"title":"Bitcoin","symbol":"BTC","quote":{"EUR":{"price":90800.5}}}}}`},
			[]string{`{"coins":[{"title":"Bitcoin","symbol":"BTC","quote":[{"symbol":"USD","price":1.5},{"symbol":"EUR","price":90700.5}]}]}`},
			`{"coins":[{"title":"Cardano","symbol":"ADA","quote":[{"symbol":"EUR","price":0.75},{"symbol":"USD","price":1.5}]},{"title":"Bitcoin","symbol":"BTC","quote":[{"symbol":"EUR","price":90100.5},{"symbol":"USD","price":1.5}]}]}`,
			"coins is now a list by symbol; coins.*.quote is now a list by symbol",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := parse(t, c.old...)
			ways := Infer(payload.Keys{Spelled: payload.SetOf(c.spelled...)}, old, parse(t, c.fresh...))
			require.NotEmpty(t, ways)
			require.Empty(t, ways[0].Lost)
			require.Equal(t, c.says, ways[0].String())
			carried, ok := ways[0].Apply(old[0])
			require.True(t, ok)
			text, err := orderedjson.Encode(carried)
			require.NoError(t, err)
			require.Equal(t, c.want, string(text))
			require.Len(t, ways, 1)
			require.GreaterOrEqual(t, ways[0].Joint, 0.6)
			putsBack(t, ways[0], old[0], carried)
		})
	}
}
