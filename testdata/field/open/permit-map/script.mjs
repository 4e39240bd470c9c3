import { stringify } from 'kintsugi:csv';

// Building permits of yesterday, from the open data of the city: a table by ward, and points for the map.
const DATASET = 'https://data.city.example/resource/ydr8-5enu.json';
const PAGE = 4;
const BIG = 1_000_000;

async function* rows(where) {
  for (let offset = 0; ; offset += PAGE) {
    const query = new URLSearchParams({ $where: where, $order: ':id', $limit: String(PAGE), $offset: String(offset) });
    const res = await fetch(`${DATASET}?${query}`, { headers: { 'X-App-Token': secret('CITY_TOKEN') } });
    if (!res.ok) throw new Error(`open data: ${res.status} ${await res.text()}`);
    const batch = await res.json();
    yield* batch;
    if (batch.length < PAGE) return;
  }
}

const place = ({ location }) => {
  if (!location) return null;
  return [Number(location.longitude), Number(location.latitude)];
};

const tally = (wards, row) => {
  const key = row.ward ?? 'unknown';
  if (!wards.has(key)) wards.set(key, { permits: 0, cost: 0, fees: 0 });
  const w = wards.get(key);
  w.permits += 1;
  w.cost += row.reported_cost ?? 0;
  w.fees += row.total_fee ?? 0;
};

export default async function permits({ slot }) {
  const day = new Date(Date.parse(slot) - 86_400_000).toISOString().slice(0, 10);
  const wards = new Map(), features = [], big = [];
  for await (const row of rows(`issue_date >= '${day}T00:00:00'`)) {
    if (row.issue_date?.slice(0, 10) !== day) continue;
    tally(wards, row);
    const coordinates = place(row);
    if (coordinates) features.push({ type: 'Feature', geometry: { type: 'Point', coordinates }, properties: { permit: row.permit_, work: row.work_type ?? '' } });
    if (row.reported_cost >= BIG) big.push(`${row.permit_} in ward ${row.ward ?? '?'}`);
  }
  const table = [...wards].sort(([a], [b]) => String(a).localeCompare(String(b), 'en', { numeric: true })).map(([ward, w]) => [ward, w.permits, w.cost, w.fees]);
  await files.write(`permits/${day}.csv`, stringify([['ward', 'permits', 'cost', 'fees'], ...table]));
  await files.write('permits/map.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
  if (big.length) await notify(`${big.length} big permits on ${day}`, big.join('\n'));
  return { day, wards: wards.size, points: features.length };
}
