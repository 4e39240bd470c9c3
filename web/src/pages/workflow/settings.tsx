import { useQuery } from '@tanstack/react-query';
import { type FormEvent, Suspense, useState } from 'react';
import { later } from '../../later';
import { Link, useLeaving } from '../../navigation';
import { get, patch, path, post, put, remove } from '../../api/client';
import { scheduleQuery, settingsQuery } from '../../api/queries';
import { useMay } from '../../api/session';
import type { Json, NewSchedule, Schedule, Workflow } from '../../api/types';
import { Ask, useAct } from '../../ui/base/act';
import { Button, Moment, plain, Section } from '../../ui/base/basics';
import { Field } from '../../ui/base/field';
import { Keys } from '../../ui/settings/keys';
import { PickSchedule } from '../../ui/settings/pickschedule';
import { Starters } from '../../ui/settings/starters';
import { Failed, Loading, Refused } from '../../ui/base/states';
import { TellAnother } from '../../ui/settings/tell';
import { pickedOf, specOf } from '../../words/cron';
import { length, short } from '../../words/time';
import { WorkflowFrame } from './frame';

const Unsaved = later(() => import('../../ui/base/unsaved'));

export default function SettingsPage() {
  return (
    <WorkflowFrame>
      {(one, revision) => (
        <>
          <About key={`${one.title}\n${one.intent}`} one={one} revision={revision} />
          <When one={one} />
          <Starters one={one} />
          <Settings one={one} />
          <Keys one={one} />
          <Told one={one} />
          <Away one={one} />
        </>
      )}
    </WorkflowFrame>
  );
}

function About({ one, revision }: { one: Workflow; revision: string | undefined }) {
  const may = useMay('edit');
  const [title, setTitle] = useState(one.title);
  const [intent, setIntent] = useState(one.intent);
  const save = useAct(() => patch(path('/workflows/{workflow}', one.id), { title, intent }, { ifMatch: revision }), { said: 'Its name and purpose are saved.' });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Section title="What it is" id="about">
      <form onSubmit={submit} className="space-y-3">
        <Field label="Name"><input className="field w-full" value={title} onChange={(event) => setTitle(event.target.value)} disabled={!may} required /></Field>
        <Field label="What it is for, in your words" hint="A repair is judged by it.">
          <textarea className="field w-full" rows={3} value={intent} onChange={(event) => setIntent(event.target.value)} disabled={!may} />
        </Field>
        {may && <Button type="submit" look="primary" busy={save.isPending} disabled={title === one.title && intent === one.intent}>Save what it is</Button>}
        <Refused error={save.error} />
      </form>
    </Section>
  );
}

function When({ one }: { one: Workflow }) {
  const asked = useQuery(scheduleQuery(one.id));
  const may = useMay('edit');
  return (
    <Section title="When it runs" id="when">
      {asked.isPending ? <Loading what="when it runs" /> : asked.isError ? <Failed error={asked.error} what="schedule" /> : (
        <>
          {asked.data.spec === '' ? <p>By hand only.</p> : (
            <p>It runs <strong>{asked.data.words}</strong>, in the time zone {plain(asked.data.zone || one.zone)}. <code className="font-mono text-sm text-soft">{plain(asked.data.spec)}</code></p>
          )}
          <Times next={asked.data.next ?? []} />
          {may && <Reschedule key={asked.data.spec} one={one} now={asked.data} />}
        </>
      )}
    </Section>
  );
}

function Times({ next }: { next: string[] }) {
  if (next.length === 0) return null;
  return (
    <>
      <h3 className="mt-3 mb-1 text-sm">The next times, as your clock has them</h3>
      <ol className="grid gap-x-6 text-sm sm:grid-cols-2">{next.map((at) => <li key={at}>{short(at)} <span className="text-soft">(<Moment at={at} />)</span></li>)}</ol>
    </>
  );
}

