package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/secret/redact"
)

// A value is found however a server writes it down, and nothing beside it is touched.
func TestRedactorKnowsEverySpelling(t *testing.T) {
	t.Parallel()
	const value, handle = `s3cr&t/va"lue+ü \ x%y😀`, "{{secret:API}}"
	var r redact.Redactor
	require.Equal(t, value, r.Text(value), "nothing is known before it was sent")
	r.Add(value, handle)
	quoted, err := json.Marshal(value)
	require.NoError(t, err)
	escaped := strings.Trim(string(quoted), `"`)
	quoted, err = json.Marshal(string(quoted))
	require.NoError(t, err)
	nested := strings.TrimSuffix(strings.TrimPrefix(string(quoted), `"\"`), `\""`)
	units := `\u0073\u0033\u0063\u0072\u0026\u0074\u002F\u0076\u0061\u0022\u006c\u0075\u0065\u002b\u00fc\u0020\u005c\u0020\u0078\u0025\u0079\ud83d\ude00`
	spelled := map[string]string{
		"plain":                     value,
		"JSON":                      escaped,
		"JSON without HTML's":       strings.ReplaceAll(escaped, `\u0026`, "&"),
		"JSON with slashes escaped": strings.ReplaceAll(escaped, "/", `\/`),
		"JSON in ASCII":             units,
		"JSON in JSON":              nested,
		"query in a query":          url.QueryEscape(url.QueryEscape(value)),
		"query":                     url.QueryEscape(value),
		"path":                      url.PathEscape(value),
		"small percents":            strings.ToLower(url.QueryEscape(value)),
		"HTML":                      html.EscapeString(value),
		"hexadecimal":               hex.EncodeToString([]byte(value)),
		"capital hexadecimal":       strings.ToUpper(hex.EncodeToString([]byte(value))),
		"capitals":                  `S3CR&T/VA"LUE+ü \ X%Y😀`,
		"title case":                `S3cr&t/Va"lue+ü \ X%y😀`,
		"capitals in a query":       url.QueryEscape(`S3CR&T/VA"LUE+ü \ X%Y😀`),
	}
	for name, text := range spelled {
		require.Equal(t, "a\\n<"+handle+">%41\\u0042&amp;", r.Text("a\\n<"+text+">%41\\u0042&amp;"), name)
		require.Equal(t, handle+handle, r.Text(text+text), name)
		require.Equal(t, text[:len(text)-1], r.Text(text[:len(text)-1]), name+", cut off")
	}

	// In base64 what stands before and behind it shifts it.
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		for _, before := range []string{"", "a", "u:", "user:", "user2:"} {
			for _, behind := range []string{"", "1", "12", "123"} {
				encoded := encoding.EncodeToString([]byte(before + value + behind))
				for _, text := range []string{encoded, url.QueryEscape(encoded), strings.ReplaceAll(encoded, "/", `\/`)} {
					got := r.Text("Basic " + text + ".")
					require.Contains(t, got, handle, text)
					// The rest of it says at most half a character.
					require.LessOrEqual(t, len(got), len("Basic .")+len(handle)+3*4+2*(len(before)+len(behind)), text)
				}
			}
		}
	}
}

// Rule: an encoding is found however it is broken into lines, whatever stands beside the value, and in whatever pieces it comes:
// with the ends of the lines taken out again nothing is left of it.
func TestRedactorReadsBrokenLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[!-~]{12,80}`).Draw(t, "value")
		whole := rapid.SliceOfN(rapid.Byte(), 0, 90).Draw(t, "before")
		whole = append(append(whole, value...), rapid.SliceOfN(rapid.Byte(), 0, 90).Draw(t, "behind")...)
		encoded := rapid.SampledFrom([]func([]byte) string{base64.StdEncoding.EncodeToString, base64.RawURLEncoding.EncodeToString, hex.EncodeToString}).Draw(t, "encoding")(whole)
		width, end := rapid.IntRange(1, 80).Draw(t, "width"), rapid.SampledFrom([]string{"\n", "\r\n", `\n`, `\r\n`}).Draw(t, "end")
		var lines []string
		for rest := encoded; rest != ""; {
			n := min(width, len(rest))
			lines, rest = append(lines, rest[:n]), rest[n:]
		}
		text := strings.Join(lines, end)
		r := redact.Of(map[string]string{value: "<a>"})
		got := r.Text(text)
		require.Contains(t, got, "<a>", text)
		unbroken := strings.ReplaceAll(got, end, "")
		require.Equal(t, unbroken, r.Text(unbroken), "nothing of it is left")
		var out strings.Builder
		w := r.NewWriter(&out)
		for size := rapid.IntRange(1, 20).Draw(t, "piece"); text != ""; {
			n := min(size, len(text))
			_, err := w.Write([]byte(text[:n]))
			require.NoError(t, err)
			text = text[n:]
		}
		require.NoError(t, w.Flush())
		require.Equal(t, got, out.String())
	})
}

// Where several fit, the longest is meant; and what is too short to be told from chance is left.
func TestRedactorPrefersTheLongest(t *testing.T) {
	t.Parallel()
	var r redact.Redactor
	for _, secret := range [][2]string{{"sk_live", "<a>"}, {"sk_live_4711", "<b>"}, {"my sk_live_4711 key", "<c>"}, {"sk_live", "<again>"}, {"123", "<short>"}, {"1234", "<pin>"}} {
		r.Add(secret[0], secret[1])
	}
	for text, want := range map[string]string{
		"sk_live":                   "<a>",
		"sk_live_4711":              "<b>",
		"sk_live_471":               "<a>_471",
		"my+sk_live_4711+key":       "<c>",
		"my+sk_live_4711+keX":       "my+<b>+keX",
		"123":                       "123",
		"12345":                     "<pin>5",
		`{"pin":"1234"}`:            `{"pin":"<pin>"}`,
		"MTIzNA==":                  "MTIzNA==",
		"31323334":                  "31323334",
		"c2tfbGl2ZV80NzEx":          "<b>",
		"c2tfbGl2ZQ==":              "<a>Q==",
		`%`:                         `%`,
		`%7`:                        `%7`,
		`\`:                         `\`,
		`\u`:                        `\u`,
		`\u00`:                      `\u00`,
		`\ud83d\u0000`:              `\ud83d\u0000`,
		`&`:                         `&`,
		`&;`:                        `&;`,
		`&#115;&#107;_live`:         "<a>",
		`%73\u006B_live`:            "<a>",
		strings.Repeat(`\%&+`, 100): strings.Repeat(`\%&+`, 100),
	} {
		require.Equal(t, want, r.Text(text), text)
	}
}

