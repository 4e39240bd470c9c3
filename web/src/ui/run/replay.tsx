import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { path, post } from '../../api/client';
import type { Schemas } from '../../api/described';
import { versionsQuery } from '../../api/queries';
import type { RunDetail } from '../../api/types';
import { useAct } from '../base/act';
import { Button, Outside, plain } from '../base/basics';
import Dialog from '../base/dialog';
import { Diff } from '../script/diff';
import { Failed, Loading, Refused } from '../base/states';
import { Value, WriteCard } from '../base/value';

type Replayed = Schemas['ReplayedRun'];

/** A replay by any version of the script of a run that has ended, from its record alone. */
export default function Replay({ run, close }: { run: RunDetail; close: () => void }) {
  const versions = useQuery(versionsQuery(run.workflow));
  const [version, choose] = useState<string>();
  const replayed = useAct((on: string) => post(path('/runs/{run}/replay', run.id), { version: on }));
  const all = versions.data?.toSorted((a, b) => b.saved.localeCompare(a.saved)) ?? [];
  const chosen = version ?? all.find((one) => one.active)?.version ?? run.version;
  return (
    <Dialog onClose={close} title="Replay this run" wide>
      <p className="mb-3 text-sm text-soft">It is run again on its own record: each call is answered as it was then, and nothing is sent. So you see what another version would have made of it.</p>
      {versions.isPending ? <Loading what="the versions" /> : versions.isError ? <Failed error={versions.error} what="the versions" /> : (
        <form
          className="flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            replayed.mutate(chosen);
          }}
        >
          <label className="min-w-0">
            <span className="mb-1 block text-sm font-semibold">On which version</span>
            <select className="field max-w-full" value={chosen} onChange={(event) => choose(event.target.value)}>
              {all.map((one) => (
                <option key={one.version} value={one.version}>
                  {one.version}{one.active ? ', in use' : ''}{one.version === run.version ? ', as it ran' : ''}: {plain(one.comment).slice(0, 60)}
                </option>
              ))}
            </select>
          </label>
          <Button type="submit" look="primary" busy={replayed.isPending}>Replay it</Button>
        </form>
      )}
      <Refused error={replayed.error} />
      {replayed.data && <Result of={replayed.data} failed={run.status === 'failed'} />}
    </Dialog>
  );
}

function Result({ of, failed }: { of: Replayed; failed: boolean }) {
  const writes = of.writes ?? [];
  const mended = failed && !of.failure;
  return (
    <div className="mt-4 space-y-3" role="status">
      <p className={`font-semibold ${of.same || mended ? 'text-good' : of.unknown ? 'text-warn' : 'text-bad'}`}>
        {mended ? `✓ On ${of.version} it succeeds.` : of.same ? `✓ On ${of.version} it comes out just as it did.` : of.unknown ? `? On ${of.version} it would ask for something that was never recorded.` : `≠ On ${of.version} it comes out otherwise.`}
      </p>
      {of.failure && <p><span className="text-soft">It ends with:</span> <Outside text={of.failure} /></p>}
      {!of.same && of.diff && <div><h3 className="mb-1 text-sm">What is different</h3><Diff diff={of.diff} label="What is different from how it was" /></div>}
      {!of.failure && of.output !== undefined && <details open={of.same}><summary className="link text-sm">Its result</summary><div className="mt-1"><Value value={of.output} label="The result of the replay" /></div></details>}
      {writes.length > 0 && (
        <details>
          <summary className="link text-sm">What it writes ({writes.length})</summary>
          <div className="mt-1 grid gap-2 sm:grid-cols-2">{writes.slice(0, 50).map((write, i) => <WriteCard key={i} write={write} />)}</div>
        </details>
      )}
    </div>
  );
}