/** A change of the schedule shows its next runs before it is made. */
function Reschedule({ one, now }: { one: Workflow; now: Schedule }) {
  const [picked, pick] = useState(() => pickedOf(now.spec));
  const spec = specOf(picked);
  const given: NewSchedule = { spec, zone: now.zone || one.zone, ...(now.input === undefined ? {} : { input: now.input }), ...(now.overlap ? { overlap: now.overlap as NonNullable<NewSchedule['overlap']> } : {}), ...(now.catch_up ? { catch_up: now.catch_up as NonNullable<NewSchedule['catch_up']> } : {}), ...(now.window ? { window: now.window } : {}), ...(now.jitter ? { jitter: now.jitter } : {}) };
  const preview = useAct(() => post(path('/workflows/{workflow}/schedule/preview', one.id), given));
  const save = useAct(() => put(path('/workflows/{workflow}/schedule', one.id), given), { said: ({ words }) => `It runs ${words} from now on.` });
  const stop = useAct(() => remove(path('/workflows/{workflow}/schedule', one.id)), { said: 'It runs when somebody starts it.' });
  return (
    <form
      className="mt-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <h3 className="mb-2 text-sm">{now.spec === '' ? 'Set a time' : 'Another time'}</h3>
      <PickSchedule now={picked} change={pick} />
      {preview.data && <div role="status"><p className="mt-2">That is <strong>{preview.data.words}</strong>.</p><Times next={preview.data.next ?? []} /></div>}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button busy={preview.isPending} onClick={() => preview.mutate()} disabled={spec === ''}>Show when that is</Button>
        <Button type="submit" look="primary" busy={save.isPending} disabled={spec === '' || spec === now.spec}>Set this time</Button>
        {now.spec !== '' && <Button busy={stop.isPending} onClick={() => stop.mutate()}>Take the time off</Button>}
      </div>
      <Refused error={preview.error ?? save.error ?? stop.error} />
    </form>
  );
}

// Each choice has a sentence that says what follows from it.
type Choices = Record<string, { word: string; then: string }>;
const modes: Choices = {
  auto: { word: 'Use good fixes by themselves', then: 'A fix is used at once if nothing speaks against it, one of a language model only if recorded runs prove it. All others wait for you.' },
  proven: { word: 'Use proven fixes by themselves', then: 'A fix is used at once if recorded runs prove it. All others wait for you.' },
  propose: { word: 'Ask me about every fix', then: 'It stands still with a fix ready, until you accept or decline it.' },
  off: { word: 'Do not repair it', then: 'It is handed to you with what broke, and stands still until you change or start it again.' },
};
const halves: Choices = {
  ask: { word: 'Ask me', then: 'You say of each such run whether it goes on, starts again or stays as it is.' },
  continue: { word: 'Go on with the new version', then: 'It goes on by itself. What it has written is not written again.' },
  leave: { word: 'Leave it as it is', then: 'It stays half done, and you are not asked.' },
};
const guards: Choices = {
  '': { word: 'Stop what its answers show to be wrong, mark the rest', then: 'A run that would write something its answers contradict is stopped before it. What only looks odd is marked for you.' },
  off: { word: 'Do not look', then: 'A run that succeeds is taken for right, whatever it wrote.' },
  notice: { word: 'Only mark it', then: 'It writes what it writes, and you are told that it looks wrong.' },
  stop: { word: 'Stop it before its next write', then: 'It writes nothing more, and you say whether it is right.' },
};
const holds: Choices = {
  '': { word: 'Wait for me', then: 'Runs that are due wait until you have decided.' },
  continue: { word: 'Go on with the version that is there', then: 'Runs that are due start with the version that failed.' },
};
const escalations: Choices = {
  '': { word: 'Wait until it works again', then: 'No run starts until you have changed it or switched it on again. Inputs wait.' },
  continue: { word: 'Go on with the version that is there', then: 'Runs that are due start with the version that failed.' },
};
const deadlines: Choices = {
  decline: { word: 'Decline it', then: 'The fix is never used, and it stands still.' },
  accept_if_proven: { word: 'Accept it if nothing but my word is missing, else decline it', then: 'A fix that recorded runs prove is used then.' },
};
const hour = 3_600_000;
const silences = { [hour / 2]: 'After half an hour', [hour]: 'After an hour', [6 * hour]: 'After six hours', [24 * hour]: 'After a day', [168 * hour]: 'After a week' };
const spans = { 0: 'For ever', [hour]: 'An hour', [4 * hour]: 'Four hours', [24 * hour]: 'A day', [72 * hour]: 'Three days', [168 * hour]: 'A week' };

