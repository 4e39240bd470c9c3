package hostcall

import (
	"path"
	"strings"
	"unicode"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// The bounds of a path, small enough for every file system that a mirror may lie on.
const (
	maxPathBytes = 1024
	maxNameBytes = 255
	maxPathDepth = 16
)

// cleanPath is the one form of a script's path: relative, with single slashes and no dots.
// The workflow's own folder is ".". A path that leads out of the folder is a permission
// error, and so is any with a ".." in it: nobody needs one, and none is the simplest rule
// to be sure of. Any other path that cannot be is a logic error.
func cleanPath(tool, name string) (string, *sandbox.Error) {
	if path.IsAbs(name) {
		return "", fail(sandbox.ClassPermission, CodePathOutside,
			"%s: %q is outside the workflow's folder; paths are relative to it", tool, clip(name))
	}
	clean := path.Clean(name)
	if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '\\' }) {
		return "", fail(sandbox.ClassLogic, "", "%s: %q has a control character or a backslash in it", tool, clip(name))
	}
	parts := strings.Split(name, "/")
	for _, part := range parts {
		if part == ".." {
			return "", fail(sandbox.ClassPermission, CodePathOutside,
				"%s: %q has .. in it; paths stay inside the workflow's folder", tool, clip(name))
		}
		if len(part) > maxNameBytes {
			return "", fail(sandbox.ClassLogic, "", "%s: %q has a name of more than %d bytes in it", tool, clip(name), maxNameBytes)
		}
	}
	if len(clean) > maxPathBytes {
		return "", fail(sandbox.ClassLogic, "", "%s: %q is longer than %d bytes", tool, clip(name), maxPathBytes)
	}
	if strings.Count(clean, "/") >= maxPathDepth {
		return "", fail(sandbox.ClassLogic, "", "%s: %q lies deeper than %d folders", tool, clip(name), maxPathDepth)
	}
	return clean, nil
}

// clip keeps a name that is part of a message short.
func clip(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}
