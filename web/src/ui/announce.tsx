// What has to be said though the place where it was asked for is gone: that something was done, or was not.
import { useSyncExternalStore } from 'react';
import { Outside } from './basics';

type Said = { how: 'done' | 'overtaken' | 'refused'; text: string };

const begins = { done: undefined, overtaken: 'Meanwhile this changed, and nothing was done.', refused: 'Nothing was done.' };
const looks = { done: 'bg-goodwash text-good', overtaken: 'bg-warnwash text-warn', refused: 'bg-warnwash text-warn' };

let said: Said | undefined;
const watchers = new Set<() => void>();

export function announce(next?: Said) {
  said = next;
  watchers.forEach((tell) => tell());
}

const watch = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

export function Announced() {
  const now = useSyncExternalStore(watch, () => said);
  return (
    <>
      <div role="status">{now?.how === 'done' && <Line said={now} />}</div>
      <div role="alert">{now !== undefined && now.how !== 'done' && <Line said={now} />}</div>
    </>
  );
}

function Line({ said: { how, text } }: { said: Said }) {
  return (
    <div className={`border-t border-line px-4 py-2 text-sm ${looks[how]}`} data-announced={how}>
      <div className="mx-auto flex max-w-6xl items-start justify-between gap-3">
        <p>{begins[how] && <strong>{begins[how]} </strong>}<Outside text={text} />{how !== 'done' && ' You see what it is now.'}</p>
        <button type="button" className="px-2" aria-label="Close what was said" onClick={() => announce()}>✕</button>
      </div>
    </div>
  );
}
