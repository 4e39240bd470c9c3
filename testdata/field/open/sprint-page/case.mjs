const SEARCH = 'GET https://team.atlassian.example/rest/api/2/search';
const old = (i) => ({ id: String(10000 + i.n), key: i.key, fields: { summary: i.summary, status: { name: i.status }, priority: { name: i.priority }, assignee: i.who ? { displayName: i.who, active: true } : null, description: i.text } });
const pages = (of) => (f, q) => { const from = Number(q.query.startAt ?? 0), size = Number(q.query.maxResults ?? 50); return { startAt: from, maxResults: size, total: f.issues.length, issues: f.issues.slice(from, from + size).map(of) }; };
const tokens = (of) => (f, q) => {
  const from = q.query.nextPageToken ? Number(/^Ch(\d+)$/.exec(q.query.nextPageToken)?.[1] ?? 0) : 0, size = Number(q.query.maxResults ?? 50), last = from + size >= f.issues.length;
  return { issues: f.issues.slice(from, from + size).map(of), ...(last ? {} : { nextPageToken: `Ch${from + size}` }), isLast: last };
};
const doc = (text) => text && ({ type: 'doc', version: 1, content: text.split('\n').map((line) => ({ type: 'paragraph', content: line ? [{ type: 'text', text: line }] : [] })) });
const adf = (i) => { const o = old(i); o.fields.description = doc(i.text); return o; };
const LOOP = `  let startAt = 0;
  let body;
  do {
    body = await get('/rest/api/2/search', { jql, startAt, maxResults: 3, fields: 'summary,status,assignee,description,priority' });
    found.push(...body.issues);
    startAt += body.issues.length;
  } while (startAt < body.total);`;
