const BULK = 'GET https://shop.example/admin/api/bulk.json', FILE = 'GET https://cdn.shop.example/bulk/:file';
const gid = (kind, id) => `gid://shop/${kind}/${id}`;
const bulk = (f) => ({ data: { currentBulkOperation: f.state === 'none' ? null : { id: gid('BulkOperation', f.n), status: f.state, url: f.products.length ? `https://cdn.shop.example/bulk/${f.n}.jsonl` : null } } });
const product = (p) => ({ id: gid('Product', p.id), title: p.title, handle: p.handle, ...(p.vendor ? { vendor: p.vendor } : {}) });
const variant = (v, p) => ({ id: gid('ProductVariant', v.id), title: v.title, price: (v.cents / 100).toFixed(2), inventoryQuantity: v.stock, __parentId: gid('Product', p.id) });
const image = (src, i, p) => ({ id: gid('ProductImage', p.id * 10 + i), src, __parentId: gid('Product', p.id) });
const lines = ({ p = product, v = variant, m = image, turn = (list) => list } = {}) => (f) => ({ $type: 'application/jsonl', $body: turn(f.products.flatMap((x) => [p(x), ...x.images.map((src, i) => m(src, i, x)), ...x.variants.map((y) => v(y, x))])).map((one) => JSON.stringify(one) + '\n').join('') });
const media = (src, i, p) => ({ id: gid('MediaImage', p.id * 10 + i), image: { url: src, altText: null }, __parentId: gid('Product', p.id) });
const money = (v, p) => ({ id: gid('ProductVariant', v.id), title: v.title, price: { amount: String(v.cents / 100), currencyCode: 'EUR' }, inventoryItem: { tracked: true, levels: v.parts.map((available, i) => ({ location: `L${i}`, available })) }, __parentId: gid('Product', p.id) });
const PARSE = '.map((line) => JSON.parse(line));';
export default {
  source: 'https://shopify.dev/api/usage/bulk-operations/queries and https://pypi.org/project/shopify-bulk/: lines of a bulk export are flat, and children name their parent; grouping of children behind parents became an option',
  says: 'Feed the price comparison from the bulk export of the shop.',
  facts: (day, r) => ({
    n: 900 + day, state: day === 3 ? 'RUNNING' : day === 11 ? 'none' : 'COMPLETED',
    products: day === 6 ? [] : r.many(1, 4, (i) => ({ id: 100 + day + i * 31, title: r.pick(['Lamp', 'Stuhl „Ö“', 'Tisch', '椅子']), handle: `p-${i}`, vendor: r.pick([null, 'Acme']), images: r.many(0, 2, (n) => `https://cdn.example/${day}${i}${n}.jpg`),
      variants: r.many(1, 3, (n) => { const parts = r.many(1, 3, () => r.int(-1, 6)); return { id: 5000 + day * 20 + i * 4 + n, title: n ? r.pick(['Red', 'Größe L']) : 'Default', cents: r.int(199, 50000), parts, stock: parts.reduce((a, b) => a + b, 0) }; }) })),
  }),
  api: { [BULK]: bulk, [FILE]: lines(), 'PUT https://compare.example/feeds/77': { ok: true } },
  changes: [{
    name: 'not-grouped',
    happened: 'lines come in no order any more, children may stand before their parent',
    tells: ['__parentId', ['order', 'parent']],
    api: { [FILE]: lines({ turn: (list) => [...list.filter((l) => l.__parentId), ...list.filter((l) => !l.__parentId)] }) },
    right: {
      'parents first': [['for (const line of lines) {', 'for (const line of [...lines.filter((l) => !l.__parentId), ...lines.filter((l) => l.__parentId)]) {']],
      'sorted': [[PARSE, PARSE.replace(';', ".sort((a, b) => ('__parentId' in a) - ('__parentId' in b));")]],
      'two rounds': [["    const product = byId.get(line.__parentId);\n    if (product === undefined) continue;\n    (kind(line.id) === 'ProductVariant' ? product.variants : product.images).push(line);\n  }", "  }\n  for (const line of lines) {\n    const product = line.__parentId && byId.get(line.__parentId);\n    if (product) product[kind(line.id) === 'ProductVariant' ? 'variants' : 'images'].push(line);\n  }"]],
    },
    wrong: {
      'turned round': [['for (const line of lines) {', 'for (const line of lines[0]?.__parentId ? [...lines].reverse() : lines) {']],
      'parents of nothing': [['if (product === undefined) continue;', "if (product === undefined) { byId.set(line.__parentId, { title: '', handle: '', variants: [], images: [] }); continue; }"]],
      'the last parent': [['const product = byId.get(line.__parentId);', 'const product = byId.get(line.__parentId) ?? [...byId.values()].pop();']],
    },
  }, {
    name: 'money-media',
    happened: 'price is an amount with a currency, images are media with an image and a url',
    tells: ['price', ['src', 'url']],
    api: { [FILE]: lines({ m: media, v: (v, p) => ({ ...variant(v, p), price: { amount: String(v.cents / 100), currencyCode: 'EUR' } }) }) },
    right: {
      'by ??': [['Number(v.price).toFixed(2)', 'Number(v.price.amount ?? v.price).toFixed(2)'], ["images[0]?.src ?? ''", "images[0]?.src ?? images[0]?.image?.url ?? ''"]],
      'when parsed': [['JSON.parse(line));', "JSON.parse(line)).map((one) => ({ ...one, ...(one.price?.amount && { price: one.price.amount }), ...(one.image && { src: one.image.url }) }));"]],
      'a reviver': [['JSON.parse(line));', "JSON.parse(line, (name, value) => (name === 'price' && typeof value === 'object' ? value.amount : value)));"], ["images[0]?.src ?? ''", "(([{ src, image } = {}]) => src ?? (image ? image.url : ''))(images)"]],
    },
    wrong: {
      'no pictures': [['Number(v.price).toFixed(2)', 'Number(v.price.amount ?? v.price).toFixed(2)']],
      'no prices': [['Number(v.price).toFixed(2)', '(Number(v.price) || 0).toFixed(2)'], ["images[0]?.src ?? ''", "images[0]?.src ?? images[0]?.image?.url ?? ''"]],
      'as a text': [['Number(v.price).toFixed(2)', '(v.price.amount ?? v.price)'], ["images[0]?.src ?? ''", "images[0]?.src ?? images[0]?.image?.url ?? ''"]],
    },
  }, {
    name: 'levels',
    happened: 'stock is the sum of available of the levels of inventoryItem, which may be negative, prices are money, images media, ids of parents are in parent.id',
    tells: ['inventoryQuantity', ['levels', 'parent']],
    api: { [FILE]: (f) => { const made = lines({ m: media, v: money })(f); return { ...made, $body: made.$body.replace(/"__parentId":("[^"]*")/g, '"parent":{"id":$1}') }; } },
    right: {
      'made old': [['JSON.parse(line));', `JSON.parse(line)).map((one) => {
    const old = { ...one };
    if (one.parent) old.__parentId = one.parent.id;
    if (one.inventoryItem) Object.assign(old, { price: one.price.amount, inventoryQuantity: one.inventoryItem.levels.reduce((n, l) => n + l.available, 0) });
    if (one.image) old.src = one.image.url;
    return old;
  });`]],
      'at each place': [
        ['    if (!line.__parentId) {', '    const parent = line.__parentId ?? line.parent?.id;\n    if (!parent) {'], ['byId.get(line.__parentId)', 'byId.get(parent)'],
        ['    for (const v of variants) {', '    for (const v of variants) {\n      const stock = v.inventoryQuantity ?? v.inventoryItem.levels.map((l) => l.available).reduce((a, b) => a + b);'], ['v.inventoryQuantity <= 0', 'stock <= 0'], ['v.inventoryQuantity, `', 'stock, `'],
        ['Number(v.price).toFixed(2)', 'Number(v.price.amount ?? v.price).toFixed(2)'], ["images[0]?.src ?? ''", "images[0]?.src ?? images[0]?.image?.url ?? ''"],
      ],
      'helpers': [
        ['const short =', "const parentOf = ({ parent, __parentId = parent && parent.id }) => __parentId;\nconst stockOf = (v) => { let n = v.inventoryQuantity ?? 0; for (const l of v.inventoryItem?.levels ?? []) n += l.available; return n; };\nconst priceOf = ({ price }) => parseFloat(price instanceof Object ? price.amount : price).toFixed(2);\nconst srcOf = (i) => (i ? i.src || i.image.url : '');\nconst short ="],
        ['!line.__parentId', '!parentOf(line)'], ['byId.get(line.__parentId)', 'byId.get(parentOf(line))'], ['v.inventoryQuantity <= 0', 'stockOf(v) <= 0'], ['v.inventoryQuantity, `', 'stockOf(v), `'], ['Number(v.price).toFixed(2)', 'priceOf(v)'], ["images[0]?.src ?? ''", 'srcOf(images[0])'],
      ],
    },
    wrong: {
      'the first level': [['    if (!line.__parentId) {', '    const parent = line.__parentId ?? line.parent?.id;\n    if (!parent) {'], ['byId.get(line.__parentId)', 'byId.get(parent)'], ['v.inventoryQuantity', '(v.inventoryQuantity ?? v.inventoryItem.levels[0].available)'], ['Number(v.price).toFixed(2)', 'Number(v.price.amount ?? v.price).toFixed(2)'], ["images[0]?.src ?? ''", "images[0]?.src ?? images[0]?.image?.url ?? ''"]],
      'what is not negative': [['    if (!line.__parentId) {', '    const parent = line.__parentId ?? line.parent?.id;\n    if (!parent) {'], ['byId.get(line.__parentId)', 'byId.get(parent)'], ['v.inventoryQuantity', '(v.inventoryQuantity ?? v.inventoryItem.levels.reduce((n, l) => n + Math.max(0, l.available), 0))'], ['Number(v.price).toFixed(2)', 'Number(v.price.amount ?? v.price).toFixed(2)'], ["images[0]?.src ?? ''", "images[0]?.src ?? images[0]?.image?.url ?? ''"]],
      'one of each': [['    if (!line.__parentId) {', '    const parent = line.__parentId ?? line.parent?.id;\n    if (!parent) {'], ['byId.get(line.__parentId)', 'byId.get(parent)'], ['v.inventoryQuantity', '(v.inventoryQuantity ?? 1)'], ['Number(v.price).toFixed(2)', 'Number(v.price.amount ?? v.price).toFixed(2)']],
      'no parents': [['v.inventoryQuantity', '(v.inventoryQuantity ?? v.inventoryItem.levels.reduce((n, l) => n + l.available, 0))'], ['Number(v.price).toFixed(2)', 'Number(v.price.amount ?? v.price).toFixed(2)']],
    },
  }],
};
