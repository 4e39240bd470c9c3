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

// catalog is the schema of the log as PostgreSQL has it in its own tables: definitions by kind and name. Additions of
// people that have no effect on events are left out: other tables, views, indexes that refuse nothing.
type catalog map[part]string

type part struct{ kind, name string }

func (p part) String() string { return p.kind + " " + p.name }

// catalogQuery gives the rows of a catalog. It prints what defines a part itself: how the server prints it depends on its version, on
// settings (quote_all_identifiers) and on the search path. A body stands for itself by its digest.
const catalogQuery = `
WITH ours AS (
	SELECT c.* FROM pg_class c WHERE c.relnamespace = 'kintsugi'::regnamespace AND c.relname IN ('event', 'stream', 'incarnation') AND c.relkind IN ('r', 'p')
)
SELECT 'table', relname::text, concat_ws(' ', CASE relpersistence WHEN 'p' THEN 'permanent' ELSE 'not durable' END,
	CASE WHEN relrowsecurity OR relforcerowsecurity THEN 'with row security' END) FROM ours
UNION ALL
SELECT 'column', relname || '.' || attname, concat_ws(' ', typname, CASE WHEN atttypmod <> -1 THEN 'limited' END, CASE WHEN attnotnull THEN 'not null' END,
	CASE WHEN collname <> 'default' THEN 'collate ' || collname END, 'default ' || regexp_replace(pg_get_expr(adbin, adrelid), '[ "]|pg_catalog"?\.', '', 'g'))
	FROM ours JOIN pg_attribute a ON attrelid = ours.oid AND attnum > 0 AND NOT attisdropped JOIN pg_type t ON t.oid = atttypid
	LEFT JOIN pg_attrdef d ON adrelid = attrelid AND adnum = attnum LEFT JOIN pg_collation co ON co.oid = attcollation
UNION ALL
SELECT 'constraint', relname || '.' || conname, concat_ws(' ', CASE contype WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' WHEN 'c' THEN 'CHECK' ELSE contype::text END,
	'(' || CASE contype WHEN 'c' THEN regexp_replace(pg_get_expr(conbin, conrelid), '[() "]|pg_catalog"?\.', '', 'g') ELSE (SELECT string_agg('"' || attname || '"', ', ' ORDER BY n)
		FROM unnest(conkey) WITH ORDINALITY AS k (num, n) JOIN pg_attribute ON attrelid = conrelid AND attnum = num) END || ')',
	CASE WHEN condeferrable THEN 'deferrable' END, CASE WHEN to_jsonb(i) ->> 'indnullsnotdistinct' = 'true' THEN 'nulls not distinct' END,
	CASE WHEN NOT convalidated OR NOT coalesce(indisvalid, true) THEN 'not valid' END)
	FROM ours JOIN pg_constraint co ON conrelid = ours.oid AND contype <> 'n' LEFT JOIN pg_index i ON i.indexrelid = conindid
UNION ALL
SELECT 'index', relname || '.' || (SELECT c.relname FROM pg_class c WHERE c.oid = indexrelid), pg_get_indexdef(indexrelid)
	FROM ours JOIN pg_index ON indrelid = ours.oid AND indisunique AND NOT EXISTS (SELECT * FROM pg_constraint WHERE conindid = indexrelid AND conrelid = ours.oid)
UNION ALL
SELECT 'trigger', relname || '.' || tgname, concat_ws(' ', 'CREATE', CASE WHEN tgconstraint <> 0 THEN 'CONSTRAINT' END, 'TRIGGER', '"' || tgname || '"',
	CASE WHEN tgtype & 2 <> 0 THEN 'BEFORE' WHEN tgtype & 64 <> 0 THEN 'INSTEAD OF' ELSE 'AFTER' END,
	concat_ws(' OR ', CASE WHEN tgtype & 4 <> 0 THEN 'INSERT' END, CASE WHEN tgtype & 8 <> 0 THEN 'DELETE' END,
		CASE WHEN tgtype & 16 <> 0 THEN 'UPDATE' || CASE WHEN array_length(tgattr, 1) > 0 THEN ' OF some columns' ELSE '' END END, CASE WHEN tgtype & 32 <> 0 THEN 'TRUNCATE' END),
	'ON kintsugi.' || relname, CASE WHEN tgtype & 1 <> 0 THEN 'FOR EACH ROW' ELSE 'FOR EACH STATEMENT' END, CASE WHEN tgqual IS NOT NULL THEN 'WHEN …' END,
	'EXECUTE FUNCTION ' || nspname || '.' || proname || '(' || CASE WHEN tgnargs > 0 THEN '…' ELSE '' END || ')', CASE WHEN tgenabled <> 'A' THEN 'not always' END)
	FROM ours JOIN pg_trigger t ON tgrelid = ours.oid AND NOT tgisinternal JOIN pg_proc p ON p.oid = tgfoid JOIN pg_namespace n ON n.oid = pronamespace
UNION ALL
SELECT 'rule', relname || '.' || rulename, pg_get_ruledef(r.oid) FROM ours JOIN pg_rewrite r ON ev_class = ours.oid
UNION ALL
SELECT 'function', proname || '(' || coalesce((SELECT string_agg(concat_ws(' ', proargnames[n], typname), ', ' ORDER BY n) FROM unnest(proargtypes::oid[]) WITH ORDINALITY AS a (of, n)
		JOIN pg_type y ON y.oid = of), '') || ')', concat_ws(' ', CASE WHEN proretset THEN 'set of' END, typname, lanname,
	provolatile::text, array_to_string(proconfig, ' '), CASE WHEN prosecdef THEN 'security definer' END, md5(prosrc))
	FROM pg_proc p JOIN pg_language l ON l.oid = prolang JOIN pg_type t ON t.oid = prorettype WHERE pronamespace = 'kintsugi'::regnamespace`

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
func (d deviation) restore() (statements string, err error) {
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
