// What the team sees at nine: the meetings of the day, and the weather.
type Meeting = { uid: string; subject: string; begins: string; guests?: string[]; room: string | null };
interface Forecast { now: { celsius: number; sky: string }; alerts?: Record<string, string> }

const api = 'BASE';
const load = async <T>(path: string): Promise<T> => {
  const answer = await fetch(api + path, { headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
  return (await answer.json()) as T;
};

export default async function digest() {
  const [{ meetings }, forecast] = await Promise.all([load<{ meetings: Meeting[] }>('/meetings'), load<Forecast>('/forecast')]);
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'Europe/Madrid' });
  const lines = [...meetings]
    .sort((a, b) => a.begins.localeCompare(b.begins))
    .map((m) => `- ${clock.format(new Date(m.begins))} ${m.subject.trim()}${m.room ? ` (${m.room})` : ''}${m.guests?.length ? ` +${m.guests.length}` : ''}`);
  for (const [region, warning] of Object.entries(forecast.alerts ?? {})) lines.push(`! ${region}: ${warning}`);
  const sent = await fetch(`${api}/chat/hook`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ text: [`${forecast.now.celsius.toFixed(1)} °C, ${forecast.now.sky}`, ...lines].join('\n') }),
  });
  if (!sent.ok) throw new Error('chat answered ' + sent.status);
  return { meetings: meetings.length, celsius: forecast.now.celsius };
}
