import { Outside } from '../base/basics';

/** The answers of writes that stood in for those that nobody has, as the writes were not sent. */
export function Assumed({ answers }: { answers?: string[] | undefined }) {
  if (!answers?.length) return null;
  return (
    <ul className="mt-2 list-disc pl-5 text-sm text-warn" aria-label="What is assumed">
      {answers.map((answer) => <li key={answer}><Outside text={answer} /></li>)}
    </ul>
  );
}
