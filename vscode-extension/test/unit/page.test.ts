import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { tokens } from "../../src/panel/webview/highlight.ts";
import { pictureData, short } from "../../src/panel/webview/pictureData.ts";
import type { Numbers, Picture, PictureKind } from "../../src/server/content.ts";

suite("colouring Python", () => {
  const kinds = (program: string) =>
    tokens(program)
      .filter(({ text }) => text.trim())
      .map(({ kind, text }) => `${kind} ${text.trim()}`);

  test("keywords, names that are defined or called, numbers, strings, comments", () => {
    assert.deepEqual(kinds("def split(x, h=8):\n    return x.view(-1, 2e-3)  # (B, h)"), [
      "keyword def",
      "definition split",
      "plain (x, h=",
      "number 8",
      "plain ):",
      "keyword return",
      "plain x.",
      "call view",
      "plain (-",
      "number 1",
      "plain ,",
      "number 2e-3",
      "plain )",
      "comment # (B, h)",
    ]);
  });

  test("a string hides keywords, and one that is not closed ends with its line", () => {
    assert.deepEqual(kinds('f"for {x}"\n"open\nNone'), ['string f"for {x}"', 'string "open', "constant None"]);
    assert.deepEqual(kinds('"""two\nlines""" is'), ['string """two\nlines"""', "keyword is"]);
  });

  test("nothing of the text is lost", () => {
    const program = "α = 'ß' # 𝑄\n\tif x is not None: print(\"\\\"\")\n";
    assert.equal(tokens(program).map(({ text }) => text).join(""), program);
  });
});

suite("what a picture shows", () => {
  const made = (kind: PictureKind, data: Numbers, names: string[] = []): Picture => ({
    id: "p",
    kind,
    title: null,
    x: null,
    y: null,
    labels: { x: names, y: [] },
    data,
    sentence: "",
  });

  test("one layer after the other, under its name or its number", () => {
    const heads: Numbers = [[[1, 0]], [[0, 1]]];
    assert.deepEqual(pictureData(made("heatmap", heads)).layers, [
      { title: "1 of 2", rows: [[1, 0]] },
      { title: "2 of 2", rows: [[0, 1]] },
    ]);
    assert.deepEqual(pictureData(made("heatmap", heads, ["head 0", "head 1"])).layers.map(({ title }) => title), ["head 0", "head 1"]);
  });

  test("names belong to bars, or to curves", () => {
    assert.deepEqual(pictureData(made("bars", [1, 2], ["a", "b"])).columns, ["a", "b"]);
    const curves = pictureData(made("lines", [[1, 2, 3], [4, 5, 6]], ["loss", "ln V"]));
    assert.deepEqual(curves.rows, ["loss", "ln V"]);
    assert.deepEqual(curves.columns, ["0", "1", "2"]);
  });

  test("what is too large is pooled, and it is known by how much", () => {
    const rows = Array.from({ length: 130 }, (_, i) => Array.from({ length: 130 }, () => i));
    const { layers, columns, pooled } = pictureData(made("heatmap", rows));
    assert.equal(pooled, 3);
    assert.deepEqual([layers[0]?.rows.length, layers[0]?.rows[0]?.[0]], [44, 1]);
    assert.deepEqual(columns.slice(0, 3), ["0", "3", "6"]);
  });

  test("what is no number is left out of means and said to be none", () => {
    const { layers } = pictureData(made("heatmap", Array.from({ length: 65 }, () => [null, 1])));
    assert.deepEqual(layers[0]?.rows[0], [1]);
    assert.equal(short(null), "none");
  });

  test("numbers for people", () => {
    assert.deepEqual([0, 3, 0.12345, 12.345, 123.4, 0.00012, 1050624].map(short), ["0", "3", "0.12", "12.3", "123", "1.2e-4", "1050624"]);
  });
});
