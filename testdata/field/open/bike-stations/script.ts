interface Station { station_id: string; name: string; capacity?: number }
interface Status { station_id: string; num_bikes_available: number; is_renting: boolean; last_reported: number }
type Empty = Record<string, { name: string; since: string }>;

const FEED = 'https://gbfs.rad.example/2/de';

async function stations<T>(feed: string): Promise<T[]> {
  const response = await fetch(`${FEED}/${feed}.json`);
  if (!response.ok) throw new Error(`${feed}: HTTP ${response.status}`);
  const { data } = (await response.json()) as { data: { stations: T[] } };
  return data.stations;
}

// minutes since a station has last said something
const silence = (s: Status, slot: string) => Math.round((Date.parse(slot) / 1000 - s.last_reported) / 60);

export default async function emptyStations({ slot, min = 2 }: { slot: string; min?: number }) {
  const [infos, statuses] = await Promise.all([stations<Station>('station_information'), stations<Status>('station_status')]);
  const byId = new Map(infos.map((i) => [i.station_id, i] as const));
  const before = ((await kv.get('empty')) ?? {}) as Empty;
  const empty: Empty = {};
  const silent: string[] = [];
  for (const s of statuses) {
    const info = byId.get(s.station_id);
    if (!info || !s.is_renting) continue;
    if (silence(s, slot) > 90) {
      silent.push(`${info.name} (${silence(s, slot)} min)`);
      continue;
    }
    if (s.num_bikes_available < min) empty[s.station_id] = before[s.station_id] ?? { name: info.name, since: slot };
  }
  const fresh = Object.keys(empty).filter((id) => !before[id]);
  if (fresh.length > 0) await notify('Bikes run out', fresh.map((id) => empty[id].name).join(', '));
  await kv.set('empty', empty);
  if (silent.length) await files.write('silent.txt', silent.join('\n') + '\n');
  return { empty: Object.values(empty).map((e) => e.name), silent: silent.length, bikes: statuses.reduce((n, s) => n + s.num_bikes_available, 0) };
}
