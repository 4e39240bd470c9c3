interface User { id: number; first_name: string; last_name?: string; username?: string }
interface Chat { id: number; title?: string; type: 'private' | 'group' | 'channel' }
interface Message {
  message_id: number; from: User; chat: Chat; date: number; text?: string; caption?: string;
  forward_from?: User; forward_from_chat?: Chat; forward_sender_name?: string;
  document?: { file_name: string; thumb?: { file_id: string } };
}
type Update = { update_id: number } & ({ message: Message } | { edited_message: Message } | { callback_query: { id: string; data: string; from: User } });

const bot = 'https://bots.example/bot';

async function call<T>(method: string, body: Record<string, unknown> = {}, effect?: 'read'): Promise<T> {
  const res = await fetch(`${bot}/${method}`, { method: 'POST', effect, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } as RequestInit);
  const answer = (await res.json()) as { ok: boolean; result: T; description?: string };
  if (!answer.ok) throw new Error(`${method}: ${answer.description ?? res.status}`);
  return answer.result;
}

const who = ({ first_name, last_name, username }: User) => [first_name, last_name].filter(Boolean).join(' ') + (username ? ` (@${username})` : '');

function origin(m: Message): string | null {
  if (m.forward_from) return who(m.forward_from);
  if (m.forward_sender_name) return m.forward_sender_name;
  if (m.forward_from_chat) return m.forward_from_chat.title ?? 'a channel';
  return null;
}

const tasks = {
  add: (task: object) => web.postJSON('https://tasks.example/v1/tasks', task),
  edit: (ref: string, task: object) => web.postJSON(`https://tasks.example/v1/tasks/${ref}`, task, { method: 'PATCH' }),
};

async function handle(update: Update): Promise<string> {
  if ('callback_query' in update) {
    const { id, data } = update.callback_query;
    const [verb, ref] = data.split(':');
    if (verb === 'done') await tasks.edit(ref, { done: true });
    await call('answerCallbackQuery', { callback_query_id: id, text: verb === 'done' ? 'Done!' : 'I do not know that' });
    return 'button';
  }
  const edited = 'edited_message' in update;
  const m = edited ? update.edited_message : update.message;
  if (m.chat.type === 'channel') return 'channel';
  const title = m.text ?? m.caption ?? m.document?.file_name;
  if (!title) return 'empty';
  const from = origin(m);
  const task = { title: title.split('\n')[0].slice(0, 60), by: who(m.from), ...(from ? { source: from } : {}), ...(m.document ? { preview: m.document.thumb?.file_id ?? null } : {}), at: new Date(m.date * 1000).toISOString() };
  if (edited) await tasks.edit(`m${m.message_id}`, task);
  else await tasks.add({ ref: `m${m.message_id}`, ...task });
  return edited ? 'edited' : 'added';
}

export const main = async () => {
  const offset = ((await kv.get('offset')) as number | null) ?? 0;
  const updates = await call<Update[]>('getUpdates', { offset, limit: 20 }, 'read');
  const counts: Record<string, number> = {};
  for (const update of updates) {
    const kind = await handle(update);
    counts[kind] = (counts[kind] ?? 0) + 1;
    await kv.set('offset', update.update_id + 1);
  }
  return counts;
};
