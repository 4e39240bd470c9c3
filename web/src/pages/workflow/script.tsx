import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { Link, useLeaving, go, useSearch } from '../../navigation';
import { get, path, post } from '../../api/client';
import { compareQuery, scriptQuery, versionsQuery } from '../../api/queries';
import { useMay } from '../../api/session';
import type { SaveCheck, Version, Workflow } from '../../api/types';
import { useAct } from '../../ui/base/act';
import { Badge, Button, Moment, Outside, plain, Section } from '../../ui/base/basics';
import { Checked } from '../../ui/script/checked';
import { Diff } from '../../ui/script/diff';
import { BelowReach, ReachDrawn } from '../../ui/script/reach';
import { Empty, Failed, Loading, Refused } from '../../ui/base/states';
import { actorInWords } from '../../words/status';
import { count } from '../../words/time';
import { WorkflowFrame } from './frame';
import { later } from '../../later';

const Unsaved = later(() => import('../../ui/base/unsaved'));
const Editor = later(() => import('../../ui/script/editor'));
const Beside = later(() => import('../../ui/script/beside'));
const DryRun = later(() => import('../../ui/script/dryrun'));
const WhatIf = later(() => import('../../ui/script/whatif'));
const Undo = later(() => import('../../ui/fix/undo'));
const Dialog = later(() => import('../../ui/base/dialog'));

export default function ScriptPage() {
  const { from } = useSearch<{ from: string }>();
  return (
    <WorkflowFrame>
      {(one, revision) => (
        <>
          {!from && <ReachDrawn one={one} />}
          {from ? <Script one={one} revision={revision} /> : <BelowReach one={one}><Script one={one} revision={revision} /></BelowReach>}
        </>
      )}
    </WorkflowFrame>
  );
}

