const LIST = 'GET https://sport.example/api/v3/athlete/activities', GEAR = 'GET https://sport.example/api/v3/gear/:id';
const FINE = { TrailRun: 'Run', Run: 'Run', MountainBikeRide: 'Ride', GravelRide: 'Ride', Ride: 'Ride', Swim: 'Swim', Walk: 'Walk' };
const old = (a) => ({ id: a.id, name: a.name, type: FINE[a.sport], distance: a.metres, moving_time: a.seconds, start_date_local: a.start, gear_id: a.gear, has_heartrate: a.heart !== null, ...(a.heart === null ? {} : { average_heartrate: a.heart / 10 }) });
const pages = (of) => (f, q) => f.activities.slice((q.query.page - 1) * q.query.per_page, q.query.page * q.query.per_page).map(of);
const gear = (of = (g) => g) => (f, q) => of({ id: q.params.id, name: { g1: 'Röad 3', g2: 'Trail X', b1: 'Blue bike' }[q.params.id], distance: f.gear[q.params.id], ...(q.params.id === 'b1' ? { retired: true } : {}) });
const fine = (a) => { const { type, ...rest } = old(a); return { ...rest, sport_type: a.sport }; };
const cursor = (of) => (f, q) => { const from = q.query.cursor ? Number(q.query.cursor) : 0, n = Number(q.query.per_page), part = f.activities.slice(from, from + n); return { activities: part.map(of), next_cursor: from + n < f.activities.length ? from + n : null }; };
const v4 = (a) => ({ id: String(a.id), title: a.name, sport_type: a.sport, distance_km: a.metres / 1000, moving_time: a.seconds, start_local: a.start.replace('Z', ''), gear: a.gear && { id: a.gear }, heart_rate: a.heart === null ? null : { average: a.heart / 10, max: 190 } });
const TABLE = "const BROAD: Record<string, Activity['type']> = { TrailRun: 'Run', VirtualRun: 'Run', MountainBikeRide: 'Ride', GravelRide: 'Ride', EBikeRide: 'Ride' };\n";
const BASE = "const BASE =";
const LOOP = `  for (let page = 1; page <= 20; page++) {
    const batch = await get<Activity[]>(\`/athlete/activities?after=\${after}&page=\${page}&per_page=3\`);
    if (batch.length === 0) break;
    all.push(...batch);
  }`;
const BOTH = (of) => `  let at = '&page=1';
  for (let page = 1; page <= 20; page++) {
    const batch: any = await get(\`/athlete/activities?after=\${after}\${at}&per_page=3\`);
    const list: any[] = batch.activities ?? batch;
    if (list.length === 0) break;
    all.push(...list.map(${of}));
    if (batch.next_cursor === null) break;
    at = batch.next_cursor ? \`&cursor=\${batch.next_cursor}\` : \`&page=\${page + 1}\`;
  }`;
