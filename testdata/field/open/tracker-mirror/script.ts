type State = 'open' | 'closed';
type Issue = { key: string; title: string; state: State; updated_at: string; reporter: { login: string }; labels: string[] };
type Page = { issues: Issue[]; next: number | null };

const SOURCE = 'https://issues.alpha.example/api';
const TARGET = 'https://tracker.beta.example/projects/mirror/issues';

async function send(method: 'POST' | 'PATCH', url: string, payload: object): Promise<{ number: number }> {
  const res = await fetch(url, { method, headers: { 'content-type': 'application/json', authorization: `token ${process.env.BETA_TOKEN}` }, body: JSON.stringify(payload) });
  if (!res.ok) throw new Error(`beta answered ${res.status} to ${method}`);
  return res.json();
}

async function* changedSince(since: string): AsyncGenerator<Issue> {
  for (let page: number | null = 1; page !== null; ) {
    const res: Response = await fetch(`${SOURCE}/issues?since=${encodeURIComponent(since)}&page=${page}&sort=updated`);
    if (res.status === 304) return;
    if (!res.ok) throw new Error(`alpha answered ${res.status}`);
    const body: Page = await res.json();
    yield* body.issues;
    page = body.next;
  }
}

const mirrored = ({ key, title, state, reporter, labels }: Issue) => ({
  title: `[${key}] ${title}`,
  body: `Reported by ${reporter.login.toLowerCase()}`,
  state,
  ...(labels.length > 0 && { tags: [...labels].sort() }),
});

export async function mirror() {
  const cursor = ((await kv.get('cursor')) ?? '') as string;
  const map = ((await kv.get('map')) ?? {}) as Record<string, number>;
  const count: Record<State, number> = { open: 0, closed: 0 };
  let last = cursor;
  for await (const issue of changedSince(cursor)) {
    const payload = mirrored(issue);
    if (issue.key in map) {
      await send('PATCH', `${TARGET}/${map[issue.key]}`, payload);
    } else if (issue.state === 'open') {
      map[issue.key] = (await send('POST', TARGET, payload)).number;
      await kv.set('map', map);
    }
    count[issue.state]++;
    if (issue.updated_at > last) last = issue.updated_at;
  }
  if (last !== cursor) await kv.set('cursor', last);
  return { ...count, known: Object.keys(map).length };
}

export default mirror;
