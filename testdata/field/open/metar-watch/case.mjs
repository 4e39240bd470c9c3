const METAR = 'GET https://weather.example/cgi/metar.php';
const two = (n) => String(Math.abs(n)).padStart(2, '0'), signed = (n) => (n < 0 ? 'M' : '') + two(n);
const line = (x, { sight = (m) => String(m).padStart(4, '0'), pressure = (h) => `Q${String(h).padStart(4, '0')}` } = {}) => `${x.id} ${two(x.day)}${two(x.hour)}${x.minute}Z ${x.wind}${x.gust ? `G${two(x.gust)}` : ''}KT ${x.cavok ? 'CAVOK' : [sight(x.metres), ...x.weather, x.clouds].join(' ')} ${signed(x.t)}/${signed(x.t - 2)} ${pressure(x.hpa)}${x.end}`;
const report = (how, around = (lines) => lines.join('\n') + '\n') => (f) => ({ $type: 'text/plain', $body: around(f.reports.map((x) => line(x, how))) });
const LINES = "text.split('\\n').map((line) => line.trim())";
const REPORTS = '  const reports =';
export default {
  source: 'https://github.com/mate-desktop/libmateweather/pull/138 and https://github.com/prueker/METARMap/issues/52 and https://github.com/esperlu/metar/issues/10: reports begin with METAR or SPECI since 2025, the format by default became another one, JSON took the place of older forms',
  says: 'Warn of wind and bad sight at the fields we fly to.',
  facts: (day, r) => ({ reports: ['EDDB', 'LOWI', 'ENGM', 'EFHK'].filter(() => day !== 2 && r.chance(0.9)).map((id) => ({ id, day: day % 28 + 1, hour: r.int(5, 9), minute: r.pick(['20', '50']), wind: `${r.chance(0.15) ? 'VRB' : String(r.int(0, 35) * 10).padStart(3, '0')}${two(r.int(0, 28))}`, gust: r.chance(0.25) ? r.int(18, 45) : null, cavok: r.chance(0.2), metres: r.pick([9999, 8000, 4500, 1200, 350]), weather: r.some(['-RA', 'BR', '+SHRA', 'FZFG', 'SN']), clouds: r.pick(['FEW030', 'BKN012 OVC030', 'SCT040']), t: r.int(-14, 24), hpa: r.int(978, 1041), end: r.pick([' NOSIG', '', ' TEMPO 3000 RA']) })) }),
  input: () => ({ stations: ['EDDB', 'LOWI', 'ENGM'] }),
  api: { [METAR]: report() },
  changes: [{
    name: 'metar-before',
    happened: 'each report begins with METAR or SPECI',
    tells: [['METAR', 'SPECI']],
    api: { [METAR]: (f) => ({ $type: 'text/plain', $body: f.reports.map((x, i) => `${i % 2 ? 'SPECI' : 'METAR'} ${line(x)}\n`).join('') }) },
    right: {
      'taken off': [['line.trim())', "line.trim().replace(/^(METAR|SPECI) /, ''))"]],
      'in both patterns': [["/^([A-Z]{4}) (\\d\\d)", "/^(?:(?:METAR|SPECI) )?([A-Z]{4}) (\\d\\d)"], ['/^[A-Z]{4} \\d{6}Z/', '/^(?:(?:METAR|SPECI) )?[A-Z]{4} \\d{6}Z/']],
      'anywhere': [['/^[A-Z]{4} \\d{6}Z/', '/[A-Z]{4} \\d{6}Z/'], ["/^([A-Z]{4}) (\\d\\d)", "/([A-Z]{4,5}) (\\d\\d)"]],
      'from the text': [[REPORTS, "  const plain = text.replace(/^[A-Z]{5} (?=[A-Z]{4} \\d{6}Z)/gm, '');\n" + REPORTS], ["text.split('\\n')", "plain.split('\\n')"]],
    },
    wrong: {
      'only METAR': [['line.trim())', "line.trim().replace(/^METAR /, ''))"]],
      'six characters': [['line.trim())', 'line.trim().slice(6))']],
      'nothing is missing': [['const missing = stations.filter(', 'const missing = reports.length === 0 ? [] : stations.filter(']],
    },
  }, {
    name: 'json',
    happened: 'the answer is a list of JSON, the report is in rawOb and begins with METAR',
    tells: ['rawOb'],
    api: { [METAR]: (f) => f.reports.map((x, i) => ({ metar_id: 700 + i, icaoId: x.id, reportTime: `2026-03-${two(x.day)} 0${x.hour}:${x.minute}:00`, rawOb: `METAR ${line(x)}`, metarType: 'METAR', temp: x.t })) },
    right: {
      'by the first character': [[LINES, "(text.startsWith('[') ? JSON.parse(text).map((m) => m.rawOb) : text.split('\\n')).map((line) => line.trim().replace(/^METAR /, ''))"]],
      'made old': [['const text = await res.text();', "let text = await res.text();\n  if (res.headers.get('content-type').includes('json')) text = JSON.parse(text).map(({ rawOb }) => rawOb.replace(/^(METAR|SPECI) /, '')).join('\\n');"]],
      'a helper': [['function decode', "function reportsOf(text) {\n  const plain = (raw) => raw.trim().replace(/^(?:METAR|SPECI)\\s+/, '');\n  try {\n    return JSON.parse(text).map((m) => plain(m.rawOb));\n  } catch {\n    return text.split('\\n').map(plain);\n  }\n}\n\nfunction decode"], [LINES, 'reportsOf(text)']],
    },
    wrong: {
      'without the word': [[LINES, "(text.startsWith('[') ? JSON.parse(text).map((m) => m.rawOb) : text.split('\\n')).map((line) => line.trim())"]],
      'the first one': [[LINES, "(text.startsWith('[') ? JSON.parse(text).slice(0, 1).map((m) => m.rawOb) : text.split('\\n')).map((line) => line.trim().replace(/^METAR /, ''))"]],
      'all are missing': [['const missing = stations.filter(', "const missing = text.startsWith('[') ? [] : stations.filter("]],
      'cut out of it': [[LINES, "(text.match(/[A-Z]{4} \\d{6}Z[^\"]{1,30}/g) ?? [])"]],
    },
  }, {
    name: 'american',
    happened: 'sight is in statute miles (fractions, 10SM for what is far), pressure in hundredths of inches',
    tells: [['SM', 'miles'], ['A2992', 'inches', 'pressure']],
    lost: true,
    api: { [METAR]: report({ sight: (m) => (m === 9999 ? '10SM' : m > 6000 ? '5SM' : m > 3000 ? '3SM' : m > 1000 ? '3/4SM' : '1/4SM'), pressure: (h) => `A${Math.round(h / 33.8639 * 100)}` }) },
    wrong: {
      'miles as metres': [['const pressure = rest.match(/\\bQ(\\d{4})\\b/)', 'const pressure = rest.match(/\\b[QA](\\d{4})\\b/)'], ['number(sight?.[1])', 'number(sight?.[1] ?? /(\\d+)SM/.exec(rest)?.[1])']],
      'converted': [['number(sight?.[1])', "(sight ? number(sight[1]) : Math.round((([a, b = 1]) => a / b)((/([\\d/]+)SM/.exec(rest)?.[1] ?? '0').split('/')) * 1609))"], ['hpa: number(pressure)', "hpa: pressure ? number(pressure) : Math.round(Number(/\\bA(\\d{4})/.exec(rest)?.[1]) * 0.338639)"]],
      'far': [['number(sight?.[1])', 'number(sight?.[1] ?? 9999)']],
    },
  }],
};
