import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { get, path, post, put, remove } from '../../api/client';
import type { BodyOf } from '../../api/described';
import { useMay } from '../../api/session';
import type { Workflow } from '../../api/types';
import { Ask, useAct } from '../base/act';
import { Badge, Button, Command, plain, Section, WorkflowLink } from '../base/basics';
import { Failed, Loading, Refused } from '../base/states';
import { list } from '../../words/cron';

type Outcome = BodyOf<'put', '/workflows/{workflow}/triggers/{source}'>['outcomes'] extends (infer One)[] | null ? One : never;
type Style = BodyOf<'post', '/workflows/{workflow}/hooks/{hook}'>['style'];

const outcomes: Record<Outcome, string> = { succeeded: 'a run succeeded', failed: 'a run failed', recovered: 'a run succeeded after failures', escalated: 'it was handed to a person' };
const styles: Record<Style, string> = {
  standard: 'signed as Standard Webhooks', token: 'with its secret', github: 'as GitHub does', stripe: 'as Stripe does', slack: 'as Slack does',
  shopify: 'as Shopify does', twilio: 'as Twilio does', meta: 'as Meta does', zoom: 'as Zoom does', discord: 'as Discord does', linear: 'as Linear does',
  telegram: 'as Telegram does',
};
/** Their secrets are made here; the other services make theirs, and show them. */
const ours: Style[] = ['standard', 'token', 'github', 'telegram'];

/** The starters besides its schedule and people: other workflows, and the outside. */
export function Starters({ one }: { one: Workflow }) {
  return (
    <Section title="What else starts it" id="starters">
      <Others one={one} />
      <Hooks one={one} />
    </Section>
  );
}

function Others({ one }: { one: Workflow }) {
  const may = useMay('edit');
  const asked = useQuery({ queryKey: ['workflow', one.id, 'triggers'], queryFn: ({ signal }) => get(path('/workflows/{workflow}/triggers', one.id), {}, signal) });
  const drop = useAct((source: string) => remove(path('/workflows/{workflow}/triggers/{source}', one.id, source)), { said: 'It does not start it any more.' });
  const triggers = asked.data?.triggers ?? [];
  return (
    <>
      <h3 className="mb-1">Other workflows</h3>
      {asked.isPending ? <Loading what="other workflows" /> : asked.isError ? <Failed error={asked.error} what="triggers" /> : (
        <>
          {triggers.length === 0 && <p className="text-sm text-soft">None does.</p>}
          <ul>
            {triggers.map((trigger) => (
              <li key={trigger.source} className="flex flex-wrap items-center gap-2 py-1">
                <span>when of <WorkflowLink id={trigger.source} title={trigger.title} /> {list((trigger.outcomes ?? []).map((outcome) => outcomes[outcome as Outcome] ?? plain(outcome)))}</span>
                {may && <Button className="text-sm" busy={drop.isPending} onClick={() => drop.mutate(trigger.source)}>Do not start it then</Button>}
              </li>
            ))}
          </ul>
          <Refused error={drop.error} />
          {may && <Another one={one} />}
        </>
      )}
    </>
  );
}

function Another({ one }: { one: Workflow }) {
  const [open, set] = useState(false);
  const [wanted, type] = useState('');
  const [source, choose] = useState('');
  const [on, when] = useState<Outcome>('succeeded');
  const found = useQuery({ queryKey: ['workflows', 'named', wanted], queryFn: async ({ signal }) => (await get('/workflows', { limit: 20, q: wanted }, signal)).items, enabled: open });
  const save = useAct(() => put(path('/workflows/{workflow}/triggers/{source}', one.id, source), { outcomes: [on] }), {
    said: 'It starts on that workflow from now on.',
    done: () => {
      set(false);
      choose('');
    },
  });
  if (!open) return <Button className="mt-1 text-sm" onClick={() => set(true)}>Start it on another workflow…</Button>;
  const others = (found.data ?? []).filter((other) => other.id !== one.id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="mt-2 flex flex-wrap items-end gap-2 rounded-lg bg-sunken p-3">
      <label className="min-w-40 flex-1">
        <span className="mb-1 block text-sm font-semibold">Search</span>
        <input className="field w-full" type="search" value={wanted} onChange={(event) => type(event.target.value)} placeholder="A part of its name" />
      </label>
      <label className="min-w-40 flex-1">
        <span className="mb-1 block text-sm font-semibold">Which workflow</span>
        <select className="field w-full" value={source} onChange={(event) => choose(event.target.value)} required>
          <option value="">{found.isPending ? 'looking…' : others.length === 0 ? 'none is called so' : 'choose one'}</option>
          {others.map((other) => <option key={other.id} value={other.id}>{plain(other.title)}</option>)}
        </select>
      </label>
      <label>
        <span className="mb-1 block text-sm font-semibold">When</span>
        <select className="field w-full" value={on} onChange={(event) => when(event.target.value as Outcome)}>{Object.entries(outcomes).map(([outcome, word]) => <option key={outcome} value={outcome}>{word}</option>)}</select>
      </label>
      <Button type="submit" look="primary" busy={save.isPending}>Start it then</Button>
      <Button onClick={() => set(false)}>Not now</Button>
      <Refused error={save.error} />
    </form>
  );
}