const FIELDS = "maxResults: 3, fields: 'summary,status,assignee,description,priority'";
export default {
  source: 'https://github.com/atlassian-api/atlassian-python-api/issues/1586 and https://gitlab.com/gitlab-org/gitlab/-/merge_requests/206815: the search by startAt and total gave way to one by nextPageToken without a total; version 3 has descriptions as documents',
  says: 'Keep the page of the sprint up to date.',
  facts: (day, r) => ({ sprint: 40 + Math.floor(day / 4), issues: r.many(day === 6 ? 0 : 2, 10, (i) => ({ n: day * 20 + i, key: `APP-${day * 20 + i}`, summary: r.pick(['Login fails', 'Überschrift', '検索', 'Export | CSV', 'Slow list']), status: r.pick(['To Do', 'In Progress', 'Done']), priority: r.pick(['High', 'Medium', 'Low']), who: r.pick(['Ann Ek', 'Bö Lund', null]), text: r.pick([null, 'Steps below', 'First line\nand a second one', 'Siehe Anhang, es geht um die lange Liste der Kunden']) })) }),
  input: (f) => ({ sprint: f.sprint }),
  api: { [SEARCH]: pages(old), 'PUT https://wiki.example/rest/pages/:name': { ok: true } },
  changes: [{
    name: 'tokens',
    happened: 'the search has no total any more; the next page is asked for by nextPageToken, and isLast says that there is none',
    tells: ['total', 'nextPageToken'],
    api: { [SEARCH]: tokens(old) },
    right: {
      'the token if there is one': [[LOOP, `  let startAt = 0;
  let body;
  do {
    body = await get('/rest/api/2/search', { jql, startAt, ...(body && body.nextPageToken ? { nextPageToken: body.nextPageToken } : {}), ${FIELDS} });
    found.push(...body.issues);
    startAt += body.issues.length;
  } while (body.nextPageToken || startAt < body.total);`]],
      'a recursion': [[LOOP, `  const page = async (more) => {
    const body = await get('/rest/api/2/search', { jql, ...more, ${FIELDS} });
    found.push(...body.issues);
    if (body.total === undefined ? body.isLast === false : found.length < body.total) await page(body.nextPageToken ? { nextPageToken: body.nextPageToken } : { startAt: found.length });
  };
  await page({ startAt: 0 });`]],
      'a loop for each': [[LOOP, LOOP + `
  while (body.nextPageToken) {
    body = await get('/rest/api/2/search', { jql, nextPageToken: body.nextPageToken, ${FIELDS} });
    found.push(...body.issues);
  }`]],
    },
    wrong: {
      'many at once': [['maxResults: 3', 'maxResults: 5']],
      'by isLast and startAt': [['while (startAt < body.total)', 'while (body.isLast === false ? startAt < 9 : startAt < body.total)']],
      'two pages': [[LOOP, LOOP + `\n  if (body.nextPageToken) found.push(...(await get('/rest/api/2/search', { jql, nextPageToken: body.nextPageToken, ${FIELDS} })).issues);`]],
      'a total of its own': [['startAt < body.total', 'startAt < (body.total ?? body.issues.length)']],
    },
  }, {
    name: 'v3',
    happened: 'pages by nextPageToken, descriptions are documents of paragraphs',
    tells: ['description', 'nextPageToken'],
    api: { [SEARCH]: tokens(adf) },
    right: {
      'a walk through the document': [
        ["const row =", "const plain = (node) => (node == null || typeof node === 'string' ? node || '' : node.type === 'text' ? node.text : node.content.map(plain).join(node.type === 'doc' ? '\\n' : ''));\n\nconst row ="],
        ["(description || '')", 'plain(description)'],
        ['{ jql, startAt, maxResults', '{ jql, startAt, ...(body?.nextPageToken && { nextPageToken: body.nextPageToken }), maxResults'], ['while (startAt < body.total)', 'while (body.nextPageToken || startAt < body.total)'],
      ],
      'the first paragraph': [
        ["(description || '')", "(typeof description === 'object' && description !== null ? description.content[0].content.map((t) => t.text).join('') : description || '')"],
        [LOOP, `  let more = { startAt: 0 };
  while (more) {
    const body = await get('/rest/api/2/search', { jql, ...more, ${FIELDS} });
    found.push(...body.issues);
    more = body.nextPageToken ? { nextPageToken: body.nextPageToken } : found.length < body.total ? { startAt: found.length } : null;
  }`],
      ],
      'made old when read': [
        ['    found.push(...body.issues);', "    for (const { fields } of body.issues) if (fields.description && fields.description.type === 'doc') fields.description = fields.description.content.map((p) => (p.content ?? []).map((t) => t.text ?? '').join('')).join('\\n');\n    found.push(...body.issues);"],
        ['  let body;\n', '  let body = {};\n'], ['{ jql, startAt,', "{ jql, ...(body.nextPageToken ? { nextPageToken: body.nextPageToken } : { startAt }),"], ['startAt < body.total', "'isLast' in body ? !body.isLast : startAt < body.total"],
      ],
    },
    wrong: {
      'no note': [["(description || '')", "(typeof description === 'string' ? description : '')"], ['{ jql, startAt, maxResults', '{ jql, startAt, ...(body?.nextPageToken && { nextPageToken: body.nextPageToken }), maxResults'], ['while (startAt < body.total)', 'while (body.nextPageToken || startAt < body.total)']],
      'the first page': [["(description || '')", "(description?.content ? description.content[0].content.map((t) => t.text).join('') : description || '')"]],
      'as JSON': [["(description || '')", "(typeof description === 'string' ? description : JSON.stringify(description ?? ''))"], ['{ jql, startAt, maxResults', '{ jql, startAt, ...(body?.nextPageToken && { nextPageToken: body.nextPageToken }), maxResults'], ['while (startAt < body.total)', 'while (body.nextPageToken || startAt < body.total)']],
      'caught': [['const note = ', "let note = ''; try { note = "], ['.slice(0, 40);', ".slice(0, 40); } catch {}"]],
    },
  }, {
    name: 'no-assignee-names',
    happened: 'people are account ids only; their names have to be asked for elsewhere, which this key may not',
    tells: ['displayName', 'accountId'],
    lost: true,
    api: { [SEARCH]: pages((i) => { const o = old(i); if (o.fields.assignee) o.fields.assignee = { accountId: `5b10${i.who.length}`, active: true }; return o; }) },
    wrong: {
      'the id': [['assignee.displayName', '(assignee.displayName ?? assignee.accountId)']],
      'nobody': [['assignee.displayName', "(assignee.displayName ?? 'nobody')"]],
      'empty': [['assignee.displayName', "(assignee.displayName || '')"]],
    },
  }],
};
