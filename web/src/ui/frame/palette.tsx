// Goes to a page or a workflow by its name, or presses a button of the page that is open, from the keyboard.
import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { useDeferredValue, useState } from 'react';
import { go, type Path } from '../../navigation';
import { pageOf } from '../../api/list';
import { workflowsList } from '../../api/queries';
import { setTheme } from '../../theme';
import { standing } from '../../words/status';
import { plain } from '../base/basics';
import Dialog from '../base/dialog';

type Item = { id: string; word: string; hint: string; go: () => void; found?: boolean };

/** The buttons of the page that is open, each by its name once. */
function buttonsHere(): Item[] {
  const all = [...document.querySelectorAll<HTMLElement>('main .button:not(:disabled)')].map((one) => [(one.textContent ?? '').trim(), one] as const);
  return [...new Map(all.filter(([word]) => word !== '').reverse())].reverse().slice(0, 20).map(([word, one], i) => ({ id: `here-${i}`, word, hint: 'on this page', go: () => one.click() }));
}

const pages = Object.entries({
  '/': 'Today', '/notifications': 'Notices', '/fixes': 'Fixes', '/runs': 'Runs', '/usage': 'Usage', '/system': 'System', '/inbox': 'Inbox of agents', '/drafts': 'Drafts',
  '/events': 'Events', '/plans': 'Plans of coding agents', '/healer': 'Healings', '/new': 'A new workflow',
} satisfies Partial<Record<Path, string>>).map(([to, word]): Item => ({ id: to, word, hint: 'page', go: () => void go({ to: to as Path }) }));

export default function Palette({ close, report }: { close: () => void; report: () => void }) {
  const [text, type] = useState('');
  const [here] = useState(buttonsHere);
  const workflows = useQuery({ ...pageOf(workflowsList({ q: useDeferredValue(text.trim().toLowerCase()) })), placeholderData: (before) => before });
  const items: Item[] = [
    ...pages,
    { id: 'held', word: 'Fixes that wait for you', hint: 'list', go: () => void go({ to: '/fixes', search: { state: 'held' } }) },
    { id: 'failed', word: 'Runs that failed', hint: 'list', go: () => void go({ to: '/runs', search: { status: 'failed' } }) },
    ...here,
    { id: 'report', word: 'Report a problem', hint: 'do', go: report },
    { id: 'light', word: 'Light theme', hint: 'do', go: () => setTheme('light') },
    { id: 'dark', word: 'Dark theme', hint: 'do', go: () => setTheme('dark') },
    // The server searches them by more than their titles.
    ...(workflows.data?.items ?? []).map((one) => ({ id: one.id, word: plain(one.title), hint: standing(one).word, found: true, go: () => void go({ to: '/workflows/:id', params: { id: one.id } }) })),
  ];
  return (
    <Dialog onClose={close} title="Go to or do something" hideTitle>
      <Command label="Go to or do something">
        <Command.Input className="field w-[calc(100%-2rem)]" placeholder="A page, a workflow, something to do" value={text} onValueChange={type} autoFocus />
        <Command.List label="What there is" className="mt-2 max-h-80 overflow-auto">
          <Command.Empty className="p-3 text-soft">Nothing has that name.</Command.Empty>
          {items.map((item) => (
            <Command.Item
              key={item.id}
              value={item.id}
              keywords={item.found ? [item.word, text] : [item.word]}
              onSelect={() => {
                close();
                item.go();
              }}
              className="flex cursor-pointer justify-between gap-3 rounded-md px-3 py-1.5 data-[selected=true]:bg-goldwash"
            >
              <span className="truncate">{item.word}</span>
              <span className="shrink-0 text-sm text-soft">{item.hint}</span>
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}
