const R = 'GET https://forge.example/2.0/repositories/acme/:repo/pullrequests', P = 'GET https://team.example/people.json';
const PEOPLE = [{ n: 'ada', full: 'Ada L.', chat: 'U1' }, { n: 'bö', full: 'Bö & Co', chat: 'U2' }, { n: 'yamada', full: '山田', chat: 'U3' }, { n: 'guest', full: 'Guest', chat: null }];
const user = (n) => ({ username: n, display_name: PEOPLE.find((p) => p.n === n).full, type: 'user' });
const GDPR = (n) => ({ account_id: `557:${n}`, nickname: n.slice(0, 2), display_name: PEOPLE.find((p) => p.n === n).full, type: 'user' });
const old = (pr, who = user) => ({ id: pr.id, title: pr.title, created_on: pr.at, draft: pr.draft, author: who(pr.by), participants: pr.of.map((p) => ({ role: p.role, approved: p.ok, user: who(p.n) })) });
const page = (f, q, shape, make = (values, next) => ({ pagelen: 2, values, ...(next ? { next } : {}) })) => { const all = f.prs.filter((p) => p.repo === q.params.repo), at = Number(q.query.page ?? 1); return make(all.slice(at * 2 - 2, at * 2).map((pr) => shape(pr)), at * 2 < all.length ? `https://forge.example/2.0/repositories/acme/${q.params.repo}/pullrequests?state=OPEN&page=${at + 1}` : null); };
const people = () => PEOPLE.filter((p) => p.chat).map((p) => ({ forge: p.n, chat: p.chat, mail: null }));
export default {
  source: 'https://github.com/screwdriver-cd/screwdriver/issues/1662 and https://github.com/jeffwidman/bitbucket-issue-migration/pull/121 (both opened): for privacy usernames went from answers; account_id and nickname came, which is not always the name',
  says: 'Remind people in the chat of reviews that wait for them',
  facts: (day, r) => ({
    slot: `2026-07-${String(day + 1).padStart(2, '0')}T07:00:00Z`, repos: ['shop', 'docs'].slice(0, r.int(1, 2)),
    prs: r.many(day === 4 ? 0 : 1, 6, (i) => ({ repo: r.pick(['shop', 'shop', 'docs']), id: day * 10 + i, title: r.pick(['Fix “login”', 'Größe', 'Add <b>']), at: `2026-06-${String(r.int(1, 30)).padStart(2, '0')}T10:00:00.000000+00:00`, draft: r.chance(0.15), by: r.pick(['ada', 'yamada']), of: r.many(0, 3, () => ({ n: r.pick(['ada', 'bö', 'yamada', 'guest']), role: r.chance(0.8) ? 'REVIEWER' : 'PARTICIPANT', ok: r.chance(0.3) })) })),
  }),
  input: (f) => ({ slot: f.slot, repos: f.repos }),
  api: { [R]: (f, q) => page(f, q, old), [P]: people, 'POST https://chat.example/dm': () => ({ ok: true }) },
  changes: [{
    name: 'no-usernames',
    happened: 'users have an account_id and a nickname, no username; people.json has the account beside the old name',
    tells: [['username', 'account_id']],
    api: { [R]: (f, q) => page(f, q, (pr) => old(pr, GDPR)), [P]: () => PEOPLE.map((p) => ({ forge: p.n, account: `557:${p.n}`, chat: p.chat })) },
    right: {
      'joined by account': [['const forge = new', "const nameOf = Object.fromEntries(people.map((p) => [p.account, p.forge]));\n    const forge = new"], ['waiting(found)) {', 'waiting(found).map((n) => nameOf[n] ?? n)) {'], ['p.user.username', 'p.user.username ?? p.user.account_id']],
      'made old': [['for (const found of await forge.open(repo)) {', "for (const found of await forge.open(repo)) {\n        for (const { user } of found.pr.participants) user.username ??= people.find((p) => p.account === user.account_id).forge;"]],
      'a map handed over': [['const waiting = ({ pr })', 'const waiting = ({ pr }, names)'], ['(p) => p.user.username', '(p) => p.user.username || names.get(p.user.account_id)'], ['waiting(found)', 'waiting(found, new Map(people.map(({ account, forge: name }) => [account, name])))']],
    },
    wrong: {
      'the nickname': [['p.user.username', '(p.user.username ?? p.user.nickname)']],
      'the display name': [['p.user.username', '(p.user.username ?? p.user.display_name)']],
      'the account': [['p.user.username', '(p.user.username ?? p.user.account_id)'], ['[p.forge, p.chat]', '[p.account ?? p.forge, p.chat]']],
      'nobody': [['  .map((p) => p.user.username)', '  .map((p) => p.user.username).filter(Boolean)']],
    },
  }, {
    name: 'reviewers-apart',
    happened: 'pull requests have reviewers with a state in place of participants, next is a page number, and values are in pullrequests',
    tells: [['participants', 'reviewers', 'values', 'pullrequests']],
    api: { [R]: (f, q) => page(f, q, (pr) => { const { participants, ...o } = old(pr); return { ...o, reviewers: pr.of.filter((p) => p.role === 'REVIEWER').map((p) => ({ ...user(p.n), state: p.ok ? 'approved' : null })) }; }, (pullrequests, next) => ({ pullrequests, next: next ? Number(/page=(\d+)/.exec(next)[1]) : null })) },
    right: {
      'made old': [['for (const value of page.values) yield value;\n      url = page.next;', "for (const value of page.values ?? page.pullrequests) {\n        if (value.reviewers) value.participants = value.reviewers.map((r) => ({ role: 'REVIEWER', approved: r.state === 'approved', user: r }));\n        yield value;\n      }\n      url = typeof page.next === 'number' ? `${this.base}${path}&page=${page.next}` : page.next;"]],
      'in each place': [['page.values', '(page.values || page.pullrequests)'], ['url = page.next;', "url = page.next && (isNaN(page.next) ? page.next : this.base + path + '&page=' + page.next);"], ["pr.participants\n  .filter((p) => p.role === 'REVIEWER' && !p.approved)\n  .map((p) => p.user.username)", "pr.reviewers ? pr.reviewers.filter((r) => r.state !== 'approved').map((r) => r.username) : pr.participants\n  .filter((p) => p.role === 'REVIEWER' && !p.approved)\n  .map((p) => p.user.username)"]],
      'a second generator': [['  async open(repo) {', "  async *numbered(path) {\n    let n = 1;\n    while (n) {\n      const res = await fetch(`${this.base}${path}&page=${n}`);\n      if (!res.ok) throw new Error(`${res.status} from ${path}`);\n      const { values, pullrequests, next } = await res.json();\n      yield* (values ?? pullrequests);\n      n = typeof next === 'string' ? Number(new URL(next).searchParams.get('page')) : next;\n    }\n  }\n\n  async open(repo) {"], ['this.paged(`', 'this.numbered(`'], ['pr.participants\n', "(pr.participants ?? pr.reviewers.map((user) => ({ user, role: 'REVIEWER', approved: user.state !== null })))\n"]],
    },
    wrong: {
      'the first page': [['page.values', '(page.values || page.pullrequests)'], ['url = page.next;', "url = typeof page.next === 'string' ? page.next : null;"], ['pr.participants\n', "(pr.participants ?? pr.reviewers.map((user) => ({ user, role: 'REVIEWER', approved: user.state !== null })))\n"]],
      'nobody waits': [['page.values', '(page.values || page.pullrequests)'], ['url = page.next;', "url = page.next && (isNaN(page.next) ? page.next : this.base + path + '&page=' + page.next);"], ['pr.participants\n', '(pr.participants ?? [])\n']],
      'all wait': [['page.values', '(page.values || page.pullrequests)'], ['url = page.next;', "url = page.next && (isNaN(page.next) ? page.next : this.base + path + '&page=' + page.next);"], ['pr.participants\n', "(pr.participants ?? pr.reviewers.map((user) => ({ user, role: 'REVIEWER' })))\n"]],
      'no pull requests': [['page.values', '(page.values ?? [])']],
    },
  }, {
    name: 'people-by-id',
    happened: 'people.json is an object by the name of the forge with handles, and draft became a state DRAFT',
    tells: [['people', 'map', 'draft', 'handles', 'state']],
    api: { [R]: (f, q) => page(f, q, (pr) => { const { draft, ...o } = old(pr); return { ...o, state: draft ? 'DRAFT' : 'OPEN' }; }), [P]: () => Object.fromEntries(PEOPLE.filter((p) => p.chat).map((p) => [p.n, { handles: { chat: p.chat } }])) },
    right: {
      'in place': [['Object.fromEntries(people.map((p) => [p.forge, p.chat]))', 'Array.isArray(people) ? Object.fromEntries(people.map((p) => [p.forge, p.chat])) : Object.fromEntries(Object.entries(people).map(([name, p]) => [name, p.handles.chat]))'], ['if (!pr.draft)', "if (!pr.draft && pr.state !== 'DRAFT')"]],
      'made old': [["const people = await web.getJSON('https://team.example/people.json');", "const raw = await web.getJSON('https://team.example/people.json');\n    const people = raw.map ? raw : Object.keys(raw).map((forge) => ({ forge, chat: raw[forge].handles.chat }));"], ['!pr.draft', "!(pr.draft || pr.state === 'DRAFT')"]],
      'a function': [['const age =', "const directory = (people) => {\n  const found = {};\n  for (const [key, p] of Object.entries(people)) found[p.forge ?? key] = p.chat ?? p.handles?.chat;\n  return found;\n};\n\nconst age ="], ['Object.fromEntries(people.map((p) => [p.forge, p.chat]))', 'directory(people)'], ['if (!pr.draft) list', "if (pr.draft !== true && pr.state !== 'DRAFT') list"]],
    },
    wrong: {
      'drafts, too': [['Object.fromEntries(people.map((p) => [p.forge, p.chat]))', 'Array.isArray(people) ? Object.fromEntries(people.map((p) => [p.forge, p.chat])) : Object.fromEntries(Object.entries(people).map(([name, p]) => [name, p.handles.chat]))']],
      'all are missing': [['Object.fromEntries(people.map((p) => [p.forge, p.chat]))', 'Array.isArray(people) ? Object.fromEntries(people.map((p) => [p.forge, p.chat])) : {}'], ['if (!pr.draft)', "if (!pr.draft && pr.state !== 'DRAFT')"]],
      'the name for the chat': [['Object.fromEntries(people.map((p) => [p.forge, p.chat]))', 'Array.isArray(people) ? Object.fromEntries(people.map((p) => [p.forge, p.chat])) : Object.fromEntries(Object.keys(people).map((name) => [name, name]))'], ['if (!pr.draft)', "if (!pr.draft && pr.state !== 'DRAFT')"]],
    },
  }],
};
