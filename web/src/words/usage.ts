import type { UsageDay } from '../api/types';

type Measure = 'runs' | 'run_ms' | 'tokens' | 'micros';

const most = 366; // days of a chart

/** A value for each day of a time, also for those on which nothing was used. */
export function byDay(days: Pick<UsageDay, 'day' | Measure>[], from: string, to: string, measure: Measure): { day: string; value: number }[] {
  const sums = new Map<string, number>();
  for (const day of days) sums.set(day.day, (sums.get(day.day) ?? 0) + day[measure]);
  const all: { day: string; value: number }[] = [];
  for (let at = Date.parse(`${from}T00:00:00Z`); at <= Date.parse(`${to}T00:00:00Z`) && all.length < most; at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    all.push({ day, value: sums.get(day) ?? 0 });
  }
  return all;
}

/** The usage of each workflow, the largest first. */
export function byWorkflow(days: UsageDay[]): UsageDay[] {
  const rows = new Map<string, UsageDay>();
  for (const day of days) {
    const row = rows.get(day.workflow);
    if (!row) rows.set(day.workflow, { ...day });
    else for (const one of ['runs', 'failed', 'run_ms', 'calls', 'tokens', 'micros'] as const) row[one] += day[one];
  }
  return [...rows.values()].sort((a, b) => b.micros - a.micros || b.run_ms - a.run_ms);
}
