package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maker makes the line of the script that a node becomes, or says what of it is not understood.
type maker func(s *step, say func(fate, format string, values ...any)) (string, fault)

// nodesOfN8N are the nodes that are there, by the last part of their types.
var nodesOfN8N map[string]maker

func init() { //nolint:gochecknoinits // the makers ask for it
	nodesOfN8N = map[string]maker{
		"code": (*step).code, "function": (*step).code, "functionItem": (*step).code,
		"httpRequest": (*step).httpRequest, "set": (*step).set, "merge": (*step).merge, "noOp": (*step).noOp,
		"if": (*step).choice, "filter": (*step).filter, "switch": (*step).fork, "splitInBatches": (*step).loop,
		"splitOut": (*step).splitOut, "aggregate": (*step).aggregate, "limit": (*step).limit, "sort": (*step).sort, "removeDuplicates": (*step).unique, "itemLists": (*step).itemLists,
		"wait": (*step).wait, "respondToWebhook": (*step).respond, "html": (*step).html, "markdown": (*step).markdown, "dateTime": (*step).dateTime, "stopAndError": (*step).stop,
		"slack": (*step).slack, "openAi": (*step).openAI, "notion": (*step).notion, "airtable": (*step).airtable,
		"emailSend": (*step).mail, "gmail": (*step).mail, "@n8n/n8n-nodes-langchain.agent": (*step).agent, "@n8n/n8n-nodes-langchain.chainLlm": (*step).agent,
	}
}

// line is a call of the library about a node.
func (s *step) line(method string, arguments ...string) string {
	return fmt.Sprintf("n8n.%s(%s, %s%s%s)", method, inQuotes(s.Name), s.before(), strings.Join(append([]string{""}, arguments...), ", "), s.settings())
}

// routed refuses settings that a node has not that only says where its items go.
func (s *step) routed() fault {
	if s.OnError == "continueErrorOutput" || s.Continue || s.OnError == "continueRegularOutput" {
		return "its member onError is not understood"
	}
	return ""
}

// twoWays refuses a way out for errors of a node whose ways out are others.
func (s *step) twoWays() fault {
	if s.OnError == "continueErrorOutput" {
		return s.routed()
	}
	return ""
}

// optionsOf is what a node of the library takes, as a function of the item.
func optionsOf(pairs ...string) string {
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			parts = append(parts, pairs[i]+": "+pairs[i+1])
		}
	}
	return function("({ " + strings.Join(parts, ", ") + " })")
}

func (s *step) code(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	p.ignore("notice")
	if language := p.text("language", "javaScript"); language != "javaScript" || p.has("pythonCode") {
		return "", "its code is not JavaScript"
	}
	code := p.text("jsCode", "") + p.text("functionCode", "")
	if code == "" {
		return "", "its code is not JavaScript"
	}
	mode := p.text("mode", "runOnceForAllItems")
	if why := p.fault(); why != "" {
		return "", why
	}
	for _, note := range notes(code, n8n, s.Name) {
		say(note.Fate, "%s (line %d of its code)", note.Text, note.Line)
	}
	each := "false"
	switch {
	case s.kind() == "functionItem":
		each = "'item'" // which has the value itself as item
	case mode == "runOnceForEachItem":
		each = "true"
	}
	return strings.TrimSuffix(strings.TrimSpace(codeStep(s.Name, s.before(), each, code, s.settings())), ";"), ""
}

func (s *step) noOp(say func(fate, format string, values ...any)) (string, fault) {
	say(Kept, "it passes its items on")
	return s.line("pass"), s.parameters().fault()
}

func (s *step) choice(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	condition, why := held(p, "combineOperation")
	if why = cmp.Or(why, p.fault(), s.twoWays()); why != "" {
		return "", why
	}
	say(Kept, "its items go one way or the other")
	return s.line("if", function(condition)), ""
}

func (s *step) filter(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	condition, why := held(p, "combineConditions")
	if why = cmp.Or(why, p.fault(), s.twoWays()); why != "" {
		return "", why
	}
	say(Kept, "it lets items through")
	return s.line("filter", function(condition)), ""
}

