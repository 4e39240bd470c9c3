const S = 'GET https://ring.example/v1/sleep', R = 'GET https://ring.example/v1/readiness';
const night = (n) => ({ summary_date: n.date, is_longest: n.main ? 1 : 0, total: n.total, deep: n.deep, rem: n.rem, hr_lowest: n.pulse, bedtime_start: `${n.date}T${n.bed}:00+02:00`, score: n.total ? 70 : 0 });
const ready = (n) => ({ summary_date: n.date, score: n.ready });
const v2 = (n) => ({ id: 'n' + n.date, day: n.date, type: n.main ? 'long_sleep' : 'rest', total_sleep_duration: n.total, deep_sleep_duration: n.deep, rem_sleep_duration: n.rem, lowest_heart_rate: n.pulse || null, bedtime_start: `${n.date}T${n.bed}:00.000+02:00` });
const readyDays = (f) => f.nights.filter((n) => n.main && n.ready !== null);
export default {
  source: 'https://partnersupport.ouraring.com/hc/en-us/articles/19907726838163-Oura-API-V2-Upgrade-Guide (opened): version 2 has data for each kind, day for summary_date and longer names, and kinds of sleep in place of is_longest (names in part from memory)',
  says: 'Write my sleep into the diary',
  zone: 'Europe/Berlin',
  facts: (day, r) => ({
    start: `2026-05-${String(day + 1).padStart(2, '0')}`,
    nights: r.many(day === 5 ? 0 : 1, 4, (i) => ({ date: `2026-05-${String(day + 1 + Math.floor(i / 2)).padStart(2, '0')}`, main: i % 2 === 0, total: r.pick([0, 25200, 27930, 19999]), deep: r.int(0, 5000), rem: r.int(0, 6000), pulse: r.pick([0, 48, 55, 61]), bed: r.pick(['22:40', '23:05', '00:30']), ready: r.chance(0.2) ? null : r.int(40, 95) })),
  }),
  input: (f) => ({ start: f.start, end: f.start }),
  api: { [S]: (f) => ({ sleep: f.nights.map(night) }), [R]: (f) => ({ readiness: readyDays(f).map(ready) }) },
  changes: [{
    name: 'v2',
    happened: 'lists are in data, summary_date is day, is_longest became the type long_sleep, total, deep and rem have longer names, the lowest pulse is null where there is none',
    tells: [['data', 'sleep', 'day', 'summary_date']],
    api: { [S]: (f) => ({ data: f.nights.map(v2), next_token: null }), [R]: (f) => ({ data: readyDays(f).map((n) => ({ day: n.date, score: n.ready, contributors: { previous_night: 80 } })), next_token: null }) },
    right: {
      'made old': [['return body[kind];', "return body[kind] ?? body.data.map((d) => ({ ...d, summary_date: d.day, is_longest: d.type === 'long_sleep' ? 1 : 0, total: d.total_sleep_duration, deep: d.deep_sleep_duration, rem: d.rem_sleep_duration, hr_lowest: d.lowest_heart_rate }));"]],
      'in each place': [['return body[kind];', 'return body[kind] || body.data;'], ['[one.summary_date, one]', '[one.summary_date ?? one.day, one]'], ['night.is_longest)', "night.is_longest || night.type === 'long_sleep')"], ['{ summary_date: date, total, deep, rem, hr_lowest: pulse, bedtime_start: bed }', '{ day, summary_date: date = day, total_sleep_duration, total = total_sleep_duration, deep_sleep_duration, deep = deep_sleep_duration, rem_sleep_duration, rem = rem_sleep_duration, lowest_heart_rate, hr_lowest: pulse = lowest_heart_rate, bedtime_start: bed }']],
      'names in a table': [['const index =', "const NAMES = { day: 'summary_date', total_sleep_duration: 'total', deep_sleep_duration: 'deep', rem_sleep_duration: 'rem', lowest_heart_rate: 'hr_lowest' };\nconst rename = (one) => {\n  const entries = Object.entries(one).map(([name, value]) => [NAMES[name] ?? name, value]);\n  return { ...Object.fromEntries(entries), is_longest: one.is_longest ?? Number(one.type === 'long_sleep') };\n};\n\nconst index ="], ['return body[kind];', 'return (kind in body ? body[kind] : body.data).map(rename);']],
    },
    wrong: {
      'no nights': [['return body[kind];', 'return body[kind] ?? [];']],
      'naps, too': [['return body[kind];', 'return body[kind] ?? body.data.map((d) => ({ ...d, summary_date: d.day, is_longest: 1, total: d.total_sleep_duration, deep: d.deep_sleep_duration, rem: d.rem_sleep_duration, hr_lowest: d.lowest_heart_rate }));']],
      'no readiness': [['return body[kind];', "return body[kind] ?? (kind === 'sleep' ? body.data.map((d) => ({ ...d, summary_date: d.day, is_longest: d.type === 'long_sleep' ? 1 : 0, total: d.total_sleep_duration, deep: d.deep_sleep_duration, rem: d.rem_sleep_duration, hr_lowest: d.lowest_heart_rate })) : body.data);"]],
      'no sleep at all': [['return body[kind];', 'return body[kind] ?? body.data.map((d) => ({ ...d, summary_date: d.day, is_longest: d.type === "long_sleep" }));'], ['total, deep, rem,', 'total = 0, deep = 0, rem = 0,']],
    },
  }, {
    name: 'minutes-and-periods',
    happened: 'durations are in minutes below durations, and the time in bed is seconds since 1970 with an offset in minutes',
    tells: [['durations', 'total', 'minutes', 'bedtime']],
    api: { [S]: (f) => ({ sleep: f.nights.map((n) => { const { total, deep, rem, bedtime_start, ...o } = night(n); return { ...o, durations: { total: total / 60, deep: deep / 60, rem: rem / 60 }, bedtime: { start: Date.parse(bedtime_start) / 1000, offset: 120 } }; }) }) },
    right: {
      'made old': [['return body[kind];', "return body[kind].map((n) => (n.durations ? { ...n, total: n.durations.total * 60, deep: n.durations.deep * 60, rem: n.durations.rem * 60, bedtime_start: new Date((n.bedtime.start + n.bedtime.offset * 60) * 1000).toISOString() } : n));"]],
      'in each place': [['total, deep, rem, hr_lowest: pulse, bedtime_start: bed }) => ({', 'durations, bedtime, total = durations?.total * 60, deep = durations?.deep * 60, rem = durations?.rem * 60, hr_lowest: pulse, bedtime_start: bed }) => ({'], ['bed: bed.slice(11, 16)', 'bed: bed ? bed.slice(11, 16) : new Date(1000 * bedtime.start + 60000 * bedtime.offset).toJSON().slice(11, 16)']],
      'before the filter': [['const diary = (nights, readiness) => nights', "const seconds = (night) => {\n  const { durations, bedtime, ...rest } = night;\n  if (!durations) return night;\n  for (const [name, minutes] of Object.entries(durations)) rest[name] = minutes * 60;\n  const local = new Date(0);\n  local.setUTCSeconds(bedtime.start + bedtime.offset * 60);\n  return { ...rest, bedtime_start: local.toISOString() };\n};\n\nconst diary = (nights, readiness) => nights\n  .map(seconds)"]],
    },
    wrong: {
      'minutes as seconds': [['return body[kind];', "return body[kind].map((n) => (n.durations ? { ...n, ...n.durations, bedtime_start: new Date((n.bedtime.start + n.bedtime.offset * 60) * 1000).toISOString() } : n));"]],
      'without the offset': [['return body[kind];', "return body[kind].map((n) => (n.durations ? { ...n, total: n.durations.total * 60, deep: n.durations.deep * 60, rem: n.durations.rem * 60, bedtime_start: new Date(n.bedtime.start * 1000).toISOString() } : n));"]],
      'no nights': [['.filter((night) => night.is_longest)', '.filter((night) => night.is_longest && night.bedtime_start)']],
    },
  }, {
    name: 'readiness-by-day',
    happened: 'readiness is an object by day with a number for each, and a score of nothing is -1',
    tells: [['readiness', 'map', 'score']],
    api: { [R]: (f) => ({ readiness: Object.fromEntries(f.nights.filter((n) => n.main).map((n) => [n.date, n.ready ?? -1])) }) },
    right: {
      'the index': [['const index = (list) => Object', "const index = (list) => !Array.isArray(list) ? Object.fromEntries(Object.entries(list).filter(([, score]) => score >= 0).map(([date, score]) => [date, { score }])) : Object"]],
      'made old': [['return body[kind];', "const list = body[kind];\n  if (Array.isArray(list)) return list;\n  return Object.keys(list).filter((date) => list[date] !== -1).map((date) => ({ summary_date: date, score: list[date] }));"]],
      'where it is used': [['diary(nights, index(ready))', 'diary(nights, Array.isArray(ready) ? index(ready) : ready)'], ['ready: readiness[date]?.score ?? null', "ready: typeof readiness[date] === 'number' ? (readiness[date] < 0 ? null : readiness[date]) : readiness[date]?.score ?? null"]],
    },
    wrong: {
      'none is ready': [['index(ready)', 'Array.isArray(ready) ? index(ready) : {}']],
      'minus one': [['const index = (list) => Object', "const index = (list) => !Array.isArray(list) ? Object.fromEntries(Object.entries(list).map(([date, score]) => [date, { score }])) : Object"]],
      'by place': [['const index = (list) => Object', "const index = (list) => !Array.isArray(list) ? Object.fromEntries(Object.entries(list).map(([date], i) => [date, { score: Object.values(list)[0] }])) : Object"]],
    },
  }],
};
