interface Incident { id: string; number: number; title: string; urgency: 'high' | 'low'; service: { summary: string }; assignees: Array<{ summary: string }> }
type Message = { event: 'incident.trigger' | 'incident.acknowledge' | 'incident.resolve' | string; incident: Incident; created_on: string };

const icons: Record<string, string> = { 'incident.trigger': '!', 'incident.acknowledge': '~', 'incident.resolve': '+' };

async function describe({ event, incident, created_on }: Message): Promise<string | undefined> {
  const opened = `open:${incident.id}`;
  switch (event) {
    case 'incident.trigger':
      await kv.set(opened, created_on);
      return `${icons[event]} #${incident.number} ${incident.title} [${incident.service.summary}] for ${incident.assignees.map((a) => a.summary).join(', ') || 'nobody'}`;
    case 'incident.acknowledge':
      return incident.urgency === 'high' ? `${icons[event]} #${incident.number} is looked at` : undefined;
    case 'incident.resolve': {
      const since = (await kv.get(opened)) as string | null;
      await kv.delete(opened);
      const minutes = since ? Math.round((Date.parse(created_on) - Date.parse(since)) / 60000) : null;
      return `${icons[event]} #${incident.number} is over${minutes === null ? '' : ` after ${minutes} min`}`;
    }
  }
}

export default async ({ messages }: { messages: Message[] }) => {
  const lines: string[] = [];
  for (const m of messages) {
    const line = await describe(m);
    if (line) lines.push(line);
  }
  if (lines.length > 0) await fetch('https://chat.example/ops', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: lines.join('\n') });
  return lines;
};
