import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { go } from '../../navigation';
import { get, path, post } from '../../api/client';
import { fixQuery, versionsQuery, workflowQuery } from '../../api/queries';
import { useMay } from '../../api/session';
import { useAct } from '../base/act';
import { Button, Moment, Outside, plain, RunLink } from '../base/basics';
import { Checked } from '../script/checked';
import Dialog from '../base/dialog';
import { Diff } from '../script/diff';
import { Failed, Loading, Refused } from '../base/states';
import { count } from '../../words/time';

/** Takes a mend back: the script before it is saved again, and what ran on it meanwhile is no evidence any more, if so wanted. */
export default function Undo({ workflow, version, fix, close }: { workflow: string; version: string; fix?: string | undefined; close: () => void }) {
  const of = useQuery(workflowQuery(workflow));
  const versions = useQuery(versionsQuery(workflow));
  const mend = useQuery({ ...fixQuery(fix ?? ''), enabled: fix !== undefined });
  const mended = versions.data?.find((one) => one.version === version);
  const to = mend.data?.value.base ?? versions.data?.filter((one) => one.saved < (mended?.saved ?? '')).toSorted((a, b) => b.saved.localeCompare(a.saved))[0]?.version;
  const [title] = useState(`Undo the mend${version ? `: back from ${version}` : ''}`);
  const failed = of.error ?? versions.error ?? mend.error;
  return (
    <Dialog onClose={close} title={title} wide>
      {failed ? <Failed error={failed} what="version" />
        : !of.data || !versions.data || (fix !== undefined && !mend.data) ? <Loading what="what it would come to" />
        : !mended || !to ? <p>There is no version before {plain(version)} to go back to.</p>
        : of.data.value.version !== version ? <p>Version {version} is not in use any more: {of.data.value.version} is. Choose on the page of the script where to go back to.</p>
        : <Confirm workflow={workflow} version={version} since={mended.saved} to={to} revision={of.data.revision} close={close} />}
    </Dialog>
  );
}

function Confirm({ workflow, version, since, to, revision, close }: { workflow: string; version: string; since: string; to: string; revision: string | undefined; close: () => void }) {
  const judge = useMay('decide');
  const impact = useQuery({
    queryKey: ['workflow', workflow, 'impact', to],
    queryFn: ({ signal }) => get(path('/workflows/{workflow}/versions/{version}/impact', workflow, to), {}, signal),
  });
  const between = useQuery({
    queryKey: ['workflow', workflow, 'since', since],
    queryFn: ({ signal }) => get(path('/workflows/{workflow}/exempt', workflow), { since }, signal),
  });
  const [leaveOut, choose] = useState<boolean>();
  const [why, write] = useState('');
  const runs = between.data?.runs ?? [];
  const writes = between.data?.writes ?? [];
  const exempts = judge && runs.length > 0 && (leaveOut ?? true);
  const undo = useAct(
    () =>
      post(
        path('/workflows/{workflow}/versions/{version}/rollback', workflow, to),
        { comment: why.trim() || `the mend of ${version} is undone`, ...(exempts ? { exempt_since: since } : {}) },
        { ifMatch: revision },
      ),
    {
      said: `The mend is undone: version ${to} is in use again.`,
      done: () => {
        close();
        void go({ to: '/workflows/:id', params: { id: workflow } });
      },
    },
  );
  if (impact.isError) return <Failed error={impact.error} what="version" />;
  if (between.isError) return <Failed error={between.error} what="runs in between" />;
  if (impact.isPending || between.isPending) return <Loading what="what it would come to" />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        undo.mutate();
      }}
    >
      <p>The script of {to} is saved again, as <strong>{impact.data.becomes}</strong>. Nothing is lost: you can come back.</p>
      {(impact.data.follows?.length ?? 0) > 0 && <ul className="mt-1 list-disc pl-5 text-sm">{impact.data.follows!.map((line) => <li key={line}><Outside text={line} /></li>)}</ul>}
      <Checked check={impact.data.runs} />
      {runs.length > 0 ? (
        <div className="mt-3 rounded-lg border border-line p-3">
          {judge ? (
            <label className="flex items-start gap-2.5">
              <input type="checkbox" className="mt-1 size-4 accent-(--gold)" checked={leaveOut ?? true} onChange={(event) => choose(event.target.checked)} />
              <span>
                Leave out of proofs {runs.length === 1 ? 'the run that' : `the ${count(runs.length, 'run')} that`} succeeded since <Moment at={since} />
                <span className="block text-sm text-soft">If the mend was wrong, so was what it made: no repair is measured by it any more.</span>
              </span>
            </label>
          ) : <p className="text-sm">{count(runs.length, 'run')} succeeded with it. They stay evidence: leaving them out takes a token that may decide.</p>}
          {writes.length > 0 && (
            <details className="mt-2">
              <summary className="link text-sm">What they wrote, which stays written ({writes.length})</summary>
              <ul className="mt-1 max-h-52 space-y-0.5 overflow-auto text-sm">
                {writes.slice(0, 200).map((one) => (
                  <li key={`${one.run} ${one.seq}`} className="[overflow-wrap:anywhere]"><RunLink id={one.run} /> <code className="font-mono text-xs">{plain(`${one.tool} ${one.args}`)}</code></li>
                ))}
              </ul>
            </details>
          )}
        </div>
      ) : <p className="mt-2 text-sm text-soft">No run has succeeded with it yet.</p>}
      <details className="mt-3">
        <summary className="link text-sm">What changes in the script</summary>
        <div className="mt-2"><Diff diff={impact.data.diff} label={`What changes when going back to ${to}`} /></div>
      </details>
      <label className="mt-3 block">
        <span className="mb-1 block text-sm font-semibold">Why (optional)</span>
        <input className="field w-full" value={why} onChange={(event) => write(event.target.value)} />
      </label>
      <Refused error={undo.error} />
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={close}>Not now</Button>
        <Button type="submit" look="primary" busy={undo.isPending}>Undo the mend</Button>
      </div>
    </form>
  );
}
