const issue = (i) => ({ number: i.n, title: i.title, state: 'open', assignee: i.who ? { id: 1, login: i.who } : null, labels: i.labels.map((name, id) => ({ id, name, color: 'f00' })), ...(i.pull ? { pull_request: { url: 'x' } } : {}) });
const paged = (make) => (f, q) => {
  const page = +(q.query.page ?? 1), rest = f.issues.length > page * 3;
  return { $headers: rest ? { link: `<https://api.forge.example/repos/${q.params.owner}/${q.params.name}/issues?state=open&per_page=3&page=${page + 1}>; rel="next"` } : {}, $body: make(f.issues.slice((page - 1) * 3, page * 3)) };
};
const route = 'GET https://api.forge.example/repos/:owner/:name/issues';
export default {
  source: 'https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api and https://docs.gitea.com/api: lists by Link header, assignee beside assignees',
  says: 'Tell each person the open issues that are assigned to them.',
  facts: (day, r) => ({ issues: r.many(day === 5 ? 0 : 1, 8, (i) => ({ n: day * 20 + i, title: r.pick(['Crash on start', 'Tippfehler', 'Slow “search”', '文字化け']), who: r.chance(0.25) ? null : r.pick(['ann', 'bo', 'çem']), labels: r.some(['bug', 'ui', 'later']), pull: r.chance(0.15) })) }),
  input: () => ({ repo: 'acme/shop' }),
  api: { [route]: paged((list) => list.map(issue)), 'POST https://chat.example/api/post': { ok: true } },
  changes: [{
    name: 'assignees',
    happened: 'assignee is gone, assignees is a list',
    tells: ['assignee', 'assignees'],
    api: { [route]: paged((list) => list.map((i) => { const { assignee, ...rest } = issue(i); return { ...rest, assignees: assignee ? [assignee] : [] }; })) },
    right: {
      'at': [['issue.assignee?.login', '(issue.assignee ?? issue.assignees?.[0])?.login']],
      'destructured': [['    const who = issue.assignee?.login', '    const { assignees: [assignee] = [issue.assignee] } = issue;\n    const who = assignee?.login']],
      'normalised': [['all.push(...page)', 'all.push(...page.map((i) => ("assignee" in i ? i : { ...i, assignee: i.assignees[0] || null })))']],
    },
    wrong: {
      'author': [['issue.assignee?.login', '(issue.assignee?.login ?? issue.user?.login)']],
      'of the first issue': [['issue.assignee?.login', '(issue.assignee ?? issues[0].assignees?.[0])?.login']],
      'id': [['issue.assignee?.login', '(issue.assignee?.login ?? issue.assignees?.[0]?.id)']],
    },
  }, {
    name: 'v2',
    happened: 'lists are wrapped in data, labels are texts, login is username, numbers are texts, next is in the body',
    tells: ['data', 'labels'],
    api: { [route]: (f, q) => {
      const from = +(q.query.cursor ?? 0), more = f.issues.length > from + 3;
      return { data: f.issues.slice(from, from + 3).map((i) => ({ number: String(i.n), title: i.title, assignee: i.who ? { id: 'u1', username: i.who } : null, labels: i.labels, ...(i.pull ? { pull_request: { url: 'x' } } : {}) })), next: more ? `https://api.forge.example/repos/${q.params.owner}/${q.params.name}/issues?state=open&cursor=${from + 3}` : null };
    } },
    right: {
      'in the generator': [
        ['    yield await res.json();', '    const body = await res.json();\n    yield body.data ?? body;'], ['next ? next[1] : null', 'next ? next[1] : body.next || null'],
        ['issue.assignee?.login', '(issue.assignee?.login ?? issue.assignee?.username)'], ['(l) => l.name', '(l) => l.name ?? l'],
      ],
      'converted': [
        ['    yield await res.json();', `    const got = await res.json();
    yield Array.isArray(got) ? got : got.data.map((i) => ({ ...i, assignee: i.assignee && { login: i.assignee.username }, labels: i.labels.map((name) => ({ name })) }));`],
        ['url = next ? next[1] : null', 'url = Array.isArray(got) ? (next ? next[1] : null) : got.next'],
      ],
      'helpers': [
        ['async function* pages', "const nameOf = (l) => (typeof l === 'string' ? l : l.name);\nconst login = (a) => (a ? a.login || a.username : undefined);\n\nasync function* pages"],
        ['issue.assignee?.login', 'login(issue.assignee)'], ['(l) => l.name', 'nameOf'],
        ['yield await res.json();', 'const answer = await res.json();\n    yield answer.data || answer;'], ['next ? next[1] : null', 'next ? next[1] : answer.next'],
      ],
    },
    wrong: {
      'the first page': [['    yield await res.json();', '    const body = await res.json();\n    yield body.data ?? body;'], ['issue.assignee?.login', '(issue.assignee?.login ?? issue.assignee?.username)'], ['(l) => l.name', '(l) => l.name ?? l']],
      'empty for missing': [['all.push(...page)', 'all.push(...(Array.isArray(page) ? page : []))']],
      'without people': [['    yield await res.json();', '    const body = await res.json();\n    yield body.data ?? body;'], ['next ? next[1] : null', 'next ? next[1] : body.next || null'], ['(l) => l.name', '(l) => l.name ?? l']],
      'without labels': [['    yield await res.json();', '    const body = await res.json();\n    yield body.data ?? body;'], ['next ? next[1] : null', 'next ? next[1] : body.next || null'], ['issue.assignee?.login', '(issue.assignee?.login ?? issue.assignee?.username)']],
    },
  }, {
    name: 'label-names',
    happened: 'labels are label_names, a list of texts',
    tells: ['labels', 'label_names'],
    api: { [route]: paged((list) => list.map((i) => { const { labels, ...rest } = issue(i); return { ...rest, label_names: i.labels }; })) },
    right: {
      'either': [['issue.labels.map((l) => l.name)', '(issue.label_names ?? issue.labels.map((l) => l.name))']],
      'made objects': [['issue.labels.map', '(issue.labels || issue.label_names.map((name) => ({ name }))).map']],
      'if': [['    (acc[who]', '    const labels = issue.labels ? issue.labels.map((l) => l.name) : issue.label_names;\n    (acc[who]'], ['issue.labels.map((l) => l.name).join', 'labels.join']],
    },
    wrong: {
      'empty': [['issue.labels.map', '(issue.labels ?? []).map']],
      'optional': [["issue.labels.map((l) => l.name).join", "issue.labels?.map((l) => l.name).join"]],
      'the first': [['issue.labels.map((l) => l.name)', '(issue.labels?.map((l) => l.name) ?? issue.label_names.slice(0, 1))']],
    },
  }],
};
