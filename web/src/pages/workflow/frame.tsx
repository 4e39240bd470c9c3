// All pages of one workflow have this: where it stands, what can be done, and the ways between them.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link, go, useId } from '../../navigation';
import { get, path, post, remove } from '../../api/client';
import { runQuery, scriptQuery, workflowQuery } from '../../api/queries';
import { useMay } from '../../api/session';
import type { Workflow } from '../../api/types';
import { Ask, useAct } from '../../ui/base/act';
import { Heading, Outside, plain, RunBadge, StatusBadge, useNow, useStanding } from '../../ui/base/basics';
import { Failed, Loading, Refused } from '../../ui/base/states';
import { SwitchOn } from '../../ui/script/switchon';
import { Labels } from '../../ui/base/labels';
import { Ways } from '../../ui/base/ways';
import { nextTry, successRate, waitsWords } from '../../words/status';
import { count, exact, soon } from '../../words/time';
import { later } from '../../later';

const DryRun = later(() => import('../../ui/script/dryrun'));
const RunNow = later(() => import('../../ui/run/runnow'));

const tabs = [
  { to: '/workflows/:id', word: 'Timeline' },
  { to: '/workflows/:id/runs', word: 'Runs' },
  { to: '/workflows/:id/script', word: 'Script' },
  { to: '/workflows/:id/fixes', word: 'Fixes' },
  { to: '/workflows/:id/chat', word: 'Chat' },
  { to: '/workflows/:id/history', word: 'History' },
  { to: '/workflows/:id/settings', word: 'Settings' },
] as const;

export function WorkflowFrame({ children }: { children: (one: Workflow, revision: string | undefined) => ReactNode }) {
  const id = useId();
  const asked = useQuery(workflowQuery(id));
  // Its buttons depend on what the script takes: once they are there, nothing moves.
  const script = useQuery({ ...scriptQuery(id, 'active'), enabled: !!asked.data?.value.version });
  const [opened, open] = useState(false);
  const settled = opened || (!asked.isPending && !script.isLoading);
  useEffect(() => open(settled), [settled]);
  if (asked.isPending || !settled) return <Loading what="the workflow" />;
  if (asked.isError) return <Failed error={asked.error} what="workflow" />;
  const one = asked.data.value;
  return (
    <>
      <Heading title={plain(one.title)} above={<Link to="/" className="link">All workflows</Link>}>
        <StatusBadge of={one} />
        <Doing one={one} />
      </Heading>
      {one.intent && <p className="-mt-2 mb-3 max-w-prose text-soft"><Outside text={one.intent} /></p>}
      <p className="mb-4 text-sm text-soft">
        <Means one={one} /> <NextTry one={one} />{one.version ? `Version ${one.version}` : 'No script yet'} · runs {one.schedule_words} · {count(one.succeeded + one.failed, 'run')}
        {one.succeeded + one.failed > 0 && `, ${successRate(one)} succeeded`} · {count(one.fixes, 'fix', 'fixes')}
        {one.held_fix && <> · <Link className="link" to="/fixes/:id" params={{ id: one.held_fix }}>a fix waits for you</Link></>}
      </p>
      {one.labels && <p className="-mt-2 mb-4 flex flex-wrap gap-1"><Labels labels={one.labels} to="/" /></p>}
      <Waiting one={one} />
      <Ways label="About this workflow" ways={tabs} params={{ id }} />
      {children(one, asked.data.revision)}
    </>
  );
}

const Means = ({ one }: { one: Workflow }) => <>{useStanding(one).means}</>;

/** When a service that does not answer is asked again. */
function NextTry({ one }: { one: Workflow }) {
  const now = useNow();
  const next = nextTry(one);
  if (!next) return null;
  return <>The next try is <time dateTime={next.at} title={exact(next.at)}>{soon(next.at, now)}</time> (<Link className="link" to="/runs/:id" params={{ id: next.run }}>the run</Link>). </>;
}

// Inputs that wait: how much, for what, and to have it tried again.
function Waiting({ one }: { one: Workflow }) {
  const mayRun = useMay('run');
  const mayDecide = useMay('decide');
  const queued = one.queued ?? [];
  const failed = queued.filter((input) => input.waits);
  if (queued.length === 0) return null;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2 text-sm">
      <details>
        <summary>{count(queued.length, 'input')} {queued.length === 1 ? 'waits' : 'wait'}, to be carried out in order</summary>
        <ul className="mt-1 list-disc pl-5 text-soft">
          {queued.slice(0, 20).map((input) => (
            <li key={input.run}>
              {input.waits ? <Link className="link" to="/runs/:id" params={{ id: input.run }}>{input.run.slice(0, 8)}</Link> : input.run.slice(0, 8)} waits for {waitsWords[input.waits ?? ''] ?? input.waits}: <Outside text={input.reason} />
              {mayDecide && <Ask word="Give it up" title="Give up this input" act={(note) => post(path('/workflows/{workflow}/inputs/{run}/leave', one.id, input.run), { note })} said="It is given up." note={{ label: 'Why (optional)' }}><p>It is never carried out. That is noted in the history.</p></Ask>}
            </li>
          ))}
        </ul>
      </details>
      {mayRun && failed.length > 0 && ['active', 'maintenance', 'held'].includes(one.status) && (
        <Ask word="Try them again" title={`Try ${count(failed.length, 'input')} again`} act={() => post(path('/workflows/{workflow}/inputs/retry', one.id))} said="They are tried now, in order.">
          <p>Their runs failed before they had written anything. They are tried again in the order in which they came.</p>
        </Ask>
      )}
    </div>
  );
}

