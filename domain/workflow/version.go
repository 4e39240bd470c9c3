package workflow

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Version is a script version. Planner and person make majors, fixes make minors.
// Versions order as pairs of numbers, never as text.
type Version struct {
	Major int `json:"major"`
	Minor int `json:"minor"`
}

// String is the form people see: "2.10".
func (v Version) String() string { return strconv.Itoa(v.Major) + "." + strconv.Itoa(v.Minor) }

// Compare is negative, zero or positive as v is before, the same as or after w.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor))
}

// IsZero says that there is no version.
func (v Version) IsZero() bool { return v == Version{} }

// ParseVersion reads "major.minor" with a major from 1 and a minor from 0.
func ParseVersion(text string) (Version, error) {
	major, minor, found := strings.Cut(text, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	v := Version{Major: a, Minor: b}
	if !found || errA != nil || errB != nil || a < 1 || b < 0 || v.String() != text {
		return Version{}, fmt.Errorf("workflow: %q is not a version: write major.minor, like 1.0", text)
	}
	return v, nil
}
