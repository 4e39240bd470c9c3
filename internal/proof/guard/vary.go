package guard

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// ways are those in which a value is changed; the first index beyond them puts
// recorded values in its place.
const ways = 4

var leadingDate = lazyregexp.New(`^\d{4}-\d{2}-\d{2}`)

// vary is another value of the same kind, in one of several [ways].
func vary(value any, way int) any {
	switch v := value.(type) {
	case bool:
		return !v
	case float64:
		unit := 1.0
		switch size := math.Abs(v); {
		case size >= 1e11: // milliseconds since 1970
			unit = 24 * 60 * 60 * 1000
		case size >= 1e8: // seconds
			unit = 24 * 60 * 60
		}
		return v + unit*[ways]float64{3, 400, -500, 2000}[way]
	case string:
		return changeText(v, way)
	}
	return value
}

func changeText(text string, way int) string {
	if day, err := time.Parse(time.DateOnly, leadingDate.FindString(text)); err == nil {
		return day.AddDate(0, 0, [ways]int{3, 400, -500, 2000}[way]).Format(time.DateOnly) + text[len(time.DateOnly):]
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil && way != 2 {
		_, decimals, _ := strings.Cut(text, ".")
		return strconv.FormatFloat(number+[ways]float64{3, 400, 0, -500}[way], 'f', len(decimals), 64)
	}
	switch way {
	case 0, 1:
		if strings.Contains(text, "\n") {
			return text // one more line is more than another value
		}
	}
	switch way {
	case 0:
		return text + "x"
	case 1:
		return "x" + text
	case 2:
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '8' {
				return r + 1
			}
			return r
		}, text)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return 'q'
		}
		return r
	}, text)
}
