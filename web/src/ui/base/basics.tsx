import { useQuery } from '@tanstack/react-query';
import { type ButtonHTMLAttributes, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from '../../navigation';
import { repairsQuery } from '../../api/queries';
import { ago, clock, exact, when } from '../../words/time';
import type { Workflow } from '../../api/types';
import { fixWords, runWords, standing, type Tone } from '../../words/status';

const tones: Record<Tone, string> = {
  good: 'text-good bg-goodwash',
  bad: 'text-bad bg-badwash',
  warn: 'text-warn bg-warnwash',
  info: 'text-info bg-infowash',
  gold: 'text-gold bg-goldwash',
  plain: 'text-soft bg-sunken',
};
const signs: Record<Tone, string> = { good: '✓', bad: '✕', warn: '!', info: '…', gold: '⟡', plain: '·' };

/** A word with a sign: colour is never all that tells. */
export function Badge({ tone, children, title }: { tone: Tone; children: ReactNode; title?: string | undefined }) {
  return (
    <span className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-semibold whitespace-nowrap ${tones[tone]}`} title={title}>
      <span aria-hidden="true">{signs[tone]}</span>
      {children}
    </span>
  );
}

/** Where a workflow stands, with what holds for all of them. */
export function useStanding(of: Pick<Workflow, 'status' | 'agent' | 'retrying'>) {
  return standing(of, useQuery({ ...repairsQuery(), enabled: of.status === 'maintenance' }).data?.repairs);
}

export function StatusBadge({ of }: { of: Pick<Workflow, 'status' | 'agent' | 'retrying'> }) {
  const said = useStanding(of);
  return <Badge tone={said.tone} title={said.means}>{said.word}</Badge>;
}

export function RunBadge({ run }: { run: { status: string; suspected?: string[]; trusted?: boolean; exempted?: string } }) {
  if (run.exempted) return <Badge tone="plain" title={run.exempted}>left out of proofs</Badge>;
  const said = run.status === 'succeeded' && run.suspected?.length && !run.trusted ? runWords['suspected']! : (runWords[run.status] ?? { word: run.status, tone: 'plain' as Tone });
  return <Badge tone={said.tone}>{said.word}</Badge>;
}

export function FixBadge({ state }: { state: string }) {
  const said = fixWords[state] ?? { word: state, tone: 'plain' as Tone };
  return <Badge tone={said.tone}>{said.word}</Badge>;
}

// One clock for all: moments in words are said anew together.
const tickers = new Set<(now: Date) => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

export function useNow(): Date {
  const [now, set] = useState(() => new Date());
  useEffect(() => {
    tickers.add(set);
    ticking ??= setInterval(() => {
      const at = new Date();
      tickers.forEach((tell) => tell(at));
    }, 30_000);
    return () => {
      tickers.delete(set);
      if (tickers.size === 0) {
        clearInterval(ticking);
        ticking = undefined;
      }
    };
  }, []);
  return now;
}

/** A moment in words, in the viewer's own zone, with the exact one on hover. */
export function Moment({ at }: { at: string | undefined }) {
  const now = useNow();
  if (!at) return <span>never</span>;
  return <time dateTime={at} title={exact(at)} className="whitespace-nowrap">{ago(at, now)}</time>;
}

/** The time of a day that is named above. */
/** A moment in a list of many: the clock today, and the day before it else. */
export function When({ at }: { at: string }) {
  const now = useNow();
  return <time dateTime={at} title={exact(at)} className="whitespace-nowrap tabular-nums">{when(at, now)}</time>;
}

export const Clock = ({ at }: { at: string }) => <time dateTime={at} title={exact(at)} className="whitespace-nowrap tabular-nums">{clock(at)}</time>;

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { look?: 'primary' | 'danger' | 'plain'; busy?: boolean };

export function Button({ look = 'plain', busy = false, className = '', children, disabled, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button ${look === 'plain' ? '' : look} ${className}`} disabled={disabled || busy} aria-busy={busy} {...rest}>
      {busy && <Spinner />}
      {children}
    </button>
  );
}

export function Spinner() {
  return <span aria-hidden="true" className="inline-block size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent" />;
}

export function Section({ title, aside, children, id }: { title: ReactNode; aside?: ReactNode; children: ReactNode; id?: string }) {
  return (
    <section className="card mb-4 min-w-0" aria-labelledby={id} >
      <header className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      <div className="p-4">{children}</div>
    </section>
  );
}

let shownBefore = '';

/** A heading of a page, and what browsers and readers call it. */
export function Heading({ title, children, above }: { title: string; children?: ReactNode; above?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // A new page begins at its top for a screen reader and for the keyboard.
  useEffect(() => {
    if (shownBefore !== '' && shownBefore !== location.pathname) setTimeout(() => heading.current?.focus({ preventScroll: true }));
    shownBefore = location.pathname;
  }, []);
  useEffect(() => {
    document.title = `${title} · Kintsugi`;
  }, [title]);
  return (
    <div className="mb-4">
      {above && <div className="mb-1 text-sm text-soft">{above}</div>}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 ref={heading} tabIndex={-1} className="min-w-0 break-words outline-none [overflow-wrap:anywhere]">{title}</h1>
        {children}
      </div>
    </div>
  );
}

/** Text that came from outside: shown as it is, however long its lines are. */
export function Outside({ text, className = '' }: { text: string; className?: string }) {
  const [whole, show] = useState(false);
  const long = text.length > 2000;
  return (
    <span className={`break-words whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:plaintext] ${className}`}>
      {whole || !long ? plain(text) : `${plain(text.slice(0, 2000))}…`}
      {long && !whole && (
        <button type="button" className="link ml-1" onClick={() => show(true)}>
          show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </span>
  );
}

// Marks that would turn the reading direction around, and control characters, are shown as what they are.
export function plain(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200e\u200f]/g, (mark) => {
    const code = mark.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\u{FFFD}';
  });
}

export function WorkflowLink({ id, title }: { id: string; title?: string | undefined }) {
  return (
    <Link to="/workflows/:id" params={{ id }} className="link break-words [overflow-wrap:anywhere]">
      {plain(title || id)}
    </Link>
  );
}

export function RunLink({ id, children }: { id: string; children?: ReactNode }) {
  return (
    <Link to="/runs/:id" params={{ id }} className="link" title={id}>
      {children ?? `run ${id.slice(-8)}`}
    </Link>
  );
}

/** The command that does the same. */
export function Command({ text }: { text: string }) {
  const [copied, say] = useState(false);
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2 font-mono text-xs">
      <code className="truncate">{text}</code>
      <button
        type="button"
        className="rounded px-1.5 py-1 text-soft hover:text-ink"
        onClick={() => void navigator.clipboard?.writeText(text).then(() => say(true))}
      >
        {copied ? 'copied' : 'copy'}
        <span className="sr-only"> the command {text}</span>
      </button>
    </span>
  );
}
