// Where a run failed: the line of the script, and what the names in it had.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get, path, Problem } from '../../api/client';
import type { Schemas } from '../../api/described';
import { scriptQuery } from '../../api/queries';
import type { RunDetail } from '../../api/types';
import { changedInWords } from '../../words/story';
import { classWords } from '../../words/status';
import { withoutCommands } from '../../words/refusal';
import { AllowHost } from '../script/allowhost';
import { Outside, plain, Section } from '../base/basics';

type Had = Schemas['GateValue'];

const around = 4; // lines before and after the one that failed

export function Failing({ run }: { run: RunDetail }) {
  const failure = run.failure!;
  return (
    <Section title="What went wrong" id="failure">
      <p className="font-mono text-sm"><Outside text={withoutCommands(`${failure.name ? `${failure.name}: ` : ''}${failure.message}`)} /></p>
      {classWords[failure.class] && <p className="mt-1 text-sm text-soft">That is: {classWords[failure.class]}.</p>}
      {run.refused && <AllowHost workflow={run.workflow} refused={run.refused} run={run.id} />}
      {(run.changed?.length ?? 0) > 0 && (
        <>
          <h3 className="mt-3">What was different from when it last succeeded</h3>
          <ul className="list-disc pl-5">{run.changed!.map((one) => <li key={`${one.of} ${one.path}`}><Outside text={changedInWords(one)} /></li>)}</ul>
        </>
      )}
      <Place run={run} />
    </Section>
  );
}

/** The script and the values that the run failed with. */
function usePlace(run: RunDetail) {
  const at = run.failed_at;
  const script = useQuery({ ...scriptQuery(run.workflow, run.version), enabled: at !== undefined });
  // They are told from the record, which does not change any more.
  const values = useQuery({
    queryKey: ['fixed', run.id, 'values'],
    queryFn: async ({ signal }) => (await get(path('/runs/{run}/values', run.id), {}, signal)).items,
    enabled: at !== undefined && run.ended !== undefined,
    retry: (tries, error) => tries < 1 && !(error instanceof Problem),
  });
  return { at, script, values };
}

/** The height of the account of a failure is not known before its parts are there: so long nothing stands below it. */
export function BelowFailing({ run, children }: { run: RunDetail; children: ReactNode }) {
  const { script, values } = usePlace(run);
  return !script.isLoading && !values.isLoading && children;
}

function Place({ run }: { run: RunDetail }) {
  const { at, script, values } = usePlace(run);
  const lines = script.data?.value.code?.split('\n') ?? [];
  if (!at || lines.length === 0) return null;
  const from = Math.max(0, at.line - 1 - around);
  return (
    <>
      <pre className="mt-3 scrolls rounded-lg border border-line py-1 font-mono text-xs leading-5" tabIndex={0} role="group" aria-label={`The script around line ${at.line}, where it failed`}>
        {lines.slice(from, at.line + around).map((line, i) => {
          const number = from + i + 1;
          const here = number === at.line;
          return (
            <div key={number} className={here ? 'w-max min-w-full bg-badwash font-semibold' : ''}>
              <span aria-hidden="true" className="inline-block w-10 pr-2 text-right text-soft select-none">{number}</span>
              {here && <span className="sr-only">failed here: </span>}
              {plain(line.slice(0, 1000))}
            </div>
          );
        })}
      </pre>
      {values.data && values.data.length > 0 && <Values values={values.data} line={at.line} />}
    </>
  );
}

const isMissing = (one: Had) => one.text === 'undefined' || one.text === 'null';

function Values({ values, line }: { values: Had[]; line: number }) {
  // A name without a value most often broke it.
  const here = values.filter((one) => one.here).toSorted((a, b) => Number(isMissing(b)) - Number(isMissing(a)));
  const others = values.filter((one) => !one.here);
  return (
    <div className="mt-3" data-values>
      <h3 className="mb-1 text-sm">What the names had there</h3>
      <Table values={here} label={`The values in line ${line}`} />
      {others.length > 0 && (
        <details className="mt-1" open={here.length === 0}>
          <summary className="link text-sm">{here.length > 0 ? 'and around it' : 'around it'} ({others.length})</summary>
          <Table values={others} label={`The values around line ${line}`} />
        </details>
      )}
    </div>
  );
}

function Table({ values, label }: { values: Had[]; label: string }) {
  if (values.length === 0) return null;
  return (
    <dl className="mt-1 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5 rounded-md bg-sunken p-2.5 font-mono text-xs" aria-label={label}>
      {values.map((one) => {
        const missing = isMissing(one);
        return [
          <dt key={`${one.name} name`} className="max-w-40 text-soft [overflow-wrap:anywhere] sm:max-w-72">{plain(one.name)}</dt>,
          <dd key={one.name} className={missing ? 'font-semibold text-bad' : 'max-h-24 overflow-auto'} tabIndex={one.text.length > 300 ? 0 : undefined}>{<Outside text={one.text} />}</dd>,
        ];
      })}
    </dl>
  );
}
