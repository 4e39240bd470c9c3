const JOBS = 'GET https://git.example/api/v4/projects/:id/jobs';
const of = (j) => ({ id: j.id, name: j.name, stage: j.stage, status: j.status, allow_failure: j.may, duration: j.seconds, finished_at: j.at, commit: { id: j.sha, short_id: j.sha.slice(0, 8), title: 'x' }, user: j.who ? { id: 1, username: j.who } : null });
const numbered = (make) => (f, q) => { const p = Number(q.query.page), n = Number(q.query.per_page), more = p * n < f.jobs.length; return { $headers: { 'x-page': String(p), 'x-next-page': more ? String(p + 1) : '', 'x-per-page': String(n) }, $body: f.jobs.slice(p * n - n, p * n).map(make) }; };
// Of a page that is asked for by number only the first is given, as all others are behind a cursor.
const keyset = (make) => (f, q) => { const n = Number(q.query.per_page), from = q.query.cursor ? f.jobs.findIndex((j) => String(j.id) === Buffer.from(q.query.cursor, 'base64url').toString().slice(3)) + 1 : 0, part = f.jobs.slice(from, from + n), more = from + n < f.jobs.length; return { $headers: more ? { link: `<https://git.example/api/v4/projects/${q.params.id}/jobs?cursor=${Buffer.from(`id:${part.at(-1).id}`).toString('base64url')}&per_page=${n}&scope=finished>; rel="next"` } : {}, $body: part.map(make) }; };
const v5 = (j) => ({ id: `gid://gitlab/Job/${j.id}`, name: j.name, stage: { name: j.stage }, status: j.status.toUpperCase(), allowFailure: j.may, duration: j.seconds, finishedAt: j.at, commit: { sha: j.sha }, triggeredBy: j.who });
const ALL = "      items.push(...body);\n      page = headers.get('x-next-page');";
const PAGE = 'const res = await fetch(`${GITLAB}${path}?${new URLSearchParams(params)}`';
const LINKED = "      const link = /<([^>]+)>;\\s*rel=\"next\"/.exec(headers.get('link') || '');";
export default {
  source: 'https://gitlab.com/gitlab-org/gitlab/-/merge_requests/135222 and https://gitlab.com/gitlab-org/gitlab/-/issues/361362: jobs are paged by keyset, with the next page in the Link header and without X-Next-Page and its like',
  says: 'Tell the team how the jobs of the last day went.',
  facts: (day, r) => {
    const shas = [r.hex(40), r.hex(40)];
    return { since: `2026-03-${String(day % 28 + 1).padStart(2, '0')}T00:00:00.000Z`, jobs: r.many(day === 5 ? 0 : 1, 11, (i) => ({ id: 9000 + day * 50 - i, name: r.pick(['unit', 'e2e', 'lint', 'übersetzung']), stage: r.pick(['build', 'test', 'deploy']), status: r.pick(['success', 'success', 'failed', 'canceled']), may: r.chance(0.15), seconds: r.pick([r.int(5, 900) + 0.5, null]), at: `2026-03-${String(Math.max(1, day % 28 + 1 - (r.chance(0.15) ? 1 : 0))).padStart(2, '0')}T0${9 - Math.min(9, i)}:00:00.000Z`, sha: r.pick(shas), who: r.pick(['ann', 'bö', null]) })) };
  },
  input: (f) => ({ since: f.since }),
  api: { [JOBS]: numbered(of), 'POST https://chat.example/hooks/ci': { ok: true } },
  changes: [{
    name: 'keyset',
    happened: 'the headers with numbers of pages went; the next page is an address in the Link header',
    tells: [['x-next-page', 'X-Next-Page'], ['link', 'Link', 'cursor']],
    api: { [JOBS]: keyset(of) },
    right: {
      'the cursor of the link': [["    let page = '1';", "    let page = '1';\n    let cursor;"], ['{ ...params, page, per_page: 3 }', '{ ...params, ...(cursor ? { cursor } : { page }), per_page: 3 }'], [ALL, `${ALL}\n${LINKED}\n      if (link) page = cursor = new URL(link[1]).searchParams.get('cursor');`]],
      'addresses': [[PAGE, "const res = await fetch(/^https:/.test(path) ? path : `${GITLAB}${path}?${new URLSearchParams(params)}`"], [ALL, `${ALL}
      let linked = headers.get('link');
      while (!page && linked && linked.includes('rel="next"')) {
        const [more, h] = await this.page(linked.slice(linked.indexOf('<') + 1, linked.indexOf('>')));
        items.push(...more);
        linked = h.get('link');
      }`]],
      'a recursion': [[ALL, `      items.push(...body);
      page = headers.get('x-next-page');
      const next = (headers.get('link') ?? '').split(',').find((l) => l.includes('rel="next"'));
      if (!page && next) {
        const { searchParams } = new URL(next.match(/<(.*)>/)[1]);
        return items.concat(await this.all(path, { ...params, cursor: searchParams.get('cursor') }));
      }`]],
    },
    wrong: {
      'by the length': [["page = headers.get('x-next-page');", "page = headers.get('x-next-page') ?? (body.length === 3 && page < 2 ? Number(page) + 1 : '');"]],
      'larger pages': [['per_page: 3', 'per_page: 6']],
      'one more': [[ALL, `${ALL}\n${LINKED}\n      if (link) items.push(...(await this.page(path, { cursor: new URL(link[1]).searchParams.get('cursor'), per_page: 3 }))[0]);`]],
      'the address as a page': [["page = headers.get('x-next-page');", "page = headers.get('x-next-page') ?? (headers.get('link') && items.length < 7 ? headers.get('link') : '');"]],
    },
  }, {
    name: 'v5',
    happened: 'keyset pages by the Link header; camel case, stage as an object, status in capitals, sha in place of short_id, triggeredBy as a name',
    tells: ['stage', ['finishedAt', 'triggeredBy', 'link', 'Link']],
    api: { [JOBS]: keyset(v5) },
    right: {
      'an adapter': [['const rate =', `const old = (j) => (j.finishedAt === undefined ? j : {
  name: j.name, stage: j.stage.name, status: j.status.toLowerCase(), allow_failure: j.allowFailure, duration: j.duration, finished_at: j.finishedAt,
  commit: { short_id: j.commit.sha.slice(0, 8) }, user: j.triggeredBy ? { username: j.triggeredBy } : null,
});

const rate =`], ["    let page = '1';", "    let page = '1';\n    let cursor;"], ['{ ...params, page, per_page: 3 }', '{ ...params, ...(cursor ? { cursor } : { page }), per_page: 3 }'], [ALL, `      items.push(...body.map(old));\n      page = headers.get('x-next-page');\n${LINKED}\n      if (link) page = cursor = new URL(link[1]).searchParams.get('cursor');`]],
      'in place': [["    let page = '1';", "    let page = '1';\n    let cursor;"], ['{ ...params, page, per_page: 3 }', '{ ...params, ...(cursor ? { cursor } : { page }), per_page: 3 }'], [ALL, `${ALL}\n${LINKED}\n      if (link) page = cursor = /[?&]cursor=([^&]+)/.exec(link[1])[1];`], ['    return items;\n', `    for (const j of items) {
      if (!('finishedAt' in j)) continue;
      j.finished_at = j.finishedAt;
      j.allow_failure = j.allowFailure;
      j.stage = j.stage.name;
      j.status = j.status.toLowerCase();
      j.commit.short_id = j.commit.sha;
      if (j.triggeredBy) j.user = { username: j.triggeredBy };
    }
    return items;
`]],
      'at each place': [
        ["    let page = '1';", "    let page = '1';\n    let cursor;"], ['{ ...params, page, per_page: 3 }', '{ ...params, ...(cursor ? { cursor } : { page }), per_page: 3 }'], [ALL, `${ALL}\n${LINKED}\n      if (link) page = cursor = new URL(link[1]).searchParams.get('cursor');`],
        ["j.status === 'failed'", "j.status.toLowerCase() === 'failed'"], ['j.commit.short_id', '(j.commit.short_id || j.commit.sha)'], ['.add(j.status)', '.add(j.status.toLowerCase())'], ['j.finished_at >= since && !j.allow_failure', '(j.finished_at || j.finishedAt) >= since && !j.allow_failure && !j.allowFailure'],
        ['(stages[j.stage] = stages[j.stage] || []).push(j);', 'const s = j.stage.name || j.stage; (stages[s] = stages[s] || []).push(j);'], ["(j.user ? j.user.username : 'schedule')", "(j.user ? j.user.username : j.triggeredBy || 'schedule')"],
      ],
    },
    wrong: {
      'the first page': [['      items.push(...body);', '      items.push(...body.map((j) => (j.finishedAt ? { ...j, stage: j.stage.name, status: j.status.toLowerCase(), allow_failure: j.allowFailure, finished_at: j.finishedAt, commit: { short_id: j.commit.sha }, user: j.triggeredBy && { username: j.triggeredBy } } : j)));']],
      'all by schedule': [["    let page = '1';", "    let page = '1';\n    let cursor;"], ['{ ...params, page, per_page: 3 }', '{ ...params, ...(cursor ? { cursor } : { page }), per_page: 3 }'], [ALL, `      items.push(...body.map((j) => (j.finishedAt ? { ...j, stage: j.stage.name, status: j.status.toLowerCase(), allow_failure: j.allowFailure, finished_at: j.finishedAt, commit: { short_id: j.commit.sha } } : j)));\n      page = headers.get('x-next-page');\n${LINKED}\n      if (link) page = cursor = new URL(link[1]).searchParams.get('cursor');`]],
      'no jobs': [['j.finished_at >= since', "(j.finished_at || '') >= since"]],
      'also those that may fail': [["    let page = '1';", "    let page = '1';\n    let cursor;"], ['{ ...params, page, per_page: 3 }', '{ ...params, ...(cursor ? { cursor } : { page }), per_page: 3 }'], [ALL, `      items.push(...body.map((j) => (j.finishedAt ? { ...j, stage: j.stage.name, status: j.status.toLowerCase(), finished_at: j.finishedAt, commit: { short_id: j.commit.sha }, user: j.triggeredBy && { username: j.triggeredBy } } : j)));\n      page = headers.get('x-next-page');\n${LINKED}\n      if (link) page = cursor = new URL(link[1]).searchParams.get('cursor');`]],
    },
  }, {
    name: 'envelope',
    happened: 'jobs are in data, pagination.next_page says the next page, duration is in milliseconds in duration_ms',
    tells: [['x-next-page', 'pagination', 'data'], 'duration'],
    api: { [JOBS]: (f, q) => { const { $headers, $body } = numbered(of)(f, q); return { data: $body.map(({ duration, ...j }) => ({ ...j, duration_ms: duration === null ? null : duration * 1000 })), pagination: { next_page: $headers['x-next-page'] ? Number($headers['x-next-page']) : null } }; } },
    right: {
      'by ??': [[ALL, "      items.push(...(body.data ?? body));\n      page = body.pagination ? body.pagination.next_page : headers.get('x-next-page');"], ['(j.duration || 0)', '(j.duration ?? (j.duration_ms ?? 0) / 1000)']],
      'made old in page': [['return [await res.json(), res.headers];', `const body = await res.json();
    if (Array.isArray(body)) return [body, res.headers];
    const jobs = body.data.map((j) => ({ ...j, duration: j.duration_ms && j.duration_ms / 1000 }));
    return [jobs, new Headers({ 'x-next-page': String(body.pagination.next_page ?? '') })];`]],
      'a helper': [['const rate =', "const seconds = ({ duration, duration_ms: ms }) => (ms === undefined ? duration : ms / 1000) || 0;\n\nconst rate ="], ['(j.duration || 0)', 'seconds(j)'], ['const [body, headers]', 'const [{ data, pagination, ...more }, headers]'], [ALL, "      items.push(...(data || Object.values(more)));\n      page = pagination ? pagination.next_page : headers.get('x-next-page');"]],
    },
    wrong: {
      'without the unit': [[ALL, "      items.push(...(body.data ?? body));\n      page = body.pagination ? body.pagination.next_page : headers.get('x-next-page');"], ['(j.duration || 0)', '(j.duration ?? j.duration_ms ?? 0)']],
      'the first page': [['items.push(...body);', 'items.push(...(body.data ?? body));'], ['(j.duration || 0)', '(j.duration ?? (j.duration_ms ?? 0) / 1000)']],
      'no time': [[ALL, "      items.push(...(body.data ?? body));\n      page = body.pagination ? body.pagination.next_page : headers.get('x-next-page');"]],
    },
  }],
};
