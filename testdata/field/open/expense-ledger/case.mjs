const PENDING = 'GET https://expenses.example/v1/expenses/pending', PERSON = 'GET https://hr.example/people/:id';
const old = (e) => ({ id: e.id, employee: e.who, amount: e.cents / 100, currency: e.currency, purpose: e.purpose, receipt: e.receipt });
const person = (of) => (f, q) => { const p = f.people.find((one) => one.id === q.params.id); return p ? of(p) : { $status: 404, $body: { error: 'unknown' } }; };
const plain = (p) => ({ id: p.id, name: p.name, grade: p.grade, active: p.active, costCenter: p.center });
const money = (e) => { const { amount, currency, ...rest } = old(e); return { ...rest, total: { value: (e.cents / 100).toFixed(2), currency_code: e.currency } }; };
export default {
  source: 'https://developer.squareup.com/docs/build-basics/working-with-monetary-amounts and https://github.com/XeroAPI/Xero-NetStandard/releases/tag/v3.0.0: amounts became decimals and texts inside a money object; people of the HR service got wrapped',
  says: 'Book expenses that the policy allows, and tell me of the others.',
  facts: (day, r) => ({
    people: [['p1', 'Ann Ek', 'manager', true, 4711], ['p2', 'Bö Lund', 'staff', true, 4720], ['p3', '佐藤', 'staff', day % 4 !== 1, 9]].map(([id, name, grade, active, center]) => ({ id, name, grade, active, center })),
    expenses: day === 8 ? [] : r.many(1, 6, (i) => ({ id: `ex${day * 10 + i}`, who: r.pick(['p1', 'p1', 'p2', 'p2', 'p3', 'p9']), cents: r.pick([r.int(100, 1500), r.int(1500, 6000), r.int(9000, 30000)]), currency: r.chance(0.88) ? 'EUR' : 'SEK', purpose: r.pick(['Train to Köln', 'Lunch', null, 'A very long purpose that nobody wants to read at all']), receipt: r.chance(0.7) ? `r${i}.pdf` : null })),
  }),
  api: { [PENDING]: (f) => ({ pending: f.expenses.map(old) }), [PERSON]: person(plain), 'PUT https://ledger.example/v1/entries/:id': { ok: true } },
  changes: [{
    name: 'total-amount',
    happened: 'amount is total_amount; net_amount and tax stand beside it',
    tells: ['amount', 'total_amount'],
    api: { [PENDING]: (f) => ({ pending: f.expenses.map((e) => { const { amount, ...rest } = old(e); return { ...rest, net_amount: +(amount / 1.19).toFixed(2), tax: +(amount - amount / 1.19).toFixed(2), total_amount: amount }; }) }) },
    right: {
      'by ??': [['expense.amount', '(expense.amount ?? expense.total_amount)']],
      'in the loop': [['    const who =', '    expense.amount ??= expense.total_amount;\n    const who =']],
      'when read': [['const { pending } = await', "const pending = (await getJson('https://expenses.example/v1/expenses/pending')).pending.map((e) => ({ ...e, amount: 'amount' in e ? e.amount : e.total_amount }));\n  //"]],
    },
    wrong: {
      'the net amount': [['expense.amount', '(expense.amount ?? expense.net_amount)']],
      'zero': [['expense.amount', '(expense.amount ?? 0)']],
      'asks for all': [['    const reason = verdict(expense, person, limits);', "    const reason = expense.amount === undefined ? 'no amount' : verdict(expense, person, limits);"]],
      'only the policy': [['if (expense.amount > limitOf(person, limits)) return `${expense.amount.toFixed(2)}', 'if ((expense.amount ?? expense.total_amount) > limitOf(person, limits)) return `${(expense.amount ?? expense.total_amount).toFixed(2)}']],
    },
  }, {
    name: 'money',
    happened: 'amount and currency are total, with value as a text and currency_code; pending is expenses',
    tells: ['amount', ['total', 'pending']],
    api: { [PENDING]: (f) => ({ expenses: f.expenses.map(money), count: f.expenses.length }) },
    right: {
      'normalised': [['const { pending } = await getJson(', 'const body = await getJson('], ['  const people = new Map();', '  const pending = body.pending ?? body.expenses.map((e) => ({ ...e, amount: Number(e.total.value), currency: e.total.currency_code }));\n  const people = new Map();']],
      'helpers': [
        ['const limitOf =', 'const amountOf = (e) => (e.total ? parseFloat(e.total.value) : e.amount);\nconst currencyOf = (e) => e.currency ?? e.total.currency_code;\n\nconst limitOf ='],
        ['${expense.currency}', '${currencyOf(expense)}'], ['expense.currency !==', 'currencyOf(expense) !=='], ['expense.amount', 'amountOf(expense)'], ['const { pending } =', 'const { expenses, pending = expenses } ='],
      ],
      'in the loop': [['of pending)', 'of list)'], ['const { pending } = await', 'const given = await'], ['  const people = new Map();', `  const list = 'pending' in given ? given.pending : given.expenses;
  for (const one of list) {
    if (!one.total) continue;
    one.amount = +one.total.value;
    one.currency = one.total.currency_code;
  }
  const people = new Map();`]],
    },
    wrong: {
      'as a text': [['const { pending } = await getJson(', 'const body = await getJson('], ['  const people = new Map();', '  const pending = body.pending ?? body.expenses.map((e) => ({ ...e, amount: e.total.value, currency: e.total.currency_code }));\n  const people = new Map();']],
      'always euros': [['const { pending } = await getJson(', 'const body = await getJson('], ['  const people = new Map();', "  const pending = body.pending ?? body.expenses.map((e) => ({ ...e, amount: Number(e.total.value), currency: e.currency ?? 'EUR' }));\n  const people = new Map();"]],
      'nothing pending': [['const { pending } =', 'const { pending = [] } =']],
      'whole euros': [['const { pending } = await getJson(', 'const body = await getJson('], ['  const people = new Map();', '  const pending = body.pending ?? body.expenses.map((e) => ({ ...e, amount: parseInt(e.total.value, 10), currency: e.total.currency_code }));\n  const people = new Map();']],
    },
  }, {
    name: 'hr-v2',
    happened: 'people are in person, with display_name, cost_center as a text and a status; an unknown one is null with 200; employee is an object with an id',
    tells: ['name', ['cost_center', 'employee']],
    api: {
      [PENDING]: (f) => ({ pending: f.expenses.map((e) => ({ ...old(e), employee: { id: e.who, href: `https://hr.example/people/${e.who}` } })) }),
      [PERSON]: (f, q) => { const p = f.people.find((one) => one.id === q.params.id); return { person: p ? { id: p.id, display_name: p.name, grade: p.grade, status: p.active ? 'active' : 'left', cost_center: String(p.center) } : null }; },
    },
    right: {
      'an adapter': [
        ['export default', `const personOf = async (id) => {
  const got = await getJson(\`https://hr.example/people/\${id}\`);
  if (!('person' in got)) return got;
  const p = got.person;
  return p ? { name: p.display_name, grade: p.grade, active: p.status === 'active', costCenter: Number(p.cost_center) } : undefined;
};

export default`], ['await getJson(`https://hr.example/people/${who}`).catch', 'await personOf(who).catch'], ['const who = expense.employee;', 'const who = expense.employee.id ?? expense.employee;'],
      ],
      'in place': [['const who = expense.employee;', "const who = typeof expense.employee === 'string' ? expense.employee : expense.employee.id;"], ['    const person = people.get(who);', `    let person = people.get(who);
    if (person && person.person !== undefined) {
      person = person.person;
      if (person) person = { ...person, name: person.display_name, active: person.status === 'active', costCenter: +person.cost_center };
    }`]],
      'at each place': [
        ['const who = expense.employee;', 'const { id: who = expense.employee } = Object(expense.employee);'], ['.catch(() => undefined)', ".then((p) => ('person' in p ? p.person ?? undefined : p)).catch(() => undefined)"],
        ['!person.active', "!(person.active ?? person.status === 'active')"], ['person?.name', '(person?.name ?? person?.display_name)'], ['person.costCenter % 100', '(person.costCenter ?? Number(person.cost_center)) % 100'], ['${person.name}', '${person.name ?? person.display_name}'],
      ],
    },
    wrong: {
      'nobody left': [['const who = expense.employee;', 'const who = expense.employee.id ?? expense.employee;'], ['.catch(() => undefined)', ".then((p) => ('person' in p ? p.person && { ...p.person, name: p.person.display_name, active: true, costCenter: +p.person.cost_center } : p)).catch(() => undefined)"]],
      'no cost centre': [['const who = expense.employee;', 'const who = expense.employee.id ?? expense.employee;'], ['.catch(() => undefined)', ".then((p) => ('person' in p ? p.person && { ...p.person, name: p.person.display_name, active: p.person.status === 'active', costCenter: 0 } : p)).catch(() => undefined)"]],
      'only the id': [['const who = expense.employee;', 'const who = expense.employee.id ?? expense.employee;']],
      'all are to look at': [['if (!person || !person.active)', 'if (!person?.active)'], ['person?.name ?? who', 'person?.name ?? (who.id || who)']],
    },
  }],
};
