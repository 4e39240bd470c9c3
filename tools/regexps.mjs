// Writes regular expressions as people write them, and random ones of the same parts, with texts and with what this Node makes of
// them, a line of JSON for each: make regexps. A line has the pattern, its flags, the text, and under each of `asked` what it gave.
//   node tools/regexps.mjs SEED COUNT
import vm from 'node:vm';

const [seed = '1', count = '20000'] = process.argv.slice(2);

let state = Number(seed) | 0;
const random = () => { // mulberry32
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const int = (n) => Math.floor(random() * n);
const pick = (list) => list[int(list.length)];
const often = (p) => random() < p;

// Of handbooks, and of scripts that were seen: a pattern, its flags, and texts it was written for.
const written = [
  [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'a.b@example.com', 'nobody', 'x@y', 'müller@bücher.de'],
  [/[\w.+-]+@[\w-]+\.[\w.-]+/g, 'mail a@b.co, c.d+e@f-g.org; <h@i.j>', 'é@x.de'],
  [/https?:\/\/[^\s"'<>]+/gi, 'see http://a.b/c?d=e#f and HTTPS://X.y "http://q"', 'ü http://ä.de/ö'],
  [/^(https?):\/\/([^/:]+)(?::(\d+))?(\/[^?#]*)?(?:\?([^#]*))?(?:#(.*))?$/, 'http://a.b:80/c/d?e=f#g', 'https://x', 'http://x/?'],
  [/("([^"]*)"|[^;]+)/g, 'a;"b";c', '"x;y";z', ';;a;', 'ä;"ö"'],
  [/"([^"]*(?:""[^"]*)*)"|([^,]*)(?:,|$)/g, 'a,"b ""c""",d', ',,', '"x",y,', 'é,"ü"'],
  [/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g, 'a,"b,c",,d', ',', '"a""b",c'],
  [/,(?=(?:[^"]*"[^"]*")*[^"]*$)/, 'a,"b,c",d', 'x,y', '"a,b"'],
  [/,(?=(?:[^"]*"[^"]*")*[^"]*$)/g, 'a,"b,c",d', 'x,y', '"a,ü",é'],
  [/(\d{4})-(\d{2})-(\d{2})/g, '2026-01-02 to 2026-12-31', '2026-1-2', 'am 2026-03-04 früh'],
  [/(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:T(?<hour>\d{2}):(?<minute>\d{2}))?/, 'on 2026-01-02T03:04', '2026-01-02', 'ü 2026-01-02'],
  [/^(\d{1,2})[./](\d{1,2})[./](\d{2}|\d{4})$/, '1.2.26', '01/02/2026', '1.2.202'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, 'from 10.0.0.1 to 192.168.1.255', '1.2.3', 'é10.0.0.1é'],
  [/^\[([^\]]+)\] (\w+): (.*)$/gm, '[10:00] ERROR: bad\n[10:01] INFO: good', '[a] b: c\r\n[d] e: f\r\n', '[ü] é: x'],
  [/^\s*(#{1,6})\s+(.+?)\s*#*$/gm, '# a\n## b ##\ntext\n### c', '#\n# x\r\n# y', '# Über\n'],
  [/\*\*(.+?)\*\*|__(.+?)__/g, 'a **b** __c__ **d**', '****', '**ü**'],
  [/!?\[([^\]]*)\]\(([^)\s]+)(?:\s+"([^"]*)")?\)/g, '[a](b) ![c](d "e")', '[](x)', '[ä](ö)'],
  [/```(?:json|js)?\s*([\s\S]*?)```/i, 'x ```json\n{"a":1}\n``` y', '``````', '```\nü```'],
  [/\{\{\s*([\w.]+)\s*\}\}/g, 'Dear {{ name }}, {{a.b}} {{}}', '{{x}}{{y}}', 'ü{{ x }}'],
  [/\$\{([^}]+)\}|\$(\w+)/g, 'a ${b} $c $$d ${}', '$x$y', '$ü'],
  [/<([a-z][a-z0-9]*)\b[^>]*>(.*?)<\/\1>/gi, '<b>x</b><i class="y">z</i>', '<B>x</b>', '<p>ü</p><a>b</b>'],
  [/<[^>]+>/g, '<p>a<br/>b</p>', '<>', 'ä<b>ö</b>'],
  [/<!--[\s\S]*?-->/g, 'a<!-- b\nc -->d<!---->', '<!-- ü -->'],
  [/&(?:amp|lt|gt|quot|#39|#x([0-9a-f]+)|#(\d+));/gi, '&amp;&lt;&#x41;&#65;&#39;', '&nope;', 'é&amp;ü'],
  [/([a-z0-9])([A-Z])/g, 'camelCaseText2Go', 'ABC', 'süßWare'],
  [/([A-Z]+)([A-Z][a-z])/g, 'XMLHttpRequest', 'ABc', 'ÄBc'],
  [/[A-Z]{2,}(?=[A-Z][a-z]+[0-9]*|\b)|[A-Z]?[a-z]+[0-9]*|[A-Z]|[0-9]+/g, 'fooBar XMLHttp v2Go', 'a_b-c', 'größeÄnderung'],
  [/[-_\s]+(.)?/g, 'foo-bar_baz  qux', '-a-', 'x_ü'],
  [/[^a-z0-9]+/gi, 'Hello, World! 2', '---', 'Größe & Maß'],
  [/[^\w\s-]/g, "It's a test!", 'äöü', 'a-b_c d'],
  [/^-+|-+$/g, '--a-b--', 'a', '-'],
  [/^\s+|\s+$/g, '  a b  ', '\t\n', '\u00a0x\ufeff'],
  [/\s+/g, 'a  b\tc\n d', ' ', 'ü  ö'],
  [/\s*,\s*/, 'a , b,c ,d', ',', 'ä , ö'],
  [/\r?\n/, 'a\r\nb\nc', '\n', 'ä\nö\r\n'],
  [/\r\n|\r|\n/g, 'a\r\nb\rc\n', '\r\r\n', 'é\r\n'],
  [/\B(?=(\d{3})+(?!\d))/g, '1234567', '123', 'x12345y', 'ü1234'],
  [/(\d)(?=(\d{3})+$)/g, '1234567', '1234', '12'],
  [/^[+-]?(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d+))?$/i, '1.5e-3', '.5', '-1', '1e', '+'],
  [/[$€£]\s?([\d,]+(?:\.\d{2})?)/g, '$1,234.50 € 5 £7.00', '€', '10€'],
  [/(-?\d+(?:[.,]\d+)?)\s*(€|EUR|USD|\$)/gi, '12,50 € and 3 usd', '5', '-7.25$'],
  [/(\d+)\s*(h|m|s|ms|d)\b/gi, '1h 30m 15s 200ms', '5dx', '3 d'],
  [/^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/, '1d2h', '3m4s', '', '5x'],
  [/^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/, 'P1DT2H', 'PT5M', 'P', 'P1M'],
  [/^v?(\d+)\.(\d+)\.(\d+)(?:-([\w.]+))?(?:\+([\w.]+))?$/, 'v1.2.3', '1.2.3-rc.1+b', '1.2'],
  [/<([^>]+)>;\s*rel="?([^",;]+)"?/g, '<http://a?p=2>; rel="next", <http://a?p=9>; rel="last"', '<x>; rel=next'],
  [/rel="next"/, '<a>; rel="next"', 'x'],
  [/(?:^|;\s*)session=([^;]*)/, 'a=b; session=xyz; c=d', 'session=', 'xsession=1'],
  [/(\w+)=("([^"]*)"|'([^']*)'|[^\s]+)/g, `a=1 b="2 3" c='4'`, 'x=', 'ä=1 ö="ü"'],
  [/(?:--?)(\w[\w-]*)(?:[= ]("[^"]*"|\S+))?/g, '--name=x -v --flag --out "a b"', '---', '--ü=1'],
  [/(["'])((?:\\.|(?!\1)[^\\])*)\1/g, `"a\\"b" 'c' "d'e"`, `'`, `"ü"'ö'`],
  [/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, `'a' "b\\"c"`, `"`, `'ä'"ö"`],
  [/\/\*[\s\S]*?\*\/|\/\/.*$/gm, 'a // b\nc /* d\ne */ f', '//', 'ü // ö\r\nx'],
  [/^(.*?):\s*(.*)$/gm, 'A: b\nC:d\ne', 'Date: Mon\r\nX: y\r\n\r\n', 'Ü: ö'],
  [/^([^:=]+)[:=](.*)$/, 'a=b=c', 'x: y', 'ü=1'],
  [/(^|\n)--+\n/, 'a\n---\nb', '--\n', 'x'],
  [/\[(\d+)\]|\.?([^.[\]]+)/g, 'a.b[0].c', '[1][2]x', 'ä[3].ö'],
  [/(\w+)\((.*?)\)/g, 'f(1, 2) + g()', 'h(()', 'ü(x)'],
  [/\(([^()]*)\)/g, '(a)(b(c))', '()', '(ä)'],
  [/\b(\w)(\w*)\b/g, 'the quick brown', 'a', 'über größe x'],
  [/\b\w/g, 'the quick-brown', '', 'élan vital'],
  [/\w\S*/g, 'the QUICK bro-wn', 'x', 'ärger hier'],
  [/(?:^|\s)(\S)/g, ' a b  c', 'x', 'ü ö'],
  [/(.)\1+/g, 'aabbbc', 'abc', 'üü'],
  [/\b(\w+)\s+\1\b/gi, 'the The cat cat', 'a b', 'x xx'],
  [/(?<![\w.])\d+(?![\w.])/g, '1 2.3 x4 5', '6', 'ü7ü'],
  [/(?<=\$)\d+(?:\.\d+)?/g, '$5 and $6.50 7', '$', '€$8'],
  [/(?<=^|,)[^,]*(?=,|$)/g, 'a,b,,c', ',', 'ä,ö'],
  [/[\u4e00-\u9fff]+/g, '日本語 text 中文', 'abc'],
  [/[\u0300-\u036f]/g, 'e\u0301a\u0308', 'abc'],
  [/[äöüß]/gi, 'Größe ÄÖÜ', 'abc'],
  [/\p{L}+/gu, 'héllo wörld 日本', '123', 'ab'],
  [/[\p{L}\p{N}_-]+/gu, 'héllo-wörld_1 !', 'a'],
  [/\p{Lu}\p{Ll}+/gu, 'Élan Vital ÖÄ', 'abc'],
  [/\p{Emoji_Presentation}/gu, 'a😀b🚀', 'abc', '1'],
  [/[😀-🙏]/gu, 'a😀b🙏', 'x'],
  [/[\u{1F300}-\u{1FAFF}]/gu, 'a🚀b😀', 'x'],
  [/[^\p{L}\s]/gu, 'Ä b! 1', '😀x'],
  [/^[\p{L} '-]+$/u, "Jean-Luc d'Été", 'x1'],
  [/[^\x00-\x7F]/g, 'aéb', 'abc', '😀'],
  [/[^\x20-\x7E]+/g, 'a\tb\u0000é', 'abc'],
  [/[\x00-\x1f\x7f]/g, 'a\u0001b\n', 'x'],
  [/[.*+?^${}()|[\]\\]/g, 'a.b*c(d)[e]', 'x', 'ü.'],
  [/[\\/:*?"<>|]/g, 'a/b:c?d', 'x', 'ü|ö'],
  [/\.([^.]+)$/, 'a.tar.gz', 'x', 'ü.é'],
  [/([^/]+?)(\.[^./]*)?$/, '/a/b/c.txt', 'x', '/ü/é.b'],
  [/\/+/g, 'a//b///c', '/', 'ä//ö'],
  [/^\/|\/$/g, '/a/b/', '/', 'x'],
  [/:(\w+)/g, '/a/:id/b/:name', ':', '/:ü'],
  [/[?&]([^=&]+)=([^&]*)/g, '?a=1&b=2&c=', '?x', '?ä=ö&b=1'],
  [/%([0-9A-F]{2})/gi, '%20%7e%zz', '%', 'ü%C3'],
  [/^#?([a-f\d]{2})([a-f\d]{2})([a-f\d]{2})$/i, '#FFaa00', 'abcdef', '#fff'],
  [/^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i, '123e4567-e89b-12d3-a456-426614174000', 'x'],
  [/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,}$/, 'abcDEF123', 'abc', 'äbcDEF123'],
  [/^(?!.*\.\.)[\w.]+$/, 'a.b', 'a..b', 'ü'],
  [/^(?:\+?(\d{1,3}))?[-. (]*(\d{3})[-. )]*(\d{3})[-. ]*(\d{4})$/, '+1 (555) 123-4567', '5551234567', '555'],
  [/\+?\d[\d\s()-]{6,}\d/g, 'call +49 30 123456 or 555-1234567', '12', 'ü 030 1234567'],
  [/(\d{3})\d+(\d{2})/g, '1234567890', '123', 'a12345b'],
  [/.(?=.{4})/g, '1234567890', '123', 'ü12345'],
  [/^(.{3}).*(.{2})$/, 'abcdefgh', 'abcde', 'äöüxyz'],
  [/.{1,3}/g, 'abcdefgh', '', 'äöüß'],
  [/(.{1,10})(?:\s+|$)/g, 'the quick brown fox jumps', 'x', 'über größe hinaus gehen'],
  [/[\s\S]{1,4}/g, 'ab\ncdef', '', 'ä\nö'],
  [/(?:)/g, 'abc', '', 'ü'],
  [/(?:)/, 'abc', '', 'ü'],
  [/x*/g, 'axxb', '', 'üxü'],
  [/[^=]*/g, 'key=val', '=', 'ü=ö'],
  [/([^,]*)(,|$)/g, 'a,b,c', ',', 'ä,ö'],
  [/$/gm, 'a\nb', 'a\r\nb', 'ü\n'],
  [/^/gm, 'a\nb', 'a\r\nb', 'ü\nö'],
  [/^.*$/gm, 'a\n\nb', 'a\r\nb\r\n', 'ü\nö'],
  [/^(?:\s*\n)+/gm, '\n\na\n \nb', 'x', 'ü\n\nö'],
  [/\n{3,}/g, 'a\n\n\n\nb', '\n', 'ü\n\n\nö'],
  [/^ {4}/gm, '    a\n    b', 'x', '    ü'],
  [/^>\s?/gm, '> a\n>b\nc', '>', '> ü'],
  [/^\s*[-*+]\s+(.*)$/gm, '- a\n* b\n  + c\nd', '-', '- ü\n- ö'],
  [/^\s*(\d+)[.)]\s+(.*)$/gm, '1. a\n2) b\nc', '3.', '1. ü'],
  [/\|/g, '|a|b|', 'x', 'ä|ö'],
  [/\s*\|\s*/, '| a | b |', '|', 'ä | ö'],
  [/#(\w+)/g, 'a #b #c_d', '#', '#über #x'],
  [/@([\w-]+)/g, '@a and @b-c', '@', '@ü @x'],
  [/([A-Z]{2,5})-(\d+)/g, 'ABC-123 fixes XY-9', 'A-1', 'ÄBC-1'],
  [/(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?)\s+#(\d+)/gi, 'Fixes #1, closes #2; Resolved #3', '#4', 'ü fix #5'],
  [/^(feat|fix|docs|chore)(?:\(([^)]+)\))?(!)?:\s*(.+)$/, 'feat(api)!: add', 'fix: x', 'nope'],
  [/^(\w+)\s+(\w+)\s+\[(.*?)\]\s+"(\w+) ([^ ]+) [^"]*" (\d+) (\d+|-)$/, 'a b [c] "GET /x HTTP/1.1" 200 -', 'x'],
  [/(\S+) - - \[([^\]]+)\] "([A-Z]+) (\S+) [^"]+" (\d{3}) (\d+)/, '1.2.3.4 - - [10/Oct] "GET / HTTP/1.0" 200 23', 'x'],
  [/(?:error|warn(?:ing)?|fatal)[:\s]+(.*)/gi, 'Error: a\nWARN b\nfatal: c', 'x', 'error: ü'],
  [/^\s*at (?:(.+?) \()?(.+?):(\d+):(\d+)\)?$/gm, '    at f (a.js:1:2)\n    at b.js:3:4', 'x'],
  [/([\d.]+)\s*(KB|MB|GB|B)\b/i, '1.5 MB', '20kb', 'x'],
  [/(\d+)\/(\d+)/, '3/4', 'x', '½ 1/2'],
  [/(a|ab)(c|bcd)(d*)/, 'abcd', 'acd', 'ab'],
  [/(z)((a+)?(b+)?(c))*/, 'zaacbbbcac', 'z', 'zc'],
  [/(?=(a+))a*b\1/, 'baaabac', 'ab'],
  [/(.*?)a(?!(a+)b\2c)\2(.*)/, 'baaabaac', 'a'],
  [/^(?:a|b)+?$/, 'abab', 'abc'],
  [/(?:(a)|b)*/, 'ab', 'ba'],
  [/(a*)*/, 'b', 'aa'],
  [/(?:a?)*?$/, 'a', 'aa', ''],
  [/(\w+)\s(?:(Jr|Sr)\.?)?\s*(\w+)?/, 'John Jr. Smith', 'a b', 'x '],
  [/[^]/g, 'a\nb', '', 'ü'],
  [/[]/g, 'a', ''],
  [/\d+(?=%)/g, '50% of 20', '%', 'ü5%'],
  [/(?<!\d)\d{5}(?!\d)/g, '12345 123456 98765', 'x', 'ü12345'],
  [/\cJ|\x41|\u0042|\0/g, 'A\nB\u0000', 'x'],
  [/[\w-]+/g, 'a-b c_d', '-', 'ä-b'],
  [/[\d-x]+/g, '1-x', 'y'],
  [/[a-]+/g, 'a-b', 'c'],
  [/a{,2}/g, 'a{,2}', 'aa'],
  [/a{2}|b{1,}|c{0,1}/g, 'aabbbc', 'x', 'üaab'],
  [/x{0}y/g, 'xy', 'y'],
  [/\//g, 'a/b', 'x'],
  [/]/g, 'a]b', 'x'],
  [/{|}/g, '{a}', 'x'],
  [/ß|ſ|K/gi, 'ß ſ K k', 'S s'],
  [/é/i, 'É', 'x'],
  [/[à-ÿ]+/gi, 'ÀÉ àé', 'x'],
  [/straße/i, 'STRASSE Straße', 'STRAßE'],
];
const texts = [...new Set(written.flatMap(([, ...list]) => list))];

// Random patterns of the same parts. Groups are counted, so that what refers back has one.
const atoms = ['a', 'b', 'c', '1', ' ', ',', ';', '"', '-', '_', '=', ':', '/', '\\.', '\\d', '\\w', '\\s', '\\S', '\\W', '\\D', '.', '[a-c]', '[^,]', '[^;"]', '[^"]', '[\\s\\S]', '[\\w-]', '[^\\s]', '[A-Z]', '[0-9a-f]', '\\n', '\\/', '\\(', '\\)', '\\[', 'x', 'foo', 'bar', '[^]', '[.,]', '\\t', '\\$', '\\|', 'ab'];
const other = ['é', 'ü', '[äöü]', '[^é]', '日', '\\u00e9', '[à-ÿ]', 'ß', '\\xe4'];
const astral = ['😀', '[😀]', '[^😀]', '\\u{1F600}', '\\p{L}', '\\p{Lu}', '\\P{L}', '[\\p{L}\\d]', '\\p{Emoji_Presentation}', '[a😀]', '[\\u{1F600}-\\u{1F64F}]'];
let groups, named, unicode, plain;
const atom = () => (!plain && often(0.1) ? pick(other) : unicode && often(0.25) ? pick(astral) : pick(atoms));
const quantifier = () => pick(['', '', '', '', '*', '+', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{2,}', '{0,2}?']);
const group = (depth) => {
  const kind = random();
  if (kind < 0.45) { groups++; return `(${alternatives(depth - 1)})`; }
  if (kind < 0.75) return `(?:${alternatives(depth - 1)})`;
  if (kind < 0.83) { groups++; return `(?<n${named++}>${alternatives(depth - 1)})`; }
  return `(?${pick(['=', '!', '<=', '<!'])}${alternatives(depth - 1)})`;
};
const term = (depth) => {
  const kind = random();
  if (depth > 0 && kind < 0.25) {
    const made = group(depth);
    return /^\(\?(?:[=!]|<[=!])/.test(made) ? made : made + quantifier();
  }
  if (kind < 0.3) return pick(['^', '$', '\\b', '\\b', '\\B']);
  if (kind < 0.33 && groups > 0) return '\\' + (1 + int(Math.min(groups, 9)));
  return atom() + quantifier();
};
const sequence = (depth) => Array.from({ length: 1 + int(3) }, () => term(depth)).join('');
const alternatives = (depth) => Array.from({ length: often(0.35) ? 2 + int(2) : 1 }, () => sequence(depth)).join('|');
const pattern = () => {
  groups = 0; named = 0; plain = often(0.7);
  return alternatives(2);
};
const flags = () => pick(['', '', 'g', 'g', 'g', 'gi', 'i', 'gm', 'm', 's', 'gs', 'u', 'gu', 'giu', 'y', 'gy']);
const alphabet = ['a', 'b', 'c', 'A', 'B', '1', '2', ' ', ',', ';', '"', '-', '_', '=', ':', '/', '.', '\n', '\r\n', 'x', 'foo', 'bar', '(', ')', '[', '$', '|', '\t', 'ab', 'aa'];
const wide = ['é', 'ü', 'É', 'ä', '日', 'ß', '😀', '🙂', '\u2028', '\u00a0'];
const text = () => {
  const letters = often(0.7);
  return Array.from({ length: int(14) }, () => (!letters && often(0.3) ? pick(wide) : pick(alphabet))).join('');
};
const mutated = (one) => {
  if (often(0.4)) return one;
  const at = int(one.length + 1);
  return one.slice(0, at) + pick([...alphabet, ...wide, one.slice(0, 5), '']) + one.slice(at + int(2));
};

// What is asked of each. The same text stands in the test, which evaluates it.
const asked = `(r, s, k) => {
  const group = (m) => m && [m.index, ...m].concat(m.groups ? [Object.entries(m.groups)] : []).map((v) => (v === undefined ? null : v));
  const at = (k) => { r.lastIndex = k; const m = group(r.exec(s)); return [m, r.lastIndex]; };
  const fresh = (f) => { r.lastIndex = 0; return f(); };
  return {
    exec: at(0), from: at(k), test: fresh(() => r.test(s)), search: s.search(r), match: fresh(() => [...(s.match(r) ?? ['none'])].map((v) => v ?? null)),
    all: r.global ? fresh(() => [...s.matchAll(r)].map(group)) : null, put: fresh(() => s.replace(r, (...a) => '<' + a.slice(0, -2).join('~') + '>')),
    text: fresh(() => s.replace(r, "[$&|$1|$\`]")), split: s.split(r).map((v) => v ?? null), some: s.split(r, 2).map((v) => v ?? null), same: String(r.flags),
  };
}`;
const ask = new vm.Script(`(${asked})(...regexpAsked)`);

console.log(JSON.stringify({ asked }));
for (let i = 0; i < Number(count);) {
  let source, with_, given;
  if (often(0.4)) {
    const [one, ...list] = pick(written);
    source = one.source;
    with_ = often(0.7) ? one.flags : [...new Set(pick(['g', 'i', 'm', 's', '', 'y']) + one.flags)].join('');
    given = mutated(often(0.7) ? pick(list) : pick(texts));
  } else {
    with_ = flags();
    unicode = with_.includes('u');
    source = pattern();
    given = often(0.8) ? text() : mutated(pick(texts));
  }
  if (!given.isWellFormed()) continue;
  let regexp;
  try { regexp = new RegExp(source, with_); } catch { continue; }
  const from = int(given.length + 1);
  globalThis.regexpAsked = [regexp, given, from];
  let want;
  try { want = ask.runInThisContext({ timeout: 50 }); } catch { continue; } // what backtracks without end
  console.log(JSON.stringify({ source, flags: with_, text: given, from, want }));
  i++;
}
