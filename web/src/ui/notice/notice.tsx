// A notice, and the buttons with which a person answers it.
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { Link, go } from '../../navigation';
import { get, path, post } from '../../api/client';
import { useMay } from '../../api/session';
import type { Notification } from '../../api/types';
import { Deadline } from './deadline';
import { actionWords, wordOf } from '../../words/notify';
import { callsInWords, withoutCommands } from '../../words/refusal';
import { Ask, useAct } from '../base/act';
import { useAllowHost } from '../script/allowhost';
import { Badge, Button, Moment, Outside, plain, RunLink, WorkflowLink } from '../base/basics';
import { over } from '../base/over';
import { Refused } from '../base/states';
import { SwitchOn } from '../script/switchon';
import { later } from '../../later';

const SetKey = later(() => import('./setkey'));
const Undo = later(() => import('../fix/undo'));

export function Notice({ one, others = [], folded = true }: { one: Notification; others?: Notification[]; folded?: boolean }) {
  const said = wordOf(one);
  const count = one.cause?.count ?? 1;
  const workflows = one.cause?.workflows ?? 1;
  return (
    <li className="flex flex-col gap-2 py-3 md:flex-row md:items-start md:justify-between md:gap-6" data-notice={one.type} data-row tabIndex={-1}>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">
          <Badge tone={said.tone}>{said.word}</Badge>
          {one.workflow && <WorkflowLink id={one.workflow} title={one.workflow_title} />}
          <Moment at={one.cause?.last ?? one.at} />
          {count > 1 && <span>{count} times{workflows > 1 ? ` in ${workflows} workflows` : ''}</span>}
        </div>
        <p className="mt-1 font-semibold [overflow-wrap:anywhere]">{plain(one.title)}</p>
        {one.text && <Body text={callsInWords(withoutCommands(one.text))} folded={folded} />}
        {one.type === 'fix_waiting' && !one.resolved && <Deadline workflow={one.workflow} since={one.at} />}
        {(one.run || one.task) && (
          <p className="mt-1 flex flex-wrap gap-x-4 text-sm">
            {one.run && <RunLink id={one.run}>See the run</RunLink>}
            {repaired.has(one.type) && one.task && <Link className="link" to="/workflows/:id/fixes" params={{ id: one.workflow }}>See what was tried</Link>}
          </p>
        )}
        <Others one={one} />
        {others.map((other) => <p key={other.id} className="mt-1 text-sm text-soft">Also: {plain(other.title)}. It can be answered once this is.</p>)}
      </div>
      <NoticeActions one={one} />
    </li>
  );
}

const repaired = new Set(['escalated', 'maintenance_failed']);

/** The others of the same cause that say something else: each has a reason of its own. */
function Others({ one }: { one: Notification }) {
  const others = (one.also ?? []).filter((other) => other.title !== one.title || (other.text ?? '') !== (one.text ?? ''));
  if (others.length === 0) return null;
  return (
    <ul className="mt-2 space-y-1.5 border-l border-line pl-3 text-sm" aria-label="The others of the same cause">
      {others.map((other) => (
        <li key={other.id}>
          {other.workflow && <WorkflowLink id={other.workflow} title={other.workflow_title} />} <span className="[overflow-wrap:anywhere]">{plain(other.title)}</span>
          {other.text && <Body text={withoutCommands(other.text)} folded />}
        </li>
      ))}
    </ul>
  );
}

const folds = 240; // characters that are read before a text is folded

function Body({ text, folded }: { text: string; folded: boolean }) {
  const [open, set] = useState(!folded);
  const lines = text.split('\n');
  let shown = 2;
  while (lines[shown - 1]?.endsWith(':')) shown++; // it announces the next one
  if (open || (lines.length <= shown && text.length < folds)) return <p className="mt-0.5 text-sm text-soft"><Outside text={text} /></p>;
  const first = lines.slice(0, shown).join('\n');
  return (
    <p className="mt-0.5 text-sm text-soft">
      <Outside text={first.length < folds ? first : `${first.slice(0, folds).replace(/\s+\S*$/, '')}…`} />{' '}
      <button type="button" className="link" onClick={() => set(true)}>Read it all<span className="sr-only">: {plain(text.slice(0, 60))}</span></button>
    </p>
  );
}

