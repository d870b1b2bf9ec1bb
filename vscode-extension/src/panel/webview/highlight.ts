/** Colours Python for reading. A lesson's code is short and plain: a scanner for its tokens is all that it takes. */

export type TokenKind = "keyword" | "constant" | "string" | "number" | "comment" | "definition" | "call" | "plain";

export interface Token {
  kind: TokenKind;
  text: string;
}

const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
const CONSTANTS = new Set(["True", "False", "None", "self", "cls"]);
const TOKEN =
  /(?<comment>#[^\n]*)|(?<string>(?:\b[rbfu]{1,2})?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))|(?<number>\b(?:0[xob][\da-f_]+|[\d][\d_]*\.?[\d_]*(?:e[+-]?\d+)?j?))|(?<word>[\p{L}_][\p{L}\p{N}_]*)|(?<other>\s+|.)/giu;

/** Splits a program; the tokens' texts joined are the program again. */
export function tokens(program: string): Token[] {
  const found: Token[] = [];
  let defining = false;
  for (const match of program.matchAll(TOKEN)) {
    const text = match[0];
    const groups = match.groups ?? {};
    const after = program.slice(match.index + text.length);
    let kind: TokenKind = "plain";
    if (groups["comment"] !== undefined) {
      kind = "comment";
    } else if (groups["string"] !== undefined) {
      kind = "string";
    } else if (groups["number"] !== undefined) {
      kind = "number";
    } else if (groups["word"] !== undefined) {
      kind = wordKind(text, defining, after);
    }
    if (groups["other"] === undefined || text.trim()) {
      defining = text === "def" || text === "class";
    }
    const last = found.at(-1);
    if (last?.kind === kind) {
      last.text += text;
    } else {
      found.push({ kind, text });
    }
  }
  return found;
}

function wordKind(word: string, defining: boolean, after: string): TokenKind {
  if (KEYWORDS.has(word)) {
    return "keyword";
  }
  if (CONSTANTS.has(word)) {
    return "constant";
  }
  if (defining) {
    return "definition";
  }
  return after.startsWith("(") ? "call" : "plain";
}
