import { useState } from 'react';
import type { Json } from '../../api/types';
import { excerpt, type JsonLine, jsonLines } from '../../words/lines';
import type { WorldChange } from '../../words/story';
import { plain } from '../base/basics';

/** The answers before and now, side by side, with their differences marked. */
export function Answers({ change }: { change: WorldChange }) {
  const gone = new Set(change.changes.filter((one) => one.how !== 'new').map((one) => one.path));
  const fresh = new Set(change.changes.filter((one) => one.how !== 'gone').map((one) => one.path));
  // Where a path has moved to another type, or is not there, the same place is looked at on both sides.
  const beside = (paths: Set<string>) => new Set([...paths].map((path) => path.slice(0, Math.max(path.lastIndexOf('.'), 0))));
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <Side title="Before, when it succeeded" value={change.before ?? null} marked={gone.size > 0 ? gone : beside(fresh)} tone="bg-badwash" word="changed: " label={`${change.call}, before`} />
      <Side title="Now" value={change.after ?? null} marked={fresh.size > 0 ? fresh : beside(gone)} tone="bg-goodwash" word="changed: " label={`${change.call}, now`} />
    </div>
  );
}

function Side({ title, value, marked, tone, word, label }: { title: string; value: Json; marked: Set<string>; tone: string; word: string; label: string }) {
  const [whole, show] = useState(false);
  const lines = jsonLines(value);
  const any = [...marked].filter((path) => path.includes('*')).map((path) => path.split(/(\[\]|\.)/));
  const is = (path: string) => {
    if (marked.has(path)) return true;
    const steps = path.split(/(\[\]|\.)/);
    return any.some((of) => of.length === steps.length && of.every((step, i) => step === '*' || step === steps[i]));
  };
  const shown = whole ? lines.map((line, i) => ({ ...line, number: i + 1, marked: is(line.path) })) : excerpt(lines, is);
  return (
    <div className="min-w-0">
      <h3 className="mb-1 text-sm">{title}</h3>
      <pre tabIndex={0} role="group" aria-label={label} className="max-h-[28rem] overflow-auto rounded-md bg-sunken py-1.5 font-mono text-xs leading-5">
        {shown.map((line, i) =>
          line === 'gap' ? <div key={`gap${i}`} className="px-2 text-soft select-none">⋯</div> : <Line key={line.number} line={line} tone={tone} word={word} />,
        )}
      </pre>
      {!whole && shown.includes('gap') && (
        <button type="button" className="link mt-1 text-xs" onClick={() => show(true)}>show all {lines.length} lines</button>
      )}
    </div>
  );
}

function Line({ line, tone, word }: { line: JsonLine & { marked: boolean }; tone: string; word: string }) {
  return (
    <div className={`px-2 whitespace-pre-wrap [overflow-wrap:anywhere] ${line.marked ? `${tone} font-semibold` : ''}`}>
      {line.marked && <span className="sr-only">{word}</span>}
      {plain(line.text.length > 2000 ? `${line.text.slice(0, 2000)}…` : line.text)}
    </div>
  );
}
