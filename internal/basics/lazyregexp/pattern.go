// Package lazyregexp has regular expressions that are compiled when they are first used. A process begins with the patterns of
// all packages that it links, and most commands use none of them: compiling all took a sixth of their time.
//
//	var date = pattern.New(`^\d{4}-\d{2}-\d{2}$`)
//	date.MatchString(text)
package lazyregexp

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression; its methods are those of [regexp.Regexp].
type Pattern struct {
	text     string
	compiled func() *regexp.Regexp
}

// New is the pattern of a text that must be one: the first use panics otherwise.
func New(text string) *Pattern {
	return &Pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// Regexp is the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp { return p.compiled() }

func (p *Pattern) String() string { return p.text }

// Match is as of [regexp.Regexp.Match].
func (p *Pattern) Match(b []byte) bool { return p.compiled().Match(b) }

// MatchString is as of [regexp.Regexp.MatchString].
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindString is as of [regexp.Regexp.FindString].
func (p *Pattern) FindString(s string) string { return p.compiled().FindString(s) }

// FindStringIndex is as of [regexp.Regexp.FindStringIndex].
func (p *Pattern) FindStringIndex(s string) []int { return p.compiled().FindStringIndex(s) }

// FindStringSubmatch is as of [regexp.Regexp.FindStringSubmatch].
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is as of [regexp.Regexp.FindStringSubmatchIndex].
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

// FindAllString is as of [regexp.Regexp.FindAllString].
func (p *Pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }

// FindAllStringIndex is as of [regexp.Regexp.FindAllStringIndex].
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is as of [regexp.Regexp.FindAllStringSubmatch].
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

// FindAllSubmatch is as of [regexp.Regexp.FindAllSubmatch].
func (p *Pattern) FindAllSubmatch(b []byte, n int) [][][]byte {
	return p.compiled().FindAllSubmatch(b, n)
}

// FindAllStringSubmatchIndex is as of [regexp.Regexp.FindAllStringSubmatchIndex].
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is as of [regexp.Regexp.ReplaceAllString].
func (p *Pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }

// ReplaceAllStringFunc is as of [regexp.Regexp.ReplaceAllStringFunc].
func (p *Pattern) ReplaceAllStringFunc(s string, by func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, by)
}
