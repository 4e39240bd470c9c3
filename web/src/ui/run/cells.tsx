import { Link } from '../../navigation';
import type { Tone } from '../../words/status';

type Cell = { id: string; tone: Tone; says: string };

const fills: Record<Tone, string> = { good: 'fill-good', bad: 'fill-bad', warn: 'fill-warn', info: 'fill-info', gold: 'fill-gold', plain: 'fill-soft/50' };

// Heights differ, too: a good one is low, a bad one high.
const heights: Record<Tone, number> = { good: 11, bad: 19, warn: 15, info: 11, gold: 15, plain: 11 };

/** The last runs of a workflow, oldest first: one path for each tone, since a list has thirty of them in every row. */
export function RunCells({ tones, label }: { tones: Tone[]; label: string }) {
  const drawn = new Map<Tone, string>();
  tones.forEach((tone, i) => drawn.set(tone, `${drawn.get(tone) ?? ''}M${i * 7} ${20 - heights[tone]}h5V20h-5z`));
  return (
    <svg role="img" aria-label={label} width={tones.length * 7} height="20" className="block">
      <title>{label}</title>
      {[...drawn].map(([tone, path]) => <path key={tone} d={path} className={fills[tone]} />)}
    </svg>
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
            to="/runs/:id"
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
