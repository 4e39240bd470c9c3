package importer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// Handlers of other services run as they are: what calls them there is the workflow's schedule or hook here. Signs say what they ask
// of their service.
var (
	cloudflare = []sign{
		signOf(`\benv\.([A-Z][A-Z0-9_]*)\b(?:\s*\.\s*(?:get|put|delete|list|prepare|send|fetch|idFromName)\b)`, Impossible, "env.$1 is a binding of Cloudflare: keep data with kv, and call services with fetch"),
		signOf(`\b(caches\.default|HTMLRewriter|WebSocketPair|DurableObject|scheduler\.wait)\b`, Impossible, "$1 is not there"),
		signOf(`\b(ctx\.waitUntil)\b`, Wrapped, "$1 takes a promise, for which the run waits"),
	}
	lambda = []sign{
		signOf(`\b(context\.(?:getRemainingTimeInMillis|functionName|awsRequestId|callbackWaitsForEmptyEventLoop))\b`, Impossible, "$1 is not there"),
		signOf(`['"](@aws-sdk/[\w-]+|aws-sdk)['"]`, Impossible, "$1 signs its requests with keys, which a script does not see"),
	}
	pipedream = []sign{
		signOf(`type:\s*["']app["']|\b(app):\s*["']`, Wrapped, "an app's account is a secret here: its props are read as this.NAME, and this.NAME.$$auth is not there"),
		signOf(`\bthis\.\w+\.(\$auth)\b`, Impossible, "$1 is not there: use secret('NAME'), and bind it to its host"),
		signOf(`\$\.(?:flow\.(?:suspend|rerun|delay)|respond|send\.\w+)`, Impossible, "what begins with $$.flow, $$.respond or $$.send is not there"),
		signOf(`["']\$\.service\.db["']`, Wrapped, "this.NAME of a service.db keeps its values in kv, under db/"),
		signOf(`["']\$\.interface\.(http|timer)["']`, Wrapped, "the $1 of the trigger is the workflow's hook or schedule"),
		signOf(`\$\.(export)\s*\(`, Wrapped, "$$.$1 is a part of what the run returns"),
	}
)

var (
	envName       = lazyregexp.New(`\b(?:env|process\.env)\.([A-Z][A-Z0-9_]*)\b`)
	hostOf        = lazyregexp.New("https?://([A-Za-z0-9.-]+\\.[A-Za-z]{2,})")
	scheduledOf   = lazyregexp.New(`\bscheduled\s*[(:]`)
	fetchOf       = lazyregexp.New(`(?:^|[\s,{])(?:async\s+)?fetch\s*(?:\(\s*\w+\s*(?::[^,)]*)?[,)]|:\s*(?:async\b|\())`)
	handlerOf     = lazyregexp.New(`\b(?:module\.)?exports(?:\.handler)?\s*=|\bexport\s+(?:const|async\s+function|function)\s+handler\b`)
	defaultExport = lazyregexp.New(`\bexport\s+default\s+`)
	component     = lazyregexp.New(`\bdefineComponent\s*\(|\bexport\s+default\s*\{`)
)

// reaches are notes about secrets and hosts of a text, each at its first line.
func reaches(text string) []Note {
	var list []Note
	seen := map[string]bool{"NODE_ENV": true, "TZ": true}
	for i, line := range strings.Split(text, "\n") {
		for _, found := range envName.FindAllStringSubmatch(line, -1) {
			if name := found[1]; !seen[name] {
				seen[name] = true
				list = append(list, Note{Wrapped, i + 1, "", name + " is a secret here: kintsugi secret set " + name + " --host HOST"})
			}
		}
		for _, found := range hostOf.FindAllStringSubmatch(line, -1) {
			if name := found[1]; !seen[name] {
				seen[name] = true
				list = append(list, Note{Kept, i + 1, "", "it calls " + name})
			}
		}
	}
	return list
}

