import { defaultKeyExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Rows } from './list';

/** Of many rows, those that can be seen are there. */
export default function ManyRows<T>({ rows, row, id, estimate, label, look, whole = true, vary = false }: Rows<T>) {
  const list = useRef<HTMLDivElement>(null);
  const [top, set] = useState(0);
  useEffect(() => {
    const measure = () => list.current && set(list.current.getBoundingClientRect().top + scrollY);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(document.body);
    return () => watch.disconnect();
  }, []);
  const [high, measure] = useState(estimate);
  // Another function has all rows counted anew: with 100,000 of them not in each frame. The id of a row never changes.
  const sizeOf = useCallback(() => high, [high]);
  const keyOf = useMemo(() => (vary ? (index: number) => id(rows[index]!) : defaultKeyExtractor), [vary, rows]);
  const virtual = useWindowVirtualizer({ count: rows.length, estimateSize: sizeOf, overscan: 10, scrollMargin: top, getItemKey: keyOf, useFlushSync: false });
  const shown = virtual.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  const any = shown.length > 0;
  useEffect(() => {
    const one = list.current?.firstElementChild;
    if (!one || vary) return;
    const watch = new ResizeObserver(([entry]) => entry?.borderBoxSize[0] && entry.target.isConnected && measure(entry.borderBoxSize[0].blockSize));
    watch.observe(one);
    return () => watch.disconnect();
  }, [any, vary, first]);
  useEffect(() => virtual.measure(), [virtual, high]);
  useEffect(() => look?.(first, last), [look, first, last, rows.length]);
  return (
    <div ref={list} role="list" aria-label={label} style={{ height: virtual.getTotalSize(), position: 'relative' }}>
      {shown.map((item) => (
        <div
          key={id(rows[item.index]!)}
          role="listitem"
          aria-setsize={whole ? rows.length : -1}
          aria-posinset={item.index + 1}
          data-index={item.index}
          ref={vary ? virtual.measureElement : undefined}
          className="absolute top-0 left-0 w-full [contain:layout_style]"
          style={{ transform: `translateY(${item.start - virtual.options.scrollMargin}px)` }}
        >
          {row(rows[item.index]!, item.index)}
        </div>
      ))}
    </div>
  );
}