func (s *step) fork(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	route, ways, why := s.routes(p)
	if why = cmp.Or(why, p.fault(), s.routed()); why != "" {
		return "", why
	}
	say(Kept, "its items go %d ways", ways)
	return s.line("switch", function(route), fmt.Sprint(ways)), ""
}

func (s *step) loop(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	options := p.part("options")
	reset := options.said("reset", "false")
	otherwise, ways := "1", "{ out: 1, done: 0 }"
	switch version := s.version(); {
	case version < 2: //nolint:mnd // the first one ends without a word
		otherwise, ways = "10", "{ out: 0 }"
	case version < 3: //nolint:mnd // the second one has its ways out the other way round
		otherwise, ways = "10", "{ out: 0, done: 1 }"
	}
	size := p.said("batchSize", otherwise)
	if why := cmp.Or(p.fault(), s.routed()); why != "" {
		return "", why
	}
	say(Kept, "it gives its items in parts, until they are done")
	return s.line("loop", optionsOf("size", size, "reset", reset), ways), ""
}

func (s *step) splitOut(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	p.ignore("operation", "resource")
	options := p.part("options")
	dots := !options.is("disableDotNotation", false)
	fields, why := p.fieldNames("fieldToSplitOut")
	to, more := options.fieldNames("destinationFieldName")
	keep, most := p.fieldNames("fieldsToInclude")
	if p.has("fieldsToInclude") && keep == nil { // the older form is a list of objects
		keep = nil
	}
	options.ignore("includeBinary")
	include := p.text("include", "noOtherFields")
	known := map[string]string{"noOtherFields": "none", "allOtherFields": "all", "selectedOtherFields": "selected"}
	if known[include] == "" {
		why = faultOf("its parameter include is %s", include)
	}
	if len(fields) == 0 {
		why = cmp.Or(why, "its parameter fieldToSplitOut is not understood")
	}
	if why = cmp.Or(why, more, most, p.fault()); why != "" {
		return "", why
	}
	say(Kept, "each member of %s becomes an item", strings.Join(fields, ", "))
	return s.line("list", "'splitOut'", optionsOf("fields", list(fields), "include", inQuotes(known[include]), "keep", list(keep), "to", list(to), "dots", fmt.Sprint(dots))), ""
}

func (s *step) aggregate(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	p.ignore("operation", "resource")
	options := p.part("options")
	dots, mergeLists, keepMissing := !options.is("disableDotNotation", false), options.is("mergeLists", false), options.is("keepMissing", false)
	var made string
	if how := p.text("aggregate", "aggregateIndividualFields"); how == "aggregateAllItemData" {
		to, include := p.text("destinationFieldName", "data"), p.text("include", "allFields")
		keep, why := p.fieldNames("fieldsToInclude")
		except, more := p.fieldNames("fieldsToExclude")
		if why = cmp.Or(why, more, constant("destinationFieldName", to)); why != "" {
			return "", why
		}
		only, without := "", ""
		switch include {
		case "allFields":
		case "specifiedFields":
			only = list(keep)
		case "allFieldsExcept":
			without = list(except)
		default:
			return "", faultOf("its parameter include is %s", include)
		}
		made = optionsOf("all", "true", "to", inQuotes(to), "keep", only, "except", without)
	} else {
		var fields []string
		for _, one := range p.list("fieldToAggregate", "fieldsToAggregate") {
			field, rename, name := one.text("fieldToAggregate", ""), one.is("renameField", false), one.text("outputFieldName", "")
			if !rename {
				name = ""
			}
			if why := cmp.Or(constant("fieldToAggregate", field), constant("outputFieldName", name)); why != "" {
				return "", why
			}
			fields = append(fields, "["+inQuotes(field)+", "+inQuotes(name)+"]")
		}
		made = optionsOf("fields", "["+strings.Join(fields, ", ")+"]", "mergeLists", fmt.Sprint(mergeLists), "keepMissing", fmt.Sprint(keepMissing), "dots", fmt.Sprint(dots))
	}
	say(Kept, "it makes one item of all")
	return s.line("list", "'aggregate'", made), p.fault()
}

func (s *step) limit(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	p.ignore("operation", "resource")
	made := optionsOf("max", p.said("maxItems", "1"), "keep", inQuotes(p.text("keep", "firstItems")))
	say(Kept, "it keeps so many items")
	return s.line("list", "'limit'", made), p.fault()
}

