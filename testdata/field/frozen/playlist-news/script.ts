type Artist = { id: string; name: string }
type Track = { id: string; name: string; artists: Artist[]; album: { name: string; release_date: string }; duration_ms: number; is_local?: boolean }
type Entry = { added_at: string | null; added_by: { id: string; display_name?: string | null }; track: Track | null }
type Paged<T> = { items: T[]; total: number; limit: number; offset: number }

const api = async <T>(path: string, query: Record<string, string | number> = {}): Promise<T> => {
  const url = new URL('https://music.example/v1' + path)
  Object.entries(query).forEach(([k, v]) => url.searchParams.set(k, String(v)))
  const res = await fetch(url.toString(), { headers: { Authorization: `Bearer ${process.env.MUSIC_TOKEN}` } })
  if (!res.ok) throw new Error(`${res.status} on ${path}`)
  return res.json()
}

async function allPages<T>(path: string, limit = 3): Promise<T[]> {
  const first = await api<Paged<T>>(path, { limit, offset: 0 })
  const offsets = Array.from({ length: Math.max(0, Math.ceil(first.total / limit) - 1) }, (_, i) => (i + 1) * limit)
  const others = await Promise.all(offsets.map((offset) => api<Paged<T>>(path, { limit, offset })))
  return [first, ...others].flatMap((page) => page.items)
}

const clock = (ms: number) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`

interface Playlist { name: string; tracks: { total: number } }

const main = async ({ playlist }: { playlist: string }) => {
  const { name, tracks: { total } } = await api<Playlist>(`/playlists/${playlist}`)
  const entries = await allPages<Entry>(`/playlists/${playlist}/tracks`)
  const seen = new Set<string>((await kv.get(`seen:${playlist}`)) ?? [])
  const fresh = entries.filter((e): e is Entry & { track: Track } => e.track !== null && !e.track.is_local && !seen.has(e.track.id))
  const byPerson = fresh.reduce((map, e) => {
    const who = e.added_by.display_name || e.added_by.id
    return map.set(who, [...(map.get(who) ?? []), `${e.track.artists.map((a) => a.name).join(', ')} – ${e.track.name} (${e.track.album.release_date.slice(0, 4)}, ${clock(e.track.duration_ms)})`])
  }, new Map<string, string[]>())
  for (const [who, lines] of [...byPerson].sort(([a], [b]) => a.localeCompare(b))) {
    await notify(`${who} added to ${name}`, lines.join('\n'))
  }
  await kv.set(`seen:${playlist}`, entries.flatMap((e) => (e.track ? [e.track.id] : [])))
  return { total, fresh: fresh.length, minutes: Math.round(fresh.reduce((n, e) => n + e.track.duration_ms, 0) / 60000) }
}

export default main
