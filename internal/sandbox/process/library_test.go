package process_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title><link>https://a.test/</link>` +
	`<item><title>One</title><link>https://a.test/1</link><guid>1</guid><pubDate>Mon, 02 Mar 2026 08:00:00 +0100</pubDate><category>x</category><enclosure url="https://a.test/1.mp3" type="audio/mpeg" length="5"/></item>` +
	`<item><title>Two</title><link>https://a.test/2</link></item></channel></rss>`

const page = `<!doctype html><title>Prices</title><script>var hidden = 1</script><table id=t><tr><th>Item<th>Price<tr class="row odd"><td>Tea<td>&euro; 3<tr class=row><td>Caf&eacute;<td><b>4</b>,50</table><p>Two<br>lines, <i>one</i> word`

var update = flag.Bool("update", false, "write testdata/libraries/expected.json anew")

// edition is what libraries are, and what they give.
type edition struct {
	Files map[string]string          `json:"files"` // digests of those that were npm packages
	Cases map[string]json.RawMessage `json:"cases"` // outputs, or errors, of libraries.ts
}

// Rule: a library does not change under its name. A difference here makes recorded versions run otherwise than they did:
// it is another edition, and has a new name (docs/decisions/sandbox.md#0048). New cases are written with go test
// ./internal/sandbox/process -run TestLibraries -update.
func TestLibraries(t *testing.T) {
	t.Parallel()
	have := edition{Files: map[string]string{}, Cases: map[string]json.RawMessage{}}
	files, err := filepath.Glob("../library/npm/*.js")
	require.NoError(t, err)
	for _, file := range files {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		digest := sha256.Sum256(code)
		have.Files[filepath.Base(file)] = hex.EncodeToString(digest[:])
	}
	const folder = "../../../testdata/libraries/"
	text, err := os.ReadFile(folder + "libraries.ts")
	require.NoError(t, err)
	input, err := json.Marshal(map[string]string{"feed": feed, "page": page})
	require.NoError(t, err)
	tried := ""
	for _, part := range strings.Split("\n"+string(text), "\n//// ")[1:] {
		name, code, _ := strings.Cut(part, "\n")
		x := execution(code)
		x.Input, x.Zone = input, "Europe/Berlin"
		outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), x, nil)
		require.NoError(t, err)
		have.Cases[name] = outcome.Output
		if e := outcome.Error; e != nil {
			require.Equal(t, logic, e.Class, name)
			have.Cases[name] = encoded(t, e.Name+": "+e.Message)
		}
		tried += code
	}
	for _, library := range engine.Libraries() {
		if library.Origin != "" { // those of our own stand on calls: internal/importer tries them
			require.Contains(t, tried, "'kintsugi:"+library.Name+"'")
		}
	}
	if *update {
		var out strings.Builder
		for _, name := range slices.Sorted(maps.Keys(have.Cases)) {
			fmt.Fprintf(&out, ",\n  %s: %s", encoded(t, name), have.Cases[name])
		}
		fmt.Fprintf(&out, "\n }\n}\n")
		head := fmt.Sprintf("{\n \"files\": %s,\n \"cases\": {", encoded(t, have.Files))
		require.NoError(t, os.WriteFile(folder+"expected.json", []byte(head+out.String()[1:]), 0o600))
	}
	text, err = os.ReadFile(folder + "expected.json")
	require.NoError(t, err)
	var want edition
	require.NoError(t, json.Unmarshal(text, &want))
	require.Equal(t, want.Files, have.Files)
	require.Len(t, have.Cases, len(want.Cases))
	for name := range want.Cases {
		require.JSONEq(t, string(want.Cases[name]), string(have.Cases[name]), name)
	}
}

func encoded(t *testing.T, value any) json.RawMessage {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(value))
	return bytes.TrimSpace(out.Bytes())
}

// Rule: what one run does to a library and to the classes it is made of is seen in no other, and each run of a
// script gives the same.
func TestLibrariesAreMadeAnewInEachRun(t *testing.T) {
	t.Parallel()
	const honest = `import { DateTime, Settings } from 'kintsugi:dates'; import { z } from 'kintsugi:schema'; import { Decimal } from 'kintsugi:decimal'; import { parse } from 'kintsugi:html';
export default () => [DateTime.utc(2026).toISO(), z.number().safeParse('1').success, new Decimal('0.1').plus('0.2'), parse('<b>1</b>').querySelector('b').textContent]`
	const hostile = `import { DateTime, Settings } from 'kintsugi:dates'; import { z, config, ZodType } from 'kintsugi:schema'; import { Decimal } from 'kintsugi:decimal'; import { parse } from 'kintsugi:html';
Array.prototype.map = () => ['evil']; String.prototype.padStart = () => 'evil'; Map.prototype.get = () => null;
export default () => {
  const seen = [];
  try { seen.push(DateTime.utc(2026).toISO()); } catch (e) { seen.push(e.message); }
  DateTime.prototype.toISO = () => 'evil'; DateTime.now = () => 'evil'; Settings.defaultZone = 'Asia/Tokyo'; Settings.now = () => 1;
  config({ customError: () => 'evil' }); Decimal.set({ precision: 1 }); Decimal.prototype.plus = () => 'evil';
  try { seen.push(z.number().safeParse('1').error.issues); } catch (e) { seen.push(e.message); }
  const element = parse('<b>1</b>').querySelector('b');
  Object.defineProperty(Object.getPrototypeOf(element), 'textContent', { value: 'evil' });
  return [seen, element.textContent, String(new Decimal(1).div(3))];
}`
	pool := newPool(t, 1)
	var first [2]string
	for range 2 {
		for i, code := range []string{honest, hostile} {
			x := execution(code)
			x.Affinity = "one"
			outcome, err := pool.Run(t.Context(), x, nil)
			require.NoError(t, err)
			require.Nil(t, outcome.Error, "%+v", outcome.Error)
			if first[i] == "" {
				first[i] = string(outcome.Output)
			}
			require.Equal(t, first[i], string(outcome.Output))
		}
	}
	require.JSONEq(t, `["2026-01-01T00:00:00.000Z", false, "0.3", "1"]`, first[0])
}

