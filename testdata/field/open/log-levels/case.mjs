const route = 'GET https://logs.example/export', LEVELS = ['debug', 'info', 'warn', 'error'];
const line = (l) => ({ level: l.level, time: l.time, msg: l.msg, ...(l.path ? { req: { method: 'GET', path: l.path } } : {}) });
const nd = (make) => (f) => ({ $type: 'application/x-ndjson', $body: f.lines.map((l) => JSON.stringify(make(l)) + '\n').join('') });
export default {
  source: 'https://github.com/pinojs/pino/blob/main/docs/api.md and https://opentelemetry.io/docs/specs/otel/logs/data-model/: level as a text or a number, msg and body, severity',
  says: 'Count log lines by level and keep the worst ones.',
  facts: (day, r) => ({ from: `2026-03-${String(day % 28 + 1).padStart(2, '0')}T00:00:00+01:00`, lines: r.many(day === 2 ? 0 : 3, 9, (i) => ({ level: r.pick(LEVELS), time: `2026-03-${String(day % 28 + 1).padStart(2, '0')}T${String(8 + i).padStart(2, '0')}:${r.int(10, 59)}:00Z`, msg: r.pick(['ready', 'disk at 91 %', 'Zeitüberschreitung', 'retry "a"', '']), path: r.chance(0.4) ? r.pick(['/', '/a?b=1', '/ü']) : null })) }),
  input: (f) => ({ from: f.from }),
  api: { [route]: nd(line) },
  changes: [{
    name: 'severity',
    happened: 'level is severity, in capitals',
    tells: ['level', 'severity'],
    api: { [route]: nd((l) => { const { level, ...rest } = line(l); return { severity: level.toUpperCase(), ...rest }; }) },
    right: {
      'in the parser': [['JSON.parse(line))', 'JSON.parse(line)).map((l) => ({ ...l, level: l.level ?? l.severity.toLowerCase() }))']],
      'helper': [['const order', 'const levelOf = (l) => (l.level ? l.level : l.severity.toLowerCase());\nconst order'], ['for (const { level } of lines) counts[level]++', 'for (const l of lines) counts[levelOf(l)]++'], ['indexOf(l.level)', 'indexOf(levelOf(l))'], ['l.level.toUpperCase()', 'levelOf(l).toUpperCase()']],
      'reviver': [['JSON.parse(line))', "JSON.parse(line.replace(/\"severity\":\"(\\w+)\"/, (_, s) => `\"level\":\"${s.toLowerCase()}\"`)))"]],
    },
    wrong: {
      'in capitals': [['{ level }', '{ severity, level = severity }'], ['l.level', '(l.level ?? l.severity)']],
      'info for missing': [['JSON.parse(line))', "JSON.parse(line)).map((l) => ({ level: 'info', ...l }))"]],
      'only counted': [['{ level }', '{ severity, level = severity.toLowerCase() }']],
    },
  }, {
    name: 'otel',
    happened: 'severityText and severityNumber, body for msg, attributes with http.method and http.path for req, time in nanoseconds as a text',
    tells: ['level', 'severityText'],
    api: { [route]: nd((l) => ({ severityText: l.level.toUpperCase(), severityNumber: LEVELS.indexOf(l.level) * 4 + 5, timeUnixNano: `${Date.parse(l.time)}000000`, body: l.msg, attributes: l.path ? { 'http.method': 'GET', 'http.path': l.path } : {} })) },
    right: {
      'converted': [['JSON.parse(line))', `JSON.parse(line)).map((l) => (l.level ? l : {
  level: l.severityText.toLowerCase(), msg: l.body, time: new Date(Number(l.timeUnixNano.slice(0, -6))).toISOString(),
  req: l.attributes['http.path'] ? { method: l.attributes['http.method'], path: l.attributes['http.path'] } : undefined,
}))`]],
      'by number': [['JSON.parse(line))', `JSON.parse(line)).map((l) => 'severityNumber' in l ? ({
  level: order[(l.severityNumber - 5) / 4], msg: l.body, time: new Date(l.timeUnixNano / 1e6).toISOString(),
  ...('http.path' in l.attributes && { req: { method: l.attributes['http.method'], path: l.attributes['http.path'] } }),
}) : l)`]],
      'helpers': [
        ['const order', "const level = (l) => l.level ?? l.severityText.toLowerCase();\nconst time = (l) => l.time ?? new Date(+l.timeUnixNano.slice(0, 13)).toISOString();\nconst req = (l) => l.req ?? (l.attributes?.['http.path'] ? { method: l.attributes['http.method'], path: l.attributes['http.path'] } : null);\nconst order"],
        ['for (const { level } of lines) counts[level]++', 'for (const l of lines) counts[level(l)]++'], ['indexOf(l.level)', 'indexOf(level(l))'], ['l.level.toUpperCase()', 'level(l).toUpperCase()'], ['l.time.slice', 'time(l).slice'], ['${l.msg}', '${l.msg ?? l.body}'], ['l.req ? ` (${l.req.method} ${l.req.path})`', 'req(l) ? ` (${req(l).method} ${req(l).path})`'],
      ],
    },
    wrong: {
      'without requests': [['JSON.parse(line))', "JSON.parse(line)).map((l) => (l.level ? l : { level: l.severityText.toLowerCase(), msg: l.body, time: new Date(l.timeUnixNano / 1e6).toISOString() }))"]],
      'skips': [['.filter(Boolean)', ".filter((line) => line.includes('\"level\"'))"]],
      'time of nothing': [['JSON.parse(line))', "JSON.parse(line)).map((l) => (l.level ? l : { level: l.severityText.toLowerCase(), msg: l.body, time: l.time ?? '' }))"]],
    },
  }, {
    name: 'array',
    happened: 'the export is one JSON array in an object; messages are message',
    tells: ['message'],
    api: { [route]: (f) => ({ entries: f.lines.map((l) => { const { msg, ...rest } = line(l); return { ...rest, message: msg }; }) }) },
    right: {
      'tried first': [["const lines = (await res.text()).split('\\n').filter(Boolean).map((line) => JSON.parse(line));", "const text = await res.text();\nconst lines = text.startsWith('{\"entries\"') ? JSON.parse(text).entries : text.split('\\n').filter(Boolean).map((line) => JSON.parse(line));"], ['${l.msg}', '${l.msg ?? l.message}']],
      'flattened': [['.map((line) => JSON.parse(line))', '.flatMap((line) => { const v = JSON.parse(line); return v.entries ?? v; })'], ['${l.msg}', '${l.message ?? l.msg}']],
      'renamed': [['.map((line) => JSON.parse(line))', '.map((line) => JSON.parse(line)).flatMap((v) => (v.entries ? v.entries.map(({ message: msg, ...l }) => ({ ...l, msg })) : [v]))']],
    },
    wrong: {
      'skips': [['for (const { level } of lines)', 'for (const { level } of lines) if (level)'], ['.filter((l) =>', '.filter((l) => l.level &&']],
      'undefined messages': [['.map((line) => JSON.parse(line))', '.flatMap((line) => { const v = JSON.parse(line); return v.entries ?? v; })']],
      'empty messages': [['.map((line) => JSON.parse(line))', '.flatMap((line) => { const v = JSON.parse(line); return v.entries ?? v; })'], ['${l.msg}', "${l.msg ?? ''}"]],
    },
  }],
};
