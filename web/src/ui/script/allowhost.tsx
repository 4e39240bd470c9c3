// An address that a script was refused, and the press that opens it.
import { Link } from '../../navigation';
import { get, getWithRevision, patch, path, post, Problem } from '../../api/client';
import { useMay } from '../../api/session';
import { useAct } from '../base/act';
import { Button, plain } from '../base/basics';
import { Refused } from '../base/states';

type Address = { host: string; closed?: boolean };

/** Allows the runs of a workflow to reach a host, or allows it no more. */
async function setReach(workflow: string, host: string, reach: boolean) {
  const settings = path('/workflows/{workflow}/settings', workflow);
  const { value, revision } = await getWithRevision(settings);
  const others = (value.allowed_hosts ?? []).filter((one) => one !== host);
  return patch(settings, { allowed_hosts: reach ? [...others, host] : others }, { ifMatch: revision });
}

/** Has the run that was refused go on, and says whether it does: the one that wrote before it was refused goes on by itself. */
async function goOn(run: string): Promise<boolean> {
  await post(path('/runs/{run}/retry', run)).catch((cause: unknown) => {
    if (!(cause instanceof Problem) || cause.status !== 409) throw cause;
  });
  const { final, retry_at } = await get(path('/runs/{run}/result', run));
  return final.id !== run || retry_at !== undefined;
}

/** Allows the host that is given with a press: what is shown may name it no more when it is done. The run that was refused, if it is named, goes on. */
export function useAllowHost(workflow: string, run: string | undefined, done?: () => void) {
  const start = useMay('run');
  const allow = async (host: string) => {
    await setReach(workflow, host, true);
    return run === undefined ? undefined : start && (await goOn(run));
  };
  return useAct(allow, {
    said: (goes, host) => `Its runs may reach ${host} now.${goes === undefined ? '' : goes ? ' The run that was refused goes on.' : ' The run that was refused is over: start a new one.'}`,
    undo: (host) => setReach(workflow, host, false),
    ...(done ? { done } : {}),
  });
}

/** Where the installation closes the address, it says who opens it: no setting of the workflow does. */
export function AllowHost({ workflow, refused, run, done }: { workflow: string; refused: Address; run?: string; done?: () => void }) {
  const edit = useMay('edit');
  const allowing = useAllowHost(workflow, run, done);
  if (refused.closed) return <Closed />;
  if (!edit) return <p className="mt-2 text-sm text-soft">Somebody who may change the workflow can allow it to reach <span className="font-mono">{plain(refused.host)}</span>.</p>;
  return (
    <div className="mt-2">
      <Button look="primary" busy={allowing.isPending} onClick={() => allowing.mutate(refused.host)}>Allow {plain(refused.host)}</Button>
      <Refused error={allowing.error} />
    </div>
  );
}

function Closed() {
  const admin = useMay('admin');
  return (
    <p className="mt-2 text-sm">
      The installation closes this place to scripts, so no setting of the workflow opens it.{' '}
      {admin ? <>You are an admin: <Link className="link" to="/system" hash="egress">open it under System</Link>.</> : 'Only an admin can open it.'}
    </p>
  );
}