/** At most two ways on, and to plan anew; the others are where the first one leads. */
export function NoticeActions({ one }: { one: Notification }) {
  const decide = useMay('decide');
  const run = useMay('run');
  const edit = useMay('edit');
  const admin = useMay('admin');
  const actions = new Set(one.actions ?? []);
  const seen = useAct(() => post(path('/notifications/{notification}/acknowledge', one.id)), { said: 'Seen. It is kept among the notices.' });
  const of = one.run ?? '';
  const [undoing, setUndoing] = useState(false);
  const buttons: React.ReactNode[] = [];
  const go = (to: 'fix' | 'run' | 'script', word: string, look = 'primary') =>
    to === 'fix' ? <Link key="fix" to="/fixes/:id" params={{ id: one.proposal ?? '' }} className={`button ${look}`}>{word}</Link>
    : to === 'run' ? <Link key="run" to="/runs/:id" params={{ id: of }} className={`button ${look}`}>{word}</Link>
    : <Link key="script" to="/workflows/:id/script" params={{ id: one.workflow }} className={`button ${look}`}>{word}</Link>;

  if (one.type === 'fix_waiting' && one.proposal) buttons.push(go('fix', 'Look and decide'));
  if (one.type === 'question' && decide) return <Answer one={one} />;
  if (one.type === 'held_job' && one.plan) buttons.push(<Link key="plan" to="/plans/:id" params={{ id: one.plan }} search={{ job: one.job }} className="button primary">Look and decide</Link>);
  if ((one.type === 'plan_done' || one.type === 'checkout_changed') && one.plan) buttons.push(<Link key="plan" to="/plans/:id" params={{ id: one.plan }} className="button primary">See the plan</Link>);
  if (one.type === 'healing' && one.session) buttons.push(<Link key="healing" to="/healer/:id" params={{ id: one.session }} className="button primary">See what was done</Link>);
  if (one.type === 'in_doubt' && of) buttons.push(go('run', 'Say what became of it'));
  if (actions.has('set_secret') && edit) buttons.push(<Button key="key" look="primary" onClick={() => over(<SetKey workflow={one.workflow} of={{ notice: one.id }} close={() => over()} />)}>Paste a new key</Button>);
  if (actions.has('retry_inputs') && run) {
    buttons.push(
      <Ask key="retry" word={actionWords['retry_inputs']} title="Try now what waits" look="primary" act={() => post(path('/workflows/{workflow}/inputs/retry', one.workflow))} said="What waited is tried now.">
        <p>All that waits is tried now, in the order in which it came. What does not come through waits on.</p>
      </Ask>,
    );
  }
  if (actions.has('allow_host') && edit) buttons.push(<AllowHost key="allow" one={one} />);
  if (actions.has('trust') && decide) {
    buttons.push(
      <Ask key="trust" word={actionWords['trust']} title="This run is right" act={(note) => post(path('/runs/{run}/trust', of), { note })} said="It is learnt as right." note={{ label: 'Why, if you want to say (optional)' }}>
        <p>What looked wrong is learnt as right, and the run counts as evidence again.</p>
      </Ask>,
      <Ask key="exempt" word={actionWords['exempt']} title="This run was wrong" act={(reason) => post(path('/runs/{run}/exempt', of), { reason })} said="It is left out of proofs." note={{ label: 'What was wrong with it (optional)' }}>
        <p>No repair is measured by it any more. What it wrote stays written.</p>
      </Ask>,
    );
  }
  if (actions.has('continue') && of && run) {
    buttons.push(
      <Ask key="continue" word={actionWords['continue']} title="Go on with this run" look="primary" act={() => post(path('/runs/{run}/continue', of))} said="It goes on where it stopped.">
        <p>It goes on where it stopped. What it has written is not written again.</p>
      </Ask>,
    );
  }
  if (actions.has('leave') && of && decide) {
    buttons.push(
      <Ask key="leave" word={actionWords['leave']} title="Leave this run as it is" act={(note) => post(path('/runs/{run}/leave', of), { note })} said="It stays as it is." note={{ label: 'Why (optional)' }}>
        <p>It stays half done, and you are not asked about it again.</p>
      </Ask>,
    );
  }
  if (actions.has('resume_repairs') && admin) {
    buttons.push(
      <Ask key="resume" word={actionWords['resume_repairs']} title="Let repairs of all workflows go on" look="primary" act={() => post('/autofix/on', {})} said="Repairs go on.">
        <p>What waited is worked on.</p>
      </Ask>,
    );
  }
  if (actions.has('raise_cap') && admin) buttons.push(<Link key="cap" to="/system" className="button primary">Let them spend more</Link>);
  if ((actions.has('raise_limit') || actions.has('top_up')) && admin) buttons.push(<Link key="balance" to="/usage" className="button primary">See the balance</Link>);
  if (buttons.length === 0 && actions.has('edit') && edit) buttons.push(go('script', 'Edit the script'));
  if (buttons.length < 2 && actions.has('activate') && edit) {
    buttons.push(
      <SwitchOn key="activate" workflow={one.workflow} word={actionWords['activate']!} title="Switch it on again">
        <p>Runs start again with the version that is there. If nothing has changed outside, the next one will fail as the last one did.</p>
      </SwitchOn>,
    );
  }
  if (buttons.length < 2 && one.type === 'fixed') {
    if (one.proposal) buttons.push(<Link key="see" to="/fixes/:id" params={{ id: one.proposal }} className="button">See the fix</Link>);
    if (edit && one.version) buttons.push(<Button key="undo" onClick={() => setUndoing(true)}>Undo the mend…</Button>);
  }
  if (buttons.length < 2 && actions.has('archive') && edit) {
    buttons.push(
      <Ask key="archive" word={actionWords['archive']} title="Archive this draft" act={() => post(path('/workflows/{workflow}/archive', one.workflow), {})} said="The draft is archived." undo={() => post(path('/workflows/{workflow}/restore', one.workflow))}>
        <p>It is out of the way. Everything is kept, and it can be restored.</p>
      </Ask>,
    );
  }
  return (
    <div className="flex shrink-0 flex-col items-start gap-1.5 md:items-end">
      <div className="flex flex-wrap gap-2 md:justify-end">{buttons.slice(0, 2)}{actions.has('replan') && edit && <Replan one={one} />}</div>
      {decide && !one.acknowledged && !one.stands_still && (
        <button type="button" className="link text-sm" disabled={seen.isPending} onClick={() => seen.mutate()}>
          {(one.cause?.count ?? 1) > 1 ? `I have seen all ${one.cause?.count}` : 'I have seen it'}
        </button>
      )}
      <Refused error={seen.error} />
      <Suspense fallback={null}>{undoing && <Undo workflow={one.workflow} version={one.version ?? ''} fix={one.proposal} close={() => setUndoing(false)} />}</Suspense>
    </div>
  );
}