func (s *step) sort(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	p.ignore("operation", "resource")
	if kind := p.text("type", "simple"); kind != "simple" {
		return "", faultOf("its parameter type is %s, which is not there", kind)
	}
	options := p.part("options")
	dots := !options.is("disableDotNotation", false)
	var by []string
	for _, one := range p.list("sortField", "sortFieldsUi") {
		field := one.text("fieldName", "")
		if why := constant("fieldName", field); why != "" {
			return "", why
		}
		by = append(by, fmt.Sprintf("[%s, %t]", inQuotes(field), one.text("order", "ascending") == "descending"))
	}
	say(Kept, "it sorts its items")
	return s.line("list", "'sort'", optionsOf("by", "["+strings.Join(by, ", ")+"]", "dots", fmt.Sprint(dots))), p.fault()
}

func (s *step) unique(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	p.ignore("resource")
	if operation := p.text("operation", "removeDuplicateInputItems"); operation != "removeDuplicateInputItems" && operation != "removeDuplicates" {
		return "", faultOf("its parameter operation is %s, which is not there", operation)
	}
	options := p.part("options")
	dots := !options.is("disableDotNotation", false)
	compare := p.text("compare", "allFields")
	fields, why := p.fieldNames("fieldsToCompare")
	chosen := ""
	switch {
	case compare == "allFields":
	case compare == "selectedFields" && len(fields) > 0:
		chosen = list(fields)
	default:
		why = cmp.Or(why, faultOf("its parameter compare is %s, which is not there", compare))
	}
	if why = cmp.Or(why, p.fault()); why != "" {
		return "", why
	}
	say(Kept, "it keeps the first one of equal items")
	return s.line("list", "'unique'", optionsOf("fields", chosen, "dots", fmt.Sprint(dots))), ""
}

// itemLists is what several nodes have been since.
func (s *step) itemLists(say func(fate, format string, values ...any)) (string, fault) {
	switch operation := s.parameters().text("operation", "splitOutItems"); operation {
	case "splitOutItems":
		return s.splitOut(say)
	case "aggregateItems", "concatenateItems":
		return s.aggregate(say)
	case "limit":
		return s.limit(say)
	case "sort":
		return s.sort(say)
	case "removeDuplicates":
		return s.unique(say)
	default:
		return "", faultOf("its parameter operation is %s, which is not there", operation)
	}
}

func (s *step) wait(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	var made string
	switch resume := p.text("resume", "timeInterval"); resume {
	case "timeInterval":
		unit := p.text("unit", map[bool]string{true: "hours", false: "seconds"}[s.version() < 1.1]) //nolint:mnd // since then it is seconds
		if !slices.Contains([]string{"seconds", "minutes", "hours", "days"}, unit) {
			return "", faultOf("its parameter unit is %s, which is not there", unit)
		}
		made = optionsOf("amount", p.said("amount", map[bool]string{true: "1", false: "5"}[s.version() < 1.1]), "unit", inQuotes(unit)) //nolint:mnd // see above
	case "specificTime":
		made = optionsOf("until", p.said("dateTime", "''"))
	default:
		return "", faultOf("its parameter resume is %s, which is not there: ask(question) waits for a person", resume)
	}
	if why := p.fault(); why != "" {
		return "", why
	}
	say(Wrapped, "the run's clock moves on, no real time passes")
	return s.line("each", "'wait'", made), ""
}

func (s *step) stop(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	message := p.said("errorMessage", "'An error occurred'")
	if p.text("errorType", "errorMessage") == "errorObject" {
		message = p.said("errorObject", "''")
	}
	say(Kept, "it fails the run")
	return s.line("each", "'stop'", optionsOf("message", message)), p.fault()
}

func (s *step) respond(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	options := p.part("options")
	if options.has("responseCode") || options.has("responseHeaders") {
		options.ignore("responseCode", "responseHeaders")
		say(Wrapped, "the answer to the hook is what the run returns: its status and headers are not sent")
	}
	var made string
	switch with := p.text("respondWith", "firstIncomingItem"); with {
	case "firstIncomingItem":
		made = "$json"
	case "allIncomingItems":
		made = "items.map((item) => item.json)"
	case "json":
		made = "parsed(" + p.said("responseBody", "'{}'") + ")"
	case "text":
		made = p.said("responseBody", "''")
	case "noData":
		made = "null"
	default:
		return "", faultOf("its parameter respondWith is %s, which is not there", with)
	}
	say(Wrapped, "what it answers is what the run returns")
	return s.line("respond", function("("+made+")")), p.fault()
}

