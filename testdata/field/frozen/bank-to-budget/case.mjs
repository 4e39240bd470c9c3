const route = 'GET https://bank.example/api/v2/feed';
const item = (i) => ({ feedItemUid: i.id, amount: { currency: 'GBP', minorUnits: i.pence }, direction: i.out ? 'OUT' : 'IN', transactionTime: i.at, ...(i.who ? { counterPartyName: i.who } : {}), spendingCategory: i.category, status: i.status });
export default {
  source: 'https://developer.starlingbank.com and https://plaid.com/docs (amounts signed, categories as objects): signs in place of directions, major units, enumerations in other words',
  says: 'Book what was spent to the envelopes of the budget',
  facts: (day, r) => ({
    slot: `2026-02-${String(day + 1).padStart(2, '0')}T05:00:00Z`,
    items: r.many(day === 6 ? 0 : 1, 8, (i) => ({ id: r.hex(8), pence: r.int(50, 90000), out: r.chance(0.8), at: `2026-02-${String(day + 1).padStart(2, '0')}T0${i}:30:00.000Z`, who: r.chance(0.8) ? r.pick(['Tesco', 'Café Ö', '鉄道', 'ACME & Co']) : null, category: r.pick(['GROCERIES', 'EATING_OUT', 'BILLS', 'TRANSPORT', 'GIFTS']), status: r.chance(0.15) ? 'PENDING' : 'SETTLED' })),
  }),
  input: (f) => ({ slot: f.slot }),
  api: { [route]: (f) => ({ feedItems: f.items.map(item) }), 'POST https://budget.example/envelopes/:name/movements': () => ({}) },
  changes: [{
    name: 'debit-and-credit',
    happened: 'direction is gone; type says DEBIT for what goes out and CREDIT for what comes in',
    tells: ['direction', 'type'],
    api: { [route]: (f) => ({ feedItems: f.items.map((i) => { const { direction, ...o } = item(i); return { ...o, type: i.out ? 'DEBIT' : 'CREDIT' }; }) }) },
    right: {
      'either': [["i.direction === 'OUT'", "(i.direction ?? ((i as any).type === 'DEBIT' ? 'OUT' : 'IN')) === 'OUT'"]],
      'made old': [['return feedItems.filter(', "return feedItems.map((i: any) => (i.direction ? i : { ...i, direction: i.type === 'DEBIT' ? 'OUT' : 'IN' })).filter("]],
      'a list': [["i.direction === 'OUT'", "['OUT', 'DEBIT'].includes(i.direction || (i as any).type)"]],
    },
    wrong: {
      'all goes out': [["i.direction === 'OUT'", "i.direction !== 'IN'"]],
      'turned': [["i.direction === 'OUT'", "(i.direction === 'OUT' || (i as any).type === 'CREDIT')"]],
      'without those that have none': [["i.status === 'SETTLED'", "i.status === 'SETTLED' && i.direction !== undefined"]],
    },
  }, {
    name: 'v3',
    happened: 'feedItems became transactions, amount is a text in pounds, the category is an object with a code in small letters, status is state with booked for SETTLED',
    tells: [['feedItems', 'transactions']],
    api: { [route]: (f) => ({ transactions: f.items.map((i) => { const { feedItemUid, amount, spendingCategory, status, ...o } = item(i); return { ...o, id: feedItemUid, amount: (i.pence / 100).toFixed(2), currency: 'GBP', category: { code: i.category.toLowerCase() }, state: i.status === 'SETTLED' ? 'booked' : 'pending' }; }), next: null }) },
    right: {
      'made old': [['const { feedItems } = await res.json()', "const body = await res.json()\n  const feedItems = body.feedItems ?? body.transactions.map((t: any) => ({ ...t, feedItemUid: t.id, amount: { currency: t.currency, minorUnits: Math.round(Number(t.amount) * 100) }, spendingCategory: t.category.code.toUpperCase(), status: t.state === 'booked' ? 'SETTLED' : 'PENDING' }))"]],
      'each place': [['const { feedItems } = await res.json()', 'const b = await res.json()\n  const feedItems = b.feedItems ?? b.transactions'], ["i.status === 'SETTLED'", "i.status === 'SETTLED' || (i as any).state === 'booked'"], ['GROUPS[i.spendingCategory as', 'GROUPS[(i.spendingCategory ?? (i as any).category.code.toUpperCase()) as'], ['* i.amount.minorUnits', "* (i.amount.minorUnits ?? Math.round(parseFloat(i.amount as any) * 100))"]],
      "a reader": [['async function settled', "function old(b: any): FeedItem[] {\n  if (b.feedItems) return b.feedItems\n  const all: FeedItem[] = []\n  for (const { id, amount, currency, category, state, ...rest } of b.transactions) {\n    const [pounds, pence] = amount.split('.')\n    all.push({ ...rest, feedItemUid: id, amount: { currency, minorUnits: Number(pounds) * 100 + Number(pence) }, spendingCategory: category.code.toUpperCase(), status: state === 'booked' ? 'SETTLED' : 'PENDING' })\n  }\n  return all\n}\n\nasync function settled"], ['const { feedItems } = await res.json()', 'const feedItems = old(await res.json())']],
    },
    wrong: {
      'nothing new': [['return feedItems.filter(', 'return (feedItems ?? []).filter(']],
      'all is other': [['const { feedItems } = await res.json()', 'const b = await res.json()\n  const feedItems = b.feedItems ?? b.transactions'], ["i.status === 'SETTLED'", "i.status === 'SETTLED' || (i as any).state === 'booked'"], ['* i.amount.minorUnits', "* (i.amount.minorUnits ?? Math.round(parseFloat(i.amount as any) * 100))"]],
      'pounds as pence': [['const { feedItems } = await res.json()', "const body = await res.json()\n  const feedItems = body.feedItems ?? body.transactions.map((t: any) => ({ ...t, amount: { currency: t.currency, minorUnits: Number(t.amount) }, spendingCategory: t.category.code.toUpperCase(), status: t.state === 'booked' ? 'SETTLED' : 'PENDING' }))"]],
      'pending ones, too': [['const { feedItems } = await res.json()', "const body = await res.json()\n  const feedItems = body.feedItems ?? body.transactions.map((t: any) => ({ ...t, amount: { currency: t.currency, minorUnits: Math.round(Number(t.amount) * 100) }, spendingCategory: t.category.code.toUpperCase(), status: 'SETTLED' }))"]],
    },
  }, {
    name: 'categories-renamed',
    happened: 'status SETTLED is called COMPLETED',
    tells: [['status', 'SETTLED', 'COMPLETED']],
    api: { [route]: (f) => ({ feedItems: f.items.map((i) => ({ ...item(i), status: i.status === 'SETTLED' ? 'COMPLETED' : i.status })) }) },
    right: {
      'either': [["i.status === 'SETTLED'", "i.status === 'SETTLED' || i.status === 'COMPLETED'"]],
      'a list': [["i.status === 'SETTLED'", "['SETTLED', 'COMPLETED'].includes(i.status)"]],
      'made old': [['return feedItems.filter(', "return feedItems.map((i: any) => ({ ...i, status: i.status.replace('COMPLETED', 'SETTLED') })).filter("]],
    },
    wrong: {
      'all': [["i.status === 'SETTLED'", 'Boolean(i.status)']],
      'all but the old word': [["i.status === 'SETTLED'", "i.status === 'SETTLED' || i.status === 'PENDING'"]],
      'the new one only': [["i.status === 'SETTLED'", "i.status === 'COMPLETED'"]],
    },
  }],
};
