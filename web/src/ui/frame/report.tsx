// A report of a problem: written here, shown whole before it leaves, and then said where it went.
import { type FormEvent, useEffect, useState } from 'react';
import { post } from '../../api/client';
import type { BodyOf } from '../../api/described';
import { useConnection } from '../../api/live';
import { useSession } from '../../api/session';
import { problems } from '../../problems';
import { theme } from '../../theme';
import { useAct } from '../base/act';
import { Button } from '../base/basics';
import Dialog from '../base/dialog';
import { Loading, Refused } from '../base/states';

type Given = BodyOf<'post', '/reports'>;

export default function Report({ close, picture }: { close: () => void; picture: Promise<string | undefined> }) {
  const [text, write] = useState('');
  const [events, tellEvents] = useState(true);
  const [payloads, tellPayloads] = useState(false);
  const [drawn, draw] = useState<string>();
  const [withPicture, show] = useState(false);
  const session = useSession();
  const connection = useConnection();
  const at = location.pathname + location.search;
  const workflow = /^\/workflows\/([^/?]+)/.exec(at)?.[1];
  useEffect(() => void picture.then(draw, () => {}), [picture]);
  const report: Given = {
    text: text.trim() || '…',
    page: at,
    browser: [`browser: ${navigator.userAgent}`, `window: ${innerWidth} × ${innerHeight}, ${theme()}`, `connection: ${connection}`, `page of version: ${session.version}`],
    errors: [...problems()].slice(-50),
    ...(workflow && events ? { workflow: decodeURIComponent(workflow), payloads } : {}),
  };
  const preview = useAct((given: Given) => post('/reports', { ...given, preview: true }));
  const send = useAct((given: Given) => post('/reports', given));
  const { mutate } = preview;
  const takes = preview.data?.pictures === true;
  // Another choice of parts asks for the preview anew; the words are put in here.
  useEffect(() => mutate({ ...report, text: '…' }), [mutate, events, payloads]); // eslint-disable-line react-hooks/exhaustive-deps
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate({ ...report, ...(withPicture && takes && drawn ? { screenshot: drawn.slice(drawn.indexOf(',') + 1) } : {}) });
  };
  const whole = preview.data?.body.replace('…', () => text.trim() || '(say above what happened, and what you expected)') ?? '';
  if (send.data) {
    return (
      <Dialog onClose={close} title="It was reported">
        <p role="status">It went to {send.data.where}.{send.data.url && <> <a className="link" href={send.data.url} target="_blank" rel="noreferrer">Read it there</a></>}</p>
        <div className="mt-4 flex justify-end"><Button look="primary" onClick={close}>All right</Button></div>
      </Dialog>
    );
  }
  return (
    <Dialog onClose={close} title="Report a problem">
      <form onSubmit={submit}>
        <label className="block">
          <span className="mb-1 block text-sm font-semibold">What happened, and what did you expect?</span>
          <textarea className="field w-full" rows={4} value={text} onChange={(event) => write(event.target.value)} required autoFocus />
        </label>
        <fieldset className="mt-3 space-y-1.5 text-sm">
          <legend className="sr-only">What else is told</legend>
          {workflow && <Tick on={events} set={tellEvents} word="The last events of this workflow: when, and of which kind" />}
          {workflow && events && <Tick on={payloads} set={tellPayloads} word="Also what they say, with the data that is in them" />}
          {drawn && takes && <Tick on={withPicture} set={show} word="A picture of this page" />}
          {drawn && preview.data && !takes && (
            <p>
              A picture cannot go with it: issues there take none from outside. <a className="link" href={drawn} download="kintsugi.png">Save the picture of this page</a>, and add it to the issue yourself.
            </p>
          )}
        </fieldset>
        {withPicture && takes && drawn && <img src={drawn} alt="The page, as it would be sent" className="mt-2 max-h-48 rounded border border-line" />}
        <details className="mt-3">
          <summary className="link text-sm">The whole report, as it would be sent</summary>
          {preview.data ? <pre tabIndex={0} role="group" aria-label="The whole report" className="mt-2 max-h-60 overflow-auto rounded bg-sunken p-2 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">{whole}</pre> : !preview.error && <Loading what="the report" />}
        </details>
        {preview.data && <p className="mt-2 text-sm text-soft">It goes to {preview.data.where}.</p>}
        <Refused error={send.error ?? preview.error} />
        <div className="mt-4 flex flex-wrap justify-end gap-2">
          {preview.data && <button type="button" className="button" onClick={() => void navigator.clipboard?.writeText(whole)}>Copy it</button>}
          <Button type="submit" look="primary" busy={send.isPending}>Send it</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Tick({ on, set, word }: { on: boolean; set: (next: boolean) => void; word: string }) {
  return (
    <label className="flex items-start gap-2">
      <input type="checkbox" className="mt-0.5 size-4 accent-(--gold)" checked={on} onChange={(event) => set(event.target.checked)} />
      <span>{word}</span>
    </label>
  );
}