// fromHandler takes a handler as it is, if it is one.
func fromHandler(text, want string, is bool, signs []sign, called string) (Brought, error) {
	if !is {
		return Brought{}, fmt.Errorf("there is no %s", want)
	}
	if err := process.Check(text); err != nil {
		return Brought{}, err
	}
	b := Brought{Script: text, Notes: append(notes(text, signs, ""), reaches(text)...)}
	b.Notes = sorted(append(b.Notes, Note{Wrapped, 0, "", called}))
	return b, nil
}

func fromCloudflare(text string) (Brought, error) {
	scheduled := scheduledOf.MatchString(text)
	if !scheduled && fetchOf.MatchString(text) {
		return Brought{}, fmt.Errorf("this worker answers requests: only scheduled(event, env, ctx) is run here; write what fetch does as main(input), and give the workflow a hook")
	}
	return fromHandler(strings.NewReplacer("env.", "process.env.", "process.env.", "process.env.").Replace(text), "scheduled(event, env, ctx)", scheduled, cloudflare,
		"scheduled is what runs: give the workflow the schedule of wrangler.toml")
}

func fromLambda(text string) (Brought, error) {
	return fromHandler(text, "exports.handler", handlerOf.MatchString(text), lambda, "handler is what runs, with the run's input as its event: give the workflow a schedule or a hook")
}

const pipedreamHelper = `
async function main(input) {
  const emitted = [], exported = {};
  const self = { ...component.methods, $emit(event) { emitted.push(event); } };
  for (const [name, prop] of Object.entries(component.props ?? {})) {
    if ((prop.type ?? prop) === '$.service.db') self[name] = { get: (key) => kv.get('db/' + key), set: (key, value) => kv.set('db/' + key, value) };
    else self[name] = input[name] ?? prop.default;
  }
  const $ = { export(name, value) { exported[name] = value; } };
  const result = await component.run.call(self, { ...input, event: input, steps: { trigger: { event: input } }, $ });
  if (emitted.length > 0) return emitted;
  return Object.keys(exported).length > 0 ? { ...exported, $return_value: result } : result;
}
`

// fromPipedream calls the component of a step or a source as Pipedream does, with its props from the run's input.
func fromPipedream(text string) (Brought, error) {
	if !component.MatchString(text) || !strings.Contains(text, "run") {
		return Brought{}, fmt.Errorf("there is no defineComponent or export default with run")
	}
	script := defaultExport.ReplaceAllString(text, "const component = ")
	if strings.Contains(script, "defineComponent(") {
		script = strings.Replace(script, "const component = ", "const defineComponent = (made) => made;\nconst component = ", 1)
	}
	b := Brought{Script: strings.TrimRight(script, "\n") + "\n" + pipedreamHelper, Notes: append(notes(text, pipedream, ""), reaches(text)...)}
	b.Notes = sorted(append(b.Notes, Note{Wrapped, 0, "", "run is what runs, props and steps.trigger.event come from the run's input: give the workflow a schedule or a hook"}))
	return b, nil
}

