import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { get, patch, path, post, remove } from '../api/client';
import type { PathOf, Schemas } from '../api/described';
import { useMay } from '../api/session';
import { possible, setDesktop, useDesktop } from '../desktop';
import { Link } from '../navigation';
import { Ask, useAct } from '../ui/base/act';
import { Badge, Button, Heading, Moment, Outside, plain, Section } from '../ui/base/basics';
import { Egress, egressChanges } from '../ui/settings/egress';
import { Field } from '../ui/base/field';
import { Failed, Loading, Refused } from '../ui/base/states';
import { Shape } from '../ui/settings/shape';
import { TellAnother } from '../ui/settings/tell';
import { looked, Ways } from '../ui/base/ways';
import { withoutCommands } from '../words/refusal';
import type { Tone } from '../words/status';
import { count, length, size } from '../words/time';
import { later } from '../later';

const Dialog = later(() => import('../ui/base/dialog'));

type Subscription = Schemas['Subscription'];

const ask = <P extends PathOf<'get'>>(of: P) => ({ queryKey: ['system', of], queryFn: ({ signal }: { signal: AbortSignal }) => get(of, undefined, signal) });

/** The server and what it stands on: for whoever looks after it. */
export default function SystemPage() {
  const system = useQuery(ask('/system'));
  const admin = useMay('admin');
  const parts = useQueries({ queries: [ask('/autofix'), ask('/generations'), ask('/subscriptions'), ask('/sessions'), ...(admin ? [ask('/egress'), egressChanges()] : [])] });
  // A part that is refused is asked for again where it stands: it has been fetched all the same.
  if (system.isPending || parts.some((one) => !one.isFetched)) return <><Heading title="System" /><Loading what="the server" /></>; // what came later would move the rest
  return (
    <>
      <Heading title="System" />
      <Ways label="What it stands on" ways={looked} />
      <Section title="This server">
        {system.isError ? <Failed error={system.error} what="server" /> : (
          <>
            <p>
              {system.data.version ? `Version ${plain(system.data.version)}` : 'A version without a number'}. Its record is kept in {stores[system.data.store] ?? plain(system.data.store)}. {system.data.model ? <>Agents ask the model {plain(system.data.model)}.</> : 'No language model is configured.'}{' '}
              Lists are <strong>{system.data.views.ready ? 'up to date' : 'being made'}</strong>{system.data.views.seconds_left ? `, for about ${length(1000 * system.data.views.seconds_left)} more` : ''}.
            </p>
            <ul className="mt-3 space-y-1.5 text-sm">{(system.data.nodes ?? []).map((one) => <Node key={one.name} one={one} />)}</ul>
          </>
        )}
      </Section>
      <Repairs />
      <Lists />
      <Outsiders />
      <SignedIn />
      <OnDesktop />
      {admin && <Egress />}
      {admin && <Doctor />}
    </>
  );
}

/** A server that has work of its own: it extends its hold on it for as long as it lives. */
function Node({ one }: { one: Schemas['NodeAtWork'] }) {
  const late = one.late?.length ?? 0;
  return (
    <li className="flex flex-wrap items-center gap-2">
      <Badge tone={late > 0 ? 'warn' : 'good'} title={plain(one.name)}>{one.self ? 'this server' : plain(one.name)}</Badge>
      <span className="text-soft">
        {count(one.runs, 'run')} and {count(one.agents, 'conversation')} of agents under way
        {one.lease_until && <>, held until <Moment at={one.lease_until} /></>}
        {late > 0 && `; ${late} it holds no more, and nobody has taken them over yet`}
      </span>
    </li>
  );
}

