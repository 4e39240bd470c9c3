package projections

import "time"

// Statement is SQL that a question comes to.
type Statement struct {
	SQL  string
	Args []any
}

// TimelineStatements are those of all kinds of filters of a timeline.
func TimelineStatements() []Statement {
	from := "SELECT " + timeline.Columns() + " FROM timeline"
	all := []Statement{{from + timelineFirst, []any{"w", time.Now()}}, {from + timelineLast, []any{"w", time.Now()}}}
	for _, filter := range []TimelineFilter{
		{}, {Significance: []Significance{Notable}}, {Kinds: []string{"fix"}}, {Actor: "person:ann"},
		{Significance: []Significance{Notable}, Kinds: []string{"fix"}, Actor: "person:ann"},
	} {
		filter.Workflow = "w"
		for _, one := range timelineQueries(filter, [2]int64{0, 99}, 51) {
			all = append(all, Statement{from + one.where, one.args})
		}
	}
	return all
}
