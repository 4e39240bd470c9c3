import type { Lately } from '../api/types';
import { runWords, type Tone } from './status';

export function toneOf(run: Lately): Tone {
  if (run.exempted) return 'plain';
  if (run.status === 'succeeded' && run.suspected?.length && !run.trusted) return 'warn';
  return runWords[run.status]?.tone ?? 'plain';
}

/** "The last 7 runs: 6 succeeded, 1 failed". */
export function cellsInWords(runs: Lately[]): string {
  const by = new Map<string, number>();
  for (const run of runs) {
    const word = runWords[run.status]?.word ?? run.status;
    by.set(word, (by.get(word) ?? 0) + 1);
  }
  const last = runs.length === 1 ? 'The last run' : `The last ${runs.length} runs`;
  return `${last}: ${[...by].map(([word, n]) => `${n} ${word}`).join(', ')}`;
}
