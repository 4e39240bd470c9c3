package payload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// Elements are read as objects, and a value in another shape is written as a text that looks the same.
func TestElementsAreRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, value string }{
		"a feed": {
			"<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel>\n  <title>News</title>\n  <item><title>A &amp; B</title><guid isPermaLink=\"false\">1</guid><file url=\"/a?x=1&amp;y=2\"/></item>\n  <item><title>C &lt; D</title><guid isPermaLink=\"false\">2</guid></item>\n</channel></rss>\n",
			`{"rss":{"@version":"2.0","channel":{"title":"News","item":[{"title":"A & B","guid":{"@isPermaLink":"false","#text":"1"},"file":{"@url":"/a?x=1&y=2"}},{"title":"C < D","guid":{"@isPermaLink":"false","#text":"2"}}]}}}`,
		},
		"one item is a list, too, and CDATA is text": {
			`<feed><entry><title><![CDATA[A & <b>]]></title></entry></feed>`, `{"feed":{"entry":[{"title":"A & <b>"}]}}`,
		},
		"a calendar": {
			"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:20260301\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
			`{"VCALENDAR":{"VERSION":"2.0","VEVENT":[{"UID":"1","DTSTART":{"@VALUE":"DATE","#text":"20260301"}}]}}`,
		},
		"a card in folded lines": {
			"BEGIN:VCARD\nFN:Ann Ek\nNOTE:she go\n es on and \n on and on\nTEL:1\nTEL:2\nEND:VCARD", `{"VCARD":[{"FN":"Ann Ek","NOTE":"she goes on and on and on","TEL":["1","2"]}]}`,
		},
		"a page by its classes": {
			`<!doctype html><html><body><ul id="all" class="list wide"><li class="row"><b>Ann</b><br><i class="sum">1,50 €</i></li><li class="row"><b>Bo</b><br><i class="sum">2,50 €</i></li></ul></body></html>`,
			`{"html":{"body":{"ul.list.wide":{"@id":"all","li.row":[{"b":"Ann","br":"","i.sum":"1,50 €"},{"b":"Bo","br":"","i.sum":"2,50 €"}]}}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, ok := MarkupIn(c.text)
			require.True(t, ok)
			made, err := orderedjson.Encode(in.Value)
			require.NoError(t, err)
			require.Equal(t, c.value, string(made))
			again, ok := in.Write(in.Value)
			require.True(t, ok)
			require.Equal(t, c.text, again)
		})
	}
	for _, text := range []string{
		"", "no elements", "a < b", "<a><b></a>", "<a", "<a>text", `<a x=1></a>`, "<a><!-- note --></a>", "<p>one <b>two</b> three</p><p>four</p", "<a><i>1</i> <b/><i>2</i><b/></a>",
	} {
		in, ok := MarkupIn(text)
		if ok {
			again, _ := in.Write(in.Value)
			require.Equal(t, text, again, "what would not be written again as it is, is not read")
		}
	}
}
