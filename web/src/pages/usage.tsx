import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useEffect } from 'react';
import { go, useSearch } from '../navigation';
import { get, path, post, put } from '../api/client';
import type { Schemas } from '../api/described';
import { useMay, useSession } from '../api/session';
import type { Usage, UsageDay } from '../api/types';
import { Ask } from '../ui/base/act';
import { Badge, Heading, Moment, Outside, plain, Section, WorkflowLink } from '../ui/base/basics';
import { Empty, Failed, Loading } from '../ui/base/states';
import { count, length, onDate } from '../words/time';
import { byDay, byWorkflow } from '../words/usage';

const measures = {
  runs: { word: 'Runs', say: (n: number) => count(n, 'run') },
  run_ms: { word: 'Time that runs took', say: length },
  tokens: { word: 'Model tokens', say: (n: number) => count(n, 'token') },
  micros: { word: 'Money', say: (n: number) => `$${(n / 1_000_000).toFixed(n < 10_000 && n > 0 ? 4 : 2)}` },
} as const;

type Measure = keyof typeof measures;

// Figures of workflows come by pages, of which so many are added up.
const mostPages = 10;
const mostOwners = 8; // of whom limits and balances are shown

export default function UsagePage() {
  const { from, to } = useSearch<{ from: string; to: string }>();
  const asked = useInfiniteQuery({
    queryKey: ['usage', from, to],
    queryFn: ({ signal, pageParam }) => get('/usage', { from, to, after: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (last: Usage) => last.next || undefined,
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = asked;
  const pages = asked.data?.pages ?? [];
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError && pages.length < mostPages) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage, pages.length]);
  const change = (next: { from?: string; to?: string }) =>
    void go({ to: '/usage', search: Object.fromEntries(Object.entries({ from, to, ...next }).filter(([, value]) => value)) as Record<string, string> });
  const usage = pages[0];
  const days = pages.flatMap((page) => page.days ?? []);
  return (
    <>
      <Heading title="Usage">
        <div className="ml-auto flex flex-wrap gap-3 text-sm">
          <label>from <input className="field" type="date" value={from ?? usage?.from ?? ''} onChange={(event) => change({ from: event.target.value })} /></label>
          <label>to <input className="field" type="date" value={to ?? usage?.to ?? ''} onChange={(event) => change({ to: event.target.value })} /></label>
        </div>
      </Heading>
      <Accounts days={days} />
      {asked.isPending ? <Loading what="what was used" />
        : asked.isError ? <Failed error={asked.error} what="usage" />
        : !usage || days.length === 0 ? <div className="card"><Empty title="Nothing was used in this time" /></div>
        : (
          <>
            <div className="grid gap-x-4 md:grid-cols-2">{(Object.keys(measures) as Measure[]).map((measure) => <Chart key={measure} measure={measure} usage={usage} />)}</div>
            <Workflows days={days} more={hasNextPage} />
          </>
        )}
    </>
  );
}

/** The limit and balance of each owner, where a limit or a balance says so. Runs never wait for money. */
function Accounts({ days }: { days: UsageDay[] }) {
  const session = useSession();
  const owners = session.owner ? [session.owner] : [...new Set([session.person, ...days.map((day) => day.owner)])].filter(Boolean).slice(0, mostOwners);
  const accounts = useQueries({ queries: owners.map((owner) => ({ queryKey: ['account', owner], queryFn: ({ signal }: { signal: AbortSignal }) => get(path('/accounts/{owner}', owner), {}, signal) })) });
  const known = accounts.flatMap((one) => (one.data && (one.data.limit_micros || one.data.opened || one.data.stopped) ? [one.data] : []));
  if (known.length === 0) return null;
  return (
    <Section title="Limits and balances" id="accounts">
      <ul className="space-y-4">{known.map((one) => <Account key={one.owner} one={one} />)}</ul>
    </Section>
  );
}

const dollars = (micros: number) => `$${(micros / 1_000_000).toFixed(2)}`;

/** "20 invoice 7" is an amount and a reference. */
const paid = (said: string) => ({ amount: said.split(/\s+/)[0]!, reference: said.split(/\s+/).slice(1).join(' ') });

function Account({ one }: { one: Schemas['Account'] }) {
  const admin = useMay('admin');
  const bars = [
    ...(one.limit_micros ? [{ says: `${dollars(one.month_micros)} of ${dollars(one.limit_micros)} spent this month`, part: one.month_micros / one.limit_micros }] : []),
    ...(one.opened ? [{ says: `${dollars(one.left_micros)} left of ${dollars(one.paid_micros ?? 0)} paid`, part: one.paid_micros ? 1 - one.left_micros / one.paid_micros : 1 }] : []),
  ];
  return (
    <li>
      <p className="mb-1 flex flex-wrap items-center gap-2"><strong>{plain(one.owner)}</strong>{one.stopped && <Badge tone="bad">agents wait</Badge>}</p>
      {bars.map((bar) => (
        <div key={bar.says} className="mb-1.5 max-w-xl">
          <p className="text-sm">{bar.says}</p>
          <div role="meter" aria-valuenow={Math.round(100 * bar.part)} aria-valuemin={0} aria-valuemax={100} aria-label={bar.says} className="h-2.5 overflow-hidden rounded-full bg-sunken">
            <div className={`h-full ${bar.part >= 1 ? 'bg-bad' : bar.part >= 0.8 ? 'bg-warn' : 'bg-gold'}`} style={{ width: `${Math.min(100, Math.max(1, 100 * bar.part))}%` }} />
          </div>
        </div>
      ))}
      {admin && (
        <div className="mt-2 flex flex-wrap gap-2">
          <Ask word="Change the limit" title={`What agents may spend for ${plain(one.owner)} in a month`} confirm="Save" act={(dollars) => put(path('/accounts/{owner}/limit', one.owner), { per_month: dollars })} said="The limit is changed." note={{ label: 'US dollars a month, like 20 or 0.50; 0 for no limit', required: true }} />
          {one.opened && <Ask word="Add a payment" title={`Add to the balance of ${plain(one.owner)}`} confirm="Add it" act={(said) => post(path('/accounts/{owner}/top-up', one.owner), paid(said))} said="The payment is added." note={{ label: 'US dollars, and what the payment is called in the books: 20 invoice 7', required: true }} />}
        </div>
      )}
      {one.stopped && <p className="text-sm text-soft"><Outside text={one.stopped} />{one.until && <> It goes on <Moment at={one.until} />.</>} Runs go on all the same.</p>}
    </li>
  );
}

function Chart({ measure, usage }: { measure: Measure; usage: Usage }) {
  const { word, say } = measures[measure];
  const days = byDay(usage.by_day ?? [], usage.from, usage.to, measure);
  const most = Math.max(...days.map((day) => day.value));
  const wide = 600 / days.length;
  return (
    <Section title={word} aside={<strong>{say(usage.total[measure])}</strong>}>
      {most === 0 ? <p className="flex h-32 items-center justify-center text-soft">None in this time.</p> : <svg viewBox="0 0 600 120" role="img" aria-label={`${word} by day, ${onDate(usage.from)} to ${onDate(usage.to)}: ${say(usage.total[measure])}; the most on a day ${say(most)}`} className="h-32 w-full" preserveAspectRatio="none">
        <line x1="0" y1="119.5" x2="600" y2="119.5" stroke="var(--line)" />
        {days.map((day, i) => (
          <rect key={day.day} x={i * wide + wide * 0.12} width={Math.min(wide * 0.76, 60)} y={119 - (110 * day.value) / most} height={(110 * day.value) / most} fill="var(--gold)">
            <title>{`${onDate(day.day)}: ${say(day.value)}`}</title>
          </rect>
        ))}
      </svg>}
      <div className="flex justify-between text-xs text-soft"><span>{onDate(usage.from)}</span>{most > 0 && <span>at most {say(most)} a day</span>}<span>{onDate(usage.to)}</span></div>
    </Section>
  );
}

function Workflows({ days, more }: { days: UsageDay[]; more: boolean }) {
  const rows = byWorkflow(days);
  return (
    <Section title="By workflow">
      <div className="scrolls" tabIndex={0} role="group" aria-label="Usage by workflow">
        <table className="w-full min-w-[36rem] text-left text-sm">
          <thead><tr className="text-soft"><th className="py-1 font-medium">workflow</th>{(Object.keys(measures) as Measure[]).map((one) => <th key={one} className="py-1 pl-3 text-right font-medium">{measures[one].word.toLowerCase()}</th>)}</tr></thead>
          <tbody>
            {rows.slice(0, 200).map((row) => (
              <tr key={row.workflow} className="border-t border-line">
                <th scope="row" className="py-1.5 text-left font-normal"><WorkflowLink id={row.workflow} title={row.workflow_title} /></th>
                {(Object.keys(measures) as Measure[]).map((one) => <td key={one} className="py-1.5 pl-3 text-right whitespace-nowrap">{measures[one].say(row[one])}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more && <p className="mt-2 text-sm text-soft">These are the figures until {onDate(days.at(-1)!.day)}: choose a shorter time to see them all. The sums above are of all days.</p>}
      {rows.length > 200 && <p className="mt-2 text-sm text-soft">{rows.length - 200} more used less.</p>}
    </Section>
  );
}
