// The questions of the pages. A query's key says what it is about (see live.ts): that is how it is known to be old.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get, getWithRevision, path } from './client';
import type { QueryOf } from './described';
import type { List } from './list';
import type { Fix, Run, Significance, Workflow } from './types';

const many = 100; // items of a page of a list: what is asked for again when something happened

export const notificationsQuery = (all = false) =>
  queryOptions({
    queryKey: ['notifications', { all }],
    queryFn: async ({ signal }) => (await get('/notifications', { limit: 200, all }, signal)).items,
  });

/** Whether repairs of all workflows go on. Who may not see it is told of no stop. */
export const repairsQuery = () =>
  queryOptions({ queryKey: ['system', '/autofix'], queryFn: ({ signal }) => get('/autofix', undefined, signal) });

/** Services that do not answer now, and when they are asked next. */
export const outagesQuery = () => queryOptions({ queryKey: ['outages'], queryFn: async ({ signal }) => (await get('/outages', {}, signal)).items });

// An address holds text: the server refuses what it does not know.
const known = <T,>(text: string | undefined) => text as T | undefined;

type AskedWorkflows = QueryOf<'get', '/workflows'>;
export type WorkflowFilter = { status?: string | undefined; archived?: boolean; q?: string; sort?: string | undefined; label?: string[] };

/** The filters that an address of the first page asks for. */
export const filterOf = ({ q = '', status, sort, label }: { q?: string; status?: string; sort?: string; label?: string }): WorkflowFilter => ({
  status, q: q.trim(), sort, ...(label ? { label: [label] } : {}), ...(status === 'archived' ? { archived: true } : {}),
});

export const workflowsList = (filter: WorkflowFilter): List<Workflow> => ({
  key: ['workflows', filter],
  id: (one) => one.id,
  ask: (after, signal) =>
    get('/workflows', { limit: many, after, ...filter, status: known<AskedWorkflows['status']>(filter.status), sort: known<AskedWorkflows['sort']>(filter.sort) }, signal),
});

export const runsList = (filter: { workflow?: string | undefined; status?: string | undefined; label?: string[] }): List<Run> => ({
  key: filter.workflow ? ['workflow', filter.workflow, 'runs', filter] : ['runs', filter],
  id: (one) => one.id,
  ask: (after, signal) => get('/runs', { limit: many, after, ...filter, status: known<QueryOf<'get', '/runs'>['status']>(filter.status) }, signal),
});

export const fixesList = (filter: { workflow?: string | undefined; state?: string | undefined }): List<Fix> => ({
  key: filter.workflow ? ['workflow', filter.workflow, 'fixes', filter] : ['fixes', filter],
  id: (one) => one.proposal,
  ask: (after, signal) => get('/fixes', { limit: many, after, ...filter }, signal),
});

/** The last runs of some workflows, the newest first: one question for all of them. */
export const recentRunsQuery = (workflows: readonly string[]) =>
  queryOptions({
    queryKey: ['workflow', workflows, 'recent'],
    queryFn: ({ signal }) => get('/workflows/recent', { ids: [...workflows] }, signal),
  });

export const workflowQuery = (id: string) =>
  queryOptions({ queryKey: ['workflow', id], queryFn: ({ signal }) => getWithRevision(path('/workflows/{workflow}', id), {}, signal) });

export const timelineQuery = (id: string, significance: readonly Significance[]) =>
  infiniteQueryOptions({
    queryKey: ['workflow', id, 'timeline', significance],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      get(path('/workflows/{workflow}/timeline', id), { limit: 100, before: pageParam || undefined, significance: [...significance] }, signal),
    getNextPageParam: (last) => last.next || undefined,
  });

export const openedQuery = (id: string, entry: number) =>
  queryOptions({
    queryKey: ['workflow', id, 'opened', entry],
    queryFn: ({ signal }) => get(path('/workflows/{workflow}/timeline', id), { open: entry, limit: 200 }, signal),
  });

export const versionsQuery = (id: string) =>
  queryOptions({ queryKey: ['workflow', id, 'versions'], queryFn: async ({ signal }) => (await get(path('/workflows/{workflow}/versions', id), {}, signal)).items });

export const scriptQuery = (id: string, version: string) =>
  queryOptions({
    queryKey: [version === 'active' ? 'workflow' : 'fixed', id, 'script', version],
    queryFn: ({ signal }) => getWithRevision(path('/workflows/{workflow}/versions/{version}', id, version), {}, signal),
  });

export const compareQuery = (id: string, from: string, to: string) =>
  queryOptions({ queryKey: ['fixed', id, 'compare', from, to], queryFn: ({ signal }) => get(path('/workflows/{workflow}/compare', id), { from, to }, signal) });

export const scheduleQuery = (id: string) =>
  queryOptions({ queryKey: ['workflow', id, 'schedule'], queryFn: ({ signal }) => get(path('/workflows/{workflow}/schedule', id), { next: 10 }, signal) });

export const settingsQuery = (id: string) =>
  queryOptions({ queryKey: ['workflow', id, 'settings'], queryFn: ({ signal }) => getWithRevision(path('/workflows/{workflow}/settings', id), {}, signal) });

export const runQuery = (id: string) => queryOptions({ queryKey: ['run', id], queryFn: ({ signal }) => get(path('/runs/{run}', id), {}, signal) });

/** The outcome of a run, with the runs that went on for it. */
export const resultQuery = (id: string) => queryOptions({ queryKey: ['run', id, 'result'], queryFn: ({ signal }) => get(path('/runs/{run}/result', id), {}, signal) });

export const waterfallQuery = (id: string) =>
  queryOptions({ queryKey: ['run', id, 'calls'], queryFn: ({ signal }) => get(path('/runs/{run}/calls', id), {}, signal) });

export const fixQuery = (id: string) => queryOptions({ queryKey: ['fix', id], queryFn: ({ signal }) => getWithRevision(path('/fixes/{fix}', id), {}, signal) });

/** The fixes that wait of the cause of one of them, all of them. */
export const sameCauseQuery = (id: string) =>
  queryOptions({
    queryKey: ['fixes', 'cause', id],
    queryFn: async ({ signal }) => {
      const waiting: Fix[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page: { items: Fix[]; next?: string } = await get('/fixes', { same_cause: id, state: 'held', limit: 500, after }, signal);
        waiting.push(...page.items);
        after = page.next;
      }
      return waiting;
    },
  });
export const threadQuery = (id: string) => queryOptions({ queryKey: ['fix', id, 'thread'], queryFn: ({ signal }) => get(path('/fixes/{fix}/thread', id), {}, signal) });
