import { go, useSearch } from '../../navigation';
import { Choice, RunList, runStatuses } from '../../ui/run/runlist';
import { WorkflowFrame } from './frame';

export default function WorkflowRunsPage() {
  const { status } = useSearch<{ status: string }>();
  return (
    <WorkflowFrame>
      {(one) => (
        <div className="card p-4">
          <div className="mb-3">
            <Choice
              label="show"
              value={status ?? ''}
              options={runStatuses}
              change={(next) => void go({ to: '/workflows/:id/runs', params: { id: one.id }, search: next ? { status: next } : {} })}
            />
          </div>
          <RunList workflow={one.id} status={status} />
        </div>
      )}
    </WorkflowFrame>
  );
}
