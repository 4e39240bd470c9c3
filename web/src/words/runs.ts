import type { Schemas } from '../api/described';
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

/** What comes out otherwise, against what was recorded. */
export function differenceInWords({ what, path = '', was, now }: Schemas['GateDifference']): string {
  switch (what) {
    case 'output': return `The result at ${path}: ${was ?? 'nothing'} as recorded, ${now ?? 'nothing'} now.`;
    case 'order': return 'Its writes come in another order.';
    case 'call': return `It would ask for something else: ${now}.`;
    case 'error': return now === undefined ? `It would succeed, and failed with ${was}.` : was === undefined ? `It would fail: ${now}` : `It would fail with ${now} in place of ${was}.`;
    case 'write': return now === undefined ? `It no longer writes ${was}.` : was === undefined ? `It also writes ${now}.` : `It writes ${now} in place of ${was}.`;
  }
}
