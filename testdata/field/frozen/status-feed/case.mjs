const route = 'GET https://status.cloud.example/history';
const esc = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const rss = (items, item) => ({ $type: 'application/rss+xml', $body: `<?xml version="1.0"?><rss version="2.0"><channel><title>History</title><link>https://status.cloud.example</link>${items.map(item).join('')}</channel></rss>` });
const title = (i) => `${i.where ? i.where + ' - ' : ''}${i.what}${i.done ? ' (resolved)' : ''}`;
export default {
  source: 'Public reports of status pages that moved to another host of status pages: other titles, links with a query, states in a category',
  says: 'Tell the room of ops about new incidents of our cloud',
  facts: (day, r) => ({
    incidents: r.many(day === 7 ? 0 : 1, 5, (i) => ({ id: `${r.hex(6)}${day}${i}`, where: r.pick(['eu-west', 'us-1', 'ap-東京', null]), what: r.pick(['Elevated errors', 'Slow logins & mails', 'Maintenance <db>', 'Packet loss']), done: r.chance(0.3) })),
  }),
  api: {
    [route]: (f) => rss(f.incidents, (i) => `<item><title>${esc(title(i))}</title><link>https://status.cloud.example/incidents/${i.id}</link><guid>${i.id}</guid></item>`),
    'POST https://chat.example/rooms/ops': (f, q) => ({ ts: q.id }),
  },
  changes: [{
    name: 'atom',
    happened: 'the feed is Atom, and its links have a query behind the id',
    tells: [['link', 'query', 'feed', 'Atom']],
    api: { [route]: (f) => ({ $type: 'application/atom+xml', $body: `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>History</title>${f.incidents.map((i) => `<entry><id>tag:status,${i.id}</id><title>${esc(title(i))}</title><link rel="alternate" href="https://status.cloud.example/incidents/${i.id}?ref=feed"/></entry>`).join('')}</feed>` }) },
    right: {
      'cut at the query': [["entry.link.split('/').pop()", "entry.link.split('/').pop().split('?')[0]"]],
      'a pattern': [["entry.link.split('/').pop()", "entry.link.match(/incidents\\/([^/?#]+)/)[1]"]],
      'an address': [["entry.link.split('/').pop()", "new URL(entry.link).pathname.split('/').at(-1)"]],
    },
    wrong: {
      'the id of the entry': [["entry.link.split('/').pop()", 'entry.id']],
      'eight letters': [["entry.link.split('/').pop()", "entry.link.split('/').pop().slice(0, 6)"]],
      'the title': [["entry.link.split('/').pop()", 'entry.title']],
    },
  }, {
    name: 'state-in-category',
    happened: 'the state is a category (Resolved) and not in the title any more; the region is a category, too',
    tells: [['title', 'category', 'categories']],
    api: { [route]: (f) => rss(f.incidents, (i) => `<item><title>${esc(i.what)}</title><link>https://status.cloud.example/incidents/${i.id}</link><guid>${i.id}</guid><category>${i.done ? 'Resolved' : 'Investigating'}</category>${i.where ? `<category>${i.where}</category>` : ''}</item>`) },
    right: {
      'title made old': [['.items.map((entry) => ({', ".items.map((e) => (e.categories?.length ? { ...e, title: (e.categories[1] ? e.categories[1] + ' - ' : '') + e.title + (e.categories[0] === 'Resolved' ? ' (resolved)' : '') } : e)).map((entry) => ({"]],
      'by a function': [['export default', "const titled = ({ title, categories, ...rest }) => {\n  if (!categories || categories.length === 0) return { title, categories, ...rest };\n  const [state, region] = categories;\n  return { ...rest, title: `${region ? `${region} - ` : ''}${title}${/resolved/i.test(state) ? ' (resolved)' : ''}` };\n};\n\nexport default"], ['parse(text).items.map(', 'parse(text).items.map(titled).map(']],
      "in each place": [["title: entry.title.trim(),", "title: [entry.categories?.[1] ? entry.categories[1] + ' - ' : '', entry.title.trim(), entry.categories?.[0] === 'Resolved' ? ' (resolved)' : ''].join(''),"], ["where: entry.title.includes(' - ') ? entry.title.split(' - ')[0] : 'everywhere'", "where: entry.categories?.length ? entry.categories[1] ?? 'everywhere' : entry.title.includes(' - ') ? entry.title.split(' - ')[0] : 'everywhere'"], ["!/resolved|completed/i.test(entry.title)", "!/resolved|completed/i.test(`${entry.title} ${entry.categories?.[0] ?? ''}`)"]],
    },
    wrong: {
      'state only': [['!/resolved|completed/i.test(entry.title)', "!/resolved|completed/i.test(entry.title + (entry.categories ?? []).join(' '))"]],
      'region only': [["'everywhere',", "entry.categories?.[1] ?? 'everywhere',"]],
      'the state as region': [["'everywhere',", "entry.categories?.[0] ?? 'everywhere',"], ['!/resolved|completed/i.test(entry.title)', "!/resolved|completed/i.test(entry.title + (entry.categories ?? []).join(' '))"]],
    },
  }, {
    name: 'words-and-dashes',
    happened: 'the region stands in brackets before the title, and resolved is a check mark',
    tells: ['title'],
    api: { [route]: (f) => rss(f.incidents, (i) => `<item><title>${esc(`${i.where ? `[${i.where}] ` : ''}${i.what}${i.done ? ' ✔' : ''}`)}</title><link>https://status.cloud.example/incidents/${i.id}</link><guid>${i.id}</guid></item>`) },
    right: {
      'title made old': [['.items.map((entry) => ({', ".items.map((e) => ({ ...e, title: e.title.replace(/^\\[([^\\]]+)\\] /, '$1 - ').replace(/ ✔$/, ' (resolved)') })).map((entry) => ({"]],
      'by groups': [['.items.map((entry) => ({', ".items.map((e) => {\n    const m = /^(?:\\[(.+?)\\] )?(.*?)( ✔)?$/.exec(e.title);\n    return m && (m[1] || m[3]) ? { ...e, title: (m[1] ? m[1] + ' - ' : '') + m[2] + (m[3] ? ' (resolved)' : '') } : e;\n  }).map((entry) => ({"]],
      "cut by hand": [['.items.map((entry) => ({', ".items.map((e) => {\n    let title = e.title;\n    if (title.startsWith('[')) title = title.slice(1).replace('] ', ' - ');\n    if (title.endsWith(' ✔')) title = title.slice(0, -2) + ' (resolved)';\n    return { ...e, title };\n  }).map((entry) => ({"]],
    },
    wrong: {
      'mark only': [['/resolved|completed/i', '/resolved|completed|✔/i']],
      'region only': [["'everywhere',", "(entry.title.match(/^\\[(.+?)\\]/) ?? [])[1] ?? 'everywhere',"]],
      'both, and the title as it comes': [['/resolved|completed/i', '/resolved|completed|✔/i'], ["'everywhere',", "(entry.title.match(/^\\[(.+?)\\]/) ?? [])[1] ?? 'everywhere',"]],
    },
  }],
};
