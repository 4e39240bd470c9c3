import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, go, useSearch } from '../navigation';
import { get, path, post, put } from '../api/client';
import type { Schemas } from '../api/described';
import { useMay, useSession } from '../api/session';
import { Ask, useAct } from '../ui/base/act';
import { Badge, Button, Heading, Moment, plain, Section, WorkflowLink } from '../ui/base/basics';
import { VirtualRows } from '../ui/base/list';
import { Choice } from '../ui/run/runlist';
import { Empty, Failed, Loading, Refused } from '../ui/base/states';
import { told, Ways } from '../ui/base/ways';
import type { Tone } from '../words/status';
import { count } from '../words/time';

type Draft = Schemas['Draft'];

const ages: Record<string, { word: string; tone: Tone }> = {
  fresh: { word: 'in the making', tone: 'good' },
  stale: { word: 'nobody for 3 days', tone: 'warn' },
  abandoned: { word: 'nobody for a week', tone: 'bad' },
};
const which = { '': 'all', stale: 'untouched for 3 days', abandoned: 'untouched for a week' };

/** Workflows that were begun and never switched on. */
export default function DraftsPage() {
  const { age } = useSearch<{ age: string }>();
  const may = useMay('edit');
  const asked = useQuery({ queryKey: ['drafts', age], queryFn: async ({ signal }) => (await get('/drafts', { age: age as 'stale' | undefined }, signal)).items });
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [done, say] = useState<Draft[]>([]);
  const rows = asked.data ?? [];
  const picked = rows.filter((one) => chosen.has(one.id));
  const tend = (what: 'archived' | 'kept', of: Draft[], reason = '') =>
    post('/drafts', { do: what, workflows: of.map((one) => one.id), ...(reason ? { reason } : {}) }).then((answer) => {
      say(what === 'archived' ? answer.items.filter((one) => one.done === 'archived') : []);
      choose(new Set());
      const failed = answer.items.filter((one) => one.problem);
      if (failed.length > 0) throw new Error(failed.map((one) => `${one.title}: ${one.problem}`).join('\n'));
    });
  return (
    <>
      <Heading title="Drafts">
        <Choice label="show" value={age ?? ''} options={which} change={(next) => void go({ to: '/drafts', search: next ? { age: next } : {} })} />
        <Link to="/" search={{ status: 'archived' }} className="link text-sm">See what is archived</Link>
      </Heading>
      <Ways label="What is told and waits" ways={told} />
      {done.length > 0 && <BroughtAway drafts={done} forget={() => say([])} />}
      <div className="card mb-4 p-4">
        {asked.isPending ? <Loading what="the drafts" />
          : asked.isError ? <Failed error={asked.error} what="the drafts" />
          : rows.length === 0 ? <Empty title={age ? 'No draft is as old as that' : 'There are no drafts'}>A workflow is a draft until it is switched on for the first time.</Empty>
          : (
            <>
              {may && (
                <div className="mb-2 flex flex-wrap items-center gap-2 border-b border-line pb-3">
                  <label className="mr-2 flex items-center gap-2 text-sm">
                    <input
                      type="checkbox"
                      className="size-4 accent-(--gold)"
                      checked={picked.length === rows.length}
                      ref={(box) => {
                        if (box) box.indeterminate = picked.length > 0 && picked.length < rows.length;
                      }}
                      onChange={() => choose(picked.length === rows.length ? new Set() : new Set(rows.map((one) => one.id)))}
                    />
                    {picked.length > 0 ? `${count(picked.length, 'draft')} chosen` : 'choose all'}
                  </label>
                  <Ask word="Archive" title={`Archive ${count(picked.length, 'draft')}`} disabled={picked.length === 0} act={(reason) => tend('archived', picked, reason)} said={`${count(picked.length, 'draft')} archived.`} note={{ label: 'Why (optional)' }}>
                    <p>They are out of the way. Everything is kept, and each can be restored.</p>
                    <Names of={picked} />
                  </Ask>
                  <Ask word="Keep" title={`Keep ${count(picked.length, 'draft')}`} disabled={picked.length === 0} act={() => tend('kept', picked)} said={`${count(picked.length, 'draft')} kept.`}>
                    <p>You go on with them: they count as touched today, and nobody is asked about them for a while.</p>
                    <Names of={picked} />
                  </Ask>
                </div>
              )}
              <VirtualRows
                rows={rows}
                id={(one) => one.id}
                estimate={66}
                vary
                label="Drafts, those that nobody touched for longest first"
                row={(one) => (
                  <Row one={one} chosen={chosen.has(one.id)} toggle={may ? () => {
                    const next = new Set(chosen);
                    if (!next.delete(one.id)) next.add(one.id);
                    choose(next);
                  } : undefined} />
                )}
              />
            </>
          )}
      </div>
      {may && <Archiving />}
    </>
  );
}

