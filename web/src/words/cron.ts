// A schedule in words. A schedule that it does not know it says as it was written.

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = ['', 'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const names: Record<string, string> = {
  '@hourly': 'every hour, on the hour',
  '@daily': 'every day at 00:00',
  '@midnight': 'every day at 00:00',
  '@weekly': 'every Sunday at 00:00',
  '@monthly': 'on the 1st of every month at 00:00',
  '@yearly': 'every year on 1 January at 00:00',
  '@annually': 'every year on 1 January at 00:00',
};
const spans: Record<string, string> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

export function scheduleInWords(spec: string): string {
  const text = spec.trim();
  if (text === '') return 'by hand only';
  if (names[text]) return names[text];
  const every = /^(?:every|@every)\s+(\d+)([smhd])$/.exec(text);
  if (every) return Number(every[1]) === 1 ? `every ${spans[every[2]!]}` : `every ${every[1]} ${spans[every[2]!]}s`;
  if (text.startsWith('at ')) return `once, ${text}`;
  return cronInWords(text) ?? `by the rule “${text}”`;
}

function cronInWords(text: string): string | undefined {
  const fields = text.split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute, hour, day, month, weekday] = fields as [string, string, string, string, string];
  const time = timeInWords(minute, hour);
  if (time === undefined) return undefined;
  const when = dateInWords(day, month, weekday);
  if (when === undefined) return undefined;
  if (time.startsWith('at')) return `${when === '' ? 'every day' : when} ${time}`;
  return when === '' ? time : `${time}, ${when}`;
}

function timeInWords(minute: string, hour: string): string | undefined {
  const step = /^\*\/(\d+)$/.exec(minute);
  if (hour === '*') {
    if (minute === '*') return 'every minute';
    if (step) return `every ${step[1]} minutes`;
    if (number(minute, 59)) return minute === '0' ? 'every hour, on the hour' : `every hour at minute ${minute}`;
    return undefined;
  }
  const hourStep = /^\*\/(\d+)$/.exec(hour);
  if (hourStep) return number(minute, 59) ? `every ${hourStep[1]} hours${minute === '0' ? '' : ` at minute ${minute}`}` : undefined;
  if (!number(minute, 59)) {
    const range = /^(\d+)-(\d+)$/.exec(hour);
    return step && range ? `every ${step[1]} minutes from ${pad(range[1]!)}:00 to ${pad(range[2]!)}:59` : undefined;
  }
  const range = /^(\d+)-(\d+)$/.exec(hour);
  if (range) return `every hour from ${pad(range[1]!)}:${pad(minute)} to ${pad(range[2]!)}:${pad(minute)}`;
  const hours = hour.split(',');
  if (!hours.every((one) => number(one, 23))) return undefined;
  return `at ${list(hours.map((one) => `${pad(one)}:${pad(minute)}`))}`;
}

function dateInWords(day: string, month: string, weekday: string): string | undefined {
  const parts: string[] = [];
  if (weekday !== '*') {
    const words = weekdays(weekday);
    if (words === undefined) return undefined;
    parts.push(words);
  }
  if (day !== '*') {
    if (weekday !== '*') return undefined; // either of the two: too much for a phrase
    const step = /^\*\/(\d+)$/.exec(day);
    if (step) parts.push(`every ${step[1]} days`);
    else if (day === 'L') parts.push('on the last day of the month');
    else if (day.split(',').every((one) => number(one, 31))) parts.push(`on the ${list(day.split(',').map(ordinal))}${month === '*' ? ' of every month' : ''}`);
    else return undefined;
  }
  if (month !== '*') {
    const of = month.split(',').map((one) => (number(one, 12) ? months[Number(one)] : undefined));
    if (of.some((one) => one === undefined)) return undefined;
    parts.push(`in ${list(of as string[])}`);
  }
  return parts.join(' ');
}

function weekdays(text: string): string | undefined {
  if (text === '1-5' || text.toUpperCase() === 'MON-FRI') return 'every weekday';
  if (text === '0,6' || text === '6,0' || text === '6,7') return 'every Saturday and Sunday';
  const range = /^(\w+)-(\w+)$/.exec(text);
  if (range) {
    const [from, to] = [weekdayName(range[1]!), weekdayName(range[2]!)];
    return from && to ? `from ${from} to ${to}` : undefined;
  }
  const named = text.split(',').map(weekdayName);
  return named.every((one) => one !== undefined) ? `every ${list(named as string[])}` : undefined;
}

function weekdayName(text: string): string | undefined {
  if (number(text, 7)) return days[Number(text) % 7];
  return days.find((one) => text.length === 3 && one.slice(0, 3).toUpperCase() === text.toUpperCase());
}

const number = (text: string, most: number) => /^\d{1,2}$/.test(text) && Number(text) <= most;
const pad = (text: string) => text.padStart(2, '0');
const ordinal = (text: string) => {
  const n = Number(text);
  const tail = n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${tail}`;
};

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
