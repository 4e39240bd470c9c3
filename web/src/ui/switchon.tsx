// Switching a workflow on: what it does from then on is said before, and what it lacks.
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { get, path, post } from '../api/client';
import { Ask } from './act';
import { Button, plain } from './basics';
import { Failed, Loading } from './states';

const SetKey = lazy(() => import('./setkey'));

/** Hosts that an agent wrote and nobody has named are allowed by it: those that the dialog has shown. */
export function SwitchOn({ workflow, title, word, children }: { workflow: string; title: string; word: string; children: ReactNode }) {
  const unnamed = useRef<readonly string[]>([]);
  return (
    <Ask word={word} title={title} act={() => post(path('/workflows/{workflow}/activate', workflow), unnamed.current.length > 0 ? { allow_hosts: [...unnamed.current] } : {})} said="It is on.">
      {children}
      <WhatItDoes workflow={workflow} seen={(hosts) => { unnamed.current = hosts; }} />
    </Ask>
  );
}

function WhatItDoes({ workflow, seen }: { workflow: string; seen: (unnamed: readonly string[]) => void }) {
  const asked = useQuery({ queryKey: ['workflow', workflow, 'account'], queryFn: ({ signal }) => get(path('/workflows/{workflow}/account', workflow), {}, signal) });
  const [key, setKey] = useState<{ secret: string; host?: string }>();
  if (asked.isPending) return <Loading what="what it does" />;
  if (asked.isError) return <Failed error={asked.error} what="account of what it does" />;
  const { hosts, writes, secrets, unclear } = asked.data;
  const unset = asked.data.unset_secrets ?? [];
  const unnamed = asked.data.unnamed ?? [];
  const refused = (hosts ?? []).filter((one) => one.refused);
  seen([...new Set([...unnamed, ...refused.map((one) => one.host)])]);
  const rows: [string, readonly string[]][] = [
    ['It goes to', (hosts ?? []).map((one) => one.host)], ['It writes', writes ?? []], ['It signs in with', secrets ?? []], ['Not clear before a run', unclear ?? []],
  ];
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1" data-account>
        {rows.filter(([, list]) => list.length > 0).map(([name, list]) => (
          <div key={name} className="contents"><dt className="text-soft">{name}</dt><dd className="[overflow-wrap:anywhere]">{list.map((text) => <span key={text} className="block">{plain(text)}</span>)}</dd></div>
        ))}
      </dl>
      {unnamed.length > 0 && <p>Nobody has named <strong className="font-mono">{plain(unnamed.join(', '))}</strong> yet. If you switch it on, its runs may go there.</p>}
      {refused.map((one) => <p key={one.host}>{plain(one.refused!)}: a run may not go there yet. If you switch it on, its runs may.</p>)}
      {unset.map((one) => (
        <p key={one.name} className="flex flex-wrap items-center gap-2">
          <span>The key <strong className="font-mono">{plain(one.name)}</strong> is not set: a run that needs it fails.</span>
          <Button onClick={() => setKey({ secret: one.name, ...(one.hosts?.length === 1 ? { host: one.hosts[0]! } : {}) })}>Paste it</Button>
        </p>
      ))}
      <Suspense fallback={null}>{key && <SetKey workflow={workflow} of={key} close={() => setKey(undefined)} />}</Suspense>
    </>
  );
}
