// What an official Node client does against the listener. The addresses come from interop_test.go, which serves one
// log twice: KINTSUGI_WRITABLE for everybody's streams (those that begin with run- are its own), KINTSUGI_READONLY.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";

import { proxy } from "./proxy.mjs";

const writable = process.env.KINTSUGI_WRITABLE;
const readonly = process.env.KINTSUGI_READONLY;
assert.ok(writable && readonly, "run these through: go test ./test/interop");

const timeout = 240_000; // of all tests of a client

// suite tests the client of a package: its class, the scheme of its connection strings, and how it names what an append
// expects of a stream.
export function suite(name, { api, Client, scheme, expected }) {
  describe(name, { timeout }, () => {
    const { BACKWARDS, END, FORWARDS, NO_STREAM, ANY, START, STREAM_EXISTS } = api;
    const connect = (address, more = "") => Client.connectionString(`${scheme}${more}://${address}?tls=false`);
    let client;
    before(() => (client = connect(writable)));
    after(() => client.dispose());

    const stream = () => `node-${randomUUID()}`;
    const events = (n, type = "Tested") => Array.from({ length: n }, (_, i) => api.jsonEvent({ type, data: { i }, metadata: { of: i } }));
    const append = (to, batch, revision) => client.appendToStream(to, batch, revision === undefined ? {} : { [expected]: revision });
    const all = async (read) => {
      const got = [];
      for await (const resolved of read) got.push(resolved.event);
      return got;
    };
    const numbers = async (read) => (await all(read)).map((event) => Number(event.revision));

    test("reads back what it appended", async () => {
      const to = stream();
      const binary = api.binaryEvent({ type: "Binary", data: Uint8Array.of(0, 1, 254, 255), metadata: Uint8Array.of(7) });
      const sent = [...events(2), binary];
      const result = await append(to, sent, NO_STREAM);
      assert.equal(result.nextExpectedRevision, 2n);
      const got = await all(client.readStream(to));
      assert.deepEqual(got.map((event) => event.id), sent.map((event) => event.id));
      assert.deepEqual(got.map((event) => event.type), ["Tested", "Tested", "Binary"]);
      assert.deepEqual(got[1].data, { i: 1 });
      assert.deepEqual(got[1].metadata, { of: 1 });
      assert.deepEqual([...got[2].data], [0, 1, 254, 255]);
      assert.deepEqual([got[1].isJson, got[2].isJson], [true, false]);
      assert.equal(got[0].streamId, to);
      assert.ok(Math.abs(Date.now() - new Date(got[0].created).getTime()) < 3_600_000, `created ${got[0].created}`);
    });

    test("reads a stream both ways, from any revision", async () => {
      const to = stream();
      await append(to, events(5));
      assert.deepEqual(await numbers(client.readStream(to)), [0, 1, 2, 3, 4]);
      assert.deepEqual(await numbers(client.readStream(to, { fromRevision: 3n })), [3, 4]);
      assert.deepEqual(await numbers(client.readStream(to, { maxCount: 2 })), [0, 1]);
      assert.deepEqual(await numbers(client.readStream(to, { direction: BACKWARDS, fromRevision: END })), [4, 3, 2, 1, 0]);
      assert.deepEqual(await numbers(client.readStream(to, { direction: BACKWARDS, fromRevision: 2n, maxCount: 2 })), [2, 1]);
      assert.deepEqual(await numbers(client.readStream(to, { fromRevision: 9n })), []);
    });

    test("is told of a stream that is not there", async () => {
      await assert.rejects(all(client.readStream(stream())), api.StreamNotFoundError);
    });

    test("reads all both ways, from any position", async () => {
      const to = stream();
      await append(to, events(1));
      const result = await append(to, events(3));
      const last = (await all(client.readStream(to, { direction: BACKWARDS, fromRevision: END, maxCount: 1 })))[0];
      assert.deepEqual(last.position, result.position);
      const back = await all(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 3 }));
      assert.deepEqual(back.map((event) => Number(event.revision)), [3, 2, 1]);
      const before = await all(client.readAll({ direction: BACKWARDS, fromPosition: result.position, maxCount: 1 }));
      assert.equal(Number(before[0].revision), 2, "backwards is exclusive");
      const from = await all(client.readAll({ direction: FORWARDS, fromPosition: result.position }));
      assert.equal(from[0].id, last.id, "forwards is inclusive");
      const first = await all(client.readAll({ fromPosition: START, maxCount: 2 }));
      assert.equal(first.length, 2);
    });

    test("expects a stream to be as it says", async () => {
      const to = stream();
      await assert.rejects(append(to, events(1), STREAM_EXISTS), api.WrongExpectedVersionError);
      await assert.rejects(append(to, events(1), 0n), api.WrongExpectedVersionError);
      await append(to, events(2), NO_STREAM);
      await assert.rejects(append(to, events(1), NO_STREAM), (error) => {
        assert.ok(error instanceof api.WrongExpectedVersionError);
        assert.equal(error.actualVersion ?? error.actualState, 1n);
        return true;
      });
      await assert.rejects(append(to, events(1), 0n), api.WrongExpectedVersionError);
      await append(to, events(1), 1n);
      await append(to, events(1), STREAM_EXISTS);
      await append(to, events(1), ANY);
      assert.deepEqual(await numbers(client.readStream(to)), [0, 1, 2, 3, 4]);
    });

    test("may repeat an append", async () => {
      const to = stream();
      const batch = events(3);
      const first = await append(to, batch, NO_STREAM);
      await append(to, events(1), 2n);
      for (const revision of [NO_STREAM, ANY]) assert.deepEqual(await append(to, batch, revision), first);
      assert.deepEqual(await numbers(client.readStream(to)), [0, 1, 2, 3]);
    });

    test("appends many at once", async () => {
      const to = stream();
      const results = await Promise.all(Array.from({ length: 100 }, () => append(to, events(2), ANY)));
      assert.deepEqual(new Set(results.map((result) => Number(result.nextExpectedRevision))).size, 100);
      assert.equal((await numbers(client.readStream(to))).length, 200);
    });

    test("is told that an append is too large", async () => {
      const large = api.binaryEvent({ type: "Large", data: new Uint8Array((1 << 20) + 1) });
      await assert.rejects(append(stream(), large, NO_STREAM), api.MaxAppendSizeExceededError);
    });

    // words collects what a subscription gets; want waits for so many of them.
    const follow = (subscription, words = []) => {
      subscription.on("data", ({ event }) => words.push(`${event.type} ${event.revision}`));
      subscription.on("caughtUp", () => words.push("caught up"));
      subscription.on("error", () => {});
      return async (n) => {
        while (words.length < n) await once(subscription, words.includes("caught up") ? "data" : "caughtUp");
        return words;
      };
    };

    test("subscribes to a stream, before and after it is there", async () => {
      const to = stream();
      const early = client.subscribeToStream(to);
      const wantEarly = follow(early);
      await once(early, "confirmation");
      await wantEarly(1);
      await append(to, events(2));
      assert.deepEqual(await wantEarly(3), ["caught up", "Tested 0", "Tested 1"]);
      const later = client.subscribeToStream(to, { fromRevision: 0n });
      const wantLater = follow(later);
      assert.deepEqual(await wantLater(2), ["Tested 1", "caught up"]);
      await append(to, events(1));
      assert.deepEqual(await wantLater(3), ["Tested 1", "caught up", "Tested 2"]);
      await early.unsubscribe();
      await later.unsubscribe();
    });

    for (const [by, filter] of Object.entries({
      "a prefix of the stream": (mark, more) => api.streamNameFilter({ prefixes: [`${mark}-`], ...more }),
      "an expression for the stream": (mark, more) => api.streamNameFilter({ regex: `^${mark}-`, ...more }),
      "a prefix of the type": (mark, more) => api.eventTypeFilter({ prefixes: [`T${mark}`], ...more }),
      "an expression with a look-ahead": (mark, more) => api.eventTypeFilter({ regex: `^(?!\\$)T${mark}$`, ...more }),
    })) {
      test(`subscribes to all, filtered by ${by}, with checkpoints`, async () => {
        const mark = randomUUID();
        const checkpoints = [];
        const got = [];
        const start = (await append(stream(), events(1))).position;
        for (let i = 0; i < 5; i++) {
          await append(stream(), events(20, "Other"));
          await append(`${mark}-1`, events(1, `T${mark}`));
        }
        const subscription = client.subscribeToAll({
          fromPosition: start,
          filter: filter(mark, { maxSearchWindow: 10, checkpointInterval: 1, checkpointReached: (_, position) => void checkpoints.push(position.commit) }),
        });
        subscription.on("data", ({ event }) => got.push(event));
        await once(subscription, "caughtUp");
        while (got.length < 5) await once(subscription, "data");
        assert.deepEqual(got.map((event) => Number(event.revision)), [0, 1, 2, 3, 4]);
        assert.ok(checkpoints.length >= 10, `${checkpoints.length} checkpoints`);
        assert.deepEqual(checkpoints, [...checkpoints].sort((a, b) => Number(a - b)), "they never go back");
        await append(`${mark}-1`, events(1, `T${mark}`));
        while (got.length < 6) await once(subscription, "data");
        await subscription.unsubscribe();
      });
    }

    test("leaves out system events by its own filter", async () => {
      const start = (await append(stream(), events(1))).position;
      const result = await append(stream(), events(3));
      const subscription = client.subscribeToAll({ fromPosition: start, filter: api.excludeSystemEvents() });
      const got = [];
      for await (const { event } of subscription) {
        got.push(event);
        if (event.position.commit >= result.position.commit) break;
      }
      assert.ok(got.length >= 3);
    });

    test("catches up after its connection was cut, with nothing missed and nothing twice", async () => {
      const mark = randomUUID();
      const between = await proxy(writable);
      const got = [];
      let from = (await append(stream(), events(1))).position;
      let cuts = 0;
      let next = 0;
      try {
        while (got.length < 60) {
          const reader = connect(between.address);
          const subscription = reader.subscribeToAll({
            fromPosition: from,
            filter: api.streamNameFilter({ prefixes: [mark], maxSearchWindow: 3, checkpointReached: (_, position) => void (from = position) }),
          });
          const ended = new Promise((resolve) => subscription.on("error", resolve).on("close", resolve).on("end", resolve));
          subscription.on("data", ({ event }) => {
            got.push(Number(event.revision));
            from = event.position;
            if (got.length % 20 === 0) between.cut();
          });
          for (; next < got.length + 25 && next < 60; next++) {
            await append(`${mark}-${0}`, events(1));
            await append(stream(), events(2, "Other"));
          }
          await ended;
          cuts++;
          await reader.dispose();
        }
      } finally {
        between.close();
      }
      assert.deepEqual(got, Array.from({ length: 60 }, (_, i) => i));
      assert.ok(cuts >= 3, `${cuts} cuts`);
    });

    test("finds the listener by its gossip", async () => {
      const to = stream();
      const discovering = connect(writable, "+discover");
      await discovering.appendToStream(to, events(1));
      assert.deepEqual(await numbers(discovering.readStream(to)), [0]);
      await discovering.dispose();
    });

    test("may only read where it may only read", async () => {
      const to = stream();
      await append(to, events(1));
      const reader = connect(readonly);
      assert.equal((await all(reader.readStream(to))).length, 1);
      await assert.rejects(reader.appendToStream(to, events(1)), api.AccessDeniedError);
      await assert.rejects(reader.appendToStream("run-1", events(1)), api.AccessDeniedError);
      await reader.dispose();
    });

    test("shares a stream in a group, refuses, parks and replays, and is dropped when the group is deleted", async () => {
      const to = stream();
      await append(to, events(3));
      const settings = { ...api.persistentSubscriptionToStreamSettingsFromDefaults(), startFrom: START, checkPointLowerBound: 1, checkPointUpperBound: 1 };
      await client.createPersistentSubscriptionToStream(to, "group", settings);
      await assert.rejects(client.createPersistentSubscriptionToStream(to, "group", settings), api.PersistentSubscriptionExistsError);
      const reader = client.subscribeToPersistentSubscriptionToStream(to, "group", { bufferSize: 1 });
      const got = [];
      const dropped = new Promise((resolve) => reader.on("error", resolve));
      const took = async (n) => {
        while (got.length < n) await once(reader, "data");
      };
      reader.on("data", async ({ event, retryCount }) => {
        const number = Number(event.revision);
        got.push(`${number}.${retryCount}`);
        if (number === 0 && retryCount === 0) await reader.nack("retry", "not now", { event });
        else if (number === 1 && !got.slice(0, -1).includes("1.0")) await reader.nack("park", "never", { event });
        else await reader.ack({ event });
      });
      await took(4);
      assert.deepEqual(got, ["0.0", "0.1", "1.0", "2.0"]);
      for (;;) {
        const info = await client.getPersistentSubscriptionToStreamInfo(to, "group");
        if (info.stats.parkedMessageCount === 1n && info.stats.lastCheckpointedEventRevision === 2n) break;
      }
      await client.replayParkedMessagesToStream(to, "group");
      await took(5);
      assert.equal(got[4], "1.0");
      const listed = await client.listAllPersistentSubscriptions();
      assert.ok(listed.some((group) => group.eventSource === to && group.groupName === "group"));
      await client.deletePersistentSubscriptionToStream(to, "group");
      assert.ok(await dropped);
      await assert.rejects(client.getPersistentSubscriptionToStreamInfo(to, "group"), api.PersistentSubscriptionDoesNotExistError);
    });

    test("may not write what is not for it, nor delete", async () => {
      const to = stream();
      await append(to, events(1));
      await assert.rejects(append("run-1", events(1), NO_STREAM), api.AccessDeniedError);
      await assert.rejects(client.setStreamMetadata(to, { maxCount: 1 }), api.AccessDeniedError);
      await assert.rejects(client.deleteStream(to), api.AccessDeniedError);
      await assert.rejects(client.tombstoneStream(to), api.AccessDeniedError);
      await assert.rejects(append("eventstore-group-a::b", events(1)), api.AccessDeniedError);
      assert.equal((await all(client.readStream(to))).length, 1);
    });
  });
}
