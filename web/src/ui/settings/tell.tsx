import { useState } from 'react';
import { path, post } from '../../api/client';
import { useAct } from '../base/act';
import { Button } from '../base/basics';
import { Field } from '../base/field';
import { Refused } from '../base/states';

/** Has a system outside told of what happens: to one workflow, or to all. */
export function TellAnother({ workflow }: { workflow?: string }) {
  const [name, call] = useState('');
  const [target, aim] = useState('');
  const add = useAct(
    () => post(path('/subscriptions/{subscription}', name.trim()), { target: target.trim(), ...(workflow ? { workflows: [workflow] } : {}) }),
    {
      said: 'It is told from now on.',
      done: () => {
        call('');
        aim('');
      },
    },
  );
  return (
    <>
      <form
        className="mt-4 grid items-end gap-2 sm:grid-cols-[1fr_2fr_auto]"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <Field label="Name"><input className="field w-full" value={name} onChange={(event) => call(event.target.value)} required /></Field>
        <Field label="Where to"><input className="field w-full font-mono" value={target} onChange={(event) => aim(event.target.value)} placeholder="webhook:https://example.com/told" required /></Field>
        <Button type="submit" busy={add.isPending}>Tell this system</Button>
      </form>
      {add.data?.signing_key && <p role="status" className="mt-2 text-sm">Deliveries are signed with <code className="font-mono [overflow-wrap:anywhere]">{add.data.signing_key}</code>. It is said this once.</p>}
      <Refused error={add.error} />
    </>
  );
}
