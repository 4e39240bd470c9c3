import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useDeferredValue, useState } from 'react';
import { Link, go, useSearch } from '../navigation';
import { get, path } from '../api/client';
import type { QueryOf } from '../api/described';
import type { Json, Recorded } from '../api/types';
import { useAct } from '../ui/base/act';
import { Button, Heading, Clock, Outside, plain, RunLink, Section, WorkflowLink } from '../ui/base/basics';
import { Choice } from '../ui/run/runlist';
import { Empty, Failed, Loading, Refused } from '../ui/base/states';
import { type Folded, StatesBeside } from '../ui/script/statesbeside';
import { Value } from '../ui/base/value';
import { looked, Ways } from '../ui/base/ways';
import { actorInWords, failures, withShortIds } from '../words/status';
import { inDays, count, exact } from '../words/time';

const kinds = { '': 'all', workflow: 'of workflows', run: 'of runs', thread: 'of conversations', account: 'of accounts', subscription: 'of subscriptions', admin: 'of the installation' };

/** Everything that was ever recorded, as it lies there: for whoever wants to see what all other pages are made of. */
export default function EventsPage() {
  const { stream, at, kind } = useSearch<{ stream: string; at: string; kind: string }>();
  return (
    <>
      <Heading title={stream ? `Events of ${plain(short(stream))}` : 'Events'} above={stream && <Link to="/events" className="link">All events</Link>}>
        {!stream && <Newer kind={kind} />}
      </Heading>
      <Ways label="What it stands on" ways={looked} />
      {stream ? <Stream key={stream} stream={stream} at={at} /> : <Newest kind={kind} />}
    </>
  );
}

function Newer({ kind }: { kind: string | undefined }) {
  const [name, write] = useState('');
  const open = (event: FormEvent) => {
    event.preventDefault();
    void go({ to: '/events', search: { stream: name.trim() } });
  };
  return (
    <>
      <Choice label="show" value={kind ?? ''} options={kinds} change={(next) => void go({ to: '/events', search: next ? { kind: next } : {} })} />
      <form onSubmit={open} className="ml-auto flex min-w-0 gap-2">
        <label className="min-w-0">
          <span className="sr-only">The name of a stream</span>
          <input className="field w-full font-mono text-sm" value={name} onChange={(event) => write(event.target.value)} placeholder="workflow-… or run-…" required />
        </label>
        <Button type="submit">Open</Button>
      </form>
    </>
  );
}

function Newest({ kind }: { kind: string | undefined }) {
  const list = useInfiniteQuery({
    queryKey: ['recorded', kind],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => get('/recorded', { limit: 60, after: pageParam, kind: kind as QueryOf<'get', '/recorded'>['kind'] }, signal),
    getNextPageParam: (last) => last.next,
  });
  const events = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (list.isPending) return <div className="card"><Loading what="the events" /></div>;
  if (list.isError) return <div className="card"><Failed error={list.error} what="the events" /></div>;
  return (
    <Section title="What was recorded" aside={<span className="text-sm text-soft">the newest first; it goes on by itself</span>}>
      {events.length === 0 ? <Empty title={kind ? 'Nothing like that was recorded' : 'Nothing was recorded yet'} /> : <Events events={events} streams />}
      {list.hasNextPage && <Button className="mt-3" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Earlier</Button>}
    </Section>
  );
}

function Stream({ stream, at }: { stream: string; at: string | undefined }) {
  const list = useInfiniteQuery({
    queryKey: ['recorded', 'stream', stream],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => get(path('/streams/{stream}', stream), { limit: 100, after: pageParam }, signal),
    getNextPageParam: (last) => (last.next === undefined ? undefined : Number(last.next)),
  });
  if (list.isPending) return <div className="card"><Loading what="the stream" /></div>;
  if (list.isError) return <div className="card"><Failed error={list.error} what="stream" /></div>;
  const last = list.data.pages[0]!.last;
  const events = list.data.pages.flatMap((page) => page.items ?? []);
  return (
    <>
      <Travel stream={stream} last={last} at={at} events={events}>
        <Section title="Its events" aside={<span className="text-sm text-soft">{count(last + 1, 'event')}, the newest first</span>}>
          <Events events={events} at={at === undefined ? last : Number(at)} />
          {list.hasNextPage && <Button className="mt-3" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Earlier</Button>}
        </Section>
      </Travel>
    </>
  );
}

