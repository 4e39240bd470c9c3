// The question that a notice asks its person.
import type { Notification } from '../api/types';
import type { Tone } from './status';

const asks = new Set(['fix_waiting', 'escalated', 'maintenance_failed', 'in_doubt', 'question', 'planner_stopped', 'unfinished', 'error', 'internal', 'balance', 'draft', 'healing', 'held_job']);

export type Group = 'needs' | 'mended' | 'suspicious' | 'told';

/** Where a notice belongs on the page of today. */
export function groupOf(one: Notification): Group {
  if (one.type === 'suspected') return 'suspicious';
  if (one.type === 'fixed') return 'mended';
  if (one.type === 'script_message') return 'told';
  return asks.has(one.type) && (one.actions?.length ?? 0) > 0 ? 'needs' : one.type === 'error' || one.type === 'internal' ? 'needs' : 'told';
}

export const needsYou = (one: Notification) => groupOf(one) === 'needs' && (one.stands_still || !one.acknowledged) && !one.resolved;

// By what it costs to wait: money in doubt, somebody who waits for an answer, work that stands still, what is only to be known.
const costly = ['in_doubt', 'unfinished', 'question', 'escalated', 'maintenance_failed', 'error', 'fix_waiting', 'internal', 'held_job', 'healing', 'planner_stopped', 'balance', 'draft'];

/**
 * One row for what one press answers: what a run left half done stands with what stopped it, which has to be answered first. The
 * first of a row is what is asked.
 */
export const rowsOf = (notices: Notification[]) => inRows(notices.toSorted(byCost));

/** The same rows in the order in which the notices are given. */
export function inRows(notices: Notification[]): Notification[][] {
  const rows: Notification[][] = [];
  for (const one of notices) {
    const row = one.run && halts.has(one.type) ? rows.find(([first]) => first!.workflow === one.workflow && first!.run === one.run && halts.has(first!.type)) : undefined;
    if (row) row.push(one);
    else rows.push([one]);
  }
  return rows.map((row) => row.toSorted((a, b) => Number(a.type === 'unfinished') - Number(b.type === 'unfinished')));
}

const halts = new Set(['unfinished', 'escalated', 'maintenance_failed', 'error']);

/** The notice that costs most while it waits comes first, then the one that waits longest; seen ones come last. */
function byCost(a: Notification, b: Notification): number {
  const rank = (one: Notification) => (one.acknowledged ? costly.length : 0) + (costly.indexOf(one.type) + 1 || costly.length);
  return rank(a) - rank(b) || a.at.localeCompare(b.at);
}

const noticeWords: Record<string, { word: string; tone: Tone }> = {
  fix_waiting: { word: 'A fix waits', tone: 'warn' },
  escalated: { word: 'Needs you', tone: 'bad' },
  maintenance_failed: { word: 'No fix found', tone: 'bad' },
  in_doubt: { word: 'A write in doubt', tone: 'warn' },
  question: { word: 'A question', tone: 'info' },
  planner_stopped: { word: 'Planning stopped', tone: 'warn' },
  unfinished: { word: 'Half done', tone: 'warn' },
  error: { word: 'Trouble', tone: 'bad' },
  internal: { word: 'Our fault', tone: 'bad' },
  balance: { word: 'Balance', tone: 'warn' },
  draft: { word: 'A draft', tone: 'info' },
  healing: { word: 'A session is blocked', tone: 'warn' },
  held_job: { word: 'A job is held', tone: 'warn' },
  plan_done: { word: 'A plan is done', tone: 'good' },
  checkout_changed: { word: 'Your files changed', tone: 'warn' },
  fixed: { word: 'Mended', tone: 'gold' },
  suspected: { word: 'Looks wrong', tone: 'warn' },
  script_message: { word: 'Message', tone: 'plain' },
};

/** The badge of a notice. A person or a cap that stopped repairs is no fault of the program. */
export function wordOf(one: Pick<Notification, 'type' | 'actions'>): { word: string; tone: Tone } {
  if (one.actions?.includes('resume_repairs') || one.actions?.includes('raise_cap')) return { word: 'Repairs stopped', tone: 'warn' };
  return noticeWords[one.type] ?? { word: one.type, tone: 'plain' };
}

export const actionWords: Record<string, string> = {
  accept: 'Accept the fix',
  correct: 'Send the fix back',
  recheck: 'Check the fix again',
  decline: 'Decline the fix',
  resume_repairs: 'Let repairs go on',
  raise_cap: 'Raise the cap',
  top_up: 'Top up',
  raise_limit: 'Raise the limit',
  set_secret: 'Set the key',
  retry_inputs: 'Try what waits now',
  allow_host: 'Allow this host',
  answer: 'Answer',
  continue: 'Go on with the run',
  restart: 'Start the run again',
  leave: 'Leave the run as it is',
  trust: 'The run is right',
  exempt: 'The run was wrong',
  happened: 'It happened',
  did_not: 'It did not',
  skip: 'Skip the write',
  replan: 'Plan the script anew',
  edit: 'Edit the script',
  rollback: 'Roll back',
  activate: 'Switch it on again',
  keep: 'Keep the draft',
  archive: 'Archive the draft',
};
