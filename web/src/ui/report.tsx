// A report of a problem: written here, shown whole before it leaves, and saved as a file for whoever looks after this.
import { useRouterState } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useSession } from '../api/session';
import { useConnection } from '../api/live';
import { problems } from '../problems';
import { theme } from '../theme';
import Dialog from './dialog';

export default function Report({ close }: { close: () => void }) {
  const [text, write] = useState('');
  const session = useSession();
  const connection = useConnection();
  const path = useRouterState({ select: (state) => state.location.href });
  const report = useMemo(
    () =>
      [
        '# A problem with Kintsugi', '', text.trim() || '(say above what happened, and what you expected)', '',
        '## Where', `- page: ${path}`, `- version: ${session.version}`, `- browser: ${navigator.userAgent}`, `- window: ${innerWidth} × ${innerHeight}, ${theme()}`, `- connection: ${connection}`, `- at: ${new Date().toISOString()}`, '',
        '## The last errors of this page', ...(problems().length > 0 ? problems().map((one) => `- ${one}`) : ['- none']), '',
      ].join('\n'),
    [text, path, session.version, connection],
  );
  return (
    <Dialog open onClose={close} title="Report a problem">
      <label className="block">
        <span className="mb-1 block text-sm font-semibold">What happened, and what did you expect?</span>
        <textarea className="field w-full" rows={4} value={text} onChange={(event) => write(event.target.value)} autoFocus />
      </label>
      <details className="mt-3" open>
        <summary className="link text-sm">The whole report</summary>
        <pre tabIndex={0} role="group" aria-label="The whole report" className="mt-2 max-h-60 overflow-auto rounded bg-sunken p-2 font-mono text-xs whitespace-pre-wrap">{report}</pre>
      </details>
      <p className="mt-2 text-sm text-soft">It has no data of your workflows. It goes nowhere by itself: save it, and give it to whoever looks after this Kintsugi.</p>
      <div className="mt-4 flex justify-end gap-2">
        <button type="button" className="button" onClick={() => void navigator.clipboard?.writeText(report)}>Copy it</button>
        <a className="button primary" download="kintsugi-problem.md" href={`data:text/markdown;charset=utf-8,${encodeURIComponent(report)}`}>Save it as a file</a>
      </div>
    </Dialog>
  );
}
