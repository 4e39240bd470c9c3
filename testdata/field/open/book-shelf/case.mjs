const ISBN = 'GET https://openlib.example/isbn/:file', WORK = 'GET https://openlib.example/works/:file', AUTHOR = 'GET https://openlib.example/authors/:file', LOANS = 'GET https://library.example/me/loans';
const WORKS = [['OL1W', 'Die Züge', 'A long tale. With an end.', ['OL1A'], 'March 1981'], ['OL2W', '雪国', null, ['OL2A', 'OL3A'], null], ['OL3W', 'Go!', 'Why?  Because\nof it. Yes.', [], '2015'], ['OL4W', 'Ödland', 'One sentence', ['OL9A'], '1 Jan. 1999']];
const NAMES = { OL1A: 'Ann Ek', OL2A: '川端康成', OL3A: 'Bö Lund' };
const edition = (b) => ({ key: `/books/${b.isbn}`, works: [{ key: `/works/${b.work}` }], ...(b.pages ? { number_of_pages: b.pages } : {}), publish_date: '2020' });
const found = (make) => (f, q) => { const b = f.books.find((one) => `${one.isbn}.json` === q.params.file); return b && b.work ? make(b) : { $status: 404, $body: { error: 'notfound' } }; };
const work = (make) => (f, q) => { const w = WORKS.find(([id]) => `${id}.json` === q.params.file); return make({ key: `/works/${w[0]}`, title: w[1], text: w[2], authors: w[3], first: w[4] }); };
const old = (w) => ({ key: w.key, title: w.title, ...(w.text ? { description: w.text } : {}), ...(w.authors.length ? { authors: w.authors.map((id) => ({ author: { key: `/authors/${id}` }, type: { key: '/type/author_role' } })) } : {}), ...(w.first ? { first_publish_date: w.first } : {}) });
const loan = (b) => ({ isbn: b.isbn, due: b.due, renewals: b.renewals });
export default {
  source: 'https://github.com/internetarchive/openlibrary/issues/11716 and https://github.com/internetarchive/openlibrary/issues/8834: a description is a text in one work and a block of type and value in another; authors may come without an author',
  says: 'Keep a shelf of what I have borrowed, and renew what is due.',
  facts: (day, r) => ({ today: `2026-03-${String(day % 28 + 1).padStart(2, '0')}`, books: day === 7 ? [] : r.mix([0, 1, 2, 3, 4]).slice(0, r.int(1, 4)).map((i) => ({ isbn: `978000000${day % 10}${i}`, work: i === 4 ? null : WORKS[i][0], pages: r.pick([r.int(40, 900), null]), due: `2026-03-${String(Math.max(1, day % 28 + 1 + r.int(-3, 9))).padStart(2, '0')}`, renewals: r.int(0, 3) })) }),
  input: (f) => ({ today: f.today }),
  api: { [LOANS]: (f) => ({ loans: f.books.map(loan) }), [ISBN]: found(edition), [WORK]: work(old), [AUTHOR]: (f, q) => { const name = NAMES[q.params.file.slice(0, -5)]; return name ? { key: '/a', name } : { $status: 404, $body: {} }; }, 'POST https://library.example/me/loans/:isbn/renewals': (f, q) => (/[13]$/.test(q.params.isbn) ? { $status: 409, $body: { error: 'wanted' } } : { ok: true }) },
  changes: [{
    name: 'text-block',
    happened: 'description is a block with type and value',
    tells: ['description', 'value'],
    api: { [WORK]: work((w) => { const o = old(w); return o.description ? { ...o, description: { type: '/type/text', value: o.description } } : o; }) },
    right: {
      'by the type': [['sentence(work.description)', "sentence(typeof work.description === 'object' ? (work.description as any).value : work.description)"]],
      'in sentence': [['const sentence = (text?: string): string => (text ?', "const sentence = (given?: string | { value: string }, text = typeof given === 'string' ? given : given?.value): string => (text ?"]],
      'by ??': [['sentence(work.description)', 'sentence((work.description as any)?.value ?? work.description)']],
    },
    wrong: {
      'no description': [['sentence(work.description)', "sentence(typeof work.description === 'string' ? work.description : undefined)"]],
      'as a text': [['text.replace(', 'String(text).replace(']],
      'as JSON': [['text.replace(', 'JSON.stringify(text).replace(']],
    },
  }, {
    name: 'author-roles',
    happened: 'authors hold a role without an author among those with one, the author is a text, first_publish_date is first_publish_year, a number',
    tells: ['authors', ['first_publish_year', 'author']],
    api: { [WORK]: work((w) => { const { first_publish_date, ...o } = old(w); return { ...o, ...(o.authors ? { authors: [{ type: { key: '/type/author_role' } }, ...o.authors.map((a) => ({ ...a, author: a.author.key }))] } : {}), ...(w.first ? { first_publish_year: Number(/\d{4}/.exec(w.first)[0]) } : {}) }; }) },
    right: {
      'at each place': [['  for (const { author } of work.authors ?? []) {', "  for (const { author } of work.authors ?? []) {\n    if (!author) continue;\n    const key = typeof author === 'string' ? author : author.key;"], ['${author.key}', '${key}'], ['work.first_publish_date ?? edition', 'work.first_publish_date ?? (work as any).first_publish_year?.toString() ?? edition']],
      'made old': [['  const days =', `  if (work) {
    const given = work as any;
    given.authors = given.authors?.filter((a: any) => a.author).map((a: any) => ({ author: typeof a.author === 'string' ? { key: a.author } : a.author }));
    if (given.first_publish_year) given.first_publish_date = String(given.first_publish_year);
  }
  const days =`]],
      'keys first': [['of work.authors ?? []', 'of (work.authors ?? []).flatMap((a: any) => (a.author?.key ? [a] : a.author ? [{ author: { key: a.author } }] : []))'], ['year(work.first_publish_date ??', "year(('first_publish_year' in work ? `${(work as any).first_publish_year}` : work.first_publish_date) ??"]],
    },
    wrong: {
      'no years': [['  for (const { author } of work.authors ?? []) {', "  for (const { author } of work.authors ?? []) {\n    if (!author) continue;\n    const key = typeof author === 'string' ? author : author.key;"], ['${author.key}', '${key}']],
      'nobody': [['author.key', "(author?.key ?? '/authors/none')"], ['work.first_publish_date ?? edition', 'work.first_publish_date ?? (work as any).first_publish_year?.toString() ?? edition']],
      'ends at the role': [['  for (const { author } of work.authors ?? []) {', '  for (const { author } of work.authors ?? []) {\n    if (!author) break;'], ['${author.key}', '${(author as any).key ?? author}'], ['work.first_publish_date ?? edition', 'work.first_publish_date ?? (work as any).first_publish_year?.toString() ?? edition']],
      'caught': [['    const person = await get', "    if (!author?.key) continue;\n    const person = await get"]],
    },
  }, {
    name: 'loans-v2',
    happened: 'loans are items, with item.isbn13 written with dashes, due_at as a time in UTC (evening of the day), and renewals_left of three',
    tells: ['loans', ['due_at', 'isbn13', 'renewals_left']],
    api: { [LOANS]: (f) => ({ items: f.books.map((b) => ({ item: { isbn13: b.isbn.replace(/^(\d{3})(\d)(\d{5})(\d+)(\d)$/, '$1-$2-$3-$4-$5') }, due_at: `${b.due}T21:59:59Z`, renewals_left: 3 - b.renewals })), total: f.books.length }) },
    right: {
      'made old': [["  const { loans } = (await get<{ loans: Loan[] }>(`${LIBRARY}/me/loans`)) ?? { loans: [] };", "  const got = (await get<any>(`${LIBRARY}/me/loans`)) ?? { loans: [] };\n  const loans: Loan[] = got.loans ?? got.items.map((i: any) => ({ isbn: i.item.isbn13.replaceAll('-', ''), due: i.due_at.slice(0, 10), renewals: 3 - i.renewals_left }));"]],
      'an adapter': [['async function shelve', "const old = ({ item, due_at, renewals_left, ...loan }: any): Loan => (item ? { isbn: item.isbn13.split('-').join(''), due: due_at.split('T')[0], renewals: 3 - renewals_left } : loan);\n\nasync function shelve"], ['const { loans } = (await get<{ loans: Loan[] }>', 'const { items, loans: plain = items } = (await get<any>'], ['  const books = [];', '  const loans = plain.map(old) as Loan[];\n  const books = [];']],
      'in a loop': [['const { loans } = (await get<{ loans: Loan[] }>', 'const { loans = [], items = [] } = (await get<any>'], ['?? { loans: [] };', '?? {};'], ['  const books = [];', `  for (const one of items) {
    const [due] = /^[\\d-]+/.exec(one.due_at)!;
    loans.push({ isbn: one.item.isbn13.replace(/\\D/g, ''), due, renewals: Math.max(0, 3 - one.renewals_left) });
  }
  const books = [];`], ['of loans)', 'of loans as Loan[])'], ['loans.filter((l)', 'loans.filter((l: Loan)']],
    },
    wrong: {
      'nothing borrowed': [['const { loans } = (await', 'const { loans = [] } = (await']],
      'with dashes': [["  const { loans } = (await get<{ loans: Loan[] }>(`${LIBRARY}/me/loans`)) ?? { loans: [] };", "  const got = (await get<any>(`${LIBRARY}/me/loans`)) ?? { loans: [] };\n  const loans: Loan[] = got.loans ?? got.items.map((i: any) => ({ isbn: i.item.isbn13, due: i.due_at.slice(0, 10), renewals: 3 - i.renewals_left }));"]],
      'what is left for what was used': [["  const { loans } = (await get<{ loans: Loan[] }>(`${LIBRARY}/me/loans`)) ?? { loans: [] };", "  const got = (await get<any>(`${LIBRARY}/me/loans`)) ?? { loans: [] };\n  const loans: Loan[] = got.loans ?? got.items.map((i: any) => ({ isbn: i.item.isbn13.replaceAll('-', ''), due: i.due_at.slice(0, 10), renewals: i.renewals_left }));"]],
      'with the time': [["  const { loans } = (await get<{ loans: Loan[] }>(`${LIBRARY}/me/loans`)) ?? { loans: [] };", "  const got = (await get<any>(`${LIBRARY}/me/loans`)) ?? { loans: [] };\n  const loans: Loan[] = got.loans ?? got.items.map((i: any) => ({ isbn: i.item.isbn13.replaceAll('-', ''), due: i.due_at, renewals: 3 - i.renewals_left }));"]],
    },
  }],
};
