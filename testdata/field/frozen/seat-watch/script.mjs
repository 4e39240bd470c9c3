/**
 * The registrar prints its list of courses as text with fixed columns. Tell me of free seats.
 */
const LIST = 'https://registrar.example/websoc?term=2026-03&dept=';

function columns(head) {
  const places = [];
  const words = /\S+/g;
  for (let m = words.exec(head); m; m = words.exec(head)) places.push([m[0], m.index]);
  return places.map(([name, at], i) => ({ name, at, to: places[i + 1]?.[1] }));
}

function* rows(text) {
  let cols = null, course = null;
  for (const line of text.split('\n')) {
    if (/^\s+Code\b/.test(line)) cols = columns(line);
    else if (/^\S/.test(line)) [course] = line.split(/\s{2,}/);
    else if (cols && line.trim()) {
      yield cols.reduce((row, { name, at, to }) => { row[name] = line.slice(at, to).trim(); return row; }, { course });
    }
  }
}

const seats = ({ Max, Enr }) => parseInt(Max, 10) - parseInt(Enr.split('/').pop(), 10);

class Watch {
  constructor(wanted, known) {
    this.wanted = wanted;
    this.known = known;
    this.news = [];
  }

  look(row) {
    if (!this.wanted.includes(row.course)) return;
    const free = seats(row);
    const before = this.known[row.Code] ?? 0;
    if (free > 0 && before <= 0) this.news.push(`${row.course} ${row.Typ}: ${free} free, ${row.Time} in ${row.Place}${row.Status === 'Waitl' ? ' (waiting list)' : ''}`);
    this.known[row.Code] = free;
  }
}

export async function main({ wanted }) {
  const watch = new Watch(wanted, (await kv.get('seats')) ?? {});
  for (const dept of new Set(wanted.map((name) => name.split(' ')[0]))) {
    const response = await fetch(LIST + encodeURIComponent(dept));
    if (!response.ok) throw new Error(`list of ${dept}: ${response.status}`);
    for (const row of rows(await response.text())) watch.look(row);
  }
  for (const line of watch.news) await notify('Free seats', line);
  await kv.set('seats', watch.known);
  return watch.news.length;
}
