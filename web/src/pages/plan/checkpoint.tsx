// A job that stands still: why, which files, what it may touch, and the three answers.
import { useState } from 'react';
import { Link } from '../../navigation';
import { type Checkpoint, checkpointsOf, type Job } from '../../api/agents';
import { path, post, Problem } from '../../api/client';
import { useMay } from '../../api/session';
import { Ask } from '../../ui/base/act';
import { Badge, Command, Moment, Outside, plain } from '../../ui/base/basics';
import { answersTo, answerTo, changeWords, healWords, kindWords, sentence } from '../../words/agents';
import { actorInWords } from '../../words/status';
import { count } from '../../words/time';
import { Files } from './files';

const first = 10; // violations that are named at once

export function Waits({ plan, job }: { plan: string; job: Job }) {
  const held = job.checkpoint!;
  return (
    <section className="card mb-4 min-w-0 scroll-mt-24 border-warn!" aria-labelledby={`held-${job.id}`} data-held={job.id} data-checkpoint={held.checkpoint}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-t-lg border-b border-warn/50 bg-warnwash px-4 py-2.5">
        <Badge tone="warn">waits for you</Badge>
        <h2 id={`held-${job.id}`} className="min-w-0 scroll-mt-28 [overflow-wrap:anywhere]">{plain(job.id)}: {kindWords[held.kind] ?? held.kind}</h2>
        <span className="text-sm text-soft">checkpoint {held.checkpoint}{held.attempt > 0 && `, attempt ${held.attempt}`}</span>
      </header>
      <div className="p-4">
        <p className="mb-3"><Outside text={sentence(held.reason)} /></p>
        {held.healing && (
          <p className="mb-3 text-sm">
            <Badge tone={healWords[held.healing.outcome]?.tone ?? 'plain'}>{healWords[held.healing.outcome]?.word ?? held.healing.outcome}</Badge>{' '}
            The Healer was called before: <Outside text={held.healing.reason} />. <Link to="/healer/:id" params={{ id: held.healing.session }} className="link">See what was done</Link>
          </p>
        )}
        <div className="grid gap-4 md:grid-cols-[minmax(0,1fr)_16rem]">
          <div className="min-w-0">
            <Violations held={held} />
            {job.commit && held.kind === 'touchset' && (
              <>
                <h3 className="mt-3 mb-1.5 text-sm">What it changed there</h3>
                <Files plan={plan} job={job.id} of={`${job.commit} ${held.checkpoint}`} only />
              </>
            )}
            {held.kind !== 'touchset' && job.last && job.last.tail !== undefined && (!job.last.ok || held.kind === 'no_change') && (
              <>
                <h3 className="mt-3 mb-1.5 text-sm">How it ended</h3>
                <pre tabIndex={0} role="group" aria-label="The end of what it wrote" className="max-h-60 overflow-auto rounded-lg border border-line bg-sunken p-3 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">{plain(job.last.tail)}</pre>
              </>
            )}
          </div>
          <Allowed of={job.id} touch={held.allowed ?? []} create={held.may_create ?? []} />
        </div>
        <Answers plan={plan} job={job} held={held} />
      </div>
    </section>
  );
}

type Held = NonNullable<Job['checkpoint']>;

function Violations({ held }: { held: Held }) {
  const [all, show] = useState(false);
  const named = held.violations ?? [];
  if (named.length === 0) return null;
  const shown = all ? named : named.slice(0, first);
  const whole = Math.max(held.count ?? 0, named.length);
  return (
    <>
      <h3 className="mb-1.5 text-sm">{held.kind === 'merge_conflict' ? `${count(whole, 'file')} in conflict` : `${count(whole, 'change')} that it was not to make`}</h3>
      <ul className="space-y-1 text-sm">
        {shown.map((one, i) => (
          <li key={i} className="[overflow-wrap:anywhere]">
            <code className="font-mono text-xs font-semibold">{one.from ? `${plain(one.from)} → ` : ''}{plain(one.path)}</code>{' '}
            <span className="text-soft">{changeWords[one.change] ?? plain(one.change)}: {plain(one.why)}</span>
          </li>
        ))}
      </ul>
      {!all && named.length > shown.length && <button type="button" className="link mt-1 text-sm" onClick={() => show(true)}>show {named.length - shown.length} more</button>}
      {whole > named.length && (all || named.length <= first) && <p className="mt-1 text-sm text-soft">and {count(whole - named.length, 'more')}</p>}
    </>
  );
}

