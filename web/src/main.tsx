import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Problem } from './api/client';
import { SignedIn } from './pages/signin';
import { makeRouter } from './router';
import { followTheme } from './theme';
import './style.css';

followTheme();

// What happens on the server says which answers are old: nothing is asked again by the clock.
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
const router = makeRouter();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <SignedIn>
        <RouterProvider router={router} />
      </SignedIn>
    </QueryClientProvider>
  </StrictMode>,
);
