const route = 'GET https://wiki.example/w/api.php';
const flag = (name, on) => (on ? { [name]: '' } : {});
const old = (c) => ({ type: c.type, title: c.title, user: c.user, timestamp: c.at, oldlen: c.from, newlen: c.to, comment: c.comment, ...flag('bot', c.bot), ...flag('anon', c.anon) });
const since = (f, q) => f.changes.filter((c) => c.at > q.query.rcend);
const page = (f, q, shape, more) => {
  const at = Number(q.query.rccontinue ?? 0), all = since(f, q), next = at + Number(q.query.rclimit);
  return { query: { recentchanges: all.slice(at, next).map(shape) }, ...(next < all.length ? more(String(next)) : {}) };
};
const before = (next) => ({ 'query-continue': { recentchanges: { rccontinue: next } } }), now = (next) => ({ continue: { rccontinue: next, continue: '-||' } });
const modern = (c) => { const { bot, anon, ...o } = old(c); return { ...o, bot: c.bot, anon: c.anon, minor: false }; };
export default {
  source: 'https://wiki.owasp.org/index.php/MediaWiki:Apihelp-json-param-formatversion (opened): flags that were there or not became true and false; query-continue gave way to continue, and people without an account to temporary ones (from memory)',
  says: 'Tell how much the pages of the wiki grew, and log what people without an account did',
  facts: (day, r) => ({
    changes: r.many(day === 3 ? 0 : 1, 8, (i) => ({ type: r.pick(['edit', 'edit', 'new', 'log']), title: r.pick(['Main Page', 'Größen', 'API:Etikette', '使い方']), user: r.pick(['Ada', '203.0.113.7', 'Zoë']), at: `2026-04-${String(day + 1).padStart(2, '0')}T0${9 - i}:00:00Z`, from: r.int(0, 900), to: r.int(0, 900), comment: r.pick(['', 'typo', 'rv “spam”']), bot: r.chance(0.25), anon: r.chance(0.35) })),
  }),
  api: { [route]: (f, q) => page(f, q, old, before) },
  changes: [{
    name: 'modern-format',
    happened: 'bot and anon are always there and true or false, and pages go on by continue in place of query-continue',
    tells: [['bot', 'anon', 'continue']],
    api: { [route]: (f, q) => page(f, q, modern, now) },
    right: {
      'in each place': [["data['query-continue']?.recentchanges", "data['query-continue']?.recentchanges ?? data.continue"], ["'bot' in change ||", "change.bot === '' || change.bot === true ||"], ["if ('anon' in change)", "if (change.anon === '' || change.anon === true)"]],
      'by a function': [['async function* changes', "const is = (change, name) => name in change && change[name] !== false;\n\nasync function* changes"], ["'bot' in change", "is(change, 'bot')"], ["'anon' in change", "is(change, 'anon')"], ["more = data['query-continue']?.recentchanges", "more = data.continue ? { rccontinue: data.continue.rccontinue } : data['query-continue']?.recentchanges"]],
      'made old': [['yield* data.query.recentchanges;', "yield* data.query.recentchanges.map((c) => Object.fromEntries(Object.entries(c).filter(([, v]) => v !== false)));"], ["data['query-continue']?.recentchanges", "(data['query-continue'] ? data['query-continue'].recentchanges : data.continue)"]],
    },
    wrong: {
      'truthy': [["data['query-continue']?.recentchanges", "data['query-continue']?.recentchanges ?? data.continue"], ["'bot' in change ||", 'change.bot ||'], ["'anon' in change", 'change.anon']],
      'the first page': [["'bot' in change ||", "change.bot === '' || change.bot === true ||"], ["if ('anon' in change)", "if (change.anon === '' || change.anon === true)"]],
      'bots only': [["data['query-continue']?.recentchanges", "data['query-continue']?.recentchanges ?? data.continue"], ["'bot' in change ||", "('bot' in change && change.bot !== false) ||"]],
      'bots, too': [["data['query-continue']?.recentchanges", "data['query-continue']?.recentchanges ?? data.continue"], ["'bot' in change ||", ''], ["if ('anon' in change)", "if (change.anon === '' || change.anon === true)"]],
    },
  }, {
    name: 'temporary-accounts',
    happened: 'who has no account is marked by temp and not by anon',
    tells: [['anon', 'temp']],
    api: { [route]: (f, q) => page(f, q, (c) => { const { anon, ...o } = old(c); return { ...o, ...flag('temp', c.anon) }; }, before) },
    right: {
      'either': [["'anon' in change", "'anon' in change || 'temp' in change"]],
      'a list': [["'anon' in change", "['anon', 'temp'].some((mark) => mark in change)"]],
      'made old': [['yield* data.query.recentchanges;', "for (const c of data.query.recentchanges) yield c.temp === undefined ? c : { ...c, anon: c.temp };"]],
    },
    wrong: {
      'by the look of the name': [["'anon' in change", "/^[\\d.]+$/.test(change.user)"]],
      'all': [["if ('anon' in change) ", '']],
      'the new one only': [["'anon' in change", "'temp' in change"]],
    },
  }, {
    name: 'sizes-and-titles',
    happened: 'oldlen and newlen are below size as from and to, the title became page with a title and a namespace, and comment is null where there is none',
    tells: [['oldlen', 'newlen', 'size', 'title', 'page']],
    api: { [route]: (f, q) => page(f, q, (c) => { const { oldlen, newlen, title, comment, ...o } = old(c); return { ...o, size: { from: oldlen, to: newlen }, page: { title, ns: 0 }, comment: comment || null }; }, before) },
    right: {
      'made old': [['yield* data.query.recentchanges;', "yield* data.query.recentchanges.map((c) => ('size' in c ? { ...c, title: c.page.title, oldlen: c.size.from, newlen: c.size.to } : c));"]],
      'destructured': [['growth.set(change.title, (growth.get(change.title) ?? 0) + change.newlen - change.oldlen);', 'const { title = change.page?.title, newlen = change.size?.to, oldlen = change.size?.from } = change;\n  growth.set(title, (growth.get(title) ?? 0) + newlen - oldlen);'], ['${change.timestamp} ${change.title} (', '${change.timestamp} ${title} (']],
      'each place': [['growth.set(change.title, (growth.get(change.title) ?? 0) + change.newlen - change.oldlen);', 'const name = change.title ?? change.page.title;\n  const by = change.size ? change.size.to - change.size.from : change.newlen - change.oldlen;\n  growth.set(name, by + (growth.get(name) ?? 0));'], ['${change.title} (', '${name} (']],
    },
    wrong: {
      'no growth': [['change.title', '(change.title ?? change.page.title)'], ['+ change.newlen - change.oldlen', '+ (change.newlen ?? 0) - (change.oldlen ?? 0)']],
      'the size for the growth': [['change.title', '(change.title ?? change.page.title)'], ['+ change.newlen - change.oldlen', '+ (change.newlen ?? change.size.to) - (change.oldlen ?? 0)']],
      'titles in half of the places': [['growth.set(change.title, (growth.get(change.title) ?? 0) + change.newlen - change.oldlen);', 'const { title = change.page?.title, newlen = change.size?.to, oldlen = change.size?.from } = change;\n  growth.set(title, (growth.get(title) ?? 0) + newlen - oldlen);']],
      'skipped': [["  if ('bot' in change", "  if (change.newlen === undefined) continue;\n  if ('bot' in change"]],
    },
  }],
};
