import * as Radix from '@radix-ui/react-toast';
import { type Said, silence } from './announce';
import { useAct } from './act';
import { Outside } from './basics';

const begins = { done: undefined, overtaken: 'Meanwhile this changed, and nothing was done.', refused: 'Nothing was done.' };
const looks = { done: 'border-good/50!', overtaken: 'border-warn/60!', refused: 'border-bad/60!' };
const signs = { done: { sign: '✓', tone: 'text-good' }, overtaken: { sign: '!', tone: 'text-warn' }, refused: { sign: '✕', tone: 'text-bad' } };

const seconds = { done: 8_000, overtaken: 60_000, refused: 60_000 }; // ms: what was not done is to be read

export default function Toasts({ said }: { said: (Said & { number: number })[] }) {
  return (
    <Radix.Provider label="What became of it" swipeDirection="down">
      {said.map((one) => <Toast key={one.number} said={one} />)}
      <Radix.Viewport className="fixed right-0 bottom-16 left-0 z-50 flex flex-col items-center gap-2 px-3 sm:right-4 sm:bottom-4 sm:left-auto sm:items-end" />
    </Radix.Provider>
  );
}

function Toast({ said: { how, text, undo, number } }: { said: Said & { number: number } }) {
  const back = useAct(undo ?? (() => Promise.resolve()), { said: 'It is as it was before.' });
  return (
    <Radix.Root type={how === 'done' ? 'background' : 'foreground'} duration={seconds[how]} onOpenChange={(open) => !open && silence(number)} className={`card flex w-full max-w-md items-start gap-3 px-4 py-3 text-sm shadow-lg ${looks[how]}`} data-announced={how}>
      <span aria-hidden="true" className={`font-bold ${signs[how].tone}`}>{signs[how].sign}</span>
      <Radix.Description className="min-w-0 flex-1">
        {begins[how] && <strong>{begins[how]} </strong>}<Outside text={text} />{how !== 'done' && ' You see what it is now.'}
      </Radix.Description>
      {undo && <Radix.Action altText="Undo it where you did it" asChild><button type="button" className="link font-semibold" onClick={() => back.mutate()}>Undo</button></Radix.Action>}
      <Radix.Close className="px-1 text-soft hover:text-ink" aria-label="Close what was said">✕</Radix.Close>
    </Radix.Root>
  );
}
