// How the attempts of all jobs lie in time: what was launched, and where a job stood still.
import type { Plan, Step } from '../../api/agents';
import { plain, useNow } from '../../ui/base/basics';
import { kindWords, span, stepWord } from '../../words/agents';
import { exact, length } from '../../words/time';

const time = (at: string) => new Date(at).getTime();

const fill = (step: Step) => (!step.ended ? 'bg-info animate-pulse' : !step.ok ? 'bg-bad' : step.phase === 'init' ? 'bg-soft/60' : step.phase === 'agent' ? 'bg-info' : step.merging ? 'bg-gold' : 'bg-good');

export function Timeline({ plan, chosen, choose }: { plan: Plan; chosen: string; choose: (job: string) => void }) {
  const now = useNow().getTime();
  const begin = time(plan.started_at);
  const over = plan.status === 'completed' || plan.status === 'cancelled';
  const end = Math.max(over ? time(plan.ended_at ?? plan.last_at) : Math.min(now, plan.status === 'held' ? time(plan.last_at) + 60_000 : now), time(plan.last_at), begin + 1000);
  const rows = (plan.jobs ?? []).map((job) => ({
    job,
    steps: plan.steps.filter((step) => step.job === job.id).reverse(),
    stops: plan.checkpoints.filter((one) => one.job === job.id),
  }));
  return (
    <div>
      <ul aria-label="Attempts of each job, in time">
        {rows.map(({ job, steps, stops }) => {
          const worked = steps.reduce((sum, step) => sum + step.millis, 0);
          const said = steps.length === 0 ? 'nothing was launched yet' : `${steps.length} launched, ${length(worked)} at work${stops.length > 0 ? `, stood still ${stops.length === 1 ? 'once' : `${stops.length} times`}` : ''}`;
          return (
            <li key={job.id} className="border-b border-line/60 py-1.5 last:border-0 sm:flex sm:items-center sm:gap-3">
              <button type="button" aria-pressed={chosen === job.id} onClick={() => choose(job.id)} className="w-full min-w-0 truncate text-left font-mono text-xs hover:underline sm:w-32 sm:shrink-0">{plain(job.id)}</button>
              <div role="img" aria-label={said} title={said} className="relative my-1 h-4 min-w-0 flex-1 rounded-sm bg-sunken">
                {stops.map((one) => {
                  const at = span(time(one.at), one.answered_at ? time(one.answered_at) : end, begin, end);
                  return <span key={`stop ${one.checkpoint}`} title={`${kindWords[one.kind]}, ${exact(one.at)}`} className="absolute inset-y-0 border-y-2 border-warn bg-warnwash" style={{ left: `${at.left}%`, width: `${at.width}%` }} />;
                })}
                {steps.map((step) => {
                  const at = span(time(step.started), step.ended ? time(step.ended) : end, begin, end);
                  return <span key={step.launch} title={`${stepWord(step)}, attempt ${step.attempt}, ${step.ended ? length(step.millis) : 'at work'}`} className={`absolute inset-y-0.5 rounded-xs ${fill(step)}`} style={{ left: `${at.left}%`, width: `${at.width}%` }} />;
                })}
              </div>
              <span className="block shrink-0 text-right text-xs text-soft sm:w-20">{length(worked)}</span>
            </li>
          );
        })}
      </ul>
      <p className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
        {([['bg-soft/60', 'set up'], ['bg-info', 'the agent'], ['bg-good', 'checks of the job'], ['bg-gold', 'checks of the merge'], ['bg-bad', 'failed'], ['border-y-2 border-warn bg-warnwash', 'stood still']] as const).map(([look, word]) => (
          <span key={word} className="inline-flex items-center gap-1.5"><span aria-hidden="true" className={`inline-block h-2.5 w-4 rounded-xs ${look}`} />{word}</span>
        ))}
        <span className="ml-auto">{length(end - begin)} in all</span>
      </p>
    </div>
  );
}
