const route = 'POST https://logs.example/app-*/_search';
const hit = (e) => ({ _index: 'app-2026', _type: 'doc', _id: e.id, _score: null, _source: { '@timestamp': e.at, level: 'error', service: { name: e.service }, message: e.message } });
const page = (f, q, hits, total) => ({ took: 3, timed_out: false, hits: { total: total(f.errors.length), max_score: null, hits: hits(f.errors.slice(q.body.from, q.body.from + q.body.size)) } });
export default {
  source: 'https://github.com/elastic/elasticsearch/pull/35849 and https://github.com/graphql-compose/graphql-compose-elasticsearch/issues/96 (both opened): total of hits became an object with value and relation, and clients stumbled; fields of logs move to names with dots (from memory)',
  says: 'Keep the errors of the day in a file and tell the worst services',
  facts: (day, r) => ({
    day: `2026-05-${String(day + 1).padStart(2, '0')}`,
    errors: r.many(day === 6 ? 0 : 2, 9, (i) => ({ id: r.hex(10), at: `2026-05-${String(day + 1).padStart(2, '0')}T1${i}:2${r.int(0, 9)}:00.000Z`, service: r.pick(['api', 'billing', 'größe', 'worker']), message: r.pick(['Connection refused', 'null is not “fine”', 'タイムアウト', 'Out of memory']) })),
  }),
  input: (f) => ({ day: f.day }),
  api: { [route]: (f, q) => page(f, q, (e) => e.map(hit), (n) => n), 'POST https://chat.example/api/channels/:name': () => ({ ok: true }) },
  changes: [{
    name: 'total-object',
    happened: 'hits.total is an object with value and relation',
    tells: [['total', 'value']],
    api: { [route]: (f, q) => page(f, q, (e) => e.map((o) => { const { _type, ...h } = hit(o); return h; }), (value) => ({ value, relation: 'eq' })) },
    right: {
      'either': [['total = json.hits.total;', 'total = json.hits.total.value ?? json.hits.total;']],
      'by type': [['total = json.hits.total;', "total = typeof json.hits.total === 'object' ? json.hits.total.value : json.hits.total;"]],
      'until a page is not full': [['total = json.hits.total;', 'total = json.hits.hits.length < 3 ? 0 : Infinity;']],
    },
    wrong: {
      'what is on the page': [['total = json.hits.total;', 'total = Number(json.hits.total) || json.hits.hits.length;']],
      'three pages at most': [['total = json.hits.total;', 'total = Number.isInteger(json.hits.total) ? json.hits.total : 5;']],
      'the new one only': [['total = json.hits.total;', 'total = json.hits.total.value;']],
    },
  }, {
    name: 'flat-fields',
    happened: 'the total is an object, service.name is one name with a dot, and message is event.original or error.message',
    tells: [['service.name', 'service', 'message', 'total']],
    api: { [route]: (f, q) => page(f, q, (list) => list.map((e) => ({ ...hit(e), _source: { '@timestamp': e.at, 'log.level': 'error', 'service.name': e.service, error: { message: e.message } } })), (value) => ({ value, relation: 'eq' })) },
    right: {
      'made old': [['hits = hits.concat(json.hits.hits);', "hits = hits.concat(json.hits.hits.map((h) => ('service.name' in h._source ? { ...h, _source: { '@timestamp': h._source['@timestamp'], service: { name: h._source['service.name'] }, message: h._source.error.message } } : h)));"], ['total = json.hits.total;', 'total = json.hits.total.value === undefined ? json.hits.total : json.hits.total.value;']],
      'two readers': [['async function search', "function nameOf(s) {\n  return s['service.name'] || s.service.name;\n}\n\nfunction textOf(s) {\n  return s.message || s.error.message;\n}\n\nasync function search"], ['service: s.service.name, message: s.message', 'service: nameOf(s), message: textOf(s)'], ['hit._source.service.name', 'nameOf(hit._source)'], ['total = json.hits.total;', "total = typeof json.hits.total == 'number' ? json.hits.total : json.hits.total.value;"]],
      'in each place': [['service: s.service.name, message: s.message', "service: s.service?.name ?? s['service.name'], message: s.message ?? s.error?.message"], ['hit._source.service.name', "(hit._source.service ? hit._source.service.name : hit._source['service.name'])"], ['total = json.hits.total;', 'const t = json.hits.total;\n    total = t.value ?? t;']],
    },
    wrong: {
      'unknown': [['service: s.service.name', "service: s.service?.name ?? 'unknown'"], ['hit._source.service.name', "(hit._source.service?.name ?? 'unknown')"], ['total = json.hits.total;', 'total = json.hits.total.value ?? json.hits.total;']],
      'no message': [['service: s.service.name', "service: s.service?.name ?? s['service.name']"], ['hit._source.service.name', "(hit._source.service?.name ?? hit._source['service.name'])"], ['total = json.hits.total;', 'total = json.hits.total.value ?? json.hits.total;']],
      'the first page': [['service: s.service.name, message: s.message', "service: s.service?.name ?? s['service.name'], message: s.message ?? s.error?.message"], ['hit._source.service.name', "(hit._source.service?.name ?? hit._source['service.name'])"]],
      'left out': [['hits = hits.concat(json.hits.hits);', 'hits = hits.concat(json.hits.hits.filter((h) => h._source.service));'], ['total = json.hits.total;', 'total = json.hits.total.value ?? json.hits.total;']],
    },
  }, {
    name: 'fields-as-lists',
    happened: 'a hit has fields with lists in place of _source, the time is in milliseconds as a text, and the total a text',
    tells: [['_source', 'fields']],
    api: { [route]: (f, q) => page(f, q, (list) => list.map((e) => ({ _index: 'app-2026', _id: e.id, fields: { '@timestamp': [String(Date.parse(e.at))], 'service.name': [e.service], message: [e.message] } })), (n) => String(n)) },
    right: {
      'made old': [['hits = hits.concat(json.hits.hits);', "hits = hits.concat(json.hits.hits.map((h) => (h._source ? h : { _id: h._id, _source: { '@timestamp': new Date(Number(h.fields['@timestamp'][0])).toISOString(), service: { name: h.fields['service.name'][0] }, message: h.fields.message[0] } })));"]],
      'a function': [['async function search', "const source = (h) => {\n  if (h._source) return h._source;\n  const [at] = h.fields['@timestamp'], [name] = h.fields['service.name'], [message] = h.fields.message;\n  return { '@timestamp': new Date(+at).toISOString(), service: { name }, message };\n};\n\nasync function search"], ["hits.map(({ _id, _source: s }) => JSON", "hits.map((h) => [h._id, source(h)]).map(([_id, s]) => JSON"], ['hit._source.service', 'source(hit).service']],
      'unpacked first': [['  return hits;', "  for (const h of hits) {\n    if (!h.fields) continue;\n    const one = Object.fromEntries(Object.entries(h.fields).map(([k, v]) => [k, v[0]]));\n    h._source = { '@timestamp': new Date(parseInt(one['@timestamp'], 10)).toISOString(), message: one.message, service: { name: one['service.name'] } };\n  }\n  return hits;"]],
    },
    wrong: {
      'milliseconds as they are': [['hits = hits.concat(json.hits.hits);', "hits = hits.concat(json.hits.hits.map((h) => (h._source ? h : { _id: h._id, _source: { '@timestamp': h.fields['@timestamp'][0], service: { name: h.fields['service.name'][0] }, message: h.fields.message[0] } })));"]],
      'lists as they are': [['hits = hits.concat(json.hits.hits);', "hits = hits.concat(json.hits.hits.map((h) => (h._source ? h : { _id: h._id, _source: { '@timestamp': new Date(Number(h.fields['@timestamp'])).toISOString(), service: { name: h.fields['service.name'] }, message: h.fields.message } })));"]],
      'left out': [['hits = hits.concat(json.hits.hits);', 'hits = hits.concat(json.hits.hits.filter((h) => h._source));']],
    },
  }],
};
