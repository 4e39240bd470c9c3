const route = 'GET https://registrar.example/websoc';
const OLD = [['Code', 7], ['Typ', 4], ['Instructor', 18], ['Time', 16], ['Place', 10], ['Max', 6], ['Enr', 8], ['Status', 6]];
const cells = (c) => ({ Code: c.code, Typ: c.kind, Instructor: c.by, Time: c.time, Place: c.room, Max: String(c.max), Enr: c.joint ? `${c.enr - 1}/${c.enr}` : String(c.enr), Status: c.max > c.enr ? 'OPEN' : c.wait ? 'Waitl' : 'FULL' });
const row = (cols, c) => '    ' + cols.map(([name, width]) => c[name].padEnd(width)).join('').trimEnd();
const list = (f, q, cols = OLD, made = cells, title = (name) => `${name}        TITLE OF IT`) => {
  const courses = [...new Set(f.sections.filter((s) => s.course.startsWith(q.query.dept + ' ')).map((s) => s.course))];
  const head = '    ' + cols.map(([name, width, shown = name]) => shown.padEnd(width)).join('').trimEnd();
  return { $type: 'text/plain; charset=utf-8', $body: courses.map((name) => [title(name), head, ...f.sections.filter((s) => s.course === name).map((s) => row(cols, made(s))), ''].join('\n')).join('\n') };
};
export default {
  source: 'https://github.com/Krazete/antscoper/issues/2 (opened): the text list of a registrar gained a column Modality, its rows no longer lined up with its head, and a tool found all rooms empty',
  says: 'Tell me when seats get free in the courses that I want',
  facts: (day, r) => ({
    wanted: ['Art 1C', 'Math 2B', 'Art 11A'].slice(0, 1 + (day % 3)),
    sections: r.many(day === 4 ? 0 : 3, 8, (i) => ({ course: r.pick(['Art 1C', 'Math 2B', 'Art 11A', 'Art 99']), code: String(1000 + i), kind: r.pick(['LEC', 'DIS']), by: r.pick(['LAFARGE, A.', 'GROß, J.', 'STAFF']), time: r.pick(['TuTh 5:00-6:20p', 'F 9:00-9:50', 'TBA']), room: r.pick(['HG 1800', 'ART 160', 'ON LINE']), max: r.int(2, 30), enr: r.int(2, 30), joint: r.chance(0.3), wait: r.chance(0.4) })),
  }),
  input: (f) => ({ wanted: f.wanted }),
  api: { [route]: (f, q) => list(f, q) },
  changes: [{
    name: 'modality-out-of-line',
    happened: 'a column Modality stands before Time, and in rows that have it its words are wider than the column, so that what follows is shifted by four places',
    tells: [['Modality', 'column', 'shift', 'align']],
    api: { [route]: (f, q) => { const cols = [...OLD.slice(0, 3), ['Modality', 10], ...OLD.slice(3)]; const a = list(f, q, cols, (c) => ({ ...cells(c), Modality: '@' })); return { ...a, $body: a.$body.replace(/@ {9}/g, 'In-Person     ') }; } },
    right: {
      'shifted back': [['    else if (cols && line.trim()) {', "    else if (cols && line.trim()) {\n      const modality = cols.find((c) => c.name === 'Modality');\n      const shift = modality && line.slice(modality.at, modality.at + 14) === 'In-Person     ' ? 4 : 0;\n      const start = (c) => c.at + (shift && c.at > modality.at ? shift : 0);"], ['yield cols.reduce((row, { name, at, to }) => { row[name] = line.slice(at, to).trim(); return row; }, { course });', 'yield cols.reduce((row, col, i) => { row[col.name] = line.slice(start(col), cols[i + 1] && start(cols[i + 1])).trim(); return row; }, { course });']],
      'line made old': [['yield cols.reduce', "const plain = cols.some((c) => c.name === 'Modality') ? line.replace('In-Person     ', 'In-Person ') : line;\n      yield cols.reduce"], ['line.slice(at, to)', 'plain.slice(at, to)']],
      'the text first': [['for (const line of text.split', "for (const line of text.replaceAll('In-Person     ', 'In-Person '.padEnd(10)).split"]],
    },
    wrong: {
      'the new column only': [['if (/^\\s+Code\\b/.test(line)) cols = columns(line);', "if (/^\\s+Code\\b/.test(line)) cols = columns(line).filter((c) => c.name !== 'Modality');"]],
      'by blanks': [['yield cols.reduce((row, { name, at, to }) => { row[name] = line.slice(at, to).trim(); return row; }, { course });', 'const parts = line.trim().split(/\\s{2,}/);\n      yield cols.reduce((row, { name }, i) => { row[name] = parts[i] ?? \'\'; return row; }, { course });']],
      'no number is none': [['parseInt(Max, 10) - parseInt(Enr.split(\'/\').pop(), 10)', "(parseInt(Max, 10) || 0) - (parseInt(Enr.split('/').pop(), 10) || 0)"]],
      'what is no number is left out': [['    const free = seats(row);', '    const free = seats(row);\n    if (Number.isNaN(free)) return;']],
    },
  }, {
    name: 'names-of-columns',
    happened: 'Code is CCode, Max is Cap, Enr is Enrolled, and the columns come in another order with Status after Typ',
    tells: [['Code', 'CCode', 'Max', 'Cap', 'column', 'head']],
    api: { [route]: (f, q) => list(f, q, [['Code', 7, 'CCode'], ['Typ', 4], ['Status', 8], ['Instructor', 18], ['Place', 10], ['Time', 16], ['Enr', 10, 'Enrolled'], ['Max', 6, 'Cap']]) },
    right: {
      'names mapped': [['/^\\s+Code\\b/', '/^\\s+C?Code\\b/'], ['places.push([m[0], m.index])', "places.push([{ CCode: 'Code', Cap: 'Max', Enrolled: 'Enr' }[m[0]] ?? m[0], m.index])"]],
      'head made old': [['if (/^\\s+Code\\b/.test(line)) cols = columns(line);', "if (/^\\s+C?Code\\b/.test(line)) cols = columns(line).map((c) => ({ ...c, name: c.name.replace('CCode', 'Code').replace('Enrolled', 'Enr').replace('Cap', 'Max') }));"]],
      'in each place': [['/^\\s+Code\\b/', '/^\\s+(Code|CCode)\\b/'], ['({ Max, Enr }) => parseInt(Max, 10) - parseInt(Enr.', '({ Cap, Max = Cap, Enrolled, Enr = Enrolled }) => parseInt(Max, 10) - parseInt(Enr.'], ['row.Code', '(row.Code ?? row.CCode)']],
    },
    wrong: {
      'no courses': [["row[name] = line.slice(at, to).trim()", "row[name] = (line.slice(at, to) || '').trim()"]],
      'enrolled for free': [['/^\\s+Code\\b/', '/^\\s+C?Code\\b/'], ['places.push([m[0], m.index])', "places.push([{ CCode: 'Code', Cap: 'Enr', Enrolled: 'Max' }[m[0]] ?? m[0], m.index])"]],
      'one key for all': [['/^\\s+Code\\b/', '/^\\s+C?Code\\b/'], ['({ Max, Enr }) =>', '({ Cap, Max = Cap, Enrolled, Enr = Enrolled }) =>']],
    },
  }, {
    name: 'available-in-html',
    happened: 'the list is in a pre element of a page, with & escaped, the name of the course has a colon behind it, and Max and Enr are one column Seats, such as 12 of 30',
    tells: [['Seats', 'HTML', 'pre', 'Max', 'Enr']],
    api: { [route]: (f, q) => { const a = list(f, q, [...OLD.slice(0, 5), ['Seats', 12], ['Status', 6]], (c) => ({ ...cells(c), Seats: `${c.enr} of ${c.max}` }), (name) => `${name}:  TITLE & MORE`); return { $type: 'text/html; charset=utf-8', $body: `<html><body><h1>List</h1><pre>\n${a.$body.replace(/&/g, '&amp;')}</pre></body></html>` }; } },
    right: {
      'in place': [['for (const line of text.split', "for (const line of (/<pre>\\n?([\\s\\S]*)<\\/pre>/.exec(text)?.[1] ?? text).split"], ['[course] = line.split(/\\s{2,}/);', "course = line.split(/\\s{2,}/)[0].replace(/:$/, '');"], ['({ Max, Enr }) => parseInt', "({ Seats, Max = Seats?.split(' of ')[1], Enr = Seats?.split(' of ')[0] }) => parseInt"]],
      'text made old': [['rows(await response.text())', 'rows(plain(await response.text()))'], ['function* rows', "function plain(text) {\n  if (!text.startsWith('<')) return text;\n  const from = text.indexOf('<pre>') + 5;\n  return text.slice(from, text.indexOf('</pre>')).replace(/^(\\w+ \\w+):/gm, '$1').replace(/Seats {7}/g, 'Max   Enr   ').replace(/(\\d+) of (\\d+)( *)/g, (all, enr, max) => max.padEnd(6) + enr.padEnd(6));\n}\n\nfunction* rows"]],
      'by row': [["if (/^\\s+Code\\b/.test(line))", "if (/^<\\/?\\w/.test(line)) continue;\n    if (/^\\s+Code\\b/.test(line))"], ['[course] = line.split(/\\s{2,}/);', '[, course] = /^(.*?):?(?:\\s{2,}|$)/.exec(line);'], ['const seats = ({ Max, Enr }) => parseInt', "const seats = (row) => {\n  const both = /^(\\d+) of (\\d+)$/.exec(row.Seats ?? '');\n  return both ? both[2] - both[1] : split(row);\n};\n\nconst split = ({ Max, Enr }) => parseInt"]],
    },
    wrong: {
      'no courses': [["[course] = line.split(/\\s{2,}/);", "[course] = line.split(/\\s{2,}/);\n    else if (line.startsWith('<')) continue;"]],
      'who is enrolled': [['for (const line of text.split', "for (const line of (/<pre>\\n?([\\s\\S]*)<\\/pre>/.exec(text)?.[1] ?? text).split"], ['[course] = line.split(/\\s{2,}/);', "course = line.split(/\\s{2,}/)[0].replace(/:$/, '');"], ['parseInt(Max, 10) - parseInt(Enr', "Max === undefined ? parseInt(arguments_, 10) : parseInt(Max, 10) - parseInt(Enr"], ['({ Max, Enr })', '({ Max, Enr, Seats: arguments_ })']],
      'all are full': [['for (const line of text.split', "for (const line of (/<pre>\\n?([\\s\\S]*)<\\/pre>/.exec(text)?.[1] ?? text).split"], ['[course] = line.split(/\\s{2,}/);', "course = line.split(/\\s{2,}/)[0].replace(/:$/, '');"], ["parseInt(Max, 10) - parseInt(Enr.split('/').pop(), 10)", "Enr === undefined ? 0 : parseInt(Max, 10) - parseInt(Enr.split('/').pop(), 10)"]],
    },
  }],
};
