type Ref = { kind: string; name: string; namespace?: string };
interface Event {
  metadata: { name: string; resourceVersion: string };
  involvedObject: Ref;
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  count?: number | null;
  lastTimestamp: string;
  source: { component: string; host?: string };
}
interface List<T> { metadata: { continue?: string; resourceVersion: string }; items: T[] }

const CLUSTER = 'https://cluster.example/api/v1';
const headers = { Authorization: `Bearer ${secret('CLUSTER_TOKEN')}`, Accept: 'application/json' };

async function get<T>(url: URL): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const res = await fetch(url.href, { headers });
    if (res.ok) return (await res.json()) as T;
    if (res.status < 500 || attempt >= 2) throw new Error(`${url.pathname}: ${res.status}`);
    await new Promise((go) => setTimeout(go, 250 << attempt));
  }
}

async function all<T>(resource: string): Promise<T[]> {
  const items: T[] = [];
  let token: string | undefined;
  do {
    const url = new URL(`${CLUSTER}/${resource}`);
    url.searchParams.set('limit', '3');
    if (token) url.searchParams.set('continue', token);
    const list: List<T> = await get(url);
    items.push(...list.items);
    token = list.metadata.continue;
  } while (token);
  return items;
}

const where = ({ kind, namespace = 'cluster', name }: Ref) => `${namespace}/${kind.toLowerCase()}/${name}`;

async function handler(): Promise<{ warnings: number; objects: string[] }> {
  const last: string = (await kv.get('last')) || '';
  const fresh = (await all<Event>('events')).filter((e) => e.type === 'Warning' && e.lastTimestamp > last);
  const groups = new Map<string, Event[]>();
  for (const e of fresh) {
    const key = where(e.involvedObject);
    groups.set(key, [...(groups.get(key) ?? []), e]);
  }
  for (const [object, events] of groups) {
    const times = events.reduce((n, e) => n + (e.count ?? 1), 0);
    const res = await fetch('https://chat.example/webhooks/cluster', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: `${object}: ${times}x`, text: events.map((e) => `[${e.reason}] ${e.message.trim()}`).join('\n'), from: [...new Set(events.map((e) => e.source.component))] }),
    });
    if (!res.ok) throw new Error(`chat: ${res.status}`);
  }
  if (fresh.length) await kv.set('last', fresh.map((e) => e.lastTimestamp).sort().at(-1));
  return { warnings: fresh.length, objects: [...groups.keys()].sort() };
}

export { handler as default };