// githubRoutes are the methods of github.rest that are known, as the documentation of GitHub has them.
var githubRoutes = map[string]string{
	"actions.createWorkflowDispatch": "POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches", "actions.listWorkflowRuns": "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs",
	"actions.listWorkflowRunsForRepo": "GET /repos/{owner}/{repo}/actions/runs", "checks.create": "POST /repos/{owner}/{repo}/check-runs", "git.createRef": "POST /repos/{owner}/{repo}/git/refs", "git.getRef": "GET /repos/{owner}/{repo}/git/ref/{ref}",
	"git.deleteRef": "DELETE /repos/{owner}/{repo}/git/refs/{ref}", "issues.addAssignees": "POST /repos/{owner}/{repo}/issues/{issue_number}/assignees", "issues.addLabels": "POST /repos/{owner}/{repo}/issues/{issue_number}/labels",
	"issues.create": "POST /repos/{owner}/{repo}/issues", "issues.createComment": "POST /repos/{owner}/{repo}/issues/{issue_number}/comments", "issues.createLabel": "POST /repos/{owner}/{repo}/labels", "issues.deleteComment": "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}",
	"issues.get": "GET /repos/{owner}/{repo}/issues/{issue_number}", "issues.listComments": "GET /repos/{owner}/{repo}/issues/{issue_number}/comments", "issues.listForRepo": "GET /repos/{owner}/{repo}/issues", "issues.listLabelsOnIssue": "GET /repos/{owner}/{repo}/issues/{issue_number}/labels",
	"issues.lock": "PUT /repos/{owner}/{repo}/issues/{issue_number}/lock", "issues.removeLabel": "DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}", "issues.setLabels": "PUT /repos/{owner}/{repo}/issues/{issue_number}/labels", "issues.update": "PATCH /repos/{owner}/{repo}/issues/{issue_number}",
	"issues.updateComment": "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", "pulls.create": "POST /repos/{owner}/{repo}/pulls", "pulls.createReview": "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews", "pulls.get": "GET /repos/{owner}/{repo}/pulls/{pull_number}",
	"pulls.list": "GET /repos/{owner}/{repo}/pulls", "pulls.listCommits": "GET /repos/{owner}/{repo}/pulls/{pull_number}/commits", "pulls.listFiles": "GET /repos/{owner}/{repo}/pulls/{pull_number}/files", "pulls.listReviews": "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews",
	"pulls.merge": "PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge", "pulls.requestReviewers": "POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", "pulls.update": "PATCH /repos/{owner}/{repo}/pulls/{pull_number}", "repos.compareCommits": "GET /repos/{owner}/{repo}/compare/{base}...{head}",
	"repos.createCommitStatus": "POST /repos/{owner}/{repo}/statuses/{sha}", "repos.createDispatchEvent": "POST /repos/{owner}/{repo}/dispatches", "repos.createOrUpdateFileContents": "PUT /repos/{owner}/{repo}/contents/{path}", "repos.createRelease": "POST /repos/{owner}/{repo}/releases",
	"repos.get": "GET /repos/{owner}/{repo}", "repos.getCommit": "GET /repos/{owner}/{repo}/commits/{ref}", "repos.getContent": "GET /repos/{owner}/{repo}/contents/{path}", "repos.getLatestRelease": "GET /repos/{owner}/{repo}/releases/latest", "repos.getReleaseByTag": "GET /repos/{owner}/{repo}/releases/tags/{tag}",
	"repos.listBranches": "GET /repos/{owner}/{repo}/branches", "repos.listCommits": "GET /repos/{owner}/{repo}/commits", "repos.listReleases": "GET /repos/{owner}/{repo}/releases", "repos.listTags": "GET /repos/{owner}/{repo}/tags", "repos.updateRelease": "PATCH /repos/{owner}/{repo}/releases/{release_id}",
	"search.issuesAndPullRequests": "GET /search/issues", "users.getByUsername": "GET /users/{username}",
}

var (
	githubCall = lazyregexp.New(`\bgithub\.(?:rest\.)?([a-z]\w*)\.([a-z]\w+)\b`)
	actionExpr = lazyregexp.New(`\$\{\{\s*(.*?)\s*\}\}`)
	githubTold = []sign{
		signOf(`\b(core)\.(?:info|debug|notice|warning|error|setOutput|setFailed|getInput)\b`, Wrapped, "$1 writes the run's log; setOutput is a part of what the run returns, setFailed fails the run, getInput reads the run's input"),
		signOf(`\b(exec|io|glob)\.\w+\(`, Impossible, "$1 of the runner is not there: a script starts no programs and has no checkout"),
		signOf(`\b(context)\.`, Wrapped, "$1 comes from the run's input: repository is owner/name, event what GitHub sent"),
	}
)

