import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useId } from '../navigation';
import { type Cast, type Heal, sessionQuery } from '../api/agents';
import { path, post } from '../api/client';
import { useMay } from '../api/session';
import { Ask } from '../ui/base/act';
import { Badge, Command, Heading, Moment, Outside, plain, Section } from '../ui/base/basics';
import { Empty, Failed, Loading } from '../ui/base/states';
import { failureKinds, healingInWords, healTriggers, healWords, sentence, spellWords, terminalText, undoOf } from '../words/agents';
import { withoutCommands } from '../words/refusal';
import { count, length } from '../words/time';

/** A session of a coding agent, and each time that the Healer was called in it. */
export default function HealingPage() {
  const id = useId();
  const asked = useQuery(sessionQuery(id));
  const decide = useMay('decide');
  if (asked.isPending) return <Loading what="the session" />;
  if (asked.isError) return <Failed error={asked.error} what="session" />;
  const one = asked.data.value;
  const blocked = Object.entries(one.blocked);
  return (
    <>
      <Heading title={`Session ${plain(one.id)}`} above={<Link to="/healer" className="link">Healings</Link>} />
      <p className="mb-4 text-sm text-soft [overflow-wrap:anywhere]">
        In <code className="font-mono text-xs">{plain(one.worktree)}</code> on {plain(one.host)}, opened <Moment at={one.opened} />.
        {one.plan && <> Of <Link to="/plans/:id" params={{ id: one.plan }} className="link">its plan</Link>.</>}
        {' '}The policy is {one.policy.mode}: {count(one.policy.per_session, 'healing')} a session, {one.policy.per_subtask} a subtask.
      </p>
      {blocked.map(([subtask, followup]) => (
        <section key={subtask} className="card mb-4 border-warn! p-4" data-blocked={subtask}>
          <p className="font-semibold"><Badge tone="warn">blocked</Badge> {subtask === '' ? 'The session does' : <>{plain(subtask)} does</>} not go on until this is done:</p>
          <p className="my-2 text-sm"><Outside text={withoutCommands(followup)} /></p>
          {decide && (
            <Ask word={`Let ${subtask === '' ? 'the session' : plain(subtask)} go on…`} confirm="Let it go on" look="primary" title={`Let ${subtask === '' ? 'the session' : plain(subtask)} go on`} note={{ label: 'What was done about it (optional)' }} act={(reason) => post(path('/healer/sessions/{session}/unblock', one.id), { subtask, reason })} said="It may go on.">
              <p>It is healed again when it fails the next time.</p>
            </Ask>
          )}
        </section>
      ))}
      {one.heals.length === 0 && <div className="card"><Empty title="Nothing had to be healed">It was looked at, and the Healer was not called.</Empty></div>}
      {one.heals.map((heal) => <Healing key={heal.healing} heal={heal} session={one.id} />)}
      {one.green.length > 0 && (
        <p className="text-sm text-soft">
          The last commit that is known to be good is <code className="font-mono text-xs">{one.green.at(-1)!.head.slice(0, 12)}</code>: {plain(one.green.at(-1)!.check.name)} passed there in a clean tree.
        </p>
      )}
    </>
  );
}

