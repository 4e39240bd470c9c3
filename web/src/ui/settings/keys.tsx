import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { get, path, remove } from '../../api/client';
import { useMay } from '../../api/session';
import type { Workflow } from '../../api/types';
import { Ask } from '../base/act';
import { Button, Moment, plain, Section } from '../base/basics';
import { Failed, Loading } from '../base/states';
import { later } from '../../later';

const SetKey = later(() => import('../notice/setkey'));

/** The keys that the script signs in with: by name, never the key itself. */
export function Keys({ one }: { one: Workflow }) {
  const may = useMay('edit');
  const asked = useQuery({ queryKey: ['workflow', one.id, 'secrets'], queryFn: async ({ signal }) => (await get('/secrets', {}, signal)).items });
  const [setting, set] = useState<{ secret?: string; host?: string }>();
  const keys = (asked.data ?? []).filter((key) => !key.workflow || key.workflow === one.id);
  return (
    <Section title="Its keys" id="keys" aside={may && <Button onClick={() => set({})}>Set a key…</Button>}>
      {asked.isPending ? <Loading what="the keys" />
        : asked.isError ? <Failed error={asked.error} what="keys" />
        : keys.length === 0 ? <p className="text-soft">It has none. A script names a key as <code className="font-mono">{'{{secret:NAME}}'}</code>, and never sees what it is.</p>
        : (
          <ul className="divide-y divide-line">
            {keys.map((key) => (
              <li key={`${key.workflow} ${key.name}`} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
                <strong className="font-mono text-sm [overflow-wrap:anywhere]">{plain(key.name)}</strong>
                <span className="min-w-40 flex-1 text-sm text-soft">
                  sent to {(key.hosts ?? []).map(plain).join(', ') || 'nobody'} only; set <Moment at={key.set_at} />{!key.workflow && '; all workflows may use it'}
                </span>
                {may && key.workflow === one.id && (
                  <span className="flex gap-2">
                    <Button onClick={() => set({ secret: key.name, host: (key.hosts ?? []).join(' ') })}>Replace…</Button>
                    <Ask word="Remove" title={`Remove ${plain(key.name)}`} look="danger" act={() => remove(path('/secrets/{name}', key.name), { query: { workflow: one.id } })} said={`The key ${plain(key.name)} is removed.`}>
                      <p>Runs that need it wait for it from then on.</p>
                    </Ask>
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      <Suspense fallback={null}>{setting && <SetKey workflow={one.id} of={setting} close={() => set(undefined)} />}</Suspense>
    </Section>
  );
}
