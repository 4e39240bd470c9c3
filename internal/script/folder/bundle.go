package folder

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// packages adds to what was made the packages that the author's files take.
func (r *reader) packages(made *Made) error {
	locked, err := r.locked()
	if err != nil {
		return err
	}
	var modules []string
	for _, module := range slices.Sorted(maps.Keys(r.wants)) {
		name := packageName(module)
		_, isLocked := locked["node_modules/"+name]
		switch {
		case nodeModule(module), strings.HasPrefix(module, "kintsugi"), !isLocked && r.options.Has(module):
			continue // whether it is here is looked at with the script
		case strings.ContainsAny(module, ":\\") || path.IsAbs(module) || !filepath.IsLocal(module) || strings.HasPrefix(module, "#"):
			return failed("%s: %q is neither a file beside it nor a package", r.wants[module].where, module)
		case locked == nil:
			return failed("%s: %s is a package of npm, and %s has no %s that says its version: run npm install %s there", r.wants[module].where, module, r.root, lockFile, name)
		case !isLocked:
			return failed("%s: %s is not in %s: run npm install %s in %s", r.wants[module].where, module, lockFile, name, r.root)
		}
		modules = append(modules, module)
	}
	if len(modules) == 0 {
		return nil
	}
	bundle, err := r.bundle(modules, api.PlatformNode)
	if err != nil {
		return err
	}
	if len(bundle.absent) > 0 { // what a package has for browsers may do without
		if other, err := r.bundle(modules, api.PlatformBrowser); err == nil && len(other.absent) < len(bundle.absent) {
			bundle = other
		}
	}
	return r.keep(made, modules, bundle, locked)
}

// bundled is what esbuild makes of packages.
type bundled struct {
	code   string
	names  map[string]map[string]string // what the code exports, by modules and names
	entry  map[string]string            // files, by what the author's files import
	files  []string                     // of which something is left, sorted
	absent map[string]string            // modules of Node's that are not here, and a file that requires each
}

// supported is what the engine has not: esbuild writes it otherwise.
var supported = map[string]bool{
	"for-await": false, "async-generator": false, "using": false, "decorators": false, "dynamic-import": false, "import-meta": false,
	"regexp-set-notation": false, "regexp-match-indices": false, "import-attributes": false, "top-level-await": false,
}

// withoutPrivate is added where a package asks for a private name with in.
var withoutPrivate = []string{
	"class-private-brand-check", "class-private-field", "class-private-method", "class-private-accessor", "class-private-static-field",
	"class-private-static-method", "class-private-static-accessor", "class-static-field",
}

var privateIn = lazyregexp.New(`#[\w$]+ in `)

// defined is what packages find in the place of some names. Code that was never looked at does not become code here.
var defined = map[string]string{"process.env.NODE_ENV": `"production"`, "eval": "undefined"}

