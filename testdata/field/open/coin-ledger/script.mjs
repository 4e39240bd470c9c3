import { Decimal } from 'decimal.js';
import { z } from 'zod';

// What the wallet is worth, by the prices of the day, in euros.
const Quote = z.object({ symbol: z.string(), quote: z.object({ EUR: z.object({ price: z.number(), percent_change_24h: z.number().nullable() }) }) });
const Answer = z.object({ status: z.object({ error_code: z.number() }), data: z.record(z.string(), z.any()) });

const prices = async (symbols) => {
  const url = new URL('https://coins.example/v1/cryptocurrency/quotes/latest');
  url.searchParams.set('symbol', symbols.join(','));
  url.searchParams.set('convert', 'EUR');
  const response = await fetch(url.toString(), { headers: { 'X-API-KEY': process.env.COINS_KEY } });
  if (!response.ok) throw new Error(`quotes: ${response.status}`);
  const { status, data } = Answer.parse(await response.json());
  if (status.error_code !== 0) throw new Error(`quotes: error ${status.error_code}`);
  return symbols.map((symbol) => Quote.parse(data[symbol]));
};

const wallet = async () => {
  const response = await fetch('https://wallet.example/api/balances');
  if (!response.ok) throw new Error(`wallet: ${response.status}`);
  const { balances } = await response.json();
  return balances.filter(({ free, locked = '0' }) => !new Decimal(free).plus(locked).isZero());
};

export default async function value({ alarm = 8 } = {}) {
  const balances = await wallet();
  if (balances.length === 0) return { worth: '0.00', coins: 0 };
  const quotes = await prices([...new Set(balances.map((b) => b.asset))].sort());
  const rows = quotes.map(({ symbol, quote: { EUR } }) => {
    const amount = balances.filter((b) => b.asset === symbol).reduce((sum, { free, locked = '0' }) => sum.plus(free).plus(locked), new Decimal(0));
    return { symbol, amount: amount.toString(), eur: amount.times(EUR.price), change: EUR.percent_change_24h ?? 0 };
  });
  const worth = rows.reduce((sum, row) => sum.plus(row.eur), new Decimal(0));
  const wild = rows.filter((row) => Math.abs(row.change) >= alarm);
  if (wild.length) await notify('Coins move', wild.map((row) => `${row.symbol} ${row.change > 0 ? '+' : ''}${row.change.toFixed(1)} %`).join(', '));
  await files.append('worth.csv', rows.map((row) => [row.symbol, row.amount, row.eur.toFixed(2)].join(',')).join('\n') + '\n');
  await kv.set('worth', worth.toFixed(2));
  return { worth: worth.toFixed(2), coins: rows.length };
}
