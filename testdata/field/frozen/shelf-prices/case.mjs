const route = 'GET https://market.example/shelf/tea';
const page = (f, item) => ({ $type: 'text/html', $body: `<!doctype html><html><head><title>Tea</title></head><body><h1>Tea</h1><ul class="shelf">${f.products.map(item).join('')}</ul><p class="foot">${f.products.length} found</p></body></html>` });
const euro = (c) => (c / 100).toFixed(2).replace('.', ',');
export default {
  source: 'Public reports of broken scrapers: class names with a hash, prices split into two elements, an old price beside the new one',
  says: 'Tell me when the price of a tea changes',
  facts: (day, r) => ({ products: r.some(['Assam', 'Darjeeling', 'Earl Grey', '煎茶', 'Rooibos', 'Größe L']).map((name) => ({ name, cents: r.pick([399, 449, 1250, 1099, 80]), sale: r.chance(0.3) })) }),
  api: { [route]: (f) => page(f, (p) => `<li class="product"><span class="name"> ${p.name} </span><b class="price">€ ${euro(p.cents)}</b></li>`) },
  changes: [{
    name: 'classes',
    happened: 'the classes are product-card, product-title and product-price',
    tells: [['product', 'price', 'name', 'selector', 'li']],
    api: { [route]: (f) => page(f, (p) => `<li class="product-card"><span class="product-title"> ${p.name} </span><b class="product-price">€ ${euro(p.cents)}</b></li>`) },
    right: {
      'either class': [["'li.product'", "'li.product, li.product-card'"], ["querySelector('.name')", "querySelector('.name, .product-title')"], ["querySelector('.price')", "querySelector('.price, .product-price')"]],
      'by place': [["'li.product'", "'ul.shelf li'"], ["querySelector('.name')", "querySelector('span')"], ["querySelector('.price')", "querySelector('b')"]],
      "a function": [['export default', "const part = (card, name) => card.querySelector('.' + name) || card.querySelector('.product-' + name.replace('name', 'title'))\n\nexport default"], ["'li.product'", "'.product, .product-card'"], ["card.querySelector('.name')", "part(card, 'name')"], ["card.querySelector('.price')", "part(card, 'price')"]],
    },
    wrong: {
      'nothing found': [["card.querySelector('.name').textContent.trim()", "card.querySelector('.name')?.textContent.trim() ?? ''"]],
      'cards without name': [["'li.product'", "'li.product, li.product-card'"], ["card.querySelector('.name').textContent.trim()", "(card.querySelector('.name') ?? card.querySelector('b')).textContent.trim()"], ["querySelector('.price')", "querySelector('.price, .product-price')"]],
      'stop when empty': [["  await kv.set('prices', now)", "  if (Object.keys(now).length === 0) return 0\n  await kv.set('prices', now)"]],
    },
  }, {
    name: 'split-price',
    happened: 'the price is two elements, whole and cents, and an old price in .was may stand before it',
    tells: [['price', 'whole', 'cents', 'NaN']],
    api: { [route]: (f) => page(f, (p) => `<li class="product"><span class="name"> ${p.name} </span>${p.sale ? `<s class="was">€ ${euro(p.cents + 100)}</s>` : ''}<b class="amount"><i class="whole">${Math.floor(p.cents / 100)}</i><sup class="cents">${String(p.cents % 100).padStart(2, '0')}</sup> €</b></li>`) },
    right: {
      'both': [["const shown = card.querySelector('.price').textContent", "const one = card.querySelector('.price')\n    const shown = one ? one.textContent : card.querySelector('.whole').textContent + '.' + card.querySelector('.cents').textContent"]],
      'from the amount': [["const shown = card.querySelector('.price').textContent", "const shown = card.querySelector('.price')?.textContent ?? ['.whole', '.cents'].map(s => card.querySelector(s).textContent.trim()).join(',')"]],
      "in cents": [["const shown = card.querySelector('.price').textContent", "const one = card.querySelector('.price')"], ["const price = parseFloat(shown.replace('€', '').replace(',', '.').trim())", "const price = one ? parseFloat(one.textContent.replace('€', '').replace(',', '.').trim()) : (Number(card.querySelector('.whole').textContent) * 100 + Number(card.querySelector('.cents').textContent)) / 100"]],
    },
    wrong: {
      'whole only': [["card.querySelector('.price')", "(card.querySelector('.price') ?? card.querySelector('.whole'))"]],
      'a hundred times': [["card.querySelector('.price')", "(card.querySelector('.price') ?? card.querySelector('.amount'))"]],
      'the old price': [["card.querySelector('.price')", "(card.querySelector('.price') ?? card.querySelector('.was') ?? card.querySelector('.whole'))"]],
    },
  }, {
    name: 'other-grammar',
    happened: 'prices are written as EUR 3.99, with a comma for thousands',
    tells: [['price', 'EUR', 'NaN', 'number']],
    api: { [route]: (f) => page(f, (p) => `<li class="product"><span class="name"> ${p.name} </span><b class="price">EUR ${(p.cents / 100).toFixed(2)}</b></li>`) },
    right: {
      'letters away': [["shown.replace('€', '')", "shown.replace('€', '').replace('EUR', '')"]],
      'digits': [["parseFloat(shown.replace('€', '').replace(',', '.').trim())", "parseFloat(shown.replace(/[^0-9.,]/g, '').replace(',', '.'))"]],
      'a match': [["parseFloat(shown.replace('€', '').replace(',', '.').trim())", "Number(/(\\d+)[.,](\\d+)/.exec(shown).slice(1).join('.'))"]],
    },
    wrong: {
      'zero': [['.trim())\n    now', '.trim()) || 0\n    now']],
      'cents': [["parseFloat(shown.replace('€', '').replace(',', '.').trim())", "parseFloat(shown.replace(/\\D/g, '')) / (shown.includes('€') ? 100 : 1)"]],
      'skipped': [['    now[name] = price', '    if (Number.isNaN(price)) continue\n    now[name] = price']],
    },
  }],
};
