// The words of the program for people.
import type { Workflow } from '../api/types';
import { clock } from './time';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'plain' | 'gold';

export const statusWords: Record<string, { word: string; tone: Tone; means: string }> = {
  draft: { word: 'Draft', tone: 'plain', means: 'It was never switched on.' },
  active: { word: 'On', tone: 'good', means: 'It is switched on.' },
  maintenance: { word: 'Being mended', tone: 'gold', means: 'It broke, and a repair is under way.' },
  held: { word: 'Fix waits for you', tone: 'warn', means: 'It broke. A fix is ready, and you decide.' },
  waiting: { word: 'Waits for access', tone: 'warn', means: 'A key or a permission was refused.' },
  escalated: { word: 'Stopped: needs you', tone: 'bad', means: 'It broke, and was stopped. You decide how it goes on.' },
  paused: { word: 'Paused', tone: 'plain', means: 'Somebody paused it.' },
  archived: { word: 'Archived', tone: 'plain', means: 'Out of the way; everything is kept.' },
};

/** Where a workflow stands: the one place that says so. One that is on says what it waits for while it does nothing else. */
export function standing(one: Pick<Workflow, 'status' | 'agent' | 'retrying'>, repairs = 'on'): { word: string; tone: Tone; means: string } {
  if (one.status === 'maintenance' && one.agent === 'mending' && repairs !== 'on') return stoppedRepairs;
  if (one.agent === 'trying') return { ...statusWords['waiting']!, means: 'The run that was refused is tried with what it lacked.' };
  if (one.status === 'active' || one.status === 'draft') {
    const next = nextTry(one);
    if (next) return { word: `Tries again at ${clock(next.at)}`, tone: 'warn', means: 'A service does not answer, and is asked again by itself.' };
    if (one.agent === 'unanswered') return { word: 'No answer', tone: 'warn', means: 'A service did not answer its last run, and is asked again when it runs next.' };
    if (one.agent === 'waiting_for_you') return { word: 'Asks you', tone: 'warn', means: 'It waits for your answer.' };
  }
  return statusWords[one.status] ?? { word: one.status, tone: 'plain', means: '' };
}

const stoppedRepairs = { word: 'Broken: repairs are stopped', tone: 'bad' as Tone, means: 'It broke. Repairs of all workflows are stopped, so it waits until somebody lets them go on.' };

/** The run that is tried again next because a service did not answer. */
export const nextTry = ({ agent, retrying }: Pick<Workflow, 'agent' | 'retrying'>) =>
  agent === 'retrying' ? (retrying ?? []).toSorted((a, b) => a.at.localeCompare(b.at))[0] : undefined;

export const runWords: Record<string, { word: string; tone: Tone }> = {
  admitted: { word: 'starts', tone: 'info' },
  running: { word: 'running', tone: 'info' },
  succeeded: { word: 'succeeded', tone: 'good' },
  failed: { word: 'failed', tone: 'bad' },
  cancelled: { word: 'cancelled', tone: 'plain' },
  retrying: { word: 'tries again later', tone: 'warn' },
  in_doubt: { word: 'a write is in doubt', tone: 'warn' },
  asking: { word: 'asks you', tone: 'warn' },
  suspected: { word: 'looks wrong', tone: 'warn' },
};

export const fixWords: Record<string, { word: string; tone: Tone; after: string }> = {
  proposed: { word: 'being checked', tone: 'info', after: 'It is being checked against the recorded runs.' },
  held: { word: 'waits for you', tone: 'warn', after: 'Nothing has been changed yet.' },
  applied: { word: 'applied', tone: 'gold', after: 'It is in use; the failed run goes on with it, and confirms it if it succeeds.' },
  accepted: { word: 'accepted', tone: 'gold', after: 'You accepted it; the failed run goes on with it, and confirms it if it succeeds.' },
  confirmed: { word: 'confirmed', tone: 'good', after: 'The run that failed went on with it, and succeeded.' },
  declined: { word: 'declined', tone: 'plain', after: 'It was refused, and never used.' },
  corrected: { word: 'sent back', tone: 'info', after: 'It was sent back to be done again, with a note.' },
  stale: { word: 'overtaken', tone: 'plain', after: 'Something else came first, so it was recorded and never used.' },
  different: { word: 'refused by the proof', tone: 'bad', after: 'Recorded runs would have come out otherwise, so it was never used.' },
  regressed: { word: 'did not hold', tone: 'bad', after: 'The run that failed went on with it, and failed again.' },
  withdrawn: { word: 'withdrawn', tone: 'bad', after: 'It was taken back.' },
};