const githubHelper = `
async function request(route, params = {}) {
  const [method, template] = route.split(' ');
  const rest = { ...params };
  const path = template.replace(/\{(\w+)\}/g, (_, name) => { const value = rest[name]; delete rest[name]; return String(value).split('/').map(encodeURIComponent).join('/'); });
  const reads = method === 'GET' || method === 'HEAD';
  const query = reads ? new URLSearchParams(Object.entries(rest).filter(([, v]) => v !== undefined).map(([k, v]) => [k, String(v)])).toString() : '';
  const response = await fetch('https://api.github.com' + path + (query && '?' + query), {
    method, headers: { authorization: 'Bearer ' + secret('GITHUB_TOKEN'), accept: 'application/vnd.github+json', 'content-type': 'application/json' }, body: reads ? undefined : JSON.stringify(rest),
  });
  const text = await response.text();
  const data = text ? JSON.parse(text) : undefined;
  if (!response.ok) throw Object.assign(new Error(data?.message ?? 'status ' + response.status), { name: 'HttpError', status: response.status });
  return { status: response.status, headers: Object.fromEntries(response.headers), data, url: response.url };
}
async function paginate(call, params = {}) {
  const list = [];
  for (let page = 1; ; page++) {
    const { data } = await (typeof call === 'string' ? request(call, { per_page: 100, ...params, page }) : call({ per_page: 100, ...params, page }));
    const items = Array.isArray(data) ? data : Object.values(data).find(Array.isArray) ?? [];
    list.push(...items);
    if (items.length < (params.per_page ?? 100)) return list;
  }
}
const graphql = async (query, variables) => (await request('POST /graphql', { query, variables })).data.data;
`

