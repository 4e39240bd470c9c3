import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { Link, useId } from '../navigation';
import { path, post } from '../api/client';
import { fixQuery, notificationsQuery, runQuery, sameCauseQuery, settingsQuery, threadQuery, workflowQuery } from '../api/queries';
import { useMay } from '../api/session';
import type { Alternative, Fix, RunDetail, WriteCall } from '../api/types';
import { Ask, useAct } from '../ui/base/act';
import { Button, Command, FixBadge, Heading, Moment, Outside, plain, RunLink, Section, useNow, WorkflowLink } from '../ui/base/basics';
import { ProofCells } from '../ui/run/cells';
import { Diff } from '../ui/script/diff';
import { Deadline } from '../ui/notice/deadline';
import { Failed, Loading, Refused } from '../ui/base/states';
import { Answers } from '../ui/fix/answers';
import { Assumed } from '../ui/fix/assumed';
import { Value, WriteCard } from '../ui/base/value';
import { callsInWords } from '../words/refusal';
import { actorInWords, fixWords, staleWords } from '../words/status';
import { newestProof, opening, proofCells, proofInWords, standing, widensInWords, type WorldChange, worldChanges } from '../words/story';
import { count } from '../words/time';
import { Conversation } from '../ui/fix/conversation';
import { over } from '../ui/base/over';
import { later } from '../later';

const AcceptAll = later(() => import('../ui/fix/acceptall'));
const Undo = later(() => import('../ui/fix/undo'));

export default function FixPage() {
  const id = useId();
  const asked = useQuery(fixQuery(id));
  const fix = asked.data?.value;
  const failed = useQuery({ ...runQuery(fix?.run ?? ''), enabled: fix !== undefined });
  const good = useQuery({ ...runQuery(fix ? (newestProof(fix) ?? '') : ''), enabled: fix !== undefined && newestProof(fix) !== undefined });
  // The answers that there are stand above all else, and depend on these.
  const held = fix?.state === 'held';
  const [cause, settings, notices] = [useQuery({ ...sameCauseQuery(id), enabled: held }), useQuery({ ...settingsQuery(fix?.workflow ?? ''), enabled: held }), useQuery({ ...notificationsQuery(), enabled: held })];
  const of = useQuery({ ...workflowQuery(fix?.workflow ?? ''), enabled: fix !== undefined && !held });
  const now = useNow();
  const world = useMemo(() => (failed.data ? worldChanges(good.data, failed.data) : []), [good.data, failed.data]);
  if (asked.isPending) return <Loading what="the fix" />;
  if (asked.isError) return <Failed error={asked.error} what="fix" />;
  if (!fix) return null;
  if (failed.isLoading || good.isLoading || [cause, settings, notices, of].some((one) => one.isLoading)) return <Loading what="the runs of the fix" />; // its story is told from them: nothing moves once it is read
  const waits = fix.state === 'held';
  return (
    <>
      <Heading
        title={plain(sentence(fix.comment || 'A fix'))}
        above={<><WorkflowLink id={fix.workflow} title={fix.workflow_title} /> · a fix of version {fix.base}</>}
      >
        <FixBadge state={fix.state} />
      </Heading>
      {waits && <Decision fix={fix} run={failed.data} revision={asked.data.revision} />}
      <p className={`mb-4 max-w-prose ${waits ? '' : 'text-lg'}`} data-story>
        {plain(opening(fix, failed.data, world, now))} {failed.data?.failure && <Said run={failed.data} />} {plain(standing(fix))}
      </p>
      {!waits && <After fix={fix} />}
      <Sending fix={fix} />
      <World changes={world} bad={failed.data} missing={failed.isError} />
      <Section title="What the script would change" id="change">
        <Diff diff={fix.diff ?? ''} label="The change of the script, line by line" />
        <p className="mt-2 text-sm text-soft">
          Made by {makerInWords(fix)} <Moment at={fix.proposed} />.{' '}
          <Link className="link" to="/workflows/:id/script" params={{ id: fix.workflow }} search={{ version: fix.version ?? fix.base }}>The whole script</Link>
        </p>
      </Section>
      <Proof fix={fix} />
      {(fix.reasons?.length ?? 0) > 0 && (
        <Section title={waits ? 'Why it waits for you' : 'Why it waited'} id="why">
          <ul className="list-disc space-y-1 pl-5">{fix.reasons!.map((reason) => <li key={reason}><Outside text={callsInWords(reason)} /></li>)}</ul>
          <Allows fix={fix} />
          {(fix.exempt?.length ?? 0) > 0 && <InTheWay fix={fix} />}
        </Section>
      )}
      {(fix.alternatives?.length ?? 0) > 0 && <Alternatives fix={fix} revision={asked.data.revision} />}
      {failed.data && <Written writes={fix.written ?? []} />}
      {waits && <After fix={fix} />}
      <Thread id={id} />
      <Certificate fix={fix} />
    </>
  );
}

