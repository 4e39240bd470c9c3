// Switching a workflow on: what it does from then on is said before, and what it lacks.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useRef, useState } from 'react';
import { get, path, post } from '../../api/client';
import { workflowQuery } from '../../api/queries';
import { useMay } from '../../api/session';
import { withoutCommands } from '../../words/refusal';
import { count } from '../../words/time';
import { Ask } from '../base/act';
import { Button, Outside, plain, Spinner } from '../base/basics';
import { Failed, Loading } from '../base/states';
import { later } from '../../later';

const AllowHost = later(() => import('./allowhost').then((one) => ({ default: one.AllowHost })));
const SetKey = later(() => import('../notice/setkey'));

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
  const of = useQuery(workflowQuery(workflow)).data?.value;
  const others = useQuery({ queryKey: ['subscriptions'], queryFn: async ({ signal }) => (await get('/subscriptions', {}, signal)).items, enabled: useMay('admin') }).data ?? [];
  const mayTry = useMay('run');
  // A key or a host that came has it tried anew: reads are made, writes are not sent.
  const tried = useQuery({ queryKey: ['workflow', workflow, 'tried'], queryFn: ({ signal }) => post(path('/workflows/{workflow}/dry-run', workflow), { reads: 'live' }, { signal }), enabled: mayTry, retry: false });
  const [key, setKey] = useState<{ secret: string; host?: string }>();
  if (asked.isPending) return <Loading what="what it does" />;
  if (asked.isError) return <Failed error={asked.error} what="account of what it does" />;
  const { hosts, writes, secrets, unclear } = asked.data;
  const unset = asked.data.unset_secrets ?? [];
  const unnamed = asked.data.unnamed ?? [];
  const refused = (hosts ?? []).filter((one) => one.refused);
  const failing = tried.data?.failure && !tried.data.unknown ? tried.data.failure : undefined;
  seen([...new Set([...unnamed, ...refused.filter((one) => !one.closed).map((one) => one.host)])]);
  const rows: [string, readonly string[]][] = [
    ['It goes to', (hosts ?? []).map((one) => one.host)], ['It writes', writes ?? []], ['It signs in with', secrets ?? []], ['Not clear before a run', unclear ?? []],
    ['It runs', of ? [of.schedule_words] : []],
    ['Told of it', of ? [of.owner || 'everybody who looks here', ...others.filter((other) => (other.workflows ?? []).length === 0 || other.workflows!.includes(workflow)).map((other) => other.name)] : []],
  ];
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1" data-account>
        {rows.filter(([, list]) => list.length > 0).map(([name, list]) => (
          <div key={name} className="contents"><dt className="text-soft">{name}</dt><dd className="[overflow-wrap:anywhere]">{list.map((text) => <span key={text} className="block">{plain(text)}</span>)}</dd></div>
        ))}
      </dl>
      {unnamed.length > 0 && <p>Nobody has named <strong className="font-mono">{plain(unnamed.join(', '))}</strong> yet. If you switch it on, its runs may go there.</p>}
      {refused.map((one) => <p key={one.host}>{one.closed ? plain(withoutCommands(one.refused!)) : `${plain(one.refused!)}: a run may not go there yet. If you switch it on, its runs may.`}</p>)}
      {unset.map((one) => (
        <p key={one.name} className="flex flex-wrap items-center gap-2">
          <span>The key <strong className="font-mono">{plain(one.name)}</strong> is not set: a run that needs it fails.</span>
          <Button onClick={() => setKey({ secret: one.name, ...(one.hosts?.length === 1 ? { host: one.hosts[0]! } : {}) })}>Paste it</Button>
        </p>
      ))}
      {mayTry && (tried.isPending ? <p role="status" className="flex items-center gap-2 text-soft"><Spinner /> It is tried now; nothing is written.</p>
        : failing ? (
          <div role="alert" className="rounded-lg bg-badwash p-3">
            <p><strong className="text-bad">Tried just now, it would fail: </strong><Outside text={withoutCommands(failing)} /></p>
            <Suspense fallback={null}>{tried.data?.refused && <AllowHost workflow={workflow} refused={tried.data.refused} />}</Suspense>
          </div>
        )
        : tried.data && !tried.data.failure ? <p className="text-good">✓ Tried just now, it would succeed{(tried.data.writes?.length ?? 0) > 0 && `, with ${count(tried.data.writes!.length, 'write')}, none of them sent`}.</p>
        : null)}
      <Suspense fallback={null}>{key && <SetKey workflow={workflow} of={key} close={() => setKey(undefined)} />}</Suspense>
    </>
  );
}
