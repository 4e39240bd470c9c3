const U = 'POST https://bots.example/bot/getUpdates', A = 'POST https://bots.example/bot/answerCallbackQuery';
const PEOPLE = { ada: { id: 1, first_name: 'Ada', username: 'ada' }, bo: { id: 2, first_name: 'Bö', last_name: 'Ü' }, ya: { id: 3, first_name: '山田' } };
const message = (u, extra = (m) => m) => {
  const m = { message_id: u.no, from: PEOPLE[u.who], chat: { id: u.chat === 'channel' ? -100 : u.no, type: u.chat }, date: u.at };
  if (u.has === 'text') m.text = u.text;
  if (u.has === 'document') { m.document = { file_name: u.text + '.pdf', ...(u.no % 2 ? { thumb: { file_id: 'th' + u.no } } : {}) }; if (u.no % 3 === 0) m.caption = 'see “this”'; }
  if (u.fwd === 'user') m.forward_from = PEOPLE.bo;
  if (u.fwd === 'hidden') m.forward_sender_name = 'Zoë Hidden';
  if (u.fwd === 'chat') m.forward_from_chat = { id: -5, type: 'channel', ...(u.no % 2 ? { title: 'News & more' } : {}) };
  return extra(m);
};
const update = (u, extra) => ({ update_id: u.id, ...(u.kind === 'button' ? { callback_query: { id: 'q' + u.no, data: u.data, from: PEOPLE[u.who] } } : { [u.kind === 'edit' ? 'edited_message' : 'message']: message(u, extra) }) });
const list = (f, q, shape) => f.updates.filter((u) => u.id >= q.body.offset).map(shape);
const modern = (m) => {
  const { forward_from, forward_from_chat, forward_sender_name, ...o } = m;
  const made = forward_from ? { type: 'user', sender_user: forward_from } : forward_sender_name ? { type: 'hidden_user', sender_user_name: forward_sender_name } : forward_from_chat ? { type: 'channel', chat: forward_from_chat } : null;
  if (o.document?.thumb) o.document = { file_name: o.document.file_name, thumbnail: o.document.thumb };
  return { ...o, ...(made ? { forward_origin: made } : {}) };
};
export default {
  source: 'https://github.com/php-telegram-bot/core/issues/1442, https://github.com/pengrad/java-telegram-bot-api/issues/360 and https://github.com/nonebot/adapter-telegram/pull/26 (all opened): four members about forwarded messages became one forward_origin of several kinds, and thumb is thumbnail',
  says: 'Make tasks of the messages that I send to my bot',
  facts: (day, r) => ({
    updates: r.many(day === 6 ? 0 : 1, 5, (i) => ({ id: 1000 * (day + 1) + i, no: day * 10 + i, kind: r.pick(['message', 'message', 'edit', 'button']), who: r.pick(Object.keys(PEOPLE)), chat: r.pick(['private', 'private', 'group', 'channel']), has: r.pick(['text', 'text', 'document', 'sticker']), text: r.pick(['Buy milk\nand bread', 'Größe messen', '電話', 'x'.repeat(70)]), fwd: r.pick([null, 'user', 'hidden', 'chat']), data: r.pick(['done:m12', 'done:m3', 'later:m4']), at: Date.UTC(2026, 3, day + 1, i) / 1000 })),
  }),
  api: { [U]: (f, q) => ({ ok: true, result: list(f, q, (u) => update(u)) }), [A]: () => ({ ok: true, result: true }), 'POST https://tasks.example/v1/tasks': (f, q) => ({ id: q.id }), 'PATCH https://tasks.example/v1/tasks/:ref': () => ({}) },
  changes: [{
    name: 'origin-and-thumbnail',
    happened: 'forward_from, forward_sender_name and forward_from_chat became forward_origin with a type, and thumb of a document is thumbnail',
    tells: [['forward_origin', 'forward', 'thumbnail', 'thumb']],
    api: { [U]: (f, q) => ({ ok: true, result: list(f, q, (u) => update(u, modern)) }) },
    right: {
      'in place': [['  return null;\n}', "  const o = (m as any).forward_origin;\n  if (o) return o.sender_user ? who(o.sender_user) : o.sender_user_name ?? o.chat.title ?? 'a channel';\n  return null;\n}"], ['m.document.thumb?.file_id ?? null', '(m.document.thumb ?? (m.document as any).thumbnail)?.file_id ?? null']],
      'made old': [['const from = origin(m);', "const { forward_origin: o, document: d } = m as any;\n  if (o) Object.assign(m, { forward_from: o.sender_user, forward_sender_name: o.sender_user_name, forward_from_chat: o.chat });\n  if (d?.thumbnail) d.thumb = d.thumbnail;\n  const from = origin(m);"]],
      'by type': [['m.document.thumb?.file_id ?? null', "[m.document.thumb, (m.document as any).thumbnail].find(Boolean)?.file_id ?? null"], ['  if (m.forward_from) return', "  const { forward_origin: made } = m as { forward_origin?: any };\n  switch (made?.type) {\n    case 'user': return who(made.sender_user);\n    case 'hidden_user': return made.sender_user_name;\n    case 'chat': case 'channel': return made.chat.title || 'a channel';\n  }\n  if (m.forward_from) return"]],
    },
    wrong: {
      'people only': [['  return null;\n}', "  const o = (m as any).forward_origin;\n  if (o?.sender_user) return who(o.sender_user);\n  return null;\n}"], ['m.document.thumb?.file_id ?? null', '(m.document.thumb ?? (m.document as any).thumbnail)?.file_id ?? null']],
      'no previews': [['  return null;\n}', "  const o = (m as any).forward_origin;\n  if (o) return o.sender_user ? who(o.sender_user) : o.sender_user_name ?? o.chat.title ?? 'a channel';\n  return null;\n}"]],
      'the type for the name': [['  return null;\n}', "  const o = (m as any).forward_origin;\n  return o ? o.type : null;\n}"], ['m.document.thumb?.file_id ?? null', '(m.document.thumb ?? (m.document as any).thumbnail)?.file_id ?? null']],
      'first names only': [['  return null;\n}', "  const o = (m as any).forward_origin;\n  if (o) return o.sender_user?.first_name ?? o.sender_user_name ?? o.chat.title ?? 'a channel';\n  return null;\n}"], ['m.document.thumb?.file_id ?? null', '(m.document.thumb ?? (m.document as any).thumbnail)?.file_id ?? null']],
    },
  }, {
    name: 'kinds-by-type',
    happened: 'an update has type and payload in place of a member for each kind, result is below updates, and update_id is called id and a text',
    tells: [['type', 'payload', 'update_id', 'updates']],
    api: { [U]: (f, q) => ({ ok: true, result: { updates: list(f, q, (u) => { const { update_id, ...o } = update(u); const [[type, payload]] = Object.entries(o); return { id: String(update_id), type, payload }; }), pending: 0 } }) },
    right: {
      'made old': [["const updates = await call<Update[]>('getUpdates', { offset, limit: 20 }, 'read');", "const given = await call<any>('getUpdates', { offset, limit: 20 }, 'read');\n  const updates: Update[] = (given.updates ?? given).map((u: any) => (u.type ? { update_id: Number(u.id), [u.type]: u.payload } : u));"]],
      'in each place': [["const updates = await call<Update[]>('getUpdates', { offset, limit: 20 }, 'read');", "const result = await call<any>('getUpdates', { offset, limit: 20 }, 'read');\n  const updates: any[] = Array.isArray(result) ? result : result.updates;"], ['update.update_id + 1', '(update.update_id ?? Number(update.id)) + 1'], ["'callback_query' in update)", "'callback_query' in update || update.type === 'callback_query')"], ['= update.callback_query;', '= update.callback_query ?? update.payload;'], ["'edited_message' in update;", "'edited_message' in update || update.type === 'edited_message';"], ['edited ? update.edited_message : update.message', 'update.payload ?? (edited ? update.edited_message : update.message)'], ['handle(update: Update)', 'handle(update: any)']],
      'in call': [['return answer.result;', "const list = (answer.result as any)?.updates;\n  if (!list) return answer.result;\n  const old: unknown[] = [];\n  for (const { id, type, payload } of list) old.push({ update_id: parseInt(id, 10), [type]: payload });\n  return old as T;"]],
    },
    wrong: {
      'none': [["const updates = await call<Update[]>('getUpdates', { offset, limit: 20 }, 'read');", "const given = await call<any>('getUpdates', { offset, limit: 20 }, 'read');\n  const updates: Update[] = Array.isArray(given) ? given : [];"]],
      'the offset as a text': [["const updates = await call<Update[]>('getUpdates', { offset, limit: 20 }, 'read');", "const given = await call<any>('getUpdates', { offset, limit: 20 }, 'read');\n  const updates: Update[] = (given.updates ?? given).map((u: any) => (u.type ? { update_id: u.id, [u.type]: u.payload } : u));"]],
      'edits are new': [["const updates = await call<Update[]>('getUpdates', { offset, limit: 20 }, 'read');", "const given = await call<any>('getUpdates', { offset, limit: 20 }, 'read');\n  const updates: Update[] = (given.updates ?? given).map((u: any) => (u.type ? { update_id: Number(u.id), [u.type === 'callback_query' ? u.type : 'message']: u.payload } : u));"]],
      'buttons left out': [["const updates = await call<Update[]>('getUpdates', { offset, limit: 20 }, 'read');", "const given = await call<any>('getUpdates', { offset, limit: 20 }, 'read');\n  const updates: Update[] = (given.updates ?? given).filter((u: any) => u.type !== 'callback_query').map((u: any) => (u.type ? { update_id: Number(u.id), [u.type]: u.payload } : u));"]],
    },
  }, {
    name: 'times-and-names',
    happened: 'date is an ISO text, names are below name as first and last, and username begins with @',
    tells: [['date', 'name', 'first_name', 'username']],
    api: { [U]: (f, q) => { const person = (p) => { const { first_name, last_name, username, id } = p; return { id, name: { first: first_name, last: last_name ?? null }, ...(username ? { username: '@' + username } : {}) }; }; return { ok: true, result: list(f, q, (u) => { const o = update(u, (m) => ({ ...m, from: person(m.from), ...(m.forward_from ? { forward_from: person(m.forward_from) } : {}), date: new Date(m.date * 1000).toISOString() })); if (o.callback_query) o.callback_query.from = person(o.callback_query.from); return o; }) }; } },
    right: {
      'in place': [['({ first_name, last_name, username }: User)', '({ name, first_name = name?.first, last_name = name?.last, username }: any)'], [' (@${username})', " (@${username.replace('@', '')})"], ['new Date(m.date * 1000)', "new Date(typeof m.date === 'string' ? m.date : m.date * 1000)"]],
      'made old': [['const from = origin(m);', "const plain = (p: any) => (p?.name ? { first_name: p.name.first, last_name: p.name.last ?? undefined, username: p.username?.slice(1) } : p);\n  m.from = plain(m.from);\n  m.forward_from = plain(m.forward_from);\n  if (typeof m.date === 'string') m.date = Date.parse(m.date) / 1000;\n  const from = origin(m);"]],
      'two functions': [['new Date(m.date * 1000)', 'new Date(Number(m.date) * 1000 || m.date)'], ['const who = (', "const who = (u: any): string => (u.name ? modern(u) : classic(u));\n\nconst modern = ({ name: { first, last }, username }: any) => (last ? `${first} ${last}` : first) + (username ? ` (${username})` : '');\n\nconst classic = ("]],
    },
    wrong: {
      'first names': [['({ first_name, last_name, username }: User)', '({ name, first_name = name?.first, last_name, username }: any)'], [' (@${username})', " (@${username.replace('@', '')})"], ['new Date(m.date * 1000)', "new Date(typeof m.date === 'string' ? m.date : m.date * 1000)"]],
      'two signs': [['({ first_name, last_name, username }: User)', '({ name, first_name = name?.first, last_name = name?.last, username }: any)'], ['new Date(m.date * 1000)', "new Date(typeof m.date === 'string' ? m.date : m.date * 1000)"]],
      'in 1970': [['({ first_name, last_name, username }: User)', '({ name, first_name = name?.first, last_name = name?.last, username }: any)'], [' (@${username})', " (@${username.replace('@', '')})"], ['new Date(m.date * 1000)', 'new Date((Number(m.date) || 0) * 1000)']],
    },
  }],
};
