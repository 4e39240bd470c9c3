const EVENTS = 'GET https://desk.example/api/events';
const KINDS = ['ticket-created', 'ticket-closed', 'message-added', 'tag-added'];
// All events are made of their number, so that each day has those of the days before.
const event = (id) => ({ id, type: KINDS[id * 7 % 4], created_datetime: new Date(1772000000000 + id * 1000003).toISOString().replace('Z', '000+00:00'), object_id: 500 + id % 13, user_id: id % 3 ? id % 5 + 1 : null, ...(id % 4 ? { context: id % 8 === 1 ? {} : { channel: ['mail', 'chat'][id % 2] } } : {}) });
const old = (id) => Buffer.from(`["next", "${id}"]`).toString('base64'), now = (id) => `c2_${Buffer.from(String(id)).toString('hex')}`;
const feed = (read, write, make = event) => (f, q) => {
  const from = q.query.cursor ? read(q.query.cursor) : 0;
  if (from === null) return { $status: 400, $body: { error: { msg: 'The cursor is not valid' } } };
  const to = Math.min(from + 3, f.total);
  return { data: Array.from({ length: Math.max(0, to - from) }, (_, i) => make(from + i + 1)), meta: { prev_cursor: null, next_cursor: to - from === 3 ? write(to) : null } };
};
const readOld = (c) => { const m = /^\["next", "(\d+)"\]$/.exec(Buffer.from(c, 'base64').toString()); return m ? Number(m[1]) : null; };
const readNow = (c) => (c.startsWith('c2_') ? Number(Buffer.from(c.slice(3), 'hex').toString()) : null);
const v2 = (id) => { const { created_datetime, object_id, user_id, context, type, ...e } = event(id); return { ...e, event_type: type.replace('-', '.'), created_at: Date.parse(created_datetime) / 1000, object: { id: object_id, type: 'Ticket' }, user: user_id && { id: user_id }, via: context?.channel ?? null }; };
const BATCH = '    const { data, meta } = await batch(cursor);';
const RES = "  if (!res.ok) throw new Error(`events: ${res.status} ${await res.text()}`);";
const PLACE = `async function placeAfter(last: number): Promise<string | null> {
  let at: string | null = null;
  for (;;) {
    const { data, meta } = await batch(at);
    if (meta.next_cursor === null || data.some((e) => e.id > last)) return at;
    at = meta.next_cursor;
  }
}

`;
export default {
  source: 'https://developers.gorgias.com/changelog/the-views-items-search-resource-pagination-cursor-format-was-changed: the form of cursors changed, and cursors that clients kept were answered with errors',
  says: 'Follow the events of the help desk into the data lake.',
  facts: (day, r) => ({ total: [4, 9, 9, 17, 20, 31, 33, 36, 44, 45, 51, 58, 60][day] ?? 60 + (day - 12) * r.pick([3, 4, 5]) }),
  api: { [EVENTS]: feed(readOld, old), 'POST https://lake.example/ingest/desk': (f, q) => ({ accepted: q.id }) },
  changes: [{
    name: 'renamed',
    happened: 'events have event_type with a dot, created_at in seconds, object and user as objects, via for the channel',
    tells: [['type', 'event_type'], ['created_at', 'object']],
    api: { [EVENTS]: feed(readOld, old, v2) },
    right: {
      'an adapter': [['const line =', `const adapt = (e: any): DeskEvent => (e.type ? e : {
  id: e.id, type: e.event_type.replace('.', '-'), created_datetime: new Date(e.created_at * 1000).toISOString(), object_id: e.object.id, user_id: e.user ? e.user.id : null, context: e.via ? { channel: e.via } : {},
});

const line =`], ['const fresh = data.filter', 'const fresh = data.map(adapt).filter']],
      'when read': [['  return res.json();', `  const got: any = await res.json();
  for (const e of got.data) {
    if (e.event_type === undefined) continue;
    e.type = e.event_type.split('.').join('-');
    e.created_datetime = new Date(e.created_at * 1000).toJSON();
    e.object_id = e.object.id;
    e.user_id = e.user?.id ?? null;
    if (e.via) e.context = { channel: e.via };
  }
  return got;`]],
      'at each place': [
        ["const line = (e: DeskEvent) =>", "const typeOf = (e: any): string => e.type ?? e.event_type.replace('.', '-');\nconst line = (e: any) =>"], ["e.type.split('-')[0], what: e.type", "typeOf(e).split('-')[0], what: typeOf(e)"], ['ticket: e.object_id', 'ticket: e.object_id ?? e.object.id'], ['e.user_id ??', 'e.user_id ?? e.user?.id ??'],
        ['e.context?.channel ??', 'e.context?.channel ?? e.via ??'], ['e.created_datetime.slice', '(e.created_datetime ?? new Date(e.created_at * 1000).toISOString()).slice'], ['for (const { type } of fresh) counts[type] = (counts[type] ?? 0) + 1;', 'for (const e of fresh) counts[typeOf(e)] = (counts[typeOf(e)] ?? 0) + 1;'],
      ],
    },
    wrong: {
      'skips': [['data.filter((e) => e.id > last)', 'data.filter((e) => e.id > last && e.type)']],
      'all by the system': [['  return res.json();', "  const got: any = await res.json();\n  for (const e of got.data) if (e.event_type) Object.assign(e, { type: e.event_type.replace('.', '-'), created_datetime: new Date(e.created_at * 1000).toJSON(), object_id: e.object.id, context: { channel: e.via ?? undefined } });\n  return got;"]],
      'with the dot': [['  return res.json();', "  const got: any = await res.json();\n  for (const e of got.data) if (e.event_type) Object.assign(e, { type: e.event_type, created_datetime: new Date(e.created_at * 1000).toJSON(), object_id: e.object.id, user_id: e.user?.id, context: { channel: e.via ?? undefined } });\n  return got;"]],
      'no channel': [['  return res.json();', "  const got: any = await res.json();\n  for (const e of got.data) if (e.event_type) Object.assign(e, { type: e.event_type.replace('.', '-'), created_datetime: new Date(e.created_at * 1000).toJSON(), object_id: e.object.id, user_id: e.user?.id });\n  return got;"]],
    },
  }, {
    name: 'meta-links',
    happened: 'the next cursor is in links.next, an address, in place of meta.next_cursor; ids are texts',
    tells: [['meta', 'next_cursor'], ['links', 'id']],
    api: { [EVENTS]: (f, q) => { const { data, meta } = feed(readOld, old)(f, q); return { data: data.map((e) => ({ ...e, id: String(e.id) })), links: { next: meta.next_cursor && `https://desk.example/api/events?limit=3&cursor=${encodeURIComponent(meta.next_cursor)}` } }; } },
    right: {
      'when read': [['  return res.json();', "  const got: any = await res.json();\n  if (got.meta) return got;\n  const { next } = got.links;\n  return { data: got.data.map((e: any) => ({ ...e, id: Number(e.id) })), meta: { prev_cursor: null, next_cursor: next && new URL(next).searchParams.get('cursor') } };"]],
      'in the loop': [[BATCH, `    const { data: given, links, meta = { next_cursor: links.next === null ? null : decodeURIComponent(/cursor=([^&]+)/.exec(links.next)![1]) } } = (await batch(cursor)) as any;
    const data: DeskEvent[] = given.map((e: any) => ({ ...e, id: +e.id }));`]],
      'helpers': [['const line =', "const nextOf = (b: any): string | null => (b.links === undefined ? b.meta.next_cursor : b.links.next ? new URL(b.links.next).searchParams.get('cursor') : null);\nconst line ="], [BATCH, '    const got = await batch(cursor);\n    const next = nextOf(got);\n    const data = got.data.map((e): DeskEvent => ({ ...e, id: parseInt(String(e.id), 10) }));'], ['meta.next_cursor === null', 'next === null'], ['cursor = meta.next_cursor;', 'cursor = next;']],
    },
    wrong: {
      'one batch': [['if (meta.next_cursor === null) break;', 'if (!meta?.next_cursor) break;'], [BATCH, '    const { data: given, meta } = await batch(cursor);\n    const data = given.map((e) => ({ ...e, id: Number(e.id) }));']],
      'ids as texts': [['  return res.json();', "  const got: any = await res.json();\n  if (got.meta) return got;\n  const { next } = got.links;\n  return { data: got.data, meta: { prev_cursor: null, next_cursor: next && new URL(next).searchParams.get('cursor') } };"]],
      'the address as a cursor': [['  return res.json();', '  const got: any = await res.json();\n  if (got.meta) return got;\n  return { data: got.data.map((e: any) => ({ ...e, id: Number(e.id) })), meta: { prev_cursor: null, next_cursor: got.links.next } };']],
    },
  }, {
    name: 'new-cursors',
    happened: 'cursors have another form; one that was kept from before is a 400, after which the list has to be read from its beginning',
    tells: [['cursor'], ['400', 'not valid', 'valid']],
    api: { [EVENTS]: feed(readNow, now) },
    write: (w) => { const turn = (c) => c && now(readOld(c)); return w.to === 'kv.set tail' ? { to: w.to, body: { ...w.body, cursor: turn(w.body.cursor) } } : w; },
    right: {
      'skips what is known': [[RES, "  if (res.status === 400 && cursor) return null as any;\n" + RES], [BATCH, `    let got = await batch(cursor);
    if (got === null) {
      got = await batch((cursor = null));
      while (got.meta.next_cursor && got.data.every((e) => e.id <= last)) {
        cursor = got.meta.next_cursor;
        got = await batch(cursor);
      }
    }
    const { data, meta } = got;`]],
      'finds its place again': [['export default', PLACE + 'export default'], ['  const counts:', "  try {\n    await batch(cursor);\n  } catch (e) {\n    if (!String(e).includes('events: 400')) throw e;\n    cursor = await placeAfter(last);\n  }\n  const counts:"]],
      'by the form': [['export default', PLACE + 'export default'], ['  const counts:', "  if (cursor !== null && !/^c\\d+_/.test(cursor)) cursor = await placeAfter(last);\n  const counts:"]],
    },
    wrong: {
      'nothing': [[RES, "  if (res.status === 400) return { data: [], meta: { next_cursor: null, prev_cursor: null } };\n" + RES]],
      'from the beginning': [[BATCH, '    let got: Batch;\n    try { got = await batch(cursor); } catch { last = 0; got = await batch(null); }\n    const { data, meta } = got;']],
      'caught': [[BATCH, '    let got: Batch;\n    try { got = await batch(cursor); } catch (e) { console.error(String(e)); break; }\n    const { data, meta } = got;']],
    },
  }],
};
