import { useQuery } from '@tanstack/react-query';
import { Link, go, useSearch } from '../navigation';
import { get } from '../api/client';
import type { QueryOf, Schemas } from '../api/described';
import { Badge, Heading, Moment, plain, WorkflowLink } from '../ui/base/basics';
import { VirtualRows } from '../ui/base/list';
import { Choice } from '../ui/run/runlist';
import { Empty, Failed, Loading } from '../ui/base/states';
import { told, Ways } from '../ui/base/ways';
import type { Tone } from '../words/status';
import { count } from '../words/time';

type Task = Schemas['InboxItem'];

const states: Record<string, { word: string; tone: Tone }> = {
  queued: { word: 'in line', tone: 'plain' },
  working: { word: 'at work', tone: 'info' },
  waiting: { word: 'waits for you', tone: 'warn' },
  done: { word: 'done', tone: 'good' },
};

const which = { '': 'all that is not done', waiting: 'what waits for you', working: 'at work', queued: 'in line', all: 'also what is done' };

/** The work that agents were asked to do, and where it stands. */
export default function InboxPage() {
  const { state } = useSearch<{ state: string }>();
  const all = state === 'all';
  const asked = useQuery({
    queryKey: ['inbox', state],
    queryFn: async ({ signal }) => (await get('/inbox', { limit: 500, all, state: all ? undefined : (state as QueryOf<'get', '/inbox'>['state']) }, signal)).items,
  });
  return (
    <>
      <Heading title="Inbox of agents">
        <Choice label="show" value={state ?? ''} options={which} change={(next) => void go({ to: '/inbox', search: next ? { state: next } : {} })} />
      </Heading>
      <Ways label="What is told and waits" ways={told} />
      <div className="card px-4 py-1">
        {asked.isPending ? <Loading what="the inbox" />
          : asked.isError ? <Failed error={asked.error} what="the inbox" />
          : asked.data.length === 0 ? <Empty title={state && !all ? 'Nothing is like that' : 'No agent has anything to do'}>What you ask the planner, and each failure that is being mended, is in line here until it is done.</Empty>
          : <VirtualRows rows={asked.data} id={(one) => one.id} estimate={58} vary label="Tasks of agents, the oldest first" row={(one) => <Row one={one} />} />}
      </div>
    </>
  );
}

function Row({ one }: { one: Task }) {
  const said = states[one.state] ?? { word: one.state, tone: 'plain' as Tone };
  const planner = one.kind === 'planner';
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line/70 py-2.5">
      <div className="w-full shrink-0 sm:w-32"><Badge tone={said.tone}>{said.word}</Badge></div>
      <div className="min-w-48 flex-1">
        <p className="font-medium [overflow-wrap:anywhere]">{plain(one.title.replace(/ after run [\w-]+$/, '').slice(0, 300))}</p>
        <p className="text-sm text-soft">
          {planner ? 'the planner' : 'a repair'} of <WorkflowLink id={one.workflow} title={one.workflow_title} />, {one.state === 'done' ? 'done' : 'since'} <Moment at={one.since} />
          {one.questions > 0 && `, ${count(one.questions, 'question')} for you`}
        </p>
      </div>
      {one.proposal ? <Link className="link text-sm" to="/fixes/:id" params={{ id: one.proposal }}>the fix</Link>
        : planner ? <Link className="link text-sm" to="/workflows/:id/chat" params={{ id: one.workflow }}>the conversation</Link>
        : <Link className="link text-sm" to="/workflows/:id/fixes" params={{ id: one.workflow }}>the repair</Link>}
    </div>
  );
}
