// Keeps board B like board A. What was copied is known by its key.
interface Card { key: string; title: string; done: boolean; changed: string; by?: { name: string } | null }
const A = 'BASE/a', B = 'BASE/b';

async function* since(cursor: string): AsyncGenerator<Card> {
  for (let page: number | null = 1; page !== null; ) {
    const answer = await fetch(`${A}/cards?since=${encodeURIComponent(cursor)}&page=${page}`);
    if (!answer.ok) throw new Error(`A answered ${answer.status}: ${await answer.text()}`);
    const body = (await answer.json()) as { cards: Card[]; next: number | null };
    yield* body.cards;
    page = body.next;
  }
}

async function send(method: string, path: string, body: unknown): Promise<any> {
  const answer = await fetch(B + path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`B answered ${answer.status}`);
  return answer.json();
}

export default async function () {
  const cursor = ((await kv.get('cursor')) as string | null) ?? '';
  const copies: Record<string, string> = ((await kv.get('copies')) as any) ?? {};
  let created = 0, updated = 0, last = cursor;
  for await (const card of since(cursor)) {
    const body = { title: `${card.key} ${card.title}`, note: card.by ? `by ${card.by.name.toUpperCase()}` : 'by nobody', done: card.done };
    if (copies[card.key]) {
      await send('PATCH', '/cards/' + copies[card.key], body);
      updated++;
    } else {
      copies[card.key] = (await send('POST', '/cards', body)).id;
      await kv.set('copies', copies);
      created++;
    }
    if (card.changed > last) last = card.changed;
  }
  await kv.set('cursor', last);
  return { created, updated, last };
}
