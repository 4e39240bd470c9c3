import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useState } from 'react';
import { Link, Way } from './navigation';
import { follow, lostSince, useConnection } from './api/live';
import { plansList } from './api/agents';
import { pageOf } from './api/list';
import { notificationsQuery } from './api/queries';
import { useSession } from './api/session';
import { signOut } from './pages/signin';
import { useDesktop } from './desktop';
import { setTheme, type Theme, theme } from './theme';
import { Announced } from './ui/base/announce';
import { Over, over } from './ui/base/over';
import { useShortcuts } from './ui/frame/shortcuts';
import { Failed, Loading } from './ui/base/states';
import { clock } from './words/time';
import { needsYou, rowsOf } from './words/notify';
import { later } from './later';
import { Pages } from './router';

const Palette = later(() => import('./ui/frame/palette'));
const Report = later(() => import('./ui/frame/report'));
const Desktop = later(() => import('./ui/notice/desktop'));
const KeyHelp = later(() => import('./ui/frame/keyhelp'));
const help = () => over(<KeyHelp close={() => over()} />);

export const places = [
  { to: '/', word: 'Today', sign: '◉' },
  { to: '/notifications', word: 'Notices', sign: '✉', also: ['/inbox', '/drafts'] },
  { to: '/fixes', word: 'Fixes', sign: '⟡' },
  { to: '/runs', word: 'Runs', sign: '▷' },
  { to: '/usage', word: 'Usage', sign: '≡' },
  { to: '/system', word: 'System', sign: '⚙', also: ['/events'] },
] as const;

/** People with coding agents at work find them beside the others. */
const withPlans = [...places.slice(0, 4), { to: '/plans', word: 'Plans', sign: '☰', also: ['/healer'] }, ...places.slice(4)] as const;

export function Shell() {
  const client = useQueryClient();
  const [palette, openPalette] = useState(false);
  const desktop = useDesktop();
  const [reporting, setReporting] = useState<Promise<string | undefined>>();
  // The page is drawn before anything is over it.
  const report = () => setReporting(import('./ui/frame/picture').then(({ picture }) => picture()).catch(() => undefined));

  useShortcuts(help);
  const session = JSON.stringify(useSession());
  useEffect(() => follow(client, session), [client, session]);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable=true]') !== null;
      if ((event.key === 'k' && (event.metaKey || event.ctrlKey)) || (event.key === '/' && !typing)) {
        event.preventDefault();
        openPalette(true);
      }
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);
  return (
    <div className="min-h-screen">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-card focus:p-2">To the content</a>
      <header className="sticky top-0 z-30 border-b border-line bg-card">
        <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 sm:px-4">
          <Link to="/" className="flex items-center gap-2 font-semibold">
            <img src="/favicon.svg" alt="" width="24" height="24" />
            <span className="sr-only sm:not-sr-only">Kintsugi</span>
          </Link>
          <Navigation />
          <div className="ml-auto flex items-center gap-2">
            <button type="button" className="button px-2.5! text-sm text-soft" onClick={() => openPalette(true)} aria-keyshortcuts="Control+K /">
              <span aria-hidden="true">⌕</span>
              <span className="sr-only sm:not-sr-only">Search</span>
              <kbd aria-hidden="true" className="hidden rounded border border-line px-1 font-mono text-xs sm:inline">/</kbd>
            </button>
            <Menu report={report} />
          </div>
        </div>
        <ConnectionLine />
        <Announced />
      </header>
      <main id="content" className="mx-auto max-w-6xl px-3 pt-5 pb-24 sm:px-4 sm:pb-8">
        <Suspense fallback={<PageLoading />}>
          <Pages />
        </Suspense>
      </main>
      <Suspense fallback={null}>
        {palette && <Palette close={() => openPalette(false)} report={report} />}
        {desktop && <Desktop />}
        <Over />
        {reporting && <Report picture={reporting} close={() => setReporting(undefined)} />}
      </Suspense>
    </div>
  );
}

const marked = 'bg-goldwash text-ink!';

