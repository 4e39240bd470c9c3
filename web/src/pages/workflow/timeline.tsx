import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, go, useSearch } from '../../navigation';
import { get, put } from '../../api/client';
import { openedQuery, timelineQuery } from '../../api/queries';
import type { Significance, TimelineEntry, Workflow } from '../../api/types';
import { useAct } from '../../ui/base/act';
import { Button, Clock, Outside, plain } from '../../ui/base/basics';
import { Notice } from '../../ui/notice/notice';
import { Choice } from '../../ui/run/runlist';
import { Empty, Failed, Loading, Refused } from '../../ui/base/states';
import { actorInWords, failures } from '../../words/status';
import { inDays } from '../../words/time';
import { rowsOf } from '../../words/notify';
import { callsInWords, withoutCommands } from '../../words/refusal';
import { WorkflowFrame } from './frame';

const filters = { all: 'everything', notable: 'what is notable', person: 'what asks for you' };
const asked: Record<string, Significance[]> = { all: [], notable: ['person_facing', 'notable'], person: ['person_facing'] };
const chosen = { queryKey: ['choice', 'timeline'], queryFn: ({ signal }: { signal: AbortSignal }) => get('/timeline-choice', {}, signal) };

export default function TimelinePage() {
  return <WorkflowFrame>{(one) => <Timeline one={one} />}</WorkflowFrame>;
}

function Timeline({ one }: { one: Workflow }) {
  const search = useSearch<{ show: string }>();
  // A choice of what to see holds on every workflow and in every window.
  const choice = useQuery(chosen);
  const remember = useAct((next: string) => put('/timeline-choice', { significance: asked[next] ?? [], kinds: choice.data?.kinds ?? [] }));
  const kept = (choice.data?.significance ?? []).join(',');
  const show = search.show ?? Object.keys(asked).find((one) => asked[one]!.join(',') === kept) ?? 'all';
  const list = useInfiniteQuery({ ...timelineQuery(one.id, asked[show] ?? []), enabled: !choice.isPending });
  const entries = list.data?.pages.flatMap((page) => page.entries ?? []) ?? [];
  const notices = (one.notifications ?? []).filter((notice) => (notice.stands_still || !notice.acknowledged) && notice.type !== 'script_message' && notice.type !== 'fixed');
  return (
    <>
      {notices.length > 0 && <ul className="card mb-4 divide-y divide-line border-gold/60! px-4">{rowsOf(notices).map(([first, ...others]) => <Notice key={first!.id} one={first!} others={others} />)}</ul>}
      <div className="card p-4">
        <div className="mb-3">
          <Choice
            label="show"
            value={show}
            options={filters}
            change={(next) => {
              remember.mutate(next);
              void go({ to: '/workflows/:id', params: { id: one.id }, search: { show: next || 'all' }, replace: true });
            }}
          />
          <Refused error={remember.error} />
        </div>
        {list.isPending ? <Loading what="the timeline" />
          : list.isError ? <Failed error={list.error} what="the timeline" />
          : entries.length === 0 ? <Empty title="Nothing like that happened yet" />
          : inDays(entries, (entry) => entry.at).map(({ day, of }) => (
            <section key={day} aria-label={day}>
              <h2 className="mt-3 mb-1 text-sm text-soft first:mt-0">{day}</h2>
              <ol className="relative ml-2 border-l-2 border-line">{of.map((entry) => <Entry key={entry.number} entry={entry} />)}</ol>
            </section>
          ))}
        {list.hasNextPage && <Button className="mt-3" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Earlier</Button>}
      </div>
    </>
  );
}

const dots = { person_facing: 'bg-warn border-warn', notable: 'bg-gold border-gold', routine: 'bg-card border-soft' };

function Entry({ entry }: { entry: TimelineEntry }) {
  const routine = entry.significance === 'routine';
  const failed = failures.has(entry.type ?? '');
  const [open, set] = useState(false);
  return (
    <li className="relative py-1.5 pl-5">
      <span aria-hidden="true" className={`absolute top-3.5 -left-[7px] size-3 rounded-full border-2 ${failed ? 'bg-bad border-bad' : dots[entry.significance as Significance]}`} />
      <div className={`flex flex-wrap gap-x-2 ${routine ? 'text-sm text-soft' : ''}`}>
        <span className={`${entry.significance === 'person_facing' ? 'font-semibold' : ''} ${failed ? 'text-bad' : ''}`}><Outside text={callsInWords(withoutCommands(entry.text))} /></span>
        <span className="text-sm text-soft">
          <Clock at={entry.at} />
          {entry.actor?.startsWith('person:') && !entry.text.startsWith(actorInWords(entry.actor)) && ` · ${plain(actorInWords(entry.actor))}`}
        </span>
        <span className="flex gap-2 text-sm">
          {entry.fix && <Link className="link" to="/fixes/:id" params={{ id: entry.fix }}>the fix</Link>}
          {entry.run && <Link className="link" to="/runs/:id" params={{ id: entry.run }}>the run</Link>}
          {entry.type === 'ScriptSaved' && entry.version && <Link className="link" to="/workflows/:id/script" params={{ id: entry.workflow }} search={{ version: entry.version }}>the script</Link>}
          {entry.counts && <button type="button" className="link" aria-expanded={open} onClick={() => set(!open)}>{open ? 'fold' : 'open'}</button>}
        </span>
      </div>
      {open && <Opened entry={entry} />}
    </li>
  );
}

function Opened({ entry }: { entry: TimelineEntry }) {
  const inside = useQuery(openedQuery(entry.workflow, entry.number));
  if (inside.isPending) return <Loading what="what is folded here" />;
  if (inside.isError) return <Failed error={inside.error} what="what is folded here" />;
  return (
    <ol className="mt-1 space-y-0.5 border-l border-line pl-3 text-sm text-soft">
      {(inside.data.entries ?? []).map((one) => (
        <li key={one.number}>
          <Outside text={withoutCommands(one.text)} /> <Clock at={one.at} /> {one.run && <Link className="link" to="/runs/:id" params={{ id: one.run }}>the run</Link>}
        </li>
      ))}
      {inside.data.next ? <li>…and more</li> : null}
    </ol>
  );
}
