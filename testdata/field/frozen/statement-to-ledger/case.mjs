const route = 'GET https://bank.example/ebics/:account/camt053.xml';
const esc = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const V2 = { ns: '02', status: (s) => `<Sts>${s}</Sts>`, who: (n) => `<Nm>${esc(n)}</Nm>`, bic: (b) => `<BIC>${b}</BIC>`, amount: (c) => `<Amt Ccy="EUR">${(c / 100).toFixed(2)}</Amt>`, date: (d) => `<Dt>${d}</Dt>`, ref: (r) => `<AcctSvcrRef>${r}</AcctSvcrRef>`, lines: (l) => l.map((x) => `<Ustrd>${esc(x)}</Ustrd>`).join('') };
const details = (t, v, incoming) => {
  const [side, agent] = incoming ? ['Dbtr', 'DbtrAgt'] : ['Cdtr', 'CdtrAgt'];
  return `<TxDtls>${v.amount(t.cents)}${t.who ? `<RltdPties><${side}>${v.who(t.who)}</${side}>${t.iban ? `<${side}Acct><Id><IBAN>${t.iban}</IBAN></Id></${side}Acct>` : ''}</RltdPties>` : ''}${t.bic ? `<RltdAgts><${agent}><FinInstnId>${v.bic(t.bic)}</FinInstnId></${agent}></RltdAgts>` : ''}${t.lines.length ? `<RmtInf>${v.lines(t.lines)}</RmtInf>` : ''}</TxDtls>`;
};
const entry = (e, v) => `<Ntry>${v.amount(e.of.reduce((n, t) => n + t.cents, 0))}<CdtDbtInd>${e.incoming ? 'CRDT' : 'DBIT'}</CdtDbtInd>${v.status(e.booked ? 'BOOK' : 'PDNG')}<BookgDt>${v.date(e.date)}</BookgDt>${v.ref(e.ref)}${e.bare ? '' : `<NtryDtls>${e.of.map((t) => details(t, v, e.incoming)).join('')}</NtryDtls>`}</Ntry>`;
const camt = (f, v) => ({ $type: 'application/xml', $body: `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${v.ns}"><BkToCstmrStmt><Stmt><Id>1</Id>${f.entries.map((e) => entry(e, v)).join('\n')}</Stmt></BkToCstmrStmt></Document>` });
const V8 = { ...V2, ns: '08', status: (s) => `<Sts><Cd>${s}</Cd></Sts>`, who: (n) => `<Pty><Nm>${esc(n)}</Nm></Pty>`, bic: (b) => `<BICFI>${b}</BICFI>` };
export default {
  source: 'https://github.com/viafintech/camt_parser/pull/59, https://github.com/Project60/org.project60.banking/issues/428 and https://github.com/genkgo/camt/pull/150 (all opened): banks moved statements from version 02 to 08, where names of parties lie one level deeper and BIC is BICFI',
  says: 'Book the lines of our statement in the ledger',
  facts: (day, r) => ({
    entries: r.many(day === 7 ? 0 : 1, 5, (i) => ({ ref: `R${day}${i}`, incoming: r.chance(0.5), booked: r.chance(0.85), bare: r.chance(0.15), date: `2026-05-${String(day + 1).padStart(2, '0')}`, of: r.many(1, 2, () => ({ cents: r.int(1, 250000), who: r.pick(['Ada & Söhne', 'Bö <GmbH>', null]), iban: r.pick(['DE89370400440532013000', null]), bic: r.pick(['COBADEFFXXX', 'GENODEF1', null]), lines: r.some(['Rechnung Nr. 7', 'Kd. “12”']) })) })),
  }),
  input: () => ({ account: 'A1' }),
  api: { [route]: (f) => camt(f, V2), 'PUT https://ledger.example/api/lines/:key': () => ({ ok: true }) },
  changes: [{
    name: 'version-08',
    happened: 'the statement is camt.053.001.08: Sts has Cd, names of parties are below Pty, and BIC is BICFI',
    tells: [['Sts', 'Cd'], ['Pty', 'BICFI', 'Nm']],
    api: { [route]: (f) => camt(f, V8) },
    right: {
      'in each place': [["entry.Sts === 'BOOK'", "(entry.Sts.Cd || entry.Sts) === 'BOOK'"], ["who && who.Nm ? who.Nm : 'unknown'", "(who && (who.Nm || (who.Pty && who.Pty.Nm))) || 'unknown'"], ['agent.FinInstnId.BIC', '(agent.FinInstnId.BICFI ?? agent.FinInstnId.BIC)']],
      'text made old': [['toObject(xml,', "toObject(xml.replace(/<Sts><Cd>(\\w+)<\\/Cd><\\/Sts>/g, '<Sts>$1</Sts>').replace(/<\\/?Pty>/g, '').replace(/(<\\/?)BICFI>/g, '$1BIC>'),"]],
      'tree made old': [['function party(', "const lift = (node) => {\n  if (Array.isArray(node)) return node.map(lift);\n  if (!node || typeof node !== 'object') return node;\n  const { Pty, BICFI, ...rest } = node;\n  const made = Object.fromEntries(Object.entries({ ...rest, ...Pty, ...(BICFI ? { BIC: BICFI } : {}) }).map(([k, v]) => [k, lift(v)]));\n  if (made.Sts && made.Sts.Cd) made.Sts = made.Sts.Cd;\n  return made;\n};\n\nfunction party("], ['return many(Stmt);', 'return many(lift(Stmt));']],
    },
    wrong: {
      'pending ones, too': [["entry.Sts === 'BOOK'", "entry.Sts !== 'PDNG'"], ["who && who.Nm ? who.Nm : 'unknown'", "(who && (who.Nm || (who.Pty && who.Pty.Nm))) || 'unknown'"], ['agent.FinInstnId.BIC', '(agent.FinInstnId.BICFI ?? agent.FinInstnId.BIC)']],
      'all are unknown': [["entry.Sts === 'BOOK'", "(entry.Sts.Cd || entry.Sts) === 'BOOK'"], ['agent.FinInstnId.BIC', '(agent.FinInstnId.BICFI ?? agent.FinInstnId.BIC)']],
      'no banks': [["entry.Sts === 'BOOK'", "(entry.Sts.Cd || entry.Sts) === 'BOOK'"], ["who && who.Nm ? who.Nm : 'unknown'", "(who && (who.Nm || (who.Pty && who.Pty.Nm))) || 'unknown'"], ['agent.FinInstnId.BIC', '(agent.FinInstnId.BIC ?? null)']],
      'nothing is booked': [["who && who.Nm ? who.Nm : 'unknown'", "(who && (who.Nm || (who.Pty && who.Pty.Nm))) || 'unknown'"], ['agent.FinInstnId.BIC', '(agent.FinInstnId.BICFI ?? agent.FinInstnId.BIC)']],
    },
  }, {
    name: 'prefix-and-times',
    happened: 'all names have the prefix ns2:, and the day of booking is a DtTm with a time and an offset',
    tells: [['ns2', 'prefix', 'Document', 'namespace'], ['DtTm', 'BookgDt', 'ns2', 'prefix']],
    api: { [route]: (f) => { const a = camt(f, { ...V2, date: (d) => `<DtTm>${d}T00:30:00+02:00</DtTm>` }); return { ...a, $body: a.$body.replace(/<(\/?)([A-Z])/g, '<$1ns2:$2').replace('xmlns=', 'xmlns:ns2=') }; } },
    right: {
      'text made old': [['toObject(xml,', "toObject(xml.replace(/<(\\/?)[\\w-]+:/g, '<$1'),"], ['entry.BookgDt.Dt', '(entry.BookgDt.Dt || entry.BookgDt.DtTm.slice(0, 10))']],
      'names made old': [["const { Document: { BkToCstmrStmt: { Stmt } } } = toObject(xml, { arrays: ['Ntry', 'TxDtls', 'Ustrd'] });", "const bare = (v) => (Array.isArray(v) ? v.map(bare) : v && typeof v === 'object' ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k.replace(/^\\w+:/, ''), bare(x)])) : v);\n  const { Document: { BkToCstmrStmt: { Stmt } } } = bare(toObject(xml, { arrays: ['Ntry', 'TxDtls', 'Ustrd', 'ns2:Ntry', 'ns2:TxDtls', 'ns2:Ustrd'] }));"], ['date: entry.BookgDt.Dt', "date: entry.BookgDt.Dt ?? entry.BookgDt.DtTm.split('T')[0]"]],
      'by the prefix that is there': [['  const { Document:', "  const [, prefix] = /<(\\w+:)?Document\\b/.exec(xml);\n  if (prefix) xml = xml.split('<' + prefix).join('<').split('</' + prefix).join('</').replace(/<DtTm>([\\d-]{10})[^<]*<\\/DtTm>/g, '<Dt>$1</Dt>');\n  const { Document:"]],
    },
    wrong: {
      'days of UTC': [['toObject(xml,', "toObject(xml.replace(/<(\\/?)[\\w-]+:/g, '<$1'),"], ['entry.BookgDt.Dt', "(entry.BookgDt.Dt || new Date(entry.BookgDt.DtTm).toISOString().slice(0, 10))"]],
      'no entries': [["const { Document: { BkToCstmrStmt: { Stmt } } } =", 'const { Document: { BkToCstmrStmt: { Stmt } = {} } = {} } =']],
      'with their times': [['toObject(xml,', "toObject(xml.replace(/<(\\/?)[\\w-]+:/g, '<$1'),"], ['entry.BookgDt.Dt', '(entry.BookgDt.Dt || entry.BookgDt.DtTm)']],
      'no day': [['toObject(xml,', "toObject(xml.replace(/<(\\/?)[\\w-]+:/g, '<$1'),"], ["date: entry.BookgDt.Dt,", "date: entry.BookgDt.Dt ?? null,"]],
    },
  }, {
    name: 'amounts-and-references',
    happened: 'an amount is below AmtDtls/TxAmt for details, with a comma, what is paid for is one AddtlTxInf, and the reference is a number NtryRef',
    tells: [['Amt', 'AmtDtls', 'amount', 'AcctSvcrRef', 'NtryRef']],
    api: { [route]: (f) => { const a = camt(f, { ...V2, amount: (c) => `<Amt Ccy="EUR">${(c / 100).toFixed(2).replace('.', ',')}</Amt>`, ref: (r) => `<NtryRef>${r}</NtryRef>`, lines: (l) => `<AddtlTxInf>${esc(l.join(' '))}</AddtlTxInf>` }); return { ...a, $body: a.$body.replace(/<TxDtls>(<Amt .*?<\/Amt>)/g, '<TxDtls><AmtDtls><TxAmt>$1</TxAmt></AmtDtls>') }; } },
    right: {
      'in each place': [["new Decimal((details.Amt || entry.Amt)['#text'])", "new Decimal((details.Amt || (details.AmtDtls ? details.AmtDtls.TxAmt.Amt : entry.Amt))['#text'].replace(',', '.'))"], ['entry.AcctSvcrRef +', '(entry.AcctSvcrRef || entry.NtryRef) +'], ["many(details.RmtInf.Ustrd).join(' ').trim()", "many(details.RmtInf.Ustrd ?? details.RmtInf.AddtlTxInf).join(' ').trim()"]],
      'text made old': [['toObject(xml,', "toObject(xml.replace(/<AmtDtls><TxAmt>(.*?)<\\/TxAmt><\\/AmtDtls>/g, '$1').replace(/(<Amt [^>]*>\\d+),(\\d\\d)/g, '$1.$2').replace(/(<\\/?)NtryRef>/g, '$1AcctSvcrRef>').replace(/(<\\/?)AddtlTxInf>/g, '$1Ustrd>'),"]],
      'functions': [["(details.Amt || entry.Amt)['#text']", 'money(details, entry)'], ['entry.AcctSvcrRef +', '[entry.AcctSvcrRef, entry.NtryRef].find(Boolean) +'], ["details.RmtInf ? many(details.RmtInf.Ustrd).join(' ').trim() : ''", 'purpose(details)'], ['function entries', "function money({ Amt, AmtDtls }, entry) {\n  const amount = Amt || AmtDtls?.TxAmt.Amt || entry.Amt;\n  return amount['#text'].split(',').join('.');\n}\n\nfunction purpose({ RmtInf = {} }) {\n  return [...many(RmtInf.Ustrd), ...many(RmtInf.AddtlTxInf)].join(' ').trim();\n}\n\nfunction entries"]],
    },
    wrong: {
      'the sum for each part': [["new Decimal((details.Amt || entry.Amt)['#text'])", "new Decimal((details.Amt || entry.Amt)['#text'].replace(',', '.'))"], ['entry.AcctSvcrRef +', '(entry.AcctSvcrRef || entry.NtryRef) +'], ["many(details.RmtInf.Ustrd)", "many(details.RmtInf.Ustrd ?? details.RmtInf.AddtlTxInf)"]],
      'a hundred times': [["new Decimal((details.Amt || entry.Amt)['#text'])", "new Decimal((details.Amt || (details.AmtDtls ? details.AmtDtls.TxAmt.Amt : entry.Amt))['#text'].replace(',', ''))"], ['entry.AcctSvcrRef +', '(entry.AcctSvcrRef || entry.NtryRef) +'], ["many(details.RmtInf.Ustrd)", "many(details.RmtInf.Ustrd ?? details.RmtInf.AddtlTxInf)"]],
      'no purpose': [["new Decimal((details.Amt || entry.Amt)['#text'])", "new Decimal((details.Amt || (details.AmtDtls ? details.AmtDtls.TxAmt.Amt : entry.Amt))['#text'].replace(',', '.'))"], ['entry.AcctSvcrRef +', '(entry.AcctSvcrRef || entry.NtryRef) +']],
      'whole euros': [["new Decimal((details.Amt || entry.Amt)['#text'])", "new Decimal(parseInt((details.Amt || (details.AmtDtls ? details.AmtDtls.TxAmt.Amt : entry.Amt))['#text'], 10))"], ['entry.AcctSvcrRef +', '(entry.AcctSvcrRef || entry.NtryRef) +'], ["many(details.RmtInf.Ustrd)", "many(details.RmtInf.Ustrd ?? details.RmtInf.AddtlTxInf)"]],
    },
  }],
};