function Navigation() {
  const waiting = rowsOf((useQuery(notificationsQuery()).data ?? []).filter(needsYou)).length;
  const plans = useQuery(pageOf(plansList()));
  const planned = (plans.data?.items.length ?? 0) > 0;
  return (
    <nav aria-label="Pages" className={`${plans.isPending ? 'invisible' : ''} fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-card pb-[env(safe-area-inset-bottom)] sm:static sm:gap-1 sm:border-0 sm:pb-0`}>
      {(planned ? withPlans : places).map((place) => (
        <Way
          key={place.to}
          to={place.to}
          exact={place.to === '/'}
          {...('also' in place ? { also: place.also } : {})}
          className="relative flex min-w-0 flex-1 flex-col items-center gap-0.5 py-1.5 text-[11px] font-medium whitespace-nowrap text-soft hover:bg-sunken hover:text-ink sm:flex-none sm:flex-row sm:rounded-md sm:px-2.5 sm:py-1 sm:text-[15px]"
          marked={marked}
        >
          <span aria-hidden="true" className="text-lg leading-none sm:hidden">{place.sign}</span>
          {place.word}
          {place.to === '/' && waiting > 0 && (
            <span className="absolute top-0.5 left-1/2 z-10 ml-1 rounded-full bg-bad px-1.5 py-px text-xs font-bold text-card sm:static sm:ml-1.5">
              {waiting}
              <span className="sr-only"> need you</span>
            </span>
          )}
        </Way>
      ))}
    </nav>
  );
}

function ConnectionLine() {
  const connection = useConnection();
  const since = lostSince();
  if (connection !== 'lost') {
    return (
      <div role="status" className="sr-only">
        {connection === 'live' ? 'What you see is live.' : 'Connecting.'}
      </div>
    );
  }
  return (
    <div role="status" className="bg-warnwash px-4 py-1.5 text-center text-sm text-warn" data-connection="lost">
      <strong>The server does not answer</strong>
      {since && ` since ${clock(since)}`}. You see what was last known; it goes on by itself when the server is back.
    </div>
  );
}

function Menu({ report }: { report: () => void }) {
  const session = useSession();
  const connection = useConnection();
  const [shown, show] = useState<Theme>(theme());
  const choose = (next: Theme) => {
    setTheme(next);
    show(next);
  };
  return (
    <>
      <button type="button" className="button px-2.5! text-sm" popoverTarget="menu">
        <span aria-hidden="true" className={`size-2 rounded-full ${connection === 'live' ? 'bg-good' : 'bg-warn'}`} />
        <span className="max-w-28 truncate">{session.person}</span>
        <span className="sr-only">: you, and how the page looks</span>
      </button>
      <div id="menu" popover="auto" className="card fixed top-14 right-[max(0.75rem,calc(50vw-35rem))] left-auto m-0 w-64 space-y-3 p-3 text-sm text-ink shadow-lg">
        <p>
          Signed in as <strong>{session.person}</strong>. You may {session.scopes.join(', ')}.
        </p>
        <fieldset>
          <legend className="mb-1 font-semibold">Look</legend>
          <div className="flex gap-1">
            {(['light', 'dark', 'system'] as const).map((one) => (
              <button key={one} type="button" className={`button flex-1 px-2! ${shown === one ? 'border-gold! bg-goldwash!' : ''}`} aria-pressed={shown === one} onClick={() => choose(one)}>
                {one}
              </button>
            ))}
          </div>
        </fieldset>
        {/* The menu is not what somebody wants to show. */}
        <button type="button" className="button w-full" popoverTarget="menu" popoverTargetAction="hide" onClick={report}>Report a problem</button>
        <button type="button" className="button w-full" onClick={() => void signOut()}>Sign out</button>
      </div>
    </>
  );
}

export function NoSuchPage() {
  return (
    <div className="py-16 text-center">
      <h1 tabIndex={-1}>There is no such page</h1>
      <p className="mt-2"><Link to="/" className="link">To today</Link></p>
    </div>
  );
}

/** A page that was not loaded yet waits here until the server answers. */
export function PageLoading() {
  if (useConnection() !== 'lost') return <Loading what="the page" />;
  return <p role="status" className="py-16 text-center">This page was not loaded yet. It comes by itself when the server answers.</p>;
}

export function PageFailed({ error, reset }: { error: unknown; reset: () => void }) {
  return <Failed error={error} what="the page" retry={reset} />;
}
