import { type FormEvent, useState } from 'react';
import { go } from '../../navigation';
import { path, post } from '../../api/client';
import type { Json, RunDetail } from '../../api/types';
import { useAct } from '../base/act';
import { Button } from '../base/basics';
import Dialog from '../base/dialog';
import { Refused } from '../base/states';

/** Starts another run in the middle of this one. From there on it is real, which is said before it is done. */
export default function Fork({ run, seq, what, close }: { run: RunDetail; seq: number; what: string; close: () => void }) {
  const call = run.calls?.find((one) => one.seq === seq);
  const [how, choose] = useState<'again' | 'answer' | 'input'>('again');
  const [text, write] = useState('');
  const [wrong, say] = useState('');
  const fork = useAct(
    (given: { result?: Json; input?: Json }) => post(path('/runs/{run}/fork', run.id), { from_call: seq, ...given }),
    {
      said: 'Another run began: this is it.',
      done: (made) => {
        close();
        void go({ to: '/runs/:id', params: { id: made.id } });
      },
    },
  );
  const change = (next: typeof how) => {
    choose(next);
    say('');
    write(next === 'answer' ? JSON.stringify(call?.result ?? null, null, 2) : next === 'input' ? JSON.stringify(run.input ?? {}, null, 2) : '');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (how === 'again') return fork.mutate({});
    let value: Json;
    try {
      value = JSON.parse(text) as Json;
    } catch (cause) {
      return say(`This is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
    say('');
    fork.mutate(how === 'answer' ? { result: value } : { input: value });
  };
  const option = (value: typeof how, word: string) => (
    <label className="flex items-start gap-2">
      <input type="radio" name="how" className="mt-1 accent-(--gold)" checked={how === value} onChange={() => change(value)} />
      <span>{word}</span>
    </label>
  );
  return (
    <Dialog onClose={close} title={`Another run from call ${seq}`}>
      <form onSubmit={submit}>
        <p className="text-sm">
          {seq === 1 ? 'It begins anew' : `The ${seq === 2 ? 'call' : `${seq - 1} calls`} before this one ${seq === 2 ? 'is' : 'are'} answered from the record`}; from <code className="font-mono [overflow-wrap:anywhere]">{what}</code> on{' '}
          <strong>it is real, and what the script sends goes out</strong>. Its keys and files stay its own, and what becomes of it changes nothing of the workflow.
        </p>
        <fieldset className="mt-3 space-y-1">
          <legend className="mb-1 text-sm font-semibold">At this call</legend>
          {option('again', 'make it anew')}
          {option('answer', 'answer this instead')}
          {option('input', 'make it anew, with another input of the run')}
        </fieldset>
        {how !== 'again' && (
          <label className="mt-2 block">
            <span className="mb-1 block text-sm font-semibold">{how === 'answer' ? 'The answer' : 'The input'}, as JSON</span>
            <textarea className="field w-full font-mono text-xs" rows={10} value={text} onChange={(event) => write(event.target.value)} aria-invalid={wrong !== ''} required spellCheck={false} />
            {wrong && <span role="alert" className="mt-1 block text-sm text-bad">{wrong}</span>}
          </label>
        )}
        <Refused error={fork.error} />
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={close}>Not now</Button>
          <Button type="submit" look="primary" busy={fork.isPending}>Start the run</Button>
        </div>
      </form>
    </Dialog>
  );
}