func (s *step) markdown(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	mode := p.text("mode", "htmlToMarkdown")
	if mode != "markdownToHtml" {
		return "", faultOf("its parameter mode is %s, which is not there", mode)
	}
	to := p.text("destinationKey", "data")
	made := optionsOf("text", p.said("markdown", "''"), "to", inQuotes(to))
	if why := cmp.Or(constant("destinationKey", to), p.fault()); why != "" {
		return "", why
	}
	say(Wrapped, "it is CommonMark as on GitHub: marks of its HTML, such as id of a heading, may differ")
	return s.line("each", "'markdown'", made), ""
}

func (s *step) html(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	switch operation := p.text("operation", "generateHtmlTemplate"); operation {
	case "generateHtmlTemplate":
		say(Kept, "it writes HTML")
		return s.line("each", "'template'", optionsOf("text", p.said("html", "''"))), p.fault()
	case "extractHtmlContent":
		if source := p.text("sourceData", "json"); source != "json" {
			return "", faultOf("its parameter sourceData is %s, which is not there", source)
		}
		options := p.part("options")
		trim, clean := options.is("trimValues", true), options.is("cleanUpText", false)
		if clean {
			return "", "its parameter options.cleanUpText is not understood"
		}
		var values []string
		for _, one := range p.list("values", "extractionValues") {
			gives := one.text("returnValue", "text")
			if !slices.Contains([]string{"text", "html", "attribute", "value"}, gives) {
				return "", faultOf("its parameter returnValue is %s, which is not there", gives)
			}
			values = append(values, fmt.Sprintf("{ key: %s, selector: %s, gives: '%s', attribute: %s, list: %t }", one.said("key", "''"), one.said("cssSelector", "''"), gives, one.said("attribute", "''"), one.is("returnArray", false)))
		}
		from := p.said("dataPropertyName", "'data'")
		say(Kept, "it takes texts out of HTML")
		return s.line("each", "'extract'", optionsOf("from", from, "values", "["+strings.Join(values, ", ")+"]", "trim", fmt.Sprint(trim))), p.fault()
	default:
		return "", faultOf("its parameter operation is %s, which is not there", operation)
	}
}

func (s *step) dateTime(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	if s.version() < 2 { //nolint:mnd // the first version has the formats of another library
		return "", "its version 1 has formats that are not there"
	}
	options := p.part("options")
	include, zone := options.is("includeInputFields", false), ""
	operation := p.text("operation", "getCurrentDate")
	var made []string
	name := map[string]string{"getCurrentDate": "currentDate", "formatDate": "formattedDate", "addToDate": "newDate", "subtractFromDate": "newDate", "extractDate": "datePart"}[operation]
	switch operation {
	case "getCurrentDate":
		part := "'time'"
		if !p.is("includeTime", true) {
			part = "'day'"
		}
		if options.has("timezone") {
			zone = options.said("timezone", "")
		}
		made = []string{"does", "'now'", "part", part}
	case "formatDate":
		format := p.text("format", "MM/dd/yyyy")
		code := inQuotes(format)
		if format == "custom" {
			code = p.said("customFormat", "''")
		}
		if options.is("timezone", false) {
			return "", "its parameter options.timezone is not understood"
		}
		made = []string{"does", "'format'", "date", p.said("date", "''"), "format", code}
	case "addToDate", "subtractFromDate":
		amount := p.said("duration", "0")
		if operation == "subtractFromDate" {
			amount = "-(" + amount + ")"
		}
		made = []string{"does", "'add'", "date", p.said("magnitude", "''"), "amount", amount, "unit", inQuotes(p.text("timeUnit", "days"))}
	case "extractDate":
		part := p.text("part", "month")
		if !slices.Contains([]string{"year", "month", "week", "day", "hour", "minute", "second"}, part) {
			return "", faultOf("its parameter part is %s, which is not there", part)
		}
		made = []string{"does", "'part'", "date", p.said("date", "''"), "part", inQuotes(part)}
	default:
		return "", faultOf("its parameter operation is %s, which is not there", operation)
	}
	to := p.text("outputFieldName", name)
	if why := cmp.Or(constant("outputFieldName", to), p.fault()); why != "" {
		return "", why
	}
	say(Kept, "it reckons with dates")
	return s.line("each", "'date'", optionsOf(append(made, "to", inQuotes(to), "include", fmt.Sprint(include), "zone", zone)...)), ""
}

