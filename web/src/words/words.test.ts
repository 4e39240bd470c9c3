import { placesOf } from './reach';
import { describe, expect, it } from 'vitest';
import { readEvents, type ServerEvent } from '../api/sse';
import { joined } from '../api/list';
import { concerns, concernsOf } from '../api/live';
import { answersTo, columnsOf, span, terminalText, undoOf } from './agents';
import type { Fix, RunDetail } from '../api/types';
import { readReference } from '../ui/script/host';
import { rowsOf } from './notify';
import { pickedOf, specOf } from './cron';
import { inWords, middle, readUnified, sideBySide } from './diff';
import { excerpt, jsonLines } from './lines';
import { opening, proofCells, proofInWords, worldChanges } from './story';
import { callsInWords, refusedInWords, withoutCommands } from './refusal';
import { differenceInWords } from './runs';
import { comparedStates } from './states';
import { standing, successRate, withShortIds } from './status';
import { byDay, byWorkflow } from './usage';
import { ago, inDays, length, onDay, size, soon } from './time';

describe('moments', () => {
  const now = new Date('2026-03-04T12:00:00');
  it.each([
    [0, 'just now'], [-59, 'just now'], [-60, '1 minute ago'], [-3599, '59 minutes ago'], [-3600, '1 hour ago'], [-86_400, 'yesterday'], [7200, 'in 2 hours'],
  ])('%d s from now is %j', (seconds, words) => expect(ago(new Date(now.getTime() + seconds * 1000), now)).toBe(words));

  it('names days by how far they are', () => {
    expect(onDay(new Date('2026-03-04T00:00:01'), now)).toBe('Today');
    expect(onDay(new Date('2026-03-03T23:59:59'), now)).toBe('Yesterday');
    expect(onDay(new Date('2026-03-01T12:00:00'), now)).toBe('On Sunday');
    expect(onDay(new Date('2026-02-01T12:00:00'), now)).toBe('On Sunday 1 February');
  });

  it('says lengths and sizes', () => {
    expect([length(19), length(2400), length(65_000), length(7_800_000)]).toEqual(['19 ms', '2.4 s', '1 min 5 s', '2 h 10 min']);
    expect([size(812), size(4100), size(2_500_000)]).toEqual(['812 B', '4.1 kB', '2.5 MB']);
  });
});

describe('a diff', () => {
  const diff = '--- 1.0\n+++ fix\n@@ -3,4 +3,5 @@ function a\n same\n-old one\n+new one\n+more\n same\n@@ -20,1 +21,1 @@\n end\n';
  it('keeps the numbers of both sides', () => {
    const lines = readUnified(diff);
    expect(lines.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['same', 3, 3], ['del', 4, undefined], ['add', undefined, 4], ['add', undefined, 5], ['same', 5, 6], ['gap', undefined, undefined], ['same', 20, 21],
    ]);
    expect(inWords(lines)).toBe('2 lines added, 1 line removed');
  });
  it('puts what came beside what went', () => {
    expect(sideBySide(readUnified(diff)).map(([a, b]) => [a?.text, b?.text])).toEqual([
      ['same', 'same'], ['old one', 'new one'], [undefined, 'more'], ['same', 'same'], ['', ''], ['end', 'end'],
    ]);
  });
  it('takes lines that look like marks for lines', () => {
    expect(readUnified('--- a\n+++ b\n@@ -1 +1 @@\n---- x\n+@@ -9 +9 @@\n').map(({ kind, text }) => [kind, text])).toEqual([['del', '--- x'], ['add', '@@ -9 +9 @@']]);
  });
  it('finds where two lines part', () => {
    expect(middle('input.name.trim()', "(input.name ?? '').trim()")).toEqual({ start: 0, endA: 10, endB: 18 });
    expect(middle('aa', 'aaa')).toEqual({ start: 2, endA: 2, endB: 3 });
  });
});

describe('what the world changed', () => {
  it('shows what stands around it', () => {
    const value = { list: Array.from({ length: 50 }, (_, i) => ({ id: i })), price: 3 };
    const shown = excerpt(jsonLines(value), (path) => path === 'price', 1);
    expect(shown.map((line) => (line === 'gap' ? '…' : `${line.marked ? '*' : ' '}${line.text}`))).toEqual(['…', '   ],', '*  "price": 3', ' }']);
  });
});

const run = (calls: RunDetail['calls'], more: Partial<RunDetail> = {}) => ({ input: {}, calls, ...more }) as RunDetail;
const failure = (message: string, stack = '') => ({ class: 'logic', name: 'TypeError', message, stack, loose: '', strict: '' });

