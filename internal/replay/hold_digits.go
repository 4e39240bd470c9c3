package replay

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// ignoredDigits holds a fix whose mended run reads a value only in part: every recorded
// success depended on the decimals of the numbers at a place, or on the numbers in a text,
// and the mended run does not, although there are some. It looks for a part of a value in
// the way in which ignoredValues looks for the whole.
func ignoredDigits(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil || !q.gate.failing.Reproduced {
		return nil, nil
	}
	now := spotsOf(&q.seen, q.gate.old)
	recorded := make([]map[spot]*where, len(q.successes))
	for i := range q.successes {
		recorded[i] = spotsOf(&q.successes[i], q.gate.old)
	}
	for _, at := range slices.SortedFunc(maps.Keys(now), spot.compare) {
		if at.name != "" && q.gate.old.Words[at.name] == 0 || !now[at].comparable(at, recorded) {
			continue
		}
		for _, part := range digitParts {
			if part.inTexts && at.name != "" && at.name != "body" {
				continue
			}
			given, depends, err := q.gate.dependsOnDigits(ctx, q.templates, q.code, &q.gate.subject.Failed, q.outcome, at, part.pattern)
			if err != nil {
				return nil, err
			}
			if !given || depends {
				continue
			}
			having, always := 0, true
			for i := range q.gate.kept {
				k := &q.gate.kept[i]
				had, depended, err := q.gate.dependsOnDigits(ctx, q.templates, q.gate.subject.Code, k.run, &k.outcome, at, part.pattern)
				if err != nil {
					return nil, err
				}
				if had {
					having++
					always = always && depended
				}
				if !always {
					break
				}
			}
			if !always || having < enough {
				continue
			}
			somewhere, err := q.digitsSomewhere(ctx, at, part.pattern)
			if err != nil {
				return nil, err
			}
			if !somewhere {
				name := at.name
				if name == "" {
					name = "the text"
				}
				return []string{fmt.Sprintf("value ignored: the mended run does not depend on %s %s of %s, every recorded run does", part.what, name, at.source)}, nil
			}
		}
	}
	return nil, nil
}

// digitParts are the parts of a value that are tried on their own. The pattern's group is
// what is changed.
var digitParts = []struct {
	what    string
	pattern *regexp.Regexp
	inTexts bool
}{
	{"the decimals of", regexp.MustCompile(`\d[.,](\d+)`), false},
	{"the numbers in", regexp.MustCompile(`\b(\d+)`), true},
}

// digitsSomewhere says that some variation of the mended run depends on such a part.
func (q *inquiry) digitsSomewhere(ctx context.Context, at spot, pattern *regexp.Regexp) (bool, error) {
	runs, err := q.variations(ctx)
	if err != nil {
		return false, err
	}
	for i := range runs {
		_, depends, err := q.gate.dependsOnDigits(ctx, q.templates, q.code, &runs[i].run, &runs[i].outcome, at, pattern)
		if err != nil || depends {
			return depends, err
		}
	}
	return false, nil
}

// dependsOnDigits says whether a run was given such digits at a place, and whether it comes
// out otherwise once they are others.
func (g *Gate) dependsOnDigits(ctx context.Context, templates *templates, code string, run *Run, outcome *replayed, at spot, pattern *regexp.Regexp) (given, depends bool, err error) {
	steps := []byte{3, 5}
	return g.dependsOnAny(ctx, code, outcome, len(steps), func(way int) (Run, bool) {
		by := steps[way]
		return changedRun(templates, run, at, func(_ string, value any) any {
			switch v := value.(type) {
			case float64:
				if v == math.Trunc(v) || math.Abs(v) >= 1e11 {
					return value
				}
				return v + float64(by)/10
			case string:
				return changeDigits(v, pattern, by)
			}
			return value
		})
	})
}

// changeDigits adds to the digits of a text that a pattern's group matches.
func changeDigits(text string, pattern *regexp.Regexp, by byte) string {
	var b strings.Builder
	at := 0
	for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[at:m[2]])
		for _, digit := range []byte(text[m[2]:m[3]]) {
			b.WriteByte('0' + (digit-'0'+by)%10)
		}
		at = m[3]
	}
	b.WriteString(text[at:])
	return b.String()
}
