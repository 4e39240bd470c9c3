const zone = 'America/New_York';
const day = (iso) => localTime(Date.parse(iso), zone).date;

export default async function shifts() {
  const body = await web.getJSON('BASE/shifts');
  const perDay = {};
  for (const shift of body.shifts) (perDay[day(shift.from)] ??= []).push(`${shift.who}: ${(Date.parse(shift.to) - Date.parse(shift.from)) / 3600000} h`);
  for (const date of Object.keys(perDay).sort()) {
    await web.postJSON(`BASE/board/${date}`, { lines: perDay[date] }, { method: 'PUT' });
  }
  return perDay;
}
