enum Kind { Goods = 'goods', Service = 'service' }
interface Job { ref: string; customer: string; kind: Kind; minutes?: number; minor: number; vat: number | null }

const money = (minor: number): string => `${Math.trunc(minor / 100)}.${String(Math.abs(minor % 100)).padStart(2, '0')}`;

export default async function invoices(): Promise<string[]> {
  const jobs = (await web.getJSON('BASE/jobs?billed=false')) as Job[];
  let number = ((await kv.get('number')) as number) ?? 1000;
  const made: string[] = [];
  for (const job of jobs) {
    number += 1;
    const vat = Math.round(job.minor * (job.vat ?? 0.19));
    const text = [`Invoice ${number}`, job.customer, `${job.ref}: ${job.kind === Kind.Service ? `${job.minutes ?? 0} min` : 'goods'}`, `net ${money(job.minor)}`, `vat ${money(vat)}`, `gross ${money(job.minor + vat)}`].join('\n');
    await files.write(`invoices/${number}.txt`, text + '\n');
    const sent = await fetch('BASE/jobs/' + job.ref + '/billed', { method: 'POST', body: JSON.stringify({ number, gross: job.minor + vat }), headers: { 'content-type': 'application/json' } });
    if (!sent.ok) throw new Error(`job ${job.ref}: ${sent.status}`);
    await kv.set('number', number);
    made.push(String(number));
  }
  return made;
}
