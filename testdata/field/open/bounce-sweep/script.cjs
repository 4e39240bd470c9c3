'use strict';
// Takes addresses off our lists that bounce for good, and lets those try again whose mailbox was only full.
const DOMAIN = 'mail.firm.example';
const auth = 'Basic ' + Buffer.from('api:' + process.env.MAIL_KEY).toString('base64');

const request = async (url, options = {}) => {
  const res = await fetch(url, Object.assign({}, options, { headers: { Authorization: auth, 'Content-Type': 'application/json' } }));
  if (!res.ok && res.status !== 404) throw new Error((options.method || 'GET') + ' ' + new URL(url).pathname + ' ' + res.status);
  return res.status === 404 ? null : res.json();
};

const bounces = async () => {
  const items = [];
  let url = `https://api.mail.example/v3/${DOMAIN}/bounces?limit=2`;
  for (let n = 0; n < 50; n++) {
    const page = await request(url);
    if (page.items.length === 0) break;
    Array.prototype.push.apply(items, page.items);
    url = page.paging.next;
  }
  return items;
};

const sort = (bounce) => {
  const code = Number(bounce.code);
  if (code >= 550 && code !== 552) return 'gone';
  if (code === 552 || /quota|full/i.test(bounce.error)) return 'full';
  return 'other';
};

const main = async (input) => {
  const done = (await kv.get('done')) || [];
  const count = { gone: 0, full: 0, other: 0 };
  const seen = [];
  for (const bounce of await bounces()) {
    const address = bounce.address.toLowerCase();
    const key = address + ' ' + bounce.created_at;
    seen.push(key);
    if (done.includes(key)) continue;
    const kind = sort(bounce);
    count[kind]++;
    if (kind === 'gone') await request(`https://crm.example/contacts/${encodeURIComponent(address)}`, { method: 'PATCH', body: JSON.stringify({ mailable: false, reason: `${bounce.code} ${bounce.error}`.trim().slice(0, 60) }) });
    if (kind === 'full') await request(`https://api.mail.example/v3/${DOMAIN}/bounces/${encodeURIComponent(address)}`, { method: 'DELETE' });
  }
  await kv.set('done', seen);
  if (count.gone >= (input.alarm || 3)) await notify('Many addresses bounce', `${count.gone} are gone, ${count.full} were full`);
  return count;
};

module.exports = { default: main };
