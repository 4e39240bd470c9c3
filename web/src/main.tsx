import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { begin as beginAddresses } from './navigation';
import { Problem } from './api/client';
import { pageOf } from './api/list';
import { filterOf, notificationsQuery, outagesQuery, workflowsList } from './api/queries';
import { begin, SignedIn, tokenOfLink } from './pages/signin';
import { Shell } from './shell';
import { followTheme } from './theme';
import './style.css';

followTheme();

// Events of the server say which answers are old: nothing is asked again by the clock.
const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      refetchOnWindowFocus: false,
      retry: (tries, error) => tries < 2 && error instanceof Problem && (error.status === 0 || error.status === 503),
      retryDelay: (tries) => 400 * 2 ** tries,
    },
    mutations: { retry: false },
  },
});
const token = tokenOfLink();
beginAddresses();

// The first page asks before the person is known: a server that does not know them refuses.
if (!token && location.pathname === '/' && location.search === '') {
  void client.prefetchQuery(pageOf(workflowsList(filterOf({}))));
  void client.prefetchQuery(notificationsQuery());
  void client.prefetchQuery(outagesQuery());
}

// Until then the page is what index.html has.
void begin(token).then((entry) =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <SignedIn entry={entry}>
          <Shell />
        </SignedIn>
      </QueryClientProvider>
    </StrictMode>,
  ),
);