const Names = ({ of }: { of: Draft[] }) => <ul className="max-h-40 list-disc overflow-auto pl-5">{of.slice(0, 50).map((one) => <li key={one.id}>{plain(one.title)}</li>)}</ul>;

function Row({ one, chosen, toggle }: { one: Draft; chosen: boolean; toggle: (() => void) | undefined }) {
  const said = ages[one.age || 'fresh'] ?? { word: one.age, tone: 'plain' as Tone };
  const session = useSession();
  return (
    <div className={`flex items-center gap-3 border-b border-line py-2.5 ${chosen ? 'bg-goldwash' : ''}`}>
      {toggle && (
        <label className="flex size-6 shrink-0 items-center justify-center">
          <span className="sr-only">Choose {plain(one.title)}</span>
          <input type="checkbox" className="size-4 accent-(--gold)" checked={chosen} onChange={toggle} />
        </label>
      )}
      <div className="min-w-0 flex-1">
        <p className="font-medium"><WorkflowLink id={one.id} title={one.title} /></p>
        <p className="text-sm text-soft">
          touched <Moment at={one.touched} />{one.owner && one.owner !== session.person && <>, of {plain(one.owner)}</>}
          {one.archives && <>; it goes to the archive by itself <Moment at={one.archives} /></>}
        </p>
      </div>
      <Badge tone={said.tone}>{said.word}</Badge>
    </div>
  );
}

/** The drafts that were just archived, and the way back. */
function BroughtAway({ drafts, forget }: { drafts: Draft[]; forget: () => void }) {
  const back = useAct(async () => {
    for (const one of drafts) await post(path('/workflows/{workflow}/restore', one.id));
  }, { said: 'They are back.', done: forget });
  return (
    <div role="status" className="card mb-4 flex flex-wrap items-center gap-3 border-gold/60! px-4 py-3">
      <p className="flex-1">{count(drafts.length, 'draft')} archived.</p>
      <Button busy={back.isPending} onClick={() => back.mutate()}>Bring {drafts.length === 1 ? 'it' : 'them'} back</Button>
      <button type="button" className="link text-sm" onClick={forget}>all right</button>
      <Refused error={back.error} />
    </div>
  );
}

function Archiving() {
  const asked = useQuery({ queryKey: ['drafts', 'archiving'], queryFn: ({ signal }) => get('/drafts/archiving', {}, signal) });
  const turn = useAct((on: boolean) => put('/drafts/archiving', { on }), { said: (_, on) => (on ? 'Drafts go to the archive by themselves.' : 'Drafts stay until somebody archives them.') });
  if (!asked.data) return null;
  return (
    <Section title="Old drafts">
      <label className="flex items-start gap-2.5">
        <input type="checkbox" className="mt-1 size-4 accent-(--gold)" checked={asked.data.on} disabled={turn.isPending} onChange={(event) => turn.mutate(event.target.checked)} />
        <span>
          My drafts go to the archive by themselves
          <span className="block text-sm text-soft">when nobody has touched one for 30 days, a week after you were told of it.</span>
        </span>
      </label>
      <Refused error={turn.error} />
    </Section>
  );
}