/** Has the planner write the script anew, which is told what broke. */
function Replan({ one }: { one: Notification }) {
  return (
    <Ask
      word={actionWords['replan']} title="Plan it anew" said="The planner is at work on it."
      act={() => post(path('/workflows/{workflow}/plans', one.workflow), { replan: true })}
      done={() => void go({ to: '/workflows/:id/chat', params: { id: one.workflow } })}
    >
      <p>The planner reads what broke and what was tried, and writes the script anew. It asks you what it has to know.</p>
    </Ask>
  );
}

/** Allows the address that a script was refused, which is named before it is pressed, and has the run go on. */
function AllowHost({ one }: { one: Notification }) {
  const host = useQuery({ queryKey: ['decision', one.id], queryFn: ({ signal }) => get(path('/notifications/{notification}/decision', one.id), {}, signal) }).data?.host;
  const allowing = useAllowHost(one.workflow, one.run);
  return (
    <div>
      <Button look="primary" disabled={!host} busy={allowing.isPending} onClick={() => host && allowing.mutate(host)}>{host ? `Allow ${plain(host)}` : actionWords['allow_host']}</Button>
      <Refused error={allowing.error} />
    </div>
  );
}

function Answer({ one }: { one: Notification }) {
  const [text, set] = useState('');
  const answering = useAct((answer: string) => post(path('/notifications/{notification}/answer', one.id), { answer }), { said: (_, answer) => `Answered: ${plain(answer)}. It goes on.` });
  const options = one.options ?? [];
  return (
    <form
      className="w-full shrink-0 md:w-auto md:max-w-96"
      onSubmit={(event) => {
        event.preventDefault();
        answering.mutate(text.trim());
      }}
    >
      {options.length > 0 ? (
        <div className="flex flex-wrap gap-2 md:justify-end">
          {options.map((option) => <Button key={option} onClick={() => answering.mutate(option)} busy={answering.isPending}>{plain(option)}</Button>)}
        </div>
      ) : (
        <div className="flex gap-2">
          <label className="min-w-0 flex-1">
            <span className="sr-only">Your answer to: {plain(one.title)}</span>
            <input className="field w-full" value={text} onChange={(event) => set(event.target.value)} placeholder="Your answer" required />
          </label>
          <Button type="submit" look="primary" busy={answering.isPending}>Answer</Button>
        </div>
      )}
      <Refused error={answering.error} />
    </form>
  );
}