function Repairs() {
  const asked = useQuery(ask('/autofix'));
  const admin = useMay('admin');
  if (asked.isPending) return <Section title="Repairs"><Loading what="repairs" /></Section>;
  if (asked.isError) return <Section title="Repairs"><Failed error={asked.error} what="repairs" /></Section>;
  const one = asked.data;
  const on = one.repairs === 'on';
  return (
    <Section
      title="Repairs"
      aside={admin && <span className="flex flex-wrap gap-2"><Caps now={one} />{on
        ? <Ask word="Stop all repairs" title="Stop all repairs of all workflows" look="danger" act={(reason) => post('/autofix/off', { reason })} said="Repairs are stopped." undo={() => post('/autofix/on', {})} note={{ label: 'Why (optional)' }}><p>Failures are recorded and wait; nothing is handed to you because of it.</p></Ask>
        : <Ask word="Let repairs go on" title="Let repairs go on" look="primary" act={() => post('/autofix/on', {})} said="Repairs go on."><p>What waited is worked on.</p></Ask>}</span>}
    >
      <p>
        <Badge tone={on ? 'good' : 'warn'}>{on ? 'on' : one.repairs === 'capped' ? 'a cap is reached' : 'stopped'}</Badge>{' '}
        {one.reason && <><Outside text={one.reason} />. </>}Models cost ${one.spent_day_usd.toFixed(2)} today{one.per_day_usd > 0 && ` of $${one.per_day_usd.toFixed(2)}`}, ${one.spent_month_usd.toFixed(2)} this month
        {one.per_month_usd > 0 && ` of $${one.per_month_usd.toFixed(2)}`}.{(one.waiting?.length ?? 0) > 0 && ` ${count(one.waiting!.length, 'repair')} ${one.waiting!.length === 1 ? 'waits' : 'wait'}.`}
      </p>
    </Section>
  );
}

/** The caps on what agents spend: in a day, in a month, on one fix. */
function Caps({ now }: { now: Schemas['Autofix'] }) {
  const [open, set] = useState(false);
  const [caps, change] = useState({ per_day_usd: now.per_day_usd, per_month_usd: now.per_month_usd, per_fix_usd: now.per_fix_usd });
  const save = useAct(() => patch('/autofix/cap', caps), { said: 'Saved: that is what they may spend.', done: () => set(false) });
  return (
    <>
      <Button onClick={() => set(true)}>Change what agents may spend…</Button>
      <Suspense fallback={null}>
        {open && (
          <Dialog onClose={() => set(false)} title="What agents may spend">
            <form
              className="space-y-3"
              onSubmit={(event) => {
                event.preventDefault();
                save.mutate();
              }}
            >
              {([['per_day_usd', 'In a day'], ['per_month_usd', 'In a month'], ['per_fix_usd', 'On one fix']] as const).map(([name, label]) => (
                <Field key={name} label={`${label}, US dollars`} hint="0 for as much as it takes.">
                  <input className="field w-full" type="number" min={0} step="any" required value={caps[name]} onChange={(event) => change({ ...caps, [name]: event.target.valueAsNumber })} />
                </Field>
              ))}
              <Refused error={save.error} />
              <div className="flex justify-end gap-2"><Button onClick={() => set(false)}>Not now</Button><Button type="submit" look="primary" busy={save.isPending}>Save the caps</Button></div>
            </form>
          </Dialog>
        )}
      </Suspense>
    </>
  );
}

const stores: Record<string, string> = { sqlite: 'a file of its own', postgres: 'PostgreSQL', postgresql: 'PostgreSQL', eventstoredb: 'EventStoreDB', esdb: 'EventStoreDB' };
const subscriptionWords: Record<string, string> = { active: 'told', live: 'told', paused: 'not told', lost: 'lost its place' };
const tones: Record<string, Tone> = { ok: 'good', warn: 'warn', fail: 'bad', bad: 'bad', error: 'bad' };

