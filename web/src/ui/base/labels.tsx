import { Link } from '../../navigation';
import { plain } from './basics';

/** The labels of something, each of which leads to all that have it. */
export function Labels({ labels, to }: { labels: Record<string, string> | undefined; to: '/' | '/runs' }) {
  return Object.entries(labels ?? {}).map(([name, value]) => {
    const label = `${name}=${value}`;
    return <Link key={name} to={to} search={{ label }} className="inline-block max-w-full truncate rounded border border-line bg-sunken px-1.5 align-middle font-mono text-xs text-soft hover:text-ink" title={`All that have the label ${plain(label)}`}>{plain(label)}</Link>;
  });
}

/** The label that a list is filtered by. */
export function ChosenLabel({ label, clear }: { label: string | undefined; clear: () => void }) {
  if (!label) return null;
  return (
    <span className="inline-flex items-center gap-1 rounded-md border border-gold bg-goldwash px-2 py-1 text-sm">
      with the label <code className="font-mono text-xs">{plain(label)}</code>
      <button type="button" className="px-1" aria-label={`Show also what has not the label ${plain(label)}`} onClick={clear}>✕</button>
    </span>
  );
}
