// The keys of who decides without a mouse: j and k go through what is listed, a and d press what is asked for first and what declines.
import { useEffect } from 'react';

const busy = (at: EventTarget | null) => (at instanceof HTMLElement && at.closest('input, textarea, select, [contenteditable=true]') !== null) || document.querySelector('[role=dialog]') !== null;

/** The keys press the first and the second button of the chosen row in a list, and on a page of one thing the buttons that name them. */
function buttonFor(key: 'a' | 'd', rows: HTMLElement[], at: number): HTMLElement | null | undefined {
  if (rows.length === 0) return document.querySelector<HTMLElement>(`main [data-key=${key}]`);
  const buttons = rows[at]?.querySelectorAll<HTMLElement>('.button');
  return buttons?.[key === 'a' ? 0 : 1];
}

/** Does what a key asks for, outside of fields and dialogs. */
export function useShortcuts(help: () => void) {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { key } = event;
      if (event.metaKey || event.ctrlKey || event.altKey || busy(event.target)) return;
      const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
      const at = rows.findIndex((row) => row.contains(document.activeElement));
      if (key === '?') help();
      else if (key === 'j') rows[Math.min(at + 1, rows.length - 1)]?.focus();
      else if (key === 'k') rows[Math.max(at - 1, 0)]?.focus();
      else if (key === 'a' || key === 'd') buttonFor(key, rows, at)?.click();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [help]);
}