describe('the story of a fix', () => {
  const fix = {
    workflow_title: 'Orders', comment: 'price is read from cost', state: 'held', proposed: '2026-03-04T09:00:00Z',
    verification: { verdict: 'different', failing_run: 'succeeded', replayed: 3, identical: 1, excluded: 0, missing: 0, runs: ['a', 'b', 'c'], diverges: 'b', unverified: ['c'], gate_version: 'g', certificate: '' },
  } as unknown as Fix;
  const ask = (result: string | object) => [{ seq: 1, tool: 'web.getJSON', args: ['https://shop.example/o/7?x=1'], effect: 'read', returned: true, result }] as never;

  it('begins with what the world changed, from facts', () => {
    const changed = { of: 'web.getJSON shop.example/o/*', host: 'shop.example', read: 'GET shop.example/o/*', call: 1, path: 'price', how: 'gone', says: 'price is gone (it was number 1)' };
    const failed = run(ask({ cost: 1 }), { changed: [changed, { ...changed, path: 'cost', how: 'new', says: 'cost is new (number 1)' }], ended: '2026-03-04T08:00:00', failure: failure('x') });
    const world = worldChanges(run(ask({ price: 1 })), failed);
    expect(world.map(({ before, after }) => ({ before, after }))).toEqual([{ before: { price: 1 }, after: { cost: 1 } }]);
    expect(opening(fix, failed, world, new Date('2026-03-04T12:00:00'))).toBe(
      'Today shop.example answered otherwise: price is gone (it was number 1). So a run of Orders failed: the script does not fit what it was given.',
    );
    expect(worldChanges(undefined, failed)[0]).toMatchObject({ call: 'GET shop.example/o/*', before: undefined });
  });
  it('has a cell for each recorded run, and counts them in words', () => {
    expect(proofCells(fix).map((cell) => cell.tone)).toEqual(['good', 'bad', 'warn']);
    expect(proofInWords(fix)).toBe('1 of 3 recorded successes come out the same with it.');
  });
});

describe('live events', () => {
  const read = async (...chunks: string[]) => {
    const body = new ReadableStream<Uint8Array>({
      start(to) {
        chunks.forEach((chunk) => to.enqueue(new TextEncoder().encode(chunk)));
        to.close();
      },
    });
    const events: ServerEvent[] = [];
    for await (const event of readEvents(body)) events.push(event);
    return events;
  };
  it('are read however they are cut', async () => {
    expect(await read('retry: 1000\nid: 07\n\nid: 08\nevent: X\nda', 'ta: {"a":', '1}\n', '\n: alive\n\nid: 09\ndata: cut off')).toEqual([
      { id: '07', type: '', data: '' }, { id: '08', type: 'X', data: '{"a":1}' }, { id: '', type: '', data: '' },
    ]);
  });
  it('make only those answers old that they concern', () => {
    const keys = [['workflow', 'w1', 'runs'], ['workflow', ['w1', 'w2'], 'recent'], ['workflow', 'w2'], ['notifications'], ['fixed', 'w1'], ['run', 'r'], ['run', 'other'], ['recorded']];
    const after = (event: object | string) => keys.map((key) => concerns(key, new Set(concernsOf(typeof event === 'string' ? event : JSON.stringify(event)))));
    expect(after({ workflow: 'w1', stream: 'workflow-w1', type: 'FixHeld' })).toEqual([true, true, false, true, false, true, true, true]);
    expect(after({ workflow: 'w1', stream: 'run-r', type: 'ToolReturned' })).toEqual([false, false, false, false, false, true, false, true]);
    expect(after('no JSON')).toEqual([true, true, true, true, false, true, true, true]);
  });
});

it('shortens the ids of a text to their ends', () => expect(withShortIds('run 6e5b53e4-5d0d-52d4-be9f-04cf7a2cb74e on version 1.0')).toBe('run …7a2cb74e on version 1.0'));

