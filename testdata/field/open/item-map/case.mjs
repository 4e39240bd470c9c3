const ITEMS = 'GET https://plan.example/api/v1/workspaces/acme/projects/:project/work-items/', STATES = 'GET https://plan.example/api/v1/workspaces/acme/states/', PEOPLE = 'GET https://plan.example/api/v1/workspaces/acme/members/';
const GROUPS = [['s1', 'To do', 'unstarted'], ['s2', 'Doing', 'started'], ['s3', 'Done', 'completed'], ['s4', 'Dropped', 'cancelled']];
const NAMES = { u1: 'Ann', u2: 'Bö', u3: '陳' };
const of = (i) => ({ id: i.id, sequence_id: i.n, name: i.name, state: i.state, priority: 'none', target_date: i.due, ...(i.people.length ? { assignees: i.people.map((id) => ({ id, display_name: NAMES[id] })) } : {}) });
const states = () => ({ results: GROUPS.map(([id, name, group], i) => ({ id, name, group, sequence: i })), next_cursor: '', total_count: 4 });
const ids = (i) => { const { state, assignees, ...rest } = of(i); return { ...rest, state_id: state, assignee_ids: i.people }; };
const GET = "const { results: items } = await web.getJSON(`https://plan.example/api/v1/workspaces/acme/projects/${input.project || 'p1'}/work-items/`);";
const GOT = "await web.getJSON(`https://plan.example/api/v1/workspaces/acme/projects/${input.project || 'p1'}/work-items/`)";
const LOAD = "  const stateOf =";
const people = 'const people = new Map((await web.getJSON(\'https://plan.example/api/v1/workspaces/acme/members/\')).data.map((m) => [m.id, m.display_name]));';
export default {
  source: 'https://developers.plane.so/api-reference/v2/migrating-from-v1: version 2 gives relations as state_id and assignee_ids where version 1 embedded objects, and data with pagination for results',
  says: 'Keep a card for each work item.',
  facts: (day, r) => ({ items: day === 9 ? [] : r.many(2, 6, (i) => { const n = 1 + (day + i * 2) % 11; return { id: `wi-${n}`, n, name: r.pick(['Login', 'Übersicht', '検索', 'Export']), state: r.pick(['s1', 's2', 's2', 's3', 's4']), due: r.pick([null, '2026-04-01']), people: r.some(['u1', 'u2', 'u3']) }; }).filter((x, i, all) => all.findIndex((y) => y.id === x.id) === i) }),
  api: {
    [ITEMS]: (f) => ({ results: f.items.map(of), total_count: f.items.length }), [STATES]: states,
    'POST https://cards.example/api/cards': (f, q) => ({ id: q.id }), 'PATCH https://cards.example/api/cards/:id': (f, q) => ({ id: Number(q.params.id) }), 'DELETE https://cards.example/api/cards/:id': { $status: 204, $body: undefined },
  },
  changes: [{
    name: 'state-object',
    happened: 'state is an object with id and name, and assignees are an empty list where they were left out',
    tells: ['state', ['object', 'id', 'detail']],
    api: { [ITEMS]: (f) => ({ results: f.items.map((i) => ({ assignees: [], ...of(i), state: { id: i.state, name: i.state === 's1' ? 'Backlog' : GROUPS.find(([id]) => id === i.state)[1], color: '#f00' } })), total_count: f.items.length }) },
    right: {
      'by the id': [['stateOf[item.state]', 'stateOf[item.state.id ?? item.state]']],
      'made old': [[LOAD, "  for (const item of items) if (typeof item.state === 'object') item.state = item.state.id;\n" + LOAD]],
      'a helper': [['// Each open', "const idOf = (ref) => (ref && ref.id !== undefined ? ref.id : ref);\n\n// Each open"], ['stateOf[item.state]', 'stateOf[idOf(item.state)]']],
    },
    wrong: {
      'the state itself': [['const state = stateOf[item.state];', 'const state = stateOf[item.state] || item.state;']],
      'by the name': [['const state = stateOf[item.state];', 'const state = stateOf[item.state] || states.find((s) => s.name === item.state.name);']],
      'the first state': [['stateOf[item.state]', '(stateOf[item.state] || states[0])']],
    },
  }, {
    name: 'v2',
    happened: 'results are data, relations are ids in state_id and assignee_ids; names of people are in the list of members',
    tells: ['results', ['assignee_ids', 'state_id']],
    api: {
      [ITEMS]: (f) => ({ data: f.items.map(ids), pagination: { style: 'cursor', next_cursor: null } }), [STATES]: () => ({ data: states().results, pagination: { style: 'cursor', next_cursor: null } }),
      [PEOPLE]: () => ({ data: Object.entries(NAMES).map(([id, display_name]) => ({ id, display_name, role: 15 })), pagination: { style: 'cursor', next_cursor: null } }),
    },
    right: {
      'made old': [[GET, `const given = ${GOT};\n  let items = given.results;\n  if (given.data) {\n    ${people}\n    items = given.data.map((i) => ({ ...i, state: i.state_id, assignees: i.assignee_ids.map((id) => ({ display_name: people.get(id) })) }));\n  }`], ['const { results: states } =', 'const { data, results: states = data } =']],
      'at each place': [
        ['const { results: items } =', 'const { data, results: items = data } ='], ['const { results: states } =', 'const { data: list, results: states = list } ='], ['stateOf[item.state]', 'stateOf[item.state ?? item.state_id]'],
        [LOAD, "  const names = items.some((i) => i.assignee_ids) ? Object.fromEntries((await web.getJSON('https://plan.example/api/v1/workspaces/acme/members/')).data.map((m) => [m.id, m.display_name])) : {};\n" + LOAD],
        ['(item.assignees || []).map((a) => a.display_name)', '(item.assignee_ids ? item.assignee_ids.map((id) => names[id]) : (item.assignees || []).map((a) => a.display_name))'],
      ],
      'a function for the items': [['async function main', `async function workItems(project) {
  const body = await web.getJSON(\`https://plan.example/api/v1/workspaces/acme/projects/\${project}/work-items/\`);
  if (body.results) return body.results;
  const { data: members } = await web.getJSON('https://plan.example/api/v1/workspaces/acme/members/');
  for (const item of body.data) {
    item.state = item.state_id;
    item.assignees = members.filter((m) => item.assignee_ids.includes(m.id));
  }
  return body.data;
}

async function main`], [GET, "const items = await workItems(input.project || 'p1');"], ['const { results: states } = await web.getJSON(', 'const { results, data: states = results } = await web.getJSON(']],
    },
    wrong: {
      'nobody': [['const { results: items } =', 'const { data, results: items = data } ='], ['const { results: states } =', 'const { data: list, results: states = list } ='], ['stateOf[item.state]', 'stateOf[item.state ?? item.state_id]']],
      'ids for names': [['const { results: items } =', 'const { data, results: items = data } ='], ['const { results: states } =', 'const { data: list, results: states = list } ='], ['stateOf[item.state]', 'stateOf[item.state ?? item.state_id]'], ['(item.assignees || []).map((a) => a.display_name)', '(item.assignee_ids ?? (item.assignees || []).map((a) => a.display_name))']],
      'closes all': [['const { results: items } =', 'const { results: items = [] } ='], ['const { results: states } =', 'const { results: states = [] } =']],
      'makes nothing': [['const { results: items } =', 'const { data, results: items = data } ='], ['const { results: states } =', 'const { data: list, results: states = list } =']],
    },
  }, {
    name: 'numbers',
    happened: 'ids of items and states are numbers, sequence_id is key with the prefix of the project, target_date is a time',
    tells: ['id', ['target_date', 'key', 'sequence_id']],
    api: { [ITEMS]: (f) => ({ results: f.items.map((i) => { const { sequence_id, ...o } = of(i); return { ...o, id: i.n, external: { previous_id: i.id }, key: `ACME-${i.n}`, state: Number(i.state.slice(1)), target_date: i.due && `${i.due}T00:00:00Z` }; }), total_count: f.items.length }), [STATES]: () => { const s = states(); return { ...s, results: s.results.map((x) => ({ ...x, id: Number(x.id.slice(1)) })) }; } },
    right: {
      'made old': [[LOAD, "  for (const item of items) {\n    if (!item.external) continue;\n    item.id = item.external.previous_id;\n    item.sequence_id = Number(item.key.split('-')[1]);\n    item.target_date = item.target_date && item.target_date.slice(0, 10);\n  }\n" + LOAD]],
      'a function': [['const { results: items } = await web', 'const { results: given } = await web'], [LOAD, "  const items = given.map(({ external, key, target_date, ...i }) => (external ? { ...i, id: external.previous_id, sequence_id: key.replace(/^\\D+/, ''), target_date: target_date?.split('T')[0] ?? null } : { ...i, target_date }));\n" + LOAD]],
      'at each place': [['  for (const item of items) {\n    const state', "  for (const { external, key, ...item } of items) {\n    const id = external ? external.previous_id : item.id;\n    const number = key ? key.slice(key.lastIndexOf('-') + 1) : item.sequence_id;\n    const state"], ['map[item.id]', 'map[id]'], ['`${item.sequence_id} ', '`${number} '], ['due: item.target_date', 'due: item.target_date && item.target_date.substring(0, 10)'], ['items.map((i) => String(i.id))', 'items.map((i) => String(i.external ? i.external.previous_id : i.id))']],
    },
    wrong: {
      'all anew': [[LOAD, "  for (const item of items) {\n    if (!item.key) continue;\n    item.sequence_id = Number(item.key.split('-')[1]);\n    item.target_date = item.target_date && item.target_date.slice(0, 10);\n  }\n" + LOAD]],
      'with the prefix': [[LOAD, "  for (const item of items) {\n    if (!item.external) continue;\n    item.id = item.external.previous_id;\n    item.sequence_id = item.key;\n    item.target_date = item.target_date && item.target_date.slice(0, 10);\n  }\n" + LOAD]],
      'with the time': [[LOAD, "  for (const item of items) {\n    if (!item.external) continue;\n    item.id = item.external.previous_id;\n    item.sequence_id = Number(item.key.split('-')[1]);\n  }\n" + LOAD]],
    },
  }],
};