function Healing({ heal, session }: { heal: Heal; session: string }) {
  const said = healWords[heal.outcome] ?? { word: heal.outcome, tone: 'plain' as const };
  const f = heal.failure;
  return (
    <Section id={`healing-${heal.healing}`} title={<>Healing {heal.healing}: {healTriggers[heal.trigger] ?? plain(heal.trigger)}{heal.subtask && ` (${plain(heal.subtask)})`}</>} aside={<Badge tone={said.tone}>{said.word}</Badge>}>
      <div data-healing={heal.healing}>
        <p className="mb-3">{healingInWords(heal)}</p>
        {heal.reason && heal.outcome !== 'skipped' && <p className="mb-3 text-sm text-soft"><Outside text={sentence(`${heal.reason}.`)} /></p>}
        <dl className="mb-4 flex flex-wrap gap-x-6 gap-y-1 text-sm">
          <Fact name="called"><Moment at={heal.at} /></Fact>
          {heal.ended && <Fact name="took">{length(new Date(heal.ended).getTime() - new Date(heal.at).getTime())}</Fact>}
          <Fact name="it looks like">{failureKinds[f.kind] ?? plain(f.kind)}</Fact>
          <Fact name="seen before">{heal.same ? 'yes, exactly like this' : 'no'}</Fact>
          <Fact name="chosen by">{heal.planner === 'model' ? 'a model' : 'rules'}</Fact>
          {(f.repeated?.length ?? 0) > 0 && <Fact name="failed again and again">{f.repeated!.map(plain).join(', ')}</Fact>}
          {(f.subagents?.length ?? 0) > 0 && <Fact name="sub-agents that failed">{f.subagents!.map(plain).join(', ')}</Fact>}
          {f.unread && <Fact name="its trajectory">cannot be read: {plain(f.unread)}</Fact>}
          {heal.head && <Fact name="commit"><code className="font-mono text-xs">{heal.head.slice(0, 10)}</code>{heal.branch && ` on ${plain(heal.branch)}`}</Fact>}
        </dl>
        {(f.files?.length ?? 0) > 0 && <p className="mb-4 text-sm [overflow-wrap:anywhere]"><span className="text-soft">The output names </span>{f.files!.slice(0, 12).map((file, i) => <span key={file}>{i > 0 && ', '}<code className="font-mono text-xs">{plain(file)}</code></span>)}{f.files!.length > 12 && ` and ${f.files!.length - 12} more`}</p>}
        <ol className="relative space-y-4 border-l-2 border-gold pl-5">
          <Mark tone="bad" title={<>Before: {nameOf(f.check)} failed</>}>
            <p className="text-sm text-soft">{plain(sentence(f.says))}{f.check.command && <> · <code className="font-mono text-xs [overflow-wrap:anywhere]">{plain(f.check.command)}</code></>}</p>
            <Wrote text={f.tail} label="The end of what the failed check wrote" />
          </Mark>
          {heal.spells.map((cast) => <Spell key={cast.cast} cast={cast} session={session} subtask={heal.subtask ?? ''} />)}
          {heal.advice && (
            <Mark tone="plain" title={heal.model_missing ? 'The model gave no answer, so rules chose' : 'What the model said at the end. It changes nothing'}>
              <p className="text-sm text-soft"><Outside text={heal.advice} /></p>
            </Mark>
          )}
          {heal.checked ? (
            <Mark tone={heal.checked.passed ? 'good' : 'bad'} title={<>After: the server ran {nameOf(heal.checked.check)} again, and it {heal.checked.passed ? 'passes' : 'fails'}</>}>
              <p className="text-sm text-soft">{plain(sentence(heal.checked.says))}, {heal.checked.clean ? 'in a clean tree' : 'with uncommitted files in the tree'}{heal.checks > 1 && `; it was run ${heal.checks} times`}</p>
              <Wrote text={heal.checked.tail} label="The end of what the check wrote then" />
              {(heal.checked.lost?.length ?? 0) > 0 && <p className="text-sm text-bad">What was kept is not there any more: {heal.checked.lost!.map(plain).join(', ')}</p>}
            </Mark>
          ) : heal.outcome === 'under_way' && <Mark tone="info" title="The check is run again when the spells are done"><span /></Mark>}
          {heal.outcome !== 'under_way' && <Mark tone={said.tone === 'good' ? 'good' : 'plain'} title={heal.continue ? 'The work goes on' : heal.outcome === 'skipped' ? 'It went on as it was' : 'The work stops here'}><span /></Mark>}
        </ol>
        {heal.outcome !== 'under_way' && (
          <p className="mt-4 text-sm">
            <a className="link" href={`/api/v1/healer/sessions/${encodeURIComponent(session)}/healings/${heal.healing}/trajectory`} download={`${session}-healing-${heal.healing}.json`}>The healing as a trajectory (ATIF)</a>
            {f.trajectory && <span className="text-soft [overflow-wrap:anywhere]">, which leads to what the agent did: <code className="font-mono text-xs">{plain(f.trajectory)}</code></span>}
          </p>
        )}
      </div>
    </Section>
  );
}

/** A check has a name in a policy; else it is called by its command, which stands below. */
const nameOf = (check: Heal['failure']['check']) => (check.name && check.name !== check.command ? plain(check.name) : 'the check');

const dot = { good: 'bg-good', bad: 'bg-bad', warn: 'bg-warn', info: 'bg-info', gold: 'bg-gold', plain: 'bg-soft' };

function Mark({ tone, title, aside, children }: { tone: keyof typeof dot; title: ReactNode; aside?: ReactNode; children: ReactNode }) {
  return (
    <li className="relative min-w-0">
      <span aria-hidden="true" className={`absolute top-1.5 -left-[1.7rem] size-3 rounded-full border-2 border-card ${dot[tone]}`} />
      <div className="flex flex-wrap items-center gap-2"><h3 className="min-w-0 text-sm [overflow-wrap:anywhere]">{title}</h3>{aside}</div>
      {children}
    </li>
  );
}

function Spell({ cast, session, subtask }: { cast: Cast; session: string; subtask: string }) {
  const undo = undoOf(cast, session, subtask);
  return (
    <Mark
      tone="gold"
      title={spellWords[cast.spell] ?? plain(cast.spell)}
      aside={!cast.ended ? <Badge tone="info">under way</Badge> : cast.applied ? <Badge tone={cast.changed ? 'gold' : 'plain'}>{cast.changed ? 'applied' : 'applied, no file changed'}</Badge> : <Badge tone="plain">did nothing</Badge>}
    >
      {cast.note && <p className="text-sm text-soft">{cast.by === 'model' ? 'The model says: ' : ''}<Outside text={cast.note} /></p>}
      {cast.detail && <p className="text-sm"><Outside text={sentence(cast.detail)} /></p>}
      {(cast.kept?.length ?? 0) > 0 && <p className="mt-1 text-sm text-soft [overflow-wrap:anywhere]">Kept: {cast.kept!.map((kept) => <code key={kept.ref} className="mr-2 font-mono text-xs">{plain(kept.ref)}</code>)}</p>}
      {cast.applied && (
        <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">{undo.words}{undo.command && <Command text={undo.command} />}</p>
      )}
    </Mark>
  );
}

function Wrote({ text, label }: { text: string | undefined; label: string }) {
  if (!text?.trim()) return null;
  return <pre tabIndex={0} role="group" aria-label={label} className="mt-1 max-h-52 overflow-auto rounded-lg border border-line bg-sunken p-2.5 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:plaintext]">{plain(terminalText(text))}</pre>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return <div className="flex gap-1.5"><dt className="text-soft">{name}</dt><dd className="font-medium">{children}</dd></div>;
}
