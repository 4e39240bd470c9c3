// Tells on the desktop what begins to need somebody. All tabs hear of it from the one live connection; the one that has the lock tells.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { go } from '../../navigation';
import { notificationsQuery } from '../../api/queries';
import type { Notification as Notice } from '../../api/types';
import { needsYou } from '../../words/notify';
import { plain } from '../base/basics';

export default function Desktop() {
  const notices = useQuery(notificationsQuery()).data;
  const known = useRef<Set<string>>(undefined); // what was there before is told on the page alone
  const teller = useRef(false);
  useEffect(() => {
    const ended = new AbortController();
    let release = () => {};
    // Once this tab is closed, the next one that waits for the lock tells.
    navigator.locks
      .request('kintsugi.desktop', { signal: ended.signal }, () => {
        teller.current = true;
        return new Promise<void>((over) => (release = over));
      })
      .catch(() => undefined); // it was turned off before it came to that
    return () => {
      ended.abort();
      teller.current = false;
      release();
    };
  }, []);
  useEffect(() => {
    if (!notices) return;
    const needed = notices.filter(needsYou);
    if (teller.current && known.current) needed.filter((one) => !known.current!.has(one.id)).forEach(tell);
    known.current = new Set([...(known.current ?? []), ...needed.map((one) => one.id)]);
  }, [notices]);
  return null;
}

function tell(one: Notice) {
  const told = new Notification(plain(one.title), { body: plain(one.workflow_title ?? ''), tag: one.id });
  told.onclick = () => {
    window.focus();
    told.close();
    void (one.proposal ? go({ to: '/fixes/:id', params: { id: one.proposal } }) : one.run ? go({ to: '/runs/:id', params: { id: one.run } }) : go({ to: '/' }));
  };
}
