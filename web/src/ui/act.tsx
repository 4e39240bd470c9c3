// Buttons that do something, and what became of it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { Problem } from '../api/client';
import { withoutCommands } from '../words/refusal';
import { announce } from './announce';
import { Button } from './basics';
import { Refused } from './states';

const Dialog = lazy(() => import('./dialog'));

/**
 * Does something on the server; what is shown is asked for again when it is done, or refused because it changed. A refusal stands
 * beside the button that was pressed; if what came meanwhile has taken that away, it is announced.
 */
export function useAct<V = void, R = unknown>(act: (variables: V) => Promise<R>, done?: (result: R) => void) {
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
    onMutate: () => announce(),
    onSuccess: (result) => {
      void renew();
      done?.(result);
    },
    onError: (problem) => {
      if (problem.status !== 409 && problem.status !== 412) return;
      const gone = () => there.current || announce({ how: problem.status === 412 ? 'overtaken' : 'refused', text: withoutCommands(problem.detail) });
      void renew().then(() => setTimeout(gone)); // once what came is drawn
    },
  });
}

/** A button that asks once more, with what it comes to, before it does what it says. */
export function Ask({ word, title, children, act, look = 'plain', confirm = word, note, done, disabled }: {
  word: ReactNode;
  title: string;
  children?: ReactNode;
  act: (note: string) => Promise<unknown>;
  look?: 'primary' | 'danger' | 'plain';
  confirm?: ReactNode;
  note?: { label: string; required?: boolean };
  done?: () => void;
  disabled?: boolean;
}) {
  const [open, set] = useState(false);
  const [text, write] = useState('');
  const acting = useAct(act, () => {
    set(false);
    write('');
    done?.();
  });
  return (
    <>
      <Button look={look} onClick={() => set(true)} disabled={disabled}>{word}</Button>
      <Suspense fallback={null}>
        {open && (
          <Dialog open onClose={() => set(false)} title={title}>
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
                <Button type="submit" look={look === 'plain' ? 'primary' : look} busy={acting.isPending}>{confirm}</Button>
              </div>
            </form>
          </Dialog>
        )}
      </Suspense>
    </>
  );
}
