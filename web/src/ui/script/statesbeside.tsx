import { useState } from 'react';
import type { Json, Snapshot } from '../../api/types';
import { comparedStates } from '../../words/states';
import { statusWords } from '../../words/status';
import { Outside, plain } from '../base/basics';
import { Value } from '../base/value';

/** The state that the events of any stream come to. */
export type Folded = Partial<Snapshot> | { [name: string]: Json };

const nameWords: Record<string, string> = { under_way: 'runs under way', version: 'version', held_fix: 'fix that waits', open_task: 'repair under way' };

/** Two states beside each other, a row for each thing in them, with what differs marked. */
export function StatesBeside({ before, after, names, onlyChanged = false }: { before: Folded; after: Folded; names: [string, string]; onlyChanged?: boolean }) {
  const [all, show] = useState(!onlyChanged);
  const rows = comparedStates(before, after);
  const shown = all ? rows : rows.filter((row) => !row.same);
  const said = (name: string, value: Json | undefined) =>
    value === undefined ? <span className="text-soft">not there</span>
      : name === 'status' ? (statusWords[String(value)]?.word ?? plain(String(value)))
      : typeof value === 'object' && value !== null ? <Value value={value} label={name} lines={5} />
      : <Outside text={String(value)} />;
  return (
    <div className="mt-3">
      {shown.length === 0 ? <p className="text-soft">It changed nothing of what is folded here.</p> : (
        <div className="scrolls" tabIndex={0} role="group" aria-label={`${names[0]} and ${names[1]}`}>
          <table className="w-full min-w-[30rem] table-fixed text-left text-sm">
            <thead><tr className="text-soft"><th className="w-1/5 py-1 pr-3 font-medium">what</th><th className="py-1 pr-3 font-medium">{names[0]}</th><th className="py-1 font-medium">{names[1]}</th></tr></thead>
            <tbody>
              {shown.map((row) => (
                <tr key={row.name} className={`border-t border-line align-top ${row.same ? '' : 'bg-goldwash'}`}>
                  <th scope="row" className="py-1.5 pr-3 pl-1 font-mono text-xs font-normal [overflow-wrap:anywhere]">{plain(nameWords[row.name] ?? row.name)}</th>
                  <td className="py-1.5 pr-3">{said(row.name, row.then)}</td>
                  <td className="py-1.5">{row.same ? <span className="text-soft">the same</span> : said(row.name, row.now)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {onlyChanged && rows.length > 0 && <button type="button" className="link mt-2 text-sm" aria-pressed={all} onClick={() => show(!all)}>{all ? 'only what changed' : 'also what did not change'}</button>}
    </div>
  );
}
