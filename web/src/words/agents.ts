// The words for coding agents: plans, jobs, and what the Healer does.
import type { Cast, Checkpoint, Heal, Step } from '../api/agents';
import type { Tone } from './status';

type Said = { word: string; tone: Tone };

export const planWords: Record<string, Said & { means: string }> = {
  running: { word: 'at work', tone: 'info', means: 'Something goes on without you.' },
  held: { word: 'waits for you', tone: 'warn', means: 'All that is left of it waits for a person.' },
  completed: { word: 'done', tone: 'good', means: 'Every job is on the integration branch, or was dropped.' },
  cancelled: { word: 'cancelled', tone: 'plain', means: 'Somebody ended it. Branches and worktrees are kept.' },
};

export const jobWords: Record<string, Said & { means: string }> = {
  pending: { word: 'not begun', tone: 'plain', means: 'It waits for what it needs, or for its turn.' },
  running: { word: 'at work', tone: 'info', means: 'Its agent is at work.' },
  checking: { word: 'being compared', tone: 'info', means: 'What it changed is compared with what it may touch.' },
  verifying: { word: 'being verified', tone: 'info', means: 'Its own checks run.' },
  ready_to_merge: { word: 'in line to merge', tone: 'gold', means: 'Its checks passed. It waits for its turn in the merge train.' },
  merging: { word: 'merge is verified', tone: 'gold', means: 'The merge is made, and verified before the branch is moved.' },
  healing: { word: 'being healed', tone: 'gold', means: 'It failed, and the Healer is at work. Only if the failed check then passes it goes on.' },
  merged: { word: 'merged', tone: 'good', means: 'It is on the integration branch.' },
  held: { word: 'waits for you', tone: 'warn', means: 'It stands still until a person answers.' },
  cancelled: { word: 'cancelled', tone: 'plain', means: 'The plan was ended before.' },
  dropped: { word: 'dropped', tone: 'plain', means: 'Somebody took it out of the plan. Its branch is kept.' },
};

/** The looks of the statuses in a bar of many jobs, in this order. */
export const jobOrder = ['merged', 'merging', 'ready_to_merge', 'verifying', 'checking', 'running', 'healing', 'held', 'pending', 'cancelled', 'dropped'];

export const kindWords: Record<string, string> = {
  touchset: 'It changed files that it may not touch',
  merge_conflict: 'It cannot be merged without a conflict',
  test_failure: 'A check failed',
  job_failed: 'The job failed',
  no_change: 'It changed nothing',
  stopped: 'Somebody stopped it',
};

export const answerWords: Record<string, { word: string; button: string; does: string; done: string; said: string }> = {
  accept: {
    word: 'Accept',
    button: 'Accept these changes',
    done: 'Accepted. The job is verified, then it is in line to merge.',
    does: 'Exactly these changes may pass, as they are in the commit that was looked at. The job is verified before it is merged; other jobs are not touched.',
    said: 'let exactly these changes pass',
  },
  relaunch: {
    word: 'Relaunch',
    button: 'Relaunch the agent',
    done: 'The agent goes to work again.',
    does: 'The agent goes to work again in the same worktree. It is told its task, what is wrong, what it may touch, and to revert the rest without breaking the work.',
    said: 'had the agent correct it',
  },
  retry: {
    word: 'Retry',
    button: 'Check my repair',
    done: 'The files are looked at and verified again.',
    does: 'You repaired the files in the worktree. They are looked at and verified again; what is still wrong is said.',
    said: 'repaired it, and had it checked again',
  },
  cancelled: { word: 'Cancelled', button: '', does: '', done: '', said: 'ended the plan' },
  dropped: { word: 'Dropped', button: '', does: '', done: '', said: 'took it out of the plan' },
};

const answerToNothing: typeof answerWords = {
  accept: { word: 'Accept', button: 'Accept that nothing changed', done: 'Accepted: the job counts as done.', does: 'Nothing was to be changed: the job counts as done, and what needs it begins.', said: 'said that nothing was to be changed' },
  relaunch: { word: 'Relaunch', button: 'Relaunch the agent', done: 'The agent goes to work again.', does: 'The agent goes to work again in the same worktree. It is told its task, and that it changed nothing.', said: 'had the agent try again' },
};

/** An answer in words, as it is to a checkpoint of a kind. */
export function answerTo(kind: string, answer: string) {
  return (kind === 'no_change' ? answerToNothing[answer] : undefined) ?? answerWords[answer];
}

/** The answers that a checkpoint can be given. */
export function answersTo(one: Pick<Checkpoint, 'kind' | 'attempt'>): ('accept' | 'relaunch' | 'retry')[] {
  return [...(one.kind === 'touchset' || one.kind === 'no_change' ? (['accept'] as const) : []), ...(one.attempt > 0 ? (['relaunch'] as const) : []), 'retry'];
}

export const changeWords: Record<string, string> = {
  added: 'new', modified: 'changed', deleted: 'deleted', renamed: 'renamed', mode: 'another mode', type: 'became something else', moved: 'moved',
};

export const phaseWords: Record<string, string> = { init: 'set up', agent: 'the agent', verify: 'a check' };

export function stepWord(step: Pick<Step, 'phase' | 'merging' | 'index'>, subtasks = 0): string {
  if (step.phase === 'agent' && subtasks > 1) return `the agent, ${step.index + 1} of ${subtasks}`;
  const word = phaseWords[step.phase] ?? step.phase;
  return step.merging ? `${word}, of the merge` : word;
}

