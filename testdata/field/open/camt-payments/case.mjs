const STATEMENT = 'GET https://bank.example/ebics/statements/:file';
const safe = (t) => String(t).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const xml = ({ version = '02', status = (s) => s, party = (p) => p, date = (d) => `<Dt>${d}</Dt>` }) => (f) => ({
  $type: 'application/xml',
  $body: `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt><Stmt><Id>S${f.day}</Id>${f.entries.map((e) => `
<Ntry><Amt Ccy="${e.currency}">${(e.cents / 100).toFixed(2)}</Amt><CdtDbtInd>${e.credit ? 'CRDT' : 'DBIT'}</CdtDbtInd><Sts>${status(e.status)}</Sts><BookgDt>${date(e.date)}</BookgDt><NtryDtls><TxDtls><RltdPties>${e.payer ? `<Dbtr>${party(`<Nm>${safe(e.payer)}</Nm>`)}</Dbtr>` : ''}${e.iban ? `<DbtrAcct><Id><IBAN>${e.iban}</IBAN></Id></DbtrAcct>` : ''}<Cdtr>${party('<Nm>We Ltd</Nm>')}</Cdtr></RltdPties>${e.text ? `<RmtInf><Ustrd>${safe(e.text)}</Ustrd></RmtInf>` : ''}</TxDtls></NtryDtls></Ntry>`).join('')}
</Stmt></BkToCstmrStmt></Document>`,
});
const pty = (p) => `<Pty>${p}</Pty>`, cd = (s) => `<Cd>${s}</Cd>`, time = (d) => `<DtTm>${d}T09:30:00+01:00</DtTm>`;
const PAYER = "textAt(tx, 'RltdPties > Dbtr > Nm') ?? 'unknown'";
export default {
  source: 'https://github.com/viafintech/camt_parser/issues/75 and https://github.com/viafintech/camt_parser/pull/59: camt.053.001.08 puts parties into Pty; camt.053.001.02 had them directly; status became a code in an element of its own',
  says: 'Book what was paid by the bank statement, and keep a list of what has no invoice number.',
  facts: (day, r) => {
    const date = `2026-02-${String(day % 28 + 1).padStart(2, '0')}`;
    return { day: date, entries: r.many(day === 8 ? 0 : 2, 7, (i) => ({
      cents: r.int(99, 2500000), currency: r.chance(0.9) ? 'EUR' : 'CHF', credit: r.chance(0.8), status: r.chance(0.85) ? 'BOOK' : 'PDNG', date,
      payer: r.pick(['Müller & Söhne', 'Ada Ltd', '株式会社ヤマ', null, 'B < C AG']), iban: r.chance(0.8) ? `DE${r.int(10, 99)}50010517${r.int(1000000000, 9999999999)}` : null,
      text: r.pick([`RE-${r.int(1000, 9999)}`, `inv ${r.int(10000, 99999)} thanks`, 'Danke', null, `Rechnung RE${r.int(1000, 9999)} vom 1.2.`]) })) };
  },
  input: (f) => ({ day: f.day }),
  api: { [STATEMENT]: xml({}), 'POST https://books.example/invoices/:number/payments': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'party',
    happened: 'names of parties are in an element Pty of Dbtr and Cdtr',
    tells: ['Pty'],
    api: { [STATEMENT]: xml({ version: '08', party: pty }) },
    right: {
      'by ??': [[PAYER, "textAt(tx, 'RltdPties > Dbtr > Nm') ?? textAt(tx, 'RltdPties > Dbtr > Pty > Nm') ?? 'unknown'"]],
      'at any depth': [[PAYER, "textAt(tx, 'Dbtr Nm') ?? 'unknown'"]],
      'two selectors': [[PAYER, "textAt(tx, 'RltdPties > Dbtr > Nm, RltdPties > Dbtr > Pty > Nm') ?? 'unknown'"]],
      'without the elements': [['parse(xml)', "parse(xml.replace(/<\\/?Pty>/g, ''))"]],
    },
    wrong: {
      'the creditor': [[PAYER, "textAt(tx, 'RltdPties > Dbtr > Nm') ?? textAt(tx, 'RltdPties Nm') ?? 'unknown'"]],
      'the account': [[PAYER, "textAt(tx, 'RltdPties > Dbtr > Nm') ?? textAt(tx, 'DbtrAcct > Id > IBAN') ?? 'unknown'"]],
      'empty': [[PAYER, "textAt(tx, 'RltdPties > Dbtr > Nm') ?? ''"]],
    },
  }, {
    name: 'v08',
    happened: 'Pty around parties, the status is a code in Cd, the date of booking is a time in DtTm',
    tells: ['DtTm', ['Pty', 'Cd']],
    api: { [STATEMENT]: xml({ version: '08', party: pty, status: cd, date: time }) },
    right: {
      'by ??': [["textAt(entry, 'BookgDt > Dt');", "textAt(entry, 'BookgDt > Dt') ?? textAt(entry, 'BookgDt > DtTm')?.slice(0, 10) ?? null;"], [PAYER, "textAt(tx, 'RltdPties > Dbtr > Nm') ?? textAt(tx, 'RltdPties > Dbtr > Pty > Nm') ?? 'unknown'"]],
      'the text of both': [["textAt(entry, 'BookgDt > Dt');", "textAt(entry, 'BookgDt')?.slice(0, 10) ?? null;"], [PAYER, "textAt(tx, 'Dbtr Nm') ?? 'unknown'"]],
      'made old': [['parse(xml)', "parse(xml.replace(/<\\/?Pty>/g, '').replace(/<DtTm>([^T<]*)T[^<]*<\\/DtTm>/g, '<Dt>$1</Dt>').replace(/<Sts><Cd>(\\w+)<\\/Cd><\\/Sts>/g, '<Sts>$1</Sts>'))"]],
    },
    wrong: {
      'with the time': [["textAt(entry, 'BookgDt > Dt');", "textAt(entry, 'BookgDt > Dt') ?? textAt(entry, 'BookgDt > DtTm');"], [PAYER, "textAt(tx, 'Dbtr Nm') ?? 'unknown'"]],
      'only the date': [["textAt(entry, 'BookgDt > Dt');", "textAt(entry, 'BookgDt > Dt') ?? textAt(entry, 'BookgDt > DtTm')?.slice(0, 10) ?? null;"]],
      'skips it': [["      if (booked === null) throw new Error('an entry has no date');", '      if (booked === null) continue;']],
      'no date': [["      if (booked === null) throw new Error('an entry has no date');\n", ''], [PAYER, "textAt(tx, 'Dbtr Nm') ?? 'unknown'"]],
    },
  }, {
    name: 'structured-reference',
    happened: 'what a payment is for is a structured reference in Strd, the parties are in Pty',
    tells: ['Ustrd', 'Strd'],
    api: { [STATEMENT]: (f) => { const made = xml({ version: '08', party: pty })(f); return { ...made, $body: made.$body.replace(/<Ustrd>(.*?)<\/Ustrd>/g, '<Strd><CdtrRefInf><Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry></Tp><Ref>$1</Ref></CdtrRefInf></Strd>') }; } },
    right: {
      'by ??': [["textAt(tx, 'RmtInf > Ustrd')", "textAt(tx, 'RmtInf > Ustrd') ?? textAt(tx, 'RmtInf > Strd > CdtrRefInf > Ref')"], [PAYER, "textAt(tx, 'RltdPties > Dbtr > Nm') ?? textAt(tx, 'RltdPties > Dbtr > Pty > Nm') ?? 'unknown'"]],
      'several selectors': [["'RmtInf > Ustrd'", "'Ustrd, CdtrRefInf > Ref'"], [PAYER, "textAt(tx, 'Dbtr > Nm, Dbtr > Pty > Nm') ?? 'unknown'"]],
      'a choice of paths': [['const textAt =', 'const firstOf = (node, ...paths) => paths.map((path) => textAt(node, path)).find((t) => t !== null) ?? null;\nconst textAt ='], ["textAt(tx, 'RmtInf > Ustrd')", "firstOf(tx, 'Ustrd', 'Strd Ref')"], ["textAt(tx, 'RltdPties > Dbtr > Nm')", "firstOf(tx, 'Dbtr > Nm', 'Dbtr > Pty > Nm')"]],
    },
    wrong: {
      'all of the text': [["textAt(tx, 'RmtInf > Ustrd')", "textAt(tx, 'RmtInf')"], [PAYER, "textAt(tx, 'Dbtr Nm') ?? 'unknown'"]],
      'only the name': [[PAYER, "textAt(tx, 'Dbtr Nm') ?? 'unknown'"]],
      'only the reference': [["'RmtInf > Ustrd'", "'Ustrd, CdtrRefInf > Ref'"]],
      'the code': [["'RmtInf > Ustrd'", "'Ustrd, Strd Cd'"], [PAYER, "textAt(tx, 'Dbtr Nm') ?? 'unknown'"]],
    },
  }],
};
