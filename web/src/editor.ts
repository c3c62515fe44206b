// Text editors: PTX with texunit's language server, and TOML.

import { type Completion, type CompletionContext, type CompletionResult, autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { h } from "./dom";
import type { Engine } from "./engine";
import type { Problem } from "./protocol";

/** Words of PTX: enough for colours; what is right is the language server's affair. */
const ptxMode = StreamLanguage.define<{ comment: boolean }>({
  name: "ptx",
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment) {
      if (stream.skipTo("*/")) {
        stream.match("*/");
        state.comment = false;
      } else stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.comment = true;
      return "comment";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^0[fFdD][0-9a-fA-F]+|^0[xX][0-9a-fA-F]+U?|^\d+(?:\.\d*)?(?:[eE][+-]?\d+)?U?/)) return "number";
    if (stream.match(/^%[\w$]+/)) return "variableName";
    if (stream.match(/^@!?%?\w+/)) return "meta";
    if (stream.match(/^\.[\w:]+/)) return stream.start === 0 || /^\s*$/.test(stream.string.slice(0, stream.start)) ? "keyword" : "typeName";
    if (stream.match(/^[$A-Za-z_][\w$]*:/)) return "labelName";
    if (stream.match(/^[a-z][a-z0-9_]*(?=[.\s])/)) return /^\s*(@!?%?\w+\s*)?$/.test(stream.string.slice(0, stream.start)) ? "operatorKeyword" : null;
    stream.next();
    return null;
  },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--code-comment)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: [tags.variableName, tags.propertyName], color: "var(--code-variable)" },
  { tag: [tags.keyword, tags.meta], color: "var(--code-keyword)" },
  { tag: tags.typeName, color: "var(--code-type)" },
  { tag: tags.operatorKeyword, color: "var(--code-operation)", fontWeight: "600" },
  { tag: tags.labelName, color: "var(--code-string)" },
]);

