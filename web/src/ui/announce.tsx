// What has to be said though the place where it was asked for is gone: that something changed meanwhile.
import { useSyncExternalStore } from 'react';
import { Outside } from './basics';

let said = '';
const watchers = new Set<() => void>();

export function announce(text: string) {
  said = text;
  watchers.forEach((tell) => tell());
}

const watch = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

export function Announced() {
  const text = useSyncExternalStore(watch, () => said);
  return (
    <div role="alert">
      {text !== '' && (
        <div className="border-t border-line bg-warnwash px-4 py-2 text-sm text-warn" data-announced>
          <div className="mx-auto flex max-w-6xl items-start justify-between gap-3">
            <p><strong>Meanwhile this changed, and nothing was done.</strong> <Outside text={text} /> You see what it is now.</p>
            <button type="button" className="px-2" aria-label="Close what was said" onClick={() => announce('')}>✕</button>
          </div>
        </div>
      )}
    </div>
  );
}
