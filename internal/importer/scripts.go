package importer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/script/inputschema"
)

var appsScript = []sign{
	signOf(`\b(UrlFetchApp)\b`, Wrapped, "$1 is web.fetch: requests are recorded, and made one after the other"),
	signOf(`\b(PropertiesService)\b`, Wrapped, "$1 keeps its values in kv, under properties/: set those that the script only reads, and use secret('NAME') for keys"),
	signOf(`\b(CacheService)\b`, Wrapped, "$1 keeps its values in kv, under cache/"),
	signOf(`\b(MailApp|GmailApp)\.sendEmail\b`, Wrapped, "$1.sendEmail is notify: the message goes to the workflow's person"),
	signOf(`\b(LockService)\b`, Wrapped, "$1 does nothing"),
	signOf(`\b(Utilities|Logger|Session)\b`, Kept, "$1"),
	signOf(`\b(GmailApp\.(?:search|get\w+))`, Impossible, "$1: there is no mailbox"),
	signOf(`\b(SpreadsheetApp|DriveApp|DocumentApp|CalendarApp|FormApp|SlidesApp|ContactsApp|HtmlService|ContentService|ScriptApp|BigQuery|Maps|XmlService|Charts|Jdbc)\b`, Impossible, "$1 is not there: call the service's API with fetch, or keep the data with files and kv; of triggers use the workflow's schedule, of XmlService kintsugi:xml"),
}

var topFunction = lazyregexp.New(`(?m)^(?:async\s+)?function\s+([A-Za-z_$][\w$]*)\s*\(`)

func fromAppsScript(text string) (Brought, error) {
	found := topFunction.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return Brought{}, fmt.Errorf("there is no function at the top level: which one would run?")
	}
	entry := found[0][1]
	for _, one := range found {
		if one[1] == "main" {
			entry = "main"
		}
	}
	b := Brought{Script: text, Notes: notes(text, appsScript, "")}
	if names := uses(text, "UrlFetchApp", "PropertiesService", "CacheService", "LockService", "Utilities", "Logger", "MailApp", "GmailApp", "Session", "SpreadsheetApp", "DriveApp", "DocumentApp", "CalendarApp", "FormApp", "SlidesApp", "ContactsApp", "HtmlService", "ContentService", "ScriptApp", "XmlService"); len(names) > 0 {
		b.Script = "import { " + strings.Join(names, ", ") + " } from 'kintsugi:apps-script';\n" + text
	}
	if entry != "main" {
		b.Script = strings.TrimRight(b.Script, "\n") + "\n\nexport default " + entry + ";\n"
		b.Notes = append(b.Notes, Note{Wrapped, lineOf(text, "function "+entry), "", entry + ", the first function, is what runs, with the run's input"})
	}
	b.Notes = sorted(b.Notes)
	return b, nil
}

func lineOf(text, part string) int {
	at := strings.Index(text, part)
	if at < 0 {
		return 0
	}
	return strings.Count(text[:at], "\n") + 1
}

var windmill = []sign{
	signOf(`\b(?:wmill\.)?(getVariable|setVariable)\s*\(`, Wrapped, "$1 is the value under variables/PATH of kv, else the secret of that name with dots for slashes: kintsugi secret set"),
	signOf(`\b(?:wmill\.)?(getResource|setResource)\s*\(`, Wrapped, "$1 is the value under resources/PATH of kv: keep it there once"),
	signOf(`\b(?:wmill\.)?(getState|setState|getInternalState|setInternalState)\s*\(`, Wrapped, "$1 is the value under state of kv"),
	signOf(`\bwmill\.(run\w+|databaseUrlFromResource|getResumeUrls|denoS3\w+|loadS3\w+|writeS3\w+|datatable|ducklake|sql)\b`, Impossible, "wmill.$1 is not there"),
	signOf(`\b(Deno|Bun)\b`, Impossible, "$1 is not there"),
	signOf(`\b(fetch)\s*\(`, Kept, "$1"),
}

var windmillMain = lazyregexp.New(`(?m)^export\s+(?:default\s+)?(async\s+)?function\s+main\s*\(`)

