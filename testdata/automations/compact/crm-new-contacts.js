// New contacts to the sales channel
// Every morning tell the sales channel who signed up since the last time, and keep a list.
async function main() {
  const since = (await kv.get('since')) || 0;
  const page = await web.getJSON('https://crm.example.test/v3/contacts?sort=created');
  const fresh = page.results.filter((c) => c.createdAt && Date.parse(c.createdAt) > since);
  for (const contact of fresh) {
    const { firstname, lastname, email } = contact.properties;
    await web.postJSON('https://chat.example.test/hooks/sales', {
      text: `${firstname.trim()} ${lastname.trim()} <${email.toLowerCase()}> signed up`,
    });
  }
  if (fresh.length) await kv.set('since', Math.max(...fresh.map((c) => Date.parse(c.createdAt))));
  await files.append('contacts.csv', fresh.map((c) => [c.id, c.properties.email].join(',') + '\n').join(''));
  return { fresh: fresh.length };
}
// ---- outside
function outside(n) {
  return { answers: { 'https://crm.example.test/v3/contacts?sort=created': { total: 40 + n, results: times(int(1, 4), (i) => {
    const name = pick(people);
    return { id: 'c' + (1000 + n * 10 + i), createdAt: day(n) + 'T0' + (i + 1) + ':15:00Z', archived: false,
      properties: { firstname: name.split(' ')[0], lastname: name.split(' ')[1], email: email(name), lifecyclestage: pick(['lead', 'customer']) } };
  }) } } };
}
