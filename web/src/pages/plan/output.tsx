// The output of a program, while it writes.
import { useEffect, useRef, useState } from 'react';
import { output, type Step } from '../../api/agents';
import { Problem } from '../../api/client';
import { useConnection } from '../../api/live';
import { Button, plain } from '../../ui/base/basics';
import { Refused } from '../../ui/base/states';
import { terminalText } from '../../words/agents';
import { size } from '../../words/time';

const part = 32 << 10; // bytes that are asked for at once
const most = 400_000; // characters that are shown
const again = 1000; // ms between two looks at what is still written

type Shown = { text: string; from: number; to: number; size: number; ended: boolean; gone: boolean };

export function JobOutput({ plan, step }: { plan: string; step: Step }) {
  const [shown, show] = useState<Shown>();
  const [failed, fail] = useState<unknown>();
  const connection = useConnection();
  const end = useRef<HTMLPreElement>(null);
  const { job, launch } = step;
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let at = -1;
    const look = async () => {
      try {
        const got = await output(plan, job, launch, at, part, ended.signal);
        fail(undefined);
        show((before) => {
          const text = at < 0 || !before ? got.text : before.text + got.text;
          return { text: text.slice(-most), from: at < 0 || !before ? got.from : before.from + Math.max(0, text.length - most), to: got.to, size: got.size, ended: got.ended, gone: got.gone ?? false };
        });
        at = got.to;
        if (!got.ended || got.to < got.size) timer = setTimeout(() => void look(), got.to < got.size ? 0 : again);
      } catch (error) {
        if (ended.signal.aborted) return;
        fail(error);
        if (error instanceof Problem && error.status === 0) timer = setTimeout(() => void look(), 3 * again);
      }
    };
    void look();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [plan, job, launch, connection]);

  const text = shown ? plain(terminalText(shown.text)) : '';
  // A reader at the end stays there.
  useEffect(() => {
    const box = end.current;
    if (box && !shown?.ended) box.scrollTop = box.scrollHeight;
  }, [text, shown?.ended]);
  const earlier = async () => {
    if (!shown) return;
    const from = Math.max(0, shown.from - part);
    try {
      const got = await output(plan, job, launch, from, shown.from - from);
      show((now) => (now && now.from === shown.from ? { ...now, text: got.text + now.text, from: got.from } : now));
    } catch (error) {
      fail(error);
    }
  };
  return (
    <div className="min-w-0">
      <p className="mb-1 flex flex-wrap items-center gap-x-3 text-sm text-soft">
        <code className="font-mono text-xs [overflow-wrap:anywhere]">{plain(step.line.slice(0, 500))}</code>
        {shown && <span>{size(shown.size)}</span>}
        {shown && !shown.ended && <span className="text-info"><span aria-hidden="true" className="mr-1 inline-block size-2 animate-pulse rounded-full bg-info" />it is still writing</span>}
        {shown?.gone && <span>the whole of it is not kept any more: this is its end</span>}
      </p>
      {shown && shown.from > 0 && !shown.gone && <Button className="mb-1 text-sm" onClick={() => void earlier()}>Show what came before ({size(shown.from)})</Button>}
      <pre ref={end} tabIndex={0} role="group" aria-label={`What ${plain(launch)} of ${plain(job)} wrote`} className="max-h-80 overflow-auto rounded-lg border border-line bg-sunken p-3 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:plaintext]">
        {text === '' ? (shown ? 'It wrote nothing.' : '…') : text}
      </pre>
      <Refused error={failed} />
    </div>
  );
}
