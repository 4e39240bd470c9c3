const LIST = 'GET https://data.city.example/resource/ydr8-5enu.json';
const given = (o) => Object.fromEntries(Object.entries(o).filter(([, v]) => v !== null));
const two = (n) => String(n).padStart(2, '0');
// Chicago has summer time from the 8th of March 2026 on.
const local = (p) => `${p.day}T${two(p.hour)}:${two(p.minute)}:00.000`;
const fixed = (p) => new Date(Date.parse(`${local(p)}Z`) + (p.day >= '2026-03-08' ? 5 : 6) * 3600000).toISOString();
const old = (p) => given({ permit_: p.id, issue_date: local(p), ward: p.ward, reported_cost: p.cost, total_fee: p.fee, work_type: p.work, location: p.at && { latitude: String(p.at[1]), longitude: String(p.at[0]), human_address: '{"address":"","city":"","state":"","zip":""}', needs_recoding: false } });
const soda = (p) => { const o = old(p); for (const k of ['ward', 'reported_cost', 'total_fee']) if (k in o) o[k] = String(o[k]); if (p.at) { o.location = { type: 'Point', coordinates: p.at }; o.location_city = 'Chicago'; } return o; };
const renamed = (p) => { const { permit_, reported_cost, total_fee, work_type, ...o } = old(p); return given({ ...o, permit_number: permit_, reported_cost_usd: reported_cost ?? null, building_fee_paid: total_fee === undefined ? null : total_fee / 2, zoning_fee_paid: total_fee === undefined ? null : total_fee / 2, work_type: work_type?.toUpperCase().replaceAll(' ', '_') ?? null }); };
const pages = (make, headers = {}) => (f, q) => ({ $headers: headers, $body: f.permits.slice(+q.query.$offset, +q.query.$offset + +q.query.$limit).map(make) });
const BATCH = 'const batch = await res.json();';
export default {
  source: 'https://dev.socrata.com/docs/datatypes and https://github.com/Chicago/RSocrata/issues/166 and https://github.com/CityofSantaMonica/SODA.NET/issues/38: version 2.1 of open data gives numbers as texts and places as points with the longitude first, dates change between floating ones and fixed ones in UTC, and publishers rename and split columns',
  says: 'Keep a table of the building permits of yesterday by ward, and the points of the map.',
  zone: 'America/Chicago',
  facts: (day, r) => {
    const on = (n) => new Date(Date.UTC(2026, 2, n + 1)).toISOString().slice(0, 10);
    return { slot: `${on(day + 1)}T12:00:00Z`, permits: day === 8 ? [] : r.many(3, 11, (i) => ({ id: `B${100000 + day * 20 + i}`, day: r.chance(0.8) ? on(day) : on(day + 1), hour: r.pick([1, 2, 9, 13, 20, 22, 23]), minute: r.int(0, 59), ward: r.chance(0.2) ? null : r.pick([2, 3, 11, 42]), cost: r.chance(0.2) ? null : r.pick([1, 12000, 450000, 1000000, 7250000]) + r.int(0, 900), fee: r.chance(0.3) ? null : 2 * r.int(20, 4000), work: r.pick([null, 'new construction', 'repair', 'démolition']), at: r.chance(0.2) ? null : [-87.6 - r.int(0, 999) / 10000, 41.8 + r.int(0, 999) / 10000].map((n) => Number(n.toFixed(4))) })) };
  },
  input: (f) => ({ slot: f.slot }),
  api: { [LIST]: pages(old) },
  changes: [{
    name: '2.1',
    happened: 'numbers are texts, and a location is a point with coordinates, longitude first',
    tells: [['text', 'string', 'reported_cost', 'total_fee'], ['coordinates', 'Point', 'location']],
    api: { [LIST]: pages(soda) },
    right: {
      'at each place': [['w.cost += row.reported_cost ?? 0', 'w.cost += Number(row.reported_cost ?? 0)'], ['w.fees += row.total_fee ?? 0', 'w.fees += Number(row.total_fee ?? 0)'], ['  return [Number(', '  if (location.coordinates) return location.coordinates;\n  return [Number('], ["const key = row.ward ?? 'unknown';", "const key = String(row.ward ?? 'unknown');"]],
      'normalised': [[BATCH, `const batch = (await res.json()).map(({ location, ...row }) => {
      for (const name of ['reported_cost', 'total_fee']) if (typeof row[name] === 'string') row[name] = parseFloat(row[name]);
      if (location?.type === 'Point') location = { longitude: location.coordinates[0], latitude: location.coordinates[1] };
      return { ...row, location };
    });`]],
      'helpers': [['const place =', 'const num = (v) => (v === undefined ? 0 : +v);\nconst place ='], ['row.reported_cost ?? 0', 'num(row.reported_cost)'], ['row.total_fee ?? 0', 'num(row.total_fee)'], ['return [Number(location.longitude), Number(location.latitude)];', 'const [lon, lat] = location.coordinates ?? [location.longitude, location.latitude];\n  return [Number(lon), Number(lat)];']],
    },
    wrong: {
      'only costs': [['row.reported_cost ?? 0', 'Number(row.reported_cost ?? 0)'], ['  return [Number(', '  if (location.coordinates) return location.coordinates;\n  return [Number(']],
      'only numbers': [['row.reported_cost ?? 0', 'Number(row.reported_cost ?? 0)'], ['row.total_fee ?? 0', 'Number(row.total_fee ?? 0)']],
      'latitude first': [['row.reported_cost ?? 0', 'Number(row.reported_cost ?? 0)'], ['row.total_fee ?? 0', 'Number(row.total_fee ?? 0)'], ['  return [Number(', '  if (location.coordinates) return [location.coordinates[1], location.coordinates[0]];\n  return [Number(']],
      'no place': [['row.reported_cost ?? 0', 'Number(row.reported_cost ?? 0)'], ['row.total_fee ?? 0', 'Number(row.total_fee ?? 0)'], ['if (!location) return null;', 'if (!location?.latitude) return null;']],
    },
  }, {
    name: 'fixed-dates',
    happened: 'issue_date is a time in UTC, ending in Z, where it was the time of the city without a zone',
    tells: ['issue_date', ['UTC', 'Z', 'zone', 'time']],
    api: { [LIST]: pages((p) => ({ ...old(p), issue_date: fixed(p) })) },
    right: {
      'by localTime': [['row.issue_date?.slice(0, 10) !== day', "(row.issue_date?.endsWith('Z') ? localTime(Date.parse(row.issue_date), 'America/Chicago').date : row.issue_date?.slice(0, 10)) !== day"]],
      'with luxon': [["import { stringify }", "import { DateTime } from 'luxon';\nimport { stringify }"], ['row.issue_date?.slice(0, 10) !== day', "DateTime.fromISO(row.issue_date ?? '', { zone: 'America/Chicago' }).toISODate() !== day"]],
      'by Intl': [['const place =', "const cityDay = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago', year: 'numeric', month: '2-digit', day: '2-digit' });\nconst dayOf = (text = '') => (/Z$/.test(text) ? cityDay.format(new Date(text)) : text.slice(0, 10));\n\nconst place ="], ['row.issue_date?.slice(0, 10) !== day', 'dayOf(row.issue_date) !== day']],
    },
    wrong: {
      'seven hours': [['row.issue_date?.slice(0, 10) !== day', "new Date(Date.parse(row.issue_date.replace(/Z?$/, 'Z')) - (row.issue_date.endsWith('Z') ? 7 * 3600000 : 0)).toISOString().slice(0, 10) !== day"]],
      'always from UTC': [['row.issue_date?.slice(0, 10) !== day', "localTime(Date.parse(row.issue_date.replace(/Z?$/, 'Z')), 'America/Chicago').date !== day"]],
      'the day after, too': [['row.issue_date?.slice(0, 10) !== day', "row.issue_date?.slice(0, 10) < day"]],
      'without the Z': [['row.issue_date?.slice(0, 10) !== day', "row.issue_date?.replace('Z', '').slice(0, 10) !== day"]],
    },
  }, {
    name: 'columns',
    happened: 'permit_ is permit_number, reported_cost is reported_cost_usd, total_fee is split into building_fee_paid and zoning_fee_paid, and kinds of work are written as NEW_CONSTRUCTION',
    tells: ['permit_number', ['building_fee_paid', 'zoning_fee_paid', 'total_fee'], ['reported_cost_usd', 'reported_cost']],
    api: { [LIST]: pages(renamed) },
    right: {
      'put back': [[BATCH, `const batch = (await res.json()).map((row) => ('permit_number' in row ? {
      ...row, permit_: row.permit_number, reported_cost: row.reported_cost_usd, total_fee: (row.building_fee_paid ?? 0) + (row.zoning_fee_paid ?? 0),
      work_type: row.work_type?.toLowerCase().replace(/_/g, ' '),
    } : row));`]],
      'by ??': [['permit: row.permit_,', 'permit: row.permit_ ?? row.permit_number,'], ['`${row.permit_} in', '`${row.permit_ ?? row.permit_number} in'], ['row.reported_cost ?? 0', 'row.reported_cost ?? row.reported_cost_usd ?? 0'], ['row.reported_cost >= BIG', '(row.reported_cost ?? row.reported_cost_usd) >= BIG'], ['row.total_fee ?? 0', 'row.total_fee ?? (row.building_fee_paid ?? 0) + (row.zoning_fee_paid ?? 0)'], ["row.work_type ?? ''", "(row.work_type ?? '').toLowerCase().replaceAll('_', ' ')"]],
      'a table': [['const place =', `const WORK = { NEW_CONSTRUCTION: 'new construction', REPAIR: 'repair', 'DÉMOLITION': 'démolition' };
const read = ({ permit_number, permit_ = permit_number, reported_cost_usd, reported_cost = reported_cost_usd, building_fee_paid = 0, zoning_fee_paid = 0, total_fee = building_fee_paid + zoning_fee_paid, work_type, ...row }) => ({ ...row, permit_, reported_cost, total_fee, work_type: WORK[work_type] ?? work_type });

const place =`], ['yield* batch;', 'yield* batch.map(read);']],
    },
    wrong: {
      'half of the fees': [['permit: row.permit_,', 'permit: row.permit_ ?? row.permit_number,'], ['`${row.permit_} in', '`${row.permit_ ?? row.permit_number} in'], ['row.reported_cost ?? 0', 'row.reported_cost ?? row.reported_cost_usd ?? 0'], ['row.reported_cost >= BIG', '(row.reported_cost ?? row.reported_cost_usd) >= BIG'], ['row.total_fee ?? 0', 'row.total_fee ?? row.building_fee_paid ?? 0'], ["row.work_type ?? ''", "(row.work_type ?? '').toLowerCase().replaceAll('_', ' ')"]],
      'loud work': [[BATCH, `const batch = (await res.json()).map((row) => ('permit_number' in row ? { ...row, permit_: row.permit_number, reported_cost: row.reported_cost_usd, total_fee: (row.building_fee_paid ?? 0) + (row.zoning_fee_paid ?? 0) } : row));`]],
      'nothing is big': [['permit: row.permit_,', 'permit: row.permit_ ?? row.permit_number,'], ['row.reported_cost ?? 0', 'row.reported_cost ?? row.reported_cost_usd ?? 0'], ['row.total_fee ?? 0', 'row.total_fee ?? (row.building_fee_paid ?? 0) + (row.zoning_fee_paid ?? 0)'], ["row.work_type ?? ''", "(row.work_type ?? '').toLowerCase().replaceAll('_', ' ')"]],
    },
  }],
};
