// Birthdays of the week
// On Sundays tell me whose birthday comes within seven days and how old they will be.
async function main() {
  const contacts = await web.getJSON('https://people.example.test/v1/connections?personFields=names,birthdays');
  const today = localTime(Date.now());
  const start = Date.UTC(today.year, today.month - 1, today.day);
  const coming = [];
  for (const person of contacts.connections) {
    if (!person.birthdays) continue;
    const { date } = person.birthdays[0];
    const next = Date.UTC(today.year, date.month - 1, date.day);
    const days = Math.round((next - start) / 86400000);
    if (days >= 0 && days < 7) coming.push({ days, text: `${person.names[0].displayName.toUpperCase()} turns ${today.year - date.year} in ${days} days` });
  }
  coming.sort((a, b) => a.days - b.days);
  if (coming.length) await notify('Birthdays', coming.map((c) => c.text).join('\n'));
  return { coming: coming.map((c) => c.text), people: contacts.totalPeople };
}
// ---- outside
function outside(n) {
  const connections = times(int(3, 5), (i) => {
    const at = new Date(Date.UTC(2026, 2, 2 + n + int(0, 9)));
    const person = { resourceName: 'people/c' + i, names: [{ displayName: pick(people) }] };
    if (!chance(0.2)) person.birthdays = [{ date: { year: int(1950, 2015), month: at.getUTCMonth() + 1, day: at.getUTCDate() } }];
    return person;
  });
  return { answers: { 'https://people.example.test/v1/connections?personFields=names,birthdays': { connections, totalPeople: connections.length } } };
}
