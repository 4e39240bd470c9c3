package readmodel

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// View is a table as people see it who look at it.
type View struct {
	Name    string       `json:"name"`
	Columns []ViewColumn `json:"columns"`
	table   *table
}

// ViewColumn is a column of a [View].
type ViewColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Key  bool   `json:"key,omitempty"`
}

var kindNames = [...]string{kindText: "text", kindInt: "number", kindFloat: "number", kindBool: "truth", kindTime: "time", kindBytes: "bytes", kindRaw: "json", kindJSON: "json"}

// Views are the tables of projections, in their order.
func Views(projections []Projection) []View {
	views := []View{}
	for _, projection := range projections {
		for _, declared := range projection.Tables() {
			t := declared.declared()
			view := View{Name: t.name, table: t}
			for i, column := range t.columns {
				view.Columns = append(view.Columns, ViewColumn{Name: column.name, Type: kindNames[column.kind], Key: contains(t.key, i)})
			}
			views = append(views, view)
		}
	}
	return views
}

// Condition asks for rows with a value in a column, written as people write it: a time as in RFC 3339, true or false.
type Condition struct{ Column, Value string }

// Rows are rows of a view that meet all conditions, in the order of their keys, at most so many; 0 is all. Values are
// nil, string, int64, float64, bool, [time.Time] or [json.RawMessage] each, as the columns of the view say.
func (v View) Rows(q *Query, where []Condition, limit int) ([][]any, error) {
	var clauses []string
	var args []any
	for _, condition := range where {
		arg, err := v.argument(condition)
		if err != nil {
			return nil, err
		}
		clauses, args = append(clauses, condition.Column+" = ?"), append(args, arg)
	}
	query := "SELECT " + v.table.list("") + " FROM " + v.table.name
	if len(clauses) > 0 {
		query += " WHERE " + strings.Join(clauses, " AND ")
	}
	query += " ORDER BY " + v.table.some(v.table.key, "", "", ", ")
	if limit > 0 {
		query, args = query+" LIMIT ?", append(args, limit)
	}
	return Collect(q.Rows(query, args...), func(row Row) ([]any, error) {
		shown := make([]any, len(v.table.columns))
		for i, column := range v.table.columns {
			switch value := row.value(i, column.kind).(type) {
			case nil:
			case int64:
				shown[i] = value
				if column.kind == kindTime {
					shown[i] = time.UnixMicro(value).UTC()
				}
			case string:
				shown[i] = value
				if column.kind >= kindRaw {
					shown[i] = json.RawMessage(value)
				}
			default:
				shown[i] = value
			}
		}
		return shown, nil
	})
}

// WhereError says what is wrong with a [Condition].
type WhereError struct {
	Condition
	Why string
}

// Error implements error.
func (e *WhereError) Error() string { return fmt.Sprintf("%s=%s: %s", e.Column, e.Value, e.Why) }

func (v View) argument(c Condition) (any, error) {
	for _, column := range v.table.columns {
		if column.name != c.Column {
			continue
		}
		var value any
		var err error
		switch column.kind {
		case kindText:
			value = c.Value
		case kindInt:
			value, err = strconv.ParseInt(c.Value, 10, 64)
		case kindFloat:
			value, err = strconv.ParseFloat(c.Value, 64)
		case kindBool:
			value, err = strconv.ParseBool(c.Value)
		case kindTime:
			value, err = time.Parse(time.RFC3339, c.Value)
		default:
			return nil, &WhereError{c, "nothing can be found by a column of type " + kindNames[column.kind]}
		}
		if err != nil {
			return nil, &WhereError{c, "the column is a " + kindNames[column.kind]}
		}
		return value, nil
	}
	return nil, &WhereError{c, "the view has no such column; it has " + v.table.list("")}
}