// bundle makes one text of the files of packages that are needed. Nothing is executed.
func (r *reader) bundle(modules []string, platform api.Platform) (*bundled, error) {
	b := &bundled{names: map[string]map[string]string{}, entry: map[string]string{}, absent: map[string]string{}}
	var entry strings.Builder
	for i, module := range modules {
		quoted, _ := json.Marshal(module)
		of := r.wants[module]
		names := map[string]string{}
		if of.required {
			names[""] = fmt.Sprintf("r%d", i)
			fmt.Fprintf(&entry, "export const %s = () => require(%s);\n", names[""], quoted)
		}
		for j, name := range of.names {
			names[name] = fmt.Sprintf("n%d_%d", i, j)
			if name == "*" {
				fmt.Fprintf(&entry, "export * as %s from %s;\n", names[name], quoted)
			} else {
				fmt.Fprintf(&entry, "export { %s as %s } from %s;\n", name, names[name], quoted)
			}
		}
		b.names[module] = names
	}
	o := api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: entry.String(), ResolveDir: r.root, Sourcefile: r.entryName(), Loader: api.LoaderJS},
		Bundle: true, Write: false, Metafile: true, AbsWorkingDir: r.root, Platform: platform, Format: api.FormatCommonJS,
		Target: api.ES2022, Supported: maps.Clone(supported), TreeShaking: api.TreeShakingTrue, Define: defined, LogLimit: 1, Charset: api.CharsetUTF8,
		LegalComments: api.LegalCommentsNone, MinifyWhitespace: true, MinifySyntax: true, TsconfigRaw: "{}", Outfile: "out.js", Plugins: []api.Plugin{r.plugin()},
	}
	result := api.Build(o)
	if len(result.Errors) == 0 && privateIn.Match(result.OutputFiles[0].Contents) {
		for _, feature := range withoutPrivate {
			o.Supported[feature] = false
		}
		result = api.Build(o)
	}
	if len(result.Errors) > 0 {
		return nil, r.explain(modules, result.Errors[0])
	}
	var said struct {
		Inputs map[string]struct {
			Imports []struct {
				Path     string `json:"path"`
				Original string `json:"original"`
				External bool   `json:"external"`
			} `json:"imports"`
		} `json:"inputs"`
		Outputs map[string]struct {
			Inputs map[string]struct {
				Bytes int `json:"bytesInOutput"`
			} `json:"inputs"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(result.Metafile), &said); err != nil {
		return nil, fmt.Errorf("folder: what esbuild says of packages: %w", err)
	}
	b.code = strings.TrimSpace(string(result.OutputFiles[0].Contents))
	for _, one := range said.Inputs[r.entryName()].Imports {
		b.entry[one.Original] = one.Path
	}
	for _, output := range said.Outputs {
		for file, of := range output.Inputs {
			if of.Bytes > 0 && file != r.entryName() && !strings.HasPrefix(file, "(disabled)") {
				b.files = append(b.files, file)
			}
		}
	}
	slices.Sort(b.files)
	for _, file := range b.files {
		for _, one := range said.Inputs[file].Imports {
			if name := strings.TrimPrefix(one.Path, "node:"); one.External && !r.options.Has("node:"+name) {
				b.absent[name] = file
			}
		}
	}
	return b, nil
}

// entryName is the file that takes what the author's files take. How it is called says what the default of CommonJS is: all of it, as in
// Node, or, for TypeScript that compilers make CommonJS of, the one that it declares.
func (r *reader) entryName() string {
	if (strings.HasSuffix(r.first, ".ts") || strings.HasSuffix(r.first, ".cts")) && !r.isModule(".") {
		return "kintsugi-entry.js"
	}
	return "kintsugi-entry.mjs"
}

// plugin says what imports may name: Node's modules are left to the run, and nothing but files is read.
func (r *reader) plugin() api.Plugin {
	return api.Plugin{Name: "kintsugi", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			switch {
			case args.Kind == api.ResolveEntryPoint:
				return api.OnResolveResult{}, nil
			case nodeModule(args.Path):
				return api.OnResolveResult{Path: args.Path, External: true}, nil
			case strings.Contains(args.Path, ":") || path.IsAbs(args.Path) || strings.Contains(args.Path, "\\"):
				return api.OnResolveResult{}, fmt.Errorf("%q is neither a file of the package nor another package", args.Path)
			}
			return api.OnResolveResult{}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			if err := r.inside(args.Path); err != nil {
				return api.OnLoadResult{}, err
			}
			if loaderOf(args.Path) == api.LoaderNone {
				return api.OnLoadResult{}, fmt.Errorf("%s is neither JavaScript nor JSON", filepath.Base(args.Path))
			}
			return api.OnLoadResult{}, nil
		})
	}}
}

func loaderOf(file string) api.Loader {
	switch filepath.Ext(file) {
	case ".js", ".mjs", ".cjs":
		return api.LoaderJS
	case ".ts", ".mts", ".cts":
		return api.LoaderTS
	case ".json":
		return api.LoaderJSON
	}
	return api.LoaderNone
}

// explain says what esbuild did not find, as the author would look for it.
func (r *reader) explain(modules []string, of api.Message) error {
	where := ""
	if of.Location != nil && of.Location.File == r.entryName() {
		text := of.Location.LineText
		for _, module := range modules {
			if quoted, _ := json.Marshal(module); strings.Contains(text, string(quoted)) {
				where = r.wants[module].where + ": "
				if strings.HasPrefix(of.Text, "Could not resolve") {
					return failed("%s%s is not in node_modules as %s has it: run npm ci in %s", where, module, lockFile, r.root)
				}
			}
		}
	} else if of.Location != nil {
		where = of.Location.File + ": "
	}
	if strings.HasPrefix(of.Text, "Could not resolve") {
		return failed("%s%s: run npm ci in %s", where, of.Text, r.root)
	}
	return failed("%s%s", where, of.Text)
}

// keep makes the text of packages.
func (r *reader) keep(made *Made, modules []string, b *bundled, locked lockedPackages) error {
	lock := &packages.Lock{}
	direct := map[string]bool{}
	for _, module := range modules {
		names := slices.Sorted(slices.Values(r.wants[module].names))
		if slices.Contains(names, "*") || len(names) == 0 {
			names = []string{"*"}
		}
		folder := "node_modules/" + packageName(module)
		direct[folder] = true
		lock.Modules = append(lock.Modules, packages.Module{Name: module, Version: locked[folder], Names: names})
	}
	others := map[string]bool{}
	for _, file := range append(slices.Collect(maps.Values(b.entry)), b.files...) {
		folder, name := packageFolder(file)
		version, isLocked := locked[folder]
		switch has := r.installed(folder); {
		case nodeModule(file):
			continue
		case folder == "":
			return failed("a package takes %s, which is no file of a package: packages are kept from node_modules only", file)
		case !isLocked:
			return failed("%s is in node_modules and not in %s: run npm ci in %s", name, lockFile, r.root)
		case has != version:
			return failed("node_modules has %s %s, and %s has %s: run npm ci in %s", name, has, lockFile, version, r.root)
		case !direct[folder]:
			others[name+" "+version] = true
		}
	}
	lock.With = slices.Sorted(maps.Keys(others))
	text := packages.Text{Modules: b.names, Code: b.code}
	encoded, digest, err := text.Encode()
	if err != nil {
		return err
	}
	packed, err := packages.Pack(encoded)
	if err != nil {
		return err
	}
	if len(encoded) > packages.MaxText || len(packed) > packages.MaxPacked {
		return failed("the packages have %d KiB (%d KiB packed), and %d KiB (%d KiB packed) are kept with a script: import less of them, by name",
			len(encoded)>>10, len(packed)>>10, packages.MaxText>>10, packages.MaxPacked>>10)
	}
	lock.Digest = digest
	if !strings.HasSuffix(made.Code, "\n") {
		made.Code += "\n"
	}
	made.Code += lock.String()
	made.Text = encoded
	for _, name := range slices.Sorted(maps.Keys(b.absent)) {
		_, of := packageFolder(b.absent[name])
		made.Absent = append(made.Absent, fmt.Sprintf("%s requires Node's %s, which is not here: what needs it fails", of, name))
	}
	return nil
}

func (r *reader) isModule(folder string) bool {
	text, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(folder), "package.json"))
	if err != nil {
		return false
	}
	var about struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(text, &about) == nil && about.Type == "module"
}