var comments = lazyregexp.New(`(?s)/\*.*?\*/|//[^\n]*`)

// fromWindmill lets main take the run's input apart into the parameters that Windmill gives it.
func fromWindmill(text string) (Brought, error) {
	at := windmillMain.FindStringSubmatchIndex(text)
	if at == nil {
		return Brought{}, fmt.Errorf("there is no export async function main(…)")
	}
	end := closing(text, at[1]-1)
	if end < 0 {
		return Brought{}, fmt.Errorf("line %d: the parameters of main have no end", strings.Count(text[:at[0]], "\n")+1)
	}
	b := Brought{Notes: notes(text, windmill, "")}
	var names, kinds, arguments []string
	for _, parameter := range split(comments.ReplaceAllString(text[at[1]:end], ""), ',') {
		name, kind, value, optional := takeApart(strings.TrimSpace(parameter))
		if name == "" {
			continue
		}
		if !regexp.MustCompile(`^[A-Za-z_$][\w$]*$`).MatchString(name) {
			return Brought{}, fmt.Errorf("line %d: the parameter %s of main has no name", strings.Count(text[:at[0]], "\n")+1, name)
		}
		if kind == "Date" {
			kind = "string"
		}
		if strings.HasPrefix(kind, "RT.") {
			b.Notes = append(b.Notes, Note{Wrapped, lineOf(text, name), "", name + " is a resource of Windmill: the input has it as an object"})
			kind = "object"
		}
		parsed, isLiteral := literal(value)
		if isLiteral {
			names = append(names, name+" = "+value)
		} else {
			names = append(names, name)
		}
		if kind == "" {
			kind = kindOf(parsed)
		}
		if optional || value != "" {
			name += "?"
		}
		kinds = append(kinds, name+": "+kind)
		arguments = append(arguments, strings.TrimSuffix(name, "?"))
	}
	head := "function brought("
	if at[2] >= 0 {
		head = "async " + head
	}
	b.Script = text[:at[0]] + head + text[at[1]:]
	takes := ""
	if len(names) > 0 {
		takes = "{ " + strings.Join(names, ", ") + " }: { " + strings.Join(kinds, "; ") + " }"
	}
	b.Script = strings.TrimRight(b.Script, "\n") + "\n\nexport async function main(" + takes + ") {\n  return await brought(" + strings.Join(arguments, ", ") + ");\n}\n"
	if strings.Contains(b.Script, "wmill.") && !strings.Contains(b.Script, "windmill-client") {
		b.Script = "import * as wmill from 'windmill-client';\n" + b.Script
	}
	var err error
	if b.Input, err = json.Marshal(inputschema.Of(b.Script)); err != nil {
		return Brought{}, err
	}
	b.Notes = sorted(append(b.Notes, Note{Wrapped, strings.Count(text[:at[0]], "\n") + 1, "", "main takes its parameters from the run's input, by their names"}))
	return b, nil
}

// closing is where the bracket that opens at a place closes; -1 if it does not.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		case '>':
			if text[i-1] != '=' {
				depth--
			}
		case '\'', '"', '`':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			if strings.HasPrefix(text[i:], "//") {
				for i < len(text) && text[i] != '\n' {
					i++
				}
			} else if strings.HasPrefix(text[i:], "/*") {
				if end := strings.Index(text[i:], "*/"); end > 0 {
					i += end + 1
				}
			}
		}
	}
	return -1
}

// split parts a text at a character that is in no brackets and no quotes.
func split(text string, at byte) []string {
	var parts []string
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == at:
			parts = append(parts, text[start:i])
			start = i + 1
		case strings.IndexByte("([{<", c) >= 0:
			if end := closing(text, i); end > i {
				i = end
			} else if end := strings.IndexByte(text[i:], '>'); c == '<' && end > 0 {
				i += end
			}
		case c == '\'' || c == '"' || c == '`':
			for i++; i < len(text) && text[i] != c; i++ {
			}
		}
	}
	return append(parts, text[start:])
}

