// Buttons that do something, and what became of it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { Problem } from '../../api/client';
import { refusedInWords } from '../../words/refusal';
import { announce, silence } from './announce';
import { Button } from './basics';
import { Refused } from './states';
import { later } from '../../later';

const Dialog = later(() => import('./dialog'));

type After<V, R> = {
  said?: string | ((result: R, variables: V) => string | undefined); // the outcome, for the person who pressed
  undo?: ((variables: V) => Promise<unknown>) | undefined;
  done?: (result: R) => void;
};

/**
 * Does something on the server; what is shown is asked for again when it is done, or refused because it changed. What became of it
 * is said. A refusal stands beside the button that was pressed; if what came meanwhile has taken that away, it is announced.
 */
export function useAct<V = void, R = unknown>(act: (variables: V) => Promise<R>, { said, undo, done }: After<V, R> = {}) {
  const client = useQueryClient();
  const there = useRef(true);
  useEffect(() => {
    there.current = true;
    return () => {
      there.current = false;
    };
  }, []);
  const renew = () => client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== 'fixed' });
  return useMutation<R, Problem, V>({
    mutationFn: act,
    onMutate: () => silence(),
    onSuccess: (result, variables) => {
      void renew().then(() => setTimeout(keepFocus));
      const text = typeof said === 'function' ? said(result, variables) : said;
      if (text) announce({ how: 'done', text, undo: undo && (() => undo(variables)) });
      done?.(result);
    },
    onError: (problem) => {
      const gone = () => there.current || announce({ how: problem.status === 412 ? 'overtaken' : 'refused', text: refusedInWords(problem) });
      if (problem.status !== 409 && problem.status !== 412) return void setTimeout(gone);
      void renew().then(() => setTimeout(gone)); // once what came is drawn
    },
  });
}

/** The button that was pressed may be gone: who goes by keyboard goes on at the top of the page, and not outside of it. */
function keepFocus() {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
}

/** A button that asks once more, with what it comes to, before it does what it says. */
export function Ask({ word, title, children, act, said, undo, look = 'plain', confirm = word, note, done, disabled, hotkey }: {
  word: ReactNode;
  title: string;
  children?: ReactNode;
  act: (note: string) => Promise<unknown>;
  said: string; // once it is done
  undo?: () => Promise<unknown>;
  look?: 'primary' | 'danger' | 'plain';
  confirm?: ReactNode;
  note?: { label: string; required?: boolean };
  done?: () => void;
  disabled?: boolean;
  hotkey?: 'a' | 'd'; // see shortcuts.ts
}) {
  const [open, set] = useState(false);
  const [text, write] = useState('');
  const acting = useAct(act, {
    said,
    undo,
    done: () => {
      set(false);
      write('');
      done?.();
    },
  });
  return (
    <>
      <Button look={look} onClick={() => set(true)} disabled={disabled} data-key={hotkey} aria-keyshortcuts={hotkey}>{word}</Button>
      <Suspense fallback={null}>
        {open && (
          <Dialog onClose={() => set(false)} title={title}>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                acting.mutate(text.trim());
              }}
            >
              <div className="space-y-2 text-sm">{children}</div>
              {note && (
                <label className="mt-3 block">
                  <span className="mb-1 block text-sm font-semibold">{note.label}</span>
                  <textarea className="field w-full" rows={3} value={text} onChange={(event) => write(event.target.value)} required={note.required} />
                </label>
              )}
              <Refused error={acting.error} />
              <div className="mt-4 flex flex-wrap justify-end gap-2">
                <Button onClick={() => set(false)}>Not now</Button>
                <Button type="submit" look={look === 'plain' ? 'primary' : look} busy={acting.isPending} autoFocus={look !== 'danger' && !note?.required}>{confirm}</Button>
              </div>
            </form>
          </Dialog>
        )}
      </Suspense>
    </>
  );
}
