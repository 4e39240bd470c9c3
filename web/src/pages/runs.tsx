import { go, useSearch } from '../navigation';
import { Heading } from '../ui/basics';
import { Choice, RunList, runStatuses } from '../ui/runlist';

export default function RunsPage() {
  const { status } = useSearch<{ status: string }>();
  return (
    <>
      <Heading title="Runs"><Choice label="show" value={status ?? ''} options={runStatuses} change={(next) => void go({ to: '/runs', search: next ? { status: next } : {} })} /></Heading>
      <div className="card p-4"><RunList status={status} /></div>
    </>
  );
}
