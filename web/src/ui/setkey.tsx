import { type FormEvent, useState } from 'react';
import { path, put, withQuery } from '../api/client';
import { useAct } from './act';
import { Button } from './basics';
import Dialog from './dialog';
import { Refused } from './states';

/** Takes a new key for a workflow. It is never shown again, and sent to the hosts named here only. */
export default function SetKey({ workflow, close }: { workflow: string; close: () => void }) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [hosts, setHosts] = useState('');
  const set = useAct(() => put(withQuery(path`/secrets/${name.trim()}`, { workflow }), { value, hosts: hosts.split(/[\s,]+/).filter(Boolean) }), close);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate();
  };
  return (
    <Dialog open onClose={close} title="Set a key">
      <form onSubmit={submit} className="space-y-3">
        <label className="block"><span className="mb-1 block text-sm font-semibold">Its name, as the script has it</span><input className="field w-full font-mono" value={name} onChange={(event) => setName(event.target.value)} required /></label>
        <label className="block"><span className="mb-1 block text-sm font-semibold">The key</span><input className="field w-full font-mono" type="password" autoComplete="off" value={value} onChange={(event) => setValue(event.target.value)} required /></label>
        <label className="block"><span className="mb-1 block text-sm font-semibold">Where it may be sent: hosts</span><input className="field w-full font-mono" value={hosts} onChange={(event) => setHosts(event.target.value)} required placeholder="api.example.com" /></label>
        <p className="text-sm text-soft">It is kept encrypted and never shown again. What waited for it goes on.</p>
        <Refused error={set.error} />
        <div className="flex justify-end gap-2"><Button onClick={close}>Not now</Button><Button type="submit" look="primary" busy={set.isPending}>Set it</Button></div>
      </form>
    </Dialog>
  );
}
