package hostcall

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Types are the declarations in TypeScript of all that a script finds beside ECMAScript: docs/kintsugi.d.ts.
var Types = sync.OnceValue(func() string {
	var text strings.Builder
	text.WriteString("// What a script of Kintsugi finds beside ECMAScript. Made of what each tool and global declares of itself:\n" +
		"// go test ./internal/sandbox/hostcall -run Reference -update. Prints it: kintsugi script api.\n")
	for _, builtin := range engine.Builtins() {
		if builtin.Types != "" {
			fmt.Fprintf(&text, "\n%s%s\n", comment("", builtin.Doc), builtin.Types)
		}
	}
	spaces := map[string][]Tool{}
	var roots []string
	for _, t := range declared() {
		if t.TypesBeside != "" {
			fmt.Fprintf(&text, "\n%s\n", t.TypesBeside)
		}
		root, _, _ := strings.Cut(t.Name, ".")
		if spaces[root] == nil {
			roots = append(roots, root)
		}
		spaces[root] = append(spaces[root], t)
	}
	for _, root := range roots {
		if list := spaces[root]; list[0].Name == root {
			fmt.Fprintf(&text, "\n%sdeclare function %s%s;\n", comment("", list[0].Doc), root, list[0].Types)
			continue
		}
		fmt.Fprintf(&text, "\ndeclare const %s: {\n", root)
		for _, t := range spaces[root] {
			fmt.Fprintf(&text, "%s  %s%s;\n", comment("  ", t.Doc), strings.TrimPrefix(t.Name, root+"."), t.Types)
		}
		text.WriteString("};\n")
	}
	for _, library := range engine.Libraries() {
		fmt.Fprintf(&text, "\n%sdeclare module 'kintsugi:%s' {\n  %s\n}\n", comment("", library.Doc), library.Name, strings.ReplaceAll(library.Types, "\n", "\n  "))
		for _, name := range library.Packages {
			fmt.Fprintf(&text, "declare module '%s' { export * from 'kintsugi:%s'; %s}\n", name, library.Name, reexport(library))
		}
	}
	return text.String()
})

// reexport is what export * leaves out.
func reexport(library engine.Library) string {
	if library.Default == "" {
		return ""
	}
	return "export { " + library.Default + " as default } from 'kintsugi:" + library.Name + "'; "
}

func comment(indent, doc string) string {
	if doc == "" {
		return ""
	}
	return indent + "/** " + strings.ReplaceAll(doc, "*/", "* /") + " */\n"
}

// Entry is one thing that a script finds, as `kintsugi script api NAME` shows it.
type Entry struct {
	Name  string `json:"name"`
	Use   string `json:"use"`
	Kind  string `json:"kind"` // read, write, global or module
	Doc   string `json:"doc"`
	Types string `json:"types"`
}

// Entries are all of them, calls first. Names are told as scripts write them.
func Entries() []Entry {
	var all []Entry
	for _, t := range declared() {
		all = append(all, Entry{Name: t.Name, Use: signature(t), Kind: effectText(t), Doc: t.Doc, Types: t.Name + t.Types})
	}
	for _, builtin := range engine.Builtins() {
		names := builtin.Names
		if len(names) == 0 {
			use, _, _ := strings.Cut(builtin.Use, "(")
			names = []string{use}
		}
		for _, name := range names {
			all = append(all, Entry{Name: name, Use: builtin.Use, Kind: "global", Doc: builtin.Doc, Types: builtin.Types})
		}
	}
	for _, library := range engine.Libraries() {
		doc := library.Doc
		if library.Origin != "" {
			doc += " It is " + library.Origin + "."
		}
		all = append(all, Entry{Name: "kintsugi:" + library.Name, Use: library.Use(), Kind: "module", Doc: doc, Types: library.Types})
	}
	return all
}

// EntriesNamed are those of a name, and those under it: kv has kv.get and its kin.
func EntriesNamed(name string) []Entry {
	return slices.DeleteFunc(Entries(), func(e Entry) bool { return e.Name != name && !strings.HasPrefix(e.Name, name+".") })
}
