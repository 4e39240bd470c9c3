// Webhook of the messenger: thanks people who write, and keeps what became of what we sent.
const API = 'https://graph.messenger.example/v17.0';

const handlers = {
  messages: async (value, state) => {
    for (const message of value.messages || []) {
      if (message.type !== 'text') continue;
      const who = value.contacts.find((c) => c.wa_id === message.from);
      const first = who.profile.name.split(' ')[0];
      const res = await fetch(`${API}/${value.metadata.phone_number_id}/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + process.env.MESSENGER_TOKEN },
        body: JSON.stringify({ to: message.from, type: 'text', text: { body: `Thank you, ${first}! We have: "${message.text.body.slice(0, 20)}"` } }),
      });
      if (!res.ok) throw new Error('send failed: ' + res.status);
      const sent = await res.json();
      state.sent.push(sent.messages[0].id);
    }
  },
  statuses: async (value, state) => {
    for (const { id, status, timestamp } of value.statuses || []) {
      state.statuses[status] = (state.statuses[status] || 0) + 1;
      await kv.set(`status:${id}`, { status, at: new Date(Number(timestamp) * 1000).toISOString() });
    }
  },
};

async function handle(event) {
  const state = { sent: [], statuses: {} };
  for (const entry of event.entry) {
    for (const change of entry.changes) {
      if (change.field !== 'messages') continue;
      await handlers.messages(change.value, state);
      await handlers.statuses(change.value, state);
    }
  }
  return state;
}

module.exports = handle;
