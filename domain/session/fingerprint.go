package session

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// The patterns here are compiled by what uses them: that is one failure of a check, and not each process.

// noise is what differs from run to run without meaning anything.
func noise() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`),                                            // colours
		regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?`), // moments
		regexp.MustCompile(`\b\d\d:\d\d:\d\d([.,]\d+)?\b`),
		regexp.MustCompile(`\b\d+([.,]\d+)?\s?(ms|µs|ns|s|sec|seconds|min|minutes)\b`), // times that something took
		regexp.MustCompile(`0x[0-9a-fA-F]+`),
		regexp.MustCompile(`:\d+(:\d+)?\b`), // lines and columns
		regexp.MustCompile(`\(\d+,\d+\)`),
		regexp.MustCompile(`/tmp/[^\s:'")]+`),
	}
}

// Fingerprint is the same for failures that are the same but for the moment: trigger, check, exit code and what the output says.
func Fingerprint(f Failure) string {
	text := f.Tail
	for _, one := range noise() {
		text = one.ReplaceAllString(text, "")
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines) // tests that run at once end in any order
	sum := sha256.Sum256([]byte(strings.Join(append([]string{string(f.Trigger), f.Check.Name, f.Check.Command, f.Says}, slices.Compact(lines)...), "\n")))
	return hex.EncodeToString(sum[:8])
}

const (
	looksTypecheck   = `error TS\d+:|error\[E\d{4}\]|(?m)^(\./)?[\w./-]+\.go:\d+:\d+: |: error: .*\[[a-z-]+\]$|Type error:`
	looksEnvironment = `(?i)command not found|: not found$|cannot find module|ENOENT|ECONNREFUSED|EADDRINUSE|permission denied|no space left|no such file or directory|out of memory|missing go\.sum entry`
	looksTest        = `(?m)^(--- )?FAIL\b|AssertionError|✗|✕|\bfailing\b|\d+ failed|not ok \d+`
)

func looks(pattern, tail string) bool { return regexp.MustCompile(pattern).MatchString(tail) }

// KindOf says what a failure looks like, by the end of its output and its exit code.
func KindOf(tail string, code int) FailureKind {
	switch {
	case code == 126 || code == 127:
		return KindEnvironment
	case looks(looksTest, tail) && !strings.Contains(tail, "[build failed]"):
		return KindTest
	case looks(looksTypecheck, tail):
		return KindTypecheck
	case looks(looksEnvironment, tail):
		return KindEnvironment
	}
	return KindOther
}

const namesFile = `(?m)(?:^|[\s'"(])((?:[\w@.-]+/)*[\w@.-]+\.[A-Za-z]{1,5})(?:\(\d+,\d+\)|:\d+)`

// maxFiles is how many files a failure is taken to be about.
const maxFiles = 50

// FilesNamed are the files that an output names with a line in them, as paths inside the repository, each once.
func FilesNamed(tail string) []string {
	var files []string
	for _, match := range regexp.MustCompile(namesFile).FindAllStringSubmatch(tail, -1) {
		path := strings.TrimPrefix(match[1], "./")
		if slices.Contains(strings.Split(path, "/"), "..") || slices.Contains(files, path) || len(files) == maxFiles {
			continue
		}
		files = append(files, path)
	}
	return files
}
