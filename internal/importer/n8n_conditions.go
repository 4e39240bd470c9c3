package importer

import (
	"fmt"
	"slices"
	"strings"
)

// comparisons are those of conditions today, by the kind of what they compare.
var comparisons = map[string][]string{
	"string":   {"equals", "notEquals", "contains", "notContains", "startsWith", "notStartsWith", "endsWith", "notEndsWith", "regex", "notRegex"},
	"number":   {"equals", "notEquals", "gt", "lt", "gte", "lte"},
	"dateTime": {"equals", "notEquals", "after", "before", "afterOrEquals", "beforeOrEquals"},
	"boolean":  {"true", "false", "equals", "notEquals"},
	"array":    {"contains", "notContains", "lengthEquals", "lengthNotEquals", "lengthGt", "lengthLt", "lengthGte", "lengthLte"},
	"object":   {},
}

// holds is whether the conditions of a node hold, as JavaScript.
func holds(conditions *parameters) (string, fault) {
	options := conditions.part("options")
	strict, insensitive := options.text("typeValidation", "loose") == "strict", !options.is("caseSensitive", false)
	options.ignore("leftValue", "version")
	combinator := conditions.text("combinator", "and")
	if combinator != "and" && combinator != "or" {
		return "", faultOf("its combinator %s is not there", combinator)
	}
	var list []string
	for _, one := range conditions.list("conditions", "") {
		one.ignore("id")
		operator := one.part("operator")
		operator.ignore("name", "singleValue", "rightType")
		kind, operation := operator.text("type", ""), operator.text("operation", "")
		known, is := comparisons[kind]
		if !is || !slices.Contains(append([]string{"exists", "notExists", "empty", "notEmpty"}, known...), operation) {
			return "", faultOf("its comparison %s %s is not there", kind, operation)
		}
		list = append(list, fmt.Sprintf("['%s', '%s', %s, %s]", kind, operation, one.said("leftValue", "undefined"), one.said("rightValue", "undefined")))
	}
	return fmt.Sprintf("is('%s', [%s], { strict: %t, ignoreCase: %t })", combinator, strings.Join(list, ", "), strict, insensitive), ""
}

// first are the comparisons of the first versions of these nodes, by kinds, the one that is meant without a word first.
var first = map[string][]string{
	"string":   {"equal", "notEqual", "contains", "notContains", "startsWith", "notStartsWith", "endsWith", "notEndsWith", "regex", "notRegex", "isEmpty", "isNotEmpty"},
	"number":   {"smaller", "smallerEqual", "equal", "notEqual", "larger", "largerEqual", "isEmpty", "isNotEmpty"},
	"boolean":  {"equal", "notEqual"},
	"dateTime": {"after", "before"},
}

func early(kind string, left string, one *parameters, right string) (string, fault) {
	known, is := first[kind]
	if !is {
		return "", faultOf("conditions of the kind %s are not there", kind)
	}
	operation := one.text("operation", known[0])
	if !slices.Contains(known, operation) {
		return "", faultOf("its comparison %s %s is not there", kind, operation)
	}
	otherwise := map[string]string{"string": "''", "number": "0", "boolean": "false", "dateTime": "''"}[kind]
	if left == "" {
		left = one.said("value1", otherwise)
	}
	return fmt.Sprintf("['%s', '%s', %s, %s]", kind, operation, left, one.said(right, otherwise)), ""
}

// held is whether conditions of today or of the first version hold.
func held(p *parameters, combined string) (string, fault) {
	conditions := p.part("conditions")
	if conditions.has("conditions") || conditions.has("combinator") || conditions.has("options") {
		options := p.part("options")
		options.ignore("looseTypeValidation", "ignoreCase") // conditions say it themselves
		p.ignore("looseTypeValidation")
		return holds(conditions)
	}
	var list []string
	for _, kind := range []string{"boolean", "dateTime", "number", "string"} { // as n8n asks them
		for _, one := range conditions.list(kind, "") {
			condition, why := early(kind, "", one, "value2")
			if why != "" {
				return "", why
			}
			list = append(list, condition)
		}
	}
	p.ignore("options")
	how := "and"
	if by := p.text(combined, "all"); by == "any" || by == "OR" {
		how = "or"
	} else if by != "all" && by != "AND" {
		return "", faultOf("its parameter %s is %s", combined, by)
	}
	return fmt.Sprintf("is('%s', [%s], { early: true })", how, strings.Join(list, ", ")), ""
}

// routes says which ways out of a Switch node an item takes, and how many there are.
func (s *step) routes(p *parameters) (route string, ways int, why fault) {
	options := p.part("options")
	if p.text("mode", "rules") == "expression" {
		ways = s.ways
		if count, is := p.value("numberOutputs").(float64); is {
			ways = max(ways, int(count))
		}
		if ways == 0 {
			ways = 4 // as the first version has
		}
		return fmt.Sprintf("[Number(%s)]", p.said("output", "0")), max(ways, 4), ""
	}
	rules := p.part("rules")
	fallback := "[]"
	var list, outputs []string
	switch {
	case rules.has("values"):
		for _, one := range rules.list("values", "") {
			one.ignore("outputKey", "renameOutput")
			condition, fault := holds(one.part("conditions"))
			if fault != "" {
				return "", 0, fault
			}
			list = append(list, "() => "+condition)
		}
		ways = len(list)
		options.ignore("ignoreCase", "looseTypeValidation", "renameFallbackOutput")
		p.ignore("looseTypeValidation")
	default:
		kind := p.text("dataType", "number")
		left := p.said("value1", map[string]string{"string": "''", "number": "0", "boolean": "false", "dateTime": "''"}[kind])
		for i, one := range rules.list("rules", "") {
			one.ignore("outputKey", "renameOutput")
			condition, fault := early(kind, left, one, "value2")
			if fault != "" {
				return "", 0, fault
			}
			list = append(list, fmt.Sprintf("() => is('and', [%s], { early: true })", condition))
			out := float64(i)
			if s.version() < 2 { //nolint:mnd // in the second one the rules have each their way out
				if given, is := one.value("output").(float64); is {
					out = given
				} else {
					out = 0
				}
			}
			outputs = append(outputs, fmt.Sprint(out))
			ways = max(ways, int(out)+1)
		}
	}
	said := p.value("fallbackOutput")
	if options.has("fallbackOutput") {
		said = options.value("fallbackOutput")
	}
	switch said := said.(type) {
	case nil:
	case float64:
		if said >= 0 {
			fallback = fmt.Sprintf("[%v]", said)
			ways = max(ways, int(said)+1)
		}
	case string:
		switch said {
		case "none":
		case "extra":
			fallback = fmt.Sprintf("[%d]", ways)
			ways++
		default:
			return "", 0, faultOf("its fallbackOutput %s is not there", said)
		}
	}
	all := options.is("allMatchingOutputs", false)
	more := ""
	if s.version() < 2 && !rules.has("values") { //nolint:mnd // see above
		more = ", [" + strings.Join(outputs, ", ") + "]"
	}
	return fmt.Sprintf("choose([%s], %t, %s%s)", strings.Join(list, ", "), all, fallback, more), max(ways, s.ways), ""
}

func (s *step) version() float64 {
	version, is := s.Version.(float64)
	if !is {
		return 1
	}
	return version
}
