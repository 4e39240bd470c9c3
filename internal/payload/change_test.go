package payload

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChanges: an account of what changed names what is not as it was, whatever way it changed, and no key that is data.
func TestChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before []string
		now    string
		want   []string
	}{
		"a map by day":        {[]string{`{"days":{"2026-03-01":{"n":1}}}`, `{"days":{"2026-03-02":{"n":2}}}`}, `{"days":{"2026-03-03":{"n":3}}}`, nil},
		"in a map by day":     {[]string{`{"days":{"2026-03-01":{"n":1}}}`, `{"days":{"2026-03-02":{"n":2}}}`}, `{"days":{"2026-03-03":{"count":3}}}`, []string{"days.*.n is gone (it was number 1)", "days.*.count is new (number 3)"}},
		"a name":              {[]string{`{"l":[{"total":1.5}]}`}, `{"l":[{"amount":1.5}]}`, []string{"l[].total is gone (it was number 1.5)", "l[].amount is new (number 1.5)"}},
		"a type":              {[]string{`{"id":7}`}, `{"id":"7"}`, []string{`id was number 7, and is string "7"`}},
		"null in one":         {[]string{`{"l":[{"n":4}]}`, `{"l":[{"n":5}]}`}, `{"l":[{"n":4},{"n":null}]}`, []string{"l[].n was number 4, and is null in some (null|number 4)"}},
		"null":                {[]string{`{"n":4}`}, `{"n":null}`, []string{"n was number 4, and is null"}},
		"what was null":       {[]string{`{"n":null}`, `{"n":4}`}, `{"n":null}`, nil},
		"optional":            {[]string{`{"l":[{"a":1},{}]}`}, `{"l":[{}]}`, nil},
		"another size":        {[]string{`{"l":[1.5,2.5,3.5]}`}, `{"l":[150,250]}`, []string{"l[] was number 1.5, and is in another unit, it seems: the size is about 250 and was about 2.5 (number 150)"}},
		"another way":         {[]string{`{"l":["2026-03-01","2026-03-02","2026-03-03"]}`}, `{"l":["1 March"]}`, []string{`l[] was string "2026-03-01", and is written as text, and was written as date (string "1 March")`}},
		"another date":        {[]string{`{"l":["Fri, 27 Nov 2026 07:41:51 GMT","Fri, 27 Nov 2026 07:41:51 GMT","Fri, 27 Nov 2026 07:41:51 GMT","Fri, 27 Nov 2026 07:41:51 GMT"]}`}, `{"l":["Fri, 27 Nov 2026 07:44:03 GMT"]}`, nil},
		"a new word":          {[]string{`{"l":["open","open","done","open","done","open","open","open"]}`}, `{"l":["open","stuck"]}`, []string{`l[] was string "open", and is a new word (stuck)`}},
		"another range":       {[]string{`{"n":12}`, `{"n":15}`, `{"n":20}`}, `{"n":1500}`, []string{"n was number 12, and is of another size (number 1500)"}},
		"a range as before":   {[]string{`{"n":12}`, `{"n":15}`, `{"n":20}`}, `{"n":150}`, nil},
		"another form":        {[]string{`{"d":"01.03.2026"}`, `{"d":"12.03.2026"}`}, `{"d":"1 March 2026"}`, []string{`d was string "01.03.2026", and is written another way (string "1 March 2026")`}},
		"texts of many forms": {[]string{`{"d":"unit 7"}`, `{"d":"room 7, left"}`}, `{"d":"1 March"}`, nil},
		"a truth":             {[]string{`{"ok":true}`, `{"ok":true}`, `{"ok":true}`}, `{"ok":false}`, []string{"ok was boolean, and is a new word (false)"}},
		"a constant":          {[]string{`{"code":0}`, `{"code":0}`, `{"code":0}`}, `{"code":17}`, []string{"code was number 0, and is another number (number 17)"}},
		"emptied":             {[]string{`{"l":[{"n":1}]}`}, `{"l":[]}`, []string{"l was array 1 items, and is empty (array 0 items)"}},
		"empty as before":     {[]string{`{"l":[{"n":1}]}`, `{"l":[]}`}, `{"l":[]}`, nil},
		"moved":               {[]string{`{"l":[1]}`}, `{"data":{"l":[1]}}`, []string{"l is gone (it was array 1 items)", "data is new (object with l)"}},
		"inside JSON in text": {[]string{`{"body":"{\"a\":1}"}`}, `{"body":"{\"b\":1}"}`, []string{"body as JSON: a is gone (it was number 1)", "body as JSON: b is new (number 1)"}},
		"no JSON any more":    {[]string{`{"body":"{\"a\":1}"}`}, `{"body":"a;b"}`, []string{"body as JSON was object with a, and is a text that is no JSON"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was, is := NewSchema(), NewSchema()
			for i, one := range c.before {
				was.Add(strconv.Itoa(i), Decode(json.RawMessage(one)), nil)
			}
			is.Add("now", Decode(json.RawMessage(c.now)), nil)
			read := was.Read(Keys{})
			var told []string
			for _, change := range Changes(read, is.Like(read)) {
				told = append(told, change.String())
			}
			require.Equal(t, c.want, told)
		})
	}
}
