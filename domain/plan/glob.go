package plan

import (
	"fmt"
	"slices"
	"strings"
)

// A pattern is a glob of paths: ? is one character and * any number of them but /, [a-z] and [!a-z] one of a set,
// {a,b} either of two, and a segment ** any number of segments. A glob that ends with /** matches everything below a
// directory, but never the directory's own name: a file or a symlink in its place is another path.
//
// It is held as an automaton, so that two sets can be asked for a path that both have, before there is any file.
type pattern struct {
	exclude bool
	any     [][]token // of each alternative
}

type token struct {
	kind   tokenKind
	ranges [][2]rune // of one
	not    bool
}

type tokenKind int

const (
	one      tokenKind = iota // a character of the ranges
	star                      // any number of characters of a segment
	deep                      // any number of segments, each with the slash behind it
	deepLast                  // one segment or more
)

// maxAlternatives bounds what braces may multiply to.
const maxAlternatives = 64

func parsePattern(text string) (pattern, error) {
	p := pattern{}
	text, p.exclude = strings.CutPrefix(text, "!")
	switch {
	case text == "":
		return p, fmt.Errorf("is empty")
	case strings.HasPrefix(text, "/"):
		return p, fmt.Errorf("is an absolute path: patterns are relative to the top of the repository")
	case strings.Contains(text, `\`):
		return p, fmt.Errorf(`has a \ in it: directories are separated by /, and a character that means something is written in brackets, as [*]`)
	case strings.HasSuffix(text, "/"):
		return p, fmt.Errorf("ends with /: for all that is below a directory write %s**", text)
	}
	alternatives, err := braces(text)
	if err != nil {
		return p, err
	}
	for _, alternative := range alternatives {
		tokens, err := tokens(alternative)
		if err != nil {
			return p, err
		}
		p.any = append(p.any, tokens)
	}
	return p, nil
}

// braces are the alternatives of a text.
func braces(text string) ([]string, error) {
	open := strings.IndexByte(text, '{')
	if open < 0 {
		if strings.Contains(text, "}") {
			return nil, fmt.Errorf("has a } without a {")
		}
		return []string{text}, nil
	}
	depth, begin := 0, open+1
	var parts []string
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 1 {
				parts, begin = append(parts, text[begin:i]), i+1
			}
		}
		if depth > 0 {
			continue
		}
		var all []string
		for _, part := range append(parts, text[begin:i]) {
			more, err := braces(text[:open] + part + text[i+1:])
			if err != nil {
				return nil, err
			}
			if all = append(all, more...); len(all) > maxAlternatives {
				return nil, fmt.Errorf("has more than %d alternatives: write several patterns", maxAlternatives)
			}
		}
		return all, nil
	}
	return nil, fmt.Errorf("has a { without a }")
}

func tokens(text string) ([]token, error) {
	var all []token
	segments := strings.Split(text, "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch {
		case segment == "":
			return nil, fmt.Errorf("has an empty segment")
		case segment == "." || segment == "..":
			return nil, fmt.Errorf("has a segment %s: patterns stay inside the repository, and are written plainly", segment)
		case i == 0 && strings.EqualFold(segment, ".git"):
			return nil, fmt.Errorf("is about .git, which no job may touch")
		case segment == "**" && last:
			return append(all, token{kind: deepLast}), nil
		case segment == "**":
			all = append(all, token{kind: deep})
			continue
		case strings.Contains(segment, "**"):
			return nil, fmt.Errorf("has ** beside other characters: it stands alone between slashes")
		}
		parsed, err := segmentTokens([]rune(segment))
		if err != nil {
			return nil, err
		}
		all = append(all, parsed...)
		if !last {
			all = append(all, literal('/'))
		}
	}
	return all, nil
}

func literal(r rune) token { return token{ranges: [][2]rune{{r, r}}} }

func segmentTokens(text []rune) ([]token, error) {
	var all []token
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '*':
			all = append(all, token{kind: star})
		case '?':
			all = append(all, token{ranges: [][2]rune{{'/', '/'}}, not: true})
		case '[':
			end := slices.Index(text[i+1:], ']')
			if end < 1 {
				return nil, fmt.Errorf("has a [ without a ]")
			}
			set := text[i+1 : i+1+end]
			i += end + 1
			of := token{}
			if set[0] == '!' || set[0] == '^' {
				of.not, of.ranges, set = true, [][2]rune{{'/', '/'}}, set[1:]
			}
			for len(set) > 0 {
				low, high := set[0], set[0]
				if len(set) > 2 && set[1] == '-' {
					high, set = set[2], set[2:]
				}
				if set = set[1:]; high < low {
					return nil, fmt.Errorf("has a range %c-%c that is empty", low, high)
				}
				of.ranges = append(of.ranges, [2]rune{low, high})
			}
			all = append(all, of)
		default:
			all = append(all, literal(text[i]))
		}
	}
	return all, nil
}

func (t token) takes(r rune) bool {
	in := slices.ContainsFunc(t.ranges, func(span [2]rune) bool { return span[0] <= r && r <= span[1] })
	return in != t.not
}

// A place in an alternative is twice the token that is next, and one more inside a segment of deep or deepLast.
type places []int

func closure(tokens []token, at places) places {
	var all places
	for _, place := range at {
		for !slices.Contains(all, place) {
			all = append(all, place)
			next := place / 2
			if place%2 == 1 || next == len(tokens) || tokens[next].kind != star && tokens[next].kind != deep {
				break
			}
			place += 2
		}
	}
	slices.Sort(all)
	return all
}

func step(tokens []token, at places, r rune) places {
	var after places
	for _, place := range at {
		next, inside := place/2, place%2 == 1
		if next == len(tokens) {
			continue
		}
		switch of := tokens[next]; of.kind {
		case one:
			if of.takes(r) {
				after = append(after, place+2)
			}
		case star:
			if r != '/' {
				after = append(after, place)
			}
		case deep:
			if r != '/' {
				after = append(after, 2*next+1)
			} else if inside {
				after = append(after, 2*next)
			}
		case deepLast:
			if r != '/' || inside {
				after = append(after, 2*next+1)
			}
		}
	}
	return closure(tokens, after)
}

func accepts(tokens []token, at places) bool {
	return slices.ContainsFunc(at, func(place int) bool {
		return place == 2*len(tokens) || place == 2*len(tokens)-1 && tokens[len(tokens)-1].kind == deepLast
	})
}

func (p pattern) matches(path string) bool {
	return slices.ContainsFunc(p.any, func(tokens []token) bool {
		at := closure(tokens, places{0})
		for _, r := range path {
			at = step(tokens, at, r)
		}
		return accepts(tokens, at)
	})
}
