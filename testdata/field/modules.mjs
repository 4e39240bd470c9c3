// The modules that scripts may import, for the truth: written anew where Kintsugi's own are not JavaScript, so that
// one does not prove the other.
import { readFileSync } from 'node:fs';

const npm = new URL('../../internal/sandbox/library/npm/', import.meta.url);
const offset = (at, zone) => {
  try {
    const p = Object.fromEntries(new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' }).formatToParts(new Date(at)).map((x) => [x.type, x.value]));
    return (Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second) - Math.floor(at / 1000) * 1000) / 60000;
  } catch { return null; }
};
const library = (name, zone) => {
  const text = readFileSync(new URL(`${name}.js`, npm), 'utf8');
  return (0, eval)(text.slice(text.indexOf('\n') + 1))({ zone: () => zone, offset: (at, z) => offset(at, z), abbreviation: (_, z) => z });
};

const csv = {
  parse(text, { header = false, relaxed = false, delimiter } = {}) {
    const first = text.split(/\r?\n/, 1)[0];
    const cut = delimiter ?? (first.includes(',') ? ',' : [';', '\t', '|'].find((d) => first.includes(d)) ?? ',');
    const rows = [];
    let row = [], field = '', quoted = false, any = false;
    const ends = () => { if (any || row.length) { row.push(field); rows.push(row); } row = []; field = ''; any = false; };
    text = text.replace(/^\ufeff/, '');
    for (let i = 0; i < text.length; i++) {
      const ch = text[i];
      if (quoted) {
        if (ch !== '"') field += ch;
        else if (text[i + 1] === '"') { field += '"'; i++; } else quoted = false;
      } else if (ch === '"' && field === '') { quoted = true; any = true; }
      else if (ch === cut) { row.push(field); field = ''; any = true; }
      else if (ch === '\n') ends();
      else if (ch !== '\r' || text[i + 1] !== '\n') { field += ch; any = true; }
    }
    ends();
    for (const [i, r] of rows.entries()) if (!relaxed && r.length !== rows[0].length) throw new SyntaxError(`line ${i + 1}: ${r.length} fields in place of ${rows[0].length}`);
    if (!header) return rows;
    const [head, ...rest] = rows;
    return rest.map((r) => Object.fromEntries(head.map((name, i) => [name, r[i] ?? ''])));
  },
  stringify(rows, { delimiter = ',' } = {}) {
    const quote = (v) => { const s = v === null || v === undefined ? '' : String(v); return /["\r\n]/.test(s) || s.includes(delimiter) ? `"${s.replaceAll('"', '""')}"` : s; };
    if (rows.length && !Array.isArray(rows[0])) { const head = Object.keys(rows[0]); rows = [head, ...rows.map((r) => head.map((k) => r[k]))]; }
    return rows.map((r) => r.map(quote).join(delimiter) + '\n').join('');
  },
};

const entity = (text) => text.replace(/&(#x?[0-9a-f]+|\w+);/gi, (all, name) => {
  if (name[0] === '#') return String.fromCodePoint(/^#x/i.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10));
  return { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', euro: '€' }[name] ?? all;
});
const VOID = new Set(['area', 'br', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);

class Element {
  constructor(tagName, attributes, parent) { Object.assign(this, { tagName, attributes, parentElement: parent, nodes: [] }); }
  get children() { return this.nodes.filter((n) => n instanceof Element); }
  get textContent() { return this.nodes.map((n) => (n instanceof Element ? n.textContent : n)).join(''); }
  get innerText() { return this.textContent.replace(/\s+/g, ' ').trim(); }
  get nextElementSibling() { const all = this.parentElement?.children ?? []; return all[all.indexOf(this) + 1] ?? null; }
  getAttribute(name) { return this.attributes[name] ?? null; }
  get id() { return this.attributes.id ?? ''; }
  matches(selector) { return selector.split(',').some((one) => matches(this, one.trim())); }
  closest(selector) { let e = this; while (e && !(e.tagName && e.matches(selector))) e = e.parentElement; return e ?? null; }
  querySelectorAll(selector) { const found = []; const walk = (e) => { for (const c of e.children) { if (c.matches(selector)) found.push(c); walk(c); } }; walk(this); return found; }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
}
function matches(element, selector) {
  const parts = selector.replace(/\s*>\s*/g, ' > ').trim().split(/\s+/);
  const simple = (e, text) => {
    const m = /^([\w:\\-]+|\*)?((?:[.#][\w-]+|\[[^\]]+\]|:(?:first|last)-child|:nth-child\(\d+\))*)$/.exec(text);
    if (!m) throw new Error(`the truth does not know the selector ${text}`);
    if (m[1] && m[1] !== '*' && e.tagName?.toLowerCase() !== m[1].replaceAll('\\', '').toLowerCase()) return false;
    return (m[2].match(/[.#][\w-]+|\[[^\]]+\]|:[\w-]+(\(\d+\))?/g) ?? []).every((p) => {
      if (p[0] === '.') return (e.attributes.class ?? '').split(/\s+/).includes(p.slice(1));
      if (p[0] === '#') return e.attributes.id === p.slice(1);
      if (p[0] === ':') {
        const all = e.parentElement?.children ?? [];
        return p === ':first-child' ? all[0] === e : p === ':last-child' ? all.at(-1) === e : all[parseInt(/\d+/.exec(p)[0], 10) - 1] === e;
      }
      const [, name, op, value] = /^\[([\w:-]+)(?:([~^$*]?=)["']?([^"'\]]*)["']?)?\]$/.exec(p);
      const has = e.attributes[name];
      return has !== undefined && (!op || (op === '=' ? has === value : op === '^=' ? has.startsWith(value) : op === '$=' ? has.endsWith(value) : op === '*=' ? has.includes(value) : has.split(/\s+/).includes(value)));
    });
  };
  const fits = (e, i) => {
    if (!e?.tagName || !simple(e, parts[i])) return false;
    if (i === 0) return true;
    if (parts[i - 1] === '>') return fits(e.parentElement, i - 2);
    for (let up = e.parentElement; up; up = up.parentElement) if (fits(up, i - 1)) return true;
    return false;
  };
  return fits(element, parts.length - 1);
}
function tree(text, html) {
  const root = new Element('', {}, null);
  let at = root;
  for (const [, comment, cdata, close, open, attributes, self, words] of text.matchAll(/<(!--[\s\S]*?--|!doctype[^>]*|\?[\s\S]*?\?)>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.@-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))?)*)\s*(\/?)>|([^<]+|<)/gi)) {
    if (comment !== undefined) continue;
    if (cdata !== undefined) at.nodes.push(cdata);
    else if (close !== undefined) { let e = at; while (e !== root && e.tagName.toLowerCase() !== close.toLowerCase()) e = e.parentElement; if (e !== root) at = e.parentElement; }
    else if (open !== undefined) {
      const has = {};
      for (const [, name, , a, b, plain] of attributes.matchAll(/([\w:.@-]+)(\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g)) has[name] = entity(a ?? b ?? plain ?? '');
      if (html && /^(li|tr|td|th|p|dt|dd|option)$/i.test(open) && at.tagName.toLowerCase() === open.toLowerCase()) at = at.parentElement;
      const e = new Element(open, has, at);
      at.nodes.push(e);
      if (!self && !(html && VOID.has(open.toLowerCase()))) at = e;
    } else at.nodes.push(entity(words));
  }
  return root;
}
const toObject = (text, { arrays = [] } = {}) => {
  const value = (e) => {
    const made = {};
    for (const [k, v] of Object.entries(e.attributes)) made[`@${k}`] = v;
    for (const c of e.children) {
      const v = value(c);
      if (c.tagName in made) made[c.tagName] = [].concat(Array.isArray(made[c.tagName]) ? made[c.tagName] : [made[c.tagName]], [v]);
      else made[c.tagName] = arrays.includes(c.tagName) ? [v] : v;
    }
    const own = e.nodes.filter((n) => !(n instanceof Element)).join('').trim();
    if (Object.keys(made).length === 0) return own;
    if (own) made['#text'] = own;
    return made;
  };
  return value(Object.assign(new Element('', {}, null), { nodes: tree(text, false).nodes.filter((n) => n instanceof Element) }));
};
const iso = (text) => { const at = Date.parse(text ?? ''); return Number.isNaN(at) ? null : new Date(at).toISOString(); };
const rss = {
  parse(text) {
    const doc = tree(text, false), one = (e, name) => e.children.find((c) => c.tagName === name)?.textContent.trim() ?? null;
    const atom = doc.querySelector('feed'), feed = atom ?? doc.querySelector('channel');
    if (!feed) throw new SyntaxError('no feed');
    const link = (e) => { const all = e.children.filter((c) => c.tagName === 'link'); return atom ? (all.find((l) => !l.attributes.rel || l.attributes.rel === 'alternate') ?? all[0])?.attributes.href ?? null : all[0]?.textContent.trim() ?? null; };
    return {
      title: one(feed, 'title'), description: one(feed, atom ? 'subtitle' : 'description'), link: link(feed), language: one(feed, 'language'), updated: iso(one(feed, atom ? 'updated' : 'lastBuildDate')),
      items: feed.children.filter((c) => c.tagName === (atom ? 'entry' : 'item')).map((e) => ({
        id: one(e, atom ? 'id' : 'guid') ?? link(e), title: one(e, 'title'), link: link(e), summary: one(e, atom ? 'summary' : 'description'), content: one(e, atom ? 'content' : 'content:encoded'),
        author: atom ? e.querySelector('author > name')?.textContent ?? null : one(e, 'author') ?? one(e, 'dc:creator'), categories: e.children.filter((c) => c.tagName === 'category').map((c) => c.attributes.term ?? c.textContent.trim()),
        published: iso(one(e, atom ? 'published' : 'pubDate')), updated: iso(one(e, 'updated')),
      })),
    };
  },
};

// modules gives a module by its name; undefined for one that is not known.
export function modules(name, zone) {
  switch (name.replace(/^node:/, '')) {
    case 'kintsugi:csv': return csv;
    case 'kintsugi:html': return { parse: (text) => tree(text, true) };
    case 'kintsugi:xml': return { parse: (text) => tree(text, false), toObject };
    case 'kintsugi:rss': return rss;
    case 'kintsugi:dates': case 'luxon': return library('dates', zone);
    case 'kintsugi:decimal': case 'decimal.js': return library('decimal', zone);
    case 'kintsugi:schema': case 'zod': return library('schema', zone);
    case 'crypto': return globalThis.process.getBuiltinModule?.('crypto');
  }
}
