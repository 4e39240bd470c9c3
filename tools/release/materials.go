package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// lockFiles say which packages of npm are built into the page and into the libraries of scripts.
var lockFiles = []string{"web/package-lock.json", "internal/sandbox/library/npm/package-lock.json"}

// materials writes the bill of materials, as CycloneDX has it: the modules of Go that the binary itself names, and the packages
// of npm that were built into it.
func (r release) materials() error {
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.date.Format("2006-01-02T15:04:05Z"),
		Component: &cyclonedx.Component{Type: cyclonedx.ComponentTypeApplication, Name: "kintsugi", Version: r.version, BOMRef: "kintsugi"},
	}
	info, err := buildinfo.ReadFile(r.binary(r.present()[0]))
	if err != nil {
		return err
	}
	components := []cyclonedx.Component{component("pkg:golang/std@"+strings.TrimPrefix(info.GoVersion, "go"), "std", info.GoVersion)}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		components = append(components, component("pkg:golang/"+m.Path+"@"+m.Version, m.Path, m.Version))
	}
	for _, name := range lockFiles {
		found, err := locked(filepath.Join(r.root, name))
		if err != nil {
			return err
		}
		components = append(components, found...)
	}
	slices.SortFunc(components, func(a, b cyclonedx.Component) int { return strings.Compare(a.PackageURL, b.PackageURL) })
	components = slices.CompactFunc(components, func(a, b cyclonedx.Component) bool { return a.PackageURL == b.PackageURL })
	bom.Components = &components
	out, err := os.Create(filepath.Join(r.to, "kintsugi_"+r.version+"_sbom.cdx.json"))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return out.Close()
}

func component(address, name, version string) cyclonedx.Component {
	return cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: address, BOMRef: address}
}

// modules is the folder of a package in a lock file.
const modules = "node_modules/"

// locked are the packages of a lock file that are not only for the build.
func locked(name string) ([]cyclonedx.Component, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
			Dev     bool   `json:"dev"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, err
	}
	var found []cyclonedx.Component
	for at, p := range lock.Packages {
		folder := strings.LastIndex(at, modules)
		if folder < 0 || p.Dev {
			continue
		}
		name := at[folder+len(modules):]
		found = append(found, component("pkg:npm/"+strings.Replace(name, "@", "%40", 1)+"@"+p.Version, name, p.Version))
	}
	return found, nil
}
