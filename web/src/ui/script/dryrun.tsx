import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { path, post } from '../../api/client';
import { scriptQuery } from '../../api/queries';
import type { Json } from '../../api/types';
import { withoutCommands } from '../../words/refusal';
import { AllowHost } from './allowhost';
import { Assumed } from '../fix/assumed';
import { Button, Outside, plain } from '../base/basics';
import Dialog from '../base/dialog';
import { Diff } from './diff';
import { formOf, givenAtFirst, type Given, inputOf, InputFields } from '../run/input';
import { Loading, Refused } from '../base/states';
import { Value, WriteCard } from '../base/value';

/** A run as it would go now. Nothing is written. */
export default function DryRun({ workflow, title, code, close }: { workflow: string; title: string; code?: string; close: () => void }) {
  return (
    <Dialog onClose={close} title={`What a run of ${plain(title)} would do now`} wide>
      <Tried workflow={workflow} code={code} changed />
    </Dialog>
  );
}

export function Tried({ workflow, code, changed = false }: { workflow: string; code?: string | undefined; changed?: boolean }) {
  const [reads, choose] = useState<'live' | 'recorded'>('live');
  const [input, give] = useState<Json>();
  // It changes nothing, and takes back nothing that was said.
  const tried = useMutation({ mutationFn: () => post(path('/workflows/{workflow}/dry-run', workflow), { reads, ...(code === undefined ? {} : { code }), ...(input === undefined ? {} : { input }) }) });
  const { mutate } = tried;
  useEffect(() => mutate(), [mutate, reads, input]);
  return (
    <>
      <p className="mb-2 text-sm text-soft">{code !== undefined && changed ? 'With the script as you have changed it. ' : ''}What it would write is shown here, and is not written.</p>
      <label className="mb-3 inline-flex items-center gap-2 text-sm">
        It reads
        <select className="field" value={reads} onChange={(event) => choose(event.target.value as 'live' | 'recorded')}>
          <option value="live">the real world, as it is now</option>
          <option value="recorded">what the last run that succeeded read</option>
        </select>
      </label>
      <OtherInput workflow={workflow} give={give} />
      {tried.isPending && <Loading what="what it would do" />}
      <Refused error={tried.error} />
      {tried.data && !tried.isPending && (
        <div className="space-y-3" role="status">
          {tried.data.failure ? (
            <div>
              <p className={tried.data.unknown ? 'text-warn' : 'text-bad'}><strong>{tried.data.unknown ? 'How it goes on cannot be told: ' : 'It would fail: '}</strong><Outside text={withoutCommands(tried.data.failure)} /></p>
              {tried.data.refused && <AllowHost workflow={workflow} refused={tried.data.refused} done={() => mutate()} />}
            </div>
          ) : <p className="font-semibold text-good">✓ It would succeed.</p>}
          {(tried.data.writes?.length ?? 0) === 0 ? <p className="text-soft">It would write nothing.</p> : (
            <div className="grid gap-2 sm:grid-cols-2">{tried.data.writes!.slice(0, 50).map((write, i) => <WriteCard key={i} write={write} />)}</div>
          )}
          <Assumed answers={tried.data.assumed} />
          {tried.data.output !== undefined && <div><h3 className="mb-1">Result</h3><Value value={tried.data.output} label="The result" /></div>}
          {tried.data.diff && <div><h3 className="mb-1">What is different from the last run that succeeded</h3><Diff diff={tried.data.diff} label="What is different from the last run that succeeded" /></div>}
        </div>
      )}
    </>
  );
}

/** Another input than that of the last run. */
function OtherInput({ workflow, give }: { workflow: string; give: (input: Json) => void }) {
  const script = useQuery(scriptQuery(workflow, 'active'));
  const [given, change] = useState<Given>();
  const [wrong, say] = useState('');
  const shown = given ?? (script.data && givenAtFirst(formOf(script.data.value.input_schema), undefined));
  if (!shown) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      give(inputOf(shown));
      say('');
    } catch (cause) {
      say(cause instanceof Error ? cause.message : String(cause));
    }
  };
  return (
    <details className="mb-3">
      <summary className="cursor-pointer text-sm">With another input than the last run that succeeded</summary>
      <form className="mt-2 space-y-2" onSubmit={submit}>
        <InputFields given={shown} change={change} />
        {wrong && <p role="alert" className="text-sm text-bad">{wrong}</p>}
        <Button type="submit">Try it with this</Button>
      </form>
    </details>
  );
}
