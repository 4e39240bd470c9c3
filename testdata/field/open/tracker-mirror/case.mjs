const LIST = 'GET https://issues.alpha.example/api/issues';
const old = (i) => ({ key: i.key, title: i.title, state: i.state, updated_at: i.at, reporter: { login: i.who }, labels: i.labels });
const since = (f, q) => f.issues.filter((i) => !q.query.since || i.at > q.query.since);
const pages = (of, more = {}) => (f, q) => { const list = since(f, q), p = Number(q.query.page ?? 1); return { issues: list.slice(p * 3 - 3, p * 3).map(of), next: list.length > p * 3 ? p + 1 : null, ...more }; };
const cursors = (of) => (f, q) => { const list = since(f, q), from = q.query.cursor ? Number(Buffer.from(q.query.cursor, 'base64').toString().slice(2)) : 0, to = from + 3; return { data: list.slice(from, to).map(of), pageInfo: { hasNextPage: to < list.length, endCursor: to < list.length ? Buffer.from(`o:${to}`).toString('base64') : null } }; };
const camel = (i) => ({ key: i.key, title: i.title, state: i.state === 'open' ? 'OPEN' : 'CLOSED', updatedAt: i.at, author: i.who ? { username: i.who, id: `u_${i.who.length}` } : null, labels: i.labels.map((name) => ({ name, color: 'ff0000' })) });
const LOOP = `  for (let page: number | null = 1; page !== null; ) {
    const res: Response = await fetch(\`\${SOURCE}/issues?since=\${encodeURIComponent(since)}&page=\${page}&sort=updated\`);
    if (res.status === 304) return;
    if (!res.ok) throw new Error(\`alpha answered \${res.status}\`);
    const body: Page = await res.json();
    yield* body.issues;
    page = body.next;
  }`;
const both = (of) => `  for (let at = '&page=1'; at; ) {
    const res: Response = await fetch(\`\${SOURCE}/issues?since=\${encodeURIComponent(since)}\${at}&sort=updated\`);
    if (res.status === 304) return;
    if (!res.ok) throw new Error(\`alpha answered \${res.status}\`);
    const body: any = await res.json();
    for (const one of body.issues ?? body.data) yield ${of};
    at = body.next ? \`&page=\${body.next}\` : body.pageInfo?.hasNextPage ? \`&cursor=\${encodeURIComponent(body.pageInfo.endCursor)}\` : '';
  }`;
