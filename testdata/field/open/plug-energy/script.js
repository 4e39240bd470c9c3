/* Zwischenstecker: what did each plug use since yesterday, and is one of them hot or idling? */
const HOME = 'https://home.example/devices';
const CENTS_PER_KWH = 31.5;
const IDLE = 2; // watts

const status = async (plug) => {
  const res = await fetch(`${HOME}/${plug.id}/status`);
  if (res.status === 404) return null; // pulled out
  if (!res.ok) throw new Error(`${plug.id}: HTTP ${res.status}`);
  return res.json();
};

const reading = (s) => {
  const { power = 0, total = 0 } = s.meters?.[0] ?? {};
  const [{ ison = false } = {}] = s.relays ?? [];
  return { on: ison, watts: power, wh: Math.round(total / 60), celsius: s.temperature ?? null, update: Boolean(s.update?.has_update) };
};

module.exports = async ({ plugs, limit }) => {
  const before = (await kv.get('wh')) || {};
  const all = await Promise.all(plugs.map(async (plug) => [plug, await status(plug)]));
  const report = {};
  const hot = [];
  for (const [plug, answer] of all) {
    if (!answer) { report[plug.name] = 'gone'; continue; }
    const now = reading(answer);
    const last = before[plug.id] ?? now.wh;
    // The counter begins at zero again after an update of the firmware.
    const used = now.wh < last ? now.wh : now.wh - last;
    before[plug.id] = now.wh;
    report[plug.name] = `${(used / 1000).toFixed(2)} kWh, ${(used / 1000 * CENTS_PER_KWH).toFixed(0)} ct${now.update ? ' (update)' : ''}`;
    if (now.celsius > limit) hot.push(`${plug.name} ${now.celsius.toFixed(1)}°`);
    if (plug.saver && now.on && now.watts < IDLE) await fetch(`${HOME}/${plug.id}/relay/0`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ turn: 'off' }) });
  }
  await kv.set('wh', before);
  if (hot.length > 0) await notify('Hot plugs', hot.join(', '));
  return report;
};
