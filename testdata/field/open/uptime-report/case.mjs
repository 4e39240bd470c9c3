const GET = 'POST https://uptime.example/v2/getMonitors', V3 = 'GET https://uptime.example/v3/monitors';
const CODE = { paused: 0, new: 1, up: 2, seems: 8, down: 9 }, WORD = { paused: 'PAUSED', new: 'STARTED', up: 'UP', seems: 'LOOKS_DOWN', down: 'DOWN' };
const old = (m) => ({ id: m.id, friendly_name: m.name, url: 'https://x.example', type: 1, status: CODE[m.state], ...(m.times.length ? { response_times: m.times.map((value, i) => ({ datetime: 1772000000 + i, value })) } : {}) });
const v3 = (m) => ({ id: m.id, friendlyName: m.name, url: 'https://x.example', type: 'HTTP', status: WORD[m.state], responseTimes: m.times.map((value, i) => ({ at: new Date(1772000000000 + i * 1000).toISOString(), milliseconds: value })) });
const form = (q) => new URLSearchParams(q.body);
const paged = (of, more = {}) => (f, q) => { const o = Number(form(q).get('offset')), l = Number(form(q).get('limit')); return { stat: 'ok', pagination: { offset: o, limit: l, total: f.monitors.length }, monitors: f.monitors.slice(o, o + l).map(of), ...more }; };
const cursor = (f, q) => { const from = Number(q.query.cursor ?? 0), to = from + 2; return { data: f.monitors.slice(from, to).map(v3), nextLink: to < f.monitors.length ? `https://uptime.example/v3/monitors?limit=2&cursor=${to}` : null }; };
const LOOP = 'for (const m of await all()) {';
const TO = `const CODES = { PAUSED: 0, STARTED: 1, UP: 2, LOOKS_DOWN: 8, DOWN: 9 };
function old(m) {
  return { id: m.id, friendly_name: m.friendlyName, status: CODES[m.status], response_times: m.responseTimes.map((t) => ({ value: t.milliseconds })) };
}

async function all() {`;
const FIRST = "  if (!response.ok) throw new Error('uptime answered ' + response.status);";
export default {
  source: 'https://uptimerobot.com/blog/introducing-the-uptimerobot-v3-api: calls by POST with a form, offset and limit gave way to resources by GET with cursors, in camel case',
  says: 'Keep the components of the status page as the monitors see them.',
  facts: (day, r) => ({ slot: `2026-03-${String(day % 31 + 1).padStart(2, '0')}T06:00:00Z`, monitors: ['Shop', 'API', 'Über uns', 'Mail', '検索'].filter(() => day !== 4 && r.chance(0.85)).map((name, i) => ({ id: 777000 + name.length * 11 + i, name, state: r.pick(['up', 'up', 'up', 'down', 'seems', 'paused', 'new']), times: r.many(0, 4, () => r.int(40, 1600)) })) }),
  input: (f) => ({ slot: f.slot }),
  api: { [GET]: paged(old), 'PUT https://status.example/api/components': { ok: true } },
  changes: [{
    name: 'status-words',
    happened: 'status is a word, such as UP, DOWN, LOOKS_DOWN, PAUSED and STARTED',
    tells: ['status', ['UP', 'DOWN', 'word']],
    api: { [GET]: paged((m) => ({ ...old(m), status: WORD[m.state] })) },
    right: {
      'a table': [[LOOP, `${LOOP}\n    m.status = { PAUSED: 0, STARTED: 1, UP: 2, LOOKS_DOWN: 8, DOWN: 9 }[m.status] ?? m.status;`]],
      'when read': [['monitors.push.apply(monitors, body.monitors);', "const words = ['PAUSED', 'STARTED', 'UP'];\n    words[8] = 'LOOKS_DOWN';\n    words[9] = 'DOWN';\n    for (const one of body.monitors) monitors.push(typeof one.status === 'string' ? Object.assign({}, one, { status: words.indexOf(one.status) }) : one);"]],
      'at each place': [["9: 'down' }", "9: 'down', LOOKS_DOWN: 'seems down', DOWN: 'down' }"], ['m.status === 0 || m.status === 1', "[0, 1, 'PAUSED', 'STARTED'].includes(m.status)"], ['m.status === 9 || m.status === 8', "[8, 9, 'LOOKS_DOWN', 'DOWN'].includes(m.status)"]],
    },
    wrong: {
      'only DOWN': [['m.status === 9 || m.status === 8', "m.status === 9 || m.status === 8 || m.status === 'DOWN'"], ["9: 'down' }", "9: 'down', DOWN: 'down' }"]],
      'paused ones are up': [['m.status === 9 || m.status === 8', "[8, 9, 'LOOKS_DOWN', 'DOWN'].includes(m.status)"], ["9: 'down' }", "9: 'down', LOOKS_DOWN: 'seems down', DOWN: 'down' }"]],
      'what is not up': [['m.status === 9 || m.status === 8', "m.status === 9 || m.status === 8 || (typeof m.status === 'string' && m.status !== 'UP')"], ['STATUS[m.status]', "(STATUS[m.status] || 'down')"]],
    },
  }, {
    name: 'v3',
    happened: 'the call by POST is gone (410); monitors are asked by GET of /v3/monitors, in data with nextLink, camel case and words for states',
    tells: ['410', ['v3', 'friendlyName', 'nextLink']],
    api: { [GET]: { $status: 410, $body: { error: 'v2 was retired, see /v3/monitors' } }, [V3]: cursor },
    right: {
      'asked there when it is gone': [['async function all() {', TO + `
  const first = await fetch(API, { method: 'POST', effect: 'read', headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Cache-Control': 'no-cache' }, body: 'format=json&offset=0&limit=2&response_times=1' });
  if (first.status === 410) {
    const found = [];
    for (let url = 'https://uptime.example/v3/monitors?limit=2'; url; ) {
      const page = await web.getJSON(url);
      found.push(...page.data.map(old));
      url = page.nextLink;
    }
    return found;
  }`]],
      'in the place of a page': [['async function all() {', TO], [FIRST, `  if (response.status === 410) {
    const monitors = [];
    let link = 'https://uptime.example/v3/monitors?limit=2';
    while (link !== null) {
      const res = await fetch(link);
      if (!res.ok) throw new Error('uptime answered ' + res.status);
      const { data, nextLink } = await res.json();
      monitors.push(...data.map(old));
      link = nextLink;
    }
    return { stat: 'ok', monitors, pagination: { total: monitors.length, limit: monitors.length || 1 } };
  }
${FIRST}`]],
      'caught': [['async function all() {', TO.replace('async function all() {', `async function* links(url) {
  const page = await web.getJSON(url);
  yield* page.data.map(old);
  if (page.nextLink) yield* links(page.nextLink);
}

async function all() {
  try {
    return await allByForm();
  } catch (e) {
    if (!/answered 410/.test(e.message)) throw e;
    const found = [];
    for await (const m of links('https://uptime.example/v3/monitors?limit=2')) found.push(m);
    return found;
  }
}

async function allByForm() {`)]],
    },
    wrong: {
      'nothing there': [[FIRST, "  if (response.status === 410) return { stat: 'ok', monitors: [], pagination: { total: 0, limit: 2 } };\n" + FIRST]],
      'the first page': [['async function all() {', TO], [FIRST, "  if (response.status === 410) {\n    const { data } = await web.getJSON('https://uptime.example/v3/monitors?limit=2');\n    return { stat: 'ok', monitors: data.map(old), pagination: { total: data.length, limit: 2 } };\n  }\n" + FIRST]],
      'no times': [['async function all() {', TO.replace('m.responseTimes.map((t) => ({ value: t.milliseconds }))', '[]')], [FIRST, `  if (response.status === 410) {
    const monitors = [];
    for (let link = 'https://uptime.example/v3/monitors?limit=2'; link; ) {
      const page = await web.getJSON(link);
      monitors.push(...page.data.map(old));
      link = page.nextLink;
    }
    return { stat: 'ok', monitors, pagination: { total: monitors.length, limit: monitors.length || 1 } };
  }
${FIRST}`]],
    },
  }, {
    name: 'total-apart',
    happened: 'pagination went, total is beside monitors and limit is per_page; times are seconds in response_times, name is friendly_name',
    tells: ['pagination', ['total', 'name']],
    api: { [GET]: (f, q) => { const { pagination, monitors, ...rest } = paged(old)(f, q); return { ...rest, total: pagination.total, per_page: pagination.limit, monitors: monitors.map(({ friendly_name, ...m }) => ({ ...m, name: friendly_name, ...(m.response_times ? { response_times: m.response_times.map((t) => ({ seconds: t.value / 1000 })) } : {}) })) }; } },
    right: {
      'by ??': [['total = body.pagination.total;', 'total = body.pagination?.total ?? body.total;'], ['offset += body.pagination.limit;', 'offset += body.pagination?.limit ?? body.per_page;'], ['name: m.friendly_name', 'name: m.friendly_name ?? m.name'], ['return t.value;', 'return t.value ?? Math.round(t.seconds * 1000);']],
      'made old': [['  return body;\n}', `  if (!body.pagination) {
    body.pagination = { total: body.total, limit: body.per_page };
    for (const m of body.monitors) {
      m.friendly_name = m.name;
      for (const t of m.response_times || []) t.value = Math.round(t.seconds * 1000);
    }
  }
  return body;
}`]],
      'destructured': [['    const body = await ask(offset, 1);', '    const body = await ask(offset, 1);\n    const { pagination: { total: n, limit } = { total: body.total, limit: body.per_page } } = body;'], ['total = body.pagination.total;', 'total = n;'], ['offset += body.pagination.limit;', 'offset += limit;'], ['m.friendly_name', "('friendly_name' in m ? m.friendly_name : m.name)"], ['function (t) { return t.value; }', 'function ({ seconds, value = +(seconds * 1000).toFixed(0) }) { return value; }']],
    },
    wrong: {
      'seconds': [['total = body.pagination.total;', 'total = body.pagination?.total ?? body.total;'], ['offset += body.pagination.limit;', 'offset += body.pagination?.limit ?? body.per_page;'], ['name: m.friendly_name', 'name: m.friendly_name ?? m.name'], ['return t.value;', 'return t.value ?? t.seconds;']],
      'one page': [['total = body.pagination.total;', 'total = body.pagination?.total ?? 0;'], ['offset += body.pagination.limit;', 'offset += body.pagination?.limit ?? 2;'], ['name: m.friendly_name', 'name: m.friendly_name ?? m.name'], ['return t.value;', 'return t.value ?? Math.round(t.seconds * 1000);']],
      'the id as name': [['total = body.pagination.total;', 'total = body.pagination?.total ?? body.total;'], ['offset += body.pagination.limit;', 'offset += body.pagination?.limit ?? body.per_page;'], ['name: m.friendly_name', 'name: m.friendly_name ?? String(m.id)'], ['return t.value;', 'return t.value ?? Math.round(t.seconds * 1000);']],
    },
  }],
};
