// The grammar by the engine that VS Code has, on the files of test/grammar and on examples: each token with its scopes.
// TEXUNIT_BLESS=1 writes the snapshots again.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const require = createRequire(import.meta.url);
const at = (path) => new URL(path, import.meta.url);
await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const onigLib = Promise.resolve({
  createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
  createOnigString: (text) => new oniguruma.OnigString(text),
});
const path = at("../syntaxes/ptx.tmLanguage.json");
const registry = new textmate.Registry({
  onigLib,
  loadGrammar: async () => textmate.parseRawGrammar(readFileSync(path, "utf8"), path.pathname),
});
const grammar = await registry.loadGrammar("source.ptx");

/** Lines with their tokens: from, to, and the scopes without that of the file. */
function tokens(text) {
  let stack = textmate.INITIAL;
  return text.split("\n").map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return { line, tokens: tokens.map((t) => [t.startIndex, t.endIndex, t.scopes.slice(1)]) };
  });
}

function snapshot(text) {
  const lines = tokens(text).flatMap(({ line, tokens }) => {
    const said = tokens.filter(([from, to]) => line.slice(from, to).trim() !== "");
    return [
      `>${line}`,
      ...said.map(([from, to, scopes]) => `  ${line.slice(from, to).trim()}  ${scopes.join(" ").replaceAll(".ptx", "")}`),
    ];
  });
  return `${lines.join("\n")}\n`;
}

for (const name of readdirSync(at("grammar")).filter((name) => name.endsWith(".ptx"))) {
  test(`the tokens of ${name} are as they were`, () => {
    const found = snapshot(readFileSync(at(`grammar/${name}`), "utf8"));
    const file = at(`grammar/${name.replace(/ptx$/, "tokens")}`);
    if (process.env.TEXUNIT_BLESS) writeFileSync(file, found);
    assert.equal(found, existsSync(file) ? readFileSync(file, "utf8") : "");
  });
}

/** The innermost scope of the first token with this text on a line. */
function scope(text, word) {
  for (const { line, tokens: list } of tokens(text)) {
    const token = list.find(([from, to]) => line.slice(from, to) === word);
    if (token) return token[2].at(-1);
  }
  return undefined;
}

test("what is easily mistaken", () => {
  assert.equal(scope("add: ret;", "add"), "entity.name.label.ptx");
  assert.equal(scope("call add, (x);", "add"), "variable.other.symbol.ptx");
  assert.equal(scope(".global .b32 mul;", "mul"), "variable.other.symbol.ptx");
  assert.equal(scope(".visible .entry mul()", "mul"), "entity.name.function.ptx");
  assert.equal(scope("mov.u32 %r1, %tid.x;", "%tid.x"), "variable.language.special-register.ptx");
  assert.equal(scope("mov.u32 %r1, %tidy;", "%tidy"), "variable.other.register.ptx");
  assert.equal(scope("// add.s32", "add"), undefined);
  assert.equal(scope('.pragma "add";', "add"), "string.quoted.double.ptx");
  assert.equal(scope("add.s32 a, b, 089;", "089"), "constant.numeric.decimal.ptx");
  assert.equal(scope("ld.global.s32 a, [b];", ".global"), "keyword.other.modifier.ptx");
  // An instruction that is being written does not colour the next one as its operand.
  assert.equal(scope("add.s32 %a\n\tmul.lo.s32 %b, %c, 1;", "mul"), "support.function.opcode.ptx");
});

test("every instruction of the examples has an opcode", () => {
  const root = at("../../../");
  const files = readdirSync(new URL("examples/", root), { recursive: true }).filter((name) => name.endsWith(".ptx"));
  assert.ok(files.length > 5, `${files.length} examples`);
  let seen = 0;
  for (const name of files) {
    let inBlockComment = false;
    for (const { line, tokens: list } of tokens(readFileSync(new URL(`examples/${name}`, root), "utf8"))) {
      const code = line.replace(/\/\/.*$/, "");
      inBlockComment = code.includes("/*") || (inBlockComment && !code.includes("*/"));
      const found = /^\s*(?:@!?%\w+\s+)?([a-z][a-z0-9]*)(?:\.[a-z0-9.:_]+)?\s[^:]*;\s*$/.exec(code);
      if (found === null || inBlockComment) continue;
      const token = list.find(([from, to]) => line.slice(from, to) === found[1]);
      assert.match(token?.[2].at(-1) ?? "none", /^(support\.function\.opcode|keyword\.control)\.ptx$/, `${name}: ${line}`);
      seen += 1;
    }
  }
  assert.ok(seen > 100, `${seen} instructions`);
});