function Hooks({ one }: { one: Workflow }) {
  const may = useMay('edit');
  const asked = useQuery({ queryKey: ['workflow', one.id, 'hooks'], queryFn: async ({ signal }) => (await get(path('/workflows/{workflow}/hooks', one.id), {}, signal)).items });
  const [name, write] = useState('');
  const [style, choose] = useState<Style>('standard');
  const [secret, take] = useState('');
  const given = !ours.includes(style);
  const add = useAct(() => post(path('/workflows/{workflow}/hooks/{hook}', one.id, name.trim()), given ? { style, secret: secret.trim() } : { style }), {
    said: 'The address is made.',
    done: () => {
      write('');
      take('');
    },
  });
  return (
    <div className="mt-5 border-t border-line pt-4">
      <h3 className="mb-1">The outside</h3>
      {asked.isPending ? <Loading what="hooks" /> : asked.isError ? <Failed error={asked.error} what="hooks" /> : (
        <>
          {asked.data.length === 0 && <p className="text-sm text-soft">No address starts it.</p>}
          <ul className="space-y-2">
            {asked.data.map((hook) => (
              <li key={hook.name} className="flex flex-wrap items-center gap-2">
                <Badge tone="plain">{plain(hook.name)}</Badge>
                <Command text={`${location.origin}${hook.path}`} />
                <span className="text-sm text-soft">{styles[hook.style] ?? plain(hook.style)}</span>
                {may && <Ask word="Take it away" title={`Take the address ${plain(hook.name)} away`} look="danger" act={() => remove(path('/workflows/{workflow}/hooks/{hook}', one.id, hook.name))} said={`The address ${plain(hook.name)} is taken away.`}><p>What is sent there is refused from then on.</p></Ask>}
              </li>
            ))}
          </ul>
          {add.data?.secret && (
            <div role="status" className="mt-2 rounded-lg bg-goldwash p-3 text-sm">
              <p className="mb-1">This is what senders to <strong>{plain(add.data.name)}</strong> prove themselves with. <strong>It is said this once.</strong></p>
              <Command text={add.data.secret} />
            </div>
          )}
          {add.data?.verify_token && (
            <div role="status" className="mt-2 rounded-lg bg-goldwash p-3 text-sm">
              <p className="mb-1">This is the verify token to give to Meta. <strong>It is said this once.</strong></p>
              <Command text={add.data.verify_token} />
            </div>
          )}
          {may && (
            <form
              className="mt-2 flex flex-wrap items-end gap-2"
              onSubmit={(event) => {
                event.preventDefault();
                add.mutate();
              }}
            >
              <label><span className="mb-1 block text-sm font-semibold">A new address, called</span><input className="field" value={name} onChange={(event) => write(event.target.value)} required pattern="[a-z0-9][a-z0-9_\-]*" title="Small letters, digits, - and _" placeholder="orders" /></label>
              <label><span className="mb-1 block text-sm font-semibold">Senders prove themselves</span><select className="field" value={style} onChange={(event) => choose(event.target.value as Style)}>{Object.entries(styles).map(([one, word]) => <option key={one} value={one}>{word}</option>)}</select></label>
              {given && <label><span className="mb-1 block text-sm font-semibold">Its secret, as the service shows it</span><input className="field" type="password" autoComplete="off" value={secret} onChange={(event) => take(event.target.value)} required title="The signing secret, app secret, auth token or public key" /></label>}
              <Button type="submit" busy={add.isPending}>Make the address</Button>
            </form>
          )}
          <Refused error={add.error} />
        </>
      )}
    </div>
  );
}
