import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import Today from './pages/today';
import { NoSuchPage, PageFailed, PageLoading, Shell } from './shell';
import { patiently } from './later';

type Search = Record<string, string | undefined>;
const texts = (...names: string[]) => (given: Record<string, unknown>): Search =>
  Object.fromEntries(names.filter((name) => given[name] !== undefined && given[name] !== '').map((name) => [name, String(given[name])]));

const root = createRootRoute({ component: Shell, notFoundComponent: NoSuchPage, errorComponent: PageFailed });
const at = <P extends string>(path: P, load: () => Promise<{ default: () => React.ReactNode }>, ...search: string[]) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(() => patiently(load)), validateSearch: texts(...search) });

const today = createRoute({ getParentRoute: () => root, path: '/', component: Today, validateSearch: texts('q', 'status', 'sort') });
const routes = [
  today,
  at('/workflows/$id', () => import('./pages/workflow/timeline'), 'show'),
  at('/workflows/$id/runs', () => import('./pages/workflow/runs'), 'status'),
  at('/workflows/$id/script', () => import('./pages/workflow/script'), 'from', 'to', 'version'),
  at('/workflows/$id/fixes', () => import('./pages/workflow/fixes')),
  at('/workflows/$id/settings', () => import('./pages/workflow/settings')),
  at('/workflows/$id/history', () => import('./pages/workflow/history'), 'at'),
  at('/workflows/$id/chat', () => import('./pages/workflow/chat')),
  at('/usage', () => import('./pages/usage'), 'from', 'to'),
  at('/system', () => import('./pages/system')),
  at('/new', () => import('./pages/new')),
  at('/runs', () => import('./pages/runs'), 'status'),
  at('/runs/$id', () => import('./pages/run')),
  at('/fixes', () => import('./pages/fixes'), 'state'),
  at('/fixes/$id', () => import('./pages/fix')),
  at('/notifications', () => import('./pages/notifications'), 'all'),
  at('/inbox', () => import('./pages/inbox'), 'state'),
  at('/drafts', () => import('./pages/drafts'), 'age'),
  at('/plans', () => import('./pages/plans'), 'status'),
  at('/plans/$id', () => import('./pages/plan/plan'), 'job'),
  at('/healer', () => import('./pages/healer')),
  at('/healer/$id', () => import('./pages/healing')),
  at('/events', () => import('./pages/events'), 'stream', 'at', 'kind'),
];

const tree = root.addChildren(routes);

export const makeRouter = () =>
  createRouter({
    routeTree: tree,
    // An address holds text: 1.0 is a version, and no number.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const text = new URLSearchParams(Object.entries(search as Search).filter((pair): pair is [string, string] => pair[1] !== undefined)).toString();
      return text === '' ? '' : `?${text}`;
    },
    defaultPreload: 'intent',
    defaultPendingComponent: PageLoading,
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
