import { useNavigate, useSearch } from '@tanstack/react-router';
import { Heading } from '../ui/basics';
import { FixList } from '../ui/fixlist';
import { Choice } from '../ui/runlist';
import { fixWords } from '../words/status';

const states = { '': 'all', ...Object.fromEntries(Object.entries(fixWords).map(([state, said]) => [state, said.word])) };

export default function FixesPage() {
  const { state } = useSearch({ strict: false }) as { state?: string };
  const navigate = useNavigate();
  return (
    <>
      <Heading title="Fixes"><Choice label="show" value={state ?? ''} options={states} change={(next) => void navigate({ to: '/fixes', search: next ? { state: next } : {} })} /></Heading>
      <div className="card p-4"><FixList state={state} /></div>
    </>
  );
}
