import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../navigation';
import { path, post, Problem } from '../../api/client';
import { fixQuery } from '../../api/queries';
import type { Fix } from '../../api/types';
import { proofInWords, widensInWords } from '../../words/story';
import { refusedInWords } from '../../words/refusal';
import { useAct } from '../base/act';
import { Button, Outside, plain } from '../base/basics';
import Dialog from '../base/dialog';
import { Loading } from '../base/states';

type Outcome = { accepted: boolean; says: string };

const titleOf = (one: Fix) => one.workflow_title ?? one.workflow;

/** The fixes that wait of one cause, with what each would be applied to, and with what became of each. One that is refused keeps no other from it. */
export default function AcceptAll({ waiting: now, close }: { waiting: Fix[]; close: () => void }) {
  const [waiting] = useState(now); // those that are shown are accepted, and no other that comes meanwhile
  const asked = useQueries({ queries: waiting.map((one) => fixQuery(one.proposal)) });
  const [outcomes, set] = useState<Record<string, Outcome>>({});
  const accept = useAct(async () => {
    for (const [i, one] of waiting.entries()) {
      const outcome = await post(path('/fixes/{fix}/accept', one.proposal), {}, { ifMatch: asked[i]!.data?.revision }).then(
        () => ({ accepted: true, says: 'Accepted. The run that failed goes on with it.' }),
        (cause: unknown) => ({ accepted: false, says: `Not accepted: ${cause instanceof Problem ? refusedInWords(cause) : String(cause)}` }),
      );
      set((before) => ({ ...before, [one.proposal]: outcome }));
    }
  });
  const done = accept.isSuccess;
  return (
    <Dialog onClose={close} title={`Accept the fixes of ${waiting.length} workflows`} wide>
      <p className="mb-3 text-sm">These workflows failed of the same cause, and a fix of each waits for you. Each becomes a new version of its script, and the run that failed goes on with it where it stopped.</p>
      <ul className="max-h-[60vh] divide-y divide-line overflow-auto text-sm" tabIndex={0} aria-label="The fixes">
        {waiting.map((one, i) => {
          const fix = asked[i]!.data?.value;
          const outcome = outcomes[one.proposal];
          return (
            <li key={one.proposal} className="py-2" data-accepts={one.workflow}>
              <Link className="font-semibold hover:underline" to="/fixes/:id" params={{ id: one.proposal }} onClick={close}>{plain(titleOf(one))}</Link>
              {asked[i]!.isPending ? <Loading what={`the fix of ${plain(titleOf(one))}`} /> : fix && (
                <>
                  <p><Outside text={fix.comment} />. <span className="text-soft">{proofInWords(fix)}</span></p>
                  {widensInWords(fix.verification?.widens).map((allows) => <p key={allows} className="text-warn">Accepting it also allows: {plain(allows)}</p>)}
                </>
              )}
              {outcome && <p role="status" className={outcome.accepted ? 'text-good' : 'text-bad'}>{outcome.accepted ? '✓' : '✕'} <Outside text={outcome.says} /></p>}
            </li>
          );
        })}
      </ul>
      <div className="mt-4 flex justify-end gap-2">
        {!done && <Button onClick={close}>Not now</Button>}
        {done ? <Button look="primary" onClick={close}>Close</Button>
          : <Button look="primary" busy={accept.isPending} disabled={asked.some((one) => !one.data)} onClick={() => accept.mutate()}>Accept all {waiting.length}</Button>}
      </div>
    </Dialog>
  );
}
