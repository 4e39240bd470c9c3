// Places with nothing to show: each of these says why there is nothing, and what can be done.
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from '../../navigation';
import { Problem } from '../../api/client';
import { refusedInWords, withoutCommands } from '../../words/refusal';
import { Button, Outside } from './basics';

function Frame({ title, children, role, sign }: { title: string; children?: ReactNode; role?: 'alert' | 'status'; sign: string }) {
  return (
    <div role={role} className="flex flex-col items-center gap-2 px-4 py-10 text-center">
      <span aria-hidden="true" className="text-2xl text-gold">{sign}</span>
      <p className="font-semibold">{title}</p>
      <div className="max-w-prose text-sm text-soft">{children}</div>
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return <Frame title={title} sign="◇">{children}</Frame>;
}

export function Loading({ what }: { what: string }) {
  return (
    <div role="status" className="animate-pulse space-y-2 p-4" aria-label={`Loading ${what}`}>
      <div className="h-4 w-2/5 rounded bg-sunken" />
      <div className="h-4 w-4/5 rounded bg-sunken" />
      <div className="h-4 w-3/5 rounded bg-sunken" />
    </div>
  );
}

/** Says what went wrong so that a person knows what to do. */
export function Failed({ error, what, retry }: { error: unknown; what: string; retry?: () => void }) {
  const client = useQueryClient();
  const again = retry ?? (() => void client.invalidateQueries());
  const problem = error instanceof Problem ? error : new Problem(0, 'The page failed', error instanceof Error ? error.message : String(error));
  if (problem.status === 403) {
    return (
      <Frame title="Your token does not let you see this" sign="⊘" role="status">
        <Outside text={withoutCommands(problem.detail)} />
      </Frame>
    );
  }
  if (problem.status === 404) {
    return (
      <Frame title={`There is no such ${what}`} sign="◌" role="status">
        <Outside text={withoutCommands(problem.detail)} />
        <p className="mt-2"><Link to="/" className="link">To what is there</Link></p>
      </Frame>
    );
  }
  return (
    <Frame title={problem.status === 0 ? problem.title : `Loading ${what} failed`} sign="⚠" role="alert">
      <Outside text={withoutCommands(problem.detail)} />
      <div className="mt-3"><Button onClick={again}>Try again</Button></div>
    </Frame>
  );
}

/** Refusals of something that was tried, beside the button that was pressed. */
export function Refused({ error }: { error: unknown }) {
  if (!error) return null;
  const problem = error instanceof Problem ? error : new Problem(0, 'It failed', String(error));
  const title = problem.status === 412 ? 'Meanwhile this changed' : problem.status === 409 ? 'It cannot be done now' : problem.title;
  return (
    <div role="alert" className="mt-3 rounded-lg border border-bad/40 bg-badwash p-3 text-sm">
      <p className="font-semibold text-bad">{title}</p>
      <Outside text={refusedInWords(problem)} />
    </div>
  );
}
