import { useState } from 'react';
import { get, patch, path } from '../../api/client';
import type { Schemas } from '../../api/described';
import { useAct } from '../base/act';
import { Button, Outside } from '../base/basics';
import { Field } from '../base/field';
import { Refused } from '../base/states';
import { count } from '../../words/time';

/** Which events a system outside is told of, and in which form, with what would be sent of the newest. */
export function Shape({ one }: { one: Schemas['Subscription'] }) {
  const [filter, only] = useState(one.filter ?? '');
  const [transform, form] = useState(one.transform ?? '');
  const save = useAct(() => patch(path('/subscriptions/{subscription}', one.name), { filter: filter.trim(), transform: transform.trim() }), { said: 'It is told in this form from now on.' });
  const look = useAct(() => get(path('/subscriptions/{subscription}/preview', one.name)));
  const seen = look.data;
  return (
    <details className="mt-1 text-sm">
      <summary className="link">Which events it is told of, and in which form{one.left_out > 0 && `, ${count(one.left_out, 'event')} left out`}</summary>
      <form
        className="mt-2 grid gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Field label="Only events of which this is true" hint="An expression in JavaScript over event. Empty for all."><textarea className="field w-full font-mono text-xs" rows={2} value={filter} onChange={(event) => only(event.target.value)} placeholder='event.data.origin === "agent"' spellCheck={false} /></Field>
        <Field label="Sent as" hint="An expression in JavaScript over event. Empty for the event itself."><textarea className="field w-full font-mono text-xs" rows={2} value={transform} onChange={(event) => form(event.target.value)} placeholder="({text: event.type})" spellCheck={false} /></Field>
        <span className="flex flex-wrap gap-2">
          <Button type="submit" busy={save.isPending}>Save this form</Button>
          <Button busy={look.isPending} onClick={() => look.mutate()}>Show the newest as it would be sent</Button>
        </span>
      </form>
      <Refused error={save.error ?? look.error} />
      {seen && (seen.body
        ? <pre className="mt-2 max-h-60 overflow-auto font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">{seen.body}</pre>
        : <p role="status" className="mt-2"><Outside text={seen.error ?? 'The filter leaves the newest events out.'} /></p>)}
    </details>
  );
}