// takeApart reads a parameter: name?: type = value.
func takeApart(parameter string) (name, kind, value string, optional bool) {
	if parts := split(strings.ReplaceAll(parameter, "=>", "\x00"), '='); len(parts) > 1 {
		value = strings.TrimSpace(strings.ReplaceAll(strings.Join(parts[1:], "="), "\x00", "=>"))
		parameter = strings.ReplaceAll(parts[0], "\x00", "=>")
	}
	name, kind, _ = strings.Cut(parameter, ":")
	name, kind = strings.TrimSpace(name), strings.TrimSpace(kind)
	optional = strings.HasSuffix(name, "?")
	return strings.TrimSuffix(name, "?"), kind, value, optional
}

// literal is the value of a literal of JavaScript that JSON has, too.
func literal(text string) (any, bool) {
	if len(text) > 1 && text[0] == '\'' && text[len(text)-1] == '\'' && !strings.ContainsAny(text[1:len(text)-1], `'\"`) {
		return text[1 : len(text)-1], true
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return nil, false
	}
	return value, true
}

// kindOf is the type of a parameter that has only a default.
func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "unknown[]"
	}
	return "any"
}

var node = []sign{
	signOf(`(?:require\(|from\s+|import\s+)['"](?:node:)?(fs|fs/promises)['"]`, Wrapped, "$1 is over files: paths lie in the workflow's own folder, and hold text"),
	signOf(`(?:require\(|from\s+|import\s+)['"](?:node:)?(path|util|crypto|buffer|url|process)['"]`, Kept, "$1, what scripts have of it"),
	signOf(`(?:require\(|from\s+|import\s+)['"](?:node:)?(https?)['"]`, Wrapped, "$1 is over web.fetch: redirects are followed, and an answer comes in one piece of text"),
	signOf(`(?:require\(|from\s+|import\s+)['"](luxon|zod|decimal\.js)['"]`, Kept, "$1"),
	signOf(`\bprocess\.env\.([A-Z][A-Z0-9_]*)\b`, Wrapped, "process.env.$1 is the secret $1, which only a request's headers and query may hold: kintsugi secret set $1"),
	signOf(`\bprocess\.(argv|stdin)\b`, Impossible, "process.$1 has nothing: the run's input is main's parameter"),
	signOf(`\b(fetch)\s*\(`, Kept, "$1"),
	signOf(`\b(setTimeout|setInterval)\s*\(`, Kept, "$1, on the run's clock"),
}

var (
	callsMain   = lazyregexp.New(`(?m)^(?:await\s+|void\s+)?main\(\)(?:\s*\.(?:then|catch|finally)\((?:[^()]|\([^()]*\)|\((?:[^()]|\([^()]*\))*\))*\))*;?[ \t]*$`)
	selfCalling = lazyregexp.New(`(?s)^(.*?)\(async\s*(?:function\s*\w*\s*\(\)\s*|\(\)\s*=>\s*)\{(.*)\}\)\(\)(?:\.catch\(.*\))?;?\s*$`)
)

// fromNode leaves a script as it is, but for who calls it: here the host does.
func fromNode(text string) (Brought, error) {
	b := Brought{Script: text, Notes: notes(text, node, "")}
	if found := callsMain.FindStringIndex(text); found != nil && strings.Contains(text, "function main") {
		b.Script = text[:found[0]] + "// " + strings.ReplaceAll(text[found[0]:found[1]], "\n", "\n// ") + text[found[1]:]
		b.Notes = append(b.Notes, Note{Wrapped, strings.Count(text[:found[0]], "\n") + 1, "", "main is called by the host: this call was commented out"})
	} else if parts := selfCalling.FindStringSubmatch(text); parts != nil && !strings.Contains(text, "function main") {
		b.Script = parts[1] + "async function main(input) {" + parts[2] + "}\n"
		b.Notes = append(b.Notes, Note{Wrapped, strings.Count(parts[1], "\n") + 1, "", "the function that calls itself is main"})
	}
	b.Notes = sorted(b.Notes)
	return b, nil
}
