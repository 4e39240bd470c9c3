const api = (path) => web.getJSON('https://hr.example.com/api' + path, { headers: { authorization: 'Bearer ' + secret('HR') } });

async function absences(id) {
  try {
    const { days } = await api('/people/' + id + '/absences');
    return days.length;
  } catch (err) {
    if (err.status === 404) return null;
    throw err;
  }
}

async function main(input) {
  const people = await api('/people?team=' + input.team);
  const counts = await Promise.all(people.map((p) => absences(p.id)));
  const rows = people.map((p, i) => p.name + ',' + counts[i]).filter((r, i) => counts[i] !== null);
  await files.write('absences/' + input.team + '.csv', 'name,days\n' + rows.join('\n') + '\n');
  await kv.set('absences:' + input.team, counts.reduce((a, b) => a + b, 0));
  return { people: people.length, days: counts.reduce((a, b) => a + b, 0) };
}
