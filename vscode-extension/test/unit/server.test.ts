import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Crashes } from "../../src/crashes.ts";
import { parseLink } from "../../src/links.ts";
import { createQueue } from "../../src/queue.ts";

suite("crashes", () => {
  test("the first is said, the fifth within three minutes is the last", () => {
    const crashes = new Crashes();
    const times = [0, 1000, 2000, 3000, 4000].map((time) => crashes.another(time));
    assert.deepEqual(times.map(({ first }) => first), [true, false, false, false, false]);
    assert.deepEqual(times.map(({ giveUp }) => giveUp), [false, false, false, false, true]);
  });

  test("old ones do not count, nor those before a new start was asked for", () => {
    const crashes = new Crashes();
    [0, 1, 2, 3].forEach((time) => crashes.another(time));
    assert.deepEqual(crashes.another(200_000), { count: 1, first: true, giveUp: false });
    crashes.forget();
    assert.deepEqual(crashes.another(200_001), { count: 1, first: true, giveUp: false });
  });
});

suite("queue", () => {
  test("a job starts when the one before has ended, also where that failed", async () => {
    const enqueue = createQueue();
    const order: string[] = [];
    const job = (name: string, fails = false) =>
      enqueue(async () => {
        order.push(`${name} starts`);
        await Promise.resolve();
        order.push(`${name} ends`);
        if (fails) {
          throw new Error(name);
        }
        return name;
      });
    const first = job("one", true);
    const second = job("two");
    await assert.rejects(first, /one/);
    assert.equal(await second, "two");
    assert.deepEqual(order, ["one starts", "one ends", "two starts", "two ends"]);
  });
});

suite("links", () => {
  const places: [string, unknown][] = [
    ["lesson:causal-mask", { kind: "lesson", part: "causal-mask" }],
    ["lesson:causal-mask#why", { kind: "lesson", part: "causal-mask", section: "why" }],
    ["lesson:multi-head-attention/split_heads", { kind: "lesson", part: "multi-head-attention", exercise: "split_heads" }],
    ["term:one-hot", { kind: "term", id: "one-hot" }],
    ["diagnostic:shape-matmul", { kind: "diagnostic", code: "shape-matmul" }],
    ["vocabulary", { kind: "vocabulary" }],
  ];
  for (const [text, link] of places) {
    test(text, () => assert.deepEqual(parseLink(text), link));
  }
  for (const text of ["", "lesson:", "lesson:a b", "lesson:../x", "term:<img>", "https://example.org", "command:x", "lesson:a#b/c"]) {
    test(`no link: ${text || "nothing"}`, () => assert.equal(parseLink(text), null));
  }
});
