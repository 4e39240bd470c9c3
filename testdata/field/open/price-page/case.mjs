const german = (c) => `${Math.floor(c / 100).toString().replace(/\B(?=(\d{3})+$)/g, '.')},${String(c % 100).padStart(2, '0')}`;
const page = (f, card) => ({ $type: 'text/html; charset=utf-8', $body: `<!doctype html><html><body><h1>Lamps</h1><div class="grid">${f.offers.map(card).join('\n')}</div></body></html>` });
const route = 'GET https://store.example/category/lamps';
const card = (o) => `<div class="product"><h2>${o.name}</h2><p class="price">${german(o.cents)} €</p>${o.stock ? '' : '<span class="sold-out">sold out</span>'}</div>`;
export default {
  source: 'https://github.com/hmcuesta/PDA_Book/issues/3 and https://github.com/irfanalidv/trustpilot_scraper/issues/2: a page lost the ids and classes that a scraper looked for',
  says: 'Watch the prices of lamps and tell me what is cheaper.',
  facts: (day, r) => ({ offers: r.mix(['Lampe Süd', 'Lamp 12', 'Arc &amp; Co', 'Tischlampe'].slice(0, day === 3 ? 0 : r.int(2, 4))).map((name) => ({ name, cents: r.int(900, 250000), stock: r.chance(0.85) })) }),
  api: { [route]: (f) => page(f, card) },
  changes: [{
    name: 'price-class',
    happened: 'the class price is product-price now',
    tells: ['price', 'product-price'],
    api: { [route]: (f) => page(f, (o) => card(o).replace('class="price"', 'class="product-price"')) },
    right: {
      'both selectors': [["'.price'", "'.price, .product-price'"]],
      'or': [["el.querySelector('.price')!", "(el.querySelector('.price') ?? el.querySelector('.product-price'))!"]],
      'by the text': [["el.querySelector('.price')!.textContent", "el.querySelectorAll('p').map((p) => p.textContent).find((t) => t.includes('€'))!"]],
    },
    wrong: {
      'zero': [["cents(el.querySelector('.price')!.textContent)", "cents(el.querySelector('.price')?.textContent ?? '0,00')"]],
      'skips': [["querySelectorAll('.product').map", "querySelectorAll('.product').filter((e) => e.querySelector('.price')).map"]],
      'in stock only': [["'.price'", "'.price, .product-price'"], ["el.querySelector('.sold-out') === null", 'true']],
    },
  }, {
    name: 'redesign',
    happened: 'cards are li.card with h3, the price is data-price in cents without text, what is sold out has the class unavailable',
    tells: [['card', 'product']],
    api: { [route]: (f) => page(f, (o) => `<li class="card${o.stock ? '' : ' unavailable'}"><h3>${o.name}</h3><span class="amount" data-price="${o.cents}"></span></li>`) },
    right: {
      'mapped by kind': [["querySelectorAll('.product').map((el) => ({", "querySelectorAll('.product, .card').map((el) => el.matches('.card') ? {\n    name: el.querySelector('h3')!.textContent.trim(), cents: Number(el.querySelector('.amount')!.getAttribute('data-price')), stock: !el.matches('.unavailable'),\n  } : ({"]],
      'or': [["'.product'", "'.product, li.card'"], ["'h2'", "'h2, h3'"], ["cents(el.querySelector('.price')!.textContent)", "el.querySelector('[data-price]') ? +el.querySelector('[data-price]')!.getAttribute('data-price')! : cents(el.querySelector('.price')!.textContent)"], ["el.querySelector('.sold-out') === null", "el.querySelector('.sold-out') === null && !el.matches('.unavailable')"]],
      'two readers': [["return parse(await res.text())", "const doc = parse(await res.text());\n  const cards = doc.querySelectorAll('.card');\n  if (cards.length) return cards.map((c) => ({ name: c.querySelector('h3')!.textContent.trim(), cents: parseInt(c.querySelector('.amount')!.getAttribute('data-price')!, 10), stock: !(c.getAttribute('class') ?? '').includes('unavailable') }));\n  return doc"]],
    },
    wrong: {
      'all in stock': [["'.product'", "'.product, li.card'"], ["'h2'", "'h2, h3'"], ["cents(el.querySelector('.price')!.textContent)", "el.querySelector('[data-price]') ? +el.querySelector('[data-price]')!.getAttribute('data-price')! : cents(el.querySelector('.price')!.textContent)"]],
      'cents times hundred': [["'.product'", "'.product, li.card'"], ["'h2'", "'h2, h3'"], ["cents(el.querySelector('.price')!.textContent)", "el.querySelector('[data-price]') ? +el.querySelector('[data-price]')!.getAttribute('data-price')! * 100 : cents(el.querySelector('.price')!.textContent)"], ["el.querySelector('.sold-out') === null", "el.querySelector('.sold-out') === null && !el.matches('.unavailable')"]],
      'throws nothing': [["const cheaper", "if (!list.length) return { offers: 0, cheaper: [] as string[] };\n  const cheaper"]],
    },
  }, {
    name: 'english-numbers',
    happened: 'prices are written 1,234.50 € now',
    tells: ['price'],
    api: { [route]: (f) => page(f, (o) => card(o).replace(german(o.cents), (o.cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 }))) },
    right: {
      'by the last separator': [["const [, whole, part] = /([\\d.]+),(\\d\\d)/.exec(text) as RegExpExecArray;\n  return Number(whole.replace(/\\./g, '')) * 100 + Number(part);", "const [, whole, part] = /([\\d.,]+)[.,](\\d\\d)(?!\\d)/.exec(text) as RegExpExecArray;\n  return Number(whole.replace(/[.,]/g, '')) * 100 + Number(part);"]],
      'digits only': [["const [, whole, part] = /([\\d.]+),(\\d\\d)/.exec(text) as RegExpExecArray;\n  return Number(whole.replace(/\\./g, '')) * 100 + Number(part);", "return Number(text.replace(/\\D/g, ''));"]],
      'two patterns': [["const [, whole, part] =", "const english = /([\\d,]+)\\.(\\d\\d)\\s*€/.exec(text);\n  if (english) return Number(english[1].replace(/,/g, '')) * 100 + Number(english[2]);\n  const [, whole, part] ="]],
    },
    wrong: {
      'parseFloat': [["const [, whole, part] =", "if (!/,\\d\\d\\D/.test(text + ' ')) return Math.round(parseFloat(text) * 100);\n  const [, whole, part] ="]],
      'zero': [["as RegExpExecArray;", "?? [0, '0', '0'];"]],
      'whole euros': [["const [, whole, part] =", "const english = /([\\d,]+)\\.\\d\\d\\s*€/.exec(text);\n  if (english) return Number(english[1].replace(/,/g, '')) * 100;\n  const [, whole, part] ="]],
    },
  }],
};
