import { Decimal } from 'decimal.js';

/** Payments of the till, as one posting for each kind of card or cash in the books. */
type Cents = { amount: number; currency_code: string };
interface Tender { type: string; total_money: Cents; refunded_money?: Cents | null }
interface Payment { id: string; created_at: string; tender: Tender[]; processing_fee_money: Cents; tip_money?: Cents }

const EXPONENTS: Record<string, number> = { JPY: 0, EUR: 2, USD: 2 };
const till = 'https://till.example';

const nextLink = (header: string | null): string | undefined =>
  header?.split(',').map((part) => part.split(';')).find(([, rel]) => rel?.trim() === "rel='next'")?.[0].trim().slice(1, -1);

async function list<T>(first: string): Promise<T[]> {
  const rows: T[] = [];
  for (let url: string | undefined = first; url;) {
    const response: Response = await fetch(url, { headers: { authorization: `Bearer ${process.env.TILL_TOKEN}` } });
    if (!response.ok) throw new Error(`till: ${response.status} ${await response.text()}`);
    rows.push(...((await response.json()) as T[]));
    url = nextLink(response.headers.get('link'));
  }
  return rows;
}

const major = ({ amount, currency_code }: Cents): Decimal => new Decimal(amount).div(10 ** (EXPONENTS[currency_code] ?? 2));

function totals(payments: Payment[]): Map<string, { gross: Decimal; count: number }> {
  const map = new Map<string, { gross: Decimal; count: number }>();
  for (const { tender } of payments) {
    for (const t of tender) {
      const refunded = t.refunded_money ? major(t.refunded_money) : new Decimal(0);
      const { gross, count } = map.get(t.type) ?? { gross: new Decimal(0), count: 0 };
      map.set(t.type, { gross: gross.plus(major(t.total_money)).minus(refunded), count: count + 1 });
    }
  }
  return map;
}

export default async function book({ day, location }: { day: string; location: string }) {
  const payments = await list<Payment>(`${till}/v1/${location}/payments?begin_time=${day}T00:00:00Z&limit=2`);
  const fees = payments.reduce((sum, p) => sum.plus(major(p.processing_fee_money)), new Decimal(0));
  const tips = payments.reduce((sum, p) => sum.plus(p.tip_money ? major(p.tip_money) : 0), new Decimal(0));
  for (const [type, { gross, count }] of totals(payments)) {
    await web.postJSON('https://books.example/api/postings', { day, account: type === 'CASH' ? '1600' : '1360', text: `${count} x ${type}`, amount: gross.toFixed(2) });
  }
  if (!fees.isZero()) await web.postJSON('https://books.example/api/postings', { day, account: '4970', text: 'fees', amount: fees.abs().toFixed(2) });
  await kv.set(`booked/${day}`, payments.map((p) => p.id));
  return { payments: payments.length, tips: tips.toFixed(2) };
}