// The limits: their names, their units here, and the value without one.
const limits = [
  { name: 'wall_ms', label: 'Seconds that a run may take', unit: 1000 },
  { name: 'calls', label: 'Calls of a run', unit: 1 },
  { name: 'memory_bytes', label: 'Memory of a run, MB', unit: 1 << 20 },
  { name: 'fetch_bytes', label: 'Read from the web in a run, MB', unit: 1 << 20 },
  { name: 'stored_bytes', label: 'Its keys and files, MB', unit: 1 << 20 },
] as const;

type Values = { [name: string]: Json };
type Lookup = { host: string; lookup: string; result?: string };

const fixers = { templates: 'What is known to mend such failures', model: 'The language model', command: 'The program that the server was given', person: 'Nobody: hand it to me' };

/** Ticked or not; in the order in which they are asked, where a person always is the last. */
const inOrder = (chosen: readonly string[], name: string) =>
  (chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]).toSorted((a, b) => Number(a === 'person') - Number(b === 'person'));

/** A list of texts, one a line. What is being typed stays as it is typed. */
function Lines({ now, change, may }: { now: string[]; change: (next: string[]) => void; may: boolean }) {
  const [text, write] = useState(now.join('\n'));
  return (
    <textarea
      className="field w-full font-mono text-sm"
      rows={3}
      value={text}
      onChange={(event) => {
        write(event.target.value);
        change(event.target.value.split('\n').map((line) => line.trim()).filter(Boolean));
      }}
      disabled={!may}
    />
  );
}

/** How hosts are asked what became of a write. */
function Lookups({ now, change, may }: { now: Lookup[]; change: (next: Lookup[]) => void; may: boolean }) {
  const put = (at: number, part: Partial<Lookup>) => change(now.map((one, i) => (i === at ? { ...one, ...part } : one)));
  return (
    <fieldset className="mt-3">
      <legend className="mb-1 text-sm font-semibold">Hosts that can be asked what became of a write</legend>
      {now.map((one, i) => (
        <div key={i} className="mb-2 grid gap-2 sm:grid-cols-[1fr_2fr_1fr_auto]">
          <input aria-label="Host" className="field w-full" placeholder="api.example.com" value={one.host} onChange={(event) => put(i, { host: event.target.value.trim() })} disabled={!may} required />
          <input aria-label="Address to ask, with {key} for the key of the write" className="field w-full font-mono text-sm" placeholder="https://api.example.com/by-key/{key}" value={one.lookup} onChange={(event) => put(i, { lookup: event.target.value.trim() })} disabled={!may} required />
          <input aria-label="Where the answer of the write is in it, like /data/0" className="field w-full font-mono text-sm" placeholder="/data/0, or empty" value={one.result ?? ''} onChange={(event) => put(i, { result: event.target.value.trim() })} disabled={!may} />
          {may && <Button onClick={() => change(now.filter((_, at) => at !== i))} aria-label={`Do not ask ${plain(one.host) || 'this host'}`}>Remove</Button>}
        </div>
      ))}
      {may && <Button onClick={() => change([...now, { host: '', lookup: '' }])}>Add one</Button>}
    </fieldset>
  );
}