const OLD = `const oldIssue = (one: any): Issue => ({
  key: one.key,
  title: one.title,
  state: one.state.toLowerCase(),
  updated_at: one.updated_at ?? one.updatedAt,
  reporter: one.reporter ?? { login: one.author.username },
  labels: one.labels.map((l: any) => l.name ?? l),
});

async function* changedSince`;
export default {
  source: 'https://developers.gorgias.com/changelog/deprecation-offset-based-pagination and https://github.com/civitai/civitai/issues/588: lists by page number became lists by cursor; reporters became authors with a username, labels became objects',
  says: 'Mirror the issues of one tracker in another one.',
  facts: (day, r) => ({ issues: r.many(day === 3 ? 0 : 1, 8, (i) => ({ key: `A-${1 + (day * 2 + i) % 17}`, title: r.pick(['Crash at start', 'Tippfehler', 'IPv6', '遅い']), state: r.pick(['open', 'open', 'closed']), at: `2026-03-${String(day % 31 + 1).padStart(2, '0')}T0${i}:${r.int(10, 59)}:00Z`, who: r.pick(['Ann', 'bo', 'Çelik']), labels: r.some(['ui', 'bug', 'api']) })) }),
  api: { [LIST]: pages(old), 'POST https://tracker.beta.example/projects/mirror/issues': (f, q) => ({ number: q.id }), 'PATCH https://tracker.beta.example/projects/mirror/issues/:number': (f, q) => ({ number: Number(q.params.number) }) },
  changes: [{
    name: 'author',
    happened: 'reporter.login is author.username',
    tells: ['reporter', 'author'],
    api: { [LIST]: pages((i) => { const { reporter, ...rest } = old(i); return { ...rest, author: { username: reporter.login, id: 7 } }; }) },
    right: {
      'in the parameter': [['reporter, labels }: Issue', 'author, reporter = { login: author?.username }, labels }: any']],
      'by ??': [['({ key, title, state, reporter, labels }: Issue)', '({ key, title, state, reporter, labels, ...more }: any)'], ['reporter.login', '(reporter?.login ?? more.author.username)']],
      'when read': [['yield* body.issues;', 'yield* body.issues.map((i: any) => (i.reporter ? i : { ...i, reporter: { login: i.author.username } }));']],
    },
    wrong: {
      'nobody': [['reporter.login.toLowerCase()', "(reporter?.login ?? 'unknown').toLowerCase()"]],
      'the id': [['reporter, labels }: Issue', 'author, reporter = { login: String(author.id) }, labels }: any'], ['reporter.login', 'String(reporter.login)']],
      'skips': [['    const payload = mirrored(issue);', '    if (!issue.reporter) continue;\n    const payload = mirrored(issue);']],
      'as it is written': [['reporter, labels }: Issue', 'author, reporter, labels }: any'], ['reporter.login.toLowerCase()', '(reporter?.login.toLowerCase() ?? author.username)']],
    },
  }, {
    name: 'cursor-pages',
    happened: 'issues is data, and the next page is asked for by the endCursor of pageInfo',
    tells: ['issues', ['pageInfo', 'cursor']],
    api: { [LIST]: cursors(old) },
    right: {
      'either kind of page': [[LOOP, both('one')]],
      'a loop of its own': [['    yield* body.issues;\n    page = body.next;', `    if (body.issues) {
      yield* body.issues;
      page = body.next;
      continue;
    }
    let { data, pageInfo } = body as any;
    yield* data;
    while (pageInfo.hasNextPage) {
      const more = await fetch(\`\${SOURCE}/issues?since=\${encodeURIComponent(since)}&cursor=\${encodeURIComponent(pageInfo.endCursor)}&sort=updated\`);
      if (!more.ok) throw new Error(\`alpha answered \${more.status}\`);
      ({ data, pageInfo } = await more.json());
      yield* data;
    }
    return;`]],
      'recursive': [['async function* changedSince(since: string): AsyncGenerator<Issue> {', 'async function* changedSince(since: string, at: Record<string, string> = { page: \'1\' }): AsyncGenerator<Issue> {'], [LOOP, `  const res: Response = await fetch(\`\${SOURCE}/issues?\${new URLSearchParams({ since, ...at, sort: 'updated' })}\`);
  if (res.status === 304) return;
  if (!res.ok) throw new Error(\`alpha answered \${res.status}\`);
  const body: any = await res.json();
  yield* body.issues ?? body.data;
  if (body.next) yield* changedSince(since, { page: String(body.next) });
  if (body.pageInfo?.hasNextPage) yield* changedSince(since, { cursor: body.pageInfo.endCursor });`]],
    },
    wrong: {
      'the first page': [['yield* body.issues;', 'yield* body.issues ?? (body as any).data;'], ['page = body.next;', 'page = body.next ?? null;']],
      'nothing': [['yield* body.issues;', 'yield* body.issues ?? [];'], ['page = body.next;', 'page = body.next ?? null;']],
      'by pages still': [['yield* body.issues;', 'yield* body.issues ?? (body as any).data;'], ['page = body.next;', 'page = body.next ?? ((body as any).pageInfo?.hasNextPage && page! < 2 ? page! + 1 : null);']],
      'not encoded': [[LOOP, both('one').replace('encodeURIComponent(body.pageInfo.endCursor)', 'body.pageInfo.endCursor.slice(0, -1)')]],
    },
  }, {
    name: 'v2',
    happened: 'cursors for pages, camel case, states in capitals, author for reporter, labels as objects',
    tells: ['updatedAt', ['author', 'labels']],
    api: { [LIST]: cursors(camel) },
    right: {
      'an adapter': [['async function* changedSince', OLD], [LOOP, both('oldIssue(one)')]],
      'at each place': [
        [LOOP, both('one')], ['reporter, labels }: Issue', 'author, reporter = { login: author?.username }, labels }: any'],
        ['  state,\n', '  state: state.toLowerCase(),\n'], ['[...labels].sort()', 'labels.map((l: any) => (typeof l === \'string\' ? l : l.name)).sort()'],
        ["issue.state === 'open'", "issue.state.toLowerCase() === 'open'"], ['count[issue.state]++', 'count[issue.state.toLowerCase() as State]++'],
        ['if (issue.updated_at > last) last = issue.updated_at;', 'const at = issue.updated_at ?? (issue as any).updatedAt;\n    if (at > last) last = at;'],
      ],
      'by a walk over names': [[LOOP, both(`(one.author ? {
        ...Object.fromEntries(Object.entries(one).map(([k, v]) => [k.replace(/[A-Z]/g, (c) => '_' + c.toLowerCase()), v])),
        state: one.state.toLowerCase(), reporter: { login: one.author.username }, labels: one.labels.map((l: any) => l.name),
      } : one) as Issue`)]],
    },
    wrong: {
      'no cursor': [['async function* changedSince', OLD], [LOOP, both('oldIssue(one)')], ['if (issue.updated_at > last) last = issue.updated_at;', '']],
      'the first page': [['async function* changedSince', OLD], ['yield* body.issues;', 'yield* (body.issues ?? (body as any).data).map(oldIssue);'], ['page = body.next;', 'page = body.next ?? null;']],
      'no labels': [['async function* changedSince', OLD.replace('one.labels.map((l: any) => l.name ?? l)', "one.labels.filter((l: any) => typeof l === 'string')")], [LOOP, both('oldIssue(one)')]],
      'states as they are': [['async function* changedSince', OLD.replace('one.state.toLowerCase()', 'one.state')], [LOOP, both('oldIssue(one)')]],
    },
  }],
};
