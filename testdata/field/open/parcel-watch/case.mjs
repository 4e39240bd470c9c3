const route = 'GET https://api.carrier.example/track/:number';
const STATES = ['in_transit', 'out_for_delivery', 'delivered', 'exception', 'customs'];
const event = (e) => ({ timestamp: e.at, description: 'scan', ...(e.city ? { location: { city: e.city, country: 'DE' } } : {}) });
const by = (make) => (f, q) => { const p = f.parcels.find((one) => one.number === q.params.number); return p.known ? make(p) : { $status: 404, $body: { title: 'not found' } }; };
export default {
  source: 'https://developer.dhl.com/api-reference/shipment-tracking and https://www.aftership.com/docs/tracking/changelog: shipments with events, status with a code; versions flattened the status and renamed events to checkpoints',
  says: 'Tell me when the state of a parcel changes.',
  facts: (day, r) => ({ parcels: r.many(day === 4 ? 0 : 1, 4, (i) => ({ number: `JD0${i}`, what: ['Shoes', 'Bücher', 'Lamp', '本'][i], known: r.chance(0.85), state: r.pick(STATES), events: r.mix(r.many(1, 3, (k) => ({ at: `2026-03-${String(day % 28 + 1).padStart(2, '0')}T0${k + 1}:00:00Z`, city: r.chance(0.7) ? r.pick(['Köln', 'Leipzig']) : null }))) })) }),
  input: (f) => ({ parcels: f.parcels.map(({ number, what }) => ({ number, what })) }),
  api: { [route]: by((p) => ({ shipments: [{ id: p.number, status: { code: p.state, since: p.events[0].at }, events: p.events.map(event) }] })) },
  changes: [{
    name: 'flat-status',
    happened: 'status is the code itself, as a text',
    tells: ['status'],
    api: { [route]: by((p) => ({ shipments: [{ id: p.number, status: p.state, events: p.events.map(event) }] })) },
    right: {
      'by ??': [['shipment.status.code', '(shipment.status.code ?? shipment.status)']],
      'typeof': [['  const [last]', "  const code = typeof shipment.status === 'object' ? shipment.status.code : shipment.status;\n  const [last]"], ['state: shipment.status.code', 'state: code'], ['STATES[shipment.status.code] ?? shipment.status.code', 'STATES[code] ?? code']],
      'in track': [['body && body.shipments[0]', "body && body.shipments.map((s) => (s.status.code ? s : { ...s, status: { code: s.status } }))[0]"]],
    },
    wrong: {
      'unknown': [['shipment.status.code', "(shipment.status.code ?? 'unknown')"]],
      'on its way': [['shipment.status.code', "(shipment.status.code ?? 'in_transit')"]],
      'only the text': [['STATES[shipment.status.code] ?? shipment.status.code', 'STATES[shipment.status.code ?? shipment.status] ?? shipment.status']],
    },
  }, {
    name: 'v4',
    happened: 'tracking for shipments[0], tag in CamelCase for status.code, checkpoints for events with time in seconds and a flat city and country_iso3 (null for none)',
    tells: ['shipments', 'tracking'],
    api: { [route]: by((p) => ({ tracking: { number: p.number, tag: p.state.replace(/(^|_)(\w)/g, (_, u, c) => c.toUpperCase()), checkpoints: p.events.map((e) => ({ time: Date.parse(e.at) / 1000, city: e.city, country: e.city ? 'DE' : null })) } })) },
    right: {
      'adapter in track': [['body && body.shipments[0]', "body && (body.shipments ? body.shipments[0] : fromTracking(body.tracking))"], ['const track =', "const snake = (tag) => tag.replace(/(?!^)([A-Z])/g, '_$1').toLowerCase();\nconst fromTracking = (t) => ({ status: { code: snake(t.tag) }, events: t.checkpoints.map((c) => ({ timestamp: c.time * 1000, location: c.city ? { city: c.city, country: c.country } : null })) });\n\nconst track ="]],
      'in label': [['body && body.shipments[0]', 'body && (body.tracking ?? body.shipments[0])'], ['const label = (shipment) => {', "const CODES = { InTransit: 'in_transit', OutForDelivery: 'out_for_delivery', Delivered: 'delivered', Exception: 'exception', Customs: 'customs' };\n\nconst label = (given) => {\n  const shipment = given.tag\n    ? { status: { code: CODES[given.tag] }, events: given.checkpoints.map(({ time, city, country }) => ({ timestamp: new Date(time * 1000).toISOString(), location: city && { city, country } })) }\n    : given;"]],
      'by ??': [
        ['body && body.shipments[0]', 'body?.shipments?.[0] ?? body?.tracking'], ['shipment.events.slice()', '(shipment.events ?? shipment.checkpoints).slice()'], ['new Date(b.timestamp) - new Date(a.timestamp)', 'new Date(b.timestamp ?? b.time * 1000) - new Date(a.timestamp ?? a.time * 1000)'],
        ["last.location ? `${last.location.city} (${last.location.country})`", "(last.location ?? last).city ? `${(last.location ?? last).city} (${(last.location ?? last).country})`"],
        ['  return { state: shipment.status.code, text: `${STATES[shipment.status.code] ?? shipment.status.code}', "  const code = shipment.status?.code ?? shipment.tag.replace(/\\B[A-Z]/g, '_$&').toLowerCase();\n  return { state: code, text: `${STATES[code] ?? code}"],
      ],
    },
    wrong: {
      'not known': [['body && body.shipments[0]', 'body && body.shipments?.[0]']],
      'tag as it is': [['body && body.shipments[0]', "body && (body.shipments?.[0] ?? { status: { code: body.tracking.tag }, events: body.tracking.checkpoints.map((c) => ({ timestamp: c.time * 1000, location: c.city ? c : null })) })"]],
      'the first checkpoint': [['body && body.shipments[0]', "body && (body.shipments?.[0] ?? { status: { code: body.tracking.tag.replace(/\\B[A-Z]/g, '_$&').toLowerCase() }, events: body.tracking.checkpoints.slice(0, 1).map((c) => ({ timestamp: c.time * 1000, location: c.city ? c : null })) })"]],
      'lower case': [['body && body.shipments[0]', "body && (body.shipments?.[0] ?? { status: { code: body.tracking.tag.toLowerCase() }, events: body.tracking.checkpoints.map((c) => ({ timestamp: c.time * 1000, location: c.city ? c : null })) })"]],
    },
  }, {
    name: 'addresses',
    happened: 'location is an address with locality and countryCode',
    tells: ['city', 'locality'],
    api: { [route]: by((p) => ({ shipments: [{ id: p.number, status: { code: p.state }, events: p.events.map((e) => ({ timestamp: e.at, ...(e.city ? { location: { address: { locality: e.city, countryCode: 'DE' } } } : {}) })) }] })) },
    right: {
      'by ??': [['last.location.city', 'last.location.city ?? last.location.address.locality'], ['last.location.country', 'last.location.country ?? last.location.address.countryCode']],
      'helper': [['const label', "const placeOf = ({ address, city, country }) => (address ? `${address.locality} (${address.countryCode})` : `${city} (${country})`);\n\nconst label"], ['`${last.location.city} (${last.location.country})`', 'placeOf(last.location)']],
      'normalised': [['  const where', "  const address = last.location?.address;\n  if (address) last.location = { city: address.locality, country: address.countryCode };\n  const where"]],
    },
    wrong: {
      'half': [['last.location.city', 'last.location.city ?? last.location.address.locality']],
      'on the road': [['last.location ?', 'last.location?.city ?']],
      'empty': [['last.location.city', "last.location.city ?? ''"], ['last.location.country', "last.location.country ?? ''"]],
    },
  }],
};
