const TOP = 'GET https://news.example/v0/topstories.json', ITEM = 'GET https://news.example/v0/item/:file', USER = 'GET https://news.example/v0/user/:file';
const of = (i) => ({ id: i.id, type: i.type, by: i.by, score: i.score, time: 1772000000 + i.id, title: i.title, ...(i.url ? { url: i.url } : {}), ...(i.kids.length ? { kids: i.kids } : {}) });
const item = (make) => (f, q) => { const i = f.items.find((one) => `${one.id}.json` === q.params.file); return make(i, f); };
const user = (u) => ({ id: u, karma: { ada: 12000, bo: 40, chen: 999, dora: 1000 }[u] ?? 1 });
const LOAD = "ids.slice(0, top).map((id) => read(`item/${id}`))";
const FILTER = '.filter((item) => item.type';
// Taken down are items that no day's end shows: the other types.
const gone = (i) => i.type !== 'story';
export default {
  source: 'https://github.com/agno-agi/agno/issues/7352 and https://github.com/GuillaumeBiton/HackerNews7/issues/20: an item that was taken down is answered as null, and jobs may have no author',
  says: 'Tell the reading room of new good stories.',
  facts: (day, r) => ({ items: day === 5 ? [] : r.many(3, 8, (i) => ({ id: 400 + day * 4 + i, type: r.pick(['story', 'story', 'story', 'job', 'poll']), by: r.pick(['ada', 'bo', 'chen', 'dora']), score: r.int(5, 220), title: r.pick(['Show: a loom', 'Why Go?', 'Über Compiler', 'データベース']), url: r.pick([null, 'https://www.loom.example/a?b=1', 'http://blog.example/x', 'https://papers.example']), kids: r.many(0, 3, (k) => 9000 + k) })) }),
  api: { [TOP]: (f) => f.items.map((i) => i.id), [ITEM]: item(of), [USER]: (f, q) => user(q.params.file.slice(0, -5)), 'POST https://chat.example/hooks/reading': { ok: true } },
  changes: [{
    name: 'null-items',
    happened: 'an item that was taken down is null; jobs and polls are taken down',
    tells: ['null', ['item', 'type']],
    api: { [ITEM]: item((i) => (gone(i) ? null : of(i))) },
    right: {
      'optional': [['item.type ===', 'item?.type ===']],
      'left out': [[FILTER, '.filter((item) => item !== null)\n  ' + FILTER]],
      'flat': [[`(await Promise.all(${LOAD}))`, `(await Promise.all(${LOAD})).flatMap((item) => item ?? [])`]],
    },
    wrong: {
      'all or nothing': [[`(await Promise.all(${LOAD}))`, `(await Promise.all(${LOAD}).then((list) => (list.includes(null) ? [] : list)))`]],
      'up to the first null': [[`(await Promise.all(${LOAD}))`, `(await Promise.all(${LOAD}).then((list) => (list.includes(null) ? list.slice(0, list.indexOf(null)) : list)))`]],
      'a story in its place': [['=> read(`item/${id}`)', "=> read(`item/${id}`).then((item) => item ?? { id, type: 'story', by: 'bo', score: atLeast, title: '(gone)' })"]],
      'caught': [['const stories = (await', 'let stories = [];\ntry { stories = (await'], ['a.id - b.id);', 'a.id - b.id); } catch (e) { console.error(String(e)); }']],
    },
  }, {
    name: 'objects',
    happened: 'topstories is an object with items, each with an id; by is an object with the karma of its author, kids is a number, users are not there any more',
    tells: ['topstories', ['by', 'kids', 'items']],
    api: { [TOP]: (f) => ({ items: f.items.map((i) => ({ id: i.id, rank: 1 })) }), [ITEM]: item((i) => ({ ...of(i), by: { name: i.by, karma: user(i.by).karma }, kids: i.kids.length })), [USER]: { $status: 410, $body: { error: 'gone' } } },
    right: {
      'at each place': [
        ["await read('topstories');", "await read('topstories').then((t) => t.items?.map((i) => i.id) ?? t);"],
        ['(s.kids ?? []).length', "(typeof s.kids === 'number' ? s.kids : (s.kids ?? []).length)"],
        ['for (const { by } of stories) {', 'for (const s of stories) {\n  const by = s.by.name ?? s.by;\n  const { karma } = s.by;'], ['const user = await read(`user/${by}`);', 'const user = karma === undefined ? await read(`user/${by}`) : { karma };'],
        ['authors[s.by]', 'authors[s.by.name ?? s.by]'],
      ],
      'made old': [
        ["await read('topstories');", "await read('topstories').then((list) => (Array.isArray(list) ? list : list.items.map(({ id }) => id)));\nconst karma = {};\nconst old = (item) => {\n  if (typeof item.by === 'string') return item;\n  karma[item.by.name] = item.by.karma;\n  return { ...item, by: item.by.name, kids: Array(item.kids).fill(0) };\n};"],
        ['=> read(`item/${id}`)', '=> read(`item/${id}`).then(old)'], ['await read(`user/${by}`)', '(by in karma ? { karma: karma[by] } : await read(`user/${by}`))'],
      ],
      'helpers': [
        ["await read('topstories');", "[await read('topstories')].flat().flatMap((t) => t.items ?? t).map((t) => t.id ?? t);\nconst nameOf = (by) => (by.name ? by.name : by);\nconst threads = (kids = []) => (Array.isArray(kids) ? kids.length : kids);\nconst userOf = (by) => (by.name ? by : read(`user/${by}`));"],
        ['(s.kids ?? []).length', 'threads(s.kids)'], ['if (by in authors)', 'const name = nameOf(by);\n  if (name in authors)'], ['await read(`user/${by}`)', 'await userOf(by)'],
        ['authors[by] = user.karma >= 1000 ? by : `${by} (', 'authors[name] = user.karma >= 1000 ? name : `${name} ('], ['authors[s.by]', 'authors[nameOf(s.by)]'],
      ],
    },
    wrong: {
      'no threads': [["await read('topstories');", "await read('topstories').then((t) => t.items?.map((i) => i.id) ?? t);"], ['(s.kids ?? []).length', '(s.kids?.length ?? 0)'], ['for (const { by } of stories) {', 'for (const s of stories) {\n  const by = s.by.name ?? s.by;\n  const { karma } = s.by;'], ['const user = await read(`user/${by}`);', 'const user = karma === undefined ? await read(`user/${by}`) : { karma };'], ['authors[s.by]', 'authors[s.by.name ?? s.by]']],
      'no karma': [["await read('topstories');", "await read('topstories').then((t) => t.items?.map((i) => i.id) ?? t);"], ['(s.kids ?? []).length', "(typeof s.kids === 'number' ? s.kids : (s.kids ?? []).length)"], ['for (const { by } of stories) {', 'for (const s of stories) {\n  const by = s.by.name ?? s.by;'], ['await read(`user/${by}`)', 'await read(`user/${by}`).catch(() => ({ karma: 0 }))'], ['authors[s.by]', 'authors[s.by.name ?? s.by]']],
      'no stories': [['ids.slice(0, top)', '(ids.slice ? ids : []).slice(0, top)']],
      'the same name for all': [["await read('topstories');", "await read('topstories').then((t) => t.items?.map((i) => i.id) ?? t);"], ['(s.kids ?? []).length', "(typeof s.kids === 'number' ? s.kids : (s.kids ?? []).length)"], ['await read(`user/${by}`)', '(by.name ? by : await read(`user/${by}`))'], ['authors[by] = user.karma >= 1000 ? by : `${by} (', 'authors[by] = user.karma >= 1000 ? by.name ?? by : `${by.name ?? by} (']],
    },
  }, {
    name: 'votes',
    happened: 'score is votes with up and down, ids of items are texts',
    tells: ['score', 'votes'],
    api: { [ITEM]: item((i) => { const { score, ...rest } = of(i); return { ...rest, id: String(i.id), votes: { up: score + 3, down: 3 } }; }) },
    right: {
      'made old': [['=> read(`item/${id}`)', '=> read(`item/${id}`).then(({ votes, ...item }) => ({ ...item, id: Number(item.id), score: votes ? votes.up - votes.down : item.score }))']],
      'the id that was asked for': [['=> read(`item/${id}`)', '=> read(`item/${id}`).then((item) => ({ score: item.votes && item.votes.up - item.votes.down, ...item, id }))']],
      'helpers': [['const stories =', 'const scoreOf = ({ score, votes }) => score ?? votes.up - votes.down;\nconst stories ='], ['item.score', 'scoreOf(item)'], ['told.has(item.id)', 'told.has(+item.id)'], ['b.score - a.score', 'scoreOf(b) - scoreOf(a)'], ['${s.score}', '${scoreOf(s)}'], ['told.add(s.id)', 'told.add(+s.id)'], ['told: stories.map((s) => s.id)', 'told: stories.map((s) => +s.id)']],
    },
    wrong: {
      'only up': [['=> read(`item/${id}`)', '=> read(`item/${id}`).then((item) => ({ ...item, id: +item.id, score: item.score ?? item.votes.up }))']],
      'ids stay': [['=> read(`item/${id}`)', '=> read(`item/${id}`).then((item) => ({ ...item, score: item.score ?? item.votes.up - item.votes.down }))']],
      'all are good': [['item.score >= atLeast', '!(item.score < atLeast)'], ['=> read(`item/${id}`)', '=> read(`item/${id}`).then((item) => ({ ...item, id: +item.id }))']],
      'only ids': [['=> read(`item/${id}`)', '=> read(`item/${id}`).then((item) => ({ ...item, id: +item.id }))']],
    },
  }],
};
