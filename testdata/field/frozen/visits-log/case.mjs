const route = 'GET https://www.example/logs/access.log';
const M = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const when = (h) => { const [y, m, d] = h.day.split('-'); return `${d}/${M[m - 1]}/${y}:${h.time} +0100`; };
const rest = (h) => `"${h.method} ${h.path} HTTP/1.1" ${h.status} ${h.bytes ?? '-'} "${h.ref ?? '-'}" "${h.agent}"`;
const log = (f, line) => ({ $type: 'text/plain; charset=utf-8', $body: f.hits.map((h) => line(h) + '\n').join('') });
const old = (h) => `${h.ip} - ${h.user} [${when(h)}] ${rest(h)}`;
export default {
  source: 'https://github.com/allinurl/goaccess/issues/2555, https://github.com/allinurl/goaccess/issues/2528 and https://github.com/allinurl/goaccess/issues/1723 (all opened): a proxy puts the host before a line of the log, times are ISO texts, and a log has JSON for lines',
  says: 'Tell what was read on the site yesterday and block who knocks at doors that are not there',
  facts: (day, r) => ({
    day: `2026-02-${String(day % 27 + 1).padStart(2, '0')}`,
    hits: r.many(day === 5 ? 0 : 3, 14, (i) => ({ ip: r.pick(['203.0.113.5', '198.51.100.77', '2001:db8::1', '192.0.2.9']), user: r.pick(['-', '-', 'ada']), day: `2026-02-${String(r.chance(0.8) ? day % 27 + 1 : day % 27 + 2).padStart(2, '0')}`, time: `${String(r.int(0, 23)).padStart(2, '0')}:1${i % 10}:07`, method: r.pick(['GET', 'GET', 'GET', 'POST']), path: r.pick(['/', '/blog/gr%C3%B6%C3%9Fe?p=2', '/about', '/wp-login.php', '/shop?x="']).replace('"', '%22'), status: r.pick([200, 200, 304, 404, 404, 500]), bytes: r.chance(0.2) ? null : r.int(10, 90000), ref: r.pick([null, 'https://search.example/?q=1', 'https://www.example/', 'https://news.example/a']), agent: r.pick(['Mozilla/5.0 (X11)', 'Mozilla/5.0 (iPhone) Safari', 'NiceBot/1.0']) })),
  }),
  input: (f) => ({ day: f.day }),
  api: { [route]: (f) => log(f, old), 'POST https://firewall.example/block': () => ({ ok: true }) },
  changes: [{
    name: 'host-and-duration',
    happened: 'the name of the host stands before each line, and the duration in seconds between the bytes and the referer',
    tells: [['host', 'line', 'format', 'log']],
    api: { [route]: (f) => log(f, (h) => `www.example ${old(h).replace(/ (\d+|-) "/, ' $1 0.042 "')}`) },
    right: {
      'a wider pattern': [['/^(\\S+) - (\\S+)', '/^(?:\\S+ )?(\\S+) - (\\S+)'], ['(\\d+|-) "([^"]*)"', '(\\d+|-) (?:[\\d.]+ )?"([^"]*)"']],
      'line made old': [['const m = LINE.exec(line)', "const m = LINE.exec(line.replace(/^www\\.example /, '').replace(/(\" \\d{3} (?:\\d+|-)) \\d+\\.\\d+ /, '$1 '))"]],
      'a second pattern': [['const m = LINE.exec(line)', 'const m = LINE.exec(line) || PROXY.exec(line)'], ['const months', 'const PROXY = new RegExp(LINE.source.replace(\'^\', \'^\\\\S+ \').replace(\'(\\\\d+|-) "\', \'(\\\\d+|-) [\\\\d.]+ "\'))\nconst months']],
    },
    wrong: {
      'what cannot be read is left out': [["if (!m) throw new Error('cannot read: ' + line.slice(0, 80))", 'if (!m) return { date: null }']],
      'the host for the address': [['/^(\\S+) - (\\S+)', '/^(\\S+)(?: \\S+)? - (\\S+)'], ['(\\d+|-) "([^"]*)"', '(\\d+|-) (?:[\\d.]+ )?"([^"]*)"']],
      'no bytes': [['/^(\\S+) - (\\S+)', '/^(?:\\S+ )?(\\S+) - (\\S+)'], ['(\\d+|-) "([^"]*)"', '(?:\\d+|-) ?([\\d.]+)? "([^"]*)"'], ["bytes === '-' ? 0 : +bytes", 'Math.floor(+bytes || 0)']],
    },
  }, {
    name: 'iso-and-tabs',
    happened: 'members of a line are separated by tabs, the time is ISO with an offset, and there are no quotes',
    tells: [['tab', 'time', 'ISO', 'format', 'line']],
    api: { [route]: (f) => log(f, (h) => [h.ip, h.user, `${h.day}T${h.time}+01:00`, `${h.method} ${h.path} HTTP/2.0`, h.status, h.bytes ?? '-', h.ref ?? '-', h.agent].join('\t')) },
    right: {
      'two ways': [['  const m = LINE.exec(line)', "  if (line.includes('\\t')) {\n    const [ip, , at, request, status, bytes, referer, agent] = line.split('\\t')\n    const [method, path] = request.split(' ')\n    return { ip, method, status: Number(status), bytes: Number(bytes) || 0, referer, hour: Number(at.slice(11, 13)), path: path.split('?')[0], robot: /bot|crawl|spider/i.test(agent), date: at.slice(0, 10) }\n  }\n  const m = LINE.exec(line)"]],
      'line made old': [['  const m = LINE.exec(line)', "  const t = line.split('\\t')\n  if (t.length > 1) {\n    const [y, mo, d] = t[2].slice(0, 10).split('-')\n    line = `${t[0]} - ${t[1]} [${d}/${months[mo - 1]}/${y}:${t[2].slice(11, 19)} +0100] \"${t[3]}\" ${t[4]} ${t[5]} \"${t[6]}\" \"${t[7]}\"`\n  }\n  const m = LINE.exec(line)"]],
      'a pattern with names': [['  const m = LINE.exec(line)', "  const tabbed = /^(?<ip>\\S+)\\t[^\\t]*\\t(?<date>[\\d-]{10})T(?<hour>\\d\\d)[^\\t]*\\t(?<method>\\S+) (?<path>[^\\s?]+)[^\\t]*\\t(?<status>\\d+)\\t(?<bytes>[^\\t]+)\\t(?<referer>[^\\t]*)\\t(?<agent>.*)$/.exec(line)\n  if (tabbed) {\n    const { agent, ...g } = tabbed.groups\n    return { ...g, status: +g.status, hour: +g.hour, bytes: g.bytes === '-' ? 0 : parseInt(g.bytes, 10), robot: /bot|crawl|spider/i.test(agent) }\n  }\n  const m = LINE.exec(line)"]],
    },
    wrong: {
      'left out': [["if (!m) throw new Error('cannot read: ' + line.slice(0, 80))", 'if (!m) return {}']],
      'the hour in UTC': [['  const m = LINE.exec(line)', "  if (line.includes('\\t')) {\n    const [ip, , at, request, status, bytes, referer, agent] = line.split('\\t')\n    const [method, path] = request.split(' ')\n    return { ip, method, status: Number(status), bytes: Number(bytes) || 0, referer, hour: new Date(at).getUTCHours(), path: path.split('?')[0], robot: /bot|crawl|spider/i.test(agent), date: at.slice(0, 10) }\n  }\n  const m = LINE.exec(line)"]],
      'robots, too': [['  const m = LINE.exec(line)', "  if (line.includes('\\t')) {\n    const [ip, , at, request, status, bytes, referer] = line.split('\\t')\n    const [method, path] = request.split(' ')\n    return { ip, method, status: Number(status), bytes: Number(bytes) || 0, referer, hour: Number(at.slice(11, 13)), path: path.split('?')[0], robot: false, date: at.slice(0, 10) }\n  }\n  const m = LINE.exec(line)"]],
      'with their queries': [['  const m = LINE.exec(line)', "  if (line.includes('\\t')) {\n    const [ip, , at, request, status, bytes, referer, agent] = line.split('\\t')\n    const [method, path] = request.split(' ')\n    return { ip, method, status: Number(status), bytes: Number(bytes) || 0, referer, hour: Number(at.slice(11, 13)), path, robot: /bot|crawl|spider/i.test(agent), date: at.slice(0, 10) }\n  }\n  const m = LINE.exec(line)"]],
    },
  }, {
    name: 'json-lines',
    happened: 'each line is JSON with remote_addr, time in milliseconds, request as an object, and referer null where there is none',
    tells: [['JSON', 'line', 'cannot read']],
    api: { [route]: (f) => log(f, (h) => JSON.stringify({ remote_addr: h.ip, ms: Date.parse(`${h.day}T${h.time}+01:00`), request: { method: h.method, uri: h.path }, status: h.status, bytes_sent: h.bytes ?? 0, http: { referer: h.ref, user_agent: h.agent } })) },
    right: {
      'two ways': [['  const m = LINE.exec(line)', "  if (line.startsWith('{')) {\n    const j = JSON.parse(line)\n    const local = new Date(j.ms + 3600000).toISOString()\n    return { ip: j.remote_addr, method: j.request.method, status: j.status, bytes: j.bytes_sent, referer: j.http.referer ?? '-', hour: Number(local.slice(11, 13)), date: local.slice(0, 10), path: j.request.uri.replace(/\\?.*/, ''), robot: /bot|crawl|spider/i.test(j.http.user_agent) }\n  }\n  const m = LINE.exec(line)"]],
      'the zone of the site': [['  const m = LINE.exec(line)', "  if (line[0] === '{') {\n    const { remote_addr: ip, ms, request: { method, uri }, status, bytes_sent: bytes, http: { referer, user_agent } } = JSON.parse(line)\n    const { hour, date } = localTime(ms, 'Europe/Berlin')\n    return { ip, method, status, bytes, referer: referer || '-', hour, date, path: uri.split('?')[0], robot: ['bot', 'crawl', 'spider'].some((w) => user_agent.toLowerCase().includes(w)) }\n  }\n  const m = LINE.exec(line)"]],
      'line made old': [['.map(parse)', '.map(plain).map(parse)'], ['const hits =', "function plain(line) {\n  if (!/^\\{/.test(line)) return line\n  const j = JSON.parse(line)\n  const d = new Date(j.ms + 60 * 60 * 1000)\n  const two = (n) => String(n).padStart(2, '0')\n  const at = `${two(d.getUTCDate())}/${months[d.getUTCMonth()]}/${d.getUTCFullYear()}:${two(d.getUTCHours())}:00:00 +0100`\n  return `${j.remote_addr} - - [${at}] \"${j.request.method} ${j.request.uri} HTTP/1.1\" ${j.status} ${j.bytes_sent} \"${j.http.referer ?? '-'}\" \"${j.http.user_agent}\"`\n}\n\nconst hits ="]],
    },
    wrong: {
      'days of UTC': [['  const m = LINE.exec(line)', "  if (line.startsWith('{')) {\n    const j = JSON.parse(line)\n    const at = new Date(j.ms).toISOString()\n    return { ip: j.remote_addr, method: j.request.method, status: j.status, bytes: j.bytes_sent, referer: j.http.referer ?? '-', hour: Number(at.slice(11, 13)), date: at.slice(0, 10), path: j.request.uri.replace(/\\?.*/, ''), robot: /bot|crawl|spider/i.test(j.http.user_agent) }\n  }\n  const m = LINE.exec(line)"]],
      'nobody came': [["if (!m) throw new Error('cannot read: ' + line.slice(0, 80))", 'if (!m) return { robot: true }']],
      'yesterday for all': [['  const m = LINE.exec(line)', "  if (line.startsWith('{')) {\n    const j = JSON.parse(line)\n    return { ip: j.remote_addr, method: j.request.method, status: j.status, bytes: j.bytes_sent, referer: j.http.referer ?? '-', hour: (new Date(j.ms).getUTCHours() + 1) % 24, date: input.day, path: j.request.uri.replace(/\\?.*/, ''), robot: /bot|crawl|spider/i.test(j.http.user_agent) }\n  }\n  const m = LINE.exec(line)"]],
    },
  }],
};
