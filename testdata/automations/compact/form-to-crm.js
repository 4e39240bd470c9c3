// Leads from the website
// When a lead arrives, find or make its company and add the lead there.
async function main(lead) {
  const domain = lead.contact.email.split('@')[1].toLowerCase();
  const found = await web.getJSON('https://crm.example.test/v3/companies/search?domain=' + domain);
  let company = found.results[0];
  if (found.total === 0) {
    company = { id: 'new', name: domain };
    await web.postJSON('https://crm.example.test/v3/companies', { name: domain, source: lead.utm.source });
  }
  const interests = lead.interests.map((i) => i.trim()).join(', ');
  await web.postJSON('https://crm.example.test/v3/leads', {
    company: company.id, name: `${lead.contact.first_name} ${lead.contact.last_name}`.trim(), budget: lead.budget.toFixed(0), interests,
  });
  await notify('Lead from ' + company.name.toUpperCase(), `${lead.contact.first_name.trim()}: ${interests}`);
  return { company: company.id, budget: lead.budget };
}
// ---- outside
function outside(n) {
  const name = pick(people), domain = pick(['kiln', 'harbor', 'meadow']) + '.example';
  const known = chance(0.7);
  return { trigger: 'webhook', input: { id: 'ld' + n, submitted: day(n) + 'T10:00:00Z', budget: int(5, 90) * 100, interests: times(int(1, 3), () => pick(nouns)), utm: { source: pick(['ads', 'mail']), medium: 'web' }, contact: { first_name: name.split(' ')[0], last_name: name.split(' ')[1], email: 'me@' + domain } },
    answers: { ['https://crm.example.test/v3/companies/search?domain=' + domain]: { total: known ? 1 : 0, results: known ? [{ id: 'co' + int(100, 999), name: domain.split('.')[0], owner: { id: 'ow1' } }] : [] } } };
}
