import { Button } from './basics';
import Dialog from './dialog';

/** The question before what is not saved is lost. */
export default function Unsaved({ what, stay, leave }: { what: string; stay: () => void; leave: () => void }) {
  return (
    <Dialog onClose={stay} title="What you changed is not saved">
      <p>If you go on, {what} is lost.</p>
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button look="danger" onClick={leave}>Throw it away</Button>
        <Button look="primary" onClick={stay} autoFocus>Stay here</Button>
      </div>
    </Dialog>
  );
}
