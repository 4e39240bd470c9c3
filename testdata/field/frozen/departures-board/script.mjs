const base = 'https://transit.example';
const walk = { '900100': 4, '900200': 9 };

const icon = { suburban: '🚈', bus: '🚌', tram: '🚊', regional: '🚆' };

/**
 * @param {string} stop
 * @returns {Promise<Array<object>>}
 */
async function departures(stop, when) {
  const query = new URLSearchParams({ when, duration: '60' });
  let last;
  for (const wait of [0, 500, 2000]) {
    if (wait) await sleep(wait);
    last = await fetch(`${base}/stops/${stop}/departures?${query}`);
    if (last.status < 500) break;
  }
  if (!last.ok) throw new Error(`departures of ${stop}: ${last.status}`);
  return last.json();
}

const minutes = (iso, now) => Math.round((new Date(iso) - now) / 60000);

function row(stop, { when, scheduledWhen, delay, line: { name, product }, direction, cancelled = false, platform, remarks }, now) {
  const notes = remarks.filter(({ type }) => type === 'warning').map(({ text }) => text);
  return {
    in: minutes(cancelled ? scheduledWhen : when, now) - walk[stop],
    text: `${icon[product] ?? '•'} ${name} ${direction}${platform ? ` [${platform}]` : ''}${delay ? ` ${delay > 0 ? '+' : ''}${Math.round(delay / 60)}` : ''}${cancelled ? ' CANCELLED' : ''}`,
    cancelled,
    notes,
  };
}

const board = async ({ at }) => {
  const now = new Date(at);
  const lists = await Promise.all(Object.keys(walk).map(async (stop) => (await departures(stop, at)).map((d) => row(stop, d, now))));
  const rows = lists.flat().filter((r) => r.in >= 0).sort((a, b) => a.in - b.in || a.text.localeCompare(b.text));
  const shown = rows.slice(0, 4).map((r) => `${String(r.in).padStart(2)} ${r.text}`);
  const res = await fetch('https://panel.example/api/lines', { method: 'PUT', headers: { 'content-type': 'text/plain; charset=utf-8' }, body: shown.join('\n') });
  if (!res.ok) throw new Error('panel: ' + res.status);
  const notes = [...new Set(rows.flatMap((r) => r.notes))];
  if (notes.length > 0) await files.write('notes.txt', notes.join('\n'));
  return { shown: shown.length, cancelled: rows.filter((r) => r.cancelled).length, notes: notes.length };
};

export { board as default };
