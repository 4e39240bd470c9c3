package pglog

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/migrations"
)

// catalog is the schema of the log as PostgreSQL has it in its own tables: definitions by kind and name. What people may
// add without any effect on events is left out: other tables, views, indexes that refuse nothing.
type catalog map[part]string

type part struct{ kind, name string }

func (p part) String() string { return p.kind + " " + p.name }

// catalogQuery gives the rows of a catalog. A body stands for itself by its digest.
const catalogQuery = `
WITH ours AS (
	SELECT c.* FROM pg_class c WHERE c.relnamespace = 'kintsugi'::regnamespace AND c.relname IN ('event', 'stream', 'incarnation') AND c.relkind IN ('r', 'p')
)
SELECT 'table', relname::text, concat_ws(' ', CASE relpersistence WHEN 'p' THEN 'permanent' ELSE 'not durable' END,
	CASE WHEN relrowsecurity OR relforcerowsecurity THEN 'with row security' END) FROM ours
UNION ALL
SELECT 'column', relname || '.' || attname, concat_ws(' ', format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END,
	CASE WHEN collname <> 'default' THEN 'collate ' || collname END, 'default ' || pg_get_expr(adbin, adrelid))
	FROM ours JOIN pg_attribute a ON attrelid = ours.oid AND attnum > 0 AND NOT attisdropped
	LEFT JOIN pg_attrdef d ON adrelid = attrelid AND adnum = attnum LEFT JOIN pg_collation co ON co.oid = attcollation
UNION ALL
SELECT 'constraint', relname || '.' || conname, concat_ws(' ', pg_get_constraintdef(co.oid), CASE WHEN NOT convalidated OR NOT coalesce(indisvalid, true) THEN 'not valid' END)
	FROM ours JOIN pg_constraint co ON conrelid = ours.oid AND contype <> 'n' LEFT JOIN pg_index i ON i.indexrelid = conindid
UNION ALL
SELECT 'index', relname || '.' || indexrelid::regclass::text, pg_get_indexdef(indexrelid)
	FROM ours JOIN pg_index ON indrelid = ours.oid AND indisunique AND NOT EXISTS (SELECT * FROM pg_constraint WHERE conindid = indexrelid AND conrelid = ours.oid)
UNION ALL
SELECT 'trigger', relname || '.' || tgname, concat_ws(' ', pg_get_triggerdef(t.oid), CASE WHEN tgenabled <> 'A' THEN 'not always' END)
	FROM ours JOIN pg_trigger t ON tgrelid = ours.oid AND NOT tgisinternal
UNION ALL
SELECT 'rule', relname || '.' || rulename, pg_get_ruledef(r.oid) FROM ours JOIN pg_rewrite r ON ev_class = ours.oid
UNION ALL
SELECT 'function', proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', concat_ws(' ', pg_get_function_result(p.oid), lanname,
	provolatile::text, array_to_string(proconfig, ' '), CASE WHEN prosecdef THEN 'security definer' END, md5(prosrc))
	FROM pg_proc p JOIN pg_language l ON l.oid = prolang WHERE pronamespace = 'kintsugi'::regnamespace`

// querier is a connection or a pool.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func readCatalog(ctx context.Context, on querier) (catalog, error) {
	rows, err := on.Query(ctx, catalogQuery)
	if err != nil {
		return nil, err
	}
	found := catalog{}
	var of part
	var definition string
	_, err = pgx.ForEachRow(rows, []any{&of.kind, &of.name, &definition}, func() error {
		found[of] = definition
		return nil
	})
	return found, err
}

// String is the catalog as a text, a line for each part.
func (c catalog) String() string {
	var lines []string
	for of, definition := range c {
		lines = append(lines, of.kind+"\t"+of.name+"\t"+definition+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// declaredText is the catalog of a database that this program made. A test writes it.
//
//go:embed catalog.txt
var declaredText string

func declared() catalog {
	all := catalog{}
	for line := range strings.Lines(declaredText) {
		if fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3); len(fields) == 3 {
			all[part{fields[0], fields[1]}] = fields[2]
		}
	}
	return all
}

// deviation is a part that is not as this program makes it. Has is empty if it is missing, should if it is not to be there.
type deviation struct {
	part
	has, should string
}

// String says it.
func (d deviation) String() string {
	switch {
	case d.has == "":
		return d.part.String() + " is missing"
	case d.should == "":
		return d.part.String() + " is not made by this program: " + d.has
	}
	return fmt.Sprintf("%s is %s, made was %s", d.part, d.has, d.should)
}

func (c catalog) deviations() (found []deviation) {
	should := declared()
	for _, of := range slices.SortedFunc(maps.Keys(c), comparePart) {
		if c[of] != should[of] {
			found = append(found, deviation{of, c[of], should[of]})
		}
	}
	for _, of := range slices.SortedFunc(maps.Keys(should), comparePart) {
		if _, there := c[of]; !there {
			found = append(found, deviation{part: of, should: should[of]})
		}
	}
	return found
}

func comparePart(a, b part) int { return strings.Compare(a.String(), b.String()) }

func say(all []deviation) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = one.String()
	}
	return strings.Join(texts, "; ")
}

// mend is the statements that put a part right, none if that is not possible: tables with events are not made anew.
func (d deviation) mend() (statements string, err error) {
	table, name, _ := strings.Cut(d.name, ".")
	on := pgx.Identifier{"kintsugi", table}.Sanitize()
	named := pgx.Identifier{name}.Sanitize()
	switch d.kind {
	case "trigger":
		if d.has != "" {
			statements = fmt.Sprintf("DROP TRIGGER %s ON %s;", named, on)
		}
		if d.should != "" {
			statements += fmt.Sprintf("%s; ALTER TABLE %s ENABLE ALWAYS TRIGGER %s", d.should, on, named)
		}
	case "rule":
		statements = fmt.Sprintf("DROP RULE %s ON %s", named, on)
	case "constraint":
		if d.has == "" {
			statements = fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %s %s", on, named, d.should)
		}
	case "function":
		if d.should != "" {
			called, _, _ := strings.Cut(d.name, "(")
			return functionSource(called)
		}
	}
	return statements, nil
}

var functions = regexp.MustCompile(`(?s)-- \+goose StatementBegin\nCREATE (FUNCTION kintsugi\.(\w+)\(.*?)-- \+goose StatementEnd`)

// functionSource makes all functions of a name again, as the migrations do.
func functionSource(name string) (statements string, err error) {
	err = fs.WalkDir(migrations.Log, "log", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.Log, path)
		for _, one := range functions.FindAllStringSubmatch(string(text), -1) {
			if one[2] == name {
				statements += "CREATE OR REPLACE " + one[1]
			}
		}
		return err
	})
	return statements, err
}
