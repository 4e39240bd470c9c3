import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get, path } from '../../api/client';
import type { Workflow } from '../../api/types';
import { type Place, placesOf } from '../../words/reach';
import { plain, Section } from '../base/basics';
import { Failed, Loading } from '../base/states';

const reachQuery = (id: string) => queryOptions({ queryKey: ['workflow', id, 'reach'], queryFn: ({ signal }) => get(path('/workflows/{workflow}/reach', id), { runs: 20 }, signal) });

/** What stands below the drawing is there once the drawing is. */
export function BelowReach({ one, children }: { one: Workflow; children: ReactNode }) {
  return !useQuery(reachQuery(one.id)).isPending && children;
}

/** The script's reads and writes, drawn from its last runs. */
export function ReachDrawn({ one }: { one: Workflow }) {
  const asked = useQuery(reachQuery(one.id));
  if (asked.isPending) return <Section title="What it does"><Loading what="what it does" /></Section>;
  if (asked.isError) return <Section title="What it does"><Failed error={asked.error} what="runs" /></Section>;
  const { reads, writes } = placesOf(asked.data);
  if (asked.data.runs === 0 || reads.length + writes.length === 0) return null;
  return (
    <Section title="What it does" id="does" aside={<span className="text-sm text-soft">as its last {asked.data.runs === 1 ? 'run' : `${asked.data.runs} runs`} did</span>}>
      <Drawing title={plain(one.title)} reads={reads.slice(0, most)} writes={writes.slice(0, most)} />
      <div className="space-y-3 sm:hidden">
        <Told title="It reads" places={reads.slice(0, most)} />
        <Told title="It writes" places={writes.slice(0, most)} />
      </div>
      {Math.max(reads.length, writes.length) > most && <p className="mt-2 text-sm text-soft">Only the first {most} of each are drawn.</p>}
    </Section>
  );
}

/** The drawing in words, where there is no room for it. */
function Told({ title, places }: { title: string; places: Place[] }) {
  if (places.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul>{places.map((one) => <li key={one.name} className="[overflow-wrap:anywhere]">{plain(one.name)} <span className={`text-sm ${one.failed > 0 ? 'text-bad' : 'text-soft'}`}>{one.says}</span></li>)}</ul>
    </div>
  );
}

const most = 8;
const wide = 760;
const box = { wide: 236, high: 46, gap: 12 };

function Drawing({ title, reads, writes }: { title: string; reads: Place[]; writes: Place[] }) {
  const step = box.high + box.gap;
  const high = Math.max(reads.length, writes.length, 1) * step - box.gap + 4;
  const middle = high / 2;
  const from = (places: Place[], i: number) => middle - (places.length * step - box.gap) / 2 + i * step;
  const centre = { left: wide / 2 - 78, right: wide / 2 + 78 };
  const said = [...reads.map((one) => `reads ${one.name}, ${one.says}`), ...writes.map((one) => `writes ${one.name}, ${one.says}`)].join('; ');
  return (
    <div className="hidden overflow-x-auto sm:block" tabIndex={0} role="group" aria-label="What it reads and writes">
      <svg viewBox={`0 0 ${wide} ${high}`} role="img" aria-label={`${title} ${said}`} className="mx-auto block w-full min-w-[40rem]" style={{ maxWidth: wide }} fontFamily="var(--font-sans)">
        <defs>
          {(['soft', 'gold'] as const).map((colour) => (
            <marker key={colour} id={`to-${colour}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill={`var(--${colour})`} /></marker>
          ))}
        </defs>
        {reads.map((one, i) => <Arrow key={one.name} from={[box.wide + 2, from(reads, i) + box.high / 2]} to={[centre.left, middle]} colour="soft" />)}
        {writes.map((one, i) => <Arrow key={one.name} from={[centre.right, middle]} to={[wide - box.wide - 2, from(writes, i) + box.high / 2]} colour="gold" />)}
        <rect x={centre.left} y={middle - 22} width="156" height="44" rx="9" fill="var(--act)" />
        <Text x={wide / 2} y={middle + 5} most={17} text={title} anchor="middle" fill="var(--onact)" weight={650} />
        {reads.map((one, i) => <Box key={one.name} one={one} x={1} y={from(reads, i)} word="reads" />)}
        {writes.map((one, i) => <Box key={one.name} one={one} x={wide - box.wide - 1} y={from(writes, i)} word="writes" />)}
      </svg>
    </div>
  );
}

function Arrow({ from: [x1, y1], to: [x2, y2], colour }: { from: [number, number]; to: [number, number]; colour: 'soft' | 'gold' }) {
  const half = (x1 + x2) / 2;
  return <path d={`M${x1} ${y1} C${half} ${y1} ${half} ${y2} ${x2 - 1} ${y2}`} fill="none" stroke={`var(--${colour})`} strokeWidth="1.5" markerEnd={`url(#to-${colour})`} />;
}

function Box({ one, x, y, word }: { one: Place; x: number; y: number; word: 'reads' | 'writes' }) {
  return (
    <g>
      <title>{`${word} ${plain(one.name)}: ${one.says}`}</title>
      <rect x={x} y={y} width={box.wide} height={box.high} rx="8" fill="var(--paper)" stroke={word === 'writes' ? 'var(--gold)' : 'var(--line)'} strokeDasharray={one.kind === 'own' ? '4 3' : undefined} />
      <Text x={x + 11} y={y + 19} most={31} text={plain(one.name)} weight={600} />
      <Text x={x + 11} y={y + 36} most={37} text={one.says} fill={one.failed > 0 ? 'var(--bad)' : 'var(--soft)'} size={11} />
    </g>
  );
}

function Text({ x, y, text, most, anchor, fill = 'var(--ink)', weight = 400, size = 13 }: { x: number; y: number; text: string; most: number; anchor?: 'middle'; fill?: string; weight?: number; size?: number }) {
  return <text x={x} y={y} fontSize={size} fontWeight={weight} fill={fill} textAnchor={anchor}>{text.length > most ? `${text.slice(0, most - 1)}…` : text}</text>;
}
