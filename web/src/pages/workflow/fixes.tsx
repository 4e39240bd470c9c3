import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../navigation';
import { get, path } from '../../api/client';
import { pageOf } from '../../api/list';
import { fixesList } from '../../api/queries';
import type { Thread, Workflow } from '../../api/types';
import { Badge, Moment, Outside, plain } from '../../ui/base/basics';
import { Conversation } from '../../ui/fix/conversation';
import { FixList } from '../../ui/fix/fixlist';
import { Section } from '../../ui/base/basics';
import { Failed, Loading } from '../../ui/base/states';
import type { Tone } from '../../words/status';
import { WorkflowFrame } from './frame';

const outcomes: Record<string, { word: string; tone: Tone }> = {
  fixed: { word: 'mended', tone: 'gold' },
  held: { word: 'waits for you', tone: 'warn' },
  escalated: { word: 'no fix found', tone: 'bad' },
  replanned: { word: 'overtaken by a new version', tone: 'plain' },
  not_reproduced: { word: 'it worked when tried again', tone: 'good' },
};

export default function WorkflowFixesPage() {
  return (
    <WorkflowFrame>
      {(one) => (
        <>
          <Section title="Fixes"><FixList workflow={one.id} /></Section>
          <Repairs one={one} />
        </>
      )}
    </WorkflowFrame>
  );
}

/** They stand below the fixes, whose height is not known before they are there. */
function Repairs({ one }: { one: Workflow }) {
  const fixes = useQuery(pageOf(fixesList({ workflow: one.id })));
  const repairs = one.repairs ?? [];
  if (fixes.isPending || repairs.length === 0) return null;
  return (
    <Section title="Repairs" aside={<span className="text-sm text-soft">each failure that was worked on</span>}>
      <ul className="divide-y divide-line">{repairs.map((repair) => <Repair key={repair.id} repair={repair} />)}</ul>
    </Section>
  );
}

function Repair({ repair }: { repair: Thread }) {
  const said = outcomes[repair.outcome] ?? { word: repair.outcome || 'under way', tone: 'info' as Tone };
  return (
    <li className="py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={said.tone}>{plain(said.word)}</Badge>
        <span className="font-medium [overflow-wrap:anywhere]">{plain(repair.title)}</span>
        <span className="text-sm text-soft"><Moment at={repair.opened} /></span>
      </div>
      <p className="text-sm text-soft">
        version {repair.base}{repair.version ? ` → ${repair.version}` : ''}{repair.attempt ? `, try ${repair.attempt} of ${repair.budget}` : ''}
        {repair.comment && <>: {plain(repair.comment)}</>}{' '}
        {repair.proposal && <Link className="link" to="/fixes/:id" params={{ id: repair.proposal }}>the fix</Link>}{' '}
        {repair.run && <Link className="link" to="/runs/:id" params={{ id: repair.run }}>the run that failed</Link>}
      </p>
      {repair.outcome === 'escalated' && repair.explanation && <p className="mt-1 text-sm"><Outside text={repair.explanation} /></p>}
      <Tried repair={repair} />
    </li>
  );
}

/** Also of a repair that handed nothing in. */
function Tried({ repair }: { repair: Thread }) {
  const [open, set] = useState(false);
  const asked = useQuery({
    queryKey: ['workflow', repair.workflow, 'repair', repair.id], enabled: open,
    queryFn: ({ signal }) => get(path('/threads/{thread}/repair', repair.id), {}, signal),
  });
  return (
    <details className="mt-1 text-sm" onToggle={(event) => set(event.currentTarget.open)}>
      <summary className="link">What was tried</summary>
      <div className="mt-2">{!open ? null : asked.isPending ? <Loading what="what was tried" /> : asked.isError ? <Failed error={asked.error} what="conversation" /> : <Conversation thread={asked.data} />}</div>
    </details>
  );
}
