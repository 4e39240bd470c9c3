package payload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// Texts that hold something are read, and written as they were.
func TestDocumentIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, form, value string }{
		"JSON":                      {`{"a":1}`, FormJSON, `{"a":1}`},
		"lines of JSON":             {"{\"a\":1}\n{\"b\":[2]}\n", FormNDJSON, `[{"a":1},{"b":[2]}]`},
		"commas":                    {"id,unit cost\n1,2.50\n", "CSV with commas", `[{"id":"1","unit cost":"2.50"}]`},
		"semicolons, no newline":    {"sku;price\nA;1,50", "CSV with semicolons", `[{"sku":"A","price":"1,50"}]`},
		"tabs and CRLF":             {"Größe\tPreis\r\n4\t5\r\n", "CSV with tabs", `[{"Größe":"4","Preis":"5"}]`},
		"bars and a mark":           {"\uFEFFa|b\n|x\n", "CSV with bars", `[{"a":"","b":"x"}]`},
		"quotes":                    {"\"id\",\"name\"\n1,\"Ada \"\"A\"\", Ltd\"\n2,\"Bo\"\n", "CSV with commas", `[{"id":"1","name":"Ada \"A\", Ltd"},{"id":"2","name":"Bo"}]`},
		"lines above":               {"# made by hand\nReport, of March 2026, final\nid,n\n1,2\n", "CSV with commas", `[{"id":"1","n":"2"}]`},
		"words alone":               {"login,role\nada,admin\n", "CSV with commas", `[{"login":"ada","role":"admin"}]`},
		"no rows":                   {"id,name,n\n", "CSV with commas", `[]`},
		"prose":                     {"Hello, Ada\nGoodbye, Ben\n", "", ""},
		"a list of words":           {"red, green, blue", "", ""},
		"a log":                     {"12:01, started\n12:02, stopped\n", "", ""},
		"no header":                 {"1,2\n3,4\n", "", ""},
		"rows of different lengths": {"a,b\n1,2\n1,2,3\n", "", ""},
		"a name twice":              {"a,a\n1,2\n", "", ""},
		"a page":                    {"<p>a,b</p>\n<p>1,2</p>\n", "", ""},
		"half of JSON":              {"{\"a\":1,\n\"b\":2", "", ""},
		"a text":                    {"open", "", ""},
		"nothing":                   {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, ok := DocumentIn(c.text)
			require.Equal(t, c.form != "", ok)
			if !ok {
				return
			}
			require.Equal(t, c.form, found.Form)
			value, err := orderedjson.Encode(found.Value)
			require.NoError(t, err)
			require.Equal(t, c.value, string(value))
			again, ok := found.Write(found.Value)
			require.True(t, ok)
			require.Equal(t, c.text, again)
		})
	}
}

// A table in a text is edited in the text: a column has another name, and a row less.
func TestEditsWhatStandsInATable(t *testing.T) {
	t.Parallel()
	text := any("id;name\n1;\"Ada; Ltd\"\n2;Bo\n")
	of := NewSchema()
	of.Add("1", text, nil)
	require.Equal(t, "as a table: [].name", Show([]string{Table, Element, "name"}))
	require.Equal(t, 2, of.At([]string{Table, Element, "name"}).Seen())
	made, _ := of.Edit(text, []string{Table}, func(rows any) (any, bool) {
		row := rows.([]any)[0].(*orderedjson.Object)
		row.Put("label", row.Fields["name"])
		row.Remove("name")
		return []any{row}, true
	})
	require.Equal(t, "id;label\n1;\"Ada; Ltd\"\n", made)
}
