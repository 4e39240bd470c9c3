import { type FormEvent, type ReactNode, useState } from 'react';
import { go } from '../navigation';
import { post } from '../api/client';
import { useMay } from '../api/session';
import { useAct } from '../ui/base/act';
import { Button, Heading, Section } from '../ui/base/basics';
import { Empty, Refused } from '../ui/base/states';

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A workflow from one sentence, or from a script. */
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