function Doctor() {
  const asked = useQuery({ ...ask('/doctor'), queryKey: ['fixed', 'doctor'] });
  return (
    <Section title="Is anything wrong?" aside={<Button busy={asked.isFetching} onClick={() => void asked.refetch()}>Look again</Button>}>
      {asked.isPending ? <Loading what="what is wrong" /> : asked.isError ? <Failed error={asked.error} what="check" /> : (
        <>
          <ul className="divide-y divide-line">{asked.data.items.filter((one) => one.status !== 'ok').map((one) => <Checked key={one.name} check={one} />)}</ul>
          <details className="mt-2" open={asked.data.items.every((one) => one.status === 'ok')}>
            <summary className="link text-sm">{count(asked.data.items.filter((one) => one.status === 'ok').length, 'thing')} found well</summary>
            <ul className="divide-y divide-line">{asked.data.items.filter((one) => one.status === 'ok').map((one) => <Checked key={one.name} check={one} />)}</ul>
          </details>
        </>
      )}
    </Section>
  );
}

// Advice for a terminal is not for a page: here is what can be done on it, and what is for whoever runs the server.
const advice: Record<string, ReactNode> = {
  model: 'If agents are to write and mend scripts, whoever runs the server names a model when it starts. Known failures are mended without one.',
  runs: <Link className="link" to="/">Answer them on Today</Link>,
  subscriptions: 'Look after them above, under who is told of events.',
};
const checks: Record<string, string> = {
  model: 'Language model', runs: 'Runs', writable: 'Record', chain: 'Chain of the record', clock: 'Clock', views: 'Lists', quarantine: 'Streams', secrets: 'Keys', server: 'Server',
  leases: 'Work of other servers', subscriptions: 'Who is told', directory: 'Directory', disk: 'Disk', store: 'Store', version: 'Version',
};

function Checked({ check }: { check: Schemas['Check'] }) {
  const does = advice[check.name] ?? withoutCommands(check.do ?? '');
  return (
    <li className="flex flex-col gap-1 py-2 sm:flex-row sm:gap-3">
      <span className="w-44 shrink-0"><Badge tone={tones[check.status] ?? 'info'}>{checks[check.name] ?? plain(check.name)}</Badge></span>
      <span>
        <Outside text={check.seen} />
        {check.status !== 'ok' && does && <strong className="block">{typeof does === 'string' ? <Outside text={does} /> : does}</strong>}
      </span>
    </li>
  );
}

