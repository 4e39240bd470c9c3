// What the pages ask for. A query's key says what it is about (see live.ts): that is how it is known to be old.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get, getWithRevision, type Page, path } from './client';
import type { Fix, Lately, Notification, Run, RunDetail, Schedule, ScriptDiff, Thread, TimelineEntry, Version, Waterfall, Workflow } from './types';

const many = 200; // items of a page of a list

export const notificationsQuery = (all = false) =>
  queryOptions({
    queryKey: ['notifications', { all }],
    queryFn: async ({ signal }) => (await get<Page<Notification>>('/notifications', { limit: many, all }, signal)).items,
  });

export type WorkflowFilter = { status?: string | undefined; archived?: boolean; q?: string };

export const workflowsQuery = (filter: WorkflowFilter) =>
  infiniteQueryOptions({
    queryKey: ['workflows', filter],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => get<Page<Workflow>>('/workflows', { limit: 500, after: pageParam, ...filter }, signal),
    getNextPageParam: (last) => last.next,
  });

export const runsQuery = (filter: { workflow?: string | undefined; status?: string | undefined }) =>
  infiniteQueryOptions({
    queryKey: filter.workflow ? ['workflow', filter.workflow, 'runs', filter] : ['runs', filter],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => get<Page<Run>>('/runs', { limit: many, after: pageParam, ...filter }, signal),
    getNextPageParam: (last) => last.next,
  });

/** The last runs of some workflows, the newest first: one question for all of them. */
export const recentRunsQuery = (workflows: readonly string[]) =>
  queryOptions({
    queryKey: ['workflow', workflows, 'recent'],
    queryFn: ({ signal }) => get<Record<string, Lately[]>>('/workflows/recent', { ids: workflows.join(',') }, signal),
  });

export const fixesQuery = (filter: { workflow?: string | undefined; state?: string | undefined }) =>
  infiniteQueryOptions({
    queryKey: filter.workflow ? ['workflow', filter.workflow, 'fixes', filter] : ['fixes', filter],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => get<Page<Fix>>('/fixes', { limit: many, after: pageParam, ...filter }, signal),
    getNextPageParam: (last) => last.next,
  });

export const workflowQuery = (id: string) =>
  queryOptions({ queryKey: ['workflow', id], queryFn: ({ signal }) => getWithRevision<Workflow>(path`/workflows/${id}`, {}, signal) });

export const timelineQuery = (id: string, significance: string) =>
  infiniteQueryOptions({
    queryKey: ['workflow', id, 'timeline', significance],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      get<{ entries: TimelineEntry[] | null; next?: number }>(path`/workflows/${id}/timeline`, { limit: 100, before: pageParam || undefined, significance }, signal),
    getNextPageParam: (last) => last.next || undefined,
  });

export const openedQuery = (id: string, entry: number) =>
  queryOptions({
    queryKey: ['workflow', id, 'opened', entry],
    queryFn: ({ signal }) => get<{ entries: TimelineEntry[] | null; next?: number }>(path`/workflows/${id}/timeline`, { open: entry, limit: 200 }, signal),
  });

export const versionsQuery = (id: string) =>
  queryOptions({ queryKey: ['workflow', id, 'versions'], queryFn: async ({ signal }) => (await get<Page<Version>>(path`/workflows/${id}/versions`, {}, signal)).items });

export const scriptQuery = (id: string, version: string) =>
  queryOptions({
    queryKey: [version === 'active' ? 'workflow' : 'fixed', id, 'script', version],
    queryFn: ({ signal }) => getWithRevision<Version>(path`/workflows/${id}/versions/${version}`, {}, signal),
  });

export const compareQuery = (id: string, from: string, to: string) =>
  queryOptions({ queryKey: ['fixed', id, 'compare', from, to], queryFn: ({ signal }) => get<ScriptDiff>(path`/workflows/${id}/compare`, { from, to }, signal) });

export const scheduleQuery = (id: string) =>
  queryOptions({ queryKey: ['workflow', id, 'schedule'], queryFn: ({ signal }) => get<Schedule>(path`/workflows/${id}/schedule`, { next: 10 }, signal) });

export const settingsQuery = (id: string) =>
  queryOptions({ queryKey: ['workflow', id, 'settings'], queryFn: ({ signal }) => getWithRevision<Record<string, unknown>>(path`/workflows/${id}/settings`, {}, signal) });

export const runQuery = (id: string) => queryOptions({ queryKey: ['run', id], queryFn: ({ signal }) => get<RunDetail>(path`/runs/${id}`, {}, signal) });

export const waterfallQuery = (id: string) =>
  queryOptions({ queryKey: ['run', id, 'calls'], queryFn: ({ signal }) => get<Waterfall>(path`/runs/${id}/calls`, {}, signal) });

export const fixQuery = (id: string) => queryOptions({ queryKey: ['fix', id], queryFn: ({ signal }) => getWithRevision<Fix>(path`/fixes/${id}`, {}, signal) });

export const threadQuery = (id: string) => queryOptions({ queryKey: ['fix', id, 'thread'], queryFn: ({ signal }) => get<Thread>(path`/fixes/${id}/thread`, {}, signal) });