// merge puts the items of its ways in together.
func (s *step) merge(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	how, why := s.merging(p)
	if why = cmp.Or(why, p.fault(), s.routed()); why != "" {
		return "", why
	}
	say(Kept, "it puts the items of its ways in together")
	return s.line("merge", how), ""
}

func (s *step) merging(p *parameters) (how string, why fault) {
	mode, options := p.text("mode", "append"), p.part("options")
	p.ignore("numberInputs")
	if mode == "combine" {
		mode = cmp.Or(p.text("combineBy", ""), p.text("combinationMode", ""), map[bool]string{true: "mergeByFields", false: "combineByFields"}[s.version() < 3]) //nolint:mnd // the name of it since
	} else {
		p.ignore("combineBy", "combinationMode")
	}
	clash := options.part("clashHandling").part("values")
	prefer := clash.text("resolveClash", "")
	if merges := clash.text("mergeMode", "deepMerge"); merges != "deepMerge" {
		return "", faultOf("its parameter mergeMode is %s, which is not there", merges)
	}
	if prefer != "" && prefer != "preferInput1" && prefer != "preferInput2" && prefer != "preferLast" {
		return "", faultOf("its parameter resolveClash is %s, which is not there", prefer)
	}
	unpaired := options.is("includeUnpaired", false)
	fields := func(pairs ...string) string { return "[[" + strings.Join(pairs, ", ") + "]]" }
	switch mode {
	case "append":
		return "'append'", ""
	case "mergeByIndex":
		if join := p.text("join", "left"); join != "inner" {
			return "", faultOf("its parameter join is %s, which is not there", join)
		}
		return "'position'", ""
	case "combineByPosition", "mergeByPosition":
		if prefer == "preferInput1" {
			return "", "its parameter resolveClash is preferInput1, which is not there"
		}
		return map[bool]string{true: "'unpaired'", false: "'position'"}[unpaired], ""
	case "multiplex", "combineAll":
		if prefer == "preferInput1" {
			return "", "its parameter resolveClash is preferInput1, which is not there"
		}
		return "'all'", ""
	case "passThrough", "chooseBranch":
		p.ignore("chooseBranchMode")
		output, number := p.text("output", "input1"), p.text("useDataOfInput", "1")
		switch {
		case p.text("chooseBranchMode", "waitForAll") != "waitForAll":
		case output == "input1", output == "specifiedInput" && number == "1":
			return "0", ""
		case output == "input2", output == "specifiedInput" && number == "2":
			return "1", ""
		}
		return "", faultOf("its parameter output is %s, which is not there", output)
	case "mergeByKey", "keepKeyMatches", "removeKeyMatches":
		one, other := p.said("propertyName1", "''"), p.said("propertyName2", "''")
		overwrite := p.text("overwrite", "always")
		if overwrite != "always" || strings.Contains(one+other, "get(") {
			return "", faultOf("its parameter overwrite is %s, which is not there", overwrite)
		}
		join := map[string]string{"mergeByKey": "'enrichInput1'", "keepKeyMatches": "'keepMatches'", "removeKeyMatches": "'keepNonMatches'"}[mode]
		return fmt.Sprintf("{ fields: %s, join: %s, output: %d, many: false, dots: true }", fields(one, other), join, map[bool]int{true: 1, false: 0}[mode != "mergeByKey"]), ""
	case "combineByFields", "mergeByFields":
		return s.byFields(p, options, prefer)
	}
	return "", faultOf("its mode %s is not there", mode)
}

