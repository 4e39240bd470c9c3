import { go, useSearch } from '../navigation';
import { Heading } from '../ui/base/basics';
import { FixList } from '../ui/fix/fixlist';
import { Choice } from '../ui/run/runlist';
import { fixWords } from '../words/status';

const states = { '': 'all', ...Object.fromEntries(Object.entries(fixWords).map(([state, said]) => [state, said.word])) };

export default function FixesPage() {
  const { state } = useSearch<{ state: string }>();
  return (
    <>
      <Heading title="Fixes"><Choice label="show" value={state ?? ''} options={states} change={(next) => void go({ to: '/fixes', search: next ? { state: next } : {} })} /></Heading>
      <div className="card p-4"><FixList state={state} /></div>
    </>
  );
}
