// What the week holds: appointments for each day, and the fullest day.
async function main(input) {
  const params = ['timeMin=' + encodeURIComponent(input.from), 'timeMax=' + encodeURIComponent(input.to), 'singleEvents=true', 'orderBy=startTime'];
  const calendar = await web.getJSON('https://www.googleapis.com/calendar/v3/calendars/primary/events?' + params.join('&'));

  const days = calendar.items
    .filter((event) => event.status !== 'cancelled')
    .reduce((byDay, event) => {
      const day = (event.start.dateTime ?? event.start.date).slice(0, 10);
      (byDay[day] ||= []).push(event.summary ?? '(busy)');
      return byDay;
    }, {});

  const week = Object.keys(days).sort();
  const agenda = week.map((day) => `${day}\n${days[day].map((title) => `  - ${title}\n`).join('')}`).join('');
  await files.write(`agenda/${input.from.slice(0, 10)}.txt`, agenda || 'nothing\n');

  const fullest = week.reduce((best, day) => (best === null || days[day].length > days[best].length ? day : best), null);
  await kv.set('agenda', { from: input.from.slice(0, 10), days: week.length, fullest });
  if (fullest !== null && days[fullest].length >= input.full) {
    await notify('A full day', `${fullest}: ${days[fullest].join(', ')}`);
  }
  return { days: week.length, events: Object.values(days).flat().length, fullest };
}
