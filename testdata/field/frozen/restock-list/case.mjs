const route = 'POST https://shop.example/admin/api/graphql.json';
const variant = (v) => ({ sku: v.sku, price: (v.cents / 100).toFixed(2), inventoryQuantity: v.left });
const product = (p) => ({ id: `gid://shop/Product/${p.id}`, title: p.title, vendor: p.vendor, variants: { edges: p.variants.map((v) => ({ node: variant(v) })) } });
const cut = (f, q) => { const after = q.body.variables.after, at = after ? Number(atob(after)) + 1 : 0; return { list: f.products.slice(at, at + 2), at, more: at + 2 < f.products.length }; };
const edges = (f, q, shape) => { const { list, at, more } = cut(f, q); return { data: { products: { edges: list.map((p, i) => ({ cursor: btoa(String(at + i)), node: shape(p) })), pageInfo: { hasNextPage: more } } } }; };
const page = (f, q, shape) => { const { list, at, more } = cut(f, q); return { data: { products: { nodes: list.map(shape), pageInfo: { hasNextPage: more, endCursor: list.length ? btoa(String(at + list.length - 1)) : null } } } }; };
export default {
  source: 'https://github.com/airbytehq/airbyte/pull/37767 (opened): a shop went from REST to GraphQL, where identifiers, words in capitals and prices as objects change; nodes in place of edges and quantities by place are from memory of its version notes',
  says: 'Order from the suppliers what runs low in the shop',
  facts: (day, r) => ({
    below: r.pick([undefined, 3, 8]),
    products: r.many(day === 7 ? 0 : 1, 7, (i) => ({ id: 100 * day + i, title: r.pick(['Lamp “Ö”', 'Chair & table', '急須']), vendor: r.pick(['Ada Ltd', 'Groß KG', 'Zoë']), variants: r.many(1, 3, (n) => ({ sku: `S${day}${i}${n}`, cents: r.int(99, 30000), left: r.int(-1, 12) })) })),
  }),
  input: (f) => (f.below ? { below: f.below } : {}),
  api: { [route]: (f, q) => edges(f, q, product), 'POST https://purchasing.example/v1/orders': (f, q) => (q.body.supplier === 'Zoë' && q.body.cents % 2 ? { $status: 409, $body: { error: 'open' } } : { number: `N${q.id}` }) },
  changes: [{
    name: 'nodes',
    happened: 'products and variants have nodes in place of edges, and the cursor is endCursor of pageInfo',
    tells: [['nodes', 'edges'], ['edges', 'endCursor', 'cursor', 'nodes']],
    api: { [route]: (f, q) => page(f, q, (p) => ({ ...product(p), variants: { nodes: p.variants.map(variant) } })) },
    right: {
      'made old': [['return data;\n', "const old = (connection, shape = (n) => n) => (connection.edges ? connection : { pageInfo: connection.pageInfo, edges: connection.nodes.map((node) => ({ node: shape(node), cursor: connection.pageInfo?.endCursor })) });\n  return { products: old(data.products, (p) => ({ ...p, variants: old(p.variants) })) };\n"]],
      'in place': [['connection.edges.map((edge) => edge.node)', 'connection.nodes ?? connection.edges.map((edge) => edge.node)'], ['const more = [...found, ...products.edges];\n  return products.pageInfo.hasNextPage ? allProducts(more.at(-1).cursor, more) : more.map((edge) => edge.node);', 'const more = [...found, ...nodes(products)];\n  return products.pageInfo.hasNextPage ? allProducts(products.pageInfo.endCursor ?? products.edges.at(-1).cursor, more) : more;']],
      'a loop': [['connection.edges.map((edge) => edge.node)', '(connection.nodes ? connection.nodes.map((node) => ({ node })) : connection.edges).map((edge) => edge.node)'], ['const allProducts = async (after = null, found = []) => {\n  const { products } = await shop(QUERY, { after });\n  const more = [...found, ...products.edges];\n  return products.pageInfo.hasNextPage ? allProducts(more.at(-1).cursor, more) : more.map((edge) => edge.node);\n};', 'const allProducts = async () => {\n  const found = [];\n  let after = null, more = true;\n  while (more) {\n    const { products } = await shop(QUERY, { after });\n    found.push(...nodes(products));\n    more = products.pageInfo.hasNextPage;\n    after = products.pageInfo.endCursor || products.edges?.[products.edges.length - 1]?.cursor;\n  }\n  return found;\n};']],
    },
    wrong: {
      'nothing runs low': [['connection.edges.map', '(connection.edges ?? []).map'], ['...products.edges', '...(products.edges ?? [])'], ['products.pageInfo.hasNextPage ?', 'products.edges && products.pageInfo.hasNextPage ?']],
      'the first page': [['connection.edges.map((edge) => edge.node)', 'connection.nodes ?? connection.edges.map((edge) => edge.node)'], ['const more = [...found, ...products.edges];\n  return products.pageInfo.hasNextPage ? allProducts(more.at(-1).cursor, more) : more.map((edge) => edge.node);', 'const more = [...found, ...nodes(products)];\n  return products.edges && products.pageInfo.hasNextPage ? allProducts(products.edges.at(-1).cursor, more) : more;']],
      'no variants': [['connection.edges.map((edge) => edge.node)', '(connection.edges ?? []).map((edge) => edge.node)'], ['const more = [...found, ...products.edges];\n  return products.pageInfo.hasNextPage ? allProducts(more.at(-1).cursor, more) : more.map((edge) => edge.node);', 'const more = [...found, ...(products.nodes ?? nodes(products))];\n  return products.pageInfo.hasNextPage ? allProducts(products.pageInfo.endCursor ?? products.edges.at(-1).cursor, more) : more;']],
    },
  }, {
    name: 'prices-and-levels',
    happened: 'price is an object with amount in minor units, and quantities are levels by place whose sum counts',
    tells: [['price', 'inventoryQuantity', 'levels']],
    api: { [route]: (f, q) => edges(f, q, (p) => ({ ...product(p), variants: { edges: p.variants.map((v) => ({ node: { sku: v.sku, price: { amountMinor: String(v.cents), currencyCode: 'EUR' }, levels: [{ place: 'A', available: v.left - 2 }, { place: 'B', available: 2 }] } })) } })) },
    right: {
      'made old': [['connection.edges.map((edge) => edge.node)', "connection.edges.map(({ node }) => (node.levels ? { ...node, price: node.price.amountMinor / 100, inventoryQuantity: node.levels.reduce((n, l) => n + l.available, 0) } : node))"]],
      'defaults': [['for (const { sku, price, inventoryQuantity: left } of nodes(variants)) {', "for (const { sku, price: raw, levels = [], inventoryQuantity: left = levels.map((l) => l.available).reduce((a, b) => a + b, 0) } of nodes(variants)) {\n      const price = typeof raw === 'object' ? Number(raw.amountMinor) / 100 : raw;"]],
      'functions': [['inventoryQuantity: left } of nodes(variants)) {', '...stock } of nodes(variants)) {\n      const left = count(stock);'], ['Math.round(Number(price) * 100)', 'cents(price)'], ['export default', "const count = ({ inventoryQuantity, levels }) => {\n  if (inventoryQuantity !== undefined) return inventoryQuantity;\n  let sum = 0;\n  for (const { available } of levels) sum += available;\n  return sum;\n};\nconst cents = (price) => (price.amountMinor ? parseInt(price.amountMinor, 10) : Math.round(Number(price) * 100));\n\nexport default"]],
    },
    wrong: {
      'the first place': [['connection.edges.map((edge) => edge.node)', "connection.edges.map(({ node }) => (node.levels ? { ...node, price: node.price.amountMinor / 100, inventoryQuantity: node.levels[0].available } : node))"]],
      'minor units as major': [['connection.edges.map((edge) => edge.node)', "connection.edges.map(({ node }) => (node.levels ? { ...node, price: node.price.amountMinor, inventoryQuantity: node.levels.reduce((n, l) => n + l.available, 0) } : node))"]],
      'all has run out': [['inventoryQuantity: left }', 'inventoryQuantity: left = 0 }'], ['Number(price)', 'Number(price.amountMinor ? price.amountMinor / 100 : price)']],
      'skipped': [['if (left >= below) continue;', 'if (left === undefined || left >= below) continue;']],
    },
  }, {
    name: 'plain-ids-and-suppliers',
    happened: 'the id is a number, vendor is an object with a name, and the total of a page is not told by hasNextPage but by next_cursor beside edges',
    tells: [['vendor', 'id', 'hasNextPage', 'pageInfo', 'next_cursor']],
    api: { [route]: (f, q) => { const { list, at, more } = cut(f, q); return { data: { products: { edges: list.map((p) => ({ node: { ...product(p), id: p.id, vendor: { id: 1, name: p.vendor } } })), next_cursor: more ? btoa(String(at + 1)) : null } } }; } },
    right: {
      'in each place': [['products.pageInfo.hasNextPage ? allProducts(more.at(-1).cursor, more)', '(products.pageInfo?.hasNextPage || products.next_cursor) ? allProducts(products.next_cursor ?? more.at(-1).cursor, more)'], ["id.split('/').pop()", "String(id).split('/').pop()"], ['wanted.get(vendor)', 'wanted.get(vendor.name ?? vendor)'], ['wanted.set(vendor,', 'wanted.set(vendor.name ?? vendor,']],
      'made old': [['return data;\n', "const { products } = data;\n  if (!products.pageInfo) {\n    products.pageInfo = { hasNextPage: products.next_cursor !== null };\n    for (const edge of products.edges) edge.cursor = products.next_cursor;\n    for (const { node } of products.edges) Object.assign(node, { id: `gid://shop/Product/${node.id}`, vendor: node.vendor.name });\n  }\n  return data;\n"]],
      'destructured': [['for (const { id, title, vendor, variants } of await allProducts()) {', "for (const { id: number, title, vendor: seller, variants } of await allProducts()) {\n    const id = `/${number}`, vendor = typeof seller === 'string' ? seller : seller.name;"], ['return products.pageInfo.hasNextPage ? allProducts(more.at(-1).cursor, more)', 'const next = products.pageInfo ? products.pageInfo.hasNextPage && more.at(-1).cursor : products.next_cursor;\n  return next ? allProducts(next, more)']],
    },
    wrong: {
      'the first page': [['products.pageInfo.hasNextPage', 'products.pageInfo?.hasNextPage'], ["id.split('/').pop()", "String(id).split('/').pop()"], ['wanted.get(vendor)', 'wanted.get(vendor.name ?? vendor)'], ['wanted.set(vendor,', 'wanted.set(vendor.name ?? vendor,']],
      'an order for each line': [['products.pageInfo.hasNextPage ? allProducts(more.at(-1).cursor, more)', '(products.pageInfo?.hasNextPage || products.next_cursor) ? allProducts(products.next_cursor ?? more.at(-1).cursor, more)'], ["id.split('/').pop()", "String(id).split('/').pop()"], ['supplier: vendor,', 'supplier: vendor.name ?? vendor,']],
      'numbers': [['products.pageInfo.hasNextPage ? allProducts(more.at(-1).cursor, more)', '(products.pageInfo?.hasNextPage || products.next_cursor) ? allProducts(products.next_cursor ?? more.at(-1).cursor, more)'], ["id.split('/').pop()", "id.split?.('/').pop() ?? id"], ['wanted.get(vendor)', 'wanted.get(vendor.name ?? vendor)'], ['wanted.set(vendor,', 'wanted.set(vendor.name ?? vendor,']],
    },
  }],
};
