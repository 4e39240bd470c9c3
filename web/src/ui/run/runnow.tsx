import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { path, post } from '../../api/client';
import { scriptQuery, settingsQuery } from '../../api/queries';
import type { Json } from '../../api/types';
import { useAct } from '../base/act';
import { Button, plain } from '../base/basics';
import Dialog from '../base/dialog';
import { formOf, givenAtFirst, type Given, inputOf, InputFields } from './input';
import { Failed, Loading, Refused } from '../base/states';

/** Starts a run with an input that is asked for. */
export default function RunNow({ workflow, title, started, close }: { workflow: string; title: string; started: (run: string) => void; close: () => void }) {
  const script = useQuery(scriptQuery(workflow, 'active'));
  const settings = useQuery(settingsQuery(workflow));
  return (
    <Dialog onClose={close} title={`Run ${plain(title)} now`}>
      {script.isError ? <Failed error={script.error} what="script" /> : settings.isError ? <Failed error={settings.error} what="settings" /> : !script.data || !settings.data ? <Loading what="what it takes" /> : (
        <Form workflow={workflow} first={givenAtFirst(formOf(script.data.value.input_schema), settings.data.value.input as Json | undefined)} started={started} close={close} />
      )}
    </Dialog>
  );
}

function Form({ workflow, first, started, close }: { workflow: string; first: Given; started: (run: string) => void; close: () => void }) {
  const [given, change] = useState(first);
  const [wrong, say] = useState('');
  const run = useAct((input: Json) => post(path('/workflows/{workflow}/runs', workflow), { input }), { done: (made) => {
    started('id' in made ? made.id : made.run.id);
    close();
  } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    let input: Json;
    try {
      input = inputOf(given);
    } catch (cause) {
      return say(cause instanceof Error ? cause.message : String(cause));
    }
    say('');
    run.mutate(input);
  };
  return (
    <form onSubmit={submit}>
      <p className="mb-3 text-sm text-soft">It is real: what the script sends goes out.</p>
      <InputFields given={given} change={change} />
      {wrong && <p role="alert" className="mt-2 text-sm text-bad">{wrong}</p>}
      <Refused error={run.error} />
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={close}>Not now</Button>
        <Button type="submit" look="primary" busy={run.isPending}>Start the run</Button>
      </div>
    </form>
  );
}