export function Allowed({ of, touch, create }: { of: string; touch: readonly string[]; create: readonly string[] }) {
  const lists = [
    ['It may change', touch.filter((one) => !one.startsWith('!'))],
    ['It may make', create],
    ['Never', touch.filter((one) => one.startsWith('!')).map((one) => one.slice(1))],
  ] as const;
  return (
    <div className="min-w-0 self-start rounded-lg bg-sunken p-3 text-sm" role="group" aria-label={`What ${plain(of)} may touch`}>
      {lists.map(([word, globs]) => globs.length > 0 && (
        <div key={word} className="mb-2 last:mb-0">
          <h3 className="text-sm">{word}</h3>
          <ul>{globs.map((glob) => <li key={glob}><code className="font-mono text-xs [overflow-wrap:anywhere]">{plain(glob)}</code></li>)}</ul>
        </div>
      ))}
    </div>
  );
}

const labels = {
  accept: { label: 'Why it may pass. The reason is recorded with your name', required: true },
  relaunch: { label: 'What the agent is told besides (optional)' },
  retry: { label: 'What you did, for whoever reads it later (optional)' },
} as const;

function Answers({ plan, job, held }: { plan: string; job: Job; held: Held }) {
  const decide = useMay('decide');
  const answers = answersTo(held);
  return (
    <div className="mt-4 border-t border-line pt-3">
      <h3 className="mb-2">{decide ? 'What is to become of it?' : 'Somebody who may decide is asked:'}</h3>
      <ul className="grid gap-3 md:grid-cols-3">
        {answers.map((answer) => {
          const said = answerTo(held.kind, answer)!;
          return (
            <li key={answer} className="flex min-w-0 flex-col rounded-lg border border-line p-3">
              <h4 className="font-semibold">{said.word}</h4>
              <p className="mt-1 mb-2 flex-1 text-sm text-soft">{said.does}</p>
              {answer === 'retry' && job.worktree && <p className="mb-2"><Command text={`cd ${job.worktree}`} /></p>}
              {decide && (
                <div>
                  <Ask word={`${said.button}…`} confirm={said.button} look={answer === 'accept' ? 'primary' : 'plain'} title={`${said.button}: ${plain(job.id)}`} note={labels[answer]} said={said.done} act={(text) => give(plan, job.id, held.checkpoint, answer, text)}>
                    <p>{said.does}</p>
                  </Ask>
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Gives an answer for what was seen. If somebody was faster, it is said who, and with what. */
async function give(plan: string, job: string, checkpoint: number, answer: 'accept' | 'relaunch' | 'retry', text: string) {
  try {
    if (answer === 'accept') await post(path('/repo-plans/{plan}/jobs/{job}/accept', plan, job), { checkpoint, reason: text });
    else if (answer === 'relaunch') await post(path('/repo-plans/{plan}/jobs/{job}/relaunch', plan, job), { checkpoint, ...(text === '' ? {} : { note: text }) });
    else await post(path('/repo-plans/{plan}/jobs/{job}/retry', plan, job), { checkpoint, ...(text === '' ? {} : { note: text }) });
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 409) throw error;
    const was = (await checkpointsOf(plan, job).catch(() => undefined))?.items.find((one) => one.checkpoint === checkpoint);
    throw was?.answer ? new Problem(error.status, error.title, `${plain(actorInWords(was.answered_by))} ${answerTo(was.kind, was.answer)?.said ?? was.answer}${was.why ? `: ${was.why}` : '.'}`, error.fields) : error;
  }
}

/** How a checkpoint was answered. */
export function Answered({ one }: { one: Checkpoint }) {
  return (
    <li className="py-1.5 text-sm [overflow-wrap:anywhere]">
      <span className="font-semibold">{kindWords[one.kind] ?? one.kind}</span>{' '}
      <span className="text-soft">(checkpoint {one.checkpoint}{one.attempt > 0 && `, attempt ${one.attempt}`}, <Moment at={one.at} />)</span>
      {one.count ? <span className="text-soft">: {(one.violations ?? []).slice(0, 3).map((file) => plain(file.path)).join(', ')}{one.count > 3 && ` and ${one.count - 3} more`}</span> : null}
      <br />
      {one.answer
        ? <>{plain(actorInWords(one.answered_by))} {answerTo(one.kind, one.answer)?.said ?? one.answer} <Moment at={one.answered_at} />{one.why && <>: <Outside text={one.why} /></>}</>
        : <span className="text-warn">It waits for an answer.</span>}
    </li>
  );
}
