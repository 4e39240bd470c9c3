// Command release packs the binaries of a version for each way in which people install a program: archives, packages
// of Debian and Red Hat, a package of npm, a formula of Homebrew, an image of containers; with a bill of materials,
// checksums and a signature. `make release` calls it. The same commit gives the same bytes.
//
// It is a module of its own, so that nobody who builds Kintsugi needs the libraries that pack it.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const homepage = "https://github.com/kintsugi-run/kintsugi"

// A release is what all packages share.
type release struct {
	version string    // without the v before it
	date    time.Time // of the commit; files have it
	root    string    // of the repository
	bin     string    // where the binaries are, kintsugi-OS-ARCH
	extras  string    // where the man pages and completions are
	to      string
}

// A target is a kind of machine that there is a binary for.
type target struct{ os, arch string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

func (t target) String() string { return t.os + "-" + t.arch }

// program is the name of the program on that kind of machine.
func (t target) program() string {
	if t.os == "windows" {
		return "kintsugi.exe"
	}
	return "kintsugi"
}

func (r release) binary(t target) string { return filepath.Join(r.bin, "kintsugi-"+t.String()) }

// present are the targets whose binaries were built.
func (r release) present() []target {
	return slices.DeleteFunc(slices.Clone(targets), func(t target) bool {
		_, err := os.Stat(r.binary(t))
		return err != nil
	})
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run() error {
	var r release
	var epoch int64
	flag.StringVar(&r.version, "version", "", "version, as v1.2.3")
	flag.Int64Var(&epoch, "date", 0, "time of the commit, in seconds since 1970")
	flag.StringVar(&r.root, "root", "../..", "folder of the repository")
	flag.StringVar(&r.bin, "bin", "", "folder of the binaries")
	flag.StringVar(&r.extras, "extras", "", "folder of man pages and completions")
	flag.StringVar(&r.to, "to", "", "folder of the packages")
	key := flag.String("key", "", "file of the minisign key that signs the checksums (its password is in MINISIGN_PASSWORD); without it nothing is signed")
	flag.Parse()
	if r.bin == "" || r.extras == "" || r.to == "" {
		return fmt.Errorf("--bin, --extras and --to name folders")
	}
	r.version = number(r.version)
	r.date = time.Unix(epoch, 0).UTC()
	if len(r.present()) == 0 {
		return fmt.Errorf("no binary in %s: 'make release' builds them", r.bin)
	}
	if err := os.MkdirAll(r.to, 0o755); err != nil {
		return err
	}
	for _, step := range []func() error{r.archives, r.systemPackages, r.npmPackages, r.image, r.materials, r.formula} {
		if err := step(); err != nil {
			return err
		}
	}
	return r.checksums(*key)
}

// number is the version as package managers order it. A commit without a tag has none, and comes before all that do.
func number(version string) string {
	version = strings.TrimPrefix(version, "v")
	if version == "" || version[0] < '0' || version[0] > '9' || !strings.Contains(version, ".") {
		return "0.0.0-" + strings.ReplaceAll(cmp.Or(version, "unknown"), "_", "-")
	}
	return version
}