function Settings({ one }: { one: Workflow }) {
  const asked = useQuery(settingsQuery(one.id));
  if (asked.isPending) return <Section title="Settings"><Loading what="the settings" /></Section>;
  if (asked.isError) return <Section title="Settings"><Failed error={asked.error} what="settings" /></Section>;
  return <SettingsForm key={JSON.stringify(asked.data.value)} one={one} before={asked.data.value as Values} revision={asked.data.revision} />;
}

function SettingsForm({ one, before, revision }: { one: Workflow; before: Values; revision: string | undefined }) {
  const may = useMay('edit');
  const [values, set] = useState(before);
  const save = useAct(() => put(path('/workflows/{workflow}/settings', one.id), values, { ifMatch: revision }), { said: 'The settings are saved.' });
  const changed = JSON.stringify(values) !== JSON.stringify(before);
  const away = useLeaving(changed && !save.isSuccess);
  const change = (name: string, value: Json) => set({ ...values, [name]: value });
  const choice = (name: string, label: string, options: Choices) => {
    const chosen = String(values[name] ?? '') in options ? String(values[name] ?? '') : '';
    return (
      <Field label={label} hint={options[chosen]?.then ?? ''}>
        <select className="field w-full" value={chosen} onChange={(event) => change(name, event.target.value)} disabled={!may}>
          {Object.entries(options).map(([one, { word }]) => <option key={one} value={one}>{word}</option>)}
        </select>
      </Field>
    );
  };
  const within = Number(values['decide_within_ms'] ?? 0);
  const silent = Number(values['outage_after_ms'] || hour / 2);
  const bounds = (values['limits'] ?? {}) as Record<string, number>;
  const number = (name: string, label: string, hint: string) => (
    <Field label={label} hint={hint}>
      <input className="field w-full" type="number" min={1} value={Number(values[name] ?? 1)} onChange={(event) => change(name, Number(event.target.value))} disabled={!may} />
    </Field>
  );
  const chosen = (values['fixers'] as string[] | undefined) ?? [];
  const lines = (name: string, label: string, hint: string) => (
    <Field label={label} hint={hint}>
      <Lines now={(values[name] as string[] | undefined) ?? []} change={(next) => change(name, next)} may={may} />
    </Field>
  );
  return (
    <form
      aria-label="Settings"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Suspense fallback={null}>{away.asked && <Unsaved what="the change of the settings" stay={away.stay} leave={away.leave} />}</Suspense>
      <Section title="When it breaks" id="breaks">
        <div className="grid gap-4 sm:grid-cols-2">
          {choice('auto_fix', 'When it breaks', modes)}
          <fieldset>
            <legend className="mb-1 text-sm font-semibold">Who proposes fixes, in this order</legend>
            {(Object.keys(fixers) as (keyof typeof fixers)[]).map((name) => (
              <label key={name} className="flex items-start gap-2 py-0.5">
                <input type="checkbox" className="mt-1 size-4 accent-(--gold)" checked={chosen.includes(name)} disabled={!may} onChange={() => change('fixers', inOrder(chosen, name))} />
                <span>{fixers[name]}</span>
              </label>
            ))}
          </fieldset>
          {number('budget', 'Fixes in a row before it is handed to me', 'Then it stands still, and I look at it myself.')}
          {number('repairs_per_hr', 'Repairs in an hour', 'With more it is handed to me: something is wrong that no fix mends.')}
          {choice('on_hold', 'While a fix waits for me, runs', holds)}
          <Field label="How long a fix may wait for me" hint={within === 0 ? 'It waits until I decide.' : 'After that the choice beside this one holds.'}>
            <select className="field w-full" value={within} onChange={(event) => set({ ...values, decide_within_ms: Number(event.target.value), on_deadline: Number(event.target.value) === 0 ? '' : String(values['on_deadline'] || 'decline') })} disabled={!may}>
              {Object.entries(within in spans ? spans : { ...spans, [within]: length(within) }).map(([ms, word]) => <option key={ms} value={ms}>{word}</option>)}
            </select>
          </Field>
          {within > 0 && choice('on_deadline', 'If I have not decided by then', deadlines)}
          {choice('on_escalation', 'While it is handed to me, runs', escalations)}
          {choice('unfinished', 'A run that is half done when the script changes', halves)}
          {choice('guard', 'A run that does not fail and looks wrong', guards)}
        </div>
      </Section>
      <Section title="What it may reach" id="reaches">
        <div className="grid gap-4 sm:grid-cols-2">{lines('allowed_hosts', 'Private hosts that it may reach', 'One a line: a name, or name:port. Public ones need no mention.')}</div>
        <details className="mt-4" open={['idempotent_hosts', 'atomic_hosts', 'reconcile'].some((name) => ((values[name] as Json[] | undefined) ?? []).length > 0)}>
          <summary className="link text-sm">What hosts do with a write that was not answered</summary>
          <p className="mt-1 text-sm text-soft">Without a word here, such a write is in doubt, and you are asked what became of it.</p>
          <div className="mt-2 grid gap-4 sm:grid-cols-2">
            {lines('idempotent_hosts', 'Hosts that know a repeated write by its key', 'One a line. What they did not answer is sent again.')}
            {lines('atomic_hosts', 'Hosts that do all of a write or nothing', 'One a line. What they answer with 500 did not happen, and is sent again.')}
          </div>
          <Lookups now={(values['reconcile'] as Lookup[] | undefined) ?? []} change={(next) => change('reconcile', next)} may={may} />
        </details>
      </Section>
      <Section title="How much it may run" id="runs">
        <div className="grid gap-4 sm:grid-cols-2">
          {number('max_active', 'Runs at the same time', 'More of them wait for their turn.')}
          <Field label="Runs in an hour" hint="Empty for as many as there are. More of them wait.">
            <input className="field w-full" type="number" min={1} value={values['runs_per_hr'] ? Number(values['runs_per_hr']) : ''} onChange={(event) => change('runs_per_hr', Number(event.target.value))} disabled={!may} />
          </Field>
          {number('queued_inputs', 'Inputs that may wait while no run can start', 'Senders of more are refused.')}
          <Field label="Where the input says what a run is about" hint="Like customer.id: of runs about the same, one is under way at a time. Empty for no such place.">
            <input className="field w-full font-mono" value={String(values['concurrency_key'] ?? '')} onChange={(event) => change('concurrency_key', event.target.value.trim())} disabled={!may} />
          </Field>
          <Field label="Where the input says how urgent it is" hint="Like order.priority: of the inputs that wait, the one with the greatest number comes first. Empty for no such place.">
            <input className="field w-full font-mono" value={String(values['priority_key'] ?? '')} onChange={(event) => change('priority_key', event.target.value.trim())} disabled={!may} />
          </Field>
          <Field label="Seconds that an input waits for a newer one" hint="A newer one about the same takes its place. Empty runs each.">
            <input className="field w-full" type="number" min={0} step="any" value={values['debounce_ms'] ? Number(values['debounce_ms']) / 1000 : ''} onChange={(event) => change('debounce_ms', Math.round(Number(event.target.value) * 1000))} disabled={!may} />
          </Field>
        </div>
        <details className="mt-4" open={Object.keys(bounds).length > 0}>
          <summary className="link text-sm">Limits of its own</summary>
          <p className="mt-1 text-sm text-soft">What is left empty has the limit that all workflows have.</p>
          <div className="mt-2 grid gap-4 sm:grid-cols-2">
            {limits.map(({ name, label, unit }) => (
              <Field key={name} label={label}>
                <input
                  className="field w-full"
                  type="number"
                  min={1}
                  step="any"
                  value={bounds[name] ? bounds[name] / unit : ''}
                  onChange={(event) => {
                    const { [name]: _, ...others } = bounds;
                    const wanted = Math.round(Number(event.target.value) * unit);
                    change('limits', wanted > 0 ? { ...others, [name]: wanted } : others);
                  }}
                  disabled={!may}
                />
              </Field>
            ))}
          </div>
        </details>
      </Section>
      <Section title="What I am told, and how it is found" id="telling">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="When I am told that a service does not answer" hint="Runs are tried again by themselves meanwhile.">
            <select className="field w-full" value={silent} onChange={(event) => change('outage_after_ms', Number(event.target.value))} disabled={!may}>
              {Object.entries(silent in silences ? silences : { ...silences, [silent]: `After ${length(silent).toLowerCase()}` }).map(([ms, word]) => <option key={ms} value={ms}>{word}</option>)}
            </select>
          </Field>
          <Field label="Language that agents write to me in" hint="Like en, de or pt-BR. Empty for that of what it is for.">
            <input className="field w-full" value={String(values['locale'] ?? '')} onChange={(event) => change('locale', event.target.value.trim())} disabled={!may} />
          </Field>
          <Field label="Labels" hint="One a line, like team=billing. Lists of workflows and runs are filtered by them.">
            <Lines
              now={Object.entries((values['labels'] ?? {}) as Record<string, string>).map(([name, value]) => `${name}=${value}`)}
              change={(next) => change('labels', Object.fromEntries(next.map((line) => [line.split('=')[0]!.trim(), line.includes('=') ? line.slice(line.indexOf('=') + 1).trim() : ''])))}
              may={may}
            />
          </Field>
        </div>
      </Section>
      {may && (
        <div className="sticky bottom-14 z-20 mb-4 rounded-lg border border-line bg-card p-3 sm:bottom-2">
          <Button type="submit" look="primary" busy={save.isPending} disabled={!changed}>Save these settings</Button>
          {changed && <span className="ml-3 text-sm text-soft">Not saved yet.</span>}
          <Refused error={save.error} />
        </div>
      )}
    </form>
  );
}

