const GRAPH = 'POST https://shop.example/graphql';
const edge = (node) => ({ node });
const old = (i) => ({ sku: i.sku, locations: { edges: i.levels.map((l) => edge({ name: l.name, available: l.available, incoming: l.incoming })) } });
const quantities = (l) => [{ name: 'incoming', quantity: l.incoming }, { name: 'on_hand', quantity: l.available + 3 }, { name: 'available', quantity: l.available }];
const page = (of, whole) => (f, q) => { const from = Number(q.body.variables.after ?? 0), to = from + 2; return { data: { inventoryItems: whole(f.items.slice(from, to).map(of), { hasNextPage: to < f.items.length, endCursor: to < f.items.length ? String(to) : null }) } }; };
const edges = (nodes, pageInfo) => ({ edges: nodes.map(edge), pageInfo });
const NODES = "const items = page.edges.map(({ node }) => node);";
const LEVELS = "const levels = item.locations.edges.map((e) => e.node);";
export default {
  source: 'https://shopify.dev/changelog/deprecating-available-incoming-and-deactivationalerthtml-fields-on-inventorylevel: available and incoming of a level gave way to quantities by name; connections are asked for nodes where they were asked for edges',
  says: 'Move stock from the fullest location to the emptiest one.',
  facts: (day, r) => ({ items: r.many(day === 4 ? 0 : 1, 6, (i) => ({ sku: r.chance(0.1) ? null : `SKU ${day * 3 + i}/A`, levels: ['Berlin', 'Köln', 'Łódź', '大阪'].filter(() => r.chance(0.7)).map((name) => ({ name, available: r.int(-2, 60), incoming: r.pick([0, 0, 5, 20]) })) })) }),
  api: { [GRAPH]: page(old, edges), 'PUT https://wms.example/transfers/:sku': { ok: true } },
  changes: [{
    name: 'nodes',
    happened: 'connections have nodes and no edges',
    tells: ['edges', 'nodes'],
    api: { [GRAPH]: page((i) => ({ sku: i.sku, locations: { nodes: i.levels } }), (nodes, pageInfo) => ({ nodes, pageInfo })) },
    right: {
      'a helper': [['const inventory =', 'const nodesOf = (c) => c.nodes ?? c.edges.map((e) => e.node);\n\nconst inventory ='], [NODES, 'const items = nodesOf(page);'], [LEVELS, 'const levels = nodesOf(item.locations);']],
      'by ??': [['page.edges.map(({ node }) => node)', '(page.edges?.map(({ node }) => node) ?? page.nodes)'], ['item.locations.edges.map((e) => e.node)', '(item.locations.edges?.map((e) => e.node) ?? item.locations.nodes)']],
      'made old': [['  return data;\n', "  return JSON.parse(JSON.stringify(data), (key, value) => (value && Array.isArray(value.nodes) ? { ...value, edges: value.nodes.map((node) => ({ node })) } : value));\n"]],
    },
    wrong: {
      'only the items': [['page.edges.map(({ node }) => node)', '(page.edges?.map(({ node }) => node) ?? page.nodes)'], [LEVELS, 'const levels = (item.locations.edges ?? []).map((e) => e.node);']],
      'nothing': [['page.edges.map', '(page.edges ?? []).map']],
      'the first page': [[NODES, 'if (page.nodes) return page.nodes;\n  ' + NODES], ['item.locations.edges.map((e) => e.node)', '(item.locations.edges?.map((e) => e.node) ?? item.locations.nodes)']],
    },
  }, {
    name: 'quantities',
    happened: 'available and incoming are in quantities, by name; name of a location is in location, locations is inventoryLevels',
    tells: ['available', ['quantities', 'inventoryLevels']],
    api: { [GRAPH]: page((i) => ({ sku: i.sku, inventoryLevels: { edges: i.levels.map((l) => edge({ location: { name: l.name }, quantities: quantities(l) })) } }), edges) },
    right: {
      'made old': [[LEVELS, `const levels = (item.locations ?? item.inventoryLevels).edges.map(({ node }) => {
      if (!node.quantities) return node;
      const by = Object.fromEntries(node.quantities.map((q) => [q.name, q.quantity]));
      return { name: node.location.name, available: by.available, incoming: by.incoming };
    });`]],
      'getters': [['const spread =', `const level = (node) => ({
  name: node.name ?? node.location.name,
  get available() { return node.available ?? node.quantities.find((q) => q.name === 'available').quantity; },
  get incoming() { return node.incoming ?? node.quantities.find((q) => q.name === 'incoming').quantity; },
});

const spread =`], ['item.locations.edges.map((e) => e.node)', "item['locations' in item ? 'locations' : 'inventoryLevels'].edges.map((e) => level(e.node))"]],
      'when read': [[NODES, `const items = page.edges.map(({ node: { inventoryLevels, ...node } }) => (inventoryLevels ? { ...node, locations: { edges: inventoryLevels.edges.map(({ node: { location, quantities } }) => ({
    node: quantities.reduce((one, { name, quantity }) => (name === 'on_hand' ? one : { ...one, [name]: quantity }), { name: location.name }),
  })) } } : node));`]],
    },
    wrong: {
      'by position': [[LEVELS, 'const levels = (item.locations ?? item.inventoryLevels).edges.map(({ node }) => (node.quantities ? { name: node.location.name, available: node.quantities[0].quantity, incoming: node.quantities[1].quantity } : node));']],
      'what is on hand': [[LEVELS, "const levels = (item.locations ?? item.inventoryLevels).edges.map(({ node }) => (node.quantities ? { name: node.location.name, available: node.quantities.find((q) => q.name === 'on_hand').quantity, incoming: 0 } : node));"]],
      'nothing comes': [[LEVELS, "const levels = (item.locations ?? item.inventoryLevels).edges.map(({ node }) => (node.quantities ? { name: node.location.name, available: node.quantities.find((q) => q.name === 'available').quantity, incoming: 0 } : node));"]],
      'no levels': [['item.locations.edges.map', '(item.locations?.edges ?? []).map']],
    },
  }, {
    name: 'v2',
    happened: 'nodes for edges, quantities by name, the cursor of the next page is next beside nodes',
    tells: ['edges', ['next', 'quantities']],
    api: { [GRAPH]: page((i) => ({ sku: i.sku ?? '', locations: { nodes: i.levels.map((l) => ({ name: l.name, quantities: quantities(l) })) } }), (nodes, { endCursor }) => ({ nodes, next: endCursor })) },
    right: {
      'at each place': [
        [NODES, 'const items = page.nodes ?? page.edges.map(({ node }) => node);'], ['return page.pageInfo.hasNextPage ? items.concat(await inventory(page.pageInfo.endCursor)) : items;', 'const next = page.pageInfo ? page.pageInfo.hasNextPage && page.pageInfo.endCursor : page.next;\n  return next ? items.concat(await inventory(next)) : items;'],
        [LEVELS, "const levels = (item.locations.nodes ?? item.locations.edges.map((e) => e.node)).map((l) => (l.quantities ? { name: l.name, ...Object.fromEntries(l.quantities.map((q) => [q.name, q.quantity])) } : l));"], ["item.sku ?? 'no SKU'", "item.sku || 'no SKU'"],
      ],
      'made old': [['  return data;\n', `  const page = data.inventoryItems;
  if (page.nodes) {
    const take = (level, name) => level.quantities.find((q) => q.name === name).quantity;
    const edges = page.nodes.map(({ sku, locations }) => ({ node: { sku: sku || null, locations: { edges: locations.nodes.map((l) => ({ node: { name: l.name, available: take(l, 'available'), incoming: take(l, 'incoming') } })) } } }));
    return { inventoryItems: { edges, pageInfo: { hasNextPage: page.next !== null, endCursor: page.next } } };
  }
  return data;
`]],
      'a loop': [["const inventory = async (after = null) => {", 'const nodesOf = ({ nodes, edges = nodes.map((node) => ({ node })) }) => edges.map((e) => e.node);\nconst inventory = async (after = null) => {'], [`  ${NODES}
  return page.pageInfo.hasNextPage ? items.concat(await inventory(page.pageInfo.endCursor)) : items;`, `  const items = [];
  for (let one = page; one; ) {
    items.push(...nodesOf(one));
    const cursor = one.next ?? (one.pageInfo?.hasNextPage ? one.pageInfo.endCursor : null);
    one = cursor === null ? null : (await graphql(QUERY, { after: cursor })).inventoryItems;
  }
  return items;`], [LEVELS, `const levels = nodesOf(item.locations).map(({ name, quantities = [], available, incoming }) => quantities.reduce((l, q) => (q.name in l ? { ...l, [q.name]: q.quantity } : l), { available, incoming }) && {
      name, available: available ?? quantities.find((q) => q.name === 'available').quantity, incoming: incoming ?? quantities.find((q) => q.name === 'incoming').quantity,
    });`], ["item.sku ?? 'no SKU'", "(item.sku ? item.sku : 'no SKU')"]],
    },
    wrong: {
      'the first page': [[NODES, 'const items = page.nodes ?? page.edges.map(({ node }) => node);'], ['page.pageInfo.hasNextPage', 'page.pageInfo?.hasNextPage'], [LEVELS, "const levels = (item.locations.nodes ?? item.locations.edges.map((e) => e.node)).map((l) => (l.quantities ? { name: l.name, ...Object.fromEntries(l.quantities.map((q) => [q.name, q.quantity])) } : l));"], ["item.sku ?? 'no SKU'", "item.sku || 'no SKU'"]],
      'without quantities': [[NODES, 'const items = page.nodes ?? page.edges.map(({ node }) => node);'], ['return page.pageInfo.hasNextPage ? items.concat(await inventory(page.pageInfo.endCursor)) : items;', 'const next = page.pageInfo ? page.pageInfo.hasNextPage && page.pageInfo.endCursor : page.next;\n  return next ? items.concat(await inventory(next)) : items;'], [LEVELS, 'const levels = (item.locations.nodes ?? item.locations.edges.map((e) => e.node)).map((l) => ({ available: 0, incoming: 0, ...l }));']],
      'by position': [[NODES, 'const items = page.nodes ?? page.edges.map(({ node }) => node);'], ['return page.pageInfo.hasNextPage ? items.concat(await inventory(page.pageInfo.endCursor)) : items;', 'const next = page.pageInfo ? page.pageInfo.hasNextPage && page.pageInfo.endCursor : page.next;\n  return next ? items.concat(await inventory(next)) : items;'], [LEVELS, "const levels = (item.locations.nodes ?? item.locations.edges.map((e) => e.node)).map((l) => (l.quantities ? { name: l.name, available: l.quantities[0].quantity, incoming: l.quantities[1].quantity } : l));"]],
    },
  }],
};
