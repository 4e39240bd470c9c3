import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '../../api/queries';
import { short } from '../../words/time';
import { Moment } from '../base/basics';

/** By when somebody has to decide, and what is done if nobody does, where settings say so. */
export function Deadline({ workflow, since }: { workflow: string; since: string }) {
  const asked = useQuery(settingsQuery(workflow));
  const settings = asked.data?.value as { decide_within_ms?: number; on_deadline?: string } | undefined;
  if (!settings?.decide_within_ms) return null;
  const due = new Date(new Date(since).getTime() + settings.decide_within_ms).toISOString();
  return (
    <p className="mt-1 text-sm font-medium text-warn">
      Decide by {short(due)} (<Moment at={due} />): after that it is {settings.on_deadline === 'accept_if_proven' ? 'accepted if nothing but your word is missing, and declined if more is' : 'declined'}.
    </p>
  );
}
