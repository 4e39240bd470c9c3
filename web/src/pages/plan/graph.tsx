// The jobs of a plan as a picture: each behind what it needs, with its healings branching off; and the merge train below.
import { Link } from '../../navigation';
import type { Plan } from '../../api/agents';
import { Badge, plain } from '../../ui/base/basics';
import { columnsOf, healWords, jobWords } from '../../words/agents';
import { count } from '../../words/time';

const wide = 188;
const high = 68;
const gap = { x: 56, y: 18, heal: 32 };

const edge: Record<string, string> = { held: 'border-warn', merged: 'border-good/60', running: 'border-info', checking: 'border-info', verifying: 'border-info', healing: 'border-gold', merging: 'border-gold', ready_to_merge: 'border-gold' };

export function Graph({ plan, chosen, choose }: { plan: Plan; chosen: string; choose: (job: string) => void }) {
  const jobs = (plan.jobs ?? []).map((job) => ({ ...job, needs: job.needs ?? [], heals: plan.healings.filter((heal) => heal.subtask === job.id || heal.subtask?.startsWith(`${job.id}/`)) }));
  const places = new Map<string, { x: number; y: number }>();
  let tall = 0;
  const columns = columnsOf(jobs);
  columns.forEach((column, i) => {
    let y = 0;
    for (const job of column) {
      places.set(job.id, { x: i * (wide + gap.x), y });
      y += high + gap.y + (job.heals.length > 0 ? gap.heal : 0);
    }
    tall = Math.max(tall, y - gap.y);
  });
  const width = columns.length * (wide + gap.x) - gap.x;
  return (
    <div className="scrolls max-h-[28rem] overflow-y-auto p-1 pb-2" tabIndex={0} role="group" aria-label="The jobs, each behind what it needs">
      <div className="relative" style={{ width, height: tall }}>
        <svg aria-hidden="true" width={width} height={tall} className="absolute inset-0" fill="none">
          {jobs.flatMap((job) => job.needs.map((need) => {
            const [from, to] = [places.get(need), places.get(job.id)];
            if (!from || !to) return null;
            const [x1, y1, x2, y2] = [from.x + wide, from.y + high / 2, to.x, to.y + high / 2];
            const merged = jobs.find((one) => one.id === need)?.status === 'merged';
            return <path key={`${need} ${job.id}`} d={`M${x1} ${y1} C${x1 + gap.x / 2} ${y1} ${x2 - gap.x / 2} ${y2} ${x2} ${y2}`} stroke={merged ? 'var(--good)' : 'var(--soft)'} strokeWidth="1.5" strokeDasharray={merged ? undefined : '4 3'} />;
          }))}
          {jobs.map((job) => {
            const at = places.get(job.id)!;
            return job.heals.length > 0 && <path key={job.id} d={`M${at.x + 18} ${at.y + high} v14 q0 8 8 8 h6`} stroke="var(--gold)" strokeWidth="2" />;
          })}
        </svg>
        <ul>
          {jobs.map((job) => {
            const at = places.get(job.id)!;
            const said = jobWords[job.status] ?? { word: job.status, tone: 'plain' as const, means: '' };
            const heal = job.heals[0];
            return (
              <li key={job.id}>
                <button
                  type="button"
                  onClick={() => choose(job.id)}
                  aria-pressed={chosen === job.id}
                  style={{ left: at.x, top: at.y, width: wide, height: high }}
                  className={`absolute flex flex-col justify-center gap-1 rounded-lg border-2 bg-card px-3 text-left hover:bg-sunken ${edge[job.status] ?? 'border-line'} ${chosen === job.id ? 'outline-2 outline-offset-2 outline-gold' : ''}`}
                  data-job={job.id}
                >
                  <span className="truncate font-semibold">{plain(job.id)}</span>
                  <span className="flex items-center gap-1.5">
                    <Badge tone={said.tone} title={said.means}>{said.word}</Badge>
                    {job.attempt > 1 && <span className="text-xs whitespace-nowrap text-soft">attempt {job.attempt}</span>}
                  </span>
                </button>
                {heal && (
                  <Link
                    to="/healer/:id"
                    params={{ id: heal.session }}
                    style={{ left: at.x + 34, top: at.y + high + 9, maxWidth: wide - 34 }}
                    className="absolute truncate rounded-full bg-goldwash px-2 text-xs leading-6 font-semibold text-gold underline"
                  >
                    {job.heals.length > 1 ? `${count(job.heals.length, 'healing')}, last: ` : ''}{healWords[heal.outcome]?.word ?? heal.outcome}
                  </Link>
                )}
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

/** The merges on the integration branch, and those in line for it. */
export function Train({ plan }: { plan: Plan }) {
  const cars = plan.work.filter((job) => job.train).sort((a, b) => (a.train ?? 0) - (b.train ?? 0));
  return (
    <div className="mt-4 border-t border-line pt-3">
      <h3 className="mb-2 text-sm">Merge train onto <code className="font-mono text-xs [overflow-wrap:anywhere]">{plain(plan.integration)}</code></h3>
      <ol className="flex flex-wrap items-center gap-x-1.5 gap-y-2 text-sm" aria-label="Merge train, in order">
        <li className="rounded-md bg-sunken px-2 py-1 text-soft [overflow-wrap:anywhere]">{plain(plan.base)} <code className="font-mono text-xs">{plan.base_commit.slice(0, 7)}</code></li>
        {cars.map((job) => {
          const said = jobWords[job.status] ?? { word: job.status, tone: 'plain' as const };
          return (
            <li key={job.id} className="flex items-center gap-1.5">
              <span aria-hidden="true" className="text-soft">→</span>
              <span className="flex items-center gap-1.5 rounded-md border border-line px-2 py-1">{plain(job.id)} <Badge tone={said.tone}>{said.word}</Badge></span>
            </li>
          );
        })}
        {cars.length === 0 && <li className="text-soft">No job is ready yet.</li>}
      </ol>
    </div>
  );
}