/** The decision in one view: the claim, the one doubt beside it, the outcome, and the answers. */
function Decision({ fix, run, revision }: { fix: Fix; run: RunDetail | undefined; revision: string | undefined }) {
  const [doubt, ...more] = fix.reasons ?? [];
  const writes = fix.to_write ?? [];
  return (
    <section aria-label="The decision" className="card mb-4 border-gold/60! p-4">
      <p className="max-w-prose text-lg"><strong>It claims:</strong> <Outside text={fix.comment} />. {proofInWords(fix)}</p>
      {doubt && (
        <p className="mt-2 max-w-prose text-lg">
          <strong className="text-warn">The doubt:</strong> <Outside text={callsInWords(doubt)} />.{more.length > 0 && <> <a className="link text-sm" href="#why">{count(more.length, 'more reason')}</a></>}
        </p>
      )}
      <div className="mt-3 grid gap-3 md:grid-cols-2">
        <div className="min-w-0"><h2 className="mb-1 text-sm">As it is: the run failed</h2><p className="rounded-md bg-badwash p-2 font-mono text-xs"><Outside text={run?.failure ? `${run.failure.name ? `${run.failure.name}: ` : ''}${run.failure.message}`.slice(0, 300) : '…'} /></p></div>
        <div className="min-w-0">
          <h2 className="mb-1 text-sm">As it would be</h2>
          {writes[0] ? <WriteCard write={writes[0]} /> : fix.verification?.output !== undefined ? <Value value={fix.verification.output} label="The result with the fix" lines={6} /> : <p className="text-sm text-soft">It writes nothing more.</p>}
          {writes.length > 1 && <a className="link text-sm" href="#sends">all {writes.length}</a>}
        </div>
      </div>
      <Decide fix={fix} revision={revision} />
    </section>
  );
}

// Names of fields stay as they are written.
const sentence = (text: string) => (/^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text);

function Said({ run }: { run: RunDetail }) {
  const failure = run.failure!;
  return (
    <>
      It said <q className="font-mono text-base [overflow-wrap:anywhere]">{plain(`${failure.name ? `${failure.name}: ` : ''}${failure.message}`.slice(0, 400))}</q>{' '}
      (<RunLink id={run.id}>see the run</RunLink>).
    </>
  );
}

const makerInWords = (fix: Fix) => {
  const kind = fix.fixer?.kind ?? '';
  if (kind === 'templates') return 'a rule without a model';
  if (kind === 'model') return `a language model${fix.fixer.detail ? ` (${plain(fix.fixer.detail)})` : ''}`;
  if (kind === 'command') return 'your own program';
  if (kind === 'suggested') return plain(fix.fixer.version);
  return kind === 'person' ? 'a person' : plain(kind);
};

function Decide({ fix, revision, alternative }: { fix: Fix; revision: string | undefined; alternative?: number }) {
  const decide = useMay('decide');
  const recheck = useAct(() => post(path('/fixes/{fix}/recheck', fix.proposal)), { said: 'It was checked again just now, on what is so today.' });
  const told = useQuery(notificationsQuery()).data?.find((notice) => notice.proposal === fix.proposal && notice.type === 'fix_waiting');
  if (!decide) return <p className="mt-4 text-soft">It waits for somebody who may decide; your token only lets you look.</p>;
  return (
    <div className="mt-4" data-decide>
      <div className="flex flex-wrap gap-2">
        <Accept fix={fix} revision={revision} alternative={alternative} />
        {!alternative && <SameCause fix={fix} />}
        <Ask
          word="Correct the fix"
          title="Send it back with a note"
          confirm="Send it back"
          act={(note) => post(path('/fixes/{fix}/correct', fix.proposal), { note }, { ifMatch: revision })}
          said="It is sent back with your note."
          note={{ label: 'What should it do otherwise?', required: true }}
        >
          <p>The repair begins again, and knows what you say here.</p>
        </Ask>
        <Button onClick={() => recheck.mutate()} busy={recheck.isPending}>Check the fix again</Button>
        <Ask
          word="Decline the fix"
          confirm="Decline"
          hotkey="d"
          title="Decline this fix"
          look="danger"
          act={(reason) => post(path('/fixes/{fix}/decline', fix.proposal), { reason }, { ifMatch: revision })}
          said="Declined. The workflow stands still."
          note={{ label: 'Why, if you want to say (optional)' }}
        >
          <p>It is never used. The workflow stands still until you save another version or switch it on again.</p>
        </Ask>
      </div>
      <Deadline workflow={fix.workflow} since={told?.at ?? fix.proposed} />
      <Refused error={recheck.error} />
    </div>
  );
}

