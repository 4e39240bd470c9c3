import { useNavigate, useSearch } from '@tanstack/react-router';
import { Heading } from '../ui/basics';
import { Choice, RunList, runStatuses } from '../ui/runlist';

export default function RunsPage() {
  const { status } = useSearch({ strict: false }) as { status?: string };
  const navigate = useNavigate();
  return (
    <>
      <Heading title="Runs"><Choice label="show" value={status ?? ''} options={runStatuses} change={(next) => void navigate({ to: '/runs', search: next ? { status: next } : {} })} /></Heading>
      <div className="card p-4"><RunList status={status} /></div>
    </>
  );
}
