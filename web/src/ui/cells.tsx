import { Link } from '@tanstack/react-router';
import type { Tone } from '../words/status';

export type Cell = { id: string; tone: Tone; says: string };

const looks: Record<Tone, string> = {
  good: 'bg-good',
  bad: 'bg-bad',
  warn: 'bg-warn',
  info: 'bg-info animate-pulse',
  gold: 'bg-gold',
  plain: 'bg-soft/50',
};

// Shapes differ, too: a good one is low, a bad one high, one that is not counted hollow.
const shapes: Record<Tone, string> = { good: 'h-3', bad: 'h-5', warn: 'h-4', info: 'h-3', gold: 'h-4', plain: 'h-3 opacity-60' };

/** The last runs of a workflow, oldest first. */
export function RunCells({ cells, label }: { cells: Cell[]; label: string }) {
  return (
    <div role="img" aria-label={label} className="flex h-5 items-end gap-[2px]" title={label}>
      {cells.map((cell) => <span key={cell.id} className={`w-[5px] rounded-[1px] ${looks[cell.tone]} ${shapes[cell.tone]}`} />)}
    </div>
  );
}

/** Each recorded run that a fix was tried on. */
export function ProofCells({ cells }: { cells: Cell[] }) {
  const signs: Record<Tone, string> = { good: '=', bad: '≠', warn: '?', info: '…', gold: '⟡', plain: '–' };
  const tones: Record<Tone, string> = {
    good: 'bg-goodwash text-good border-good/40',
    bad: 'bg-badwash text-bad border-bad/60',
    warn: 'bg-warnwash text-warn border-warn/60',
    info: 'bg-infowash text-info border-info/40',
    gold: 'bg-goldwash text-gold border-gold/60',
    plain: 'bg-sunken text-soft border-line',
  };
  return (
    <ul className="flex flex-wrap gap-1.5">
      {cells.map((cell) => (
        <li key={cell.id}>
          <Link
            to="/runs/$id"
            params={{ id: cell.id }}
            title={cell.says}
            aria-label={cell.says}
            className={`flex size-8 items-center justify-center rounded-md border font-mono text-base font-bold ${tones[cell.tone]}`}
          >
            <span aria-hidden="true">{signs[cell.tone]}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
