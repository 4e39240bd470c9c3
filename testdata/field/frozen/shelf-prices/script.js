import { parse } from 'kintsugi:html'

const SHELF = 'https://market.example/shelf/tea'

export default async function watch() {
  const html = await fetch(SHELF).then(r => { if (!r.ok) throw Error('shelf ' + r.status); return r.text() })
  const before = await kv.get('prices') || {}
  const now = {}
  const changed = []
  for (const card of parse(html).querySelectorAll('li.product')) {
    const name = card.querySelector('.name').textContent.trim()
    const shown = card.querySelector('.price').textContent
    const price = parseFloat(shown.replace('€', '').replace(',', '.').trim())
    now[name] = price
    if (before[name] !== undefined && before[name] !== price) changed.push({ name, from: before[name], to: price })
  }
  await kv.set('prices', now)
  if (changed.length) {
    await notify('Prices changed', changed.map(c => `${c.name}: ${c.from} -> ${c.to}`).join('\n'))
    await files.append('changes.ndjson', changed.map(c => JSON.stringify(c)).join('\n') + '\n')
  }
  return Object.keys(now).length
}
