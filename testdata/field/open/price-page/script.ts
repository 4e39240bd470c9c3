import { parse } from 'kintsugi:html';

type Offer = { name: string; cents: number; stock: boolean };

const cents = (text: string): number => {
  const [, whole, part] = /([\d.]+),(\d\d)/.exec(text) as RegExpExecArray;
  return Number(whole.replace(/\./g, '')) * 100 + Number(part);
};

async function offers(): Promise<Offer[]> {
  const res = await fetch('https://store.example/category/lamps');
  if (!res.ok) throw new Error(`store: ${res.status}`);
  return parse(await res.text()).querySelectorAll('.product').map((el) => ({
    name: el.querySelector('h2')!.textContent.trim(),
    cents: cents(el.querySelector('.price')!.textContent),
    stock: el.querySelector('.sold-out') === null,
  }));
}

const main = async () => {
  const known = ((await kv.get('prices')) ?? {}) as Record<string, number>;
  const list = await offers();
  const cheaper = list.filter((o) => o.stock && o.cents < (known[o.name] ?? 0));
  for (const o of cheaper) await notify(`${o.name} is cheaper`, `${(known[o.name] / 100).toFixed(2)} -> ${(o.cents / 100).toFixed(2)}`);
  await kv.set('prices', { ...known, ...Object.fromEntries(list.map((o) => [o.name, o.cents])) });
  return { offers: list.length, cheaper: cheaper.map((o) => o.name) };
};

export { main as default };
