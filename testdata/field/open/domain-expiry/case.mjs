const route = 'GET https://whois.example/:domain';
const DOMAINS = ['loom.example', 'fähre.example', 'yarn.example', 'dye.example'];
const at = (make, type = 'text/plain; charset=utf-8') => (f, q) => { const d = f.domains.find((one) => one.name === q.params.domain); return d.free ? { $status: 404, $type: 'text/plain', $body: 'No match' } : { $type: type, $body: make(d) }; };
const link = (s) => `${s} https://icann.example/epp#${s}`;
const whois = (d) => [`   Domain Name: ${d.name.toUpperCase()}`, `   Updated Date: ${d.updated}`, `   Creation Date: 2011-05-01T04:00:00Z`, ...(d.expires ? [`   Registry Expiry Date: ${d.expires}`] : []), `   Registrar: ${d.registrar}`, '   Registrar IANA ID: 625', ...d.status.map((s) => `   Domain Status: ${link(s)}`), ...d.servers.map((s) => `   Name Server: ${s.toUpperCase()}`), '   DNSSEC: unsigned', '>>> Last update <<<'].join('\r\n');
const terse = (d) => [`domain: ${d.name}`, 'Whois Server: whois.other.example', `Sponsoring Registrar: ${d.registrar}`, ...d.servers.map((s) => `Nameservers: ${s}`), ...d.status.map((s) => `Status: ${link(s)}`), `Creation Date: 2011-05-01`, ...(d.expires ? [`Expiration Date: ${d.expires.slice(0, 10)}`] : [])].join('\n');
const noticed = (d) => ['NOTICE: The expiration date displayed in this record is the date the', "registrar's sponsorship of the domain name registration expires: this does", 'not say when the owner has to pay.', '', ...whois(d).split('\r\n').map((l) => l.replace('Registry Expiry Date', 'Registrar Registration Expiration Date').replace('Registrar:', 'Registrar Name:').replace('clientTransferProhibited', 'client transfer prohibited').replace(/(Name Server: )(.*)/, (_, a, b) => a + b.toLowerCase() + '.'))].join('\r\n');
const rdap = (d) => JSON.stringify({ objectClassName: 'domain', ldhName: d.name, events: [{ eventAction: 'registration', eventDate: '2011-05-01T04:00:00Z' }, { eventAction: 'last changed', eventDate: d.updated }, ...(d.expires ? [{ eventAction: 'expiration', eventDate: d.expires }] : [])], status: d.status.map((s) => s.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`)), nameservers: d.servers.map((s) => ({ objectClassName: 'nameserver', ldhName: s.toUpperCase() })), entities: [{ roles: ['abuse'], vcardArray: ['vcard', [['fn', {}, 'text', 'Desk']]] }, { roles: ['registrar'], vcardArray: ['vcard', [['version', {}, 'text', '4.0'], ['fn', {}, 'text', d.registrar]]] }] }, null, 1);
const EXPIR = String.raw`'[^:\\n]*expir[^:\\n]*'`;
const TEXT = '  return res.text();';
const BACK = `function fromRdap(r) {
  const has = (e) => e.roles.includes('registrar');
  const expiry = r.events.find((e) => e.eventAction === 'expiration');
  return [
    ...(expiry ? ['Registry Expiry Date: ' + expiry.eventDate] : []),
    'Registrar: ' + r.entities.find(has).vcardArray[1].find((v) => v[0] === 'fn')[3],
    ...r.status.map((s) => 'Domain Status: ' + s.replace(/ (\\w)/g, (_, c) => c.toUpperCase())),
    ...r.nameservers.map((n) => 'Name Server: ' + n.ldhName),
  ].join('\\n');
}

async function whois`;
const JSONOR = "  const text = await res.text();\n  return text.startsWith('{') ? fromRdap(JSON.parse(text)) : text;";
export default {
  source: 'https://github.com/weppos/whois-parser/issues/45 and https://github.com/weppos/whois-parser/issues/56 and https://github.com/FurqanSoftware/node-whois/issues/63 and https://github.com/caarlos0/domain_exporter/issues/166: lines of WHOIS are named otherwise from one registry and year to the next, a notice says "expiration date" before the date itself, and WHOIS gave way to RDAP, whose states are words with spaces',
  says: 'Warn me of domains that run out, are not locked or are served from elsewhere.',
  facts: (day, r) => {
    const on = (n) => new Date(Date.UTC(2026, 2, 1 + n)).toISOString().slice(0, 10);
    return { slot: `${on(day)}T05:00:00Z`, domains: DOMAINS.slice(0, r.int(2, 4)).map((name, i) => ({ name, free: r.chance(0.1), expires: r.chance(0.15) ? null : `${on(day + r.pick([0, 2, 9, 29, 30, 31, 200, 400]))}T00:00:00Z`, updated: `${on(day - 20)}T13:06:38Z`, registrar: r.pick(['NetEarth One Inc.', 'Gandi SAS', 'お名前.com']), status: r.pick([['clientTransferProhibited', 'clientUpdateProhibited'], ['clientTransferProhibited'], ['ok'], ['clientUpdateProhibited'], []]), servers: r.pick([['ns1.a.example', 'ns2.a.example'], ['ns2.a.example', 'ns1.a.example'], ['ns1.b.example'], []]) })) };
  },
  input: (f) => ({ slot: f.slot, domains: f.domains.map((d) => d.name) }),
  api: { [route]: at(whois) },
  changes: [{
    name: 'terse',
    happened: 'Domain Status is Status, Name Server is Nameservers, Registrar is Sponsoring Registrar, and dates are without a time',
    tells: [['Nameservers', 'Name Server'], ['Status', 'Domain Status']],
    api: { [route]: at(terse) },
    right: {
      'choices': [["'domain status'", "'(?:domain )?status'"], ["'name server'", "'name ?servers?'"], ["field(text, 'registrar')", "field(text, '(?:sponsoring )?registrar')"]],
      'by ||': [["field(text, 'registrar')", "field(text, 'registrar') || field(text, 'sponsoring registrar')"], ["fields(text, 'domain status')", "[...fields(text, 'domain status'), ...fields(text, 'status')]"], ["fields(text, 'name server')", "fields(text, 'name server').concat(fields(text, 'nameservers'))"]],
      'put back': [[TEXT, "  return (await res.text()).replace(/^Status:/gm, 'Domain Status:').replace(/^Nameservers:/gm, 'Name Server:').replace(/^Sponsoring Registrar:/m, 'Registrar:');"]],
    },
    wrong: {
      'no servers': [["'domain status'", "'(?:domain )?status'"], ["field(text, 'registrar')", "field(text, '(?:sponsoring )?registrar')"]],
      'always locked': [["'name server'", "'name ?servers?'"], ["field(text, 'registrar')", "field(text, '(?:sponsoring )?registrar')"], ["fields(text, 'domain status').includes('clientTransferProhibited')", "text.includes('Prohibited')"]],
      'any registrar': [["'domain status'", "'(?:domain )?status'"], ["'name server'", "'name ?servers?'"], ["field(text, 'registrar') || 'nobody'", "field(text, 'registrar') || field(text, 'whois server')"]],
    },
  }, {
    name: 'rdap',
    happened: 'the answer is RDAP in JSON: events, status with spaces, nameservers, and the registrar is an entity with a card',
    tells: [['RDAP', 'JSON', 'events'], ['nameservers', 'status', 'ldhName']],
    api: { [route]: at(rdap, 'application/rdap+json') },
    right: {
      'put back': [['async function whois', BACK], [TEXT, JSONOR]],
      'another look': [['function look(domain, text, today) {', `function look(domain, text, today) {
  if (text[0] === '{') {
    const { events, status, nameservers, entities } = JSON.parse(text);
    const [end] = events.filter((e) => e.eventAction === 'expiration');
    const card = entities.find((e) => e.roles.includes('registrar'))?.vcardArray[1] ?? [];
    return {
      domain, registrar: card.find(([name]) => name === 'fn')?.[3] || 'nobody', left: end ? Math.floor((Date.parse(end.eventDate) - today) / DAY) : null,
      locked: status.includes('client transfer prohibited'), servers: nameservers.map((n) => n.ldhName.toLowerCase()).sort(),
    };
  }`]],
      'by the lines': [
        [`field(text, ${EXPIR})`, `(/"expiration",\\s*"eventDate": "([^"]+)/.exec(text)?.[1] ?? field(text, ${EXPIR}))`],
        ["fields(text, 'domain status').includes('clientTransferProhibited')", "(fields(text, 'domain status').includes('clientTransferProhibited') || text.includes('\"client transfer prohibited\"'))"],
        ["fields(text, 'name server')", "(text.startsWith('{') ? JSON.parse(text).nameservers.map((n) => n.ldhName) : fields(text, 'name server'))"],
        ["field(text, 'registrar') ||", "(text.startsWith('{') ? JSON.parse(text).entities.find((e) => e.roles[0] === 'registrar').vcardArray[1].at(-1)[3] : field(text, 'registrar')) ||"],
      ],
    },
    wrong: {
      'words as they were': [['async function whois', BACK.replace(".replace(/ (\\w)/g, (_, c) => c.toUpperCase())", '')], [TEXT, JSONOR]],
      'the first event': [['async function whois', BACK.replace("r.events.find((e) => e.eventAction === 'expiration')", 'r.events[0]')], [TEXT, JSONOR]],
      'the first entity': [['async function whois', BACK.replace('r.entities.find(has)', 'r.entities[0]')], [TEXT, JSONOR]],
      'nothing': [[TEXT, "  const text = await res.text();\n  return text.startsWith('{') ? '' : text;"]],
    },
  }, {
    name: 'notice',
    happened: 'a notice that speaks of the expiration date comes before the record; the date is the Registrar Registration Expiration Date, Registrar is Registrar Name, states are written with spaces and servers with a dot',
    tells: [['Registrar Registration Expiration Date', 'expiration', 'notice'], ['Registrar Name', 'client transfer prohibited', 'Registrar']],
    api: { [route]: at(noticed) },
    right: {
      'names of lines': [[EXPIR, "'(?:registry expiry|registrar registration expiration) date'"], ["field(text, 'registrar')", "field(text, 'registrar(?: name)?')"], ["fields(text, 'domain status').includes('clientTransferProhibited')", '/^\\s*Domain Status: client ?transfer ?prohibited/im.test(text)']],
      'without the notice': [[EXPIR, "'registr.*expir.*date'"], ["field(text, 'registrar')", "field(text, 'registrar name') || field(text, 'registrar')"], [TEXT, "  const text = await res.text();\n  return text.replace(/^NOTICE:[^]*?\\r?\\n\\r?\\n/, '').replace(/client transfer prohibited/g, 'clientTransferProhibited');"]],
      'put back': [[TEXT, "  const text = await res.text();\n  const at = text.indexOf('Domain Name:');\n  return text.slice(at).replace('Registrar Registration Expiration Date', 'Registry Expiry Date').replace('Registrar Name:', 'Registrar:').replaceAll('client transfer prohibited', 'clientTransferProhibited');"]],
    },
    wrong: {
      'no date': [["field(text, 'registrar')", "field(text, 'registrar(?: name)?')"], ["fields(text, 'domain status').includes('clientTransferProhibited')", '/^\\s*Domain Status: client ?transfer ?prohibited/im.test(text)'], ['left = expires ?', 'left = expires && !isNaN(Date.parse(expires)) ?']],
      'not locked': [[EXPIR, "'(?:registry expiry|registrar registration expiration) date'"], ["field(text, 'registrar')", "field(text, 'registrar(?: name)?')"]],
      'nobody': [[EXPIR, "'(?:registry expiry|registrar registration expiration) date'"], ["fields(text, 'domain status').includes('clientTransferProhibited')", '/^\\s*Domain Status: client ?transfer ?prohibited/im.test(text)']],
      'any prohibition': [[EXPIR, "'(?:registry expiry|registrar registration expiration) date'"], ["field(text, 'registrar')", "field(text, 'registrar(?: name)?')"], ["fields(text, 'domain status').includes('clientTransferProhibited')", '/prohibited/i.test(text)']],
    },
  }],
};
