//// csv: rows, names and delimiters
import {parse} from 'kintsugi:csv'; export default () => [parse('a,b\n1,"x, ""y"""\n'), parse('\uFEFFa;b\r\n1;2\r\n',{header:true}), parse('__proto__,constructor\n1,2',{header:true})]

//// csv: too many fields
import {parse} from 'kintsugi:csv'; export default () => parse('a,b\n1,2,3')

//// csv: an open quote
import {parse} from 'kintsugi:csv'; export default () => parse('a,b\n1,"2')

//// csv: written
import csv from 'kintsugi:csv'; export default () => [csv.stringify([[1,'a,b',null,{x:1}],['"',undefined,new Date(0),true]]), csv.stringify([{a:1,b:'x'},{b:'y\nz'}]), csv.stringify([{a:1,b:2}],{header:['b'],delimiter:';',newline:'\r\n'}), csv.parse('a,b\n1\n2,3,4',{header:true,relaxed:true})]

//// html: selected
import {parse} from 'kintsugi:html'; export default ({page}) => { const d = parse(page); return [d.querySelectorAll('tr.row').map((tr)=>tr.querySelectorAll('td').map((td)=>td.textContent)), d.querySelector('title').textContent, d.querySelector('p').innerText, d.innerText, d.querySelector('td b').closest('tr').getAttribute('class'), d.querySelector('.row').attributes, d.querySelector('nope'), d.querySelector('b').parentElement.outerHTML, d.querySelector('.odd').nextElementSibling.matches('.row'), d.querySelector('i') === d.querySelector('p > i'), d.querySelector('table').id, JSON.stringify(d.querySelector('i'))] }

//// html: no selector
import {parse} from 'kintsugi:html'; export default ({page}) => parse(page).querySelector('a[')

//// html: a text is needed
const {parse} = require('kintsugi:html'); function main({page}) { return parse(Promise.resolve(1)) }

//// xml: selected and as objects
import {parse,toObject} from 'kintsugi:xml'; export default ({feed}) => { const d = parse(feed); return [d.querySelectorAll('item > title').map((e)=>e.textContent), d.querySelector('pubDate').tagName, d.querySelector('enclosure').outerHTML, toObject(feed), toObject('<a x="1">t<b/><b>2</b></a>'), toObject('<l><i>1</i></l>',{arrays:['i']}), parse('<r xmlns:dc="u"><dc:date>1</dc:date></r>').querySelector('dc\\:date').textContent] }

//// xml: not closed
import {parse} from 'kintsugi:xml'; export default () => parse('<a>\n<b></a>')

//// xml: an entity of its own
import {parse} from 'kintsugi:xml'; export default () => parse('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>')

//// rss: RSS
import {parse} from 'kintsugi:rss'; export default ({feed}) => parse(feed)

//// rss: a page in its place
import {parse} from 'kintsugi:rss'; export default ({page}) => parse(page)

//// rss: Atom
import {parse} from 'kintsugi:rss'; export default () => parse('<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><updated>2026-03-01T00:00:00Z</updated><entry><id>i</id><title>T</title><link href="/x"/><author><name>N</name></author><content type="html">&lt;p&gt;</content><published>2026-02-28T23:00:00-01:00</published></entry></feed>')

//// markdown: rendered
import {render} from 'kintsugi:markdown'; export default () => [render('# Hi *there*\n\n| a | b |\n|---|---|\n| 1 | ~~2~~ |\n\n- [x] done\n- <b>raw</b> [x](javascript:alert(1)) https://a.test'), render('<b>raw</b>',{html:true})]

//// dates: zones and formats
import { DateTime, Duration, Interval } from 'kintsugi:dates'; export default () => { const d = DateTime.fromISO('2026-03-28T12:00:00', {zone:'Europe/Berlin'}); return [d.plus({days:1}).toISO(), d.plus({hours:24}).toISO(), d.setZone('America/New_York').toFormat("cccc, d LLLL yyyy HH:mm ZZ ZZZZ"), DateTime.now().toISO(), DateTime.now().zoneName, d.endOf('month').toISODate(), d.weekNumber, Duration.fromISO('P1DT2H').as('hours'), Interval.fromDateTimes(d, d.plus({days:2})).length('days'), DateTime.fromFormat('03/01/2026','MM/dd/yyyy').toISODate(), d.toRelative({base: d.plus({days:3})}), DateTime.fromISO('nope').isValid, d.toLocaleString(DateTime.DATE_MED), d.setLocale('de').toFormat('cccc, d. LLLL') ] }

//// dates: faults and texts
import { DateTime as D } from 'luxon'; export default () => [D.fromISO('2026-01-01T00:00', {zone:'Nowhere/Land'}).invalidReason, D.fromISO('1900-01-01T00:00:00Z', {zone:'Europe/Berlin'}).toISO(), D.utc(2026,1,1).toHTTP(), D.fromRFC2822('Mon, 02 Mar 2026 08:00:00 +0100').toUTC().toISO()]

//// schema: parsed and refused
import { z } from 'kintsugi:schema'; export default () => { const O = z.object({id: z.string().min(2), n: z.number().int().positive(), at: z.iso.datetime().optional(), tags: z.array(z.enum(['a','b'])).default(['a']), mail: z.email().nullable()}); const r = O.safeParse({id:'x', n:-1.5, tags:['c'], mail:'no'}); return [O.parse({id:'xx',n:1,mail:null,extra:1}), r.success, r.error.issues.map((i)=>[i.path.join('.'), i.code, i.message]), z.prettifyError(r.error), z.coerce.number().parse('5'), z.string().transform((s)=>s.length).parse('abc')] }

//// schema: thrown
import { z } from 'zod'; export default () => z.object({a: z.string()}).parse({a: 1})

//// schema: awaited
import * as z from 'zod'; export default async () => [await z.string().refine(async (s) => s === 'x').safeParseAsync('y'), z.toJSONSchema(z.object({a: z.string()}))]

//// decimal: exact
import { Decimal } from 'kintsugi:decimal'; export default () => [new Decimal('0.1').plus('0.2').toString(), new Decimal(1).div(3).toFixed(5), new Decimal('1.005').toDP(2).toString(), Decimal.sum('1.10','2.20').toFixed(2), new Decimal('1e400').times(2)]

//// decimal: not a number
import Decimal from 'decimal.js'; export default () => [Decimal(2).sqrt().toString(), new Decimal('x')]

//// require: packages
const { DateTime } = require('luxon'); const { z } = require('zod'); const Decimal = require('decimal.js'); function main() { return [DateTime.utc(2026).toISO(), z.string().parse('x'), new Decimal.Decimal(1)] }

//// require: unknown
function main() { return require('kintsugi:nope') }

//// import: unknown
import x from 'kintsugi:nope'; export default () => x

//// import: an unknown name
import {x} from 'kintsugi:csv'; export default () => x

//// dates: names of zones are not there
import { DateTime } from 'kintsugi:dates'; export default () => DateTime.utc(2026).setZone('Asia/Tokyo').toLocaleString(DateTime.DATETIME_FULL)

//// import: all of it, under another name, and what is not used
import * as csv from 'kintsugi:csv';
import { parse as parseXML } from 'kintsugi:xml';
import 'kintsugi:html';
export default async () => [Object.keys(csv), typeof parseXML, typeof parse]

//// import: types are nothing
import { z, type Type } from 'kintsugi:schema';
const Name: Type<string> = z.string();
export default (input: unknown) => Name.safeParse(1).success
