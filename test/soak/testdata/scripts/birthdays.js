async function main() {
  const people = (await web.getJSON('BASE/people', { timeoutMs: 700 })).people;
  const today = localTime(Date.now(), 'Asia/Tokyo');
  const md = today.date.slice(5);
  const glad = people.filter((p) => p.born && p.born.slice(5) === md);
  for (const p of glad) {
    await notify('Birthday of ' + p.name, p.nick ? 'Say hello to ' + p.nick : undefined);
  }
  await kv.set('looked', { [today.date]: glad.map((p) => p.id) });
  return { day: today.date, glad: glad.length };
}
