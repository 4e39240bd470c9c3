// Order of the stops for each van: always the next one that is quickest to reach, from the depot and back.
const MATRIX = 'https://maps.example/matrix/json';
const MINUTES_A_STOP = 6;

const minutes = (seconds) => Math.round(seconds / 60);
const km = (meters) => (meters / 1000).toFixed(1);
const clock = (start, passed) => new Date(start + passed * 60000).toISOString().slice(11, 16);

const leg = (element) => {
  if (!element || element.status !== 'OK') return null;
  return { meters: element.distance.value, seconds: element.duration_in_traffic?.value ?? element.duration.value };
};

const legsFrom = async (place, places) => {
  const answer = await web.getJSON(`${MATRIX}?origins=${encodeURIComponent(place)}&destinations=${encodeURIComponent(places.join('|'))}`);
  const [row] = answer.rows;
  return places.map((to, i) => ({ to, ...leg(row.elements[i]) })).filter((l) => 'meters' in l);
};

async function round({ van, depot, stops }, start) {
  const plan = [];
  let here = depot, open = [...stops], meters = 0, passed = 0;
  while (open.length) {
    const legs = await legsFrom(here, open);
    if (!legs.length) break;
    const best = legs.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    meters += best.meters;
    passed += minutes(best.seconds);
    plan.push(`${clock(start, passed)} ${best.to}`);
    passed += MINUTES_A_STOP;
    here = best.to;
    open = open.filter((stop) => stop !== here);
  }
  const [home] = await legsFrom(here, [depot]);
  return { van, plan, missed: open, km: km(meters + (home?.meters ?? 0)), back: clock(start, passed + minutes(home?.seconds ?? 0)) };
}

export default async ({ slot, vans }) => {
  const start = Date.parse(slot);
  const rounds = await Promise.all(vans.map((van) => round(van, start)));
  for (const { van, plan, missed, ...sums } of rounds) {
    if (!plan.length && !missed.length) continue;
    await web.postJSON(`https://drivers.example/vans/${van}/plan`, { plan, ...sums }, { method: 'PUT' });
    if (missed.length) await notify(`Van ${van} cannot reach all`, missed.join(', '));
  }
  return rounds.map(({ van, km: far, back }) => `${van}: ${far} km, back at ${back}`);
};