// reserved are the words that no variable of JavaScript may have as its name, besides those that Go reserves as well.
var reserved = strings.Fields("catch class debugger delete do enum export extends false finally function in instanceof new null super this throw true try typeof undefined void while with yield await")

// Rule: a library may be imported under any name, also that of a global which it is made of.
func TestALibraryIsImportedUnderAnyName(t *testing.T) {
	t.Parallel()
	for _, library := range engine.Libraries() {
		for _, module := range library.Names() {
			var forms []string
			for _, name := range append(slices.Clone(library.Exports[:min(4, len(library.Exports))]), "crypto", "Buffer", "process", "URL", "console", "fetch") {
				if token.IsKeyword(name) || slices.Contains(reserved, name) {
					continue
				}
				forms = append(forms, fmt.Sprintf("import %s from '%s'", name, module), fmt.Sprintf("import * as %s from '%s'", name, module))
				if slices.Contains(library.Exports, name) && name != "default" {
					forms = append(forms, fmt.Sprintf("import { %s } from '%s'", name, module))
				}
			}
			for _, form := range forms {
				name := strings.Fields(strings.NewReplacer("* as ", "", "{ ", "").Replace(form))[1]
				outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), execution(form+"\nexport default () => typeof "+name), nil)
				require.NoError(t, err, form)
				require.Nil(t, outcome.Error, "%s: %+v", form, outcome.Error)
				require.NotEqual(t, `"undefined"`, string(outcome.Output), form)
			}
		}
	}
	const together = `import crypto from 'crypto'; import { Buffer } from 'buffer'; import process from 'node:process'; import { URL } from 'url'; import fs from 'fs';
export default () => [crypto.createHash('sha256').update('x').digest('hex').slice(0, 8), Buffer.from('x').toString('base64'), typeof process.env, new URL('https://a.test/b').pathname, Buffer.from('x') instanceof globalThis.Buffer, typeof fs.readFileSync]`
	outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), execution(together), nil)
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	require.JSONEq(t, `["2d711642", "eA==", "object", "/b", true, "function"]`, string(outcome.Output))
}

// Rule: fs.rm with recursive takes a folder with all that is in it, createRequire gives the require that there is, and errors of Node's
// parts have the codes that scripts look at.
func TestSmallPartsOfNode(t *testing.T) {
	t.Parallel()
	bindings := []sandbox.Binding{{Name: "files.list", Effect: effect(sandbox.Read)}, {Name: "files.remove", Effect: effect(sandbox.Write)}}
	var removed []string
	host := sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
		if call.Tool == "files.remove" {
			removed = append(removed, string(call.Args))
			return sandbox.Reply{Result: json.RawMessage("null")}, nil
		}
		return sandbox.Reply{Result: json.RawMessage(map[string]string{`["out"]`: `["a.txt","sub/"]`, `["out/sub"]`: `["b.txt"]`}[string(call.Args)])}, nil
	})
	code := `import { createRequire } from 'node:module'; import { constants } from 'node:zlib'; import fs from 'node:fs';
const require = createRequire(import.meta.url);
export async function main() {
	const { basename } = require('path');
	await fs.promises.rm('out', { recursive: true, force: true });
	const codes = [() => Buffer.alloc(2).readUInt32BE(0), () => Buffer.alloc(2).writeUInt8(300)].map((f) => { try { f(); } catch (e) { return e.code; } });
	return [basename('/a/b.txt'), constants.Z_BEST_COMPRESSION, codes];
}`
	outcome, err := process.InProcess{Bindings: bindings}.Run(t.Context(), execution(code), host)
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	require.JSONEq(t, `["b.txt",9,["ERR_OUT_OF_RANGE","ERR_OUT_OF_RANGE"]]`, string(outcome.Output))
	require.Equal(t, []string{`["out/a.txt"]`, `["out/sub/b.txt"]`}, removed)
}
