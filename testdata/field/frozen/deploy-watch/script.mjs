const wait = (ms) => new Promise((done) => setTimeout(done, ms));

class Api {
  #token;
  constructor(base, token) {
    this.base = base;
    this.#token = token;
  }

  async get(path, query = {}) {
    let error;
    for (const pause of [0, 200, 800]) {
      await wait(pause);
      const res = await fetch(`${this.base}${path}?${new URLSearchParams(query)}`, { headers: { Authorization: `Bearer ${this.#token}` } });
      if (res.ok) return res.json();
      error = Object.assign(new Error(`${path}: HTTP ${res.status}`), { status: res.status });
      if (res.status < 500) break;
    }
    throw error;
  }
}

class Deployments extends Api {
  constructor() {
    super('https://host.example', process.env.HOST_TOKEN);
  }

  async *[Symbol.asyncIterator]() {
    const since = (await kv.get('seen-until')) ?? 0;
    let until;
    do {
      const { deployments, pagination } = await this.get('/v6/deployments', { limit: 2, since, ...(until && { until }) });
      yield* deployments;
      until = pagination.next;
    } while (until);
  }

  project(id) {
    return this.get(`/v9/projects/${id}`);
  }
}

const seconds = ({ buildingAt, ready }) => (buildingAt && ready ? Math.round((ready - buildingAt) / 1000) : null);

const icons = { READY: '✅', ERROR: '❌', CANCELED: '⏹' };

export default async function watch() {
  const api = new Deployments();
  const names = {};
  const stats = {};
  let newest = (await kv.get('seen-until')) ?? 0;
  const messages = [];
  for await (const d of api) {
    newest = Math.max(newest, d.created + 1);
    if (!(d.state in icons)) continue;
    names[d.projectId] ??= (await api.project(d.projectId)).name;
    const name = names[d.projectId];
    const stat = (stats[name] ??= { ready: 0, failed: 0, seconds: [] });
    if (d.state === 'READY') stat.ready++;
    if (d.state === 'ERROR') stat.failed++;
    const took = seconds(d);
    if (took !== null) stat.seconds.push(took);
    if (d.target === 'production') messages.push(`${icons[d.state]} ${name} by ${d.creator.username}: ${d.meta.githubCommitMessage?.split('\n')[0] ?? 'no message'}${took === null ? '' : ` (${took} s)`} https://${d.url}`);
  }
  for (const text of messages.reverse()) {
    const res = await fetch('https://chat.example/rooms/deploys', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text }) });
    if (!res.ok) throw new Error(`chat: ${res.status}`);
  }
  await kv.set('seen-until', newest);
  const mean = (list) => (list.length ? Math.round(list.reduce((a, b) => a + b) / list.length) : null);
  return Object.entries(stats).map(([name, s]) => ({ name, ready: s.ready, failed: s.failed, mean: mean(s.seconds) })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