function Accept({ fix, revision, alternative }: { fix: Fix; revision: string | undefined; alternative?: number | undefined }) {
  const widens = widensInWords(alternative ? fix.alternatives?.[alternative - 1]?.widens : fix.verification?.widens);
  return (
    <Ask
      word={alternative ? 'Accept this one' : 'Accept the fix'}
      {...(alternative ? {} : { hotkey: 'a' as const })}
      title={alternative ? `Accept alternative ${alternative}` : 'Accept this fix'}
      look="primary"
      confirm="Accept"
      act={(reason) => post(path('/fixes/{fix}/accept', fix.proposal), { reason, ...(alternative ? { alternative } : {}) }, { ifMatch: revision })}
      said="Accepted. The run that failed goes on with it."
      note={{ label: 'A word for the history (optional)' }}
    >
      <p>The script becomes a new version, and the run that failed goes on with it where it stopped. What it has written already is not written again.</p>
      {widens.length > 0 && (
        <>
          <p className="font-semibold">Accepting it also allows:</p>
          <ul className="list-disc pl-5">{widens.map((one) => <li key={one}>{plain(one)}</li>)}</ul>
        </>
      )}
    </Ask>
  );
}

/** Other workflows that failed of the same cause, and whose fixes wait, too: one press decides for all of them. */
function SameCause({ fix }: { fix: Fix }) {
  const waiting = useQuery(sameCauseQuery(fix.proposal)).data ?? [];
  if (waiting.length < 2) return null;
  return <Button onClick={() => over(<AcceptAll waiting={waiting} close={() => over()} />)}>Accept for all {waiting.length} workflows of this cause…</Button>;
}

function Allows({ fix }: { fix: Fix }) {
  const widens = widensInWords(fix.verification?.widens);
  if (widens.length === 0) return null;
  return (
    <div className="mt-3">
      <h3>Accepting it also allows</h3>
      <ul className="list-disc pl-5">{widens.map((one) => <li key={one}>{plain(one)}</li>)}</ul>
    </div>
  );
}

function Writes({ writes, done = false }: { writes: WriteCall[]; done?: boolean }) {
  const [all, show] = useState(false);
  const shown = all ? writes : writes.slice(0, 6);
  return (
    <>
      <div className="grid gap-2 sm:grid-cols-2">{shown.map((write, i) => <WriteCard key={i} write={write} done={done} />)}</div>
      {shown.length < writes.length && <button type="button" className="link mt-2" onClick={() => show(true)}>Show all {writes.length}</button>}
    </>
  );
}

function Sending({ fix }: { fix: Fix }) {
  const v = fix.verification;
  const writes = fix.to_write ?? [];
  const output = v?.output;
  if (!v || (writes.length === 0 && output === undefined)) return null;
  return (
    <Section title={fix.state === 'held' ? 'What it would do' : 'What it did when it was tried'} id="sends">
      {writes.length > 0 ? <Writes writes={writes} /> : <p className="text-soft">It writes nothing more.</p>}
      {output !== undefined && (
        <div className="mt-3">
          <h3 className="mb-1">{fix.state === 'held' ? 'The run that failed would come out as' : 'The run that failed came out as'}</h3>
          <Value value={output} label="The result with the fix" lines={10} />
        </div>
      )}
    </Section>
  );
}

function World({ changes, bad, missing }: { changes: WorldChange[]; bad: RunDetail | undefined; missing: boolean }) {
  if (missing) return null;
  return (
    <Section title="What the world changed" id="world">
      {!bad ? <Loading what="the run that failed" /> : (
        <>
          {changes.length === 0 && <p className="text-soft">What the run was given is as it was when it last succeeded.</p>}
          {changes.map((change) => (
            <details key={change.call} open={changes.length === 1} className="mt-2">
              <summary className="font-semibold [overflow-wrap:anywhere]">{plain(change.call || 'more')}: {count(change.changes.length, 'change')}</summary>
              <ul className="my-2 flex flex-wrap gap-1.5 text-sm">
                {change.changes.map((one) => (
                  <li
                    key={`${one.how} ${one.path}`}
                    className={`rounded px-1.5 py-0.5 font-mono text-xs [overflow-wrap:anywhere] ${one.how === 'gone' ? 'bg-badwash text-bad' : one.how === 'new' ? 'bg-goodwash text-good' : 'bg-warnwash text-warn'}`}
                  >
                    {plain(one.says)}
                  </li>
                ))}
              </ul>
              {change.before !== undefined && change.after !== undefined && <Answers change={change} />}
            </details>
          ))}
        </>
      )}
    </Section>
  );
}