function Lists() {
  const asked = useQuery(ask('/generations'));
  return (
    <Section title="Lists" aside={<span className="text-sm text-soft">each version of the program makes its own from the record</span>}>
      {asked.isPending ? <Loading what="the lists" /> : asked.isError ? <Failed error={asked.error} what="lists" /> : (
        <ul className="space-y-2">
          {asked.data.items.map((one) => (
            <li key={one.name} className="flex flex-wrap items-center gap-2 text-sm">
              <Badge tone={one.error ? 'bad' : one.behind > 0 && one.in_use ? 'info' : one.current ? 'good' : 'plain'}>{one.current ? 'made by this version' : 'made by another version'}</Badge>
              <span className="text-soft" title={plain(one.name)}>{one.in_use ? 'in use' : 'not in use'}, {one.behind === 0 ? 'up to date' : `${count(one.behind, 'event')} behind`}, {count(one.rows, 'row')}, {size(one.bytes)}</span>
              {one.error && <Outside text={one.error} />}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Browsers in which somebody is signed in: your own, or for an admin everybody's. */
function SignedIn() {
  const asked = useQuery(ask('/sessions'));
  const admin = useMay('admin');
  return (
    <Section title={admin ? 'Who is signed in' : 'Where you are signed in'}>
      {asked.isPending ? <Loading what="sessions" /> : asked.isError ? <Failed error={asked.error} what="sessions" />
        : asked.data.items.length === 0 ? <p className="text-soft">No browser has a session.</p>
        : (
          <ul className="divide-y divide-line" aria-label="Sessions">
            {asked.data.items.map((one) => (
              <li key={one.id} className="flex flex-wrap items-center gap-2 py-2 text-sm">
                <strong className="[overflow-wrap:anywhere]">{plain(one.person)}</strong>
                {one.this && <Badge tone="good">this browser</Badge>}
                <span className="text-soft [overflow-wrap:anywhere]">
                  {one.account ? <>with the account at {plain(one.account.issuer)}</> : 'with a token'}, may {one.scopes?.join(', ')}
                  {one.owner && <> in workflows of {plain(one.owner)}</>}{one.expires && <>, until <Moment at={one.expires} /></>}
                </span>
                {!one.this && (
                  <span className="ml-auto">
                    <Ask word="End this session…" title={`End the session of ${plain(one.person)}`} confirm="End this session" look="danger" act={() => remove(path('/sessions/{session}', one.id))} said="The session is ended.">
                      <p>That browser is signed out at once. Whoever uses it can sign in again, as long as their token or account lets them in.</p>
                    </Ask>
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
    </Section>
  );
}

/** Whether this browser tells of what needs somebody while nobody looks at the page. */
function OnDesktop() {
  const on = useDesktop();
  const [refused, refuse] = useState(false);
  return (
    <Section title="Notices on this desktop">
      {possible() ? (
        <label className="flex items-start gap-2.5">
          <input type="checkbox" className="mt-1 size-4 accent-(--gold)" checked={on} onChange={(event) => void setDesktop(event.target.checked).then((may) => refuse(!may))} />
          <span>
            Tell me on this desktop what needs me
            <span className="block text-sm text-soft">Once for all tabs of this browser, while one of them is open.</span>
          </span>
        </label>
      ) : <p className="text-soft">Browsers tell on the desktop only of pages whose address begins with https.</p>}
      {refused && <p role="alert" className="mt-2 text-sm text-bad">Your browser does not allow it. Allow notifications for this address in its settings, then choose it again.</p>}
    </Section>
  );
}

function Outsiders() {
  const admin = useMay('admin');
  const asked = useQuery(ask('/subscriptions'));
  return (
    <Section title="Who is told of events">
      {asked.isPending ? <Loading what="who is told" /> : asked.isError ? <Failed error={asked.error} what="subscriptions" />
        : asked.data.items.length === 0 ? <p className="text-soft">Nobody outside is told.</p>
        : <ul className="divide-y divide-line">{asked.data.items.map((one) => <Outsider key={one.name} one={one} />)}</ul>}
      {admin && <TellAnother />}
    </Section>
  );
}

function Outsider({ one }: { one: Subscription }) {
  const admin = useMay('admin');
  const turn = useAct((verb: 'pause' | 'resume' | 'dead-letters/retry') => post(path(`/subscriptions/{subscription}/${verb}`, one.name), {}), { said: (_, verb) => ({ pause: 'It is told nothing until you let it go on.', resume: 'It is told again.', 'dead-letters/retry': 'They are delivered now.' })[verb] });
  return (
    <li className="py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={one.state === 'paused' ? 'plain' : one.state === 'lost' ? 'bad' : one.dead_letters > 0 || one.failing > 0 ? 'warn' : 'good'}>{subscriptionWords[one.state] ?? plain(one.state)}</Badge>
        <strong className="[overflow-wrap:anywhere]">{plain(one.name)}</strong>
        <span className="text-sm text-soft">{one.lag === 0 ? 'up to date' : `${count(one.lag, 'event')} behind`}{one.dead_letters > 0 && `, ${count(one.dead_letters, 'event')} could not be delivered`}</span>
        {admin && (
          <span className="ml-auto flex flex-wrap gap-2">
            {one.dead_letters > 0 && <Button busy={turn.isPending} onClick={() => turn.mutate('dead-letters/retry')}>Deliver what failed now</Button>}
            <Button busy={turn.isPending} onClick={() => turn.mutate(one.state === 'paused' ? 'resume' : 'pause')}>{one.state === 'paused' ? 'Tell it again' : 'Stop telling it'}</Button>
          </span>
        )}
      </div>
      {one.last_error && <p className="mt-1 text-sm text-bad"><Outside text={one.last_error} /></p>}
      <Refused error={turn.error} />
      {admin && <Shape key={`${one.filter} ${one.transform}`} one={one} />}
    </li>
  );
}
