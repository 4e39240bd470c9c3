import { useEffect, useState } from 'react';
import { path, post } from '../../api/client';
import { count } from '../../words/time';
import { useAct } from '../base/act';
import { Outside, plain, RunLink } from '../base/basics';
import Dialog from '../base/dialog';
import { Loading, Refused } from '../base/states';

const spans = { '24h': 'the last day', '7d': 'the last 7 days', '30d': 'the last 30 days' };

/** The past, as another script would have made it. Nothing is sent. */
export default function WhatIf({ workflow, title, code, close }: { workflow: string; title: string; code: string; close: () => void }) {
  const [since, choose] = useState<string>('7d');
  const looked = useAct((span: string) => post(path('/workflows/{workflow}/what-if', workflow), { code, since: span }));
  const { mutate } = looked;
  useEffect(() => mutate(since), [mutate, since]);
  const different = looked.data?.different ?? [];
  return (
    <Dialog onClose={close} title={`What this script would have made of the runs of ${plain(title)}`} wide>
      <p className="mb-3 text-sm text-soft">Each run is replayed on its own record, those that failed, too. Nothing is sent, and nothing is saved.</p>
      <label className="mb-3 inline-flex items-center gap-2 text-sm">
        of
        <select className="field" value={since} onChange={(event) => choose(event.target.value)}>{Object.entries(spans).map(([span, word]) => <option key={span} value={span}>{word}</option>)}</select>
      </label>
      {looked.isPending && <Loading what="the past" />}
      <Refused error={looked.error} />
      {looked.data && !looked.isPending && (
        <div role="status">
          {looked.data.replayed === 0 ? <p>Nothing ran in this time.</p>
            : different.length === 0 ? <p className="font-semibold text-good">✓ {looked.data.replayed === 1 ? 'The one run comes' : `All ${looked.data.replayed} runs come`} out just as {looked.data.replayed === 1 ? 'it' : 'they'} did.</p>
            : <p className="font-semibold text-warn">{count(different.length, 'run')} of {looked.data.replayed} would have come out otherwise.</p>}
          {different.length > 0 && (
            <ul className="mt-2 max-h-96 divide-y divide-line overflow-auto">
              {different.slice(0, 200).map((one) => (
                <li key={one.run} className="py-2 text-sm">
                  <RunLink id={one.run} />, which {one.recorded}
                  {one.divergence && (
                    <dl className="mt-1 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 font-mono text-xs">
                      <dt className="text-soft">{plain(`${one.divergence.what} ${one.divergence.path ?? ''}`)}</dt><dd />
                      <dt className="text-soft">was</dt><dd><Outside text={one.divergence.want} /></dd>
                      <dt className="text-soft">would be</dt><dd><Outside text={one.divergence.got} /></dd>
                    </dl>
                  )}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Dialog>
  );
}