function Away({ one }: { one: Workflow }) {
  if (!useMay('edit') || one.status === 'archived') return null;
  return (
    <Section title="Out of the way" id="away">
      <Ask word="Archive it" title={`Archive ${plain(one.title)}`} look="danger" act={(reason) => post(path('/workflows/{workflow}/archive', one.id), { reason })} said="It is archived." undo={() => post(path('/workflows/{workflow}/restore', one.id))} note={{ label: 'Why (optional)' }}>
        <p>It runs no more and is in no list. Everything is kept, and it can be restored.</p>
      </Ask>
    </Section>
  );
}

/** The outside systems that are told of this workflow. */
function Told({ one }: { one: Workflow }) {
  const may = useMay('admin');
  const asked = useQuery({ queryKey: ['subscriptions'], queryFn: async ({ signal }) => (await get('/subscriptions', {}, signal)).items, enabled: may });
  if (!may) return null;
  const those = (asked.data ?? []).filter((of) => (of.workflows ?? []).length === 0 || of.workflows!.includes(one.id));
  return (
    <Section title="Who else is told" id="told">
      {asked.isPending ? <Loading what="who is told" /> : asked.isError ? <Failed error={asked.error} what="subscriptions" /> : (
        <>
          {those.length === 0 ? <p className="text-soft">Nobody outside is told of what happens to it.</p> : (
            <ul className="divide-y divide-line">
              {those.map((of) => (
                <li key={of.name} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
                  <strong className="[overflow-wrap:anywhere]">{plain(of.name)}</strong>
                  <code className="min-w-0 truncate font-mono text-sm">{plain(of.target)}</code>
                  <span className="text-sm text-soft">{(of.workflows ?? []).length === 0 ? 'of all workflows' : of.workflows!.length === 1 ? 'of this one alone' : `of this and ${of.workflows!.length - 1} more`}, {plain(of.state)}</span>
                  <Link className="link ml-auto text-sm" to="/system">Look after it</Link>
                </li>
              ))}
            </ul>
          )}
          <TellAnother workflow={one.id} />
        </>
      )}
    </Section>
  );
}
