import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, go, useId, useSearch } from '../../navigation';
import { type Job, type JobWork, type Plan, planQuery, type Step } from '../../api/agents';
import { path, post } from '../../api/client';
import { useMay } from '../../api/session';
import { Ask } from '../../ui/base/act';
import { Badge, Command, Heading, Moment, Outside, plain, Section } from '../../ui/base/basics';
import { Field } from '../../ui/base/field';
import { Failed, Loading } from '../../ui/base/states';
import { healingInWords, healTriggers, healWords, jobWords, planWords, stepWord } from '../../words/agents';
import { actorInWords } from '../../words/status';
import { count, length } from '../../words/time';
import { JobBar } from '../plans';
import { Allowed, Answered, Waits } from './checkpoint';
import { Files } from './files';
import { Graph, Train } from './graph';
import { JobOutput } from './output';
import { Timeline } from './timeline';


export default function PlanPage() {
  const id = useId();
  const { job: wanted } = useSearch<{ job: string }>();
  const decide = useMay('decide');
  const asked = useQuery(planQuery(id));
  if (asked.isPending) return <Loading what="the plan" />;
  if (asked.isError) return <Failed error={asked.error} what="plan" />;
  const plan = asked.data.value;
  const jobs = plan.jobs ?? [];
  const held = jobs.filter((job) => job.checkpoint);
  const chosen = jobs.find((job) => job.id === wanted) ?? held[0] ?? jobs.find((job) => job.running) ?? jobs[0];
  const choose = (job: string) => {
    void go({ to: '/plans/:id', params: { id }, search: { job }, resetScroll: false }).then(() => {
      const place = document.getElementById(`held-${job}`) ?? document.getElementById('job');
      place?.scrollIntoView({ block: 'start', behavior: 'smooth' });
    });
  };
  const said = planWords[plan.status];
  const under = plan.status === 'running' || plan.status === 'held';
  return (
    <>
      <Heading title={plain(plan.title)} above={<Link to="/plans" className="link">Plans of coding agents</Link>}>
        <Badge tone={said?.tone ?? 'plain'} title={said?.means}>{said?.word ?? plan.status}</Badge>
        {decide && (
          <span className="ml-auto flex flex-wrap justify-end gap-2">
            {plan.commit !== plan.base_commit && (
              <Ask word="Take it…" confirm={`Merge it into ${plain(plan.base)}`} said={`${plain(plan.base)} has what the plan did.`} look={under ? 'plain' : 'primary'} title={`Merge ${plain(plan.integration)} into ${plain(plan.base)}`} act={() => post(path('/repo-plans/{plan}/take', plan.id))}>
                <p>All that is on <code className="font-mono text-xs">{plain(plan.integration)}</code> comes onto <code className="font-mono text-xs">{plain(plan.base)}</code> of <code className="font-mono text-xs">{plain(plan.repository)}</code>, on the machine of the server. Nothing is pushed.</p>
                <p>If that branch has moved on since the plan began, a merge is made that was not verified. Files that both sides changed stop it, and nothing is changed.</p>
              </Ask>
            )}
            {under && (
            <Ask word="Cancel the plan…" confirm="Cancel the plan" said="The plan is cancelled." look="danger" title={`Cancel ${plain(plan.title)}`} note={{ label: 'Why, for whoever finds it cancelled (optional)' }} act={(reason) => post(path('/repo-plans/{plan}/cancel', plan.id), { reason }, { ifMatch: asked.data.revision })}>
              <p>What is at work is ended. What was merged stays merged; branches, worktrees and outputs are kept.</p>
            </Ask>
            )}
          </span>
        )}
      </Heading>
      <p className="mb-1 text-sm text-soft [overflow-wrap:anywhere]">
        {plan.merged} of {count(jobs.length, 'job')} merged onto <code className="font-mono text-xs">{plain(plan.integration)}</code> (<code className="font-mono text-xs">{plan.commit.slice(0, 10)}</code>), from <code className="font-mono text-xs">{plain(plan.base)}</code> of <code className="font-mono text-xs">{plain(plan.repository)}</code>.
        {' '}Begun by {plain(actorInWords(plan.started_by))} <Moment at={plan.started_at} />{plan.ended_at && <>, over <Moment at={plan.ended_at} /></>}.
      </p>
      {plan.reason && <p className="mb-1 text-sm">It was cancelled: <Outside text={plan.reason} /></p>}
      <div className="mb-4"><JobBar states={plan.states} total={jobs.length} /></div>
      <Section title="Jobs" id="jobs" aside={<span className="text-sm text-soft">at most {plan.parallel} at once</span>}>
        <Graph plan={plan} chosen={chosen?.id ?? ''} choose={choose} />
        <Train plan={plan} />
      </Section>
      {held.map((job) => <Waits key={`${job.id} ${job.checkpoint!.checkpoint}`} plan={plan.id} job={job} />)}
      <Section title="Time line of the attempts" id="timeline"><Timeline plan={plan} chosen={chosen?.id ?? ''} choose={choose} /></Section>
      {chosen && <JobDetail key={chosen.id} plan={plan} job={chosen} work={plan.work.find((one) => one.id === chosen.id)} />}
    </>
  );
}

