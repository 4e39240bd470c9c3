import { stringify } from 'kintsugi:csv'

type Meta = { key: string; value: string }
interface LineItem<M = Meta[]> { sku: string | null; name: string; quantity: number; total: string; meta: M }
interface Order { id: number; number: string; status: string; currency: string; total: string; date_created: string; customer_id: number; billing: { first_name: string; last_name: string; country: string }; line_items: LineItem[] }
interface Customer { id: number; role: string; orders_count: number }

const SHOP = 'https://shop.example/wp-json/wc/v1'

async function pages<T>(resource: string, query: Record<string, string>): Promise<T[]> {
  const load = async (page: number): Promise<[T[], number]> => {
    const res = await fetch(`${SHOP}/${resource}?${new URLSearchParams({ ...query, per_page: '2', page: `${page}` })}`)
    if (!res.ok) throw new Error(`${resource}, page ${page}: ${res.status}`)
    return [await res.json(), Number(res.headers.get('X-WP-TotalPages'))]
  }
  const [first, total] = await load(1)
  const rest: T[][] = []
  for (let page = 2; page <= total; page++) rest.push((await load(page))[0])
  return [first, ...rest].flat()
}

const size = (item: LineItem) => item.meta.find((m) => m.key === 'pa_size')?.value.toUpperCase() ?? ''

function* lines(orders: Order[], customers: Map<number, Customer>) {
  for (const o of orders) {
    const known = customers.get(o.customer_id)
    for (const item of o.line_items) {
      yield {
        order: o.number,
        date: o.date_created.slice(0, 10),
        name: `${o.billing.first_name} ${o.billing.last_name}`.trim(),
        country: o.billing.country,
        kind: known ? (known.orders_count > 1 ? 'regular' : 'new') : 'guest',
        sku: item.sku || 'no sku',
        size: size(item),
        pieces: item.quantity,
        amount: Number(item.total).toFixed(2),
      }
    }
  }
}

async function run({ day }: { day: string }): Promise<{ file: string | null; amount: string }> {
  const [orders, customers] = [await pages<Order>('orders', { after: `${day}T00:00:00`, status: 'processing' }), await pages<Customer>('customers', { role: 'all' })]
  const rows = [...lines(orders, new Map(customers.map((c) => [c.id, c])))]
  if (rows.length === 0) return { file: null, amount: '0.00' }
  const file = `exports/orders-${day}.csv`
  await files.write(file, stringify(rows))
  const amount = rows.reduce((n, r) => n + Math.round(Number(r.amount) * 100), 0) / 100
  const upload = await fetch(`https://storage.example/upload/${day}.csv`, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: await files.read(file) })
  if (upload.status >= 300) throw new Error(`upload: ${upload.status}`)
  return { file, amount: amount.toFixed(2) }
}

export { run as main }
