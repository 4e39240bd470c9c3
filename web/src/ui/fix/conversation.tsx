import type { Thread, Turn } from '../../api/types';
import { actorInWords } from '../../words/status';
import { count } from '../../words/time';
import { Badge, Moment, Outside, plain } from '../base/basics';
import { Diff } from '../script/diff';
import { Value } from '../base/value';

const verdicts: Record<string, { word: string; tone: 'good' | 'bad' | 'warn' }> = {
  identical: { word: 'proved', tone: 'good' },
  different: { word: 'changes recorded runs', tone: 'bad' },
  unverifiable: { word: 'cannot be proved', tone: 'warn' },
};

/** Everything that one repair tried and said. */
export function Conversation({ thread }: { thread: Thread }) {
  const candidates = thread.candidates ?? [];
  return (
    <div className="space-y-4">
      {thread.explanation && <p><Outside text={thread.explanation} /></p>}
      {(thread.tokens ?? 0) > 0 && (
        <p className="text-sm text-soft">
          {count(thread.turns ?? 0, 'answer')} of {plain(thread.model ?? 'a model')}, {thread.tokens!.toLocaleString('en')} tokens{thread.cost_usd ? `, ${thread.cost_usd.toFixed(3)} US dollars` : ''}.
        </p>
      )}
      {candidates.length > 0 && (
        <ol className="space-y-3">
          {candidates.map((one) => (
            <li key={one.candidate} className="rounded-lg border border-line p-3">
              <p className="mb-2 flex flex-wrap items-center gap-2">
                <Badge tone={verdicts[one.verdict]?.tone ?? 'warn'}>{verdicts[one.verdict]?.word ?? plain(one.verdict)}</Badge>
                <span className="font-semibold [overflow-wrap:anywhere]">{plain(one.comment)}</span>
                <span className="text-sm text-soft">{plain(one.fixer)}</span>
              </p>
              <Diff diff={one.diff} label={`What candidate ${one.candidate} changes`} />
              {one.divergence && <p className="mt-2 font-mono text-xs"><Outside text={one.divergence} /></p>}
            </li>
          ))}
        </ol>
      )}
      {(thread.conversation?.length ?? 0) > 0 && (
        <details>
          <summary className="link">What was said ({thread.conversation!.length})</summary>
          <ol className="mt-2 space-y-2">{thread.conversation!.map((turn) => <Said key={turn.revision} turn={turn} />)}</ol>
        </details>
      )}
    </div>
  );
}

function Said({ turn }: { turn: Turn }) {
  const head = <p className="mb-1 text-xs text-soft">{plain(turn.message?.role === 'user' ? 'Kintsugi' : actorInWords(turn.actor))} · <Moment at={turn.at} /></p>;
  if (turn.message) return <li className="rounded-lg bg-sunken p-3">{head}<Outside text={turn.message.text ?? ''} className="text-sm" /></li>;
  const body = turn.invoked ?? turn.resulted ?? turn.candidate;
  if (!body) return null;
  const word = turn.invoked ? `used ${turn.invoked.tool}` : turn.resulted ? 'was answered' : 'had a candidate judged';
  return (
    <li>
      <details className="rounded-lg border border-line p-2 text-sm">
        <summary>{plain(word)}</summary>
        <Value value={body as never} label={word} />
      </details>
    </li>
  );
}