function Proof({ fix }: { fix: Fix }) {
  const v = fix.verification;
  if (!v) return null;
  const cells = proofCells(fix);
  return (
    <Section title="The proof" id="proof">
      <p className="mb-3">
        {proofInWords(fix)}{' '}
        {v.failing_run && <>The run that failed <strong>{v.failing_run === 'succeeded' ? 'succeeds with it' : plain(v.failing_run)}</strong>.</>}
      </p>
      {cells.length > 0 && <ProofCells cells={cells.map((cell) => ({ id: cell.run, tone: cell.tone, says: cell.says }))} />}
      <p className="mt-2 text-sm text-soft">
        Each cell is a recorded run, replayed on the new code with the answers it got then: <b>=</b> the same, <b>≠</b> different, <b>?</b> cannot be told.
        {(v.excluded > 0 || (v.exempted ?? 0) > 0) && ` ${v.excluded + (v.exempted ?? 0)} more were left out.`}
      </p>
      {v.divergence && (
        <div className="mt-3 rounded-lg bg-badwash p-3">
          <h3 className="text-bad">The smallest difference</h3>
          <pre className="mt-1 overflow-x-auto font-mono text-xs whitespace-pre-wrap"><Outside text={v.divergence} /></pre>
        </div>
      )}
      {v.rehearsal && (
        <p className="mt-3 text-sm">
          Tried for real, with live answers and nothing written: it {v.rehearsal.succeeded ? 'succeeded' : <>failed: <Outside text={v.rehearsal.problem ?? ''} /></>}.
        </p>
      )}
      <Assumed answers={[...new Set([...(v.assumed ?? []), ...(v.rehearsal?.assumed ?? []), ...(v.rehearsal?.invented ?? [])])]} />
    </Section>
  );
}