func (s *step) byFields(p, options *parameters, prefer string) (how string, why fault) {
	join, from := p.text("joinMode", "keepMatches"), p.text("outputDataFrom", "both")
	many, dots := options.text("multipleMatches", "all"), !options.is("disableDotNotation", false)
	var pairs []string
	if p.is("advanced", false) || s.version() < 3 { //nolint:mnd // see merging
		for _, one := range p.list("values", "mergeByFields") {
			pairs = append(pairs, "["+inQuotes(one.text("field1", ""))+", "+inQuotes(one.text("field2", ""))+"]")
		}
		p.ignore("fieldsToMatchString")
	} else {
		names, fault := p.fieldNames("fieldsToMatchString")
		if fault != "" {
			return "", fault
		}
		for _, name := range names {
			pairs = append(pairs, "["+inQuotes(name)+", "+inQuotes(name)+"]")
		}
		p.ignore("mergeByFields")
	}
	output := map[string]int{"both": 0, "input1": 1, "input2": 2}[from]
	switch {
	case len(pairs) == 0 || strings.Contains(strings.Join(pairs, ""), "['="):
		return "", "its parameter fieldsToMatchString is not understood"
	case !slices.Contains([]string{"keepMatches", "keepNonMatches", "enrichInput1", "enrichInput2", "keepEverything"}, join):
		return "", faultOf("its parameter joinMode is %s, which is not there", join)
	case join == "keepNonMatches" && output == 0:
		return "", "its parameter outputDataFrom is both, which is not there"
	}
	if many != "all" && many != "first" {
		return "", faultOf("its parameter multipleMatches is %s, which is not there", many)
	}
	first := 2
	if prefer == "preferInput1" || prefer == "" && join == "enrichInput2" {
		first = 1
	}
	return fmt.Sprintf("{ fields: [%s], join: '%s', output: %d, prefer: %d, many: %t, dots: %t }", strings.Join(pairs, ", "), join, output, first, many == "all", dots), ""
}

// set is a Set node, of each of its forms.
func (s *step) set(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	p.ignore("duplicateItem", "duplicateCount") // of the editor, for tests
	if p.is("duplicateItem", false) {
		return "", "its parameter duplicateItem is not understood"
	}
	options := p.part("options")
	dots := options.is("dotNotation", true)
	options.ignore("includeBinary", "stripBinary")
	p.ignore("includeBinary")
	keep := "false"
	if s.version() >= 3 { //nolint:mnd // the forms changed with it
		include := p.text("include", "all")
		others := p.is("includeOtherFields", false) || s.version() < 3.3 && !p.has("includeOtherFields") //nolint:mnd // the switch came then
		chosen, why := p.fieldNames("includeFields")
		except, more := p.fieldNames("excludeFields")
		switch {
		case !others || include == "none":
		case include == "all":
			keep = "true"
		case include == "selected":
			keep = list(chosen)
		case include == "except":
			keep = "{ except: " + list(except) + " }"
		default:
			why = faultOf("its parameter include is %s, which is not there", include)
		}
		if why = cmp.Or(why, more); why != "" {
			return "", why
		}
	} else if !p.is("keepOnlySet", false) {
		keep = "true"
		if p.is("includeOtherFields", false) || p.text("include", "all") == "none" {
			keep = map[bool]string{true: "true", false: "false"}[p.is("includeOtherFields", false)]
		} else if p.has("assignments") {
			keep = "false"
		}
	}
	say(Kept, "its fields are set")
	if p.text("mode", "manual") == "raw" {
		return s.line("set", function("parsed("+p.said("jsonOutput", "'{}'")+")"), keep), p.fault()
	}
	var values []string
	add := func(name, value string) {
		if strings.HasPrefix(name, "=") {
			name = expression(name)
		} else {
			name = inQuotes(name)
		}
		values = append(values, fmt.Sprintf("[%s, %s, %t]", name, value, dots))
	}
	loose := options.is("ignoreConversionErrors", false)
	typed := func(kind, value string) string {
		if loose {
			return fmt.Sprintf("as('%s', %s, true)", kind, value)
		}
		return fmt.Sprintf("as('%s', %s)", kind, value)
	}
	kinds := []string{"string", "number", "boolean", "array", "object"}
	for _, one := range p.list("assignments", "assignments") {
		one.ignore("id")
		kind := one.text("type", "string")
		if !slices.Contains(kinds, kind) {
			return "", faultOf("its fields are of the type %s, which is not there", kind)
		}
		given := one.said("value", "undefined")
		if _, is := one.values["value"].(string); is || kind != "number" && kind != "boolean" {
			given = typed(kind, given)
		}
		add(one.text("name", ""), given)
	}
	for _, one := range p.list("values", "fields") {
		kind := strings.TrimSuffix(one.text("type", "stringValue"), "Value")
		if !slices.Contains(kinds, kind) {
			return "", faultOf("its fields are of the type %s, which is not there", kind)
		}
		for _, other := range kinds {
			if other != kind {
				one.ignore(other + "Value")
			}
		}
		add(one.text("name", ""), typed(kind, one.said(kind+"Value", map[string]string{"string": "''", "number": "0", "boolean": "false", "array": "'[]'", "object": "'{}'"}[kind])))
	}
	old := p.part("values")
	for _, kind := range []string{"boolean", "number", "string"} { // as n8n sets them
		for _, one := range old.list(kind, "") {
			given := one.said("value", map[string]string{"string": "''", "number": "0", "boolean": "false"}[kind])
			if _, is := one.values["value"].(string); is && kind == "number" {
				given = "Number(" + given + ")"
			}
			add(one.text("name", ""), given)
		}
	}
	return s.line("set", function("["+strings.Join(values, ", ")+"]"), keep), p.fault()
}

