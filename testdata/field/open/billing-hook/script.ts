// Events of the billing service: keeps who pays for what, and tells sales of what went wrong.
interface Line { id: string; amount: number; quantity: number; price: { id: string; product: string } | null; period: { start: number; end: number } }
interface Invoice { object: 'invoice'; id: string; customer: string; customer_email: string | null; subscription: string | null; currency: string; total: number; amount_paid: number; attempt_count: number; lines: { data: Line[] } }
interface Subscription { object: 'subscription'; id: string; customer: string; status: string; current_period_end: number; cancel_at_period_end: boolean }
type BillingEvent = { id: string; created: number; type: string; data: { object: Invoice | Subscription | { object: string } } };

const ZERO_DECIMAL = new Set(['jpy', 'krw', 'clp']);
const money = (amount: number, currency: string): string => (ZERO_DECIMAL.has(currency) ? String(amount) : (amount / 100).toFixed(2)) + ' ' + currency.toUpperCase();
const day = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

async function crm(path: string, body: Record<string, unknown>): Promise<void> {
  const res = await fetch(`https://crm.example/api/${path}`, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  if (!res.ok) throw new Error(`CRM: ${res.status} for ${path}`);
}

async function paid(invoice: Invoice) {
  if (invoice.subscription === null) return `one-off ${money(invoice.total, invoice.currency)}`;
  const until = Math.max(...invoice.lines.data.map((l) => l.period.end));
  const plans = invoice.lines.data.filter((l) => l.price).map((l) => `${l.quantity} x ${l.price!.id}`);
  await crm(`customers/${invoice.customer}`, { subscription: invoice.subscription, plans, paidUntil: day(until), lastAmount: money(invoice.amount_paid, invoice.currency) });
  await kv.set(`sub:${invoice.subscription}`, { customer: invoice.customer, plans });
  return `${invoice.subscription} until ${day(until)}`;
}

async function failed(invoice: Invoice) {
  const who = invoice.customer_email ?? invoice.customer;
  if (invoice.attempt_count >= 2) await notify('A payment fails', `${who} owes ${money(invoice.total - invoice.amount_paid, invoice.currency)} for ${invoice.subscription ?? 'an invoice'}`);
  return `attempt ${invoice.attempt_count} of ${who}`;
}

async function ended({ id, customer, cancel_at_period_end, current_period_end }: Subscription) {
  if (!cancel_at_period_end) return 'goes on';
  const known = (await kv.get(`sub:${id}`)) as { plans: string[] } | null;
  await crm(`customers/${customer}`, { leaves: day(current_period_end), plans: known?.plans ?? [] });
  return `${customer} leaves on ${day(current_period_end)}`;
}

export default async function billing({ type, data: { object } }: BillingEvent) {
  if (type === 'invoice.paid') return paid(object as Invoice);
  if (type === 'invoice.payment_failed') return failed(object as Invoice);
  if (type === 'customer.subscription.updated') return ended(object as Subscription);
  return `ignored ${type}`;
}
