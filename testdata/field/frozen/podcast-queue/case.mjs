const A = 'GET https://casts.example/feeds/:who';
const esc = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;').replace(/'/g, '&#39;');
const clock = (s) => `${String(Math.floor(s / 3600)).padStart(2, '0')}:${String(Math.floor(s / 60) % 60).padStart(2, '0')}:${String(s % 60).padStart(2, '0')}`;
const feed = (f, q, item) => ({ $type: 'application/rss+xml', $body: `<?xml version="1.0"?>\n<rss version="2.0"><channel><title>Cast</title>\n${f[q.params.who].map(item).join('\n')}\n</channel></rss>` });
const date = (e) => new Date(e.at).toUTCString();
const item = (e) => `<item><title>${esc(e.title)}</title><guid>${e.id}</guid><pubDate>${date(e)}</pubDate><itunes:duration>${clock(e.secs)}</itunes:duration>${e.audio ? `<enclosure url="https://cdn.example/${e.id}.mp3?a=1&amp;b=2" length="100" type="audio/mpeg"/>` : ''}</item>`;
export default {
  source: 'https://github.com/ruby/rss/issues/4 and https://github.com/crimethinc/website/issues/242 (both opened): durations of a podcast in seconds or with colons, texts in CDATA, attributes of an enclosure in another order',
  says: 'Make a playlist of new episodes that fits into my evening',
  facts: (day, r) => {
    const make = (who) => r.many(day === 1 ? 0 : 1, 4, (i) => ({ id: `${who}-${day}-${i}`, title: r.pick(["What's new", 'Ö & Ü', 'Less < more', '音楽の話', 'The "best" of']), secs: r.pick([59, 600, 1805, 3600, 4210]), at: Date.UTC(2026, 6, day + 1, r.int(0, 23), r.int(0, 59)), audio: r.chance(0.85) }));
    return { ada: make('ada'), zoe: make('zoe'), minutes: r.pick([undefined, 60, 120]) };
  },
  input: (f) => (f.minutes ? { minutes: f.minutes } : {}),
  api: { [A]: (f, q) => feed(f, q, item) },
  changes: [{
    name: 'new-host',
    happened: 'titles are in CDATA, guid has an attribute, and type and length stand before the url of an enclosure',
    tells: [['guid', 'title', 'CDATA', 'enclosure', 'url']],
    api: { [A]: (f, q) => feed(f, q, (e) => `<item><title><![CDATA[${e.title}]]></title><guid isPermaLink="false"><![CDATA[${e.id}]]></guid><pubDate>${date(e)}</pubDate><itunes:duration>${clock(e.secs)}</itunes:duration>${e.audio ? `<enclosure type="audio/mpeg" length="100" url="https://cdn.example/${e.id}.mp3?a=1&amp;b=2"/>` : ''}</item>`) },
    right: {
      'patterns': [["new RegExp('<' + tag + '>([\\\\s\\\\S]*?)</' + tag + '>')", "new RegExp('<' + tag + '(?: [^>]*)?>([\\\\s\\\\S]*?)</' + tag + '>')"], ['return m ? m[1].trim() : null;', "return m ? m[1].trim().replace(/^<!\\[CDATA\\[([\\s\\S]*)\\]\\]>$/, '$1') : null;"], ['/<enclosure url="([^"]+)"/', '/<enclosure [^>]*?url="([^"]+)"/']],
      'text made old': [['return xml.split(/<item>/)', "return xml.replace(/<guid [^>]*>/g, '<guid>').replace(/<!\\[CDATA\\[([\\s\\S]*?)\\]\\]>/g, function (all, raw) { return raw.replace(/&/g, '&amp;').replace(/</g, '&lt;'); }).replace(/<enclosure [^>]*(url=\"[^\"]+\")[^>]*>/g, '<enclosure $1/>').split(/<item>/)"]],
      'by place': [["var m = item.match(new RegExp('<' + tag + '>([\\\\s\\\\S]*?)</' + tag + '>'));\n  return m ? m[1].trim() : null;", "var open = item.indexOf('<' + tag), end = item.indexOf('</' + tag + '>');\n  if (open < 0 || end < 0) return null;\n  var inner = item.slice(item.indexOf('>', open) + 1, end).trim();\n  return inner.startsWith('<![CDATA[') ? inner.slice(9, -3) : inner;"], ['item.match(/<enclosure url="([^"]+)"/)', 'item.match(/<enclosure\\b[^>]*\\burl="([^"]+)"/)']],
    },
    wrong: {
      'no episodes': [['/<enclosure url="([^"]+)"/', '/<enclosure .*?url="([^"]+)"/'], ['return m ? m[1].trim() : null;', "return m ? m[1].trim().replace('<![CDATA[', '').replace(']]>', '') : null;"]],
      'CDATA in titles': [["'>([\\\\s\\\\S]*?)</'", "'[^>]*>([\\\\s\\\\S]*?)</'"], ['/<enclosure url="([^"]+)"/', '/<enclosure [^>]*?url="([^"]+)"/']],
      'the old place of the url': [["'>([\\\\s\\\\S]*?)</'", "'[^>]*>([\\\\s\\\\S]*?)</'"], ['return m ? m[1].trim() : null;', "return m ? m[1].trim().replace('<![CDATA[', '').replace(']]>', '') : null;"]],
      'the type for the url': [["'>([\\\\s\\\\S]*?)</'", "'[^>]*>([\\\\s\\\\S]*?)</'"], ['return m ? m[1].trim() : null;', "return m ? m[1].trim().replace('<![CDATA[', '').replace(']]>', '') : null;"], ['/<enclosure url="([^"]+)"/', '/<enclosure [^"]*"([^"]+)"/']],
    },
  }, {
    name: 'duration-in-seconds',
    happened: 'durations are seconds below podcast:duration in an attribute',
    tells: ['duration'],
    api: { [A]: (f, q) => feed(f, q, (e) => item(e).replace(/<itunes:duration>.*?<\/itunes:duration>/, `<podcast:medium duration="${e.secs}"/>`)) },
    right: {
      'either': [["seconds(field(item, 'itunes:duration'))", "field(item, 'itunes:duration') ? seconds(field(item, 'itunes:duration')) : Number(item.match(/duration=\"(\\d+)\"/)[1])"]],
      'a function': [['function parseEpisode', "function lengthOf(item) {\n  var attribute = /<podcast:medium[^>]* duration=\"([^\"]+)\"/.exec(item);\n  return seconds(attribute ? attribute[1] : field(item, 'itunes:duration'));\n}\n\nfunction parseEpisode"], ["seconds(field(item, 'itunes:duration'))", 'lengthOf(item)']],
      'text made old': [['  var url = item.match', "  item = item.replace(/<podcast:medium duration=\"(\\d+)\"\\/>/, '<itunes:duration>$1</itunes:duration>');\n  var url = item.match"]],
    },
    wrong: {
      'nothing long': [["seconds(field(item, 'itunes:duration'))", "seconds(field(item, 'itunes:duration') || '0')"]],
      'an hour each': [["seconds(field(item, 'itunes:duration'))", "seconds(field(item, 'itunes:duration') || '01:00:00')"]],
      'the bytes': [["seconds(field(item, 'itunes:duration'))", "seconds(field(item, 'itunes:duration') || (item.match(/length=\"(\\d+)\"/) || [])[1] || '0')"]],
      'minutes': [["seconds(field(item, 'itunes:duration'))", "field(item, 'itunes:duration') ? seconds(field(item, 'itunes:duration')) : Number(item.match(/duration=\"(\\d+)\"/)[1]) * 60"]],
    },
  }, {
    name: 'dates-and-media',
    happened: 'the date is dc:date as ISO text with an offset, and the file is media:content in place of an enclosure',
    tells: [['pubDate', 'date', 'enclosure', 'media']],
    api: { [A]: (f, q) => feed(f, q, (e) => `<item><title>${esc(e.title)}</title><guid>${e.id}</guid><dc:date>${new Date(e.at + 7200000).toISOString().slice(0, 19)}+02:00</dc:date><itunes:duration>${clock(e.secs)}</itunes:duration>${e.audio ? `<media:content url="https://cdn.example/${e.id}.mp3?a=1&amp;b=2" medium="audio"/>` : ''}</item>`) },
    right: {
      'in place': [['/<enclosure url="([^"]+)"/', '/<(?:enclosure|media:content) url="([^"]+)"/'], ["new Date(field(item, 'pubDate'))", "new Date(field(item, 'pubDate') || field(item, 'dc:date'))"]],
      'text made old': [['  var url = item.match', "  item = item.replace('<media:content url', '<enclosure url').replace(/dc:date>/g, 'pubDate>');\n  var url = item.match"]],
      'fallbacks': [['  if (!url) return null;', "  if (!url) url = item.match(/<media:content url=\"([^\"]+)\"/);\n  if (!url) return null;\n  var when = ['pubDate', 'dc:date'].map(function (tag) { return field(item, tag); }).filter(Boolean)[0];"], ["new Date(field(item, 'pubDate')).getTime()", 'Date.parse(when)']],
    },
    wrong: {
      'no zone': [['/<enclosure url="([^"]+)"/', '/<(?:enclosure|media:content) url="([^"]+)"/'], ["new Date(field(item, 'pubDate'))", "new Date(field(item, 'pubDate') || field(item, 'dc:date').slice(0, 19) + 'Z')"]],
      'in 1970': [['/<enclosure url="([^"]+)"/', '/<(?:enclosure|media:content) url="([^"]+)"/'], ["new Date(field(item, 'pubDate'))", "new Date(field(item, 'pubDate') || 0)"]],
      'nothing to hear': [["new Date(field(item, 'pubDate'))", "new Date(field(item, 'pubDate') || field(item, 'dc:date'))"]],
    },
  }],
};