var methods = regexp.MustCompile(`^[A-Z]{3,7}$`)

// httpRequest is a request of the host, once for each item.
func (s *step) httpRequest(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	p.ignore("allowUnauthorizedCerts", "infoMessage", "curlImport", "notes")
	options := p.part("options")
	url := p.said("url", "")
	if url == "" {
		return "", "its request is not understood"
	}
	method := cmp.Or(p.text("method", ""), p.text("requestMethod", ""), "GET")
	parts := []string{"url: " + url}
	switch {
	case strings.HasPrefix(method, "="):
		parts = append(parts, "method: "+expression(method))
	case !methods.MatchString(method):
		return "", faultOf("its parameter method is %s", method)
	case method != "GET":
		parts = append(parts, "method: "+inQuotes(method))
	}
	asJSON := p.is("jsonParameters", false)
	query, why := s.pairs(p, "Query", p.is("sendQuery", false), asJSON)
	headers, more := s.pairs(p, "Header", p.is("sendHeaders", false), asJSON)
	body, kind, most := s.body(p, method, asJSON)
	if why = cmp.Or(why, more, most); why != "" {
		return "", why
	}
	authorization, why := s.authorization(p, say)
	if why != "" {
		return "", why
	}
	var sent []string
	if kind != "" {
		sent = append(sent, "'content-type': "+inQuotes(kind))
	}
	if headers != "" {
		sent = append(sent, "..."+headers)
	}
	if authorization != "" {
		sent = append(sent, "authorization: "+authorization)
	}
	if query != "" {
		parts = append(parts, "qs: "+query)
	}
	if len(sent) == 1 && headers != "" {
		parts = append(parts, "headers: "+headers)
	} else if len(sent) > 0 {
		parts = append(parts, "headers: { "+strings.Join(sent, ", ")+" }")
	}
	if body != "" {
		parts = append(parts, "body: "+body)
	}
	answer, why := s.answered(p, options)
	if why = cmp.Or(why, p.fault()); why != "" {
		return "", why
	}
	say(Wrapped, "it is a request of the host, once for each item")
	return s.line("request", function("({ "+strings.Join(append(parts, answer...), ", ")+" })")), ""
}

