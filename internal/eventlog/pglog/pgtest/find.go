package pgtest

import (
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// places are where packages put the programs of the server, besides PATH; tools/need-postgres.sh looks there too.
var places = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/usr/local/pgsql/bin",
}

var errMissing = errors.New("pgtest: PostgreSQL is missing (no initdb found); run tools/need-postgres.sh, which installs it or says how")

// programs gives the directory with initdb, postgres and pg_ctl: the newest, if there are several.
func programs() (string, error) {
	var found []string
	for _, place := range places {
		matches, err := filepath.Glob(place + "/initdb")
		if err != nil {
			return "", err
		}
		found = append(found, matches...)
	}
	if len(found) > 0 {
		newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
		return filepath.Dir(newest), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errMissing
	}
	return filepath.Dir(path), nil
}

var digits = regexp.MustCompile(`\d+`)

// version is the first number in a path.
func version(path string) int {
	n, err := strconv.Atoi(digits.FindString(path))
	if err != nil {
		return 0
	}
	return n
}
