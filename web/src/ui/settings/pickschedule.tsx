import { type Picked, weekdayNames } from '../../words/cron';
import { Field } from '../base/field';

const hows: Record<Picked['how'], string> = { daily: 'Every day', weekdays: 'Every weekday, Monday to Friday', weekly: 'On some days of the week', hourly: 'Every hour', minutes: 'Every few minutes', once: 'Once', rule: 'By a rule (cron)' };
const week = [1, 2, 3, 4, 5, 6, 0];

/** Picks when something runs. Who knows cron writes a rule. */
export function PickSchedule({ now, change }: { now: Picked; change: (next: Picked) => void }) {
  const put = (part: Partial<Picked>) => change({ ...now, ...part });
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label="How often">
        <select className="field w-full" value={now.how} onChange={(event) => put({ how: event.target.value as Picked['how'] })}>
          {Object.entries(hows).map(([how, word]) => <option key={how} value={how}>{word}</option>)}
        </select>
      </Field>
      {['daily', 'weekdays', 'weekly'].includes(now.how) && <Field label="At"><input className="field w-full" type="time" value={now.time} onChange={(event) => put({ time: event.target.value })} required /></Field>}
      {now.how === 'minutes' && <Field label="Minutes between two runs"><input className="field w-full" type="number" min={1} value={now.every || ''} onChange={(event) => put({ every: Number(event.target.value) })} required /></Field>}
      {now.how === 'once' && <Field label="Day and time"><input className="field w-full" type="datetime-local" value={now.at} onChange={(event) => put({ at: event.target.value })} required /></Field>}
      {now.how === 'rule' && (
        <Field label="The rule" hint="Like 0 9 * * 1-5 (weekdays at nine), 30 6 1 * * (the 1st of each month), @weekly, every 90s.">
          <input className="field w-full font-mono" value={now.rule} onChange={(event) => put({ rule: event.target.value })} required />
        </Field>
      )}
      {now.how === 'weekly' && (
        <fieldset className="flex flex-wrap gap-x-4 gap-y-1 sm:col-span-2">
          <legend className="mb-1 text-sm font-semibold">On</legend>
          {week.map((day) => (
            <label key={day} className="flex items-center gap-1.5">
              <input type="checkbox" className="size-4 accent-(--gold)" checked={now.days.includes(day)} onChange={() => put({ days: now.days.includes(day) ? now.days.filter((one) => one !== day) : [...now.days, day] })} />
              {weekdayNames[day]}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}
