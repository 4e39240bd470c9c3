// Moments and lengths of time, in words.

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "3 minutes ago", "in 2 hours", "just now". */
export function ago(at: string | Date, now: Date): string {
  const seconds = (new Date(at).getTime() - now.getTime()) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? 'in a moment' : 'just now';
}

const exactFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short',
});
const dayFormat = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const shortFormat = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

export const exact = (at: string | Date) => exactFormat.format(new Date(at));
export const short = (at: string | Date) => shortFormat.format(new Date(at));

const hourFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** "14:05". */
export const clock = (at: string | Date) => hourFormat.format(new Date(at));

/** "14:00" today, "Fri, 27 Nov, 14:00" on another day: in a list. */
export const when = (at: string | Date, now: Date) => (startOfDay(new Date(at)) === startOfDay(now) ? clock(at) : short(at));

/** "today at 14:00", "tomorrow at 09:00", "on Tuesday at 09:00", "on Tue, 3 Mar, 09:00": when something will be, within a sentence. */
export function soon(at: string | Date, now: Date): string {
  const then = new Date(at);
  const days = Math.round((startOfDay(then) - startOfDay(now)) / 86_400_000);
  const day = days === 0 ? 'today' : days === 1 ? 'tomorrow' : days > 1 && days < 7 ? `on ${new Intl.DateTimeFormat('en-GB', { weekday: 'long' }).format(then)}` : undefined;
  return day ? `${day} at ${hourFormat.format(then)}` : `on ${short(then)}`;
}

/** "Today", "Yesterday", "On Tuesday", "On Tuesday 3 March": when something was, to begin a sentence. */
export function onDay(at: string | Date, now: Date): string {
  const then = new Date(at);
  const days = Math.round((startOfDay(now) - startOfDay(then)) / 86_400_000);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days > 1 && days < 7) return `On ${new Intl.DateTimeFormat('en-GB', { weekday: 'long' }).format(then)}`;
  return `On ${dayFormat.format(then)}`;
}

/** Events by their days, in the viewer's zone: "Saturday 28 November". The order stays. */
export function inDays<T>(all: readonly T[], at: (one: T) => string): { day: string; of: T[] }[] {
  const days: { day: string; of: T[] }[] = [];
  for (const one of all) {
    const day = dayFormat.format(new Date(at(one)));
    if (days.at(-1)?.day === day) days.at(-1)!.of.push(one);
    else days.push({ day, of: [one] });
  }
  return days;
}

const dateFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** "24 Nov 2026", of a date without a time, which is the same in each zone. */
export const onDate = (day: string) => dateFormat.format(new Date(`${day}T00:00Z`));

const startOfDay = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** "19 ms", "2.4 s", "3 min 5 s", "2 h 10 min". */
export function length(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min${ms % 60_000 >= 1000 ? ` ${Math.floor((ms % 60_000) / 1000)} s` : ''}`;
  const hours = Math.floor(minutes / 60);
  return `${hours} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`;
}

/** "812 B", "4.1 kB". */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const count = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
