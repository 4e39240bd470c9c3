import { go, useSearch } from '../navigation';
import { Heading } from '../ui/base/basics';
import { ChosenLabel } from '../ui/base/labels';
import { Choice, RunList, runStatuses } from '../ui/run/runlist';

export default function RunsPage() {
  const { status, label } = useSearch<{ status: string; label: string }>();
  const show = (next: { status?: string | undefined; label?: string | undefined }) => void go({ to: '/runs', search: Object.fromEntries(Object.entries({ status, label, ...next }).filter(([, value]) => value)) });
  return (
    <>
      <Heading title="Runs">
        <Choice label="show" value={status ?? ''} options={runStatuses} change={(next) => show({ status: next })} />
        <ChosenLabel label={label} clear={() => show({ label: undefined })} />
      </Heading>
      <div className="card p-4"><RunList status={status} label={label} /></div>
    </>
  );
}