function InTheWay({ fix }: { fix: Fix }) {
  const decide = useMay('decide');
  return (
    <div className="mt-3">
      <h3>Recorded runs in its way</h3>
      <p className="text-sm text-soft">If one of these was wrong, leave it out, and check the fix again.</p>
      <ul className="mt-1 space-y-1">
        {fix.exempt!.map((run) => (
          <li key={run} className="flex flex-wrap items-center gap-2">
            <RunLink id={run} />
            {decide && (
              <Ask word="It was wrong: leave it out" title="Leave this run out of proofs" act={(reason) => post(path('/runs/{run}/exempt', run), { reason })} said="It is left out of proofs." note={{ label: 'What was wrong with it?' }}>
                <p>No repair is measured by it any more. What it wrote stays written.</p>
              </Ask>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Alternatives({ fix, revision }: { fix: Fix; revision: string | undefined }) {
  const decide = useMay('decide');
  return (
    <Section title="Other ways to mend it" id="alternatives">
      <div className="grid gap-4 md:grid-cols-2">
        {fix.alternatives!.map((one, i) => <Way key={i} one={one} n={i + 1}>{decide && fix.state === 'held' && <Accept fix={fix} revision={revision} alternative={i + 1} />}</Way>)}
      </div>
    </Section>
  );
}

function Way({ one, n, children }: { one: Alternative; n: number; children: React.ReactNode }) {
  return (
    <article className="min-w-0 rounded-lg border border-line p-3" aria-label={`Alternative ${n}`}>
      <h3 className="mb-2 [overflow-wrap:anywhere]">{n}. {plain(one.comment)}</h3>
      {(one.writes?.length ?? 0) > 0 && <Writes writes={one.writes!} />}
      {one.output !== undefined && <div className="mt-2"><Value value={one.output} label={`The result with alternative ${n}`} lines={8} /></div>}
      <details className="my-2">
        <summary className="link">Its script</summary>
        <pre tabIndex={0} role="group" aria-label={`Script of alternative ${n}`} className="max-h-80 overflow-auto rounded bg-sunken p-2 font-mono text-xs">{plain(one.code)}</pre>
      </details>
      {children}
    </article>
  );
}

function Written({ writes }: { writes: WriteCall[] }) {
  return (
    <Section title="What was already written" id="written">
      {writes.length === 0 ? (
        <p className="text-soft">Nothing: the run failed before it wrote anything.</p>
      ) : (
        <>
          <p className="mb-2">The run had done this before it failed. <strong>It is not done again</strong> when the run goes on.</p>
          <Writes writes={writes} done />
        </>
      )}
    </Section>
  );
}

function After({ fix }: { fix: Fix }) {
  const said = fixWords[fix.state];
  return (
    <Section title="What happened after" id="after">
      <p>
        {fix.state === 'stale' && fix.why ? (staleWords[fix.why] ?? said?.after) : said?.after}
        {fix.version && <> It is version <Link className="link" to="/workflows/:id/script" params={{ id: fix.workflow }} search={{ version: fix.version }}>{fix.version}</Link>.</>}
      </p>
      {fix.decided && fix.state !== 'stale' && <p className="mt-1 text-sm text-soft">Decided by {plain(actorInWords(fix.decided_by))} <Moment at={fix.decided} />.</p>}
      {fix.version && ['applied', 'accepted', 'confirmed'].includes(fix.state) && <UndoIt fix={fix} />}
      {fix.state === 'corrected' && <p className="mt-1"><Link className="link" to="/workflows/:id/fixes" params={{ id: fix.workflow }}>See what comes of it</Link></p>}
      {fix.why && fix.state !== 'stale' && <p className="mt-1"><Outside text={fix.why} /></p>}
    </Section>
  );
}

/** A fix in use can be taken back, for as long as it is in use. */
function UndoIt({ fix }: { fix: Fix }) {
  const may = useMay('edit');
  const of = useQuery(workflowQuery(fix.workflow));
  const [open, set] = useState(false);
  if (!may || of.data?.value.version !== fix.version) return null;
  return (
    <p className="mt-3">
      <Button onClick={() => set(true)}>Undo this mend…</Button>
      <Suspense fallback={null}>{open && <Undo workflow={fix.workflow} version={fix.version!} fix={fix.proposal} close={() => set(false)} />}</Suspense>
    </p>
  );
}

function Thread({ id }: { id: string }) {
  const [open, set] = useState(false);
  const asked = useQuery({ ...threadQuery(id), enabled: open });
  return (
    <Section title="Everything that was tried" id="thread">
      <details onToggle={(event) => set(event.currentTarget.open)}>
        <summary className="link">Candidates, verdicts and what was said</summary>
        <div className="mt-3">
          {!open ? null : asked.isPending ? <Loading what="what was tried" /> : asked.isError ? <Failed error={asked.error} what="conversation" /> : <Conversation thread={asked.data} />}
        </div>
      </details>
    </Section>
  );
}

function Certificate({ fix }: { fix: Fix }) {
  const v = fix.verification;
  const again = useAct(() => post(path('/fixes/{fix}/verify', fix.proposal)));
  if (!v) return null;
  const proved = v.verdict === 'identical';
  return (
    <Section title={proved ? 'Check the proof yourself' : 'Check the verdict yourself'} id="certificate">
      <p className="text-sm text-soft">{proved ? 'The proof' : 'The verdict, which is no proof,'} has a certificate: the same runs, the same code and the same judge give the same one, anywhere.</p>
      <p className="my-2 font-mono text-xs [overflow-wrap:anywhere]">{v.certificate}</p>
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => again.mutate()} busy={again.isPending}>{proved ? 'Prove it again now' : 'Judge it again now'}</Button>
        <a className="button" download={`kintsugi-fix-${fix.proposal}.json`} href={certificateFile(fix)}>Save the certificate</a>
        <Command text={`kintsugi fix verify ${fix.proposal}`} />
      </div>
      {again.data && (
        <p role="status" className={`mt-2 font-semibold ${again.data.holds ? 'text-good' : 'text-bad'}`}>
          {again.data.holds ? `✓ It holds: ${proved ? 'proved' : 'judged'} again just now, with the same certificate.` : again.data.other_gate ? 'Another version of the judge made it, so the two cannot be compared.' : `✕ It does not hold. ${plain(again.data.problem ?? '')}`}
        </p>
      )}
      <Refused error={again.error} />
    </Section>
  );
}

const certificateFile = (fix: Fix) =>
  `data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify({ check_it_with: `kintsugi fix verify ${fix.proposal}`, fix: fix.proposal, workflow: fix.workflow, base: fix.base, verification: fix.verification }, null, 2))}`;
