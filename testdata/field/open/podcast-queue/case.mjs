const TECH = 'GET https://pods.example/tech.xml', KULTUR = 'GET https://audio.example/kultur/feed';
const esc = (t) => t.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const two = (n) => String(n).padStart(2, '0');
const clock = (s) => (s === null ? null : s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`);
const rss = (list, { duration = clock, link = (e) => `<enclosure url="${esc(e.url)}" length="${e.bytes}" type="audio/mpeg"/>`, date = (e) => `<pubDate>${new Date(e.at).toUTCString().replace('GMT', '+0000')}</pubDate>` } = {}) => ({ $type: 'application/rss+xml', $body: `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Show</title>${list.map((e) => `<item><title>${esc(e.title)}</title><guid isPermaLink="false">${e.guid}</guid>${date(e)}${link(e)}${e.seconds === null ? '' : `<itunes:duration>${duration(e.seconds)}</itunes:duration>`}</item>`).join('\n')}</channel></rss>` });
const atom = (list) => ({ $type: 'application/atom+xml', $body: `<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><title>Show</title>${list.map((e) => `<entry><title>${esc(e.title)}</title><id>${e.guid}</id><published>${new Date(e.at).toISOString()}</published><link rel="alternate" href="https://x.example/${e.guid}"/><link rel="enclosure" href="${esc(e.url)}" length="${e.bytes}" type="audio/mpeg"/>${e.seconds === null ? '' : `<itunes:duration>${e.seconds}</itunes:duration>`}</entry>`).join('')}</feed>` });
const down = (f, make) => (f.down ? { $status: 503, $type: 'text/plain', $body: 'down' } : make());
const SECONDS = 'return text.split(\':\').reduce((sum, part) => sum * 60 + Number(part), 0);';
const ITEMS = "  const { rss } = toObject(xml, { arrays: ['item'] });";
export default {
  source: 'https://github.com/ruby/rss/issues/4 and https://github.com/Podcastindex-org/podcast-namespace/issues/360 and https://github.com/madeofpendletonwool/PinePods/issues/479: durations come as clock times, as seconds or not at all; enclosures moved',
  says: 'Queue new episodes for the commute.',
  facts: (day, r) => {
    const made = (show, n) => r.many(0, n, (i) => ({ guid: `${show}-${day * 2 + i}`, title: r.pick(['Fünf & mehr', 'On <time>', '声', 'Interview']), at: Date.UTC(2026, 2, 1 + day, 5 + i, r.int(0, 59)), url: `https://cdn.example/${show}/${day}${i}.mp3?a=1&b=2`, bytes: r.int(2, 60) * 1000000, seconds: r.chance(0.15) ? null : r.pick([r.int(200, 3000), r.int(3600, 5000), 600]) }));
    return { down: day === 9, tech: made('t', 4), kultur: made('k', 3) };
  },
  input: () => ({ minutes: 60 }),
  api: { [TECH]: (f) => down(f, () => rss(f.tech)), [KULTUR]: (f) => rss(f.kultur), 'PUT https://player.example/me/queue': { ok: true } },
  changes: [{
    name: 'words',
    happened: 'durations are such as PT45M30S in the feed about technology',
    tells: [['duration', 'PT']],
    api: { [TECH]: (f) => down(f, () => rss(f.tech, { duration: (s) => `PT${s >= 3600 ? `${Math.floor(s / 3600)}H` : ''}${Math.floor(s / 60) % 60}M${s % 60}S` })) },
    right: {
      'a pattern': [[SECONDS, `const [, h = 0, m = 0, s = 0] = /^PT(?:(\\d+)H)?(?:(\\d+)M)?(?:(\\d+)S)?$/.exec(text) ?? [];\n  if (text.startsWith('PT')) return h * 3600 + m * 60 + +s;\n  ${SECONDS}`]],
      'made a clock time': [['  if (!text) return null;', "  if (!text) return null;\n  if (text.startsWith('PT')) text = (text.includes('H') ? text : text.replace('PT', '0H')).replace(/^PT/, '').replace(/[HM]/g, ':').replace('S', '');"]],
      'unit by unit': [[SECONDS, "const parts = [...text.matchAll(/(\\d+)([HMS])/g)];\n  if (parts.length) return parts.reduce((sum, [, n, unit]) => sum + n * { H: 3600, M: 60, S: 1 }[unit], 0);\n  " + SECONDS]],
    },
    wrong: {
      'by the bytes': [[SECONDS, 'if (text.startsWith("PT")) return null;\n  ' + SECONDS]],
      'without hours': [[SECONDS, "const m = /(\\d+)M(\\d+)S/.exec(text);\n  if (m) return m[1] * 60 + +m[2];\n  " + SECONDS]],
      'not numbers are long': [['if (length > left)', 'if (!(length <= left))']],
      'zero': [[SECONDS, SECONDS.replace(';', ' || 0;')]],
    },
  }, {
    name: 'atom',
    happened: 'the feed about technology is Atom: entries with id, published and links, of which that of rel enclosure is the file; durations are seconds',
    tells: [['rss', 'channel'], ['feed', 'entry', 'enclosure']],
    api: { [TECH]: (f) => down(f, () => atom(f.tech)) },
    right: {
      'made old': [[ITEMS, `  const { rss: given, feed } = toObject(xml, { arrays: ['item', 'entry', 'link'] });
  const rss = given ?? { channel: { item: (feed.entry ?? []).map((e) => {
    const file = e.link.find((l) => l['@rel'] === 'enclosure');
    return { title: e.title, guid: e.id, pubDate: e.published, enclosure: { '@url': file['@href'], '@length': file['@length'] }, 'itunes:duration': e['itunes:duration'] };
  }) } };`]],
      'a reader of its own': [['export default', `function entries(name, feed) {
  return [feed.entry ?? []].flat().map((e) => {
    const [{ '@href': url, '@length': bytes }] = [e.link].flat().filter((l) => l['@rel'] === 'enclosure');
    return { show: name, guid: e.id, title: e.title, at: Date.parse(e.published), url, bytes: +bytes, seconds: seconds(e['itunes:duration']) };
  });
}

export default`], [ITEMS, "  const { rss, feed } = toObject(xml, { arrays: ['item', 'entry'] });\n  if (feed) return entries(name, feed);"]],
      'at each place': [
        [ITEMS, "  const { rss, feed } = toObject(xml, { arrays: ['item', 'entry', 'link'] });"], ['(rss.channel.item || [])', '((rss ? rss.channel.item : feed.entry) || [])'], ['.map((item) => ({', ".map((item) => ({ ...item, guid: item.guid ?? item.id, enclosure: item.enclosure ?? item.link.filter((l) => l['@rel'] === 'enclosure').map((l) => ({ ...l, '@url': l['@href'] }))[0] })).map((item) => ({"],
        ['Date.parse(item.pubDate)', 'Date.parse(item.pubDate || item.published)'],
      ],
    },
    wrong: {
      'nothing new': [['(rss.channel.item || [])', '(rss?.channel.item || [])']],
      'the page for the file': [[ITEMS, "  const { rss: given, feed } = toObject(xml, { arrays: ['item', 'entry', 'link'] });\n  const rss = given ?? { channel: { item: (feed.entry ?? []).map((e) => ({ title: e.title, guid: e.id, pubDate: e.published, enclosure: { ...e.link[1], '@url': e.link[0]['@href'] }, 'itunes:duration': e['itunes:duration'] })) } };"]],
      'no length': [[ITEMS, "  const { rss: given, feed } = toObject(xml, { arrays: ['item', 'entry', 'link'] });\n  const rss = given ?? { channel: { item: (feed.entry ?? []).map((e) => ({ title: e.title, guid: e.id, pubDate: e.published, enclosure: { ...e.link[1], '@url': e.link[1]['@href'] } })) } };"]],
      'caught twice': [['broken.length === results.length', 'false'], ['const broken = results.filter((r) => r.status === \'rejected\');', "const broken = results.filter((r) => r.status === 'rejected' && !/undefined/.test(r.reason.message));"]],
    },
  }, {
    name: 'media',
    happened: 'the file is in media:content with url, fileSize and duration in seconds in both feeds, the date in dc:date',
    tells: [['enclosure', 'media:content'], ['dc:date', 'duration', 'pubDate']],
    api: Object.fromEntries([[TECH, 'tech'], [KULTUR, 'kultur']].map(([route, key]) => [route, (f) => { const give = () => rss(f[key].map((e) => ({ ...e, was: e.seconds, seconds: null })), { link: (e) => `<media:content url="${esc(e.url)}" fileSize="${e.bytes}"${e.was === null ? '' : ` duration="${e.was}"`}/>`, date: (e) => `<dc:date>${new Date(e.at).toISOString()}</dc:date>` }); return key === 'tech' ? down(f, give) : give(); }])),
    right: {
      'by ??': [["item.enclosure['@url']", "(item.enclosure?.['@url'] ?? item['media:content']['@url'])"], ["Number(item.enclosure['@length'])", "Number(item.enclosure?.['@length'] ?? item['media:content']['@fileSize'])"], ["seconds(item['itunes:duration'])", "seconds(item['itunes:duration'] ?? item['media:content']?.['@duration'])"], ['item.pubDate', "item.pubDate ?? item['dc:date']"]],
      'made old': [['.map((item) => ({', `.map((item) => {
    const media = item['media:content'];
    if (!media) return item;
    return { ...item, pubDate: item['dc:date'], enclosure: { '@url': media['@url'], '@length': media['@fileSize'] }, 'itunes:duration': media['@duration'] };
  }).map((item) => ({`]],
      'in the pattern': [
        ['.map((item) => ({', ".map(({ 'media:content': media, 'dc:date': date, ...item }) => ({"], ["item.enclosure['@url']", "media ? media['@url'] : item.enclosure['@url']"], ["item.enclosure['@length']", "media ? media['@fileSize'] : item.enclosure['@length']"],
        ["seconds(item['itunes:duration'])", "seconds(media ? media['@duration'] : item['itunes:duration'])"], ['Date.parse(item.pubDate)', 'Date.parse(date || item.pubDate)'],
      ],
    },
    wrong: {
      'by the bytes': [["item.enclosure['@url']", "(item.enclosure?.['@url'] ?? item['media:content']['@url'])"], ["Number(item.enclosure['@length'])", "Number(item.enclosure?.['@length'] ?? item['media:content']['@fileSize'])"], ['item.pubDate', "item.pubDate ?? item['dc:date']"]],
      'no date': [["item.enclosure['@url']", "(item.enclosure?.['@url'] ?? item['media:content']['@url'])"], ["Number(item.enclosure['@length'])", "Number(item.enclosure?.['@length'] ?? item['media:content']['@fileSize'])"], ["seconds(item['itunes:duration'])", "seconds(item['itunes:duration'] ?? item['media:content']?.['@duration'])"], ['Date.parse(item.pubDate)', '(Date.parse(item.pubDate) || 0)']],
      'without files': [['(rss.channel.item || [])', '(rss.channel.item || []).filter((item) => item.enclosure)']],
    },
  }],
};
