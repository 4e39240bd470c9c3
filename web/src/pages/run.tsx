import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { Link, useId } from '../navigation';
import { path, post } from '../api/client';
import { notificationsQuery, resultQuery, runQuery, waterfallQuery, workflowQuery } from '../api/queries';
import { useMay } from '../api/session';
import type { Call, CallTiming, Json, Notification, RunDetail, Waterfall } from '../api/types';
import { Ask } from '../ui/base/act';
import { Badge, Heading, Moment, Outside, plain, RunBadge, RunLink, Section, WorkflowLink } from '../ui/base/basics';
import { BelowFailing, Failing } from '../ui/run/failing';
import { Labels } from '../ui/base/labels';
import { VirtualRows } from '../ui/base/list';
import { Notice, NoticeActions } from '../ui/notice/notice';
import { Empty, Failed, Loading } from '../ui/base/states';
import { Value } from '../ui/base/value';
import { needsYou, rowsOf } from '../words/notify';
import { triggerWords } from '../words/status';
import { count, length, size } from '../words/time';
import { later } from '../later';

const Replay = later(() => import('../ui/run/replay'));
const Fork = later(() => import('../ui/run/fork'));

export default function RunPage() {
  const id = useId();
  const asked = useQuery(runQuery(id));
  const run = asked.data;
  const of = useQuery({ ...workflowQuery(run?.workflow ?? ''), enabled: run !== undefined });
  const calls = useQuery(waterfallQuery(id));
  const notices = useQuery({ ...notificationsQuery(), enabled: run?.status === 'asking' || run?.status === 'failed' });
  if (asked.isPending || of.isLoading || calls.isPending || notices.isLoading) return <Loading what="the run" />; // once they are there, nothing moves
  if (asked.isError) return <Failed error={asked.error} what="run" />;
  if (!run) return null;
  const title = of.data?.value.title ?? 'a workflow';
  const took = run.started && run.ended ? new Date(run.ended).getTime() - new Date(run.started).getTime() : undefined;
  return (
    <>
      <Heading title={`A run of ${plain(title)}`} above={<><WorkflowLink id={run.workflow} title={title} /> · version {run.version}</>}>
        <RunBadge run={run} />
        <LookAgain run={run} />
      </Heading>
      <dl className="mb-4 flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <Fact name="began"><Moment at={run.started ?? run.admitted} /></Fact>
        <Fact name="why">{triggerWords[run.trigger] ?? plain(run.trigger)}</Fact>
        {took !== undefined && <Fact name="took">{length(took)}</Fact>}
        <Fact name="calls">{Math.max(run.usage.calls, run.calls?.length ?? 0).toLocaleString('en')}{run.usage.reused ? `, ${run.usage.reused} taken over` : ''}</Fact>
        {run.continues && <Fact name="goes on with"><RunLink id={run.continues} /></Fact>}
        {run.labels && <Fact name="labels"><span className="flex flex-wrap gap-1"><Labels labels={run.labels} to="/runs" /></span></Fact>}
        {run.attempt ? <Fact name="try">{run.attempt}</Fact> : null}
      </dl>
      <Question run={run} />
      <Doubts run={run} />
      <Asked run={run} notices={notices.data ?? []} />
      <Answers run={run} handed={of.data?.value.status === 'escalated'} />
      {run.failure && <Failing run={run} />}
      <BelowFailing run={run}>
        {(run.suspected?.length ?? 0) > 0 && !run.trusted && (
          <Section title="Why it looks wrong" id="suspected">
            <ul className="list-disc pl-5">{run.suspected!.map((one) => <li key={one}><Outside text={one} /></li>)}</ul>
          </Section>
        )}
        <Calls run={run} />
        {run.output !== undefined && <Section title="Result" id="result"><Value value={run.output} label="The result" /></Section>}
        <Section title="Input" id="input"><Value value={run.input} label="The input" /></Section>
        <Log run={run} />
        <WentOn run={run} />
      </BelowFailing>
    </>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return <div className="flex gap-1.5"><dt className="text-soft">{name}</dt><dd className="font-medium">{children}</dd></div>;
}

function LookAgain({ run }: { run: RunDetail }) {
  const [open, set] = useState(false);
  if (!run.ended) return null;
  return (
    <span className="ml-auto">
      <button type="button" className="button" onClick={() => set(true)}>Replay the run…</button>
      <Suspense fallback={null}>{open && <Replay run={run} close={() => set(false)} />}</Suspense>
    </span>
  );
}

/** The notices of this run, with their answers. Others have a place of their own on this page. */
function Asked({ run, notices }: { run: RunDetail; notices: Notification[] }) {
  const own = notices.filter((one) => one.run === run.id && needsYou(one) && !['question', 'in_doubt', 'unfinished'].includes(one.type) && !one.actions?.includes('allow_host'));
  if (own.length === 0) return null;
  return <ul className="card mb-4 divide-y divide-line border-gold/60! px-4">{rowsOf(own).map(([first, ...others]) => <Notice key={first!.id} one={first!} others={others} />)}</ul>;
}

function Answers({ run, handed }: { run: RunDetail; handed: boolean }) {
  const decide = useMay('decide');
  const start = useMay('run');
  const looksWrong = run.status === 'succeeded' && (run.suspected?.length ?? 0) > 0 && !run.trusted;
  const stopped = run.unfinished !== undefined && run.unfinished !== null;
  const goesOn = stopped && !handed; // else the workflow has to be answered first
  const buttons = [
    start && run.retriable && (
      <Ask key="retry" word="Try the run again" title="Try this run again" act={() => post(path('/runs/{run}/retry', run.id))} said="It is tried again.">
        <p>It goes on with the same input and with what it had done, so nothing is written twice.</p>
      </Ask>
    ),
    start && run.repairable && (
      <Ask key="repair" word="Repair the workflow" confirm="Repair it" title="Have the workflow mended of this" act={() => post(path('/runs/{run}/repair', run.id))} said="It is worked on: what comes of it is told you.">
        <p>A run by hand fails for itself. Asked for, its failure is worked on like that of a run that began by itself, and with a fix the run goes on.</p>
      </Ask>
    ),
    start && goesOn && (
      <Ask key="continue" word="Go on with the run" look="primary" title="Go on with this run" act={() => post(path('/runs/{run}/continue', run.id))} said="It goes on where it stopped.">
        <p>It goes on with the active version, where it stopped. What it has written is not written again.</p>
      </Ask>
    ),
    start && goesOn && (
      <Ask key="restart" word="Start the run again" title="Start this run again from the beginning" act={() => post(path('/runs/{run}/restart', run.id), { write_again: true })} said="It began anew, with the same input." look="danger">
        <p>It begins anew with the same input. <strong>What it has written is written again:</strong></p>
        <Again writes={run.unfinished?.again ?? []} />
      </Ask>
    ),
    start && ['admitted', 'running', 'asking', 'in_doubt'].includes(run.status) && (
      <Ask key="cancel" word="Cancel the run…" confirm="Cancel the run" title="Cancel this run" act={(reason) => post(path('/runs/{run}/cancel', run.id), { reason })} said="It is cancelled." note={{ label: 'Why (optional)' }} look="danger">
        <p>It ends before its next write, and nothing follows from it. What it has written stays.</p>
      </Ask>
    ),
    decide && stopped && (
      <Ask key="leave" word="Leave the run as it is" title="Leave this run as it is" act={(note) => post(path('/runs/{run}/leave', run.id), { note })} said="It stays as it is." note={{ label: 'Why (optional)' }}>
        <p>It stays half done, and you are not asked about it again.</p>
      </Ask>
    ),
    decide && looksWrong && (
      <Ask key="trust" word="The run is right" title="This run is right" act={(note) => post(path('/runs/{run}/trust', run.id), { note })} said="It is learnt as right." note={{ label: 'Why (optional)' }}>
        <p>What looked wrong is learnt as right, and the run counts as evidence again.</p>
      </Ask>
    ),
    decide && run.status === 'succeeded' && !run.exempted && (
      <Ask key="exempt" word="Leave the run out of proofs…" confirm="Leave it out of proofs" title="Leave this run out of proofs" act={(reason) => post(path('/runs/{run}/exempt', run.id), { reason })} said="It is left out of proofs." note={{ label: 'What was wrong with it (optional)' }}>
        <p>No repair is measured by it any more. What it wrote stays written.</p>
      </Ask>
    ),
  ].filter(Boolean);
  if (buttons.length === 0 && !stopped && !run.delayed_since) return null;
  const quiet = !stopped && !run.delayed_since && !looksWrong && run.status === 'succeeded'; // nothing of it asks for anybody
  return (
    <div className={quiet ? 'mb-4 text-sm' : 'card mb-4 p-3'}>
      {run.delayed_since && <p className="mb-2">It waits since <Moment at={run.delayed_since} />: {run.delayed_by}. It is tried again <Moment at={run.next_try ?? run.delayed_since} />, and nothing of it is lost.</p>}
      {stopped && <p className="mb-2">It is <strong>half done</strong>: it had made {count(run.unfinished!.writes, 'write')} when it stopped.{handed && ' It can go on or start again once its workflow is switched on again, or has another script.'}</p>}
      <div className="flex flex-wrap gap-2">{buttons}</div>
    </div>
  );
}

/** The writes that are made again if the run starts again. */
function Again({ writes }: { writes: NonNullable<NonNullable<RunDetail['unfinished']>['again']> }) {
  return (
    <ul className="max-h-60 list-disc space-y-1 overflow-auto pl-5" aria-label="Written again">
      {writes.map((one, at) => (
        <li key={at}>
          <code className="break-all">{one.call}</code>
          {one.in_doubt && ' (nobody knows whether it happened)'}
        </li>
      ))}
    </ul>
  );
}

const stateWords: Record<string, { word: string; tone: 'good' | 'bad' | 'warn' | 'info' }> = {
  answered: { word: 'answered', tone: 'good' },
  failed: { word: 'failed', tone: 'bad' },
  pending: { word: 'under way', tone: 'info' },
  asking: { word: 'asks you', tone: 'warn' },
  in_doubt: { word: 'in doubt', tone: 'warn' },
  resolved: { word: 'found out', tone: 'good' },
};

function Calls({ run }: { run: RunDetail }) {
  const asked = useQuery(waterfallQuery(run.id));
  const [open, set] = useState<number>();
  const bySeq = useMemo(() => new Map((run.calls ?? []).map((call) => [call.seq, call])), [run.calls]);
  const calls = asked.data?.calls ?? [];
  return (
    <Section title="What it called" id="calls" aside={<span className="text-sm text-soft">{count(calls.length, 'call')}</span>}>
      {asked.isPending ? <Loading what="the calls" />
        : asked.isError ? <Failed error={asked.error} what="the calls" />
        : calls.length === 0 ? <Empty title="It called nothing" />
        : (
          <>
          <Axis ms={asked.data.ms} />
          <VirtualRows
            rows={calls}
            id={(call) => String(call.seq)}
            estimate={38}
            vary
            label="Calls, in the order they were made"
            row={(call) => <CallRow call={call} all={asked.data} detail={bySeq.get(call.seq)} open={open === call.seq} toggle={() => set(open === call.seq ? undefined : call.seq)} run={run} />}
          />
          </>
        )}
    </Section>
  );
}

/** The time that the bars lie in, above their column. */
function Axis({ ms }: { ms: number }) {
  return (
    <div className="hidden items-center gap-2 border-b border-line/60 pb-1 text-xs text-soft md:flex" data-axis>
      <span className="flex-1">in the order in which they were made</span>
      <span className="flex w-44 justify-between font-mono" role="img" aria-label={`The bars lie in ${length(ms)}`}><span>0</span><span>{length(ms / 2)}</span><span>{length(ms)}</span></span>
      <span className="w-16 text-right">took</span>
      <span className="w-32 text-right">what came of it</span>
    </div>
  );
}

function CallRow({ call, all, detail, open, toggle, run }: { call: CallTiming; all: Waterfall; detail: Call | undefined; open: boolean; toggle: () => void; run: RunDetail }) {
  const said = stateWords[call.state] ?? { word: call.state, tone: 'info' as const };
  const whole = Math.max(all.ms, 1);
  const left = Math.min(99, (100 * call.start_ms) / whole);
  const width = Math.max(0.8, Math.min(100 - left, (100 * call.duration_ms) / whole));
  const what = calledWhat(call);
  return (
    <div className="border-b border-line/60">
      <button type="button" onClick={toggle} aria-expanded={open} className="flex w-full items-center gap-2 py-1.5 text-left text-sm hover:bg-sunken">
        <span className="w-9 shrink-0 text-right font-mono text-xs text-soft">{call.seq}</span>
        <span className={`w-12 shrink-0 text-xs ${call.effect === 'write' ? 'font-semibold text-gold' : 'text-soft'}`}>{call.effect}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs">{plain(what.slice(0, 300))}</span>
        <span aria-hidden="true" className="relative hidden h-3 w-44 shrink-0 rounded-sm bg-sunken md:block">
          <span
            className={`absolute inset-y-0 rounded-sm ${call.from ? 'bg-soft/50' : call.state === 'failed' ? 'bg-bad' : call.effect === 'write' ? 'bg-gold' : 'bg-info'}`}
            style={{ left: `${left}%`, width: `${width}%` }}
          />
        </span>
        <span className="hidden w-16 shrink-0 text-right font-mono text-xs text-soft sm:block">{length(call.duration_ms)}</span>
        <span className="flex w-32 shrink-0 justify-end">
          {call.from ? <Badge tone="plain" title="It was answered from the record of the run that this one goes on with; nothing was sent">from the record</Badge> : <Badge tone={said.tone}>{said.word}</Badge>}
        </span>
      </button>
      {open && (
        <div className="grid gap-3 px-2 pb-3 md:grid-cols-2">
          <div className="min-w-0"><h3 className="mb-1 text-sm">Asked ({size(call.sent)})</h3><Value value={detail?.args as never} label={`What call ${call.seq} asked`} /></div>
          <div className="min-w-0">
            <h3 className="mb-1 text-sm">Answered ({size(call.received)}{call.status ? `, ${call.status}` : ''})</h3>
            {call.state === 'in_doubt' ? <p className="text-sm">{cameBack(call)}</p> : detail?.error ? <p className="font-mono text-sm text-bad"><Outside text={detail.error.message} /></p> : <Value value={detail?.result} label={`What call ${call.seq} was answered`} />}
          </div>
          <p className="text-xs text-soft md:col-span-2">
            {detail?.key && <>Key against repeats <code className="font-mono">{detail.key}</code>. </>}
            {call.from && <>Answered from <RunLink id={call.from} />. </>}
            {call.retries ? `Tried ${call.retries + 1} times. ` : ''}
            {(call.secrets?.length ?? 0) > 0 && `Keys used: ${call.secrets!.join(', ')}.`}
          </p>
          {run.ended && <FromHere run={run} seq={call.seq} what={what.trim()} />}
        </div>
      )}
    </div>
  );
}

function FromHere({ run, seq, what }: { run: RunDetail; seq: number; what: string }) {
  const may = useMay('run');
  const [open, set] = useState(false);
  if (!may) return null;
  return (
    <div className="md:col-span-2">
      <button type="button" className="button text-sm" onClick={() => set(true)}>Start another run from here…</button>
      <Suspense fallback={null}>{open && <Fork run={run} seq={seq} what={plain(what.slice(0, 120))} close={() => set(false)} />}</Suspense>
    </div>
  );
}

const cameBack = ({ status }: CallTiming) => (status ? `What came back was status ${status}, which does not say whether it happened.` : 'No answer came.');

/** The question that the run waits for the answer of. */
function Question({ run }: { run: RunDetail }) {
  const asks = useQuery({ ...notificationsQuery(), enabled: run.status === 'asking' }).data?.find((one) => one.type === 'question' && one.run === run.id && !one.resolved);
  if (run.status !== 'asking' || !asks) return null;
  return (
    <Section title="It asks you, and waits for the answer" id="question">
      <p className="font-semibold"><Outside text={asks.title} /></p>
      {asks.text && <p className="text-sm text-soft"><Outside text={asks.text} /></p>}
      <div className="mt-3 flex"><NoticeActions one={asks} /></div>
    </Section>
  );
}

/** The writes whose fate nobody knows, with the answers that a person can give. */
function Doubts({ run }: { run: RunDetail }) {
  const calls = useQuery({ ...waterfallQuery(run.id), enabled: run.status === 'in_doubt' }).data?.calls ?? [];
  return calls.filter((call) => call.state === 'in_doubt').map((call) => <Doubt key={call.seq} run={run} call={call} sent={run.calls?.find((one) => one.seq === call.seq)?.args} />);
}

function Doubt({ run, call, sent }: { run: RunDetail; call: CallTiming; sent: Json[] | undefined }) {
  const may = useMay('decide');
  const say = (how: 'happened' | 'did_not' | 'skip') => (answer: string) => post(path('/runs/{run}/effects/{seq}', run.id, String(call.seq)), { how, ...(answer ? { result: answered(answer) } : {}) });
  return (
    <Section title="A write is in doubt: did it happen?" id={`doubt-${call.seq}`}>
      <p className="font-mono text-sm [overflow-wrap:anywhere]">{plain(calledWhat(call).slice(0, 300))}</p>
      <p className="mt-1 mb-3">It was sent. {cameBack(call)} <strong>Look at the other side, and say what you find.</strong> The run waits for it.</p>
      {sent !== undefined && <details className="mb-3 text-sm"><summary className="link">What was sent</summary><Value value={sent} label="What was sent" /></details>}
      {may && (
        <div className="flex flex-wrap gap-2">
          <Ask word="It happened" title="It happened" look="primary" act={say('happened')} said="Noted: it happened. The run goes on." note={{ label: 'What was answered there, as JSON (optional)' }}>
            <p>It is not sent again, and the run goes on with the answer that you give. Without one the script gets nothing.</p>
          </Ask>
          <Ask word="It did not happen" title="It did not happen" act={say('did_not')} said="Noted: it did not happen. It is sent again."><p>It is sent again, and the run goes on.</p></Ask>
          <Ask word="Skip the write" title="Go on without it" act={say('skip')} said="It is skipped. The run goes on."><p>It is not sent again, and the run goes on as if it had happened.</p></Ask>
        </div>
      )}
    </Section>
  );
}

/** The answer that somebody found: JSON, else the text itself. */
function answered(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

const calledWhat = (call: CallTiming) => (call.host ? `${call.method ?? ''} ${call.host}${call.path ?? ''}` : `${call.tool} ${call.target ?? ''}`);

function Log({ run }: { run: RunDetail }) {
  const lines = run.log ?? [];
  if (lines.length === 0) return null;
  return (
    <Section title="Log" id="log">
      <div className="max-h-96 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs" tabIndex={0} role="group" aria-label="What the script logged">
        {lines.slice(0, 2000).map(({ level, text }, i) => (
          <div key={i} className={level === 'error' ? 'text-bad' : level === 'warn' ? 'text-warn' : ''}><Outside text={text} /></div>
        ))}
      </div>
      {lines.length > 2000 && <p className="mt-1 text-sm text-soft">{lines.length - 2000} more lines.</p>}
    </Section>
  );
}

function WentOn({ run }: { run: RunDetail }) {
  const asked = useQuery({ ...resultQuery(run.id), enabled: run.status === 'failed' });
  const after = asked.data;
  const later = after?.final && after.final.id !== run.id ? after.final : undefined;
  if (!after || (!later && !after.held_fix && !after.retry_at)) return null;
  return (
    <Section title="How it went on" id="after">
      {later && <p>It went on as <RunLink id={later.id} /> on version {later.version}: <RunBadge run={later} /></p>}
      {after.retry_at && <p>It is tried again <Moment at={after.retry_at} />.</p>}
      {after.held_fix && <p>A fix waits for you: <Link className="link" to="/fixes/:id" params={{ id: after.held_fix }}>look and decide</Link>.</p>}
    </Section>
  );
}
