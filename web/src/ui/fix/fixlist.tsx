import { Link } from '../../navigation';
import { useList } from '../../api/list';
import { fixesList } from '../../api/queries';
import type { Fix } from '../../api/types';
import { proofInWords } from '../../words/story';
import { FixBadge, Moment, plain } from '../base/basics';
import { VirtualRows } from '../base/list';
import { Empty, Failed, Loading } from '../base/states';

export function FixList({ workflow, state }: { workflow?: string; state?: string | undefined }) {
  const list = useList(fixesList({ workflow, state }));
  if (list.pending) return <Loading what="the fixes" />;
  if (list.error) return <Failed error={list.error} what="the fixes" />;
  if (list.rows.length === 0) return <Empty title={state ? 'No fix is like that' : 'No fix was proposed yet'}>A fix is here as soon as a run breaks and a change of the script would mend it.</Empty>;
  return (
    <VirtualRows
      rows={list.rows}
      id={(fix) => fix.proposal}
      estimate={56}
      vary
      label="Fixes, the newest first"
      look={list.look}
      whole={list.whole}
      row={(fix) => <Row fix={fix} title={workflow ? undefined : fix.workflow_title} />}
    />
  );
}

function Row({ fix, title }: { fix: Fix; title: string | undefined }) {
  return (
    <div className="flex flex-col gap-x-3 gap-y-1 border-b border-line/70 py-2 sm:flex-row sm:items-center">
      <div className="w-32 shrink-0"><FixBadge state={fix.state} /></div>
      <div className="min-w-0 sm:flex-1">
        <Link to="/fixes/:id" params={{ id: fix.proposal }} className="relative block font-medium [overflow-wrap:anywhere] hover:underline sm:truncate">{plain(fix.comment)}</Link>
        <p className="min-h-5 text-sm text-soft sm:truncate">{[title && plain(title), proofInWords(fix)].filter(Boolean).join(' · ')}</p>
      </div>
      <div className="hidden shrink-0 text-right text-sm text-soft sm:block">
        <div className="font-mono text-xs">{fix.base}{fix.version ? ` → ${fix.version}` : ''}</div>
        <Moment at={fix.proposed} />
      </div>
    </div>
  );
}
