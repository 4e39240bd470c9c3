interface Entry { id: number; pid?: number; duration: number; description: string | null; tags: string[] }
interface Project { id: number; name: string; active: boolean }

const BASE = 'https://api.timer.example/api/v8';

async function get<T>(path: string): Promise<T> {
  const res = await fetch(BASE + path, { headers: { Authorization: `Basic ${btoa(process.env.TIMER_TOKEN + ':api_token')}` } });
  if (!res.ok) throw new Error(`${path} answered ${res.status}`);
  return (await res.json()) as T;
}

const hours = (seconds: number): string => (seconds / 3600).toFixed(2);

export default async function weeklyHours({ since }: { since: string }) {
  const [entries, projects] = await Promise.all([
    get<Entry[]>(`/time_entries?start_date=${encodeURIComponent(since)}`),
    get<Project[]>('/projects'),
  ]);
  const names = new Map<number, string>(projects.map((p) => [p.id, p.name]));
  const totals = new Map<string, number>();
  for (const e of entries) {
    if (e.duration < 0) continue; // still running
    const name = e.pid ? names.get(e.pid) ?? 'unknown project' : 'no project';
    totals.set(name, (totals.get(name) ?? 0) + e.duration);
  }
  const rows = [...totals].sort(([, a], [, b]) => b - a);
  const text = rows.map(([name, seconds]) => `${name}: ${hours(seconds)} h`).join('\n');
  const res = await fetch('https://chat.example/hooks/hours', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ text: text || 'Nothing was tracked.' }),
  });
  if (!res.ok) throw new Error(`chat answered ${res.status}`);
  return { rows: rows.length, seconds: rows.reduce((n, [, s]) => n + s, 0) };
}
