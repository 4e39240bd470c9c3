// The questions of the pages of coding agents: plans, their jobs, and what the Healer did.
import { queryOptions } from '@tanstack/react-query';
import { get, getWithRevision, path } from './client';
import type { QueryOf, Schemas } from './described';
import type { List } from './list';

export type PlanRow = Schemas['RepoPlan'];
export type Plan = Schemas['RepoPlanView'];
export type Job = NonNullable<Plan['jobs']>[number];
export type JobWork = Schemas['RepoJobWork'];
export type Step = Schemas['RepoStep'];
export type Checkpoint = Schemas['RepoCheckpoint'];
export type JobDiff = Schemas['RepoDiff'];
export type DiffFile = Schemas['RepoDiffFile'];
export type Output = Schemas['RepoOutput'];
export type SessionRow = Schemas['HealSession'];
export type HealSession = Schemas['HealSessionView'];
export type Heal = Schemas['HealingReport'];
export type Cast = Schemas['Cast'];

const many = 100;

export const plansList = (filter: { status?: string | undefined } = {}): List<PlanRow> => ({
  key: ['plans', filter],
  id: (one) => one.id,
  ask: (after, signal) => get('/repo-plans', { limit: many, after, status: filter.status as QueryOf<'get', '/repo-plans'>['status'] }, signal),
});

export const planQuery = (id: string) =>
  queryOptions({ queryKey: ['plan', id], queryFn: ({ signal }) => getWithRevision(path('/repo-plans/{plan}', id), {}, signal) });

/** A diff is of commits: it is another one when the job has another commit, or is held for something else. */
export const diffQuery = (plan: string, job: string, of: string) =>
  queryOptions({ queryKey: ['fixed', 'diff', plan, job, of], queryFn: ({ signal }) => get(path('/repo-plans/{plan}/jobs/{job}/diff', plan, job), {}, signal) });

export const output = (plan: string, job: string, launch: string, from: number, limit: number, signal?: AbortSignal): Promise<Output> =>
  get(path('/repo-plans/{plan}/jobs/{job}/output', plan, job), { launch, from, limit }, signal);

export const checkpointsOf = (plan: string, job: string) => get(path('/repo-plans/{plan}/checkpoints', plan), { job, limit: 20 });

export const sessionsList = (): List<SessionRow> => ({
  key: ['sessions'],
  id: (one) => one.id,
  ask: (after, signal) => get('/healer/sessions', { limit: many, after }, signal),
});

export const sessionQuery = (id: string) =>
  queryOptions({ queryKey: ['session of an agent', id], queryFn: ({ signal }) => getWithRevision(path('/healer/sessions/{session}', id), {}, signal) });
