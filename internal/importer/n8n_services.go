package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// bearers are the credentials whose secret goes into the header Authorization behind Bearer, by their types.
var bearers = map[string]bool{
	"httpBearerAuth": true, "openAiApi": true, "slackApi": true, "slackOAuth2Api": true, "notionApi": true, "airtableTokenApi": true, "githubApi": true, "hubspotAppToken": true,
	"sendGridApi": true, "stripeApi": true, "perplexityApi": true, "groqApi": true, "openRouterApi": true, "mistralCloudApi": true, "deepSeekApi": true, "xAiApi": true, "apifyApi": true, "firecrawlApi": true,
}

var notInName = regexp.MustCompile(`[^A-Z0-9]+`)

// secretName is how the secret of credentials is called here: as they are called there.
func (s *step) secretName(kind string) string {
	var credentials map[string]struct{ Name string }
	_ = json.Unmarshal(s.Credentials, &credentials) // of old exports it is a text
	name := strings.Trim(notInName.ReplaceAllString(strings.ToUpper(cmp.Or(credentials[kind].Name, kind)), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "KEY_" + name
	}
	return name[:min(len(name), 100)]
}

// authorization is the header of a request that has credentials, which an export has not: a secret is in their place.
func (s *step) authorization(p *parameters, say func(fate, format string, values ...any)) (string, fault) {
	how, generic, service := p.text("authentication", "none"), p.text("genericAuthType", ""), p.text("nodeCredentialType", "")
	var kind string
	switch how {
	case "none":
		return "", ""
	case "genericCredentialType":
		kind = generic
	case "predefinedCredentialType":
		kind = service
	case "basicAuth", "headerAuth", "queryAuth", "digestAuth", "oAuth1", "oAuth2": // of the first versions
		kind = "http" + strings.ToUpper(how[:1]) + how[1:]
	default:
		return "", faultOf("its parameter authentication is %s", how)
	}
	return s.secret(kind, say)
}

func (s *step) secret(kind string, say func(fate, format string, values ...any)) (string, fault) {
	name := s.secretName(kind)
	switch {
	case kind == "httpBasicAuth":
		say(Wrapped, "set the secret %s to user:password of its credentials, and bind it to the host", name)
		return "'Basic ' + btoa(secret(" + inQuotes(name) + "))", ""
	case bearers[kind]:
		say(Wrapped, "set the secret %s to the token of its credentials, and bind it to the host", name)
		return "'Bearer ' + secret(" + inQuotes(name) + ")", ""
	}
	if kind == "httpHeaderAuth" {
		say(Wrapped, "set the secret %s to the header of its credentials, and bind it to the host; the header is taken to be Authorization: write another name where it is another one", name)
		return "secret(" + inQuotes(name) + ")", ""
	}
	say(Impossible, "its credentials (%s) are not in the export: add what they add with secret('NAME')", cmp.Or(kind, "none are named"))
	return "", ""
}

// asked is a request to a service as the node declares it, with a secret in the place of credentials.
func (s *step) asked(p *parameters, say func(fate, format string, values ...any), kind, method, url string, parts ...string) (string, fault) {
	authorization, why := s.secret(kind, say)
	if why = cmp.Or(why, p.fault()); why != "" {
		return "", why
	}
	given := []string{"url: " + url}
	if method != "GET" {
		given = append(given, "method: '"+method+"'")
	}
	headers := "authorization: " + authorization
	for i := 0; i+1 < len(parts); i += 2 {
		if parts[i] == "header" {
			headers += ", " + parts[i+1]
		} else {
			given = append(given, parts[i]+": "+parts[i+1])
		}
	}
	say(Wrapped, "it is a request to the service, once for each item")
	return s.line("request", function("({ "+strings.Join(append(given, "headers: { "+headers+" }", "json: true"), ", ")+" })")), ""
}

// located is a resource that a person picked: by its id, or a list that has it, too.
func (p *parameters) located(name string) (string, fault) {
	members, is := p.values[name].(map[string]any)
	if !is {
		return p.said(name, "''"), ""
	}
	one := p.part(name)
	one.ignore("__rl", "cachedResultName", "cachedResultUrl")
	if mode, _ := members["mode"].(string); mode != "id" && mode != "list" && mode != "" {
		return "", faultOf("its parameter %s.mode is %s, which is not there", name, mode)
	}
	one.ignore("mode")
	return one.said("value", "''"), ""
}

// slack posts a message.
func (s *step) slack(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	resource, operation := p.text("resource", "message"), p.text("operation", "post")
	if resource != "message" || operation != "post" {
		return "", faultOf("its operation %s %s is not there", resource, operation)
	}
	kind := map[bool]string{true: "slackOAuth2Api", false: "slackApi"}[p.text("authentication", "accessToken") == "oAuth2"]
	var channel string
	var why fault
	switch selected := p.text("select", "channel"); {
	case p.has("channel"):
		channel = p.said("channel", "''")
	case selected == "user":
		channel, why = p.located("user")
	default:
		channel, why = p.located("channelId")
	}
	if messages := p.text("messageType", "text"); messages != "text" {
		return "", faultOf("its parameter messageType is %s, which is not there", messages)
	}
	options := p.part("otherOptions")
	options.ignore("includeLinkToWorkflow")
	if options.is("includeLinkToWorkflow", false) {
		say(Wrapped, "no link to the workflow stands below the message")
	}
	markdown := options.said("mrkdwn", "true")
	if why != "" {
		return "", why
	}
	body := fmt.Sprintf("{ channel: %s, text: %s, mrkdwn: %s }", channel, p.said("text", "''"), markdown)
	return s.asked(p, say, kind, "POST", "'https://slack.com/api/chat.postMessage'", "body", body, "said", "'ok'")
}

// openAI asks a model of OpenAI, as the node of that name does.
func (s *step) openAI(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	if !strings.HasPrefix(s.Type, "n8n-nodes-base.") {
		return "", faultOf("nodes of the type %s are not there", s.Type)
	}
	resource, operation := p.text("resource", "text"), p.text("operation", "complete")
	if resource != "chat" || operation != "complete" {
		return "", faultOf("its operation %s %s is not there", resource, operation)
	}
	options := p.part("options")
	if !p.is("simplifyOutput", true) {
		return "", "its parameter simplifyOutput is not understood"
	}
	var messages []string
	for _, one := range p.list("messages", "prompt") {
		messages = append(messages, fmt.Sprintf("{ role: %s, content: %s }", one.said("role", "'user'"), one.said("content", "''")))
	}
	model := p.said("chatModel", "")
	if model == "" {
		model = p.said("model", "'gpt-3.5-turbo'")
	}
	body := "model: " + model + ", messages: [" + strings.Join(messages, ", ") + "]"
	for _, one := range [][2]string{{"maxTokens", "max_tokens"}, {"temperature", "temperature"}, {"topP", "top_p"}, {"n", "n"}, {"presencePenalty", "presence_penalty"}, {"frequencyPenalty", "frequency_penalty"}} {
		if options.has(one[0]) {
			body += ", " + one[1] + ": " + options.said(one[0], "")
		}
	}
	return s.asked(p, say, "openAiApi", "POST", "'https://api.openai.com/v1/chat/completions'", "body", "{ "+body+" }", "take", "['choices']")
}

// notion reads a page or a row.
func (s *step) notion(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	resource, operation := p.text("resource", "page"), p.text("operation", "create")
	if p.is("simple", true) || resource != "page" && resource != "databasePage" || operation != "get" {
		return "", faultOf("its operation %s %s is not there", resource, operation)
	}
	page, why := p.located("pageId")
	if why != "" {
		return "", why
	}
	return s.asked(p, say, "notionApi", "GET", "'https://api.notion.com/v1/pages/' + "+page, "header", "'notion-version': '2022-06-28'")
}

// airtable gets or makes a record.
func (s *step) airtable(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	operation := p.text("operation", "read")
	base, why := p.located("base")
	table, more := p.located("table")
	if p.text("resource", "record") != "record" || operation != "get" || s.version() < 2 { //nolint:mnd // the first version names its base otherwise
		return "", faultOf("its operation %s is not there", operation)
	}
	if why = cmp.Or(why, more); why != "" {
		return "", why
	}
	if p.text("authentication", "airtableTokenApi") != "airtableTokenApi" {
		return "", "its parameter authentication is not understood"
	}
	return s.asked(p, say, "airtableTokenApi", "GET", fmt.Sprintf("'https://api.airtable.com/v0/' + %s + '/' + %s + '/' + %s", base, table, p.said("id", "''")), "flat", "'fields'")
}

// mail tells the workflow's person what was mailed.
func (s *step) mail(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	if resource, operation := p.text("resource", map[bool]string{true: "message", false: "email"}[s.kind() == "gmail"]), p.text("operation", "send"); operation != "send" || resource != "message" && resource != "email" {
		return "", faultOf("its operation %s %s is not there: %s", resource, operation, oauth)
	}
	options := p.part("options")
	options.ignore("appendAttribution", "allowUnauthorizedCerts", "senderName", "replyTo", "ccList", "bccList", "ccEmail", "bccEmail")
	p.ignore("emailFormat", "emailType", "authentication", "fromEmail", "webhookId")
	var to []string
	for _, name := range []string{"sendTo", "toEmail", "ccEmail", "bccEmail"} {
		if p.has(name) {
			to = append(to, p.said(name, ""))
		}
	}
	text := "''"
	for _, name := range []string{"html", "text", "message"} {
		if p.has(name) {
			text = p.said(name, "")
		}
	}
	subject := p.said("subject", "''")
	if why := p.fault(); why != "" {
		return "", why
	}
	say(Wrapped, "what it mailed is told to the workflow's person (notify), with whom it was for")
	return s.line("mail", optionsOf("to", "["+strings.Join(to, ", ")+"]", "subject", subject, "text", text)), ""
}

// models are those that answer as OpenAI's do: their addresses, by the nodes that they are, and the credentials of these.
var models = map[string][2]string{
	"lmChatOpenAi": {"https://api.openai.com/v1", "openAiApi"}, "lmChatOpenRouter": {"https://openrouter.ai/api/v1", "openRouterApi"}, "lmChatGroq": {"https://api.groq.com/openai/v1", "groqApi"},
	"lmChatDeepSeek": {"https://api.deepseek.com", "deepSeekApi"}, "lmChatMistralCloud": {"https://api.mistral.ai/v1", "mistralCloudApi"}, "lmChatXAiGrok": {"https://api.x.ai/v1", "xAiApi"},
}

// agent is a question to a model: of an agent without tools and memory, or of a chain.
func (s *step) agent(say func(fate, format string, values ...any)) (string, fault) {
	p := s.parameters()
	var model *step
	for _, one := range s.parts {
		if _, known := models[one.of.kind()]; one.kind != "ai_languageModel" || !known || model != nil {
			return "", faultOf("its part %s (%s) is not there", one.of.Name, one.of.Type)
		}
		model = one.of
	}
	if model == nil {
		return "", "it has no model"
	}
	isAgent := s.kind() == "agent"
	if !isAgent && s.version() < 1.4 || isAgent && p.text("agent", "toolsAgent") != "toolsAgent" { //nolint:mnd // before it answered otherwise
		return "", faultOf("its version %v answers otherwise", s.version())
	}
	options, with := p.part("options"), model.parameters()
	p.ignore("batching")
	options.ignore("maxIterations", "batching")
	question := p.said("text", "get(() => ($json.chatInput))")
	p.ignore("promptType")
	system := ""
	if isAgent {
		system = options.said("systemMessage", "'You are a helpful assistant'")
	}
	var messages []string
	if system != "" {
		messages = append(messages, "{ role: 'system', content: "+system+" }")
	}
	for _, one := range p.list("messageValues", "messages") {
		role := map[string]string{"SystemMessagePromptTemplate": "system", "AIMessagePromptTemplate": "assistant", "HumanMessagePromptTemplate": "user"}[one.text("type", "SystemMessagePromptTemplate")]
		if kind := one.text("messageType", "text"); role == "" || kind != "text" {
			return "", "its parameter messages is not understood"
		}
		messages = append(messages, "{ role: '"+role+"', content: "+one.said("message", "''")+" }")
	}
	messages = append(messages, "{ role: 'user', content: "+question+" }")
	name, why := with.located("model")
	settings := with.part("options")
	settings.ignore("timeout", "maxRetries")
	with.ignore("notice", "responsesApiEnabled")
	if name == "''" {
		name = map[string]string{"lmChatOpenAi": "'gpt-4o-mini'"}[model.kind()]
	}
	body := "model: " + name + ", messages: [" + strings.Join(messages, ", ") + "]"
	for _, one := range [][2]string{{"maxTokens", "max_tokens"}, {"temperature", "temperature"}, {"topP", "top_p"}, {"presencePenalty", "presence_penalty"}, {"frequencyPenalty", "frequency_penalty"}, {"maxTokensToSample", "max_tokens"}} {
		if settings.has(one[0]) {
			body += ", " + one[1] + ": " + settings.said(one[0], "")
		}
	}
	if settings.text("responseFormat", "text") == "json_object" {
		body += ", response_format: { type: 'json_object' }"
	}
	if name == "" {
		why = cmp.Or(why, faultOf("its model %s names none", model.Name))
	}
	if why = cmp.Or(why, with.fault(), p.fault()); why != "" {
		return "", why
	}
	service := models[model.kind()]
	return (&step{Name: s.Name, Credentials: model.Credentials, from: s.from, Once: s.Once, Continue: s.Continue, OnError: s.OnError, Retry: s.Retry, Tries: s.Tries, Wait: s.Wait, Always: s.Always}).asked(
		p, say, service[1], "POST", inQuotes(service[0]+"/chat/completions"), "body", "{ "+body+" }", "answered", map[bool]string{true: "'output'", false: "'text'"}[isAgent])
}

// whyNot says of services that are not there why not, and what to do, by the last part of their types.
var whyNot = map[string]string{
	"googleSheets": oauth, "googleDrive": oauth, "googleCalendar": oauth, "googleDocs": oauth, "youTube": oauth, "microsoftOutlook": oauth, "microsoftExcel": oauth,
	"discord":  "its credentials are the address of a webhook: write await web.postJSON(address, { content }) with it",
	"telegram": "its token is a part of the address, where no secret can stand: write await web.postJSON of an address of your own that sends it on, or notify(title, text)",
	"postgres": "there are no databases: write a request to one that answers over HTTP", "mySql": "there are no databases: write a request to one that answers over HTTP",
	"executeWorkflow": "a workflow cannot start another one here: put what it does into this one",
	"extractFromFile": noFiles, "convertToFile": noFiles, "readWriteFile": noFiles, "spreadsheetFile": noFiles, "readBinaryFile": noFiles, "writeBinaryFile": noFiles, "moveBinaryData": noFiles, "editImage": noFiles,
}

const (
	oauth   = "its service takes tokens that last an hour (OAuth), which a secret cannot be: write what it did as requests to something that has one"
	noFiles = "items have no binary data here: files.read and files.write have texts"
)
