package schedule

import "time"

// civil is a time as a clock on the wall shows it, in seconds, as if it were UTC.
type civil int64

func (c civil) utc() time.Time { return time.Unix(int64(c), 0).UTC() }

// period is a time during which a zone's clock ran evenly.
type period struct {
	start, end time.Time // zero if there is none
	offset     int64     // seconds east of UTC
}

func periodAt(t time.Time, zone *time.Location) period {
	t = t.In(zone)
	_, offset := t.Zone()
	start, end := t.ZoneBounds()
	return period{start: start, end: end, offset: int64(offset)}
}

func (p period) holds(t time.Time) bool {
	return !t.Before(p.start) && (p.end.IsZero() || t.Before(p.end))
}

func (p period) at(c civil) time.Time { return time.Unix(int64(c)-p.offset, 0) }

// civilAt is what the clock shows at a moment, cut to the second.
func civilAt(t time.Time, zone *time.Location) civil {
	_, offset := t.In(zone).Zone()
	return civil(t.Unix() + int64(offset))
}

// firstAt is the first moment at which the clock shows a time, or the end of the gap that it
// falls into. It never goes back as c grows.
func firstAt(c civil, zone *time.Location) time.Time {
	// No offset is more than a day, so the first moment is in this period or a later one.
	p := periodAt(time.Unix(int64(c), 0).Add(-26*time.Hour), zone)
	for {
		t := p.at(c)
		switch {
		case t.Before(p.start):
			return p.start // the clock jumped over it
		case p.holds(t):
			return t
		}
		p = periodAt(p.end, zone)
	}
}