function Doing({ one }: { one: Workflow }) {
  const edit = useMay('edit');
  const admin = useMay('admin');
  const mayRun = useMay('run');
  const [started, set] = useState<string>();
  const [trying, tryOut] = useState(false);
  const [asking, ask] = useState(false);
  const run = useAct(() => post(path('/workflows/{workflow}/runs', one.id), {}), { done: (made) => set('id' in made ? made.id : made.run.id) });
  const runs = one.version !== '' && ['draft', 'active'].includes(one.status);
  const script = useQuery({ ...scriptQuery(one.id, 'active'), enabled: mayRun && runs });
  const takes = script.data?.value.input_schema !== undefined;
  return (
    <div className="ml-auto flex flex-wrap items-center gap-2">
      {started && <Started run={started} />}
      {mayRun && runs && <button type="button" className="button primary" disabled={run.isPending || script.isPending} onClick={() => takes ? ask(true) : run.mutate()}>{takes ? 'Run now…' : 'Run now'}</button>}
      {mayRun && runs && !takes && <button type="button" className="button" onClick={() => ask(true)}>Run with an input…</button>}
      <Suspense fallback={null}>{asking && <RunNow workflow={one.id} title={one.title} started={set} close={() => ask(false)} />}</Suspense>
      {mayRun && one.version !== '' && one.status !== 'archived' && <button type="button" className="button" onClick={() => tryOut(true)}>Try it out</button>}
      <Suspense fallback={null}>{trying && <DryRun workflow={one.id} title={one.title} close={() => tryOut(false)} />}</Suspense>
      {edit && ['paused', 'waiting', 'escalated', 'draft'].includes(one.status) && one.version !== '' && (
        <SwitchOn workflow={one.id} word="Switch it on" title={`Switch on ${plain(one.title)}`}>
          <p>Runs start {one.schedule ? one.schedule_words : 'when somebody starts them'}.</p>
        </SwitchOn>
      )}
      {edit && ['active', 'maintenance', 'held', 'waiting', 'escalated'].includes(one.status) && (
        <Ask word="Pause" title={`Pause ${plain(one.title)}`} act={(reason) => post(path('/workflows/{workflow}/pause', one.id), { reason })} said="It is paused: no new runs start." undo={() => post(path('/workflows/{workflow}/activate', one.id), {})} note={{ label: 'Why (optional)' }}>
          <p>No new runs start. What is under way is finished, and a repair may finish, too.</p>
        </Ask>
      )}
      {edit && one.status === 'archived' && (
        <Ask word="Restore" title={`Take ${plain(one.title)} out of the archive`} act={() => post(path('/workflows/{workflow}/restore', one.id))} said="It is out of the archive."><p>It comes back paused, or as the draft that it was.</p></Ask>
      )}
      {admin && one.status === 'archived' && <Delete one={one} />}
      <Refused error={run.error} />
    </div>
  );
}

/** The run that somebody started, and what becomes of it. */
function Started({ run }: { run: string }) {
  const asked = useQuery(runQuery(run));
  return (
    <span role="status" className="flex flex-wrap items-center gap-2 text-sm">
      <Link to="/runs/:id" params={{ id: run }} className="link">the run that you started</Link>
      {asked.data && <RunBadge run={asked.data} />}
    </span>
  );
}

/** Takes an archived workflow away for good, after its title is typed. */
function Delete({ one }: { one: Workflow }) {
  const act = async (typed: string) => {
    if (typed.toLowerCase() !== one.title.trim().toLowerCase()) throw new Error('That is not its title. Nothing was deleted.');
    await remove(path('/workflows/{workflow}', one.id));
  };
  return (
    <Ask
      word="Delete for good" title={`Delete ${plain(one.title)} for good`} look="danger" act={act} said={`${plain(one.title)} is deleted for good.`} note={{ label: 'Type its title to delete it', required: true }}
      done={() => void go({ to: '/', search: { status: 'archived' } })}
    >
      <Goes id={one.id} />
      <p>That there were events, when and by whom, stays, and what it used. Backups, copies and systems outside that were told keep theirs.</p>
      <p>It cannot be undone.</p>
    </Ask>
  );
}

/** The things that a deletion takes away. */
function Goes({ id }: { id: string }) {
  const asked = useQuery({ queryKey: ['deletion', id], queryFn: ({ signal }) => get(path('/workflows/{workflow}/deletion', id), {}, signal) });
  if (asked.isPending) return <Loading what="what goes" />;
  if (asked.isError) return <Refused error={asked.error} />;
  const goes = asked.data;
  const own = goes.secrets ?? [];
  const secrets = own.length === 0 ? '' : `, and the secrets ${own.join(', ')}`;
  return (
    <p>
      What {count(goes.payloads, 'event')} say is erased: scripts, inputs, answers and logs, with {count(goes.runs, 'run')}, {count(goes.conversations, 'conversation')} of
      agents, {count(goes.keys, 'key')} and {count(goes.files, 'file')}{secrets}.
    </p>
  );
}
