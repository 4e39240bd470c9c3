import { z } from 'zod';

const Hour = z.object({ localtime: z.string(), price: z.number().nullable(), usage: z.coerce.number().default(0) });
const Spot = z.object({ data: z.record(z.string(), Hour), meta: z.object({ unit: z.literal('öre'), vat: z.boolean().optional() }) });
type Hour = z.infer<typeof Hour>;

const Facility = z.object({ id: z.number(), street: z.string(), active: z.boolean().default(true) });

async function load<S extends z.ZodType>(path: string, schema: S): Promise<z.infer<S>> {
  const res = await fetch(`https://grid.example/v3${path}`, { headers: { Authorization: 'JWT ' + secret('GRID_TOKEN') } });
  if (!res.ok) throw new Error(`${path}: ${res.status}`);
  return schema.parse(await res.json());
}

const round = (n: number) => Math.round(n * 100) / 100;

interface Day { facility: string; kwh: number; cost: number; dearest: string | null; missing: number }

function summarize(street: string, hours: Hour[]): Day {
  const priced = hours.filter((h): h is Hour & { price: number } => h.price !== null);
  const dearest = priced.reduce<(Hour & { price: number }) | null>((top, h) => (top && top.price >= h.price ? top : h), null);
  return {
    facility: street,
    kwh: round(hours.reduce((n, h) => n + h.usage, 0)),
    cost: round(priced.reduce((n, h) => n + (h.usage * h.price) / 1000 / 100, 0)),
    dearest: dearest?.localtime.slice(11, 16) ?? null,
    missing: hours.length - priced.length,
  };
}

export default async function meterDay({ day }: { day: string }) {
  const facilities = await load('/facilities', z.array(Facility));
  const days: Day[] = [];
  for (const { id, street } of facilities.filter((f) => f.active)) {
    const { data } = await load(`/facilities/${id}/spot?day=${day}`, Spot);
    const hours = Object.entries(data).sort(([a], [b]) => Number(a) - Number(b)).map(([, h]) => h);
    if (hours.length) days.push(summarize(street, hours));
  }
  for (const d of days) await files.append('usage.ndjson', JSON.stringify({ day, ...d }) + '\n');
  const cost = round(days.reduce((n, d) => n + d.cost, 0));
  const month = `cost/${day.slice(0, 7)}`;
  const so_far = round(((await kv.get(month)) ?? 0) + cost);
  await kv.set(month, so_far);
  if (cost > 5) await notify('A dear day', days.map((d) => `${d.facility}: ${d.kwh} kWh, ${d.cost} kr, dearest at ${d.dearest}`).join('\n'));
  return { cost, so_far };
}
