// A schedule as it is picked on the page. The server says in words when that is.

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const number = (text: string, most: number) => /^\d{1,2}$/.test(text) && Number(text) <= most;
const pad = (text: string) => text.padStart(2, '0');

/** "a, b and c". */
export function list(words: string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** A schedule as it is picked: what cannot be picked is a rule. */
export type Picked = { how: 'daily' | 'weekdays' | 'weekly' | 'hourly' | 'minutes' | 'once' | 'rule'; time: string; days: number[]; every: number; at: string; rule: string };

const unpicked: Picked = { how: 'daily', time: '09:00', days: [1], every: 15, at: '', rule: '' };

export function pickedOf(spec: string): Picked {
  const text = spec.trim();
  if (text === '') return unpicked;
  const clock = /^(\d{1,2}) (\d{1,2}) \* \* (\S+)$/.exec(text);
  if (clock) {
    const [, minute, hour, weekday] = clock as unknown as [string, string, string, string];
    const time = `${pad(hour)}:${pad(minute)}`;
    if (weekday === '*') return { ...unpicked, how: 'daily', time };
    if (weekday === '1-5') return { ...unpicked, how: 'weekdays', time };
    if (weekday.split(',').every((one) => number(one, 6))) return { ...unpicked, how: 'weekly', time, days: weekday.split(',').map(Number) };
  }
  if (text === '@daily') return { ...unpicked, how: 'daily', time: '00:00' };
  if (text === '@hourly' || text === '0 * * * *') return { ...unpicked, how: 'hourly' };
  const minutes = /^(?:@?every )(\d+)m$/.exec(text);
  if (minutes) return { ...unpicked, how: 'minutes', every: Number(minutes[1]) };
  const once = /^at (\d{4}-\d{2}-\d{2}) (\d{2}:\d{2})$/.exec(text);
  if (once) return { ...unpicked, how: 'once', at: `${once[1]}T${once[2]}` };
  return { ...unpicked, how: 'rule', rule: text };
}

/** The rule of what was picked; empty while something is missing. */
export function specOf({ how, time, days: chosen, every, at, rule }: Picked): string {
  const [hour = '', minute = ''] = time.split(':');
  const clock = time === '' ? '' : `${Number(minute)} ${Number(hour)} * *`;
  switch (how) {
    case 'daily': return clock && `${clock} *`;
    case 'weekdays': return clock && `${clock} 1-5`;
    case 'weekly': return clock && chosen.length > 0 ? `${clock} ${chosen.toSorted().join(',')}` : '';
    case 'hourly': return '0 * * * *';
    case 'minutes': return every > 0 ? `every ${every}m` : '';
    case 'once': return at && `at ${at.slice(0, 10)} ${at.slice(11, 16)}`;
    case 'rule': return rule.trim();
  }
}

export const weekdayNames: readonly string[] = days;