export const healWords: Record<string, Said & { means: string }> = {
  under_way: { word: 'being healed', tone: 'gold', means: 'It is under way.' },
  resolved: { word: 'healed', tone: 'good', means: 'The check that failed passes, with the work in the tree: the server ran it again. The work goes on.' },
  contained: { word: 'contained', tone: 'warn', means: 'The check still fails. The tree is clean, everything is kept, and the subtask is blocked until you say that it may go on.' },
  unresolved: { word: 'not healed', tone: 'bad', means: 'The check still fails, and the tree is not yet in order. The work stops, and somebody has to look.' },
  skipped: { word: 'left alone', tone: 'plain', means: 'The policy says that nothing is done.' },
};

export const healTriggers: Record<string, string> = {
  init_failed: 'What is run before the work began failed',
  verification_failed: 'A check failed after the work',
  subtask_failed: 'A subtask failed',
  job_failed: 'The agent failed at its job',
  runtime_error: 'It failed again and again',
  stuck: 'The agent got nowhere',
  left_dirty: 'An earlier session left the tree as it was',
};

export const failureKinds: Record<string, string> = {
  typecheck: 'type errors', test: 'failing tests', environment: 'the environment', timeout: 'it took too long', dirty: 'uncommitted files', other: 'something else',
};

export const spellWords: Record<string, string> = {
  rewind_uncommitted_changes: 'Put the files back to the last commit',
  rewind_to_last_green_commit: 'Went back to the last commit that was good',
  mark_task_blocked_with_followup: 'Blocked the subtask, with what is to be done',
  retry_with_minimal_subagent: 'Had a fresh agent try again',
  retry_with_resume: 'Had the agent go on in its own session',
  fix_typecheck_errors: 'Had an agent mend the type errors, and no other file',
  update_progress_with_guidance: 'Wrote into the progress file what comes first',
  run_doctor_checks: 'Looked for locks, unfinished merges and lost worktrees',
};

/** How a spell is undone, and the command for it if there is one. */
export function undoOf(cast: Pick<Cast, 'undo' | 'undone' | 'healing' | 'cast'>, session: string, subtask = ''): { words: string; command?: string } {
  if (cast.undone) return { words: 'It was undone' };
  const command = `kintsugi healer undo ${session} ${cast.healing}.${cast.cast}`;
  switch (cast.undo.kind) {
    case 'restore_files':
      return { words: 'Undone by putting back the files that were kept', command };
    case 'restore_progress':
      return (cast.undo.ref ?? '') === '' ? { words: 'Undone by taking its section out of the progress file' } : { words: 'Undone by putting back the progress file that was kept', command };
    case 'move_head':
      return { words: 'Undone by moving the branch to the old head, which is kept', command };
    case 'unblock':
      return { words: 'Undone when somebody unblocks it', command: `kintsugi healer unblock ${session}${subtask === '' ? '' : ` --subtask '${subtask.replaceAll("'", "'\\''")}'`}` };
  }
  return { words: 'There is nothing to undo' };
}

/** The outcome of a healing, as a sentence. */
export function healingInWords(heal: Pick<Heal, 'outcome' | 'reason'>): string {
  const said = healWords[heal.outcome];
  if (heal.outcome === 'skipped') return `Nothing was done: ${heal.reason ?? 'the policy says so'}.`;
  return said?.means ?? heal.outcome;
}

type Needing = { id: string; needs?: readonly string[] };

/** In which column each job stands: behind all that it needs. A circle, which no plan has, ends somewhere. */
export function columnsOf<J extends Needing>(jobs: readonly J[]): J[][] {
  const byID = new Map(jobs.map((job) => [job.id, job]));
  const depth = new Map<string, number>();
  const depthOf = (id: string, seen: ReadonlySet<string>): number => {
    const known = depth.get(id);
    if (known !== undefined) return known;
    const needs = (byID.get(id)?.needs ?? []).filter((need) => byID.has(need) && !seen.has(need));
    const is = needs.length === 0 ? 0 : 1 + Math.max(...needs.map((need) => depthOf(need, new Set([...seen, id]))));
    depth.set(id, is);
    return is;
  };
  const columns: J[][] = [];
  for (const job of jobs) (columns[depthOf(job.id, new Set())] ??= []).push(job);
  return columns;
}

/** Where something lies on a line from begin to end, in per cent, never too small to be seen. */
export function span(from: number, to: number, begin: number, end: number): { left: number; width: number } {
  const whole = Math.max(end - begin, 1);
  const left = Math.min(99.2, Math.max(0, (100 * (from - begin)) / whole));
  return { left, width: Math.max(0.8, Math.min(100 - left, (100 * (to - from)) / whole)) };
}

/** The output of a program for a terminal, as lines: colours are taken away, and a line that was written over is its last state. */
export function terminalText(text: string): string {
  // eslint-disable-next-line no-control-regex
  const bare = text.replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][0-9A-Za-z]|[=>78cDEHMNOZ])/g, '');
  return bare
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => (line.includes('\r') ? (line.split('\r').filter((part) => part !== '').at(-1) ?? '') : line))
    .join('\n');
}

/** A sentence that the server wrote, as it begins one. */
// A command or the name of a file stays as it is written.
export const sentence = (text: string) => (/^[a-z]+(?: [a-z"(]|,|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text);
