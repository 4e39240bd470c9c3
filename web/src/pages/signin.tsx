import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { beginSession, endSession, get, onSignedOut, Problem } from '../api/client';
import { SessionContext } from '../api/session';
import type { Session } from '../api/types';
import { withoutCommands } from '../words/refusal';
import { announce } from '../ui/base/announce';
import { Button, Outside } from '../ui/base/basics';

export type Entry = { who?: Session; problem?: Problem };

/** The page for whom the server knows; for everybody else a place to say who they are. */
export function SignedIn({ entry, children }: { entry: Entry; children: ReactNode }) {
  const client = useQueryClient();
  const [state, set] = useState(entry);

  const enter = async (token: string) => {
    await beginSession(token);
    client.clear();
    set({ who: await get('/session') });
  };

  useEffect(() => onSignedOut(() => set({})), []);

  if (state.who) return <SessionContext value={state.who}>{children}</SessionContext>;
  return <SignIn enter={enter} problem={state.problem} />;
}

/** Asks the server who this is, with the token of the link if there is one. */
export async function begin(token: string | undefined): Promise<Entry> {
  try {
    if (token) await beginSession(token);
    return { who: await get('/session') };
  } catch (error) {
    const problem = asProblem(error);
    return problem.status === 401 && !token ? {} : { problem };
  }
}

export async function signOut() {
  try {
    await endSession();
  } catch (cause) {
    return announce({ how: 'refused', text: `You are still signed in. ${asProblem(cause).title}.` });
  }
  location.assign('/');
}

// The link that the program prints has a token behind #, which is sent to no server and kept in no list of pages.
export function tokenOfLink(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
  if (token) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

const asProblem = (error: unknown) => (error instanceof Problem ? error : new Problem(0, 'It failed', String(error)));

function SignIn({ enter, problem: before }: { enter: (token: string) => Promise<void>; problem?: Problem | undefined }) {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(before);
  const ways = useQuery({ queryKey: ['ways-in'], queryFn: () => get('/ways-in') });
  const organisation = ways.data?.organisation;
  useEffect(() => {
    document.title = 'Sign in · Kintsugi';
  }, []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await enter(token.trim());
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <main className="mx-auto flex min-h-screen max-w-md flex-col justify-center px-4 py-10">
      <div className="card p-6">
        <img src="/favicon.svg" alt="" width="44" height="44" className="mb-3" />
        <h1 className="mb-1">Sign in to Kintsugi</h1>
        {organisation && (
          <>
            <a className="button primary mb-4 w-full" href={`${organisation.path}?to=${encodeURIComponent(location.pathname + location.search)}`}>Sign in at {organisation.name}</a>
            <h2 className="mb-1">Or with a token</h2>
          </>
        )}
        <p className="mb-4 text-soft">
          Paste the token that the server printed when it first started, or that you were given. Whoever runs the server makes one with <code className="font-mono text-sm whitespace-nowrap text-ink">kintsugi token create</code>.
        </p>
        <form onSubmit={(event) => void submit(event)} className="space-y-3">
          <label className="block">
            <span className="mb-1 block font-semibold">Token</span>
            <input className="field w-full font-mono" type="password" autoComplete="off" value={token} onChange={(event) => setToken(event.target.value)} required autoFocus />
          </label>
          <Button look="primary" type="submit" busy={busy} className="w-full">Sign in</Button>
        </form>
        {problem && (
          <div role="alert" className="mt-3 rounded-lg bg-badwash p-3 text-sm">
            <p className="font-semibold text-bad">{problem.status === 401 ? 'This token is not known here' : problem.title}</p>
            <Outside text={withoutCommands(problem.detail)} />
          </div>
        )}
      </div>
    </main>
  );
}
