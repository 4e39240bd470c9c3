type Event =
  | { action: 'opened'; issue: { number: number; title: string; labels: { name: string }[]; body: string | null } }
  | { action: 'closed'; issue: { number: number; state_reason?: string | null } }
  | { action: 'push'; commits: { sha: string; message: string; author?: { name: string } }[] };

class Chat {
  constructor(private readonly base: string) {}
  async say(text: string): Promise<void> {
    const answer = await fetch(`${this.base}/say`, { method: 'POST', body: JSON.stringify({ text }), headers: { 'content-type': 'application/json' } });
    if (!answer.ok) throw new Error('chat: ' + answer.status);
  }
}

export default async function handle(event: Event) {
  const chat = new Chat('BASE/chat');
  if (event.action === 'opened') {
    await chat.say(`#${event.issue.number} ${event.issue.title} [${event.issue.labels.map((l) => l.name).join(', ')}]`);
    const open = ((await kv.get('open')) as Record<string, string>) ?? {};
    open[String(event.issue.number)] = event.issue.title;
    await kv.set('open', open);
  } else if (event.action === 'closed') {
    const open = ((await kv.get('open')) as Record<string, string>) ?? {};
    delete open[String(event.issue.number)];
    await kv.set('open', open);
    await chat.say(`#${event.issue.number} is closed (${event.issue.state_reason ?? 'no reason'})`);
  } else {
    for (const commit of event.commits) await chat.say(`${commit.sha.slice(0, 7)} ${commit.message.split('\n')[0]}`);
  }
  return event.action;
}
