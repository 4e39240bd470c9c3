// An address that a script was refused, and the press that opens it.
import { Link } from '@tanstack/react-router';
import { getWithRevision, patch, path } from '../api/client';
import { useMay } from '../api/session';
import { useAct } from './act';
import { Button, plain } from './basics';
import { Refused } from './states';

type Address = { host: string; closed?: boolean };

/** Allows the runs of a workflow to reach a host, or allows it no more. */
async function setReach(workflow: string, host: string, reach: boolean) {
  const settings = path('/workflows/{workflow}/settings', workflow);
  const { value, revision } = await getWithRevision(settings);
  const others = (value.allowed_hosts ?? []).filter((one) => one !== host);
  return patch(settings, { allowed_hosts: reach ? [...others, host] : others }, { ifMatch: revision });
}

/** Where the installation closes the address, it says who opens it: no setting of the workflow does. */
export function AllowHost({ workflow, refused, done }: { workflow: string; refused: Address; done?: () => void }) {
  const edit = useMay('edit');
  const allowing = useAct(() => setReach(workflow, refused.host, true), {
    said: `Its runs may reach ${refused.host} now.`, undo: () => setReach(workflow, refused.host, false), ...(done ? { done } : {}),
  });
  if (refused.closed) return <Closed />;
  if (!edit) return <p className="mt-2 text-sm text-soft">Somebody who may change the workflow can allow it to reach <span className="font-mono">{plain(refused.host)}</span>.</p>;
  return (
    <div className="mt-2">
      <Button look="primary" busy={allowing.isPending} onClick={() => allowing.mutate()}>Allow {plain(refused.host)}</Button>
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
