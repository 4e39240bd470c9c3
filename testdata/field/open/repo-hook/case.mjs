const KEYS = ['repo:push', 'pullrequest:created', 'pullrequest:fulfilled', 'pullrequest:comment_created', 'repo:fork'];
const user = (name) => ({ type: 'user', username: name, display_name: name.toUpperCase() });
const nick = (name) => ({ type: 'user', nickname: name, account_id: `557058:${name.length}`, display_name: name.toUpperCase() });
const event = (person, { owner = (p) => ({ owner: p }), pr = (p) => p, push = (p) => p } = {}) => (f) => {
  const body = { actor: person(f.actor), repository: { name: f.repo, full_name: `acme/${f.repo}`, ...owner(person('acme')) } };
  if (f.key === 'repo:push') body.push = push({ changes: f.changes.map((c) => ({ old: { name: c.branch }, new: c.gone ? null : { name: c.branch, type: 'branch' }, truncated: c.more, commits: c.gone ? null : c.commits })) });
  else if (f.key.startsWith('pull')) body.pullrequest = pr({ id: f.id, title: f.title, author: person(f.author), source: { branch: { name: f.branch } }, destination: { branch: { name: 'main' } }, reviewers: f.reviewers.map(person) });
  if (f.key.endsWith('comment_created')) body.comment = { id: 1, content: { raw: f.text, html: `<p>${f.text}</p>` } };
  return { key: f.key, body };
};
const workspace = (p) => ({ workspace: { slug: p.username ?? p.nickname, name: 'ACME' } });
const HANDLE = 'async function main({ key, body }) {\n';
export default {
  source: 'https://developer.atlassian.com/cloud/bitbucket/bitbucket-api-changes-gdpr and https://developer.atlassian.com/cloud/bitbucket/bitbucket-api-teams-deprecation/: username went, account_id and nickname came; owner of a repository is workspace',
  says: 'Log pushes and pull requests, and tell the reviewers of new ones.',
  facts: (day, r) => ({ key: day === 4 ? 'repo:fork' : KEYS[r.int(0, 3)], actor: r.pick(['ann', 'bö', 'chen']), author: r.pick(['ann', 'dora']), repo: r.pick(['web', 'api-server']), id: 10 + day, title: r.pick(['Fix the login', 'Überarbeite die Liste der Kunden und alles, was damit zusammenhängt, bitte bald', 'Bump']), branch: r.pick(['fix/1', 'feature/ü']),
    reviewers: r.some(['ann', 'chen', 'eve']), text: r.pick(['Looks good', '@team please look', 'nit']), changes: r.many(1, 2, (i) => ({ branch: i ? 'old' : 'main', gone: r.chance(0.2), more: r.chance(0.2), commits: r.many(1, 3, () => ({ hash: r.hex(40), message: r.pick(['Add tests\n\nlong', 'Tidy', 'Wort für Wort']) })) })) }),
  input: event(user),
  api: { 'POST https://chat.example/hooks/:hook': { ok: true } },
  changes: [{
    name: 'nickname',
    happened: 'people have nickname and account_id and no username',
    tells: ['username', 'nickname'],
    input: event(nick),
    right: {
      'a helper': [['const branchOf', "const nameOf = (user) => (user.username === undefined ? user.nickname : user.username);\nconst branchOf"], ['actor.username', 'nameOf(actor)'], ['repository.owner.username', 'nameOf(repository.owner)'], ['pr.author.username', 'nameOf(pr.author)'], ['body.nameOf(actor)', 'nameOf(body.actor)'], ['(r) => r.username', 'nameOf']],
      'a walk': [[HANDLE, HANDLE + `  (function walk(node) {
    if (node === null || typeof node !== 'object') return;
    if (node.nickname && !node.username) node.username = node.nickname;
    Object.values(node).forEach(walk);
  })(body);
`]],
      'by ??': [['actor.username', '(actor.username ?? actor.nickname)'], ['body.(actor.username ?? actor.nickname)', 'body.actor.username ?? body.actor.nickname'], ['repository.owner.username', 'repository.owner.username ?? repository.owner.nickname'], ['pr.author.username', 'pr.author.username ?? pr.author.nickname'], ['(r) => r.username', '(r) => r.username ?? r.nickname']],
    },
    wrong: {
      'the display name': [['actor.username', '(actor.username ?? actor.display_name)'], ['body.(actor.username ?? actor.display_name)', '(body.actor.username ?? body.actor.display_name)'], ['pr.author.username', '(pr.author.username ?? pr.author.display_name)']],
      'only the actor': [[HANDLE, HANDLE + '  body.actor.username ??= body.actor.nickname;\n']],
      'unknown': [['const who = body.actor.username;', "const who = body.actor.username || 'unknown';"]],
      'the account': [['const who = body.actor.username;', 'const who = body.actor.username ?? body.actor.account_id;']],
    },
  }, {
    name: 'workspaces',
    happened: 'nickname in place of username, and the owner of a repository is its workspace with a slug',
    tells: ['workspace', ['nickname', 'owner']],
    input: event(nick, { owner: workspace }),
    right: {
      'at each place': [['const branchOf', 'const nick = (u) => u.username ?? u.nickname;\nconst branchOf'], ['actor.username', 'nick(actor)'], ['body.nick(actor)', 'nick(body.actor)'], ['repository.owner.username', '(repository.owner ? repository.owner.username : repository.workspace.slug)'], ['pr.author.username', 'nick(pr.author)'], ['(r) => r.username', 'nick']],
      'made old': [[HANDLE, HANDLE + `  const old = (one) => one && Object.assign(one, { username: one.username ?? one.nickname });
  old(body.actor);
  old(body.pullrequest?.author);
  body.pullrequest?.reviewers.forEach(old);
  body.repository.owner = old(body.repository.owner) ?? { username: body.repository.workspace.slug };
`]],
      'by a copy': [[HANDLE, "async function main({ key, body: given }) {\n  const body = JSON.parse(JSON.stringify(given, (name, v) => (name === 'repository' && v.workspace ? { ...v, owner: { username: v.workspace.slug } } : v && v.nickname !== undefined ? { ...v, username: v.nickname, nickname: undefined } : v)));\n"]],
    },
    wrong: {
      'people only': [[HANDLE, HANDLE + '  for (const u of [body.actor, body.pullrequest?.author, ...(body.pullrequest?.reviewers ?? [])]) if (u) u.username ??= u.nickname;\n']],
      'no owner': [[HANDLE, HANDLE + '  for (const u of [body.actor, body.pullrequest?.author, ...(body.pullrequest?.reviewers ?? [])]) if (u) u.username ??= u.nickname;\n'], ['repository.owner.username', 'repository.owner?.username']],
      'the name of it': [[HANDLE, HANDLE + '  for (const u of [body.actor, body.pullrequest?.author, ...(body.pullrequest?.reviewers ?? [])]) if (u) u.username ??= u.nickname;\n'], ['repository.owner.username', '(repository.owner?.username ?? repository.workspace.name)']],
    },
  }, {
    name: 'participants',
    happened: 'reviewers are participants with a role and a user, and branches of pull requests are refs with a name, in sourceRef and targetRef',
    tells: ['reviewers', 'participants'],
    input: event(user, { pr: ({ source, destination, reviewers, ...rest }) => ({ ...rest, sourceRef: { name: source.branch.name }, targetRef: { name: destination.branch.name }, participants: [{ role: 'PARTICIPANT', user: user('bot') }, ...reviewers.map((u) => ({ role: 'REVIEWER', user: u }))] }) }),
    right: {
      'in the handler': [['branchOf(pr.source)', '(pr.sourceRef?.name ?? branchOf(pr.source))'], ['branchOf(pr.destination)', '(pr.targetRef?.name ?? branchOf(pr.destination))'], ['pr.reviewers.map((r) => r.username)', "(pr.reviewers ?? pr.participants.filter((p) => p.role === 'REVIEWER').map((p) => p.user)).map((r) => r.username)"]],
      'made old': [[HANDLE, HANDLE + `  const pr = body.pullrequest;
  if (pr && pr.participants) {
    pr.source = { branch: pr.sourceRef };
    pr.destination = { branch: pr.targetRef };
    pr.reviewers = pr.participants.flatMap(({ role, user }) => (role === 'REVIEWER' ? [user] : []));
  }
`]],
      'helpers': [['const branchOf = (side) => side.branch.name;', "const branchOf = (side, ref) => (side ? side.branch : ref).name;\nconst reviewersOf = (pr) => pr.reviewers || pr.participants.reduce((all, p) => (p.role === 'REVIEWER' ? all.concat(p.user) : all), []);"], ['branchOf(pr.source)', 'branchOf(pr.source, pr.sourceRef)'], ['branchOf(pr.destination)', 'branchOf(pr.destination, pr.targetRef)'], ['pr.reviewers.map', 'reviewersOf(pr).map']],
    },
    wrong: {
      'all participants': [['branchOf(pr.source)', '(pr.sourceRef?.name ?? branchOf(pr.source))'], ['branchOf(pr.destination)', '(pr.targetRef?.name ?? branchOf(pr.destination))'], ['pr.reviewers.map((r) => r.username)', '(pr.reviewers ?? pr.participants.map((p) => p.user)).map((r) => r.username)']],
      'no reviewers': [['side.branch.name', "(side?.branch.name ?? 'main')"], ['pr.reviewers.map', '(pr.reviewers ?? []).map']],
      'one branch for both': [['branchOf(pr.source)', '(pr.sourceRef?.name ?? branchOf(pr.source))'], ['branchOf(pr.destination)', '(pr.sourceRef?.name ?? branchOf(pr.destination))'], ['pr.reviewers.map((r) => r.username)', "(pr.reviewers ?? pr.participants.filter((p) => p.role === 'REVIEWER').map((p) => p.user)).map((r) => r.username)"]],
      'caught': [['const lines = handle(body);', 'let lines = []; try { lines = handle(body); } catch (e) { console.error(e.message); }']],
    },
  }],
};
