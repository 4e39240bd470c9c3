import * as Radix from '@radix-ui/react-dialog';
import { setNonce } from 'get-nonce';
import { type ReactNode, useState } from 'react';
import { nonce } from '../../nonce';

setNonce(nonce());

/** A question before something is done, or something over the page. */
export default function Dialog({ onClose, title, hideTitle = false, children, wide = false }: {
  onClose: () => void;
  title: string;
  hideTitle?: boolean;
  children: ReactNode;
  wide?: boolean;
}) {
  const [opener] = useState(() => document.activeElement);
  // The focus goes back, so that work by keyboard goes on where it was.
  const back = (event: Event) => {
    event.preventDefault();
    const to = opener instanceof HTMLElement && opener.isConnected && opener !== document.body ? opener : document.querySelector<HTMLElement>('h1');
    to?.focus({ preventScroll: true });
  };
  return (
    <Radix.Root open onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={back}
          className={`card fixed top-[8vh] left-1/2 z-50 max-h-[84vh] w-[calc(100vw-1.5rem)] -translate-x-1/2 overflow-auto p-5 shadow-xl ${wide ? 'max-w-4xl' : 'max-w-xl'}`}
        >
          <Radix.Title className={hideTitle ? 'sr-only' : 'mb-3 pr-8 text-lg font-semibold [overflow-wrap:anywhere]'}>{title}</Radix.Title>
          {children}
          <Radix.Close className="absolute top-3 right-3 rounded px-2 py-1 text-soft hover:text-ink" aria-label="Close">✕</Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
