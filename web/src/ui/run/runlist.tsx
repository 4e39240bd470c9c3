import { Link } from '../../navigation';
import { useList } from '../../api/list';
import { runsList } from '../../api/queries';
import type { Run } from '../../api/types';
import { triggerWords } from '../../words/status';
import { length } from '../../words/time';
import { plain, RunBadge, When } from '../base/basics';
import { VirtualRows } from '../base/list';
import { Labels } from '../base/labels';
import { Empty, Failed, Loading } from '../base/states';

export const runStatuses = { '': 'all', running: 'running', asking: 'asking', in_doubt: 'in doubt', succeeded: 'succeeded', failed: 'failed', cancelled: 'cancelled' };

export function RunList({ workflow, status, label }: { workflow?: string; status: string | undefined; label?: string | undefined }) {
  const list = useList(runsList({ workflow, status, ...(label ? { label: [label] } : {}) }));
  if (list.pending) return <Loading what="the runs" />;
  if (list.error) return <Failed error={list.error} what="the runs" />;
  if (list.rows.length === 0) return <Empty title={status || label ? 'No run is like that' : 'It has not run yet'}>{status || label ? 'Choose another status or label.' : 'Runs are here as soon as there are any.'}</Empty>;
  return (
    <VirtualRows
      rows={list.rows}
      id={(run) => run.id}
      estimate={54}
      label="Runs, the newest first"
      look={list.look}
      whole={list.whole}
      row={(run) => <Row run={run} title={workflow ? undefined : run.workflow_title} />}
    />
  );
}

function Row({ run, title }: { run: Run; title: string | undefined }) {
  const said = run.failure ? `${run.failure.name ? `${run.failure.name}: ` : ''}${run.failure.message}` : run.output !== undefined ? JSON.stringify(run.output) : '';
  return (
    <div className="flex items-start gap-3 border-b border-line/70 py-2 sm:items-center">
      <div className="hidden w-36 shrink-0 sm:block"><RunBadge run={run} /></div>
      <div className="min-w-0 flex-1">
        <Link to="/runs/:id" params={{ id: run.id }} className="relative block truncate font-medium hover:underline">
          {title ? plain(title) : <>Run of <When at={run.admitted} /></>}
          <span className="sr-only"> {run.id}</span>
        </Link>
        <p className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-soft sm:hidden">
          <RunBadge run={run} /> {title && <When at={run.admitted} />} <span className="font-mono">{run.version}</span> {length(run.usage.wall_ms)}
        </p>
        <p className="min-h-4 truncate font-mono text-xs text-soft"><Labels labels={run.labels} to="/runs" /> {plain(said.slice(0, 300))}</p>
      </div>
      <div className="hidden shrink-0 text-right text-sm text-soft sm:block">
        <div>{title && <When at={run.admitted} />} <span className="font-mono text-xs">{run.version}</span></div>
        <div>{triggerWords[run.trigger] ?? plain(run.trigger)}, {length(run.usage.wall_ms)}</div>
      </div>
    </div>
  );
}

export function Choice({ label, value, options, change }: { label: string; value: string; options: Record<string, string>; change: (next: string) => void }) {
  return (
    <label className="inline-flex items-center gap-2 text-sm">
      <span className="text-soft">{label}</span>
      <select className="field" value={value} onChange={(event) => change(event.target.value)}>
        {Object.entries(options).map(([one, word]) => <option key={one} value={one}>{word}</option>)}
      </select>
    </label>
  );
}
