package migration

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// numeral is how texts write numbers: the characters between thousands, before the fraction, and around it all.
type numeral struct {
	thousands, point string
	before, after    string
	places           int // behind the point, if all have as many; -1 if they differ
}

// numeralPattern is a number with what stands around it: EUR 1,234.50 or 1 234,50 €.
var numeralPattern = lazyregexp.New(`^(\D*?)([-+]?\d[\d.,' \x{a0}\x{202f}]*\d|[-+]?\d)(\D*)$`)

// numeralOf is how texts write numbers; nil if they are no numbers, or what a mark in them means is not known.
func numeralOf(texts []string) *numeral {
	n := &numeral{places: -2}
	var numbers []string
	for i, text := range texts {
		parts := numeralPattern.FindStringSubmatch(text)
		switch {
		case parts == nil, i > 0 && (n.before != parts[1] || n.after != parts[3]):
			return nil
		}
		n.before, n.after, numbers = parts[1], parts[3], append(numbers, parts[2])
	}
	// A mark that stands twice, or before another one, is between thousands; one with other than three digits behind it is a point.
	for _, number := range numbers {
		marks := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r == '-' || r == '+' {
				return -1
			}
			return r
		}, number)
		runes := []rune(marks)
		for i, mark := range runes {
			is := string(mark)
			switch behind := len(number) - strings.LastIndex(number, is) - len(is); {
			case i < len(runes)-1:
				if n.point == is || n.thousands != "" && n.thousands != is {
					return nil
				}
				n.thousands = is
			case n.thousands != is && (behind != 3 || i > 0 && runes[i-1] != mark):
				if n.point != "" && n.point != is {
					return nil
				}
				n.point = is
			}
		}
	}
	if n.thousands == n.point {
		return nil // there is no mark, or it cannot be told
	}
	for _, number := range numbers {
		if _, err := strconv.ParseFloat(n.plain(number), 64); err != nil {
			return nil
		}
		places := 0
		if n.point != "" {
			_, fraction, _ := strings.Cut(number, n.point)
			places = len(fraction)
		}
		if n.places != -2 && n.places != places {
			places = -1
		}
		n.places = places
	}
	return n
}

// plain is a number as programs write it.
func (n *numeral) plain(number string) string {
	if n.thousands != "" {
		number = strings.ReplaceAll(number, n.thousands, "")
	}
	if n.point != "" {
		number = strings.Replace(number, n.point, ".", 1)
	}
	return number
}

// written is a plain number as the texts write it.
func (n *numeral) written(number string) string {
	sign := ""
	if number[0] == '-' || number[0] == '+' {
		sign, number = number[:1], number[1:]
	}
	whole, fraction, has := strings.Cut(number, ".")
	if n.thousands != "" {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + n.thousands + whole[i:]
		}
	}
	if has {
		whole += n.point + fraction
	}
	return n.before + sign + whole + n.after
}

// renumbered writes numbers in texts with other marks, nil if it is not that.
func renumbered(old, fresh *payload.Profile) *conversion {
	from, to := numeralOf(old.Texts), numeralOf(fresh.Texts)
	for _, side := range []struct {
		made **numeral
		of   *payload.Profile
	}{{&from, old}, {&to, fresh}} { // numbers as programs write them, if a point is seen: without one they may be in another unit
		if *side.made == nil && payload.IsNumber(side.of.Format()) && slices.ContainsFunc(side.of.Texts, func(text string) bool { return strings.Contains(text, ".") }) {
			*side.made = &numeral{point: ".", places: decimals(side.of.Texts)}
		}
	}
	if from == nil || to == nil || from.point == "" || to.point == "" || from.point == to.point && from.thousands == to.thousands && from.before == to.before && from.after == to.after {
		return nil
	}
	sign := func(text string) (string, bool) {
		parts := numeralPattern.FindStringSubmatch(text)
		if parts == nil || parts[1] != from.before || parts[3] != from.after {
			return "", false
		}
		return parts[2], true
	}
	c := &conversion{says: "with other marks in numbers", write: func(value any) (any, bool) {
		text, _ := value.(string)
		number, ok := sign(text)
		if !ok {
			return nil, false
		}
		plain := from.plain(number)
		if _, err := strconv.ParseFloat(plain, 64); err != nil {
			return nil, false
		}
		return to.written(plain), true
	}}
	if from.before != to.before || from.after != to.after || to.thousands == "" && from.thousands != "" {
		return c // where the marks were cannot be told
	}
	c.back = text(fmt.Sprintf("$.replace(/[%s]/g, (mark) => ({ %s: %s, %s: %s })[mark])", "\\"+strings.Join(strings.Split(to.thousands+to.point, ""), "\\"),
		script.Quote(to.point), script.Quote(from.point), script.Quote(cmp.Or(to.thousands, " ")), script.Quote(from.thousands)))
	if from.places > 0 && from.point != to.point {
		c.still = fmt.Sprintf("/\\%s\\d{%d}(?!\\d)/.test($)", from.point, from.places)
	}
	return c
}