export const staleWords: Record<string, string> = {
  replanned: 'A new version was saved while it was being searched.',
  rolled_back: 'An earlier version was restored while it waited.',
  escalated: 'The workflow was handed to you meanwhile.',
  archived: 'The workflow was archived meanwhile.',
  fixed: 'Another fix of the same failure was used.',
  trusted: 'Somebody said that the run was right as it was.',
  works: 'The script works again as it was.',
  replaced: 'A better fix came while it waited.',
};

export const waitsWords: Record<string, string> = {
  '': 'its turn',
  fix: 'a version that works',
  access: 'access',
  outage: 'a service that did not answer',
  program: 'Kintsugi itself, which failed',
  taker: 'a version that takes it',
};

export const triggerWords: Record<string, string> = {
  manual: 'by hand',
  schedule: 'by its schedule',
  webhook: 'by an input from outside',
  event: 'by another workflow',
  retry: 'tried again',
  continuation: 'goes on with a failed run',
  fork: 'forked from another run',
  restart: 'started again',
};

export const classWords: Record<string, string> = {
  logic: 'the script does not fit what it was given',
  limit: 'it reached one of its limits',
  network: 'a service did not answer',
  auth: 'a sign-in was refused',
  permission: 'it was not allowed to do that',
  internal: 'Kintsugi itself failed',
};

export const agentWords: Record<string, string> = {
  idle: '',
  planning: 'a new version is being written',
  mending: 'a repair is under way',
  maintaining: 'a repair is under way',
  working: 'an agent is at work',
  queued: 'an agent begins soon',
  retrying: 'a service does not answer, and is asked again',
  unanswered: 'a service did not answer',
  trying: 'tries the access that you gave',
  waiting_for_you: 'waits for you',
};

/** The events that tell of something that went wrong. */
export const failures = new Set(['RunFailed', 'Escalated', 'FixWithdrawn', 'FixRegressed', 'RetriesExhausted', 'OutageReported', 'WorkStalled', 'DeadLettered', 'AuthErrorClassified', 'PermissionErrorClassified', 'LogicErrorClassified', 'LimitErrorClassified', 'NetworkErrorClassified', 'InternalErrorClassified']);

/** The planner's work while it uses a tool, in words. */
export const toolWords: Record<string, string> = {
  save: 'saves the script',
  ask: 'asks you',
  schedule: 'sets when it runs',
  dry_run: 'tries it out, and sends nothing',
  eval: 'tries it on a recorded run',
  history: 'looks at what happened',
  inspect: 'looks into a run or a script',
};

/** The name that people know an actor by: "person:ada" is ada. */
export function actorInWords(actor = ''): string {
  const [kind, name = ''] = [actor.slice(0, actor.indexOf(':')), actor.slice(actor.indexOf(':') + 1)];
  if (kind === 'person') return name;
  if (kind === 'maintainer' || actor === 'maintainer') return 'the repair';
  if (kind === 'planner' || actor === 'planner') return 'the planner';
  return 'Kintsugi';
}

export function successRate(one: Pick<Workflow, 'succeeded' | 'failed'>): string {
  const all = one.succeeded + one.failed;
  if (all === 0) return 'none ended yet';
  const percent = (100 * one.succeeded) / all;
  return `${percent === 100 || percent < 1 ? Math.round(percent) : Math.min(99, Math.round(percent))} %`;
}

/** A text with the ends of the ids in it, which are enough to tell them apart. */
export const withShortIds = (text: string) => text.replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{4}([0-9a-f]{8})\b/g, '…$1');