it('says no rate of runs that were not', () => expect(successRate({ succeeded: 0, failed: 0 })).toBe('none ended yet'));
it('says where a workflow stands: on, until when it tries again, what it waits for', () => {
  const at = new Date(2026, 10, 28, 14, 5).toISOString();
  const stands = (status: string, agent: string, retrying: { run: string; at: string }[] = []) => standing({ status, agent, retrying } as never).word;
  expect(stands('active', 'retrying', [{ run: 'later', at: new Date(2026, 10, 28, 15).toISOString() }, { run: 'next', at }])).toBe('Tries again at 14:05');
  expect([stands('active', 'idle'), stands('active', 'running'), stands('active', 'waiting_for_you'), stands('held', 'retrying'), stands('active', 'trying')])
    .toEqual(['On', 'On', 'Asks you', 'Fix waits for you', 'Waits for access']);
});
it('never rounds up to all', () => expect(successRate({ succeeded: 999, failed: 1 })).toBe('99 %'));
it('makes one row of one cause, and puts first what costs most to wait for', () => {
  const notice = (id: string, type: string, run?: string) => ({ id, type, run, workflow: 'w', at: id }) as never;
  const rows = rowsOf([notice('1', 'draft'), notice('2', 'fix_waiting'), notice('3', 'escalated', 'r'), notice('4', 'unfinished', 'r'), notice('5', 'unfinished', 'other'), notice('6', 'in_doubt', 'r')]);
  expect(rows.map((row) => row.map(({ id }) => id))).toEqual([['6'], ['3', '4'], ['5'], ['2'], ['1']]);
});
it('knows the calls of a script from the reference', () =>
  expect(readReference('- `kv.get(key)` (read): The value.\n- other\n')).toEqual([{ name: 'kv.get', about: 'kv.get(key) (read): The value.' }]));
it('shows of two states what differs, and of what is kept nothing else', () =>
  expect(
    comparedStates(
      { status: 'draft', version: '1.0', sha256: 'a', settings: { budget: 3, guard: 'off' }, local: { kv: { n: 1, same: 2 }, files: {} }, unconfirmed: [] },
      { status: 'held', version: '1.0', sha256: 'b', settings: { budget: 3 }, local: { kv: { n: 2, same: 2 }, files: { 'a.txt': { text: 'x', modified_ms: 1 } } }, unconfirmed: [] },
    ).map(({ name, same }) => `${same ? ' ' : '*'}${name}`),
  ).toEqual(['*status', ' version', '*setting guard', '*key n', '*file a.txt']));

describe('pages of a list', () => {
  const page = (...ids: string[]) => ({ items: ids.map((id) => ({ id })) });
  const id = (one: { id: string }) => one.id;
  const ids = (rows: { all: { id: string }[] }) => rows.all.map(id).join('');
  it('are joined, what two of them have once', () => expect(ids(joined([page('a', 'b'), page('b', 'c')], id))).toBe('abc'));
  it('are joined alike, whether they came together or one by one, and whatever changed', () => {
    const first = page('a', 'b');
    let rows = joined([first], id);
    expect(joined([first], id, rows)).toBe(rows);
    const [second, third] = [page('b', 'c', 'd'), page('e')];
    rows = joined([first, second, third], id, joined([first, second], id, rows));
    expect(ids(rows)).toBe('abcde');
    const again = page('b', 'c', 'd'); // the same ids, other rows
    rows = joined([first, again, third], id, rows);
    expect(ids(rows)).toBe('abcde');
    expect(rows.all[3]).toBe(again.items[2]);
    expect(ids(joined([page('b', 'a'), page('d', 'c', 'f'), third], id, rows))).toBe('badcfe');
    expect(ids(joined([first, again], id, rows))).toBe('abcd');
  });
});

it('says when something will be, as people do', () => {
  const now = new Date(2026, 2, 3, 10, 0);
  const at = (day: number) => soon(new Date(2026, 2, day, 9, 5), now);
  expect([at(3), at(4), at(7), at(20)]).toEqual(['today at 09:05', 'tomorrow at 09:05', 'on Saturday at 09:05', 'on Fri 20 Mar, 09:05']);
});

describe('usage', () => {
  const day = (workflow: string, on: string, runs: number) => ({ workflow, workflow_title: workflow, day: on, owner: 'o', runs, failed: 0, run_ms: runs, calls: 0, tokens: 0, micros: 0 });
  const days = [day('a', '2026-02-28', 1), day('b', '2026-02-28', 2), day('a', '2026-03-02', 4)];
  it('has every day, also those without', () =>
    expect(byDay(days, '2026-02-28', '2026-03-02', 'runs')).toEqual([{ day: '2026-02-28', value: 3 }, { day: '2026-03-01', value: 0 }, { day: '2026-03-02', value: 4 }]));
  it('sums what a workflow used, and changes nothing that it was given', () => {
    expect(byWorkflow(days).map(({ workflow, runs }) => [workflow, runs])).toEqual([['a', 5], ['b', 2]]);
    expect(days[0]!.runs).toBe(1);
  });
});

