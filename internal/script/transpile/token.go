package transpile

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind byte

const (
	word tokenKind = iota // names and keywords
	number
	quoted
	template // a part of one: `a${ or }b${ or }c`
	regex
	mark
)

type token struct {
	kind       tokenKind
	start, end int
	depth      int // of brackets around it
	text       string
	line       bool // it is the first of its line
}

// Token is a piece of a script's text, without the blanks and comments around it.
type Token struct {
	Text       string
	Start, End int
	Depth      int  // of brackets around it
	Line       bool // it is the first of its line
}

// Tokens takes JavaScript or TypeScript apart, for who reads of it what no tree has. It does not fail: of a text
// that is no script it gives pieces that mean nothing.
func Tokens(code string) []Token {
	list := tokens(code)
	made := make([]Token, len(list))
	for i, t := range list {
		made[i] = Token{t.text, t.start, t.end, t.depth, t.line}
	}
	return made
}

// marks are the operators of more than one character, longest first. Those that begin with > are left
// out: in TypeScript two of them may close two lists of types.
var marks = []string{
	"...", "===", "!==", "**=", "<<=", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "&&", "||", "??", "?.", "**", "<<",
}

// beforeRegex are the words after which a slash begins a regular expression.
var beforeRegex = map[string]bool{
	"return": true, "typeof": true, "case": true, "in": true, "of": true, "delete": true, "void": true, "throw": true, "new": true,
	"else": true, "do": true, "yield": true, "await": true, "instanceof": true, "default": true,
}

// tokens takes JavaScript or TypeScript apart. A token that it takes for something else than it is (a slash
// after a parenthesis is always a division) is noticed later: nothing that is made of tokens is used
// before it was compared with what a parser makes of the script.
func tokens(code string) []token {
	var (
		list   []token
		closes []string // what is open; ` for an expression in a template
		line   = true
	)
	add := func(kind tokenKind, start, end, depth int) {
		list = append(list, token{kind, start, end, depth, code[start:end], line})
		line = false
	}
	for i := 0; i < len(code); {
		c, size := utf8.DecodeRuneInString(code[i:])
		switch {
		case c == '\n' || c == '\r' || c == '\u2028' || c == '\u2029':
			line = true
			i += size
		case unicode.IsSpace(c) || c == '\ufeff':
			i += size
		case strings.HasPrefix(code[i:], "//") || i == 0 && strings.HasPrefix(code, "#!"):
			if end := strings.IndexAny(code[i:], "\n\r"); end >= 0 {
				i += end
			} else {
				i = len(code)
			}
		case strings.HasPrefix(code[i:], "/*"):
			end := strings.Index(code[i+2:], "*/")
			if end < 0 {
				return list
			}
			line = line || strings.ContainsAny(code[i:i+2+end], "\n\r")
			i += end + 4
		case c == '"' || c == '\'':
			end := endOfString(code, i)
			add(quoted, i, end, len(closes))
			i = end
		case c == '`' || c == '}' && len(closes) > 0 && closes[len(closes)-1] == "`":
			if c == '}' {
				closes = closes[:len(closes)-1]
			}
			end, open := endOfTemplate(code, i+1)
			add(template, i, end, len(closes))
			if open {
				closes = append(closes, "`")
			}
			i = end
		case c >= '0' && c <= '9' || c == '.' && i+1 < len(code) && code[i+1] >= '0' && code[i+1] <= '9':
			end := endOfNumber(code, i)
			add(number, i, end, len(closes))
			i = end
		case isNameStart(c):
			end := i + size
			for end < len(code) {
				c, size := utf8.DecodeRuneInString(code[end:])
				if !isNamePart(c) {
					break
				}
				end += size
			}
			add(word, i, end, len(closes))
			i = end
		case c == '/' && regexMayFollow(list):
			end := endOfRegex(code, i)
			add(regex, i, end, len(closes))
			i = end
		case c == '(' || c == '[' || c == '{':
			add(mark, i, i+1, len(closes))
			closes = append(closes, string(c))
			i++
		case c == ')' || c == ']' || c == '}':
			if len(closes) > 0 {
				closes = closes[:len(closes)-1]
			}
			add(mark, i, i+1, len(closes))
			i++
		default:
			end := i + size
			for _, m := range marks {
				if strings.HasPrefix(code[i:], m) && (m != "?." || i+2 >= len(code) || code[i+2] < '0' || code[i+2] > '9') {
					end = i + len(m)
					break
				}
			}
			add(mark, i, end, len(closes))
			i = end
		}
	}
	return list
}

func isNameStart(c rune) bool {
	return c == '_' || c == '$' || c == '#' || c == '@' || c == '\\' || unicode.IsLetter(c) || unicode.Is(unicode.Nl, c)
}

func isNamePart(c rune) bool {
	return c == '_' || c == '$' || c == '\\' || c == '\u200c' || c == '\u200d' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.In(c, unicode.Nl, unicode.Mn, unicode.Mc, unicode.Pc)
}

func regexMayFollow(list []token) bool {
	if len(list) == 0 {
		return true
	}
	switch last := list[len(list)-1]; last.kind {
	case word:
		return beforeRegex[last.text] && (len(list) < 2 || list[len(list)-2].text != ".")
	case mark:
		// TypeScript's assertion that something is there stands right behind it; a "not" does not.
		if before := len(list) - 2; last.text == "!" && before >= 0 && list[before].end == last.start {
			return regexMayFollow(list[:before+1])
		}
		return last.text != ")" && last.text != "]" && last.text != "}" && last.text != "++" && last.text != "--"
	case template:
		return !strings.HasSuffix(last.text, "`") || len(last.text) == 1
	}
	return false
}

func endOfString(code string, i int) int {
	quote := code[i]
	for i++; i < len(code); i++ {
		switch code[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(code)
}

func endOfTemplate(code string, i int) (end int, open bool) {
	for ; i < len(code); i++ {
		switch {
		case code[i] == '\\':
			i++
		case code[i] == '`':
			return i + 1, false
		case strings.HasPrefix(code[i:], "${"):
			return i + 2, true
		}
	}
	return len(code), false
}

// numberText is a number of JavaScript. It ends at a second dot and behind the digits of another base: a member follows there.
var numberText = regexp.MustCompile(`^(?:0[xXoObB][0-9a-fA-F_]+n?|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?n?)`)

func endOfNumber(code string, i int) int { return i + len(numberText.FindString(code[i:])) }

func endOfRegex(code string, i int) int {
	class := false
	for i++; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '\n':
			return i
		case c == '/' && !class:
			for i++; i < len(code) && code[i] >= 'a' && code[i] <= 'z'; i++ {
				continue
			}
			return i
		}
	}
	return len(code)
}