function Script({ one, revision }: { one: Workflow; revision: string | undefined }) {
  const search = useSearch<{ version: string; from: string; to: string }>();
  const versions = useQuery(versionsQuery(one.id));
  const may = useMay('edit');
  const [editing, edit] = useState(may && one.version === '');
  const look = (next: Record<string, string>) => void go({ to: '/workflows/:id/script', params: { id: one.id }, search: next });
  if (versions.isPending) return <Loading what="the versions" />;
  if (versions.isError) return <Failed error={versions.error} what="the versions" />;
  const all = versions.data.toReversed().sort((a, b) => Number(b.active) - Number(a.active) || b.saved.localeCompare(a.saved));
  const shown = search.version ?? one.version;
  if (editing) return <Edit one={one} revision={revision} done={() => edit(false)} />;
  return (
    <div className="grid gap-4 lg:grid-cols-[18rem_minmax(0,1fr)]">
      <Section title="Versions" aside={may && <Button onClick={() => edit(true)}>{one.version ? 'Change it' : 'Write it'}</Button>}>
        {all.length === 0 ? <Empty title="There is no script yet" /> : (
          <ul className="-mx-2 space-y-1">
            {all.map((version) => (
              <li key={version.version} className={`rounded-lg px-2 py-1.5 ${version.version === shown && !search.from ? 'bg-goldwash' : ''}`}>
                <Link to="/workflows/:id/script" params={{ id: one.id }} search={{ version: version.version }} className="flex items-center gap-2">
                  <span className="font-mono font-semibold">{version.version}</span>
                  {version.active && <Badge tone="good">in use</Badge>}
                  {version.origin === 'maintainer' && <Badge tone="gold">mended</Badge>}
                </Link>
                <p className="text-sm [overflow-wrap:anywhere]">{plain(version.comment)}</p>
                <p className="text-xs text-soft">
                  {plain(actorInWords(version.author))}, <Moment at={version.saved} />
                  {version.proof?.verdict === 'identical' && version.proof.replayed > 0 && `, proved on ${count(version.proof.replayed, 'run')}`}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <div className="min-w-0">
        {all.length > 1 && <Compare all={all} from={search.from ?? ''} to={search.to ?? ''} look={look} />}
        {search.from && search.to ? <Compared one={one} from={search.from} to={search.to} /> : shown && <Shown one={one} version={shown} revision={revision} newest={all[0]?.version === shown} />}
      </div>
    </div>
  );
}

function Compare({ all, from, to, look }: { all: Version[]; from: string; to: string; look: (next: Record<string, string>) => void }) {
  const select = (label: string, value: string, change: (next: string) => void) => (
    <label className="inline-flex items-center gap-1.5">
      <span>{label}</span>
      <select className="field" value={value} onChange={(event) => change(event.target.value)}>
        <option value="">…</option>
        {all.map((one) => <option key={one.version} value={one.version}>{one.version}</option>)}
      </select>
    </label>
  );
  const set = (next: { from?: string; to?: string }) => {
    const chosen = { from, to, ...next };
    look(Object.fromEntries(Object.entries(chosen).filter(([, value]) => value)) as Record<string, string>);
  };
  return (
    <div className="mb-3 flex flex-wrap items-center gap-3 text-sm">
      {select('Compare', from, (next) => set({ from: next }))}
      {select('with', to, (next) => set({ to: next }))}
      {(from || to) && <button type="button" className="link" onClick={() => look({})}>do not compare</button>}
    </div>
  );
}

function Compared({ one, from, to }: { one: Workflow; from: string; to: string }) {
  const asked = useQuery(compareQuery(one.id, from, to));
  const [beside, set] = useState(false);
  if (asked.isPending) return <Loading what="the comparison" />;
  if (asked.isError) return <Failed error={asked.error} what="version" />;
  const both = asked.data;
  return (
    <Section title={`From ${from} to ${to}`} aside={<Button onClick={() => set(!beside)} aria-pressed={beside}>{beside ? 'Only the change' : 'The whole scripts, in colours'}</Button>}>
      {(both.summary?.length ?? 0) > 0 && <ul className="mb-3 list-disc pl-5">{both.summary!.map((line) => <li key={line}><Outside text={line} /></li>)}</ul>}
      {beside && both.before.code !== undefined && both.after.code !== undefined
        ? <Suspense fallback={<Loading what="both scripts" />}><Beside before={both.before.code} after={both.after.code} labels={[from, to]} /></Suspense>
        : <Diff diff={both.diff} label={`What changed from ${from} to ${to}`} />}
    </Section>
  );
}

function Shown({ one, version, revision, newest }: { one: Workflow; version: string; revision: string | undefined; newest: boolean }) {
  const asked = useQuery(scriptQuery(one.id, version));
  const [going, back] = useState(false);
  const [undoing, undo] = useState(false);
  const may = useMay('edit');
  if (asked.isPending) return <Loading what="the script" />;
  if (asked.isError) return <Failed error={asked.error} what="version" />;
  const script = asked.data.value;
  const active = version === one.version;
  return (
    <Section
      title={<>Version {version}{active ? ', in use' : ''}</>}
      aside={
        <span className="flex gap-2">
          {script.proposal && <Link className="button" to="/fixes/:id" params={{ id: script.proposal }}>Its proof</Link>}
          {may && !active && <Button onClick={() => back(true)}>Go back to {version}…</Button>}
          {may && active && script.origin === 'maintainer' ? <Button onClick={() => undo(true)}>Undo the mend…</Button> : may && active && newest && <BeforeLink one={one} version={version} />}
        </span>
      }
    >
      {script.summary && <p className="mb-2"><Outside text={script.summary} /></p>}
      <Suspense fallback={<Loading what="the script" />}><Editor code={script.code ?? ''} label={`The script of version ${version}`} /></Suspense>
      <Suspense fallback={null}>{undoing && <Undo workflow={one.id} version={version} fix={script.proposal} close={() => undo(false)} />}</Suspense>
      <Suspense fallback={null}>{going && <Rollback one={one} to={version} revision={revision} close={() => back(false)} />}</Suspense>
    </Section>
  );
}

// Undoing the version in use is going back to the one before it.
function BeforeLink({ one, version }: { one: Workflow; version: string }) {
  const versions = useQuery(versionsQuery(one.id));
  const before = versions.data?.filter((other) => other.version !== version).toSorted((a, b) => b.saved.localeCompare(a.saved))[0];
  if (!before) return null;
  return <Link className="button" to="/workflows/:id/script" params={{ id: one.id }} search={{ version: before.version }}>Undo: to {before.version}…</Link>;
}

function Rollback({ one, to, revision, close }: { one: Workflow; to: string; revision: string | undefined; close: () => void }) {
  const impact = useQuery({
    queryKey: ['workflow', one.id, 'impact', to],
    queryFn: ({ signal }) => get(path('/workflows/{workflow}/versions/{version}/impact', one.id, to), {}, signal),
  });
  const back = useAct(
    (comment: string) => post(path('/workflows/{workflow}/versions/{version}/rollback', one.id, to), { comment }, { ifMatch: revision }),
    {
      said: `The script of ${to} is in use again.`,
      done: () => {
        close();
        void go({ to: '/workflows/:id/script', params: { id: one.id } });
      },
    },
  );
  const [comment, write] = useState('');
  return (
    <Dialog onClose={close} title={`Go back to version ${to}`} wide>
      {impact.isPending ? <Loading what="what it would come to" /> : impact.isError ? <Failed error={impact.error} what="version" /> : (
        <>
          <p>The script of {to} is saved again, as <strong>{impact.data.becomes}</strong>. Nothing is lost: you can come back.</p>
          <Checked check={impact.data.runs} />
          {(impact.data.follows?.length ?? 0) > 0 && (
            <>
              <p className="mt-2 font-semibold">It also follows</p>
              <ul className="list-disc pl-5 text-sm">{impact.data.follows!.map((line) => <li key={line}><Outside text={line} /></li>)}</ul>
            </>
          )}
          <div className="mt-3"><Diff diff={impact.data.diff} label={`What changes when going back to ${to}`} /></div>
          <label className="mt-3 block">
            <span className="mb-1 block text-sm font-semibold">Why (optional)</span>
            <input className="field w-full" value={comment} onChange={(event) => write(event.target.value)} />
          </label>
          <Refused error={back.error} />
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={close}>Not now</Button>
            <Button look="primary" busy={back.isPending} onClick={() => back.mutate(comment.trim())}>Go back to {to}</Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function Edit({ one, revision, done }: { one: Workflow; revision: string | undefined; done: () => void }) {
  const base = useQuery({ ...scriptQuery(one.id, one.version), enabled: one.version !== '' });
  const mayRun = useMay('run');
  const [code, write] = useState<string>();
  const [comment, say] = useState('');
  const [seen] = useState(revision); // the one that was there when the change began
  const text = code ?? base.data?.value.code ?? (one.version === '' ? 'async function main(input) {\n  return {};\n}\n' : undefined);
  const check = useAct(() => post(path('/workflows/{workflow}/check', one.id), { code: text ?? '' }));
  const [checked, note] = useState<string>(); // the script that the preview below is of
  const [trying, show] = useState<'now' | 'past'>();
  const save = useAct(() => post(path('/workflows/{workflow}/versions', one.id), { code: text ?? '', comment: comment.trim() }, { ifMatch: seen }), { said: 'Saved, and in use from now on.', done });
  const preview = () => check.mutateAsync().then((found) => {
    note(text);
    return found;
  });
  // Nobody saves unseen what recorded runs come out otherwise with, or what none of them can tell.
  const doubts = (found: SaveCheck) => found.differ + found.unverifiable > 0 || (one.succeeded > 0 && found.same === 0);
  const saveIt = async () => {
    if (one.version !== '' && checked !== text) {
      const found = await preview().catch(() => undefined);
      if (!found || doubts(found)) return;
    }
    save.mutate();
  };
  // Unsaved edits are lost only after a question, by a link, by the palette or by a closed tab.
  const changed = code !== undefined && code !== base.data?.value.code;
  const [leaving, leave] = useState(false);
  const away = useLeaving(changed && !save.isSuccess);
  const doubted = checked === text && check.data !== undefined && doubts(check.data);
  if (text === undefined) return base.isError ? <Failed error={base.error} what="version" /> : <Loading what="the script" />;
  return (
    <Section title={one.version === '' ? 'Write the script' : 'Change the script'} aside={<Button onClick={() => (changed ? leave(true) : done())}>Stop, save nothing</Button>}>
      <Suspense fallback={null}>
        {(leaving || away.asked) && <Unsaved what="the change of the script" stay={() => { leave(false); away.stay(); }} leave={() => (leaving ? done() : away.leave())} />}
      </Suspense>
      <Suspense fallback={<Loading what="the editor" />}><Editor code={text} label="The script, to be changed" change={write} /></Suspense>
      <label className="mt-3 block">
        <span className="mb-1 block text-sm font-semibold">What you changed, in one line</span>
        <input className="field w-full" value={comment} onChange={(event) => say(event.target.value)} />
      </label>
      {check.data && checked === text && <Checked check={check.data} />}
      {check.data && checked !== undefined && checked !== text && <p className="mt-2 text-sm text-soft">It was changed since it was tried.</p>}
      <Refused error={check.error ?? save.error} />
      <Suspense fallback={null}>
        {trying === 'now' && <DryRun workflow={one.id} title={one.title} code={text} close={() => show(undefined)} />}
        {trying === 'past' && <WhatIf workflow={one.id} title={one.title} code={text} close={() => show(undefined)} />}
      </Suspense>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button look="primary" busy={save.isPending || check.isPending} disabled={code === undefined} onClick={() => void saveIt()}>{doubted ? 'Save it all the same' : 'Save, and use it from now on'}</Button>
        {one.version !== '' && <Button busy={check.isPending} onClick={() => void preview().catch(() => {})}>Try it on the recorded runs</Button>}
        {mayRun && <Button onClick={() => show('now')}>Try it out now…</Button>}
        {one.version !== '' && <Button onClick={() => show('past')}>On the runs of the last days…</Button>}
      </div>
    </Section>
  );
}
