import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { workflowsQuery } from '../api/queries';
import { Heading } from '../ui/basics';
import { Choice, RunList, runStatuses } from '../ui/runlist';

export default function RunsPage() {
  const { status } = useSearch({ strict: false }) as { status?: string };
  const navigate = useNavigate();
  const workflows = useInfiniteQuery(workflowsQuery({}));
  const titles = useMemo(() => new Map(workflows.data?.pages.flatMap((page) => page.items).map((one) => [one.id, one.title])), [workflows.data]);
  return (
    <>
      <Heading title="Runs"><Choice label="which" value={status ?? ''} options={runStatuses} change={(next) => void navigate({ to: '/runs', search: next ? { status: next } : {} })} /></Heading>
      <div className="card p-4"><RunList status={status} titles={titles} /></div>
    </>
  );
}
