import { useState } from 'react';
import { inWords, type Line, middle, readUnified, sideBySide } from '../../words/diff';
import { plain } from '../base/basics';

/** A script beside the one that would replace it. */
export function Diff({ diff, label }: { diff: string; label: string }) {
  const [beside, set] = useState(false);
  const lines = readUnified(diff);
  if (lines.length === 0) return <p className="text-soft">The code is the same.</p>;
  const shown = lines.slice(0, 4000);
  return (
    <div className="min-w-0">
      <div className="mb-1.5 flex flex-wrap items-center justify-between gap-2 text-sm">
        <span className="text-soft">{inWords(lines)}</span>
        <button type="button" className="link" aria-pressed={beside} onClick={() => set(!beside)}>{beside ? 'one below the other' : 'side by side'}</button>
      </div>
      <div className="scrolls rounded-lg border border-line bg-card font-mono text-xs leading-5" tabIndex={0} role="group" aria-label={label}>
        {beside ? <Sides rows={sideBySide(shown)} /> : <Unified lines={shown} />}
      </div>
      {lines.length > shown.length && <p className="mt-1 text-sm text-soft">{lines.length - shown.length} more lines are in the script itself.</p>}
    </div>
  );
}

const ground = { same: '', add: 'bg-goodwash', del: 'bg-badwash', gap: 'bg-sunken text-soft' };
const sign = { same: ' ', add: '+', del: '−', gap: '⋯' };
const spoken = { same: '', add: 'added: ', del: 'removed: ', gap: '' };

function Unified({ lines }: { lines: Line[] }) {
  const rows = sideBySide(lines);
  const other = new Map<Line, Line>();
  for (const [a, b] of rows) if (a && b && a !== b) other.set(a, b).set(b, a);
  return (
    <div className="w-max min-w-full">
      {lines.map((line, i) => (
        <div key={i} className={`flex ${ground[line.kind]}`}>
          <Number n={line.before} />
          <Number n={line.after} />
          <Code line={line} against={other.get(line)} />
        </div>
      ))}
    </div>
  );
}

function Sides({ rows }: { rows: [Line | undefined, Line | undefined][] }) {
  const side = (line: Line | undefined, other: Line | undefined, which: 'before' | 'after') => (
    <div className={`flex min-w-0 flex-1 ${line ? ground[line.kind] : 'bg-sunken'}`}>
      <Number n={line?.[which]} />
      {line && <Code line={line} against={line === other ? undefined : other} wrap />}
    </div>
  );
  return (
    <div className="min-w-[44rem]">
      {rows.map(([a, b], i) => (
        <div key={i} className="flex divide-x divide-line">
          {side(a, b, 'before')}
          {side(b, a, 'after')}
        </div>
      ))}
    </div>
  );
}

function Number({ n }: { n: number | undefined }) {
  return <span aria-hidden="true" className="w-10 shrink-0 border-r border-line/60 pr-1.5 text-right text-soft select-none">{n ?? ''}</span>;
}

function Code({ line, against, wrap = false }: { line: Line; against?: Line | undefined; wrap?: boolean }) {
  const text = plain(line.text.length > 2000 ? `${line.text.slice(0, 2000)}…` : line.text);
  const style = `px-2 ${wrap ? 'min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre'}`;
  const mark = <span aria-hidden="true" className="mr-2 select-none">{sign[line.kind]}</span>;
  const aloud = <span className="sr-only">{spoken[line.kind]}</span>;
  if (!against) return <code className={style}>{mark}{aloud}{text}</code>;
  const span = middle(text, plain(against.text));
  return (
    <code className={style}>
      {mark}{aloud}
      {text.slice(0, span.start)}
      <span className={line.kind === 'add' ? 'rounded-sm bg-good/25 font-semibold' : 'rounded-sm bg-bad/25 font-semibold'}>{text.slice(span.start, span.endA)}</span>
      {text.slice(span.endA)}
    </code>
  );
}
