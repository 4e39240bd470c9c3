const xml = (tag, text) => (text === null ? '' : `<${tag}>${String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;')}</${tag}>`);
const time = (ms, hours) => `${new Date(ms + hours * 3600000).toISOString().slice(0, 19)}.1233333`;
const person = (t) => (p) => `${xml('Type', p.type)}${xml('Email', p.email)}${xml('UserName', p.name)}${xml('RoutingOrder', p.order)}${xml('Signed', p.signed && t(p.signed))}${xml('DeclineReason', p.reason)}${xml('Status', p.status)}`;
const whole = (e, t, people, tail) => `<?xml version="1.0" encoding="utf-8"?>\n<DocuSignEnvelopeInformation><EnvelopeStatus>${people}${xml('TimeGenerated', t(e.at))}${xml('EnvelopeID', e.id)}${xml('Subject', e.subject)}${xml('EnvelopeState', e.state)}</EnvelopeStatus>${tail}</DocuSignEnvelopeInformation>`;
const list = (e, t) => `<RecipientStatuses>${e.people.map((p) => `<RecipientStatus>${person(t)(p)}</RecipientStatus>`).join('')}</RecipientStatuses>`;
const zone = (e) => `<TimeZone>Pacific Standard Time</TimeZone><TimeZoneOffset>${e.offset}</TimeZoneOffset>`;
const old = (e) => { const t = (ms) => time(ms, e.offset); return whole(e, t, list(e, t), zone(e)); };
const utc = (e) => { const t = (ms) => new Date(ms).toISOString(); return whole(e, t, list(e, t), zone(e)); };
const byKind = (e) => { const t = (ms) => time(ms, e.offset); return whole(e, t, `<Recipients>${e.people.map((p) => { const tag = p.type === 'Signer' ? 'SignerStatus' : 'CarbonCopyStatus'; return `<${tag}>${person(t)({ ...p, type: null, status: p.status === 'Completed' ? 'Signed' : p.status })}</${tag}>`; }).join('')}</Recipients>`, zone(e)); };
const json = (e) => JSON.stringify({ event: `envelope-${e.state.toLowerCase()}`, apiVersion: 'v2.1', generatedDateTime: new Date(e.at).toISOString(), data: { envelopeId: e.id, envelopeSummary: { status: e.state.toLowerCase(), emailSubject: e.subject ?? '', recipients: {
  signers: e.people.filter((p) => p.type === 'Signer').map((p) => ({ name: p.name, email: p.email, routingOrder: String(p.order), status: p.status.toLowerCase(), ...(p.signed ? { signedDateTime: new Date(p.signed).toISOString() } : {}), ...(p.reason ? { declinedReason: p.reason } : {}) })),
  carbonCopies: e.people.filter((p) => p.type !== 'Signer').map((p) => ({ name: p.name, email: p.email, routingOrder: String(p.order), status: p.status.toLowerCase() })),
} } } });
const given = (make, contentType = 'text/xml') => (f) => ({ deliveries: f.envelopes.map((e) => ({ contentType, body: make(e) })) });
const READ = 'new Reader(body).envelope()';
const JSONS = `const upper = (word: string) => word.replace(/^./, (c) => c.toUpperCase());
function fromJSON(body: string): Envelope {
  const { data, generatedDateTime } = JSON.parse(body);
  const { emailSubject, status, recipients } = data.envelopeSummary;
  return {
    id: data.envelopeId, subject: emailSubject || '(no subject)', status: upper(status), at: new Date(generatedDateTime),
    signers: recipients.signers.map((s: any) => ({ name: s.name, email: s.email, order: Number(s.routingOrder), status: upper(s.status), signed: s.signedDateTime ? new Date(s.signedDateTime) : null, reason: s.declinedReason })).sort((a: Signer, b: Signer) => a.order - b.order),
  };
}

const hm`;
const EITHER = "(body.startsWith('{') ? fromJSON(body) : new Reader(body).envelope())";
const ALL = "[...envelope.querySelectorAll('RecipientStatus')].filter((node: any) => this.text(node, 'Type') === 'Signer')";
const TIME = 'return new Date(Date.parse(`${text.slice(0, 19)}Z`) - this.offset * 3600_000);';
export default {
  source: 'https://github.com/jfcote87/esign/issues/13 and https://github.com/docusign/docusign-esign-php-client/issues/130 and https://github.com/docusign/OpenAPI-Specifications/pull/70: notices of envelopes came as XML with local times and an offset, and come as JSON with an envelopeSummary, words in lower case and times in UTC; recipients are told apart by their list and not by a Type',
  says: 'File contracts that are signed, and tell me who declines or is waited for.',
  facts: (day, r) => ({ envelopes: r.many(day === 7 ? 0 : 1, 3, (i) => {
    const state = r.pick(['Sent', 'Delivered', 'Completed', 'Completed', 'Declined']), at = Date.UTC(2026, 2, 1 + day, r.int(0, 23), r.int(0, 59));
    const names = r.mix([['Ann Ek', 'ann@a.example'], ['Bö & Sons', 'bo@b.example'], ['山田 花子', 'hana@c.example'], ['Legal', 'legal@us.example']]).slice(0, r.int(1, 4));
    return { id: `e${Math.floor(day / 2)}-${i}`, state, at, offset: r.pick([-8, -7, 1, 9]), subject: r.pick(['NDA', 'Mietvertrag <2>', 'Lease & option', null]), people: names.map(([name, email], k) => {
      const type = k && r.chance(0.35) ? 'CarbonCopy' : 'Signer';
      const status = state === 'Completed' ? 'Completed' : state === 'Declined' && k === 0 ? 'Declined' : r.pick(['Sent', 'Delivered', 'Completed', 'Created']);
      return { name, email, type, order: r.int(1, 9) * 10 + k, status, signed: type === 'Signer' && status === 'Completed' ? at - r.int(0, 2000) * 60000 : null, reason: status === 'Declined' ? r.pick(['too dear', null]) : null };
    }) };
  }) }),
  input: given(old),
  api: { 'POST https://crm.example/contracts': { ok: true } },
  changes: [{
    name: 'json',
    happened: 'a notice is JSON with data.envelopeSummary; signers and carbonCopies are lists of recipients, words are in lower case, routingOrder is a text and times are in UTC',
    tells: ['JSON', ['envelopeSummary', 'recipients', 'signers']],
    input: given(json, 'application/json'),
    right: {
      'another reader': [['const hm', JSONS], [READ, EITHER]],
      'by the content type': [['const hm', JSONS], ['for (const { body } of', 'for (const { body, contentType } of'], [READ, "contentType === 'application/json' ? fromJSON(body) : new Reader(body).envelope()"]],
      'a factory': [[READ, 'Notice.read(body)'], ['const hm', `abstract class Notice {
  static read(body: string): Envelope {
    if (!/^\\s*\\{/.test(body)) return new Reader(body).envelope();
    const told = JSON.parse(body);
    const words: Record<string, string> = { sent: 'Sent', delivered: 'Delivered', completed: 'Completed', declined: 'Declined', created: 'Created' };
    const signers: Signer[] = [];
    for (const s of told.data.envelopeSummary.recipients.signers) {
      signers.push({ name: s.name, email: s.email, order: parseInt(s.routingOrder, 10), status: words[s.status], signed: 'signedDateTime' in s ? new Date(s.signedDateTime) : null, reason: s.declinedReason });
    }
    signers.sort((a, b) => a.order - b.order);
    return { id: told.data.envelopeId, subject: told.data.envelopeSummary.emailSubject || '(no subject)', status: words[told.data.envelopeSummary.status], at: new Date(told.generatedDateTime), signers };
  }
}

const hm`]],
    },
    wrong: {
      'words as they are': [['const hm', JSONS.replaceAll('upper(status)', 'status').replaceAll('upper(s.status)', 's.status')], [READ, EITHER]],
      'order of the list': [['const hm', JSONS.replace('.sort((a: Signer, b: Signer) => a.order - b.order)', '')], [READ, EITHER]],
      'everybody': [['const hm', JSONS.replace('recipients.signers.map', '[...recipients.signers, ...recipients.carbonCopies].map')], [READ, EITHER]],
      'skipped': [[`lines.push(await file(${READ}));`, `if (body.startsWith('<')) lines.push(await file(${READ}));`]],
    },
  }, {
    name: 'utc',
    happened: 'times are in UTC and end in Z; the offset is still said',
    tells: [['UTC', 'Z'], ['TimeGenerated', 'Signed', 'TimeZoneOffset', 'time']],
    input: given(utc),
    right: {
      'by the Z': [[TIME, "if (text.endsWith('Z')) return new Date(text);\n    " + TIME]],
      'no offset then': [['this.offset * 3600_000', "(/Z$/.test(text) ? 0 : this.offset) * 3600_000"]],
      'in the constructor': [["this.offset = Number(this.text(this.doc, 'TimeZoneOffset') || '0');", "const local = !this.text(this.doc, 'TimeGenerated').includes('Z');\n    this.offset = local ? Number(this.text(this.doc, 'TimeZoneOffset') || '0') : 0;"]],
    },
    wrong: {
      'never an offset': [['- this.offset * 3600_000', '']],
      'only the notice': [["at: this.time(this.text(envelope, 'TimeGenerated'))!", "at: new Date(this.text(envelope, 'TimeGenerated').replace(/\\.\\d+Z?$/, 'Z'))"]],
      'the other way': [['- this.offset * 3600_000', "+ (text.endsWith('Z') ? this.offset : -this.offset) * 3600_000"]],
    },
  }, {
    name: 'by-kind',
    happened: 'RecipientStatuses is Recipients with a SignerStatus or a CarbonCopyStatus for each, without a Type, and who has signed is Signed, not Completed',
    tells: [['RecipientStatus', 'Recipients', 'RecipientStatuses'], ['SignerStatus', 'Signed']],
    input: given(byKind),
    right: {
      'both lists': [[ALL, `[...envelope.querySelectorAll('SignerStatus'), ...${ALL}]`], ["status: this.text(node, 'Status'),", "status: this.text(node, 'Status').replace('Signed', 'Completed'),"]],
      'a fallback': [[`const everybody = ${ALL};`, `let everybody = ${ALL};\n    if (!everybody.length) everybody = [...envelope.querySelectorAll('Recipients > SignerStatus')];`], ["s.status !== 'Completed' &&", "s.status !== 'Completed' && s.status !== 'Signed' &&"]],
      'put back': [['this.doc = parse(xml);', "this.doc = parse(xml.replace(/<(\\/?)(Signer|CarbonCopy)Status>/g, (_, end, kind) => (end ? '</RecipientStatus>' : `<RecipientStatus><Type>${kind}</Type>`)).replace(/<Status>Signed</g, '<Status>Completed<'));"]],
    },
    wrong: {
      'still open': [[ALL, `[...envelope.querySelectorAll('SignerStatus'), ...${ALL}]`]],
      'everybody': [['this.doc = parse(xml);', "this.doc = parse(xml.replace(/<(\\/?)(Signer|CarbonCopy)Status>/g, (_, end) => (end ? '</RecipientStatus>' : '<RecipientStatus><Type>Signer</Type>')).replace(/<Status>Signed</g, '<Status>Completed<'));"]],
      'the first': [[ALL, `[envelope.querySelector('SignerStatus'), ...${ALL}].filter(Boolean)`], ["status: this.text(node, 'Status'),", "status: this.text(node, 'Status').replace('Signed', 'Completed'),"]],
    },
  }],
};
