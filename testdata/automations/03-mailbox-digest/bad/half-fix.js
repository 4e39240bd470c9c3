// A digest of unread mail: who wrote, about what; advertisements are left out.
const API = 'https://gmail.googleapis.com/gmail/v1/users/me';

const header = (mail, name) => {
  const found = mail.payload.headers.find((h) => h.name.toLowerCase() === name.toLowerCase());
  return found ? found.value : '';
};

const sender = (mail) => header(mail, 'From').replace(/\s*<.*>$/, '').replace(/^"(.*)"$/, '$1');

async function main(input) {
  const query = encodeURIComponent('is:unread after:' + input.after);
  const list = await web.getJSON(`${API}/messages?maxResults=25&q=${query}`);

  const mails = [];
  for (const { id } of list.messages || list.threads) {
    const mail = await web.getJSON(`${API}/messages/${id}?format=metadata`);
    if (!mail.labelIds.includes('CATEGORY_PROMOTIONS')) mails.push(mail);
  }

  const lines = mails.map((mail) => `* ${sender(mail)}: ${header(mail, 'Subject') || '(no subject)'}`);
  const title = `# Unread since ${input.after}: ${mails.length}`;
  await files.write('digest.md', [title, ''].concat(lines).join('\n') + '\n');
  await kv.set('digest:last', { after: input.after, unread: mails.length, at: new Date().toISOString() });
  if (mails.length > 0) {
    await notify(`${mails.length} unread`, lines.join('\n'));
  }

  const senders = new Set(mails.map(sender));
  return { unread: mails.length, senders: [...senders].sort() };
}
