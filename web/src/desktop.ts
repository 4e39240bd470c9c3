// Whether this browser tells on the desktop what needs somebody: only if they asked for it, here.
import { useSyncExternalStore } from 'react';

const key = 'kintsugi.desktop';
const watchers = new Set<() => void>();

/** Browsers tell only for pages whose address is secure: HTTPS, or this machine. */
export const possible = () => 'Notification' in window && 'locks' in navigator;

const wanted = () => possible() && localStorage.getItem(key) === 'on' && Notification.permission === 'granted';

const watch = (tell: () => void) => {
  watchers.add(tell);
  addEventListener('storage', tell); // of another tab
  return () => {
    watchers.delete(tell);
    removeEventListener('storage', tell);
  };
};

export const useDesktop = () => useSyncExternalStore(watch, wanted);

/** Turns it on or off for all tabs; false if the person or their browser does not let it be on. */
export async function setDesktop(on: boolean): Promise<boolean> {
  const may = !on || (await Notification.requestPermission()) === 'granted';
  if (on && may) localStorage.setItem(key, 'on');
  else localStorage.removeItem(key);
  watchers.forEach((tell) => tell());
  return may;
}
