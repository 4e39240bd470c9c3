package folder

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const lockFile = "package-lock.json"

// lockedPackages are the versions that package-lock.json says, by the folders of packages: node_modules/dayjs.
type lockedPackages map[string]string

func (r *reader) locked() (lockedPackages, error) {
	text, err := os.ReadFile(filepath.Join(r.root, lockFile))
	if err != nil {
		return nil, nil //nolint:nilerr // there is none
	}
	var lock struct {
		Version  int `json:"lockfileVersion"`
		Packages map[string]struct {
			Version string `json:"version"`
			Link    bool   `json:"link"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, failed("%s of %s is no JSON: %s", lockFile, r.named, err)
	}
	if lock.Packages == nil {
		return nil, failed("%s of %s has the format of version %d, which says too little: run npm install --package-lock-only there with npm 7 or newer", lockFile, r.named, lock.Version)
	}
	found := lockedPackages{}
	for folder, one := range lock.Packages {
		if folder != "" && !one.Link {
			found[folder] = one.Version
		}
	}
	return found, nil
}

// packageName is the package of a module: @a/b of @a/b/c.
func packageName(module string) string {
	parts := strings.SplitN(module, "/", 3)
	if strings.HasPrefix(module, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// packageFolder is the folder of the package that a file in node_modules belongs to, and the package's name.
func packageFolder(file string) (folder, name string) {
	const modules = "node_modules/"
	at := strings.LastIndex("/"+file, "/"+modules)
	if at < 0 {
		return "", ""
	}
	name = packageName(file[at+len(modules):])
	return path.Join(file[:at+len(modules)], name), name
}

// installed is the version of a package that is in its folder.
func (r *reader) installed(folder string) string {
	text, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(folder), "package.json"))
	if err != nil {
		return ""
	}
	var about struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(text, &about) != nil {
		return ""
	}
	return about.Version
}
