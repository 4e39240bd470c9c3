import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { go } from '../navigation';
import { get, path, post } from '../api/client';
import type { Schemas } from '../api/described';
import { useMay } from '../api/session';
import { useAct } from '../ui/base/act';
import { Button, Heading, Section } from '../ui/base/basics';
import { Empty, Failed, Loading, Refused } from '../ui/base/states';
import { count } from '../words/time';

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A workflow from one sentence, from the gallery, or from a script. */
export default function NewPage() {
  const may = useMay('edit');
  const planned = useAct(
    (wish: string) => post('/plans', { wish, zone: zone() }),
    { done: ({ workflow }) => void go({ to: '/workflows/:id/chat', params: { id: workflow } }) },
  );
  const made = useAct(
    (title: string) => post('/workflows', { title, draft: true, zone: zone() }),
    { done: ({ id }) => void go({ to: '/workflows/:id/script', params: { id } }) },
  );
  return (
    <>
      <Heading title="A new workflow" />
      {!may ? <div className="card max-w-3xl"><Empty title="Your token does not let you make one" /></div> : (
        <div className="max-w-3xl">
          <Begin title="Say what it should do" act={planned} word="Begin" label="What should it do, and when?" hint="A language model writes it. It is tried without writing anything, and runs only when you switch it on.">
            {(field) => <textarea {...field} rows={4} placeholder="Each morning tell me which of my orders were not paid." />}
          </Begin>
          <Gallery />
          <Begin title="Or write the script yourself" act={made} word="Write it" label="What is it called?" hint="It is a draft until you switch it on.">
            {(field) => <input {...field} placeholder="Unpaid orders" />}
          </Begin>
        </div>
      )}
    </>
  );
}

type Input = { className: string; value: string; onChange: (event: { target: { value: string } }) => void; required: true };

function Begin({ title, label, hint, word, act, children }: {
  title: string;
  label: string;
  hint: string;
  word: string;
  act: { mutate: (text: string) => void; isPending: boolean; error: unknown };
  children: (field: Input) => ReactNode;
}) {
  const [text, write] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act.mutate(text.trim());
  };
  return (
    <Section title={title}>
      <form onSubmit={submit}>
        <label className="block">
          <span className="mb-1 block font-semibold">{label}</span>
          {children({ className: 'field w-full', value: text, onChange: (event) => write(event.target.value), required: true })}
        </label>
        <p className="mt-1 text-sm text-soft">{hint}</p>
        <Button type="submit" look="primary" className="mt-3" busy={act.isPending}>{word}</Button>
        <Refused error={act.error} />
      </form>
    </Section>
  );
}

type Entry = Schemas['GalleryEntry'];

/** Automations to begin with. Each asks example services, and a person puts their own in the place of those. */
function Gallery() {
  const asked = useQuery({ queryKey: ['fixed', 'gallery'], queryFn: async ({ signal }) => (await get('/gallery', {}, signal)).items });
  const [text, look] = useState('');
  const words = text.toLowerCase().split(/\s+/);
  const found = (asked.data ?? []).filter((one) => {
    const all = [one.name, one.title, one.intent, ...one.tags].join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return (
    <Section title="Or take one of the gallery">
      <p className="mb-3 text-sm text-soft">Each comes with recorded runs on example services. A repair can be proved from the first day.</p>
      <label className="block">
        <span className="mb-1 block font-semibold">Look for</span>
        <input type="search" className="field w-full" placeholder="weather, invoices, chat" value={text} onChange={(event) => look(event.target.value)} />
      </label>
      {asked.isPending && <Loading what="the gallery" />}
      {asked.error && <Failed what="the gallery" error={asked.error} />}
      {asked.data && <p className="mt-2 text-sm text-soft" aria-live="polite">{count(found.length, 'automation')}</p>}
      <div className="mt-2 max-h-96 overflow-y-auto" tabIndex={0} role="group" aria-label="Automations of the gallery">
        {found.map((one) => <Taken key={one.name} entry={one} />)}
      </div>
    </Section>
  );
}

function Taken({ entry }: { entry: Entry }) {
  const [services, write] = useState<Record<string, string>>({});
  const take = useAct(
    (body: { services: Record<string, string> }) => post(path('/gallery/{name}', entry.name), body),
    { done: ({ id }) => void go({ to: '/workflows/:id/script', params: { id } }) },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    take.mutate({ services });
  };
  return (
    <details name="gallery" className="border-t border-line py-2">
      <summary className="cursor-pointer">
        <span className="font-semibold">{entry.title}</span> <span className="text-sm text-soft">{entry.intent}</span>
      </summary>
      <form onSubmit={submit} className="mt-2 pl-4">
        {entry.services.map((service) => (
          <label key={service} className="mb-2 block">
            <span className="mb-1 block text-sm">The address of yours, in the place of {service}</span>
            <input className="field w-full" required placeholder="https://api.acme.com" value={services[service] ?? ''}
              onChange={(event) => write({ ...services, [service]: event.target.value })} />
          </label>
        ))}
        <p className="text-sm text-soft">It is a draft until you switch it on.{entry.schedule ? ` It is made to run at ${entry.schedule}.` : ' A hook is made to start it.'}</p>
        <Button type="submit" look="primary" className="mt-2" busy={take.isPending}>Take it</Button>
        <Refused error={take.error} />
      </form>
    </details>
  );
}
