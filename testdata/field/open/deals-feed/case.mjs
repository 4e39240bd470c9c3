const esc = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
const feed = (f, head, item, foot) => ({ $type: 'application/xml', $body: `<?xml version="1.0"?>\n${head}\n${f.items.map(item).join('\n')}\n${foot}` });
const rss = (item) => (f) => feed(f, '<rss version="2.0"><channel><title>Deals</title>', item, '</channel></rss>');
const utc = (i) => new Date(i.at).toUTCString(), iso = (i) => new Date(i.at).toISOString();
const link = (i) => `https://deals.example/d/${i.id}?a=1&b=2`;
const old = (i) => `<item><title>${esc(i.title)}</title><link>${esc(link(i))}</link><guid>${i.id}</guid><pubDate>${utc(i)}</pubDate></item>`;
const route = 'GET https://deals.example/feed.xml';
const atom = (i) => `<entry><title>${esc(i.title)}</title><link href="${esc(link(i))}"/><id>${i.id}</id><updated>${iso(i)}</updated></entry>`;
export default {
  source: 'https://github.com/rbren/rss-parser/pull/4: a large site went from RSS to Atom over a weekend',
  says: 'Tell me of new deals, each once.',
  facts: (day, r) => ({ items: r.many(day === 4 ? 0 : 2, 5, (i) => ({ id: `d${day - (i > 1 ? 1 : 0)}-${i}`, title: r.pick(['TV -20 %', 'Kopfhörer & Kabel', 'Lamp <LED>', '自転車']), at: Date.UTC(2026, 2, day % 28 + 1, r.int(0, 23), r.int(0, 59)) })) }),
  api: { [route]: rss(old) },
  changes: [{
    name: 'dc-date',
    happened: 'pubDate is dc:date, as an ISO text',
    tells: ['pubDate', 'dc:date'],
    api: { [route]: rss((i) => old(i).replace(/<pubDate>.*<\/pubDate>/, `<dc:date>${iso(i)}</dc:date>`)) },
    right: {
      'either tag': [["tag(part, 'pubDate')", "tag(part, part.includes('<pubDate>') ? 'pubDate' : 'dc:date')"]],
      'pattern': [["tag(part, 'pubDate')", "tag(part, '(?:pubDate|dc:date)')"]],
      'renamed': [["const xml = await (await fetch(FEED)).text();", "const xml = (await (await fetch(FEED)).text()).replace(/dc:date>/g, 'pubDate>');"]],
    },
    wrong: {
      'no date': [['m[1].trim()', "(m?.[1] ?? '1970-01-01').trim()"]],
      'skips': [["xml.split('<item>').slice(1)", "xml.split('<item>').slice(1).filter((p) => p.includes('<pubDate>'))"]],
      'a fixed date': [["new Date(tag(part, 'pubDate'))", "new Date(part.includes('<pubDate>') ? tag(part, 'pubDate') : '2026-03-11T00:00:00Z')"]],
    },
  }, {
    name: 'atom',
    happened: 'the feed is Atom: entry for item, id for guid, updated for pubDate, the link is an attribute',
    tells: [['atom', 'entry']],
    api: { [route]: (f) => feed(f, '<feed xmlns="http://www.w3.org/2005/Atom"><title>Deals</title>', atom, '</feed>') },
    right: {
      'both': [["xml.split('<item>')", 'xml.split(/<item>|<entry>/)'], ["tag(part, 'guid')", "tag(part, '(?:guid|id)')"], ["tag(part, 'link')", "(part.includes('<link>') ? tag(part, 'link') : unescape(part.match(/<link href=\"([^\"]*)\"/)[1]))"], ["tag(part, 'pubDate')", "tag(part, '(?:pubDate|updated)')"]],
      'made RSS': [["const xml = await (await fetch(FEED)).text();", "const xml = (await (await fetch(FEED)).text()).replace(/<entry>/g, '<item>').replace(/<(\\/?)id>/g, '<$1guid>').replace(/<(\\/?)updated>/g, '<$1pubDate>').replace(/<link href=\"([^\"]*)\"\\/>/g, '<link>$1</link>');"]],
      'a branch': [["  const items = xml", "  const entries = () => [...xml.matchAll(/<entry>([\\s\\S]*?)<\\/entry>/g)].map(([, e]) => ({ id: tag(e, 'id'), title: tag(e, 'title'), link: unescape(/href=\"(.*?)\"/.exec(e)[1]), at: new Date(tag(e, 'updated')) }));\n  const items = xml.includes('<feed') ? entries() : xml"]],
    },
    wrong: {
      'none': [["const items = xml", "if (!xml.includes('<item>')) return 0;\n  const items = xml"]],
      'escaped link': [["xml.split('<item>')", 'xml.split(/<item>|<entry>/)'], ["tag(part, 'guid')", "tag(part, '(?:guid|id)')"], ["tag(part, 'link')", "(part.includes('<link>') ? tag(part, 'link') : part.match(/<link href=\"([^\"]*)\"/)[1])"], ["tag(part, 'pubDate')", "tag(part, '(?:pubDate|updated)')"]],
      'no link': [["xml.split('<item>')", 'xml.split(/<item>|<entry>/)'], ["tag(part, 'guid')", "tag(part, '(?:guid|id)')"], ["tag(part, 'link')", "(part.includes('<link>') ? tag(part, 'link') : '')"], ["tag(part, 'pubDate')", "tag(part, '(?:pubDate|updated)')"]],
    },
  }, {
    name: 'cdata',
    happened: 'guid has an attribute, titles are CDATA',
    tells: ['guid'],
    api: { [route]: rss((i) => old(i).replace('<guid>', '<guid isPermaLink="false">').replace(/<title>.*<\/title>/, `<title><![CDATA[${i.title}]]></title>`)) },
    right: {
      'in tag': [['<${name}>(', '<${name}(?: [^>]*)?>('], ['return unescape(m[1].trim());', "const cdata = /^<!\\[CDATA\\[([\\s\\S]*)\\]\\]>$/.exec(m[1].trim());\n  return cdata ? cdata[1] : unescape(m[1].trim());"]],
      'cleaned first': [["const xml = await (await fetch(FEED)).text();", "const raw = await (await fetch(FEED)).text();\n  const xml = raw.replace(/<guid [^>]*>/g, '<guid>').replace(/<!\\[CDATA\\[(.*?)\\]\\]>/g, (_, t) => t.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'));"]],
      'two helpers': [["exports.run", "const text = (s) => (s.startsWith('<![CDATA[') ? s.slice(9, -3) : unescape(s));\n\nexports.run"], ['return unescape(m[1].trim());', 'return text(m[1].trim());'], ["tag(part, 'guid')", "unescape(/<guid[^>]*>(.*?)</.exec(part)[1])"]],
    },
    wrong: {
      'title as it is': [['<${name}>(', '<${name}(?: [^>]*)?>(']],
      'the link as id': [["tag(part, 'guid')", "tag(part, part.includes('<guid>') ? 'guid' : 'link')"], ['return unescape(m[1].trim());', "return unescape(m[1].trim().replace('<![CDATA[', '').replace(']]>', ''));"]],
      'empty for missing': [['m[1].trim()', "(m ? m[1] : '').replace('<![CDATA[', '').replace(']]>', '').trim()"]],
    },
  }],
};
