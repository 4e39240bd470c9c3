// The person before the page. The token itself is never kept here: the server holds it behind a cookie that no script sees.
import { createContext, useContext } from 'react';
import type { Scope, Session } from './types';

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('a page was shown before anybody signed in');
  return session;
}

/** Whether this person may do what a scope allows. What they may not do is not offered to them. */
export function useMay(scope: Scope): boolean {
  return useSession().scopes.includes(scope);
}
