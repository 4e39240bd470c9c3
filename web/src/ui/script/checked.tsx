import type { SaveCheck } from '../../api/types';
import { callsInWords } from '../../words/refusal';
import { differenceInWords } from '../../words/runs';
import { count } from '../../words/time';
import { Outside, RunLink } from '../base/basics';

/** The recorded runs that would come out otherwise. */
export function Checked({ check }: { check: SaveCheck | undefined }) {
  if (!check) return null;
  const all = check.same + check.differ + check.unverifiable;
  const others = check.runs?.filter((run) => run.result === 'differs' || run.result === 'unverifiable') ?? [];
  return (
    <div className={`mt-2 rounded-lg p-3 ${check.same < all || all === 0 ? 'bg-warnwash' : 'bg-sunken'}`}>
      {all === 0 ? <p>No recorded run can tell what it changes. Try it out now before you save it.</p> : (
        <p>
          Of {count(all, 'recorded run')}, <strong>{check.same} come out the same</strong>
          {check.differ > 0 && <>, <strong className="text-warn">{check.differ} otherwise</strong></>}
          {check.unverifiable > 0 && `, and of ${check.unverifiable} that cannot be told`}.
        </p>
      )}
      {others.length > 0 && (
        <ul className="mt-1 max-h-60 list-disc overflow-auto pl-5 text-sm">
          {others.slice(0, 50).map((run) => (
            <li key={run.run}>
              <RunLink id={run.run} />
              <ul className="list-[circle] pl-5">{run.differs?.map((one, i) => <li key={i}><Outside text={callsInWords(differenceInWords(one))} /></li>)}</ul>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