function JobDetail({ plan, job, work }: { plan: Plan; job: Job; work: JobWork | undefined }) {
  const said = jobWords[job.status] ?? { word: job.status, tone: 'plain' as const, means: '' };
  const steps = plan.steps.filter((step) => step.job === job.id);
  const stops = plan.checkpoints.filter((one) => one.job === job.id);
  const heals = plan.healings.filter((heal) => heal.subtask === job.id || heal.subtask?.startsWith(`${job.id}/`));
  const merged = job.status === 'merged';
  return (
    <section aria-labelledby="job" data-detail={job.id}>
      <div className="mt-6 mb-3 flex flex-wrap items-center gap-3">
        <h2 id="job" className="scroll-mt-28 text-lg! [overflow-wrap:anywhere]">Job {plain(job.id)}</h2>
        <Badge tone={said.tone} title={said.means}>{said.word}</Badge>
        <span className="text-sm text-soft">{said.means}</span>
        <JobActions plan={plan} job={job} />
      </div>
      {job.waits_until && <p className="mb-3 text-sm text-warn">Its agent cannot go on before <Moment at={job.waits_until} />, and is launched again then in the same attempt{job.last?.ending && <>. It said: <Outside text={job.last.ending.says} /></>}</p>}
      <div className="grid gap-x-4 md:grid-cols-[minmax(0,1fr)_16rem]">
        <div className="min-w-0">
          <Section title="What was launched" id="steps" aside={work && <span className="text-sm text-soft">up to {count(work.attempts, 'attempt')}, {work.timeout} each</span>}>
            <Steps plan={plan.id} steps={steps} subtasks={work?.subtasks?.length ?? 0} />
          </Section>
          {heals.length > 0 && (
            <Section title="Healings" id="heals">
              <ul className="divide-y divide-line/70">
                {heals.map((heal) => {
                  const words = healWords[heal.outcome] ?? { word: heal.outcome, tone: 'plain' as const };
                  return (
                    <li key={`${heal.session} ${heal.healing}`} className="py-2 text-sm first:pt-0 last:pb-0">
                      <Badge tone={words.tone}>{words.word}</Badge>{' '}
                      <Link className="link" to="/healer/:id" params={{ id: heal.session }}>{healTriggers[heal.trigger] ?? heal.trigger}</Link> <span className="text-soft"><Moment at={heal.at} /></span>
                      <p className="text-soft">{healingInWords(heal)}</p>
                    </li>
                  );
                })}
              </ul>
              {job.flaky && <p className="mt-2 text-sm" data-flaky><Outside text={`${job.flaky}.`} /></p>}
            </Section>
          )}
          {stops.length > 0 && <Section title="Where it stood still" id="stops"><ul className="-my-1.5 divide-y divide-line/70">{stops.map((one) => <Answered key={one.checkpoint} one={one} />)}</ul></Section>}
          {job.commit && (
            <Section title={merged ? 'What was merged' : 'What would be merged'} id="files" aside={<code className="font-mono text-xs text-soft">{job.commit.slice(0, 10)}</code>}>
              <Files plan={plan.id} job={job.id} of={`${job.commit} ${job.checkpoint?.checkpoint ?? 0}`} />
            </Section>
          )}
        </div>
        <div className="min-w-0 space-y-4">
          <div className="card p-3 text-sm">
            <h3>Its task</h3>
            <p className="mt-1"><Outside text={job.task} /></p>
            {(work?.subtasks?.length ?? 0) > 0 && <ol className="mt-1 list-decimal pl-5">{work!.subtasks!.map((one, i) => <li key={i}><Outside text={one} /></li>)}</ol>}
            {(job.needs?.length ?? 0) > 0 && <p className="mt-2 text-soft">It needs {job.needs!.map(plain).join(', ')}.</p>}
          </div>
          <Allowed of={job.id} touch={job.touch ?? []} create={job.may_create ?? []} />
          {work && (
            <div className="card p-3 text-sm">
              <h3>Its agent</h3>
              <p className="mt-1 font-mono text-xs [overflow-wrap:anywhere]"><Outside text={work.agent} /></p>
              {(work.verify?.length ?? 0) > 0 && (
                <>
                  <h3 className="mt-3">Its checks</h3>
                  <Checks lines={work.verify!} steps={steps.filter((step) => step.phase === 'verify' && !step.merging)} />
                </>
              )}
              {(plan.verify?.length ?? 0) > 0 && (
                <>
                  <h3 className="mt-3">After each merge</h3>
                  <Checks lines={plan.verify!} steps={steps.filter((step) => step.phase === 'verify' && step.merging)} />
                </>
              )}
            </div>
          )}
          {job.branch && (
            <div className="card p-3 text-sm">
              <h3>Where it is</h3>
              <p className="mt-1 font-mono text-xs [overflow-wrap:anywhere]">{plain(job.branch)}</p>
              {job.worktree && <p className="mt-2"><Command text={`cd ${job.worktree}`} /></p>}
            </div>
          )}
        </div>
      </div>
    </section>
  );
}

