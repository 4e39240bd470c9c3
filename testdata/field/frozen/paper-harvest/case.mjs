const route = 'GET https://archive.example/oai';
const esc = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const xml = (inner) => ({ $type: 'text/xml', $body: `<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-02-01T00:00:00Z</responseDate>${inner}</OAI-PMH>` });
const header = (p, id) => `<header${p.gone ? ' status="deleted"' : ''}><identifier>${id}</identifier><datestamp>2026-02-01</datestamp><setSpec>cs</setSpec></header>`;
const dc = (p) => `<record>${header(p, 'oai:archive.example:' + p.id)}${p.gone ? '' : `<metadata><oai_dc:dc xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${esc(p.title)}</dc:title>${p.authors.map((a) => `<dc:creator>${a}</dc:creator>`).join('')}</oai_dc:dc></metadata>`}</record>`;
const list = (f, q, record, token = (at) => `<resumptionToken cursor="0">${at}</resumptionToken>`, given = (t) => Number(t)) => {
  if (f.papers.length === 0) return xml('<error code="noRecordsMatch">nothing</error>');
  const at = q.query.resumptionToken ? given(q.query.resumptionToken) : 0, to = at + 3;
  return xml(`<ListRecords>${f.papers.slice(at, to).map(record).join('')}${to < f.papers.length ? token(to) : '<resumptionToken/>'}</ListRecords>`);
};
const own = (p) => `<record>${header(p, 'oai:archive.example/' + p.id)}${p.gone ? '' : `<metadata><paper><title>${esc(p.title)}</title><authors>${p.authors.map((a) => { const [first, ...last] = a.split(' '); return `<author><keyname>${last.join(' ')}</keyname><forenames>${first}</forenames></author>`; }).join('')}</authors></paper></metadata>`}</record>`;
export default {
  source: 'https://github.com/matiscke/arxiv-scan/pull/26 and https://github.com/datacite/datacite/issues/1442 (both opened): an archive moved its harvesting, its sets and identifiers changed their form, and tokens for the next page are escaped or broken',
  says: 'Put new papers with our words onto the reading list',
  facts: (day, r) => ({
    from: `2026-02-${String(day + 1).padStart(2, '0')}`,
    papers: r.many(day === 2 ? 0 : 1, 9, (i) => ({ id: `26${String(day + 10)}.${1000 + i}`, title: r.pick(['Graph drawing & layout', 'On  random\n graphs', 'Trees < graphs', 'Parsing XML', 'グラフ理論 (graph)', 'Compilers']), authors: r.some(['Ada Lovelace', 'Jürgen Groß', 'Grace Brewster Hopper', '山田 太郎']), gone: r.chance(0.15) })),
  }),
  input: (f) => ({ from: f.from }),
  api: { [route]: (f, q) => list(f, q, dc), 'POST https://reading.example/api/items': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'own-format',
    happened: 'records have title and authors with keyname and forenames in place of Dublin Core, and the identifier ends behind a slash',
    tells: [['dc:title', 'title', 'creator', 'author']],
    api: { [route]: (f, q) => list(f, q, own) },
    right: {
      'either selector': [["text(record, 'dc\\\\:title')", "text(record, 'dc\\\\:title, title')"], ["split(':').pop()", 'split(/[:\\/]/).pop()'], ["record.querySelectorAll('dc\\\\:creator').map((c) => c.textContent.trim())", "record.querySelectorAll('dc\\\\:creator, author').map((c) => (c.querySelector('keyname') ? `${text(c, 'forenames')} ${text(c, 'keyname')}` : c.textContent).trim())"]],
      'a function': [['function* interesting', "function authorsOf(record) {\n  const modern = record.querySelectorAll('authors > author');\n  if (modern.length > 0) return modern.map((a) => [text(a, 'forenames'), text(a, 'keyname')].filter(Boolean).join(' '));\n  return record.querySelectorAll('dc\\\\:creator').map((c) => c.textContent.trim());\n}\n\nfunction* interesting"], ["authors: record.querySelectorAll('dc\\\\:creator').map((c) => c.textContent.trim())", 'authors: authorsOf(record)'], ["const title = text(record, 'dc\\\\:title')", "const title = text(record, 'dc\\\\:title') || text(record, 'title')"], ["text(record, 'identifier').split(':').pop()", "text(record, 'identifier').match(/[^:\\/]+$/)[0]"]],
      'by the place in the tree': [["text(record, 'dc\\\\:title')", "text(record, record.querySelector('paper') ? 'paper > title' : 'dc\\\\:title')"], ["text(record, 'identifier').split(':').pop()", "text(record, 'identifier').replace(/^oai:archive\\.example[:\\/]/, '')"], ["record.querySelectorAll('dc\\\\:creator').map((c) => c.textContent.trim())", "(record.querySelector('paper') ? record.querySelectorAll('author').map((a) => [...a.children].reverse().map((c) => c.textContent.trim()).join(' ')) : record.querySelectorAll('dc\\\\:creator').map((c) => c.textContent.trim()))"]],
    },
    wrong: {
      'no authors': [["text(record, 'dc\\\\:title')", "text(record, 'dc\\\\:title, title')"], ["split(':').pop()", 'split(/[:\\/]/).pop()']],
      'names turned': [["text(record, 'dc\\\\:title')", "text(record, 'dc\\\\:title, title')"], ["split(':').pop()", 'split(/[:\\/]/).pop()'], ["record.querySelectorAll('dc\\\\:creator')", "record.querySelectorAll('dc\\\\:creator, author')"]],
      'long identifiers': [["text(record, 'dc\\\\:title')", "text(record, 'dc\\\\:title, title')"], ["record.querySelectorAll('dc\\\\:creator').map((c) => c.textContent.trim())", "record.querySelectorAll('dc\\\\:creator, author').map((c) => (c.querySelector('keyname') ? `${text(c, 'forenames')} ${text(c, 'keyname')}` : c.textContent).trim())"]],
      'last names': [["text(record, 'dc\\\\:title')", "text(record, 'dc\\\\:title, title')"], ["split(':').pop()", 'split(/[:\\/]/).pop()'], ["record.querySelectorAll('dc\\\\:creator')", "record.querySelectorAll('dc\\\\:creator, keyname')"]],
    },
  }, {
    name: 'token-as-attribute',
    happened: 'the token of the next page is an attribute of resumptionToken',
    tells: [['resumptionToken', 'token']],
    api: { [route]: (f, q) => list(f, q, dc, (at) => `<resumptionToken completeListSize="${f.papers.length}" token="t${at}"/>`, (t) => Number(t.slice(1))) },
    right: {
      'either': [["params = token && token.textContent.trim() ? { verb: 'ListRecords', resumptionToken: token.textContent.trim() } : null;", "const next = token?.textContent.trim() || token?.getAttribute('token');\n      params = next ? { verb: 'ListRecords', resumptionToken: next } : null;"]],
      'a method': [['  async *records', "  next(doc) {\n    const element = doc.querySelector('resumptionToken');\n    if (!element) return null;\n    const value = element.getAttribute('token') ?? element.textContent.trim();\n    return value === '' ? null : { verb: 'ListRecords', resumptionToken: value };\n  }\n\n  async *records"], ["const token = doc.querySelector('resumptionToken');\n      params = token && token.textContent.trim() ? { verb: 'ListRecords', resumptionToken: token.textContent.trim() } : null;", 'params = this.next(doc);']],
      'all attributes': [["params = token && token.textContent.trim() ? { verb: 'ListRecords', resumptionToken: token.textContent.trim() } : null;", "const { token: given = token?.textContent.trim() } = token?.attributes ?? {};\n      params = given ? { verb: 'ListRecords', resumptionToken: given } : null;"]],
    },
    wrong: {
      'the first page': [["params = token && token.textContent.trim() ?", "params = token && token.textContent.trim() && !token.getAttribute('token') ?"]],
      'two pages': [["params = token && token.textContent.trim() ? { verb: 'ListRecords', resumptionToken: token.textContent.trim() } : null;", "const value = token?.textContent.trim() || (params.from && token?.getAttribute('token'));\n      params = value ? { verb: 'ListRecords', resumptionToken: value } : null;"]],
      'the attribute only': [["params = token && token.textContent.trim() ? { verb: 'ListRecords', resumptionToken: token.textContent.trim() } : null;", "const value = token?.getAttribute('token');\n      params = value ? { verb: 'ListRecords', resumptionToken: value } : null;"]],
    },
  }, {
    name: 'deleted-and-several-titles',
    happened: 'deleted records keep their metadata and say deleted by an element, and a translated title with xml:lang may stand before the title',
    tells: [['title', 'deleted', 'status', 'lang']],
    api: { [route]: (f, q) => list(f, q, (p) => `<record><header>${p.gone ? '<deleted>true</deleted>' : ''}<identifier>oai:archive.example:${p.id}</identifier></header><metadata><oai_dc:dc>${p.id.endsWith('1') ? '<dc:title xml:lang="fr">Graphes</dc:title>' : ''}<dc:title>${esc(p.title)}</dc:title>${p.authors.map((a) => `<dc:creator>${a}</dc:creator>`).join('')}</oai_dc:dc></metadata></record>`) },
    right: {
      'in place': [["record.querySelector('header').getAttribute('status') === 'deleted'", "(record.querySelector('header').getAttribute('status') === 'deleted' || record.querySelector('header > deleted'))"], ["const title = text(record, 'dc\\\\:title');", "const own = record.querySelectorAll('dc\\\\:title').find((t) => !t.getAttribute('xml:lang'));\n    const title = own ? own.textContent.replace(/\\s+/g, ' ').trim() : '';"]],
      'the last title': [["record.querySelector('header').getAttribute('status') === 'deleted'", "record.querySelector('header').getAttribute('status') === 'deleted' || text(record, 'deleted') === 'true'"], ["const title = text(record, 'dc\\\\:title');", "const title = (record.querySelectorAll('dc\\\\:title').at(-1)?.textContent ?? '').replace(/\\s+/g, ' ').trim();"]],
      'functions': [['function* interesting', "const gone = (record) => record.querySelector('header').getAttribute('status') === 'deleted' || record.querySelector('deleted') !== null;\nconst titleOf = (record) => {\n  for (const t of record.querySelectorAll('dc\\\\:title')) if (t.getAttribute('xml:lang') === null) return t.textContent.trim().split(/\\s+/).join(' ');\n  return '';\n};\n\nfunction* interesting"], ["record.querySelector('header').getAttribute('status') === 'deleted') continue", 'gone(record)) continue'], ["const title = text(record, 'dc\\\\:title')", 'const title = titleOf(record)']],
    },
    wrong: {
      'deleted ones, too': [["const title = text(record, 'dc\\\\:title');", "const title = (record.querySelectorAll('dc\\\\:title').at(-1)?.textContent ?? '').replace(/\\s+/g, ' ').trim();"]],
      'the first title': [["record.querySelector('header').getAttribute('status') === 'deleted'", "(record.querySelector('header').getAttribute('status') === 'deleted' || record.querySelector('header > deleted'))"]],
      'without those that have two': [["record.querySelector('header').getAttribute('status') === 'deleted'", "(record.querySelector('header').getAttribute('status') === 'deleted' || record.querySelector('header > deleted') || record.querySelectorAll('dc\\\\:title').length > 1)"]],
    },
  }],
};
