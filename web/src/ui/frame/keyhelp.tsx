import Dialog from '../base/dialog';

const keys = [['j', 'the next'], ['k', 'the one before'], ['a', 'accept, or what is asked for first'], ['d', 'decline, or leave it'], ['/', 'go anywhere, do something'], ['?', 'these keys']] as const;

export default function KeyHelp({ close }: { close: () => void }) {
  return (
    <Dialog onClose={close} title="Keys">
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2">
        {keys.map(([key, does]) => [<dt key={key}><kbd className="rounded border border-line px-2 font-mono">{key}</kbd></dt>, <dd key={does}>{does}</dd>])}
      </dl>
    </Dialog>
  );
}