const markLine = StateEffect.define<{ line: number; cls: string } | null>();
const markedLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let now = transaction.docChanged ? Decoration.none : marks;
    for (const effect of transaction.effects) {
      if (!effect.is(markLine)) continue;
      const value = effect.value;
      if (!value || value.line < 1 || value.line > transaction.state.doc.lines) now = Decoration.none;
      else now = Decoration.set([Decoration.line({ class: value.cls }).range(transaction.state.doc.line(value.line).from)]);
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const basics = (label: string) => [
  lineNumbers(),
  history(),
  drawSelection(),
  bracketMatching(),
  highlightActiveLine(),
  syntaxHighlighting(colours),
  lintGutter(),
  markedLine,
  EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
  keymap.of([...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
];

/** An offset of the document; places that are not in it are its nearest. */
function offset(state: EditorState, line: number, character: number): number {
  const number = Math.min(state.doc.lines, Math.max(1, line + 1));
  const found = state.doc.line(number);
  return Math.min(found.to, found.from + Math.max(0, character));
}

interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

export class Editor {
  readonly view: EditorView;
  private readonly listeners: (() => void)[] = [];
  private silent = false;

  constructor(
    parent: HTMLElement,
    label: string,
    language: "ptx" | "toml",
    protected readonly extra: object[] = [],
  ) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: "",
        extensions: [
          basics(label),
          language === "ptx" ? ptxMode : StreamLanguage.define(toml),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !this.silent) for (const listener of this.listeners) listener();
          }),
          extra as never,
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    if (text === this.text) return;
    this.silent = true;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.silent = false;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Marks a line, and shows it. */
  mark(line: number | null, cls = "marked-line"): void {
    const effects: StateEffect<unknown>[] = [markLine.of(line === null ? null : { line, cls })];
    if (line !== null && line <= this.view.state.doc.lines) {
      effects.push(EditorView.scrollIntoView(this.view.state.doc.line(Math.max(1, line)).from, { y: "center" }));
    }
    this.view.dispatch({ effects });
  }

  /** Shows diagnostics that did not come from the language server. */
  problems(problems: Problem[]): void {
    const { state } = this.view;
    const found = problems
      .filter((problem) => problem.line)
      .map((problem): Diagnostic => {
        const line = (problem.line ?? 1) - 1;
        const from = offset(state, line, (problem.column ?? 1) - 1);
        const to = problem.end_line ? offset(state, problem.end_line - 1, (problem.end_column ?? 1) - 1) : from;
        const help = problem.help ? `\n${problem.help}` : "";
        return { from, to: Math.max(from, to), severity: problem.severity === "warning" ? "warning" : "error", message: `${problem.message}${help}`, source: problem.code ?? undefined };
      });
    this.view.dispatch(setDiagnostics(state, found));
  }
}

/** The editor of PTX: diagnostics, hover and completion come from texunit's language server in the worker. */
export class PtxEditor extends Editor {
  private version = 0;
  private id = 1;
  private opened = false;
  private timer = 0;

  constructor(
    parent: HTMLElement,
    private readonly engine: Engine,
  ) {
    super(parent, "PTX", "ptx", [
      autocompletion({ override: [(context: CompletionContext) => this.complete(context)] }),
      hoverTooltip((view, at) => this.hover(view, at), { hoverTime: 300 }),
    ]);
    this.onChange(() => this.changed());
  }

  set source(text: string) {
    this.text = text;
    this.changed();
  }

  private changed(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.sync(), 120);
  }

  /** A worker has taken the place of another: it knows of no document. */
  again(): void {
    this.opened = false;
    void this.sync();
  }

  private async send(message: object): Promise<Record<string, unknown>[]> {
    try {
      const { value } = await this.engine.ask("lsp", { message: JSON.stringify({ jsonrpc: "2.0", ...message }) });
      return value.messages.map((text) => JSON.parse(text));
    } catch {
      return [];
    }
  }

  /** Tells the server the text, if it has changed, and shows what it says. */
  private async sync(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = 0;
    const text = this.text;
    const version = ++this.version;
    let said: Record<string, unknown>[];
    if (!this.opened) {
      this.opened = true;
      const capabilities = { general: { positionEncodings: ["utf-16"] }, textDocument: { hover: { contentFormat: ["plaintext"] } } };
      await this.send({ id: this.id++, method: "initialize", params: { capabilities } });
      await this.send({ method: "initialized", params: {} });
      said = await this.send({ method: "textDocument/didOpen", params: { textDocument: { uri: "file:///kernel.ptx", languageId: "ptx", version, text } } });
    } else {
      said = await this.send({ method: "textDocument/didChange", params: { textDocument: { uri: "file:///kernel.ptx", version }, contentChanges: [{ text }] } });
    }
    if (text !== this.text) return;
    for (const message of said) {
      if (message.method !== "textDocument/publishDiagnostics") continue;
      this.publish((message.params as { diagnostics: never[] }).diagnostics);
    }
  }

  private publish(diagnostics: { range: Range; severity?: number; message: string; code?: string; tags?: number[] }[]): void {
    const { state } = this.view;
    const found = diagnostics.map((one): Diagnostic => {
      const from = offset(state, one.range.start.line, one.range.start.character);
      const to = offset(state, one.range.end.line, one.range.end.character);
      const severity = one.severity === 1 ? "error" : one.severity === 2 ? "warning" : "info";
      return { from, to: Math.max(from, to), severity, message: one.message, source: one.code };
    });
    this.view.dispatch(setDiagnostics(state, found));
    this.view.dom.dataset.problems = String(found.length);
  }

  private position(at: number): { line: number; character: number } {
    const line = this.view.state.doc.lineAt(at);
    return { line: line.number - 1, character: at - line.from };
  }

  private async request(method: string, at: number): Promise<unknown> {
    if (this.timer || !this.opened) await this.sync();
    const id = this.id++;
    const said = await this.send({ id, method, params: { textDocument: { uri: "file:///kernel.ptx" }, position: this.position(at) } });
    return said.find((message) => message.id === id)?.result ?? null;
  }

  private async hover(view: EditorView, at: number): Promise<{ pos: number; end: number; create(): { dom: HTMLElement } } | null> {
    const result = (await this.request("textDocument/hover", at)) as { contents: { value: string } | string; range?: Range } | null;
    if (!result) return null;
    const text = typeof result.contents === "string" ? result.contents : result.contents.value;
    const pos = result.range ? offset(view.state, result.range.start.line, result.range.start.character) : at;
    const end = result.range ? offset(view.state, result.range.end.line, result.range.end.character) : at;
    return { pos, end, create: () => ({ dom: h("div", { class: "hover" }, text) }) };
  }

  private async complete(context: CompletionContext): Promise<CompletionResult | null> {
    const word = context.matchBefore(/[.%\w$]*/);
    if (!context.explicit && (!word || word.from === word.to)) return null;
    const result = (await this.request("textDocument/completion", context.pos)) as { items: LspItem[] } | LspItem[] | null;
    const items = Array.isArray(result) ? result : (result?.items ?? []);
    if (items.length === 0) return null;
    const { state } = context;
    const edit = items.find((item) => item.textEdit)?.textEdit?.range;
    const from = edit ? offset(state, edit.start.line, edit.start.character) : Math.max(word?.from ?? context.pos, context.pos - /[%\w$]*$/.exec(state.sliceDoc(word?.from ?? context.pos, context.pos))![0].length);
    return {
      from,
      options: items.map((item): Completion => ({ label: item.textEdit?.newText ?? item.insertText ?? item.label, displayLabel: item.label, detail: item.detail, boost: 0 })),
      filter: true,
    };
  }
}

interface LspItem {
  label: string;
  insertText?: string;
  detail?: string;
  textEdit?: { range: Range; newText: string };
}
