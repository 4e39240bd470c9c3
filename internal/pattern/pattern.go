// Package pattern has regular expressions that are compiled when they are first used. A process begins with the patterns of
// all packages that it links, and most commands use none of them: compiling all took a sixth of their time.
//
//	var date = pattern.New(`^\d{4}-\d{2}-\d{2}$`)
//	date.MatchString(text)
package pattern //nolint:revive // the methods are documented where they are regexp.Regexp's

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

func (p *Pattern) Match(b []byte) bool { return p.compiled().Match(b) }

func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

func (p *Pattern) FindString(s string) string { return p.compiled().FindString(s) }

func (p *Pattern) FindStringIndex(s string) []int { return p.compiled().FindStringIndex(s) }

func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

func (p *Pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }

func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}

func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

func (p *Pattern) FindSubmatch(b []byte) [][]byte { return p.compiled().FindSubmatch(b) }

func (p *Pattern) FindAllSubmatch(b []byte, n int) [][][]byte {
	return p.compiled().FindAllSubmatch(b, n)
}

func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, n)
}

func (p *Pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }

func (p *Pattern) ReplaceAllStringFunc(s string, by func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, by)
}
