package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// npmNames are what Node calls kinds of machines.
var npmNames = map[string]string{"amd64": "x64", "arm64": "arm64", "windows": "win32", "linux": "linux", "darwin": "darwin"}

func npmName(t target) string { return "@kintsugi-run/" + npmNames[t.os] + "-" + npmNames[t.arch] }

// A manifest is a package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Unplugged   bool              `json:"preferUnplugged,omitempty"`
}

func (r release) manifest(name, description string) manifest {
	return manifest{Name: name, Version: r.version, Description: description, License: "Apache-2.0", Homepage: homepage,
		Repository: map[string]string{"type": "git", "url": "git+" + homepage + ".git"}}
}

// npmPackages writes a package for each kind of machine, and one that depends on all of them: npm installs only the one that
// fits, and `npx kintsugi` starts its program. No script runs at the installation.
func (r release) npmPackages() error {
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	readme, err := os.ReadFile(filepath.Join(r.root, "README.md"))
	if err != nil {
		return err
	}
	main := r.manifest("kintsugi", "Runs JavaScript automations, and mends them when they break")
	main.Bin = map[string]string{"kintsugi": "kintsugi.js"}
	main.Engines = map[string]string{"node": ">=18"}
	main.Optional = map[string]string{}
	for _, t := range r.present() {
		program, err := os.ReadFile(r.binary(t))
		if err != nil {
			return err
		}
		m := r.manifest(npmName(t), "The program of kintsugi for "+t.os+" on "+t.arch)
		m.OS, m.CPU, m.Unplugged = []string{npmNames[t.os]}, []string{npmNames[t.arch]}, true
		name := "kintsugi-run-" + npmNames[t.os] + "-" + npmNames[t.arch]
		if err := r.npmPackage(name, m, file{"bin/" + t.program(), 0o755, program}, file{"LICENSE", 0o644, license}); err != nil {
			return err
		}
		main.Optional[npmName(t)] = r.version
	}
	return r.npmPackage("kintsugi", main, file{"kintsugi.js", 0o755, []byte(launcher)}, file{"LICENSE", 0o644, license}, file{"README.md", 0o644, readme})
}

func (r release) npmPackage(name string, m manifest, all ...file) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	all = append(all, file{"package.json", 0o644, append(text, '\n')})
	for i := range all {
		all[i].name = "package/" + all[i].name
	}
	packed, err := r.tarball(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.to, name+"-"+r.version+".tgz"), packed, 0o644)
}

// launcher starts the program of this machine, with everything that it was given.
const launcher = `#!/usr/bin/env node
const { spawn } = require('node:child_process')
const { constants } = require('node:os')

const name = '@kintsugi-run/' + process.platform + '-' + process.arch
let program
try {
  program = require.resolve(name + '/bin/kintsugi' + (process.platform === 'win32' ? '.exe' : ''))
} catch {
  console.error('kintsugi: the package ' + name + ' is not installed. Either there is no program for this kind of machine,')
  console.error('or npm was told to leave out optional packages (--omit=optional): install kintsugi again without that.')
  process.exit(1)
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' })
// A terminal sends Ctrl-C to both. The program decides when it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => { if (signal !== 'SIGINT') child.kill(signal) })
}
child.on('error', (err) => {
  console.error('kintsugi: ' + err.message)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
`
