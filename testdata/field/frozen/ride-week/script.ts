export interface Activity {
  id: number
  name: string
  type: string
  distance: number
  moving_time: number
  total_elevation_gain: number
  start_date: string
  start_date_local: string
  start_latitude: number | null
  start_longitude: number | null
  gear_id: string | null
}

type Totals = { rides: number; km: number; hours: number; climb: number }
type Keyed<T, K extends keyof T> = T[K] extends string | null ? K : never

const groupBy = <T, K extends keyof T>(list: readonly T[], key: K & Keyed<T, K>): Map<T[K], T[]> =>
  list.reduce((map, item) => {
    const group = map.get(item[key])
    if (group) group.push(item)
    else map.set(item[key], [item])
    return map
  }, new Map<T[K], T[]>())

const sum = <T>(list: T[], of: (item: T) => number): number => list.reduce((n, item) => n + of(item), 0)

const totals = (list: Activity[]): Totals => ({
  rides: list.length,
  km: Math.round(sum(list, (a) => a.distance) / 100) / 10,
  hours: Math.round(sum(list, (a) => a.moving_time) / 360) / 10,
  climb: Math.round(sum(list, (a) => a.total_elevation_gain)),
})

async function activities(after: number): Promise<Activity[]> {
  const found: Activity[] = []
  for (let page = 1; ; page += 1) {
    const response = await fetch(`https://rides.example/api/v3/athlete/activities?after=${after}&page=${page}&per_page=3`, {
      headers: { Authorization: 'Bearer ' + process.env.RIDES_TOKEN },
    })
    if (!response.ok) throw new Error(`rides: ${response.status}`)
    const list: Activity[] = await response.json()
    if (!list.length) return found
    found.push(...list)
  }
}

const home = { lat: 52.5, lng: 13.4 }
const fromHome = (a: Activity) => a.start_latitude !== null && a.start_longitude !== null && Math.abs(a.start_latitude - home.lat) < 0.05 && Math.abs(a.start_longitude - home.lng) < 0.05

export const handler = async ({ slot, types = ['Ride', 'Run'] }: { slot: string; types?: string[] }) => {
  const after = Date.parse(slot) / 1000 - 7 * 86400
  const list = (await activities(after)).filter((a) => types.includes(a.type))
  const byType = groupBy(list, 'type')
  const lines = [...byType].sort(([a], [b]) => a.localeCompare(b)).map(([type, items]) => {
    const { rides, km, hours, climb } = totals(items)
    return `${type}: ${rides} x, ${km} km, ${hours} h, ${climb} m up, ${items.filter(fromHome).length} from home`
  })
  const days = new Set(list.map((a) => a.start_date_local.slice(0, 10)))
  const wear = (await kv.get('wear')) ?? {}
  for (const [gear, items] of groupBy(list, 'gear_id')) if (gear) wear[gear] = Math.round((wear[gear] ?? 0) + sum(items, (a) => a.distance))
  await kv.set('wear', wear)
  if (lines.length) await web.postJSON('https://club.example/api/posts', { title: `Week to ${slot.slice(0, 10)}`, body: lines.join('\n'), days: days.size })
  return { lines, days: [...days].sort() }
}

export default handler
