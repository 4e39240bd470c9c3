import { Link } from '../navigation';
import { type SessionRow, sessionsList } from '../api/agents';
import { useList } from '../api/list';
import { Badge, Command, Heading, Moment, plain } from '../ui/base/basics';
import { VirtualRows } from '../ui/base/list';
import { Empty, Failed, Loading } from '../ui/base/states';
import { agents, Ways } from '../ui/base/ways';
import { healTriggers, healWords } from '../words/agents';
import { count } from '../words/time';

/** Sessions of coding agents in which the Healer was called, or looked. */
export default function HealerPage() {
  const list = useList(sessionsList());
  return (
    <>
      <Heading title="Healings" />
      <Ways label="What coding agents do" ways={agents} />
      <div className="card px-4 py-1">
        {list.pending ? <Loading what="the sessions" />
          : list.error ? <Failed error={list.error} what="the sessions" />
          : list.rows.length === 0 ? (
            <Empty title="The Healer has not been called yet">
              <p>It looks at what a coding agent left in a git repository, mends or contains what fails, and runs the failed check again itself.</p>
              <p className="mt-3"><Command text="kintsugi healer scan" /></p>
            </Empty>
          )
          : <VirtualRows rows={list.rows} id={(one) => one.id} estimate={64} label="Sessions, the newest first" look={list.look} whole={list.whole} row={(one) => <Row one={one} />} />}
      </div>
    </>
  );
}

function Row({ one }: { one: SessionRow }) {
  const said = one.outcome ? (healWords[one.outcome] ?? { word: one.outcome, tone: 'plain' as const, means: '' }) : { word: 'nothing to heal', tone: 'plain' as const, means: 'It was looked at, and the Healer was not called.' };
  const blocked = Object.keys(one.blocked).length;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line/70 py-2.5" data-session={one.id}>
      <div className="w-full shrink-0 sm:w-32"><Badge tone={said.tone} title={said.means}>{said.word}</Badge></div>
      <div className="min-w-48 flex-1">
        <p className="font-medium [overflow-wrap:anywhere]">
          <Link to="/healer/:id" params={{ id: one.id }} className="link">{one.trigger ? (healTriggers[one.trigger] ?? plain(one.trigger)) : 'A look before the work began'}</Link>
          {one.subtask && <span className="text-soft"> · {plain(one.subtask)}</span>}
        </p>
        <p className="text-sm text-soft [overflow-wrap:anywhere]">
          {plain(one.worktree)}, {one.healings > 0 && `${count(one.healings, 'healing')}, `}<Moment at={one.last_at} />
        </p>
      </div>
      {blocked > 0 && <Badge tone="warn">{count(blocked, 'subtask')} blocked</Badge>}
    </div>
  );
}