/** What a person can do with a job at any time; what it waits for is answered above. */
function JobActions({ plan, job }: { plan: Plan; job: Job }) {
  const [id, name] = useState('');
  const [touch, allow] = useState((job.touch ?? []).join('\n'));
  if (!useMay('decide') || (plan.status !== 'running' && plan.status !== 'held')) return null;
  const over = job.status === 'merged' || job.status === 'dropped';
  return (
    <span className="ml-auto flex flex-wrap gap-2">
      {(job.running || job.waits_until) && !over && (
        <Ask word="Stop it…" confirm="Stop the job" said="It is being stopped, and waits for you then." look="danger" title={`Stop ${plain(job.id)}`} note={{ label: 'Why; an agent that is relaunched is told (optional)' }} act={(reason) => post(path('/repo-plans/{plan}/jobs/{job}/stop', plan.id, job.id), { reason })}>
          <p>What runs for it is ended, with all that it started. Its files stay. Relaunch it then, have what it did so far checked, or drop it. Other jobs go on.</p>
        </Ask>
      )}
      {!over && (
        <Ask word="Drop it…" confirm="Drop the job" said="It is no part of the plan any more." look="danger" title={`Drop ${plain(job.id)}`} note={{ label: 'Why, for whoever looks at the plan later (optional)' }} act={(reason) => post(path('/repo-plans/{plan}/jobs/{job}/drop', plan.id, job.id), { reason })}>
          <p>Nothing of it is merged, and what runs for it is ended. Its branch and worktree are kept. The plan is done when all other jobs are merged.</p>
        </Ask>
      )}
      {job.status !== 'dropped' && (
        <Ask word="Follow it up…" confirm="Add the job" said="The job is part of the plan." title={`Another job after ${plain(job.id)}`} note={{ label: 'What it is to do', required: true }} act={(task) => post(path('/repo-plans/{plan}/jobs/{job}/follow-up', plan.id, job.id), { id: id.trim(), task, touch: touch.split('\n').map((line) => line.trim()).filter(Boolean) })}>
          <p>It begins when {plain(job.id)} is merged, with the same agent, secrets and checks.</p>
          <Field label="Its name: small letters, digits, - and _"><input className="field w-full" value={id} onChange={(event) => name(event.target.value)} pattern="[a-z0-9][a-z0-9_\-]*" maxLength={40} required /></Field>
          <Field label="What it may touch, a pattern a line"><textarea className="field w-full font-mono text-xs" rows={3} value={touch} onChange={(event) => allow(event.target.value)} required /></Field>
        </Ask>
      )}
    </span>
  );
}

/** The last result of each check. */
function Checks({ lines, steps }: { lines: readonly string[]; steps: readonly Step[] }) {
  return (
    <ul className="mt-1 space-y-1.5">
      {lines.map((line, i) => {
        const last = steps.find((step) => step.line === line);
        return (
          <li key={i} className="[overflow-wrap:anywhere]">
            <code className="font-mono text-xs">{plain(line)}</code>{' '}
            {!last ? <span className="text-xs text-soft">not run yet</span> : !last.ended ? <Badge tone="info">runs</Badge> : last.ok ? <Badge tone="good">passed</Badge> : <Badge tone="bad">failed</Badge>}
          </li>
        );
      })}
    </ul>
  );
}

function Steps({ plan, steps, subtasks }: { plan: string; steps: Step[]; subtasks: number }) {
  const [open, set] = useState<string>();
  if (steps.length === 0) return <p className="text-soft">Nothing was launched for it yet.</p>;
  const live = steps.find((step) => !step.ended)?.launch;
  const shown = open ?? live ?? steps[0]!.launch;
  return (
    <ul className="-my-1.5 divide-y divide-line/70">
      {steps.map((step) => (
        <li key={step.launch} data-launch={step.launch}>
          <button type="button" aria-expanded={shown === step.launch} onClick={() => set(shown === step.launch ? '' : step.launch)} className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 py-2 text-left text-sm hover:bg-sunken">
            <span aria-hidden="true" className="text-soft">{shown === step.launch ? '▾' : '▸'}</span>
            <span className="font-medium">{stepWord(step, subtasks)}</span>
            <span className="text-soft">attempt {step.attempt}</span>
            <span className="ml-auto flex items-center gap-3 text-soft">
              {step.ended ? length(step.millis) : <Moment at={step.started} />}
              {!step.ended ? <Badge tone="info">at work</Badge> : step.ok ? <Badge tone="good">{step.phase === 'verify' ? 'passed' : 'done'}</Badge> : <Badge tone="bad" title={step.says}>failed</Badge>}
            </span>
          </button>
          {shown === step.launch && (
            <div className="pb-3">
              {step.ended && !step.ok && <p className="mb-1 text-sm text-bad">{plain(step.says ?? '')}.</p>}
              {step.left ? <p className="mb-1 text-sm text-soft">It left {count(step.left, 'process', 'processes')} at work, which {step.left === 1 ? 'was' : 'were'} ended.</p> : null}
              <JobOutput plan={plan} step={step} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
