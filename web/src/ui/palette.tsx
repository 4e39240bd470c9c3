// Goes to a page or a workflow by its name, from the keyboard.
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from 'react';
import { go } from '../navigation';
import { pageOf } from '../api/list';
import { workflowsList } from '../api/queries';
import { setTheme } from '../theme';
import { standing } from '../words/status';
import { plain } from './basics';
import Dialog from './dialog';

/** The buttons of the page that is open, each by its name once. */
function buttonsHere(): Item[] {
  const all = [...document.querySelectorAll<HTMLElement>('main .button:not(:disabled)')].map((one) => [(one.textContent ?? '').trim(), one] as const);
  return [...new Map(all.filter(([word]) => word !== '').reverse())].reverse().slice(0, 20).map(([word, one], i) => ({ id: `here-${i}`, word, hint: 'on this page', go: () => one.click() }));
}

type Item = { id: string; word: string; hint: string; go: () => void };

export default function Palette({ close, report }: { close: () => void; report: () => void }) {
  const [text, type] = useState('');
  const [at, move] = useState(0);
  const [here] = useState(buttonsHere);
  const wanted = text.trim().toLowerCase();
  const workflows = useQuery({ ...pageOf(workflowsList({ q: useDeferredValue(wanted) })), placeholderData: (before) => before });
  const found = useMemo(() => {
    const page = (to: '/' | '/new' | '/usage' | '/system' | '/notifications' | '/fixes' | '/runs' | '/inbox' | '/drafts' | '/events' | '/plans' | '/healer', word: string): Item => ({ id: to, word, hint: 'page', go: () => void go({ to }) });
    const items: Item[] = [
      page('/', 'Today'), page('/notifications', 'Notices'), page('/fixes', 'Fixes'), page('/runs', 'Runs'), page('/usage', 'Usage'), page('/system', 'System'), page('/inbox', 'Inbox of agents'), page('/drafts', 'Drafts'), page('/events', 'Events'), page('/plans', 'Plans of coding agents'), page('/healer', 'Healings'), page('/new', 'A new workflow'),
      { id: 'held', word: 'Fixes that wait for you', hint: 'list', go: () => void go({ to: '/fixes', search: { state: 'held' } }) },
      { id: 'failed', word: 'Runs that failed', hint: 'list', go: () => void go({ to: '/runs', search: { status: 'failed' } }) },
      ...here,
      { id: 'report', word: 'Report a problem', hint: 'do', go: report },
      { id: 'light', word: 'Light theme', hint: 'do', go: () => setTheme('light') },
      { id: 'dark', word: 'Dark theme', hint: 'do', go: () => setTheme('dark') },
      ...(workflows.data?.items ?? []).map((one) => ({
        id: one.id, word: plain(one.title), hint: standing(one).word, go: () => void go({ to: '/workflows/:id', params: { id: one.id } }),
      })),
    ];
    return items.filter((item) => wanted === '' || item.word.toLowerCase().includes(wanted) || item.id.startsWith(wanted) || item.id.endsWith(wanted)).slice(0, 50);
  }, [workflows.data, wanted, report, here]);
  const choose = (item: Item | undefined) => {
    if (!item) return;
    close();
    item.go();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(Math.min(at + 1, found.length - 1));
    else if (event.key === 'ArrowUp') move(Math.max(at - 1, 0));
    else if (event.key === 'Enter') choose(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog onClose={close} title="Go to or do something" hideTitle>
      <input
        className="field w-[calc(100%-2rem)]"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={found[at] ? `palette-${found[at].id}` : undefined}
        aria-label="Go to or do something"
        placeholder="A page, a workflow, something to do"
        value={text}
        onChange={(event) => {
          type(event.target.value);
          move(0);
        }}
        onKeyDown={key}
        autoFocus
      />
      <ul id="palette" role="listbox" aria-label="What there is" className="mt-2 max-h-80 overflow-auto">
        {found.map((item, i) => (
          <li
            key={item.id}
            id={`palette-${item.id}`}
            role="option"
            aria-selected={i === at}
            ref={(element) => {
              if (i === at) element?.scrollIntoView({ block: 'nearest' });
            }}
            className={`flex cursor-pointer justify-between gap-3 rounded-md px-3 py-1.5 ${i === at ? 'bg-goldwash' : ''}`}
            onPointerMove={() => i !== at && move(i)}
            onClick={() => choose(item)}
          >
            <span className="truncate">{item.word}</span>
            <span className="shrink-0 text-sm text-soft">{item.hint}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="p-3 text-soft">Nothing has that name.</p>}
    </Dialog>
  );
}
