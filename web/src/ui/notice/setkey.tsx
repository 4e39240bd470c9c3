import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { get, path, put } from '../../api/client';
import { resultQuery } from '../../api/queries';
import { useAct } from '../base/act';
import { Button, Outside, plain, RunLink, Spinner } from '../base/basics';
import Dialog from '../base/dialog';
import { Failed, Loading, Refused } from '../base/states';

type Known = { secret?: string; host?: string };

/** Takes a new key for a workflow. Where it is known which one, from a notice or a list, the key is all that is asked for. */
export default function SetKey({ workflow, of, close }: { workflow: string; of: Known | { notice: string }; close: () => void }) {
  return (
    <Dialog onClose={close} title="Set a key">
      {'notice' in of ? <Noticed workflow={workflow} notice={of.notice} close={close} /> : <Form workflow={workflow} known={of} close={close} />}
    </Dialog>
  );
}

function Noticed({ workflow, notice, close }: { workflow: string; notice: string; close: () => void }) {
  const known = useQuery({ queryKey: ['decision', notice], queryFn: ({ signal }) => get(path('/notifications/{notification}/decision', notice), {}, signal) });
  return known.isPending ? <Loading what="which key it is" /> : <Form workflow={workflow} known={known.data ?? {}} close={close} />;
}

/** The key is never shown again, and sent to the hosts named here only. A run that was refused is tried with it, and its outcome is waited for. */
function Form({ workflow, known, close }: { workflow: string; known: Known; close: () => void }) {
  const [name, setName] = useState(known.secret ?? '');
  const [value, setValue] = useState('');
  const [hosts, setHosts] = useState(known.host ?? '');
  const [asked] = useState(!known.secret || !known.host); // the answer may come anew while somebody types
  const [retried, tried] = useState<string>();
  const set = useAct(() => put(path('/secrets/{name}', name.trim()), { value, hosts: hosts.split(/[\s,]+/).filter(Boolean), retry: true }, { query: { workflow } }), {
    said: ({ retried }) => (retried?.length ? undefined : `The key ${plain(name)} is set.`),
    done: ({ retried }) => (retried?.[0] ? tried(retried[0]) : close()),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // it may stand above a form that is not meant
    set.mutate();
  };
  if (retried) return <Outcome run={retried} again={() => { setValue(''); tried(undefined); }} close={close} />;
  return (
    <form onSubmit={submit} className="space-y-3">
      {asked ? <label className="block"><span className="mb-1 block text-sm font-semibold">Its name, as the script has it</span><input className="field w-full font-mono" value={name} onChange={(event) => setName(event.target.value)} required /></label>
        : <p>A new <strong className="font-mono">{plain(name)}</strong>, which is sent to <strong className="font-mono">{plain(hosts)}</strong> and nowhere else.</p>}
      <label className="block"><span className="mb-1 block text-sm font-semibold">The key</span><input className="field w-full font-mono" type="password" autoComplete="off" value={value} onChange={(event) => setValue(event.target.value)} required /></label>
      {asked && <label className="block"><span className="mb-1 block text-sm font-semibold">Where it may be sent: hosts</span><input className="field w-full font-mono" value={hosts} onChange={(event) => setHosts(event.target.value)} required placeholder="api.example.com" /></label>}
      <p className="text-sm text-soft">It is kept encrypted and never shown again. {asked ? 'Runs use it from now on.' : 'A run that was refused for want of it is tried with it at once.'}</p>
      <Refused error={set.error} />
      <div className="flex justify-end gap-2"><Button onClick={close}>Not now</Button><Button type="submit" look="primary" busy={set.isPending}>Set the key</Button></div>
    </form>
  );
}

/** Waits for what becomes of the run that is tried with the key. */
function Outcome({ run, again, close }: { run: string; again: () => void; close: () => void }) {
  const asked = useQuery(resultQuery(run));
  if (asked.isError) return <Failed error={asked.error} what="run" />;
  const final = asked.data && asked.data.final.id !== run ? asked.data.final : undefined;
  if (!final || ['admitted', 'running'].includes(final.status)) {
    return <p role="status" className="flex items-center gap-2"><Spinner /> The run that was refused is tried with it.</p>;
  }
  const refused = final.failure?.class === 'auth' || final.failure?.class === 'permission';
  const said = final.failure && `${final.failure.name ? `${final.failure.name}: ` : ''}${final.failure.message}`;
  return (
    <>
      <p role="status" className="flex flex-col gap-1">
        {!said ? <strong className="text-good">✓ It works: the run {final.status === 'succeeded' ? 'went on, and succeeded' : 'went on'}.</strong>
          : refused ? <><strong className="text-bad">✕ Refused again:</strong><Outside text={said} className="font-mono text-sm" /></>
          : <><strong className="text-warn">! The key was taken. The run failed of something else:</strong><Outside text={said} className="font-mono text-sm" /></>}
        <RunLink id={final.id}>See the run</RunLink>
      </p>
      <div className="mt-4 flex justify-end gap-2">
        {refused && <Button onClick={again}>Paste another key</Button>}
        <Button look="primary" onClick={close}>Close</Button>
      </div>
    </>
  );
}
