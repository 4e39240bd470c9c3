import { type ReactNode, Suspense, useEffect } from 'react';
import { later } from '../../later';

export type Rows<T> = {
  rows: T[];
  row: (one: T, index: number) => ReactNode;
  id: (one: T) => string;
  estimate: number; // px of a row, until one was measured
  label: string;
  look?: (first: number, last: number) => void; // is told which rows are in view
  whole?: boolean; // nothing comes after the last one
  vary?: boolean; // rows differ in height: else each is as high as the first, and none but that one is measured
};

const few = 40; // rows that are drawn as they are, without the library that draws those in view

const ManyRows = later(() => import('./manyrows')) as unknown as <T>(props: Rows<T>) => ReactNode;

/** Rows of any number: of many, those that can be seen are there. */
export function VirtualRows<T>(props: Rows<T>) {
  if (props.rows.length <= few) return <FewRows {...props} />;
  return <Suspense fallback={<FewRows {...props} rows={props.rows.slice(0, few)} whole={false} />}><ManyRows {...props} /></Suspense>;
}

function FewRows<T>({ rows, row, id, label, look, whole = true }: Rows<T>) {
  useEffect(() => look?.(0, rows.length - 1), [look, rows.length]);
  return (
    <div role="list" aria-label={label}>
      {rows.map((one, i) => (
        <div key={id(one)} role="listitem" aria-setsize={whole ? rows.length : -1} aria-posinset={i + 1} data-index={i} className="[contain:layout_style]">{row(one, i)}</div>
      ))}
    </div>
  );
}
