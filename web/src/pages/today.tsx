import { useQueries, useQuery } from '@tanstack/react-query';
import { memo, type MouseEvent, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import { Link, go, prepare, useSearch } from '../navigation';
import { get, path, post, Problem } from '../api/client';
import { type Listed, useList } from '../api/list';
import { filterOf, notificationsQuery, outagesQuery, recentRunsQuery, workflowsList } from '../api/queries';
import { useMay } from '../api/session';
import type { Lately, Notification, Outage, Workflow } from '../api/types';
import { Ask } from '../ui/base/act';
import { Heading, plain, Section, StatusBadge, useNow } from '../ui/base/basics';
import { RunCells } from '../ui/run/cells';
import { ChosenLabel, Labels } from '../ui/base/labels';
import { VirtualRows } from '../ui/base/list';
import { Notice } from '../ui/notice/notice';
import { Empty, Failed, Loading } from '../ui/base/states';
import { list } from '../words/cron';
import { groupOf, rowsOf } from '../words/notify';
import { cellsInWords, toneOf } from '../words/runs';
import { agentWords, nextTry, statusWords, successRate } from '../words/status';
import { ago, count, exact, soon } from '../words/time';

export default function Today() {
  const notices = useQuery(notificationsQuery());
  const groups = useMemo(() => Map.groupBy(notices.data ?? [], groupOf), [notices.data]);
  const needs = rowsOf(groups.get('needs') ?? []);
  const silent = useQuery(outagesQuery());
  const mayMake = useMay('edit');
  return (
    <>
      <Heading title="Today">{mayMake && <Link to="/new" className="button ml-auto">New workflow</Link>}</Heading>
      {notices.isPending || silent.isPending ? (
        <Section title="Needs you"><Loading what="what needs you" /></Section>
      ) : notices.isError ? (
        <Section title="Needs you"><Failed error={notices.error} what="what needs you" /></Section>
      ) : (
        <>
          {needs.length > 0 ? (
            <Group title={`Needs you (${needs.length})`} rows={needs} />
          ) : (
            <div className="card mb-4 flex items-center gap-3 px-4 py-3">
              <span aria-hidden="true" className="text-xl text-good">✓</span>
              <p><strong>Nothing needs you.</strong> <span className="text-soft">You are told here when something does.</span></p>
            </div>
          )}
          <Silent silent={silent.data ?? []} />
          <Group title="Suspicious" rows={(groups.get('suspicious') ?? []).map((one) => [one])} />
          <Group title="Mended" rows={(groups.get('mended') ?? []).map((one) => [one])} />
        </>
      )}
      {!notices.isPending && !silent.isPending && <Workflows />}
    </>
  );
}

/** Nothing that stands still is folded away. */
function Group({ title, rows }: { title: string; rows: Notification[][] }) {
  const [all, show] = useState(false);
  if (rows.length === 0) return null;
  const shown = all ? rows : rows.filter(([first], i) => i < 8 || first!.stands_still);
  return (
    <Section title={title}>
      <ul className="-my-3 divide-y divide-line">{shown.map(([first, ...others]) => <Notice key={first!.id} one={first!} others={others} />)}</ul>
      {shown.length < rows.length && (
        <button type="button" className="link mt-3" onClick={() => show(true)}>Show all {rows.length}</button>
      )}
    </Section>
  );
}

/** Services that do not answer: nobody has to do anything, and when they are asked next. */
function Silent({ silent }: { silent: Outage[] }) {
  const now = useNow();
  if (silent.length === 0) return null;
  return (
    <Section title="Does not answer, and is tried again" id="silent">
      <ul className="-my-2 divide-y divide-line">
        {silent.map((one) => (
          <li key={one.host} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2" data-silent={one.host}>
            <strong className="font-mono text-sm [overflow-wrap:anywhere]">{plain(one.host || 'a service')}</strong>
            <span className="min-w-40 flex-1 text-sm">
              {list((one.workflows ?? []).slice(0, 5).map((of) => plain(of.title)))}{(one.workflows?.length ?? 0) > 5 && ` and ${one.workflows!.length - 5} more`}: {count(one.runs, 'run')} {one.runs === 1 ? 'waits' : 'wait'}
            </span>
            <span className="text-sm text-soft">next try <time dateTime={one.next} title={exact(one.next)}>{soon(one.next, now)}</time></span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

// A row's last runs are asked for together with those of the rows beside it.
const together = 50;

const sorts = { created: 'in the order they were made', trouble: 'trouble first', title: 'by name', updated: 'newest change first' };

function Workflows() {
  const search = useSearch<{ q: string; status: string; sort: string; label: string }>();
  const change = (next: Partial<typeof search>) =>
    void go({ to: '/', search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)), replace: true, resetScroll: false });
  const archived = search.status === 'archived';
  const wanted = useDeferredValue((search.q ?? '').trim());
  const listed = useList(workflowsList(filterOf({ ...search, q: wanted })));
  const { rows } = listed;
  const { recent, look } = useRecent(listed);
  const now = useNow();

  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const edit = useMay('edit');
  const picked = chosen.size === 0 ? [] : rows.filter((one) => chosen.has(one.id));
  const toggle = useCallback(
    (id: string) =>
      choose((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const [typed, type] = useState(search.q ?? '');

  return (
    <Section title="All workflows" aside={<span className="text-sm text-soft"><UnderWay /> {count(rows.length, 'workflow')}{listed.whole ? '' : ' so far'}</span>}>
      <div className="mb-3 flex flex-wrap gap-2">
        <label className="min-w-48 flex-1">
          <span className="sr-only">Search workflows</span>
          <input
            className="field w-full"
            type="search"
            placeholder="Search by name or purpose"
            value={typed}
            onChange={(event) => {
              type(event.target.value);
              change({ q: event.target.value });
            }}
          />
        </label>
        <label>
          <span className="sr-only">Where they stand</span>
          <select className="field" value={search.status ?? ''} onChange={(event) => change({ status: event.target.value })}>
            <option value="">all but archived</option>
            {Object.entries(statusWords).map(([status, said]) => <option key={status} value={status}>{said.word}</option>)}
          </select>
        </label>
        <label>
          <span className="sr-only">Order</span>
          <select className="field" value={search.sort ?? 'created'} onChange={(event) => change({ sort: event.target.value === 'created' ? '' : event.target.value })}>
            {Object.entries(sorts).map(([sort, said]) => <option key={sort} value={sort}>{said}</option>)}
          </select>
        </label>
      </div>
      {search.label && <p className="mb-3"><ChosenLabel label={search.label} clear={() => change({ label: '' })} /></p>}
      {picked.length > 0 && (
        <div role="region" aria-label="What is chosen" className="sticky top-14 z-20 mb-2 flex flex-wrap items-center gap-2 rounded-lg border border-gold bg-goldwash px-3 py-2">
          <strong>{count(picked.length, 'workflow')} chosen</strong>
          {!archived && <Bulk picked={picked} verb="pause" word="Pause" done="paused" past="Runs stop starting; what is under way is finished." forget={() => choose(new Set())} />}
          {!archived && <Bulk picked={picked} verb="activate" word="Switch on" done="switched on" past="Runs start again." forget={() => choose(new Set())} />}
          {archived
            ? <Bulk picked={picked} verb="restore" word="Restore" done="restored" past="They come back paused." forget={() => choose(new Set())} />
            : <Bulk picked={picked} verb="archive" word="Archive" done="archived" past="They are out of the way; everything is kept." forget={() => choose(new Set())} />}
          {picked.length < rows.length && <button type="button" className="link ml-auto" onClick={() => choose(new Set(rows.map((one) => one.id)))}>choose all{listed.whole ? '' : ' that are shown'}</button>}
          <button type="button" className={`link ${picked.length < rows.length ? '' : 'ml-auto'}`} onClick={() => choose(new Set())}>choose none</button>
        </div>
      )}
      {listed.pending ? <Loading what="the workflows" />
        : listed.error ? <Failed error={listed.error} what="the workflows" />
        : rows.length === 0 ? (
          !wanted && !search.status && !search.label ? (
            <Empty title="There are no workflows yet">{edit ? <Link className="button primary mt-2" to="/new">Make the first one</Link> : 'They are here as soon as somebody makes one.'}</Empty>
          ) : <Empty title="No workflow is like that">Search for less, or choose another status.</Empty>
        ) : (
          <VirtualRows
            rows={rows}
            id={(one) => one.id}
            estimate={62}
            label="Workflows"
            look={look}
            whole={listed.whole}
            row={(one) => <Row one={one} runs={recent.get(one.id)} now={now} chosen={chosen.has(one.id)} toggle={edit ? toggle : undefined} />}
          />
        )}
    </Section>
  );
}

const counted = 50;

/** How many runs there are now. */
function UnderWay() {
  const running = useQuery({ queryKey: ['runs', 'now'], queryFn: async ({ signal }) => (await get('/runs', { status: 'running', limit: counted }, signal)).items.length }).data ?? 0;
  if (running === 0) return null;
  return <><Link className="link" to="/runs" search={{ status: 'running' }}>{running === counted ? `${counted} runs or more` : count(running, 'run')} under way</Link>,</>;
}

// Rows that were in view keep their answer for a while: it is shown until a new one comes.
const remembered = 2_000;

/** The last runs of the workflows in view. */
function useRecent(list: Listed<Workflow>) {
  const { rows, look: lookAt } = list;
  const known = useRef(new Map<string, Lately[]>());
  const [inView, view] = useState({ first: 0, last: 0 });
  const ids = useMemo(
    () => Array.from({ length: inView.last - inView.first + 1 }, (_, i) => rows.slice((inView.first + i) * together, (inView.first + i + 1) * together).map((one) => one.id)).filter((of) => of.length > 0),
    [rows, inView],
  );
  const recent = useQueries({
    queries: ids.map(recentRunsQuery),
    combine: useCallback((answers: { data: Record<string, Lately[] | null> | undefined }[]) => {
      const told = new Map([...known.current].slice(-remembered));
      for (const { data } of answers) for (const [id, runs] of Object.entries(data ?? {})) told.set(id, runs ?? []);
      known.current = told;
      return told;
    }, []),
  });
  const look = useCallback(
    (first: number, last: number) => {
      lookAt(first, last);
      const next = { first: Math.floor(first / together), last: Math.floor(last / together) };
      view((before) => (before.first === next.first && before.last === next.last ? before : next));
    },
    [lookAt],
  );
  return { recent, look };
}

const Row = memo(function Row({ one, runs, now, chosen, toggle }: { one: Workflow; runs: Lately[] | undefined; now: Date; chosen: boolean; toggle: ((id: string) => void) | undefined }) {
  const to = { to: '/workflows/:id', params: { id: one.id } } as const;
  // Link watches where the page is, in each row. A row needs no more than to lead somewhere.
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void go(to);
  };
  return (
    <div className={`flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line/70 py-2 sm:flex-nowrap ${chosen ? 'bg-goldwash' : ''}`} data-workflow={one.id}>
      {toggle && (
        <label className="flex size-6 shrink-0 items-center justify-center">
          <span className="sr-only">Choose {plain(one.title)}</span>
          <input type="checkbox" className="size-4 accent-(--gold)" checked={chosen} onChange={() => toggle(one.id)} />
        </label>
      )}
      <div className="min-w-0 flex-1 basis-[70%] sm:basis-0">
        <div className="flex items-baseline gap-2">
          <a href={`/workflows/${encodeURIComponent(one.id)}`} onClick={follow} onPointerEnter={() => prepare(to)} className="truncate font-semibold hover:underline" title={one.title.length > 40 ? plain(one.title) : undefined}>{plain(one.title)}</a>
          {one.version && <span className="shrink-0 font-mono text-xs text-soft">{one.version}</span>}
          <Labels labels={one.labels} to="/" />
        </div>
        <p className="truncate text-sm text-soft"><Doing one={one} now={now} /></p>
      </div>
      <div className="ml-9 flex max-w-[45%] shrink-0 justify-end overflow-hidden sm:ml-0 sm:w-56 sm:max-w-none">
        {runs && runs.length > 0 && <RunCells tones={runs.map(toneOf).reverse()} label={cellsInWords(runs)} />}
      </div>
      <div className="hidden w-28 shrink-0 text-right text-sm text-soft md:block">
        <div>{successRate(one)}</div>
        {one.last_ended && <time dateTime={one.last_ended} title={exact(one.last_ended)} className="block truncate">{ago(one.last_ended, now)}</time>}
      </div>
      <div className="ml-auto flex shrink-0 justify-end sm:ml-0 sm:w-44"><StatusBadge of={one} /></div>
    </div>
  );
});

/** The work of a workflow's agents, else when it runs next, else what it is for. */
function Doing({ one, now }: { one: Workflow; now: Date }) {
  const next = nextTry(one);
  if (next) return <>A service does not answer. Next try <time dateTime={next.at} title={exact(next.at)}>{soon(next.at, now)}</time></>;
  const agent = one.agent === 'waiting_for_you' ? '' : agentWords[one.agent];
  if (agent) return <>{agent[0]!.toUpperCase()}{agent.slice(1)}</>;
  if (!one.schedule) return <>{plain(one.intent)}</>;
  if (!one.next_run) return <>Would run {one.schedule_words}</>;
  return <>Runs next <time dateTime={one.next_run} title={`${exact(one.next_run)}: ${one.schedule_words}, in the time zone ${one.schedule_zone || one.zone}`}>{soon(one.next_run, now)}</time></>;
}

function Bulk({ picked, verb, word, past, done, forget }: { picked: Workflow[]; verb: 'pause' | 'activate' | 'archive' | 'restore'; word: string; past: string; done: string; forget: () => void }) {
  return (
    <Ask
      word={word}
      title={`${word} ${count(picked.length, 'workflow')}`}
      said={`${count(picked.length, 'workflow')}: ${done}.`}
      done={forget}
      act={async () => {
        const refused: string[] = [];
        for (const one of picked) {
          await post(path(`/workflows/{workflow}/${verb}`, one.id), {}).catch((cause: unknown) => refused.push(`${plain(one.title)}: ${cause instanceof Error ? cause.message : String(cause)}`));
        }
        // One that is refused keeps no other one from it.
        if (refused.length > 0) throw new Problem(409, 'Some were refused', `${count(picked.length - refused.length, 'workflow')} done. ${refused.slice(0, 20).join('\n')}`);
      }}
    >
      <p>{past}</p>
      <ul className="max-h-40 list-disc overflow-auto pl-5">{picked.slice(0, 50).map((one) => <li key={one.id}>{plain(one.title)}</li>)}</ul>
    </Ask>
  );
}