const OLD = `const old = (a: any): Activity => (a.title === undefined ? a : {
  id: Number(a.id), name: a.title, type: BROAD[a.sport_type] ?? a.sport_type, distance: Math.round(a.distance_km * 1000), moving_time: a.moving_time,
  start_date_local: a.start_local, gear_id: a.gear?.id ?? null, has_heartrate: a.heart_rate !== null, average_heartrate: a.heart_rate?.average,
});
`;
export default {
  source: 'https://developers.strava.com/docs/changelog/: sport_type, which knows more kinds, took the place of type; page and per_page of comments gave way to a cursor',
  says: 'Sum up the training of the week, and tell me of worn shoes.',
  facts: (day, r) => ({ monday: `2026-0${1 + Math.floor(day / 10)}-${String(1 + day % 10 * 2).padStart(2, '0')}`, gear: { g1: 600000 + day * 12345, g2: 690000 + day * 500, b1: 9000000 },
    activities: day === 4 ? [] : r.many(1, 8, (i) => ({ id: 90000 + day * 10 + i, name: r.pick(['Morning', 'Ründe', 'with Ann', '朝']), sport: r.pick(['Run', 'TrailRun', 'TrailRun', 'Ride', 'MountainBikeRide', 'GravelRide', 'Swim', 'Walk']), metres: r.int(50, 4000) * 10, seconds: r.int(600, 9000), start: `2026-03-${String(1 + (i * 3 + day) % 28).padStart(2, '0')}T0${r.int(5, 9)}:30:00Z`, gear: r.pick([null, 'g1', 'g2', 'b1']), heart: r.chance(0.6) ? r.int(1100, 1750) : null })) }),
  input: (f) => ({ monday: f.monday }),
  api: { [LIST]: pages(old), [GEAR]: gear() },
  changes: [{
    name: 'sport-type',
    happened: 'type is gone; sport_type stands in its place and knows TrailRun, MountainBikeRide and GravelRide',
    tells: ['type', 'sport_type'],
    api: { [LIST]: pages(fine) },
    right: {
      'a table': [[BASE, TABLE + BASE], ['all.push(...batch);', "all.push(...batch.map((a: any) => ({ ...a, type: a.type ?? BROAD[a.sport_type] ?? a.sport_type })));"]],
      'by the end of the word': [['for (const a of list) sports.set(a.type, [...(sports.get(a.type) ?? []), a]);', "for (const a of list as any[]) {\n    const type = a.type ?? /(Run|Ride|Swim|Walk)$/.exec(a.sport_type)![1];\n    sports.set(type, [...(sports.get(type) ?? []), a]);\n  }"]],
      'a helper': [[BASE, "const broad = ({ type, sport_type }: any): string => type ?? ['Run', 'Ride'].find((sport) => sport_type.endsWith(sport)) ?? sport_type;\n" + BASE], ['sports.set(a.type, [...(sports.get(a.type) ?? []), a])', 'sports.set(broad(a), [...(sports.get(broad(a)) ?? []), a])']],
    },
    wrong: {
      'as it is': [['a.type', '(a.type ?? (a as any).sport_type)']],
      'all are runs': [['a.type', "(a.type ?? 'Run')"]],
      'skips': [['for (const a of list) sports', 'for (const a of list) if (a.type) sports']],
      'only trails': [['a.type', "(a.type ?? (a as any).sport_type.replace('Trail', ''))"]],
    },
  }, {
    name: 'v4',
    happened: 'activities are an object with next_cursor; sport_type, distance_km, gear as an object, heart_rate as an object or null, start_local, ids as texts',
    tells: ['activities', ['distance_km', 'sport_type', 'next_cursor']],
    api: { [LIST]: cursor(v4) },
    right: {
      'an adapter': [[BASE, TABLE + OLD + BASE], [LOOP, BOTH('old')]],
      'in place': [[BASE, TABLE + BASE], [LOOP, BOTH(`(a) => {
      if (a.type) return a;
      const { average = undefined } = a.heart_rate ?? {};
      return Object.assign(a, { type: BROAD[a.sport_type] ?? a.sport_type, distance: Number((a.distance_km * 1000).toFixed(0)), start_date_local: a.start_local, gear_id: a.gear && a.gear.id, has_heartrate: average !== undefined, average_heartrate: average });
    }`)]],
      'at each place': [
        [LOOP, BOTH('(a) => a')], [BASE, "const broad = ({ type, sport_type }: any): string => type ?? sport_type.replace(/^.*(Run|Ride)$/, '$1');\nconst metresOf = (a: any): number => a.distance ?? Math.round(a.distance_km * 1000);\n" + BASE],
        ['n + a.distance,', 'n + metresOf(a),'], ['a.has_heartrate', '(a.has_heartrate ?? (a as any).heart_rate !== null)'], ['a.average_heartrate!', '(a.average_heartrate ?? (a as any).heart_rate.average)'],
        ['sports.set(a.type, [...(sports.get(a.type) ?? []), a])', 'sports.set(broad(a), [...(sports.get(broad(a)) ?? []), a])'], ['a.gear_id ?? []', 'a.gear_id ?? (a as any).gear?.id ?? []'], ['a.start_date_local', '(a.start_date_local ?? (a as any).start_local)'],
      ],
    },
    wrong: {
      'kilometres as metres': [[BASE, TABLE + OLD.replace('Math.round(a.distance_km * 1000)', 'a.distance_km') + BASE], [LOOP, BOTH('old')]],
      'the first page': [[BASE, TABLE + OLD + BASE], [LOOP, BOTH('old').replace('if (batch.next_cursor === null) break;', 'if (batch.activities) break;')]],
      'no hearts': [[BASE, TABLE + OLD.replace('a.heart_rate !== null', 'false') + BASE], [LOOP, BOTH('old')]],
      'nothing done': [['if (batch.length === 0) break;', 'if (!batch.length) break;']],
    },
  }, {
    name: 'gear-states',
    happened: 'gear is in data of the answer, distance is in km in total_km, retired is a status; gear_id of none is an empty text',
    tells: ['distance', ['total_km', 'status', 'gear_id']],
    api: { [LIST]: pages((a) => ({ ...old(a), gear_id: a.gear ?? '' })), [GEAR]: gear(({ id, name, distance, retired }) => ({ data: { id, name, total_km: distance / 1000, status: retired ? 'retired' : 'active' } })) },
    right: {
      'at each place': [['a.gear_id ?? []', 'a.gear_id || []'], ['get<Gear>(`/gear/${id}`)', "get<any>(`/gear/${id}`).then((g): Gear => (g.data ? { id, name: g.data.name, distance: Math.round(g.data.total_km * 1000), retired: g.data.status === 'retired' } : g))"]],
      'an adapter': [[BASE, "const oldGear = ({ data, ...flat }: any): Gear => (data ? { ...data, distance: +(data.total_km * 1000).toFixed(0), retired: data.status !== 'active' } : flat);\n" + BASE], ['list.flatMap((a) => a.gear_id ?? [])', "list.map((a) => a.gear_id ?? '').filter((id) => id !== '')"], ['get<Gear>(`/gear/${id}`)', 'get(`/gear/${id}`).then(oldGear)']],
      'in the filter': [['a.gear_id ?? []', 'a.gear_id ? [a.gear_id] : []'], ['const shoes = await Promise.all(', 'const answers: any[] = await Promise.all('], ['  const worn =', "  const shoes = answers.map((g) => g.data ?? g).map((g) => ({ ...g, distance: g.distance ?? g.total_km * 1000, retired: g.retired ?? g.status === 'retired' }));\n  const worn ="]],
    },
    wrong: {
      'retired ones too': [['a.gear_id ?? []', 'a.gear_id || []'], ['get<Gear>(`/gear/${id}`)', 'get<any>(`/gear/${id}`).then((g): Gear => (g.data ? { id, name: g.data.name, distance: Math.round(g.data.total_km * 1000) } : g))']],
      'never worn': [['a.gear_id ?? []', 'a.gear_id || []'], ['get<Gear>(`/gear/${id}`)', 'get<any>(`/gear/${id}`).then((g): Gear => g.data ?? g)']],
      'only the ids': [['a.gear_id ?? []', 'a.gear_id || []']],
    },
  }],
};
