// Each open work item has a card; a card is moved when the state changes, and closed when the item is gone.
const cards = 'https://cards.example/api/cards';
const post = (url, body, method = 'POST') => web.postJSON(url, body, { method });

async function main(input = {}) {
  const { results: items } = await web.getJSON(`https://plan.example/api/v1/workspaces/acme/projects/${input.project || 'p1'}/work-items/`);
  const { results: states } = await web.getJSON('https://plan.example/api/v1/workspaces/acme/states/');
  const stateOf = states.reduce((all, s) => Object.assign(all, { [s.id]: s }), {});
  const map = (await kv.get('cards')) || {};
  const stats = { made: 0, moved: 0, closed: 0 };

  for (const item of items) {
    const state = stateOf[item.state];
    if (!state || state.group === 'cancelled') continue;
    const who = (item.assignees || []).map((a) => a.display_name).sort().join(', ');
    const known = map[item.id];
    if (!known) {
      const card = await post(cards, { title: `${item.sequence_id} ${item.name}`, column: state.name, who: who || null, due: item.target_date });
      map[item.id] = { card: card.id, column: state.name, who };
      await kv.set('cards', map);
      stats.made++;
    } else if (known.column !== state.name || known.who !== who) {
      await post(`${cards}/${known.card}`, { column: state.name, who: who || null }, 'PATCH');
      map[item.id] = { ...known, column: state.name, who };
      stats.moved++;
    }
  }
  const ids = new Set(items.map((i) => String(i.id)));
  for (const [id, { card }] of Object.entries(map)) {
    if (ids.has(id)) continue;
    await web.fetch(`${cards}/${card}`, { method: 'DELETE' });
    delete map[id];
    stats.closed++;
  }
  await kv.set('cards', map);
  return stats;
}
