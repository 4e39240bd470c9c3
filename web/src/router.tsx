import { Component, type ComponentType, type ReactNode, use, useEffect } from 'react';
import { matchRoute, useRouter } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { patiently } from './later';
import { loadWith, type Params, ParamsContext, type Path } from './navigation';
import Today from './pages/today';
import { NoSuchPage, PageFailed } from './shell';

type Page = { shown?: ComponentType; load: () => Promise<{ default: ComponentType }>; loading?: Promise<unknown> };
const at = (load: Page['load']): Page => ({ load });

const pages: Record<Path, Page> = {
  '/': { shown: Today, load: () => Promise.resolve({ default: Today }) },
  '/workflows/:id': at(() => import('./pages/workflow/timeline')),
  '/workflows/:id/runs': at(() => import('./pages/workflow/runs')),
  '/workflows/:id/script': at(() => import('./pages/workflow/script')),
  '/workflows/:id/fixes': at(() => import('./pages/workflow/fixes')),
  '/workflows/:id/settings': at(() => import('./pages/workflow/settings')),
  '/workflows/:id/history': at(() => import('./pages/workflow/history')),
  '/workflows/:id/chat': at(() => import('./pages/workflow/chat')),
  '/usage': at(() => import('./pages/usage')),
  '/system': at(() => import('./pages/system')),
  '/new': at(() => import('./pages/new')),
  '/runs': at(() => import('./pages/runs')),
  '/runs/:id': at(() => import('./pages/run')),
  '/fixes': at(() => import('./pages/fixes')),
  '/fixes/:id': at(() => import('./pages/fix')),
  '/notifications': at(() => import('./pages/notifications')),
  '/inbox': at(() => import('./pages/inbox')),
  '/drafts': at(() => import('./pages/drafts')),
  '/plans': at(() => import('./pages/plans')),
  '/plans/:id': at(() => import('./pages/plan/plan')),
  '/healer': at(() => import('./pages/healer')),
  '/healer/:id': at(() => import('./pages/healing')),
  '/events': at(() => import('./pages/events')),
};

/** Loads a page, however long the server does not answer. A page that could not be loaded is tried again. */
function load(page: Page): Promise<unknown> | undefined {
  if (page.shown) return undefined;
  return page.loading ??= patiently(page.load).then(
    (loaded) => {
      page.shown = loaded.default;
    },
    (problem: unknown) => {
      delete page.loading;
      throw problem;
    },
  );
}

type Parser = ReturnType<typeof useRouter>['parser'];

function pageAt(parser: Parser, path: string): { page: Page; params: Params } | undefined {
  for (const [pattern, page] of Object.entries(pages)) {
    const [matches, params] = matchRoute<Params>(parser, pattern, path);
    if (matches) return { page, params: params.id === undefined ? {} : { id: decodeURIComponent(params.id) } };
  }
  return undefined;
}

/** The page of the address. */
export function Pages() {
  const path = usePathname();
  const { parser } = useRouter();
  useEffect(() => loadWith((to) => {
    const of = pageAt(parser, to);
    return of && load(of.page);
  }), [parser]);
  const found = pageAt(parser, path);
  if (!found) return <NoSuchPage />;
  return (
    <Boundary key={path}>
      <ParamsContext value={found.params}><Shown page={found.page} /></ParamsContext>
    </Boundary>
  );
}

function Shown({ page }: { page: Page }) {
  const loading = load(page);
  if (loading) use(loading);
  const Loaded = page.shown!;
  return <Loaded />;
}

class Boundary extends Component<{ children: ReactNode }, { failed?: unknown }> {
  override state: { failed?: unknown } = {};
  static getDerivedStateFromError = (failed: unknown) => ({ failed });
  override render() {
    if (this.state.failed === undefined) return this.props.children;
    return <PageFailed error={this.state.failed} reset={() => this.setState({ failed: undefined })} />;
  }
}
