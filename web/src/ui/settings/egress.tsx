// Places where scripts may not go whatever their workflows allow, and private ones that are open to tenants: for admins.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { get, patch, path } from '../../api/client';
import type { BodyOf } from '../../api/described';
import { actorInWords } from '../../words/status';
import { Ask, useAct } from '../base/act';
import { Button, Moment, Outside, plain, Section } from '../base/basics';
import { Field } from '../base/field';
import { Failed, Loading, Refused } from '../base/states';

const change = (what: BodyOf<'patch', '/egress'>) => patch('/egress', what);

export function Egress() {
  const asked = useQuery({ queryKey: ['system', '/egress'], queryFn: ({ signal }) => get('/egress', {}, signal) });
  return (
    <Section title="Where scripts may not go" id="egress">
      {asked.isPending ? <Loading what="where scripts may not go" /> : asked.isError ? <Failed error={asked.error} what="places" /> : (
        <>
          <h3 className="mb-1">Closed to all scripts</h3>
          <p className="text-sm text-soft">No setting of a workflow opens these places. The address that a run dials is checked, whatever name led to it.</p>
          <Places label="Closed places" places={(asked.data.closed ?? []).map((place) => ({ place }))} none="Nothing is closed." word="Open it to scripts" said={(place) => `${place} is closed no more.`} undo={({ place }) => change({ close: [place] })}>
            Scripts may go there from now on, as far as the settings of their workflows allow it.
          </Places>
          <Another label="Close another place" hint="A network, an address or a host: 10.0.0.0/8, db.internal:5432." word="Close this place" act={(place) => change({ close: [place] })} said={(place) => `${place} is closed to all scripts.`} />
          <h3 className="mt-5 mb-1">Open to workflows of tenants</h3>
          <p className="text-sm text-soft">A tenant is an owner whose workflows a token of their own edits. Their workflows reach a private address only if it is here and their settings allow it, too.</p>
          <Places label="Places open to tenants" places={asked.data.open ?? []} none="No private place is open to them." word="Take it off" said={(place) => `${place} is open to them no more.`} undo={({ place, owner }) => change({ open: [place], ...(owner ? { owner } : {}) })}>
            Runs of their workflows are refused there from their next request on.
          </Places>
          <Another label="Open a private place" hint="An address, a host or a network: 10.2.0.15:8080." word="Open this place" owner act={(place, owner) => change({ open: [place], ...(owner ? { owner } : {}) })} said={(place, owner) => `${place} is open to ${owner ? `workflows of ${owner}` : 'workflows of all tenants'}.`} />
          <Changes />
        </>
      )}
    </Section>
  );
}

type Entry = { place: string; owner?: string };

function Places({ label, places, none, word, said, undo, children }: { label: string; places: Entry[]; none: string; word: string; said: (place: string) => string; undo: (one: Entry) => Promise<unknown>; children: string }) {
  if (places.length === 0) return <p className="mt-2">{none}</p>;
  return (
    <ul className="my-2 divide-y divide-line" aria-label={label}>
      {places.map((one) => (
        <li key={`${one.place} ${one.owner ?? ''}`} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
          <span className="font-mono text-sm [overflow-wrap:anywhere]">{plain(one.place)}</span>
          {'owner' in one && one.owner && <span className="text-sm text-soft">to workflows of {plain(one.owner)}</span>}
          <span className="ml-auto">
            <Ask word={word} title={`${word}: ${plain(one.place)}`} confirm={word} look="danger" act={() => change({ remove: [one.place], ...(one.owner ? { owner: one.owner } : {}) })} undo={() => undo(one)} said={said(one.place)}>
              <p>{children}</p>
            </Ask>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Another({ label, hint, word, owner = false, act, said }: { label: string; hint: string; word: string; owner?: boolean; act: (place: string, owner: string) => Promise<unknown>; said: (place: string, owner: string) => string }) {
  const [place, name] = useState('');
  const [whose, choose] = useState('');
  const adding = useAct(() => act(place.trim(), whose.trim()), { said: () => said(place.trim(), whose.trim()), done: () => name('') });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form onSubmit={submit}>
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-48 flex-1"><Field label={label} hint={hint}><input className="field w-full font-mono" value={place} onChange={(event) => name(event.target.value)} required /></Field></div>
        {owner && <div className="min-w-40"><Field label="To workflows of" hint="Empty for all tenants."><input className="field w-full" value={whose} onChange={(event) => choose(event.target.value)} /></Field></div>}
        <Button type="submit" busy={adding.isPending} className="mb-6">{word}</Button>
      </div>
      <Refused error={adding.error} />
    </form>
  );
}

export const egressChanges = () => ({ queryKey: ['system', 'egress', 'changes'], queryFn: async ({ signal }: { signal: AbortSignal }) => (await get(path('/streams/{stream}', 'admin'), { limit: 500 }, signal)).items });

/** The last changes, and by whom. */
function Changes() {
  const asked = useQuery(egressChanges());
  const changes = (asked.data ?? []).filter((one) => one.type === 'EgressChanged').slice(0, 5);
  if (changes.length === 0) return null;
  return (
    <details className="mt-4 text-sm">
      <summary className="cursor-pointer">The last changes, and by whom</summary>
      <ul className="mt-1 space-y-1" aria-label="The last changes">
        {changes.map((one) => <li key={one.position}><strong>{actorInWords(one.metadata.actor)}</strong>, <Moment at={one.metadata.recorded_at} />: <Outside text={one.summary} /></li>)}
      </ul>
    </details>
  );
}
