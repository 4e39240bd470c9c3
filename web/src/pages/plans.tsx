import { Link, go, useSearch } from '../navigation';
import { type PlanRow, plansList } from '../api/agents';
import { useList } from '../api/list';
import { Badge, Command, Heading, Moment, plain } from '../ui/base/basics';
import { VirtualRows } from '../ui/base/list';
import { Choice } from '../ui/run/runlist';
import { Empty, Failed, Loading } from '../ui/base/states';
import { agents, Ways } from '../ui/base/ways';
import { jobOrder, jobWords, planWords } from '../words/agents';
import { actorInWords } from '../words/status';
import { count } from '../words/time';

const which = { '': 'all', held: 'what waits for you', running: 'at work', completed: 'done', cancelled: 'cancelled' };

/** Plans that coding agents work through. */
export default function PlansPage() {
  const { status } = useSearch<{ status: string }>();
  const list = useList(plansList({ status }));
  return (
    <>
      <Heading title="Plans of coding agents">
        <Choice label="show" value={status ?? ''} options={which} change={(next) => void go({ to: '/plans', search: next ? { status: next } : {} })} />
      </Heading>
      <Ways label="What coding agents do" ways={agents} />
      <div className="card px-4 py-1">
        {list.pending ? <Loading what="the plans" />
          : list.error ? <Failed error={list.error} what="the plans" />
          : list.rows.length === 0 ? (
            status ? <Empty title="No plan is like that">Choose another status.</Empty>
              : (
                <Empty title="No coding agent has a plan yet">
                  <p>A plan lets coding agents work through jobs in a git repository. What they change outside of what they may touch waits for you here.</p>
                  <p className="mt-3"><Command text="kintsugi repo plan start plan.yaml" /></p>
                </Empty>
              )
          )
          : <VirtualRows rows={list.rows} id={(one) => one.id} estimate={76} label="Plans, the newest first" look={list.look} whole={list.whole} row={(one) => <Row one={one} />} />}
      </div>
    </>
  );
}

function Row({ one }: { one: PlanRow }) {
  const said = planWords[one.status];
  return (
    <div className="border-b border-line/70 py-3" data-plan={one.id}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link to="/plans/:id" params={{ id: one.id }} className="link font-semibold break-words [overflow-wrap:anywhere]">{plain(one.title)}</Link>
        <Badge tone={said?.tone ?? 'plain'} title={said?.means}>{said?.word ?? one.status}</Badge>
        {one.held > 0 && one.status === 'running' && <Badge tone="warn">{count(one.held, 'job waits', 'jobs wait')} for you</Badge>}
      </div>
      <JobBar states={one.states} total={one.total} />
      <p className="text-sm text-soft [overflow-wrap:anywhere]">
        {one.merged} of {count(one.total, 'job')} merged onto <code className="font-mono text-xs">{plain(one.integration)}</code>, begun by {plain(actorInWords(one.started_by))} <Moment at={one.started_at} />
        {one.last_at !== one.started_at && <>, last heard of <Moment at={one.last_at} /></>}
      </p>
    </div>
  );
}

const fill: Record<string, string> = {
  merged: 'bg-good', merging: 'bg-gold', ready_to_merge: 'bg-gold/60', verifying: 'bg-info', checking: 'bg-info', running: 'bg-info', healing: 'bg-gold', held: 'bg-warn', pending: 'bg-line', cancelled: 'bg-soft/40',
};

/** How far the jobs of a plan are, as one line. */
export function JobBar({ states, total }: { states: Record<string, number>; total: number }) {
  const said = jobOrder.filter((status) => states[status]).map((status) => `${states[status]} ${jobWords[status]!.word}`).join(', ');
  return (
    <div role="img" aria-label={said} title={said} className="my-1.5 flex h-1.5 gap-px overflow-hidden rounded-full bg-sunken">
      {jobOrder.map((status) => states[status] ? <span key={status} className={fill[status]} style={{ width: `${(100 * states[status]) / Math.max(total, 1)}%` }} /> : null)}
    </div>
  );
}
