const route = 'GET https://home.example/devices/:id/status';
const NAMES = ['Fernseher', 'Kühlschrank', 'Rack', '炊飯器', 'Lamp'];
const at = (make, none = { $status: 404, $body: { error: 'offline' } }) => (f, q) => { const p = f.plugs.find((one) => one.id === q.params.id); return p.there ? make(p) : none; };
const gen1 = (p) => ({ wifi_sta: { connected: true }, relays: [{ ison: p.on, has_timer: false }], meters: [{ power: p.watts, is_valid: true, total: p.wh * 60 + p.rest }], ...(p.celsius === null ? {} : { temperature: p.celsius }), update: { status: p.update ? 'pending' : 'idle', has_update: p.update }, uptime: 5000 });
const gen2 = (p) => ({ 'switch:0': { id: 0, output: p.on, apower: p.watts, aenergy: { total: p.wh + p.rest / 60, by_minute: [0, 0, 0] }, ...(p.celsius === null ? {} : { temperature: { tC: p.celsius, tF: p.celsius * 1.8 + 32 } }) }, sys: { uptime: 5000, available_updates: p.update ? { stable: { version: '1.4.4' } } : {} } });
const emeters = (p) => { const { meters, relays, ...o } = gen1(p); return { ...o, relays, emeters: [{ power: p.watts, pf: 0.9, voltage: 231.2, is_valid: true, total: p.wh + p.rest / 60, total_returned: 0 }] }; };
const tmp = (p) => { const { temperature, ...o } = gen1(p); return { ...o, tmp: p.celsius === null ? { tC: 0, tF: 32, is_valid: false } : { tC: p.celsius, tF: p.celsius * 1.8 + 32, is_valid: true } }; };
const unplugged = { wifi_sta: { connected: false }, relays: [{ ison: false, has_timer: false }], meters: [{ power: 0, is_valid: false, total: 0 }], tmp: { tC: 0, tF: 32, is_valid: false }, update: { status: 'unknown', has_update: false }, uptime: 0 };
const GEN2 = `const fromGen2 = ({ 'switch:0': s, sys }) => ({
  relays: [{ ison: s.output }], meters: [{ power: s.apower, total: s.aenergy.total * 60 }],
  temperature: s.temperature?.tC, update: { has_update: 'stable' in sys.available_updates },
});

`;
export default {
  source: 'https://github.com/evcc-io/evcc/pull/7335 and https://github.com/evcc-io/evcc/pull/33111 and https://github.com/iobroker-community-adapters/ioBroker.shelly/issues/85: plugs of the first generation count watt-minutes under meters, meters of three phases and the second generation watt-hours under emeters and aenergy, both named total',
  says: 'Note what each plug has used since yesterday, and switch off what idles.',
  facts: (day, r) => ({ plugs: NAMES.slice(0, day === 3 ? 0 : r.int(2, 5)).map((name, i) => ({ id: `s${i}`, name, saver: i % 2 === 0, there: r.chance(0.8), on: r.chance(0.7), watts: r.pick([0, 0.8, 1.9, 14.2, 310]), wh: (i === 4 ? 0 : 4000 * (i + 1)) + (day % 9) * 700 + r.int(0, 600), rest: r.int(0, 28), celsius: r.chance(0.2) ? null : r.int(200, 800) / 10, update: r.chance(0.2) })) }),
  input: (f) => ({ plugs: f.plugs.map(({ id, name, saver }) => ({ id, name, saver })), limit: 60 }),
  api: { [route]: at(gen1), 'POST https://home.example/devices/:id/relay/0': { ison: false } },
  changes: [{
    name: 'gen2',
    happened: 'switch:0 has output, apower, aenergy.total in watt-hours and temperature.tC in place of relays, meters and temperature; updates are sys.available_updates',
    tells: [['meters', 'relays'], ['aenergy', 'switch:0', 'apower']],
    api: { [route]: at(gen2) },
    right: {
      'put back': [['module.exports', GEN2 + 'module.exports'], ['reading(answer)', "reading('switch:0' in answer ? fromGen2(answer) : answer)"]],
      'two readings': [['const reading = (s) => {', "const reading = (s) => {\n  const two = s['switch:0'];\n  if (two) return { on: two.output, watts: two.apower, wh: Math.round(two.aenergy.total), celsius: two.temperature ? two.temperature.tC : null, update: Boolean(s.sys.available_updates.stable) };"]],
      'at each place': [
        ['s.meters?.[0] ?? {}', "s.meters?.[0] ?? { power: s['switch:0'].apower, total: 60 * s['switch:0'].aenergy.total }"], ['s.relays ?? []', "s.relays ?? [{ ison: s['switch:0'].output }]"],
        ['s.temperature ?? null', "s.temperature ?? s['switch:0']?.temperature?.tC ?? null"], ['Boolean(s.update?.has_update)', 'Boolean(s.update?.has_update ?? s.sys?.available_updates.stable)'],
      ],
    },
    wrong: {
      'minutes': [['const reading = (s) => {', "const reading = (s) => {\n  const two = s['switch:0'];\n  if (two) return { on: two.output, watts: two.apower, wh: Math.round(two.aenergy.total / 60), celsius: two.temperature ? two.temperature.tC : null, update: Boolean(s.sys.available_updates.stable) };"]],
      'no updates': [['s.meters?.[0] ?? {}', "s.meters?.[0] ?? { power: s['switch:0'].apower, total: 60 * s['switch:0'].aenergy.total }"], ['s.relays ?? []', "s.relays ?? [{ ison: s['switch:0'].output }]"], ['s.temperature ?? null', "s.temperature ?? s['switch:0']?.temperature?.tC ?? null"]],
      'fahrenheit': [['module.exports', GEN2.replace('tC', 'tF') + 'module.exports'], ['reading(answer)', "reading('switch:0' in answer ? fromGen2(answer) : answer)"]],
      'any update': [['module.exports', GEN2.replace("'stable' in sys.available_updates", '!!sys.available_updates') + 'module.exports'], ['reading(answer)', "reading('switch:0' in answer ? fromGen2(answer) : answer)"]],
    },
  }, {
    name: 'emeters',
    happened: 'meters are emeters, whose total is in watt-hours',
    tells: ['meters', 'emeters'],
    api: { [route]: at(emeters) },
    right: {
      'by ??': [['s.meters?.[0] ?? {}', 's.meters?.[0] ?? { ...s.emeters[0], total: s.emeters[0].total * 60 }']],
      'if': [['  const [{ ison', '  const e = s.emeters && s.emeters[0];\n  const [{ ison'], ['watts: power, wh: Math.round(total / 60)', 'watts: e ? e.power : power, wh: Math.round(e ? e.total : total / 60)']],
      'in status': [['  return res.json();', '  const body = await res.json();\n  if (body.emeters) body.meters = body.emeters.map((m) => ({ power: m.power, total: 60 * m.total }));\n  return body;']],
    },
    wrong: {
      'the name only': [['s.meters?.[0] ?? {}', 's.meters?.[0] ?? s.emeters?.[0] ?? {}']],
      'without power': [['Math.round(total / 60)', 'Math.round(s.emeters ? s.emeters[0].total : total / 60)']],
      'kilowatt-hours': [['s.meters?.[0] ?? {}', 's.meters?.[0] ?? { ...s.emeters[0], total: s.emeters[0].total * 60000 }']],
    },
  }, {
    name: 'is-valid',
    happened: 'temperature is tmp.tC, with is_valid; a plug that is pulled out answers 200 with a meter that is not valid and zeros',
    tells: ['temperature', ['tmp', 'is_valid']],
    api: { [route]: at(tmp, unplugged) },
    right: {
      'in status': [['  return res.json();', '  const body = await res.json();\n  if (body.meters[0].is_valid === false) return null;\n  if (body.tmp?.is_valid) body.temperature = body.tmp.tC;\n  return body;']],
      'at each place': [['if (!answer) {', 'if (!answer || !answer.meters[0].is_valid) {'], ['s.temperature ?? null', 's.temperature ?? (s.tmp?.is_valid ? s.tmp.tC : null)']],
      'helpers': [['const reading', 'const warmth = ({ temperature, tmp }) => (tmp ? (tmp.is_valid ? tmp.tC : null) : temperature ?? null);\nconst out = (s) => s === null || s.wifi_sta.connected === false;\nconst reading'], ['s.temperature ?? null', 'warmth(s)'], ['if (!answer)', 'if (out(answer))']],
    },
    wrong: {
      'only warm': [['s.temperature ?? null', 's.temperature ?? s.tmp?.tC ?? null']],
      'only gone': [['if (!answer) {', 'if (!answer || !answer.meters[0].is_valid) {']],
      'without warmth': [['if (!answer) {', 'if (!answer || !answer.tmp?.is_valid) {'], ['s.temperature ?? null', 's.temperature ?? s.tmp?.tC ?? null']],
      'zero is gone': [['  return res.json();', '  const body = await res.json();\n  if (!body.meters[0].power) return null;\n  if (body.tmp?.is_valid) body.temperature = body.tmp.tC;\n  return body;']],
    },
  }],
};
