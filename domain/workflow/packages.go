package workflow

import (
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// packagesMark begins the lines at the end of a code that say which packages it takes.
const packagesMark = "//# packages sha256 "

// maxPacked is how many bytes of packages one script may have, packed: the event is in one append with the script.
const maxPacked = 700 << 10

// packagesOf is the digest of the packages that a code takes, and all that it says of them; both empty if it takes none.
func packagesOf(code string) (sha256, said string) {
	at := strings.LastIndex(code, packagesMark)
	if at < 0 || at > 0 && code[at-1] != '\n' {
		return "", ""
	}
	said = strings.TrimSpace(code[at:])
	line, _, _ := strings.Cut(said, "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, packagesMark)), said
}

// keepPackages is what a save brings with it that is not kept yet; nil for nothing. Refused is a code whose packages are nowhere.
func (s State) keepPackages(c SaveScript) ([]event.Event, error) {
	named, _ := packagesOf(c.Code)
	switch {
	case named == "" || slices.Contains(s.Packages, named):
		return nil, nil
	case c.Packages == nil || c.Packages.SHA256 != named:
		return nil, invalid("the packages that this script names are not kept with this workflow: save it from its folder, kintsugi script save WORKFLOW --file FOLDER")
	case len(c.Packages.Packed) == 0 || len(c.Packages.Packed) > maxPacked:
		return nil, invalid("the packages have %d bytes when they are packed, %d are allowed", len(c.Packages.Packed), maxPacked)
	}
	kept := *c.Packages
	kept.Names = slices.Clone(kept.Names[:min(len(kept.Names), maxNames)])
	for i, name := range kept.Names {
		kept.Names[i] = failure.Cut(name, maxLine)
	}
	return []event.Event{kept}, nil
}

// maxNames is how many packages an event names.
const maxNames = 100

// samePackages refuses a fix that changes packages: those are the person's to choose.
func (s State) samePackages(base Version, code string) error {
	of, known := s.Script(base)
	if !known {
		return nil
	}
	_, before := packagesOf(of.Code)
	if _, after := packagesOf(code); before != after {
		return invalid("a fix changes no package: the lines from %q on stay as they are in version %s", strings.TrimSpace(packagesMark), base)
	}
	return nil
}
