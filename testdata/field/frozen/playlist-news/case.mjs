const P = 'GET https://music.example/v1/playlists/:id', T = 'GET https://music.example/v1/playlists/:id/tracks', I = 'GET https://music.example/v1/playlists/:id/items';
const track = (e) => (e.gone ? null : { id: e.id, name: e.name, artists: e.artists.map((name, i) => ({ id: `a${i}`, name })), album: { name: 'x', release_date: e.year }, duration_ms: e.ms, ...(e.local ? { is_local: true } : {}) });
const entry = (e) => ({ added_at: e.gone ? null : '2026-01-01T00:00:00Z', added_by: { id: e.by, ...(e.label === undefined ? {} : { display_name: e.label }) }, track: track(e) });
const page = (f, q, shape) => { const offset = Number(q.query.offset), limit = Number(q.query.limit); return { items: f.entries.slice(offset, offset + limit).map(shape), total: f.entries.length, limit, offset }; };
const list = (f) => ({ id: f.playlist, name: f.title, tracks: { total: f.entries.length } });
export default {
  source: 'https://github.com/bjarneo/cliamp/pull/57, https://github.com/spotify/spotify-web-api-ts-sdk/pull/156 and https://github.com/rinukkusu/spotify-dart/issues/250 (all opened): in February 2026 tracks of a playlist became items, each with item for track, at another path, and members of profiles went',
  says: 'Tell me what friends put onto our playlist',
  facts: (day, r) => ({
    playlist: 'p1', title: r.pick(['Road trip', 'Küche', '夜']),
    entries: r.many(day === 2 ? 0 : 2, 8, (i) => ({ id: `t${r.int(1, 60)}`, name: r.pick(['Blue “moon”', 'Größe', '桜', 'One & only']), artists: r.some(['Ada', 'Zoë & Co', 'Bö']).concat('Nia'), year: r.pick(['1999', '2024-05', '2026-01-30']), ms: r.int(60000, 400000), local: r.chance(0.1), gone: r.chance(0.12), by: r.pick(['u1', 'u2', 'u3']), label: r.pick(['Mia', null, undefined]) })).filter((e, i, all) => all.findIndex((o) => o.id === e.id) === i),
  }),
  input: (f) => ({ playlist: f.playlist }),
  api: { [P]: list, [T]: (f, q) => page(f, q, entry) },
  changes: [{
    name: 'february-2026',
    happened: 'tracks of a playlist are called items, also in the path, and an entry has item in place of track',
    tells: [['tracks', 'items', 'item']],
    api: { [P]: (f) => ({ id: f.playlist, name: f.title, items: { total: f.entries.length } }), [T]: () => ({ $status: 403, $body: { error: { status: 403, message: 'use /items' } } }), [I]: (f, q) => page(f, q, (e) => { const { track: item, ...o } = entry(e); return { ...o, item }; }) },
    right: {
      'by what the playlist has': [['const { name, tracks: { total } } = await api<Playlist>(`/playlists/${playlist}`)', 'const list = await api<any>(`/playlists/${playlist}`)\n  const { name } = list, { total } = list.items ?? list.tracks'], ['const entries = await allPages<Entry>(`/playlists/${playlist}/tracks`)', "const entries = (await allPages<any>(`/playlists/${playlist}/${list.items ? 'items' : 'tracks'}`)).map((e): Entry => ('item' in e ? { ...e, track: e.item } : e))"]],
      'in each place': [['const { name, tracks: { total } } = await api<Playlist>', 'const { name, tracks, items, items: { total } = tracks } = await api<any>'], ['allPages<Entry>(`/playlists/${playlist}/tracks`)', 'allPages<any>(`/playlists/${playlist}/${tracks ? "tracks" : "items"}`)'], ['e.track !== null && !e.track.is_local && !seen.has(e.track.id))', '(e.track ?? e.item ?? null) !== null && !(e.track ?? e.item).is_local && !seen.has((e.track ?? e.item).id)).map((e) => ({ ...e, track: e.track ?? (e as any).item }))'], ['(e.track ? [e.track.id] : [])', '((e.track ?? e.item) ? [(e.track ?? e.item).id] : [])'], ['(e): e is Entry & { track: Track } =>', '(e: any) =>']],
      'tries the old one': [['const entries = await allPages<Entry>(`/playlists/${playlist}/tracks`)', "const read = async (): Promise<Entry[]> => {\n    if (!modern) return allPages<Entry>(`/playlists/${playlist}/tracks`)\n    const items = await allPages<Omit<Entry, 'track'> & { item: Track | null }>(`/playlists/${playlist}/items`)\n    return items.map(({ item, ...rest }) => ({ ...rest, track: item }))\n  }\n  const entries = await read()"], ['const { name, tracks: { total } } = await api<Playlist>(`/playlists/${playlist}`)', 'const about: any = await api(`/playlists/${playlist}`)\n  const modern = about.tracks === undefined\n  const { name } = about\n  const { total } = modern ? about.items : about.tracks']],
    },
    wrong: {
      'an empty playlist': [['tracks: { total } }', 'tracks: { total } = { total: 0 } }'], ['await allPages<Entry>(`/playlists/${playlist}/tracks`)', 'await allPages<Entry>(`/playlists/${playlist}/tracks`).catch(() => [] as Entry[])']],
      'only the path': [['const { name, tracks: { total } } = await api<Playlist>', 'const { name, tracks, items, items: { total } = tracks } = await api<any>'], ['allPages<Entry>(`/playlists/${playlist}/tracks`)', 'allPages<any>(`/playlists/${playlist}/${tracks ? "tracks" : "items"}`)'], ['e.track !== null && !e.track.is_local', 'e.track != null && !e.track.is_local']],
      'the first page': [['const { name, tracks: { total } } = await api<Playlist>(`/playlists/${playlist}`)', 'const list = await api<any>(`/playlists/${playlist}`)\n  const { name } = list, { total } = list.items ?? list.tracks'], ['const entries = await allPages<Entry>(`/playlists/${playlist}/tracks`)', "const entries = list.tracks ? await allPages<Entry>(`/playlists/${playlist}/tracks`) : (await api<any>(`/playlists/${playlist}/items`, { limit: 3, offset: 0 })).items.map((e: any): Entry => ({ ...e, track: e.item }))"]],
      'all are new each day': [['const { name, tracks: { total } } = await api<Playlist>(`/playlists/${playlist}`)', 'const list = await api<any>(`/playlists/${playlist}`)\n  const { name } = list, { total } = list.items ?? list.tracks'], ['const entries = await allPages<Entry>(`/playlists/${playlist}/tracks`)', "const entries = await allPages<any>(`/playlists/${playlist}/${list.items ? 'items' : 'tracks'}`)"], ['const fresh = entries.filter(', 'const fresh = entries.map((e) => ({ ...e, track: e.track ?? e.item ?? null })).filter(']],
    },
  }, {
    name: 'people-and-times',
    happened: 'added_by is an uri spotify:user with the name in added_by_name, duration_ms is duration with totalMilliseconds, and release_date is below date with isoString',
    tells: [['added_by', 'duration', 'release_date', 'date']],
    api: { [T]: (f, q) => page(f, q, (e) => { const o = entry(e), t = o.track; if (t) { t.duration = { totalMilliseconds: t.duration_ms }; delete t.duration_ms; t.album = { name: 'x', date: { isoString: t.album.release_date } }; } return { ...o, added_by: `music:user:${e.by}`, added_by_name: e.label ?? null }; }) },
    right: {
      'made old': [['const seen = new Set', "for (const e of entries as any[]) {\n    if (typeof e.added_by === 'string') e.added_by = { id: e.added_by.split(':').pop(), display_name: e.added_by_name }\n    if (e.track?.duration) Object.assign(e.track, { duration_ms: e.track.duration.totalMilliseconds, album: { release_date: e.track.album.date.isoString } })\n  }\n  const seen = new Set"]],
      'in each place': [["e.added_by.display_name || e.added_by.id", "(e as any).added_by_name || e.added_by.display_name || e.added_by.id || String(e.added_by).replace('music:user:', '')"], ['e.track.album.release_date.slice', '(e.track.album.release_date ?? (e.track.album as any).date.isoString).slice'], ['e.track.duration_ms', '(e.track.duration_ms ?? (e.track as any).duration.totalMilliseconds)']],
      'functions': [["e.added_by.display_name || e.added_by.id", 'person(e)'], ['e.track.album.release_date.slice(0, 4)', 'year(e.track)'], ['e.track.duration_ms', 'length(e.track)'], ['const clock =', "const length = (t: any): number => (t.duration ? t.duration.totalMilliseconds : t.duration_ms)\nconst year = ({ album }: any): string => (album.date?.isoString ?? album.release_date).slice(0, 4)\nconst person = (e: any): string => {\n  if (typeof e.added_by === 'object') return e.added_by.display_name || e.added_by.id\n  return e.added_by_name || /[^:]+$/.exec(e.added_by)![0]\n}\n\nconst clock ="]],
    },
    wrong: {
      'somebody': [["e.added_by.display_name || e.added_by.id", "e.added_by.display_name || e.added_by.id || 'somebody'"], ['e.track.album.release_date.slice', '(e.track.album.release_date ?? (e.track.album as any).date.isoString).slice'], ['e.track.duration_ms', '(e.track.duration_ms ?? (e.track as any).duration.totalMilliseconds)']],
      'no length': [["e.added_by.display_name || e.added_by.id", "(e as any).added_by_name || e.added_by.display_name || e.added_by.id || String(e.added_by).replace('music:user:', '')"], ['e.track.album.release_date.slice', '(e.track.album.release_date ?? (e.track.album as any).date.isoString).slice'], ['e.track.duration_ms', '(e.track.duration_ms ?? 0)']],
      'whole addresses': [["e.added_by.display_name || e.added_by.id", "(e as any).added_by_name || e.added_by.display_name || e.added_by.id || e.added_by"], ['e.track.album.release_date.slice', '(e.track.album.release_date ?? (e.track.album as any).date.isoString).slice'], ['e.track.duration_ms', '(e.track.duration_ms ?? (e.track as any).duration.totalMilliseconds)']],
      'no year': [["e.added_by.display_name || e.added_by.id", "(e as any).added_by_name || e.added_by.display_name || e.added_by.id || String(e.added_by).replace('music:user:', '')"], ['e.track.album.release_date.slice', "(e.track.album.release_date ?? '').slice"], ['e.track.duration_ms', '(e.track.duration_ms ?? (e.track as any).duration.totalMilliseconds)']],
    },
  }, {
    name: 'smaller-pages',
    happened: 'a page has two entries at most, whatever limit is asked for, and says so in limit',
    tells: [['limit', 'page', 'offset']],
    api: { [T]: (f, q) => { q.query.limit = Math.min(2, q.query.limit); return page(f, q, entry); } },
    right: {
      'the limit that is given': [['first.total / limit', 'first.total / first.limit'], ['(i + 1) * limit)', '(i + 1) * first.limit)'], ['{ limit, offset })))', '{ limit: first.limit, offset })))']],
      'two': [['limit = 3', 'limit = 2']],
      'one after the other': [["const offsets = Array.from({ length: Math.max(0, Math.ceil(first.total / limit) - 1) }, (_, i) => (i + 1) * limit)\n  const others = await Promise.all(offsets.map((offset) => api<Paged<T>>(path, { limit, offset })))\n  return [first, ...others].flatMap((page) => page.items)", 'const items = [...first.items]\n  while (items.length < first.total) {\n    const page = await api<Paged<T>>(path, { limit, offset: items.length })\n    if (!page.items.length) break\n    items.push(...page.items)\n  }\n  return items']],
    },
    wrong: {
      'the first page': [['(page) => page.items)', '(page) => page.items).slice(0, first.limit)']],
      'more pages at the old places': [['first.total / limit', 'first.total / first.limit']],
      'twice what overlaps': [['first.total / limit', 'first.total / 1'], ['(i + 1) * limit)', 'i + 1)']],
    },
  }, {
    name: 'nobody-is-named',
    happened: 'added_by is null: who put a track onto the playlist is told to its owner only',
    tells: ['added_by'],
    lost: true,
    api: { [T]: (f, q) => page(f, q, (e) => ({ ...entry(e), added_by: null })) },
    wrong: {
      'somebody': [['e.added_by.display_name || e.added_by.id', "e.added_by?.display_name || e.added_by?.id || 'Somebody'"]],
      'left out': [['!seen.has(e.track.id))', '!seen.has(e.track.id) && e.added_by !== null)']],
      'the name of the artist': [['e.added_by.display_name || e.added_by.id', 'e.added_by ? e.added_by.display_name || e.added_by.id : e.track.artists[0].name']],
    },
  }],
};