// fromGitHubScript makes a script of the steps of a workflow of GitHub Actions that use actions/github-script, one after the other.
func fromGitHubScript(text string) (Brought, error) {
	var file struct {
		Name string    `yaml:"name"`
		On   yaml.Node `yaml:"on"`
		Jobs map[string]struct {
			Steps []struct {
				Name, ID, Uses, Run, If string
				Env                     map[string]string
				With                    map[string]string
				line                    int
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		return Brought{}, err
	}
	b := Brought{Title: file.Name}
	var on struct{ Schedule []struct{ Cron string } }
	if file.On.Decode(&on) == nil && len(on.Schedule) > 0 {
		b.Cron = on.Schedule[0].Cron
		for _, more := range on.Schedule[1:] {
			b.Notes = append(b.Notes, Note{Impossible, lineOf(text, more.Cron), "", "a workflow has one schedule: " + more.Cron + " is left out"})
		}
	}
	var body strings.Builder
	routes, steps := map[string]bool{}, 0
	for _, job := range slices.Sorted(maps.Keys(file.Jobs)) {
		for i, step := range file.Jobs[job].Steps {
			name := step.Name
			if name == "" {
				name = fmt.Sprintf("step %d of %s", i+1, job)
			}
			say := func(fate, part, said string) {
				b.Notes = append(b.Notes, Note{fate, lineOf(text, part), name, said})
			}
			if !strings.HasPrefix(step.Uses, "actions/github-script@") {
				if what := step.Uses + step.Run; strings.HasPrefix(what, "actions/checkout@") {
					say(Impossible, what, "actions/checkout: there is no checkout; read files with github.rest.repos.getContent")
				} else {
					say(Impossible, strings.SplitN(what, "\n", 2)[0], "it runs "+strings.SplitN(what, "\n", 2)[0]+", and only steps of actions/github-script are scripts")
				}
				continue
			}
			steps++
			code := step.With["script"]
			first := lineOf(text, strings.SplitN(strings.TrimSpace(code), "\n", 2)[0])
			for _, note := range notes(code, githubTold, name) {
				note.Line = max(note.Line+first-1, 0)
				b.Notes = append(b.Notes, note)
			}
			if step.If != "" {
				say(Impossible, step.If, "its condition "+step.If+" is not looked at: write it into the script")
			}
			for _, found := range actionExpr.FindAllStringSubmatch(code, -1) {
				say(Impossible, found[0], found[0]+" is put in by GitHub: take it from the input, or of a secret from secret('NAME')")
			}
			for _, found := range githubCall.FindAllStringSubmatch(code, -1) {
				method := found[1] + "." + found[2]
				if githubRoutes[method] == "" {
					say(Impossible, found[0], "github.rest."+method+" is not known: use github.request('METHOD /path', parameters)")
					continue
				}
				routes[method] = true
			}
			env := ""
			for _, key := range slices.Sorted(maps.Keys(step.Env)) {
				value := step.Env[key]
				switch expression := actionExpr.FindStringSubmatch(value); {
				case expression == nil:
					env += fmt.Sprintf("    const %s = %s;\n", key, inQuotes(value))
					code = strings.ReplaceAll(code, "process.env."+key, key)
				case strings.HasPrefix(expression[1], "secrets."):
					say(Wrapped, value, "process.env."+key+" is the secret "+key+": kintsugi secret set "+key+" --host HOST")
				default:
					say(Impossible, value, key+" is "+value+", which GitHub puts in: take it from the input")
				}
			}
			fmt.Fprintf(&body, "  // %s\n  results[%s] = await (async () => {\n%s    %s\n  })();\n", strings.ReplaceAll(name, "\n", " "), inQuotes(orText(step.ID, name)), env, strings.ReplaceAll(strings.TrimSpace(code), "\n", "\n    "))
		}
	}
	if steps == 0 {
		return Brought{}, fmt.Errorf("no step uses actions/github-script")
	}
	var rest strings.Builder
	space := ""
	for _, method := range slices.Sorted(maps.Keys(routes)) {
		of, name, _ := strings.Cut(method, ".")
		if of != space {
			if space != "" {
				rest.WriteString(" },\n")
			}
			fmt.Fprintf(&rest, "  %s: {", of)
			space = of
		} else {
			rest.WriteString(",")
		}
		fmt.Fprintf(&rest, "\n    %s: (params) => request(%s, params)", name, inQuotes(githubRoutes[method]))
	}
	if space != "" {
		rest.WriteString(" },\n")
	}
	b.Script = strings.TrimLeft(githubHelper, "\n") + "const rest = {\n" + rest.String() + "};\nconst github = { rest, request, paginate, graphql, ...rest };\n\n" +
		"async function main(input) {\n  const [owner, repo] = String(input.repository ?? '').split('/');\n  const payload = input.event ?? {};\n" +
		"  const context = { repo: { owner, repo }, payload, eventName: input.event_name, ref: input.ref, sha: input.sha, actor: input.actor, runId: input.run_id, issue: { owner, repo, number: (payload.issue ?? payload.pull_request ?? payload).number } };\n" +
		"  const outputs = {}, results = {};\n" +
		"  const core = {\n    info: console.log, debug: console.debug, notice: console.info, warning: console.warn, error: console.error, exportVariable() {}, setSecret() {}, startGroup: console.group, endGroup() {},\n" +
		"    getInput: (name) => String(input[name] ?? ''), setOutput(name, value) { outputs[name] = value; }, setFailed(message) { throw message instanceof Error ? message : new Error(message); },\n  };\n" +
		body.String() + "  return { results, outputs };\n}\n"
	b.Notes = append(b.Notes, Note{Wrapped, 0, "", "github sends the secret GITHUB_TOKEN: kintsugi secret set GITHUB_TOKEN --host api.github.com"})
	if b.Cron == "" {
		b.Notes = append(b.Notes, Note{Wrapped, 0, "", "what began the workflow at GitHub is a hook here: it sends repository (owner/name) and event"})
	}
	b.Notes = sorted(b.Notes)
	return b, nil
}

func orText(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}
