// The story of a fix, told from facts: no model wrote a word of it.
import type { Call, Changed, Fix, Json, RunDetail } from '../api/types';
import { list } from './cron';
import { classWords } from './status';
import { onDay } from './time';

/** "On Tuesday shop.example answered otherwise: price is gone (it was number 12). So a run of Orders failed: …" */
export function opening(fix: Fix, run: RunDetail | undefined, world: WorldChange[], now: Date): string {
  const title = fix.workflow_title || 'the workflow';
  const when = onDay(run?.ended ?? fix.proposed, now);
  const why = run?.failure ? classWords[run.failure.class] : undefined;
  const failed = `a run of ${title} failed${why ? `: ${why}` : ''}.`;
  const changed = whatChanged(world);
  return changed ? `${when} ${changed}. So ${failed}` : `${when} ${failed}`;
}

/** The change that broke it, if the answers show one; a new member broke nothing. */
export function whatChanged(world: WorldChange[]): string | undefined {
  for (const { changes } of world) {
    const found = changes.filter((change) => change.how !== 'new').slice(0, 3);
    if (found.length > 0) return `${found[0]!.call === 0 ? 'the input was another one' : `${found[0]!.host ?? found[0]!.of} answered otherwise`}: ${list(found.map((change) => change.says))}`;
  }
  return undefined;
}

/** One sentence of what accepting it does now. */
export function standing(fix: Fix): string {
  const v = fix.verification;
  const proof = v ? proofInWords(fix) : fix.state === 'proposed' ? 'It has not been checked yet.' : 'It was not checked.';
  if (fix.state === 'held') return `A fix is ready: ${fix.comment}. ${proof}`;
  return `The fix: ${fix.comment}. ${proof}`;
}

/** "All 5 recorded successes come out the same." */
export function proofInWords(fix: Fix): string {
  const v = fix.verification;
  if (!v) return '';
  if (v.replayed === 0) return 'There is no recorded success to try it on.';
  const left = v.excluded > 0 ? ` ${v.excluded} ${v.excluded === 1 ? 'was' : 'were'} left out.` : '';
  if (v.identical === v.replayed) {
    return (v.replayed === 1 ? 'The one recorded success comes out the same with it.' : v.replayed === 2 ? 'Both recorded successes come out the same with it.' : `All ${v.replayed} recorded successes come out the same with it.`) + left;
  }
  return `${v.identical} of ${v.replayed} recorded successes come out the same with it.${left}`;
}

export type ProofCell = { run: string; tone: 'good' | 'bad' | 'warn'; says: string };

/** The outcome of each recorded success on the fix. */
export function proofCells(fix: Fix): ProofCell[] {
  const v = fix.verification;
  if (!v) return [];
  const unknown = new Set(v.unverified ?? []);
  return (v.runs ?? []).map((run, i) => {
    const name = `Recorded run ${i + 1} of ${v.runs!.length}`;
    if (run === v.diverges) return { run, tone: 'bad', says: `${name} comes out differently` };
    if (unknown.has(run)) return { run, tone: 'warn', says: `${name} needs an answer that was never recorded` };
    return { run, tone: 'good', says: `${name} comes out the same` };
  });
}

export const changedInWords = (one: Changed) => (one.of ? `${one.read ?? one.of}: ${one.says}` : one.says);

/** A change in one thing that a run was given: the program's account of it, and the answer itself, beside one of a run that succeeded. */
export type WorldChange = { call: string; changes: Changed[]; before: Json | undefined; after: Json | undefined };

export function worldChanges(good: RunDetail | undefined, bad: RunDetail): WorldChange[] {
  const used = new Set<number>();
  const told = bad.changed ?? [];
  return [...new Set(told.map((one) => one.call))].map((number) => {
    const changes = told.filter((one) => one.call === number);
    const call = (bad.calls ?? [])[number - 1];
    const twin = call && (good?.calls ?? []).find((other) => !used.has(other.seq) && other.tool === call.tool && other.returned && other.result !== undefined && place(other) === place(call));
    if (twin) used.add(twin.seq);
    return number === 0
      ? { call: changes[0]!.of, changes, before: good?.input, after: bad.input }
      : { call: changes[0]!.read ?? changes[0]!.of, changes, before: twin && answerOf(twin.result!), after: call?.result === undefined ? undefined : answerOf(call.result) };
  });
}

// The text of an answer, or of its body, is often JSON itself.
function answerOf(result: Json): Json {
  if (result !== null && typeof result === 'object' && !Array.isArray(result) && typeof result.body === 'string' && 'status' in result) return answerOf(result.body);
  if (typeof result !== 'string') return result;
  try {
    return JSON.parse(result) as Json;
  } catch {
    return result;
  }
}

const place = (call: Call) => (typeof call.args?.[0] === 'string' ? call.args[0].replace(/[?#].*$/, '').replace(/\d+/g, '0') : '');

/** The newest of the runs that a fix was proved on. */
export const newestProof = (fix: Fix): string | undefined => fix.verification?.runs?.at(-1);

/** The permissions that accepting adds, in words. */
export function widensInWords(widens: { hosts?: string[]; writes?: string[]; secrets?: { name: string; host: string }[] } | undefined): string[] {
  if (!widens) return [];
  const words: string[] = [];
  if (widens.hosts?.length) words.push(`It reaches ${list(widens.hosts)}, where this script never was.`);
  if (widens.writes?.length) words.push(`It writes where it never wrote: ${list(widens.writes)}.`);
  for (const secret of widens.secrets ?? []) words.push(`The key ${secret.name} would be sent to ${secret.host}.`);
  return words;
}
