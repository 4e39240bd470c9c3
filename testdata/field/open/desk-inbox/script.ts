interface Profile { profile: { name: string }; wa_id: string }
interface Message { from: string; id: string; timestamp: string; type: string; text?: { body: string }; image?: { caption?: string }; location?: { latitude: number; longitude: number } }
interface Value { metadata: { phone_number_id: string }; contacts: Profile[]; messages: Message[] }
interface Delivery { object: string; entry: Array<{ id: string; changes: Array<{ field: string; value: Value }> }> }

class Desk {
  created = 0;
  noted = 0;

  constructor(private readonly base: string) {}

  private async post(path: string, body: unknown) {
    const res = await fetch(this.base + path, { method: 'POST', headers: { 'content-type': 'application/json', 'x-key': process.env.DESK_KEY! }, body: JSON.stringify(body) });
    if (res.status >= 300) throw new Error(`desk ${path}: ${res.status}`);
  }

  async file(message: Message, name: string): Promise<string | null> {
    const open = (await kv.get(`case:${message.from}`)) as string | null;
    const line = { at: new Date(+message.timestamp * 1000).toISOString(), name, text: bodyOf(message) };
    if (open) {
      this.noted += 1;
      await this.post(`/cases/${open}/notes`, line);
      return null;
    }
    const number = 'W' + message.timestamp.slice(-5);
    await this.post('/cases', { number, phone: message.from, ...line });
    await kv.set(`case:${message.from}`, number);
    this.created += 1;
    return number;
  }
}

function bodyOf(m: Message): string {
  if (m.type === 'text') return m.text!.body;
  if (m.type === 'image') return ['(picture)', m.image?.caption].filter(Boolean).join(' ');
  if (m.type === 'location') return `(place) ${m.location!.latitude.toFixed(3)}, ${m.location!.longitude.toFixed(3)}`;
  return `(${m.type})`;
}

const first = (name: string) => name.split(/\s+/)[0];

export default async function inbox(event: Delivery) {
  const desk = new Desk('https://desk.example/api');
  for (const { changes } of event.entry) {
    for (const { value } of changes) {
      const names = new Map(value.contacts.map((c) => [c.wa_id, c.profile.name]));
      for (const message of value.messages) {
        const name = names.get(message.from) ?? 'somebody';
        const number = await desk.file(message, name);
        if (number === null) continue;
        const text = `Hello ${first(name)}, we look after ${number}.`;
        await fetch(`https://graph.example/v20/${value.metadata.phone_number_id}/messages`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ messaging_product: 'whatsapp', to: message.from, text: { body: text } }) });
      }
    }
  }
  return { created: desk.created, noted: desk.noted };
}
