//// weekday in a zone
const d = new Date('2026-03-01T07:05:09Z'); return [d.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'America/New_York' }), d.toLocaleDateString('de-DE', { weekday: 'long', timeZone: 'Asia/Tokyo' })];
//// defaults
const d = new Date('2026-03-01T07:05:09Z'); return ['en-US', 'en-GB', 'de-DE', 'fr-FR', 'es-ES', 'it', 'pt-BR', 'nl', 'sv-SE', 'ja-JP', 'zh-CN', 'ko-KR', 'ru', 'pl', 'tr', 'cs', 'fi', 'da', 'hu', 'uk', 'el', 'ro', 'en-CA', 'en-IN', 'de-CH', 'fr-CA', 'zh-TW', 'nb', 'pt-PT', 'es-MX'].map((l) => [d.toLocaleDateString(l), d.toLocaleTimeString(l), d.toLocaleString(l)]);
//// long dates
const d = new Date('2026-11-09T21:05:09Z'); return ['en-US', 'en-GB', 'de', 'fr', 'es', 'it', 'pt-BR', 'nl', 'sv', 'ja', 'zh-CN', 'ko', 'ru', 'pl', 'tr', 'cs', 'fi', 'hu', 'uk', 'el'].map((l) => d.toLocaleDateString(l, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }));
//// month names alone and in dates
return ['en', 'de', 'ru', 'pl', 'cs', 'fi', 'el', 'uk'].map((l) => [0, 4, 10].map((m) => [new Date(Date.UTC(2026, m, 5)).toLocaleString(l, { month: 'long', timeZone: 'UTC' }), new Date(Date.UTC(2026, m, 5)).toLocaleString(l, { month: 'short', day: '2-digit', timeZone: 'UTC' })]));
//// styles
const d = new Date('2026-12-31T23:59:59Z'); return ['en-US', 'en-GB', 'de', 'fr', 'ja', 'pt-BR'].map((l) => ['full', 'long', 'medium', 'short'].map((s) => [new Intl.DateTimeFormat(l, { dateStyle: s }).format(d), new Intl.DateTimeFormat(l, { dateStyle: s, timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(d)]));
//// clocks
const list = [0, 9, 12, 21].map((h) => new Date(Date.UTC(2026, 0, 1, h, 5))); return ['en-US', 'de', 'en-GB', 'ja'].map((l) => list.map((d) => [{ hour: 'numeric' }, { hour: '2-digit', minute: '2-digit' }, { hour: 'numeric', minute: '2-digit', hour12: true }, { hour: '2-digit', minute: '2-digit', hour12: false }, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }].map((o) => d.toLocaleTimeString(l, { timeZone: 'UTC', ...o }))));
//// parts
const parts = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }).formatToParts(new Date('2026-07-04T08:09:10Z')); return Object.fromEntries(parts.filter((p) => p.type !== 'literal').map((p) => [p.type, p.value]));
//// date of a zone as ISO
return new Date('2026-03-01T03:00:00Z').toLocaleDateString('en-CA', { timeZone: 'America/New_York' });
//// time stamp
return new Date('2026-03-01T07:05:00Z').toLocaleString('en-US', { month: 'short', day: 'numeric', year: 'numeric', hour: 'numeric', minute: '2-digit', timeZone: 'Europe/Berlin' });
//// resolved zone
const o = Intl.DateTimeFormat('en-US', { timeZone: 'Europe/Berlin' }).resolvedOptions(); return [o.locale, o.timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone];
//// invalid dates
let thrown; try { new Intl.DateTimeFormat('en').format(new Date(NaN)); } catch (e) { thrown = e.name; } return [new Date(NaN).toLocaleString(), thrown];
//// unknown zone
try { new Date(0).toLocaleString('en-US', { timeZone: 'Mars/Olympus' }); } catch (e) { return e.name; }
//// numbers
return ['en-US', 'de-DE', 'fr-FR', 'es-ES', 'pt-PT', 'pl', 'en-IN', 'de-CH', 'sv', 'ja', 'ru', 'it'].map((l) => [1234567.891, 1234.5, -0.5, 0, 999, 12345].map((n) => n.toLocaleString(l)));
//// money
return ['en-US', 'de-DE', 'fr-FR', 'ja-JP', 'pt-BR', 'en-GB', 'nl', 'de-CH', 'en-IN', 'pl', 'sv'].map((l) => [['EUR', 1234.5], ['USD', -99.999], ['JPY', 1234.5], ['GBP', 0.005], ['INR', 1234567], ['CHF', 12]].map(([currency, n]) => n.toLocaleString(l, { style: 'currency', currency })));
//// money shown as code
return ['en-US', 'de'].map((l) => new Intl.NumberFormat(l, { style: 'currency', currency: 'EUR', currencyDisplay: 'code', minimumFractionDigits: 0, maximumFractionDigits: 0 }).format(1234.5));
//// percent
return ['en-US', 'de', 'fr', 'tr'].map((l) => [0.256, 1.005, -0.07].map((n) => [n.toLocaleString(l, { style: 'percent' }), n.toLocaleString(l, { style: 'percent', minimumFractionDigits: 1 })]));
//// fraction digits
return [[1.005, 2], [2.5, 0], [1e21, 2], [1e-7, 8], [0.1 + 0.2, 20], [123.456, 1], [1.45, 1], [8.345, 2]].map(([n, most]) => n.toLocaleString('en-US', { maximumFractionDigits: most }));
//// minimum digits
return [5, 1234.5].map((n) => [n.toLocaleString('en-US', { minimumFractionDigits: 2 }), n.toLocaleString('en-US', { minimumIntegerDigits: 2, useGrouping: false }), n.toLocaleString('en-US', { maximumSignificantDigits: 2 }), n.toLocaleString('en-US', { minimumSignificantDigits: 3 })]);
//// significant digits
return [123456, 0.00123456, 99.99, 1, 0].map((n) => new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 }).format(n));
//// not finite, and big
return [NaN.toLocaleString('en-US'), (-Infinity).toLocaleString('de'), 12345678901234567890n.toLocaleString('en-US'), (-0).toLocaleString('en-US')];
//// as a callback
return [1000, 2000.5].map(new Intl.NumberFormat('de-DE').format);
//// in an array
return [[1234.5, new Date(0)].map((x) => x.toLocaleString('en-US', { timeZone: 'UTC' })), 'x'.toLocaleUpperCase()];
//// parts of a number
return [['de', {}], ['en-US', { style: 'currency', currency: 'USD' }], ['de', { style: 'currency', currency: 'EUR' }], ['fr', { style: 'percent', maximumFractionDigits: 1 }], ['ja', { style: 'currency', currency: 'JPY' }], ['sv', { minimumFractionDigits: 2 }], ['de-CH', { style: 'currency', currency: 'CHF' }], ['en-IN', {}], ['en', { style: 'currency', currency: 'EUR', currencyDisplay: 'code' }]].map(([l, o]) => [1234567.891, -0.5, 0].map((n) => new Intl.NumberFormat(l, o).formatToParts(n).map((p) => p.type + '=' + p.value)).concat(o.currencyDisplay ? [] : [new Intl.NumberFormat(l, o).formatToParts(NaN).map((p) => p.type), new Intl.NumberFormat(l, o).formatToParts(-Infinity).map((p) => p.type)]));
//// offsets of zones
const at = new Date('2026-07-01T12:34:00Z'); return ['en-US', 'de', 'en-GB', 'pl', 'ja'].flatMap((l) => ['America/Los_Angeles', 'Asia/Kolkata', 'UTC', 'Europe/Berlin'].map((timeZone) => [new Intl.DateTimeFormat(l, { timeZone, hour: '2-digit', minute: '2-digit', timeZoneName: 'shortOffset' }).format(at), new Intl.DateTimeFormat(l, { timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', timeZoneName: 'longOffset' }).formatToParts(at).find((p) => p.type === 'timeZoneName').value])).concat([[new Intl.DateTimeFormat('en-US', { timeZone: 'Asia/Tokyo', timeZoneName: 'longOffset' }).format(at)]]);
//// plurals
const o = new Intl.PluralRules('en-US', { type: 'ordinal' }), c = new Intl.PluralRules('en'); return [[0, 1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 101, 111, 1.5, -1, NaN].map((n) => [o.select(n), c.select(n)]), o.resolvedOptions().pluralCategories, c.resolvedOptions().pluralCategories, String(c)];
//// lists
return ['conjunction', 'disjunction', 'unit'].map((type) => ['long', 'short', 'narrow'].map((style) => [[], ['A'], ['A', 'B'], ['A', 'B', 'C'], ['A', 'B', 'C', 'D']].map((list) => new Intl.ListFormat('en', { type, style }).format(list)))).concat([new Intl.ListFormat().formatToParts(new Set(['x', 'y']))]);
//// relative times
const all = []; for (const numeric of ['always', 'auto']) for (const unit of ['second', 'minute', 'hours', 'day', 'weeks', 'month', 'quarter', 'year']) for (const n of [-1, 0, -0, 1, 2, -3, 1.5, -0.5, 1000, '4']) all.push(new Intl.RelativeTimeFormat('en', { numeric }).format(n, unit)); return [all, new Intl.RelativeTimeFormat('en').formatToParts(-1234.5, 'day'), new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).formatToParts(1, 'day')];
//// what is not a unit
try { new Intl.RelativeTimeFormat('en').format(1, 'eon'); } catch (e) { return e.name; }