// Nothing that a server sends takes longer than its length.
func TestRedactorIsNotKeptBusy(t *testing.T) {
	t.Parallel()
	var r redact.Redactor
	r.Add(`sk_\"live%&+`, "<a>")
	for _, piece := range []string{`\`, `\"`, `%`, `%25`, `25`, `&`, `&#`, `&#x00000`, `+`, `\u`, `\u005c`, `sk_\`, `s`} {
		text := strings.Repeat(piece, (64<<10)/len(piece))
		require.Equal(t, text, r.Text(text))
	}
}

// Rule: in pieces, wherever it is cut, a text comes out as it does whole; what cannot be the beginning of a value is not held back.
func TestWriterInPieces(t *testing.T) {
	t.Parallel()
	const value = `s3cr&t/va"lue+ü \ x%y😀`
	r := redact.Of(map[string]string{value: "<a>", "s3cr&t": "<b>", "sesame-open": "<c>"})
	quoted, err := json.Marshal(value)
	require.NoError(t, err)
	text := "a " + value + " b s3cr&t" + strings.Trim(string(quoted), `"`) + url.QueryEscape(url.QueryEscape(value)) + html.EscapeString(value) +
		hex.EncodeToString([]byte(value)) + base64.StdEncoding.EncodeToString([]byte("u:"+value)) + `100% & + \ sesame-ope SESAME-OPEN`
	want := r.Text(text)
	for size := 1; size <= len(text); size++ {
		var out strings.Builder
		w := r.NewWriter(&out)
		for from := 0; from < len(text); from += size {
			n, err := w.Write([]byte(text[from:min(from+size, len(text))]))
			require.NoError(t, err)
			require.Equal(t, min(size, len(text)-from), n)
		}
		require.NoError(t, w.Flush())
		require.Equal(t, want, out.String(), "in pieces of %d", size)
	}
	var out strings.Builder
	w := r.NewWriter(&out)
	for _, piece := range []string{"half 50% done\n", "+ a line & more\n", "C:\\dir\n"} {
		_, err := w.Write([]byte(piece))
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(out.String(), piece), "%q", out.String())
	}
}

// Rule: nobody who writes nothing but beginnings has it all held back.
func TestWriterIsNotKeptBusy(t *testing.T) {
	t.Parallel()
	r := redact.Of(map[string]string{`sk_\"live%&+`: "<a>"})
	for _, piece := range []string{`\`, `%`, `%25`, `&`, `&#`, `+`, `\u`, `s`, `sk_\`} {
		var out strings.Builder
		w := r.NewWriter(&out)
		for range 2000 {
			_, err := w.Write([]byte(piece))
			require.NoError(t, err)
		}
		require.Greater(t, out.Len(), 1500*len(piece), piece)
		require.NoError(t, w.Flush())
		require.Equal(t, strings.Repeat(piece, 2000), out.String())
	}
}

// BenchmarkRedact is an answer of a mebibyte without a secret in it, after one was sent.
func BenchmarkRedact(b *testing.B) {
	var r redact.Redactor
	r.Add("sk_live_4711_abcdefghijklmnop", "{{secret:API}}")
	text := strings.Repeat(`{"id":4711,"name":"Skat \u00fc & Söhne","href":"https:\/\/a.example.test\/x?y=%20z"},`, 12_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}
