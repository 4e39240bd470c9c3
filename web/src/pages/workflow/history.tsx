import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue } from 'react';
import { go, useSearch } from '../../navigation';
import { get, path } from '../../api/client';
import type { Recorded, Workflow } from '../../api/types';
import { useAct } from '../../ui/base/act';
import { Button, Clock, Outside, plain, Section } from '../../ui/base/basics';
import { Diff } from '../../ui/script/diff';
import { Failed, Loading, Refused } from '../../ui/base/states';
import { Value } from '../../ui/base/value';
import { StatesBeside } from '../../ui/script/statesbeside';
import { actorInWords, failures, withShortIds } from '../../words/status';
import { count, exact, inDays } from '../../words/time';
import { WorkflowFrame } from './frame';

export default function HistoryPage() {
  return <WorkflowFrame>{(one) => <History one={one} />}</WorkflowFrame>;
}

function History({ one }: { one: Workflow }) {
  const stream = `workflow-${one.id}`;
  const list = useInfiniteQuery({
    queryKey: ['workflow', one.id, 'history'],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => get(path('/streams/{stream}', stream), { limit: 100, after: pageParam }, signal),
    getNextPageParam: (last) => (last.next === undefined ? undefined : Number(last.next)),
  });
  if (list.isPending) return <Loading what="the history" />;
  if (list.isError) return <Failed error={list.error} what="history" />;
  const last = list.data.pages[0]!.last;
  const events = list.data.pages.flatMap((page) => page.items ?? []);
  return <Travel one={one} last={last} events={events} earlier={list.hasNextPage && <Button className="mt-2" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Earlier</Button>} />;
}

function Travel({ one, last, events, earlier }: { one: Workflow; last: number; events: Recorded[]; earlier: ReactNode }) {
  const search = useSearch<{ at: string }>();
  const wanted = Number(search.at ?? last);
  const at = Number.isInteger(wanted) && wanted >= 0 && wanted <= last ? wanted : last;
  const travel = (to: number) =>
    void go({ to: '/workflows/:id/history', params: { id: one.id }, search: to === last ? {} : { at: String(to) }, replace: true, resetScroll: false });
  const revision = useDeferredValue(at);
  const here = useQuery({
    queryKey: ['fixed', 'event', one.id, revision],
    queryFn: async ({ signal }) => (await get(path('/streams/{stream}', `workflow-${one.id}`), { limit: 1, after: revision + 1 }, signal)).items?.[0],
    placeholderData: keepPreviousData,
  });
  const event = events.find((one) => one.revision === at) ?? here.data;
  const moment = useQuery({
    queryKey: ['workflow', one.id, 'moment', revision],
    queryFn: ({ signal }) => get(path('/workflows/{workflow}/moment', one.id), { at: String(revision) }, signal),
    placeholderData: keepPreviousData,
  });
  const check = useAct(() => get(path('/workflows/{workflow}/chains', one.id)));
  return (
    <>
      <Section
        title="As it was"
        aside={<Button busy={check.isPending} onClick={() => check.mutate()}>Has anybody changed the record?</Button>}
      >
        {check.data?.whole && <p role="status" className="mb-3 text-good">✓ Nobody has: each of its {count(last + 1, 'event')}, and those of its runs, are as they were recorded.</p>}
        <Refused error={check.error} />
        <label className="block">
          <span className="mb-1 block text-sm font-semibold">After event {at} of {last}</span>
          <input
            className="w-full accent-(--gold)"
            type="range"
            min={0}
            max={last}
            value={at}
            onChange={(change) => travel(Number(change.target.value))}
            aria-valuetext={event ? `${event.type}, ${exact(event.metadata.recorded_at)}` : String(at)}
          />
        </label>
        {event && (
          <p className="mt-1 [overflow-wrap:anywhere]" aria-live="polite">
            <strong className="font-mono text-sm">{plain(event.type)}</strong> <Outside text={withShortIds(event.summary ?? '')} />{' '}
            <span className="text-sm text-soft">{exact(event.metadata.recorded_at)}, by {plain(actorInWords(event.metadata.actor))}</span>
          </p>
        )}
        {moment.isPending ? <Loading what="how it was" /> : moment.isError ? <Failed error={moment.error} what="moment" /> : (
          <>
            <StatesBeside before={moment.data.state} after={moment.data.now} names={['then', 'now']} />
            {moment.data.diff !== '' && <div className="mt-3"><h3 className="mb-1">The script, from then to now</h3><Diff diff={moment.data.diff} label="The script, from then to now" /></div>}
          </>
        )}
      </Section>
      {!moment.isLoading && (
        <Section title="Every event" aside={<span className="text-sm text-soft">the newest first</span>}>
          <Events events={events} at={at} travel={travel} />
          {earlier}
        </Section>
      )}
    </>
  );
}

function Events({ events, at, travel }: { events: Recorded[]; at: number; travel: (to: number) => void }) {
  return (
    <>
    {inDays(events, (event) => event.metadata.recorded_at).map(({ day, of }) => (
    <section key={day} aria-label={day}>
    <h3 className="mt-3 mb-1 text-sm text-soft first:mt-0">{day}</h3>
    <ol className="divide-y divide-line">
      {of.map((event) => (
        <li key={event.revision} className={`py-1.5 ${event.revision === at ? 'bg-goldwash' : ''}`}>
          <details>
            <summary className="[overflow-wrap:anywhere]">
              <span className="font-mono text-xs text-soft">{event.revision}</span> <span className={`font-mono text-sm font-semibold ${failures.has(event.type) ? 'text-bad' : ''}`}>{plain(event.type)}</span>{' '}
              <span className="text-sm"><Outside text={withShortIds(event.summary ?? '')} /></span> <span className="text-sm text-soft"><Clock at={event.metadata.recorded_at} /></span>
            </summary>
            <div className="mt-2 pl-4">
              <Value value={event.payload} label={`What event ${event.revision} says`} />
              <p className="mt-1 font-mono text-xs text-soft [overflow-wrap:anywhere]">hash {event.metadata.hash}</p>
              {event.revision !== at && <button type="button" className="link text-sm" onClick={() => travel(event.revision)}>see it as it was then</button>}
            </div>
          </details>
        </li>
      ))}
    </ol>
    </section>
    ))}
    </>
  );
}
