// The extension in a stub of the editor, with the real language server: TEXUNIT names the program, else it is that of this
// checkout's target folder.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";

const require = createRequire(import.meta.url);
const root = new URL("../../..", import.meta.url).pathname;
const program = [process.env.TEXUNIT && resolve(process.env.TEXUNIT), join(root, "target/release/texunit"), join(root, "target/debug/texunit")]
  .filter((path) => Boolean(path))
  .find((path) => existsSync(path));
assert.ok(program, "no texunit: build it with `cargo build --bin texunit`, or name it in TEXUNIT");

const { editor: newEditor } = require("./vscode.cjs");
const WRONG = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n\tadd.u33 %r1, 1, 2;\n\tret;\n}\n";
const RIGHT = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n";
const folder = mkdtempSync(join(tmpdir(), "texunit-vscode-"));
let editor;
let extension;
let api;

/** The extension in its own editor. */
function activate(settings) {
  editor = newEditor(settings);
  const load = Module._load;
  Module._load = function (name, ...rest) {
    return name === "vscode" ? editor.module : load.call(this, name, ...rest);
  };
  try {
    const path = require.resolve("../dist/extension.js");
    delete require.cache[path];
    extension = require(path);
  } finally {
    Module._load = load;
  }
  api = extension.activate({ subscriptions: [], asAbsolutePath: (path) => path });
}

before(() => activate({ "texunit.path": program }));
after(async () => {
  await extension.deactivate();
  rmSync(folder, { recursive: true, force: true });
});

test("a file that is opened is checked, and again when it changes", async () => {
  assert.equal(await api.ready, true, editor.heard.channels.texunit);
  const document = await editor.open(join(folder, "k.ptx"), "ptx", WRONG);
  const found = await editor.until(document, (list) => list.length > 0);
  assert.equal(found[0].source, "texunit");
  assert.equal(found[0].severity, 0);
  assert.equal(found[0].range.start.line, 5);
  assert.match(found[0].message, /u33/);
  await editor.edit(document, RIGHT);
  await editor.until(document, (list) => list.length === 0);
});

test("the diagnostic at the cursor is explained", async () => {
  const document = await editor.open(join(folder, "e.ptx"), "ptx", WRONG);
  const [found] = await editor.until(document, (list) => list.length > 0);
  const code = typeof found.code === "object" ? found.code.value : found.code;
  editor.put(5, 6);
  await editor.execute("texunit.explainCode");
  const page = editor.heard.shown.at(-1);
  assert.ok(page.text.startsWith(`${code}: `) || page.text.includes(code), page.text);
  assert.equal(page.uri.scheme, "texunit");
  editor.put(0, 0);
  await editor.execute("texunit.explainCode");
  assert.match(editor.heard.errors.at(-1), /no diagnostic of texunit at the cursor/);
});

test("settings reach the server while it runs", async () => {
  const unread = RIGHT.replace("\tret;", "\t.reg .b32 %r;\n\tmov.u32 %r, 0x123456789;\n\tret;");
  const document = await editor.open(join(folder, "s.ptx"), "ptx", unread);
  await editor.until(document, (list) => list.some((d) => d.severity !== 0));
  await editor.configure({ "texunit.deny": ["warnings"] });
  await editor.until(document, (list) => list.some((d) => d.severity === 0));
  await editor.configure({ "texunit.deny": [] });
});

test("a file is checked by the program", async () => {
  writeFileSync(join(folder, "c.ptx"), WRONG);
  await editor.open(join(folder, "c.ptx"), "ptx", WRONG);
  await editor.configure({ "texunit.ptxas": "12.9" });
  await editor.execute("texunit.checkFile");
  const said = editor.heard.channels.texunit;
  assert.match(said, /texunit check --ptxas-compat --ptxas 12\.9 /);
  assert.match(said, /error\[E\d+\].*u33[^]*exit code 1/);
  await editor.configure({ "texunit.ptxas": null });
});

test("a thread of a job is shown as pictures", async () => {
  const job = join(root, "tests/cli/explain/many.toml");
  await editor.open(job, "toml", readFileSync(job, "utf8"));
  editor.answers.input = "0, 0,0";
  await editor.execute("texunit.explainThread");
  const { title, webview } = editor.heard.panels.at(-1);
  assert.equal(title, "Thread (0, 0,0)");
  assert.match(webview.html, /<svg [^]*access 1</);
  editor.answers.input = "9";
  await editor.execute("texunit.explainThread");
  assert.match(editor.heard.errors.at(-1), /no thread \(9, 0, 0\)/);
});

test("the server is started again", async () => {
  await editor.execute("texunit.restartServer");
  const document = await editor.open(join(folder, "r.ptx"), "ptx", WRONG);
  await editor.until(document, (list) => list.length > 0);
});

test("the trace shows messages when it is asked for", async () => {
  await editor.configure({ "texunit.trace.server": "messages" });
  const document = await editor.open(join(folder, "t.ptx"), "ptx", WRONG);
  await editor.until(document, (list) => list.length > 0);
  assert.match(editor.heard.channels["texunit trace"], /textDocument\/didOpen/);
});

test("a program that is missing, or another one, is told with what to do", async () => {
  await extension.deactivate();
  activate({ "texunit.path": join(folder, "missing") });
  editor.answers.error = "Open settings";
  assert.equal(await api.ready, false);
  assert.match(editor.heard.errors.at(-1), /cannot run `.*missing`: there is no such program.*"texunit\.path"/);
  await new Promise((go) => setTimeout(go, 10));
  assert.deepEqual(editor.heard.executed.at(-1), ["workbench.action.openSettings", "texunit.path"]);
  await editor.configure({ "texunit.path": process.execPath });
  assert.equal(await api.restart(), false);
  assert.match(editor.heard.errors.at(-1), /it is not texunit/);
  // The right path starts it without another command.
  await editor.configure({ "texunit.path": program });
  const document = await editor.open(join(folder, "m.ptx"), "ptx", WRONG);
  await editor.until(document, (list) => list.length > 0);
});