/** The slider: what the stream came to at each of its events, beside what it was before that one. */
function Travel({ stream, last, at, events, children }: { stream: string; last: number; at: string | undefined; events: Recorded[]; children: ReactNode }) {
  const wanted = Number(at);
  const here = at === undefined || !Number.isInteger(wanted) || wanted < 0 || wanted > last ? last : wanted;
  const travel = (to: number) => void go({ to: '/events', search: to === last ? { stream } : { stream, at: String(to) }, replace: true, resetScroll: false });
  const revision = useDeferredValue(here);
  const moment = useQuery({
    queryKey: ['fixed', 'stream', stream, revision],
    queryFn: ({ signal }) => get(path('/streams/{stream}/moment', stream), { at: revision }, signal),
    placeholderData: keepPreviousData,
  });
  const check = useAct(() => get(path('/streams/{stream}/chain', stream)));
  const event = events.find((one) => one.revision === here) ?? moment.data?.event;
  const whole = stream.slice(stream.indexOf('-') + 1);
  return (
    <>
      <Section
        title="As it was"
        aside={
          <span className="flex flex-wrap items-center gap-3 text-sm">
            {stream.startsWith('workflow-') && <WorkflowLink id={whole} title="the workflow" />}
            {stream.startsWith('run-') && <RunLink id={whole}>the run</RunLink>}
            <Button busy={check.isPending} onClick={() => check.mutate()}>Check its chain</Button>
          </span>
        }
      >
        {check.data?.whole && <p role="status" className="mb-3 text-good">✓ The chain is whole: each of its {count(last + 1, 'event')} is as it was recorded.</p>}
        <Refused error={check.error} />
        <label className="block">
          <span className="mb-1 block text-sm font-semibold">After event {here} of {last}</span>
          <input className="w-full accent-(--gold)" type="range" min={0} max={last} value={here} onChange={(change) => travel(Number(change.target.value))} aria-valuetext={event ? `${event.type}, ${exact(event.metadata.recorded_at)}` : String(here)} />
        </label>
        <div className="mt-1 flex items-center gap-2">
          <Button disabled={here === 0} onClick={() => travel(here - 1)} aria-label="One event back">◀</Button>
          <Button disabled={here === last} onClick={() => travel(here + 1)} aria-label="One event on">▶</Button>
          {event && (
            <p className="min-w-0 [overflow-wrap:anywhere]" aria-live="polite">
              <strong className="font-mono text-sm">{plain(event.type)}</strong> <Outside text={withShortIds(event.summary ?? '')} />{' '}
              <span className="text-sm text-soft">{exact(event.metadata.recorded_at)}, by {plain(actorInWords(event.metadata.actor))}</span>
            </p>
          )}
        </div>
        {moment.isPending ? <Loading what="how it was" /> : moment.isError ? <Failed error={moment.error} what="moment" />
          : <StatesBeside before={asState(moment.data.before)} after={asState(moment.data.after)} names={['before it', 'after it']} onlyChanged />}
      </Section>
      {!moment.isPending && children /* it stands below what is not there yet */}
    </>
  );
}

// A stream that is none of Kintsugi's own comes to a number.
const asState = (state: Json | undefined): Folded => (state === null || state === undefined ? {} : typeof state === 'object' && !Array.isArray(state) ? state : { events: state });

// Where an event is, as far as one can keep it in mind.
const short = (stream: string) => stream.replace(/^(\w+)-.*([\w-]{6})$/, '$1 …$2');

function Events({ events, at, streams = false }: { events: Recorded[]; at?: number; streams?: boolean }) {
  return inDays(events, (event) => event.metadata.recorded_at).map(({ day, of }) => (
    <section key={`${day} ${of[0]!.position}`} aria-label={day}>
    <h3 className="mt-3 mb-1 text-sm text-soft first:mt-0">{day}</h3>
    <ol className="divide-y divide-line">
      {of.map((event) => (
        <li key={event.position} className={`py-1.5 ${event.revision === at ? 'bg-goldwash' : ''}`}>
          <details>
            <summary className="[overflow-wrap:anywhere]">
              {!streams && <span className="mr-1 font-mono text-xs text-soft">{event.revision}</span>}
              <span className={`font-mono text-sm font-semibold ${failures.has(event.type) ? 'text-bad' : ''}`}>{plain(event.type)}</span>{' '}
              <span className="text-sm"><Outside text={withShortIds(event.summary ?? '')} /></span>{' '}
              <span className="text-sm text-soft"><Clock at={event.metadata.recorded_at} />{streams && <>, {plain(short(event.stream))}</>}</span>
            </summary>
            <div className="mt-2 pl-4">
              <Value value={event.payload} label={`What event ${event.revision} of ${event.stream} says`} />
              <p className="mt-1 font-mono text-xs text-soft [overflow-wrap:anywhere]">position {event.position}, hash {event.metadata.hash}</p>
              <Link className="link text-sm" to="/events" search={{ stream: event.stream, at: String(event.revision) }}>{streams ? <>event {event.revision} of {plain(event.stream)}</> : 'what it changed'}</Link>
            </div>
          </details>
        </li>
      ))}
    </ol>
    </section>
  ));
}
