import type { Schemas } from '../api/described';
import { count } from './time';

type Reach = Schemas['Reach'];

/** Something that a script reads or writes, as people call it. */
export type Place = { name: string; kind: 'host' | 'own' | 'person'; calls: number; says: string; failed: number };

const own: Record<string, string> = { kv: 'its own keys', files: 'its own files' };
const person: Record<string, string> = { notify: 'a message to you', ask: 'a question to you' };

/** The reads and writes of the last runs, hosts first. */
export function placesOf(reach: Reach): { reads: Place[]; writes: Place[] } {
  const places = (effect: string) => {
    const found = new Map<string, Place & { runs: number; targets: Set<string> }>();
    for (const one of reach.reached ?? []) {
      if (one.effect !== effect) continue;
      const noun = one.tool.split('.')[0]!;
      const kind = one.host ? 'host' : own[noun] ? 'own' : person[noun] ? 'person' : 'own';
      const name = one.host || own[noun] || person[noun] || one.tool;
      const place = found.get(name) ?? { name, kind, calls: 0, failed: 0, runs: 0, says: '', targets: new Set<string>() };
      place.calls += one.calls;
      place.failed += one.failed;
      place.runs = Math.max(place.runs, one.runs);
      place.targets.add(kind === 'own' ? (one.target ?? '') : '');
      found.set(name, place);
    }
    const order = { host: 0, own: 1, person: 2 };
    return [...found.values()].sort((a, b) => order[a.kind] - order[b.kind] || b.calls - a.calls).map(({ targets, runs, ...place }) => ({
      ...place,
      name: targets.size === 1 && !targets.has('') ? `${place.name.replace(/s$/, '')} ${[...targets][0]}` : place.name,
      says: `${count(place.calls, 'time')} in ${runs === reach.runs ? (runs === 1 ? 'one run' : `each of ${runs} runs`) : `${runs} of ${reach.runs} runs`}${place.failed > 0 ? `, ${place.failed} failed` : ''}`,
    }));
  };
  return { reads: places('read'), writes: places('write') };
}