// answered says what becomes of the answer to a request.
func (s *step) answered(p, options *parameters) (parts []string, why fault) {
	options.ignore("timeout", "lowercaseHeaders", "allowUnauthorizedCerts")
	batching := options.part("batching").part("batch")
	batching.ignore("batchSize", "batchInterval") // requests are made one after the other
	options.ignore("batchSize", "batchInterval")
	redirect := options.part("redirect").part("redirect")
	redirect.ignore("maxRedirects")
	if !redirect.is("followRedirects", true) || !options.is("followRedirect", true) {
		return nil, "its parameter options.redirect is not understood"
	}
	options.ignore("followAllRedirects")
	response := options.part("response").part("response")
	format := cmp.Or(response.text("responseFormat", ""), p.text("responseFormat", ""), "autodetect")
	full := response.is("fullResponse", false) || options.is("fullResponse", false)
	never := response.is("neverError", false) || options.is("ignoreResponseCode", false)
	switch format {
	case "autodetect":
	case "json":
		parts = append(parts, "json: true")
	case "text", "string":
		parts = append(parts, "text: "+inQuotes(cmp.Or(response.text("outputPropertyName", ""), p.text("dataPropertyName", ""), "data")))
	default:
		return nil, faultOf("its parameter responseFormat is %s, which is not there", format)
	}
	response.ignore("outputPropertyName")
	p.ignore("dataPropertyName")
	if full {
		parts = append(parts, "returnFullResponse: true")
	}
	if never {
		parts = append(parts, "ignoreHttpStatusErrors: true")
	}
	return parts, ""
}

// pairs are names and values that a request has, of each of the forms in which nodes say them.
func (s *step) pairs(p *parameters, of string, sent, asJSON bool) (string, fault) {
	lower := strings.ToLower(of)
	many := map[string]string{"Query": "Query", "Header": "Headers", "Body": "Body"}[of]
	said := p.said(lower+"ParametersJson", "")
	given := p.list("parameters", lower+"Parameters")
	given = append(given, p.list("parameter", lower+"ParametersUi")...)
	whole := p.said("json"+many, "")
	switch how := p.text("specify"+many, "keypair"); {
	case s.version() >= 3 && !sent && of != "Body": //nolint:mnd // before it there was no such switch
		return "", ""
	case asJSON && said != "" && said != "''":
		return "parsed(" + said + ")", ""
	case how == "json" && whole != "" && of != "Body":
		return "parsed(" + whole + ")", ""
	case how != "keypair" && of != "Body":
		return "", faultOf("its parameter specify%s is %s, which is not there", many, how)
	}
	var pairs []string
	for _, one := range given {
		if kind := one.text("parameterType", "formData"); kind != "formData" {
			return "", faultOf("its parameter parameterType is %s, which is not there", kind)
		}
		name := expression(one.text("name", ""))
		if strings.HasPrefix(name, "get(") || strings.HasPrefix(name, "[") {
			name = "[" + name + "]"
		}
		pairs = append(pairs, name+": "+one.said("value", "''"))
	}
	if len(pairs) == 0 {
		return "", ""
	}
	return "{ " + strings.Join(pairs, ", ") + " }", ""
}

// body is what a request sends, and its type where it is not JSON.
func (s *step) body(p *parameters, method string, asJSON bool) (body, kind string, why fault) {
	pairs, why := s.pairs(p, "Body", true, asJSON)
	whole, text, raw := p.said("jsonBody", ""), p.said("body", "''"), p.text("rawContentType", "text/plain")
	how, form := p.text("specifyBody", "keypair"), p.text("contentType", p.text("bodyContentType", "json"))
	sends := p.is("sendBody", false) || s.version() < 3 && method != "GET" && method != "HEAD" //nolint:mnd // see pairs
	switch {
	case why != "" || !sends:
		return "", "", why
	case form == "json" && how == "json" && whole != "":
		if given, is := p.values["jsonBody"].(string); is && !strings.HasPrefix(given, "=") && json.Valid([]byte(given)) {
			return given, "", ""
		}
		return "parsed(" + whole + ")", "", ""
	case form == "json" && how == "keypair":
		return pairs, "", ""
	case form == "form-urlencoded" && how == "keypair":
		if pairs == "" {
			pairs = "{}"
		}
		return "new URLSearchParams(" + pairs + ").toString()", "application/x-www-form-urlencoded", ""
	case form == "form-urlencoded" && how == "string":
		return text, "application/x-www-form-urlencoded", ""
	case form == "raw":
		if fault := constant("rawContentType", raw); fault != "" {
			return "", "", fault
		}
		return "String(" + text + ")", raw, ""
	}
	return "", "", faultOf("its body is %s, which is not there", strings.TrimSpace(form+" "+map[bool]string{true: "", false: how}[how == "keypair"]))
}
