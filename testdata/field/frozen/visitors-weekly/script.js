// top-level script: weekly visitors by page and by country, posted as a table
const api = 'https://stats.example/v4/report'

async function ask(dimension) {
  const res = await fetch(api, {
    method: 'POST',
    effect: 'read',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ dimension, metric: 'visitors', week: input.week }),
  })
  if (!res.ok) throw new Error(`report ${dimension}: HTTP ${res.status}`)
  const { rows = [], totals } = await res.json()
  return { rows: rows.map(([name, visitors]) => ({ name, visitors })), total: totals[0] }
}

const [pages, countries] = [await ask('page'), await ask('country')]
const top = pages.rows.filter((p) => !p.name.startsWith('/admin')).sort((a, b) => b.visitors - a.visitors).slice(0, 3)
const share = countries.rows.map((c) => `${c.name} ${Math.round((c.visitors / countries.total) * 100)} %`)

if (top.length > 0) {
  const answer = await fetch('https://wiki.example/pages/traffic', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ week: input.week, visitors: pages.total, top: top.map((p) => [p.name, p.visitors]), share }),
  })
  if (answer.status !== 200) throw new Error('wiki said ' + answer.status)
}
await files.append('traffic.log', `${input.week} ${pages.total}\n`)