describe('what a script reaches', () => {
  it('is told by place, reads apart from writes, hosts first', () => {
    const { reads, writes } = placesOf({
      workflow: 'w', runs: 3,
      reached: [
        { tool: 'kv.get', target: 'told', effect: 'read', runs: 3, calls: 3, failed: 0 },
        { tool: 'web', host: 'api.example.com', effect: 'read', runs: 3, calls: 9, failed: 1 },
        { tool: 'kv.set', target: 'told', effect: 'write', runs: 2, calls: 2, failed: 0 },
        { tool: 'kv.delete', target: 'old', effect: 'write', runs: 1, calls: 1, failed: 0 },
        { tool: 'notify', effect: 'write', runs: 2, calls: 2, failed: 0 },
      ],
    });
    expect(reads.map((one) => [one.name, one.says])).toEqual([['api.example.com', '9 times in each of 3 runs, 1 failed'], ['its own key told', '3 times in each of 3 runs']]);
    expect(writes.map((one) => [one.name, one.says])).toEqual([['its own keys', '3 times in 2 of 3 runs'], ['a message to you', '2 times in 2 of 3 runs']]);
  });
});

describe('coding agents', () => {
  it('stand behind all that they need', () => {
    const jobs = [{ id: 'c', needs: ['a', 'b'] }, { id: 'a' }, { id: 'b', needs: ['a'] }, { id: 'd', needs: ['gone'] }];
    expect(columnsOf(jobs).map((column) => column.map((job) => job.id))).toEqual([['a', 'd'], ['b'], ['c']]);
    expect(columnsOf([{ id: 'a', needs: ['b'] }, { id: 'b', needs: ['a'] }]).flat()).toHaveLength(2);
  });

  it('are drawn where they lie in time, and never too small to be seen', () => {
    expect(span(50, 100, 0, 100)).toEqual({ left: 50, width: 50 });
    expect(span(100, 100, 0, 100)).toEqual({ left: 99.2, width: 0.8 });
    expect(span(0, 0, 0, 0)).toEqual({ left: 0, width: 0.8 });
  });

  it('write text, whatever a terminal would make of it', () => {
    expect(terminalText('\u001b[1;31mred\u001b[0m\r\n10%\r50%\r100%\n\u001b]0;title\u0007end')).toBe('red\n100%\nend');
    expect(terminalText('a\r\nb\r')).toBe('a\nb');
  });

  it('can be answered with what makes sense', () => {
    expect(answersTo({ kind: 'touchset', attempt: 1 })).toEqual(['accept', 'relaunch', 'retry']);
    expect(answersTo({ kind: 'test_failure', attempt: 2 })).toEqual(['relaunch', 'retry']);
    expect(answersTo({ kind: 'job_failed', attempt: 0 })).toEqual(['retry']);
  });

  it('are mended by what can be undone', () => {
    const second = { healing: 1, cast: 2 };
    const files = { ...second, undo: { kind: 'restore_files', ref: 'refs/x' } };
    expect(undoOf(files, 's').command).toBe('kintsugi healer undo s 1.2');
    expect(undoOf({ ...files, undone: '2026-01-02T03:04:05Z' }, 's')).toEqual({ words: 'It was undone' });
    expect(undoOf({ ...second, undo: { kind: 'unblock' } }, 's', "it's").command).toBe("kintsugi healer unblock s --subtask 'it'\\''s'");
    expect(undoOf({ ...second, undo: { kind: 'nothing' } }, 's').command).toBeUndefined();
  });

  it('make old what is asked about them, and no workflow', () => {
    const seen = new Set(concernsOf('{"stream":"plan-p1"}'));
    expect([['plan', 'p1'], ['plan', 'p2'], ['workflow', 'w'], ['plans'], ['fixed', 'diff']].map((key) => concerns(key, seen))).toEqual([true, false, false, true, false]);
    expect(concerns(['plan', 'p2'], new Set(concernsOf('{"stream":"session-s"}')))).toBe(true);
    expect(concernsOf('{"stream":"admin"}')).toContain('*');
  });
});

