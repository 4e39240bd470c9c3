// Where the page is, and the ways to other pages. Addresses are matched and followed by wouter; what it leaves out is here:
// loading a page before it is shown, the place on it that somebody comes back to, and the question before what is not saved is lost.
import { type AnchorHTMLAttributes, createContext, type MouseEvent, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { useSearch as useQueryText } from 'wouter';
import { navigate as show, usePathname } from 'wouter/use-browser-location';

export type Path =
  | '/' | '/new' | '/usage' | '/system' | '/runs' | '/runs/:id' | '/fixes' | '/fixes/:id' | '/notifications' | '/inbox' | '/drafts' | '/events'
  | '/plans' | '/plans/:id' | '/healer' | '/healer/:id' | '/workflows/:id' | `/workflows/:id/${'runs' | 'script' | 'fixes' | 'chat' | 'history' | 'settings'}`;
type Search = Record<string, string | undefined>;
export type Params = { id?: string };
export type To = { to: Path; params?: Params; search?: Search; hash?: string };

function addressOf({ to, params, search = {}, hash }: To): string {
  const asked = new URLSearchParams(Object.entries(search).filter((pair): pair is [string, string] => pair[1] !== undefined)).toString();
  return to.replace(':id', encodeURIComponent(params?.id ?? '')) + (asked && `?${asked}`) + (hash ? `#${hash}` : '');
}

/** Loads the page at an address; nothing for one that is loaded. The router says how. */
let load: (path: string) => Promise<unknown> | undefined = () => undefined;
export const loadWith = (how: typeof load) => void (load = how);

export const prepare = (of: To) => void load(addressOf({ to: of.to, ...(of.params ? { params: of.params } : {}) }))?.catch(() => undefined);

const patience = 1000; // ms that the page that is there stays for the next one
let going = 0;

/** Shows another page once it is loaded. The one that is there stays meanwhile, but not for long. */
export async function go({ replace = false, resetScroll = true, ...of }: To & { replace?: boolean; resetScroll?: boolean }): Promise<void> {
  const address = addressOf(of);
  if (question) return question(() => void go({ replace, resetScroll, ...of }));
  const mine = ++going;
  const loading = load(address.replace(/[?#].*/, ''));
  if (loading) {
    try {
      await Promise.race([loading, new Promise((next) => setTimeout(next, patience))]);
    } catch {
      return location.assign(address); // the server has another version by now, which is loaded with its page
    }
    if (mine !== going) return; // somebody went elsewhere
  }
  if (!replace) {
    left.set(entry, scrollY);
    entry = Date.now();
  }
  show(address, { replace, state: { entry } });
  if (of.hash) find(of.hash);
  else if (resetScroll) scrollTo(0, 0);
}

// Pages that somebody comes back to are where they were left, once they are as long again.
const left = new Map<number, number>();
const entryNow = () => Number((history.state as { entry?: number } | null)?.entry ?? 0);
let entry = entryNow();
const frames = 60; // that a page may take to be as long again

function untilFrame(done: () => boolean, of = frames) {
  if (!done() && of > 0) requestAnimationFrame(() => untilFrame(done, of - 1));
}

function find(id: string) {
  untilFrame(() => {
    const there = document.getElementById(id);
    there?.scrollIntoView();
    return there !== null;
  });
}

/** Is there before the first page is shown, so that it hears of each step before the page does. */
export function begin() {
  history.scrollRestoration = 'manual';
  addEventListener('pagehide', () => (history.scrollRestoration = 'auto')); // a page that is loaded again is the browser's to restore
  if (location.hash) find(location.hash.slice(1));
  let here = location.href;
  addEventListener('pushState', () => (here = location.href));
  addEventListener('replaceState', () => (here = location.href));
  addEventListener('popstate', (event) => {
    if (question) {
      event.stopImmediatePropagation();
      history.pushState({ entry }, '', here);
      return question(() => history.back());
    }
    here = location.href;
    left.set(entry, scrollY);
    entry = entryNow();
    const to = left.get(entry) ?? 0;
    requestAnimationFrame(() => untilFrame(() => {
      scrollTo(0, to);
      return Math.abs(scrollY - to) < 2;
    }));
  });
}

let question: ((leave: () => void) => void) | undefined;

/** Asks before the page is left, while something on it is not saved. */
export function useLeaving(unsaved: boolean): { asked: boolean; stay: () => void; leave: () => void } {
  const [asked, ask] = useState<() => void>();
  useEffect(() => {
    if (!unsaved) return;
    const closes = (event: BeforeUnloadEvent) => event.preventDefault();
    const mine = (leave: () => void) => ask(() => leave);
    question = mine;
    addEventListener('beforeunload', closes);
    return () => {
      if (question === mine) question = undefined;
      removeEventListener('beforeunload', closes);
    };
  }, [unsaved]);
  return {
    asked: asked !== undefined,
    stay: () => ask(undefined),
    leave: () => {
      question = undefined;
      ask(undefined);
      asked?.();
    },
  };
}

/** What the address has after its question mark. An address holds text: 1.0 is a version, and no number. */
export function useSearch<S extends Record<string, string>>(): Partial<S> {
  const text = useQueryText();
  return useMemo(() => Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== '')) as Partial<S>, [text]);
}

export const ParamsContext = createContext<Params>({});

/** The id in the address of this page. */
export const useId = () => useContext(ParamsContext).id ?? '';

type LinkProps = To & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { children?: ReactNode };

export function Link({ to, params, search, hash, onClick, ...rest }: LinkProps) {
  const of = { to, ...(params ? { params } : {}), ...(search ? { search } : {}), ...(hash ? { hash } : {}) };
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void go(of);
  };
  return <a href={addressOf(of)} onClick={follow} onPointerEnter={() => prepare(of)} onFocus={() => prepare(of)} {...rest} />;
}

/** A link that is marked while its page is shown; also while one below it is, unless it is exact. */
export function Way({ exact = false, also = [], marked, className = '', ...rest }: LinkProps & { exact?: boolean; also?: readonly string[]; marked: string }) {
  const at = usePathname();
  const own = addressOf({ to: rest.to, ...(rest.params ? { params: rest.params } : {}) });
  const here = at === own || (!exact && at.startsWith(`${own}/`));
  return <Link className={`${className} ${here || also.some((path) => at.startsWith(path)) ? marked : ''}`} {...(here ? { 'aria-current': 'page' as const } : {})} {...rest} />;
}
