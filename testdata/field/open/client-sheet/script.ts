interface Client { id: number; name: string }
interface Project { id: number; cid?: number; name: string; billable: boolean; rate?: number }
interface Entry { pid?: number; start: string; duration: number; tags?: string[] }
interface Me { data: { fullname: string; timezone: string; clients?: Client[]; projects: Project[] } }
type Row = { hours: number; cents: number; days: Set<string> };

const API = 'https://track.example/api';
const auth = () => ({ Authorization: 'Basic ' + btoa(`${process.env.TRACK_TOKEN}:api_token`) });

async function request<T>(path: string, params?: Record<string, string>): Promise<T> {
  const query = params ? '?' + new URLSearchParams(params) : '';
  const res = await fetch(`${API}${path}${query}`, { headers: auth() });
  if (!res.ok) throw new Error(`${path}: ${res.status}`);
  return res.json();
}

const quarters = (seconds: number): number => Math.ceil(seconds / 900) / 4;

class Sheet {
  private rows: Record<string, Row> = {};
  running = 0;

  constructor(private projects: Map<number, Project>, private clients: Map<number, string>, private zone: string) {}

  private keyOf(project?: Project): string {
    if (!project) return 'internal / no project';
    return `${(project.cid && this.clients.get(project.cid)) || 'internal'} / ${project.name}`;
  }

  add({ pid, duration, start, tags = [] }: Entry) {
    if (duration < 0) return void this.running++;
    const project = pid === undefined ? undefined : this.projects.get(pid);
    const row = (this.rows[this.keyOf(project)] ??= { hours: 0, cents: 0, days: new Set() });
    const hours = quarters(duration);
    row.hours += hours;
    if (project?.billable && !tags.includes('free')) row.cents += Math.round(hours * (project.rate ?? 8000));
    row.days.add(new Date(start).toLocaleDateString('en-CA', { timeZone: this.zone }));
  }

  table = () => Object.entries(this.rows).sort(([a], [b]) => (a < b ? -1 : 1)).map(([project, r]) => ({ project, hours: r.hours, amount: (r.cents / 100).toFixed(2), days: r.days.size }));
}

export default async ({ from, to }: { from: string; to: string }) => {
  const [{ data: me }, entries] = await Promise.all([request<Me>('/me', { with_related_data: 'true' }), request<Entry[]>('/time_entries', { start_date: from, end_date: to })]);
  const sheet = new Sheet(new Map(me.projects.map((p) => [p.id, p])), new Map((me.clients ?? []).map((c) => [c.id, c.name])), me.timezone);
  entries.forEach((e) => sheet.add(e));
  const rows = sheet.table();
  await web.postJSON('https://books.example/timesheets', { person: me.fullname, from, to, rows });
  if (sheet.running) await notify('A timer runs', `${sheet.running} of ${from}`);
  return { rows: rows.length, amount: rows.reduce((n, r) => n + Number(r.amount), 0).toFixed(2) };
};