describe('what the server says is said without commands', () => {
  it.each([
    ['the input is not what version 1.0 of "Greeting" takes: input.name is missing. \'kintsugi script show "Greeting" --input\' says what it takes', 'the input is not what version 1.0 of "Greeting" takes: input.name is missing.'],
    ["there is no group \"x\": a group is the readers of a subscription, see 'kintsugi subscription list'", 'there is no group "x": a group is the readers of a subscription'],
    ["there is no such plan: see 'kintsugi repo plan list'", 'there is no such plan'],
    ["it goes on, and leaves no room: wait for it, or 'kintsugi run continue r1' tries it now, 'kintsugi run leave r1' gives it up", 'it goes on, and leaves no room: wait for it'],
    ["the token has expired: ask for another one, or make one with 'kintsugi token create'", 'the token has expired: ask for another one'],
    ['it failed: it ended with 1\nHave the agent correct it: kintsugi repo plan relaunch 01 docs --checkpoint 3\nTake it: kintsugi repo plan accept 01', 'it failed: it ended with 1'],
    ['there is no secret "k" that agents may have: kintsugi secret set k --all', 'there is no secret "k" that agents may have'],
    ["'kintsugi run list' shows it.", ''],
    ["it isn't there, and that's all.", "it isn't there, and that's all."],
    ['Nothing. Of no command.\n\nAt all', 'Nothing. Of no command.\n\nAt all'],
  ])('says %j as %j', (text, words) => expect(withoutCommands(text)).toBe(words));
});

it('says of what came too late that somebody was faster, and not by which numbers the server knows', () => {
  const of = (status: number) => refusedInWords({ status, title: 'Precondition Failed', detail: 'workflow-01a2 has gone on: you have seen it at revision 20, it is at 27' });
  expect(of(412)).toBe('Somebody, or Kintsugi itself, went on with it after you had looked.');
  expect(of(409)).toContain('revision 20');
});

it.each([
  [{ what: 'output', path: '$.open', was: '27' }, 'The result at $.open: 27 as recorded, nothing now.'],
  [{ what: 'write', was: 'kv.set("a", 1)' }, 'It no longer writes kv.set("a", 1).'],
  [{ what: 'write', now: 'notify("Done")' }, 'It also writes notify("Done").'],
  [{ what: 'error', now: 'TypeError: x' }, 'It would fail: TypeError: x'],
  [{ what: 'order' }, 'Its writes come in another order.'],
] as const)('says in which way a run comes out otherwise: %j', (one, words) => expect(differenceInWords(one)).toBe(words));

it('groups what happened by its days, in its order', () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();
  expect(inDays([at(28, 9), at(28, 1), at(27, 23)], (one) => one).map(({ day, of }) => [day, of.length])).toEqual([['Saturday 28 November', 2], ['Friday 27 November', 1]]);
});

describe('calls of a script within a text', () => {
  it.each([
    ['the last success came to kv.set("runs", 2), the mended run comes to kv.set("runs", 3)', 'the last success came to "runs" = 2, the mended run comes to "runs" = 3'],
    ['it came to kv.set("km", {"Ride":26,"f":"a(b)"})', 'it came to "km" = {"Ride":26,"f":"a(b)"}'],
    ['came to files.write("a.csv", "payment,charge…, the mended run comes to notify("Hello", "there")', 'came to the file "a.csv" with "payment,charge…, the mended run comes to the message "Hello", "there"'],
    ['nothing of it', 'nothing of it'],
  ])('%s', (text, said) => expect(callsInWords(text)).toBe(said));
});

describe('a schedule that is picked', () => {
  it.each(['0 9 * * *', '30 18 * * 1-5', '15 7 * * 1,4', '0 * * * *', 'every 15m', 'at 2026-03-01 08:00', '0 9 1 * *', '@weekly', '*/5 8-18 * * *'])('%s stays what it is', (spec) => expect(specOf(pickedOf(spec))).toBe(spec));
  it('begins with every day at nine', () => expect(specOf(pickedOf(''))).toBe('0 9 * * *'));
  it('is nothing while something is missing', () => {
    expect(specOf({ ...pickedOf(''), time: '' })).toBe('');
    expect(specOf({ ...pickedOf(''), how: 'weekly', days: [] })).toBe('');
    expect(specOf({ ...pickedOf(''), how: 'once' })).toBe('');
  });
});

describe('where a workflow stands', () => {
  const on = { status: 'active', agent: 'idle' } as const;
  it.each([
    [on, 'on', 'On', 'good'],
    [{ ...on, agent: 'unanswered' }, 'on', 'No answer', 'warn'],
    [{ ...on, agent: 'waiting_for_you' }, 'on', 'Asks you', 'warn'],
    [{ status: 'maintenance', agent: 'mending' }, 'on', 'Being mended', 'gold'],
    [{ status: 'maintenance', agent: 'mending' }, 'off', 'Broken: repairs are stopped', 'bad'],
    [{ status: 'maintenance', agent: 'mending' }, 'capped', 'Broken: repairs are stopped', 'bad'],
  ] as const)('%o while repairs are %s: %s', (one, repairs, word, tone) => {
    const said = standing({ ...one }, repairs);
    expect([said.word, said.tone]).toEqual([word, tone]);
  });
});
