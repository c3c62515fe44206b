// A stub of the module `vscode`: enough of the editor for the extension and its language client. Documents are opened by
// the test, diagnostics are kept, commands can be executed; what is not here is an event that never fires, a registration
// that does nothing, or an empty class.
"use strict";
const { pathToFileURL, fileURLToPath } = require("node:url");

class Disposable {
  constructor(dispose) {
    this.dispose = dispose ?? (() => {});
  }
}

class EventEmitter {
  #listeners = new Set();
  event = (listener, self) => {
    const call = (value) => listener.call(self, value);
    this.#listeners.add(call);
    return new Disposable(() => this.#listeners.delete(call));
  };
  async fire(value) {
    for (const call of [...this.#listeners]) await call(value);
  }
  dispose() {
    this.#listeners.clear();
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
  isBefore(other) {
    return this.line < other.line || (this.line === other.line && this.character < other.character);
  }
}

class Range {
  constructor(a, b, c, d) {
    [this.start, this.end] = typeof a === "number" ? [new Position(a, b), new Position(c, d)] : [a, b];
  }
  contains(at) {
    return !at.isBefore(this.start) && !this.end.isBefore(at);
  }
}

class Uri {
  constructor(text) {
    this.text = text;
    const parts = /^([a-z]+):(?:\/\/)?([^?#]*)/i.exec(text);
    [this.scheme, this.path] = [parts[1], decodeURIComponent(parts[2])];
    this.fsPath = this.scheme === "file" ? fileURLToPath(text) : this.path;
    this.query = this.fragment = this.authority = "";
  }
  static parse(text) {
    return new Uri(text);
  }
  static file(path) {
    return new Uri(pathToFileURL(path).href);
  }
  toString() {
    return this.text;
  }
  with() {
    return this;
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class CodeActionKind {
  constructor(value) {
    this.value = value;
  }
  static Empty = new CodeActionKind("");
  static QuickFix = new CodeActionKind("quickfix");
  append(part) {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}

class CancellationTokenSource {
  #cancelled = new EventEmitter();
  token = { isCancellationRequested: false, onCancellationRequested: this.#cancelled.event };
  cancel() {
    this.token.isCancellationRequested = true;
    void this.#cancelled.fire();
  }
  dispose() {}
}

class Document {
  constructor(uri, languageId, text) {
    Object.assign(this, { uri, languageId, text, version: 1, isUntitled: false, isDirty: false });
    this.fileName = uri.fsPath;
  }
  getText() {
    return this.text;
  }
  async save() {
    return true;
  }
}

/** A separate number for each requested name. */
const numbered = () => {
  const numbers = new Map();
  return new Proxy({}, {
    get(_, name) {
      if (!numbers.has(name)) numbers.set(name, numbers.size);
      return numbers.get(name);
    },
  });
};

/** What is not here: an event, a registration, a class. */
const missing = (target) => new Proxy(target, {
  get(object, name) {
    if (name in object || typeof name !== "string") return object[name];
    if (/^on[A-Z]/.test(name)) return (object[name] = () => new Disposable());
    if (/^(register|create)[A-Z]/.test(name)) return (object[name] = () => new Disposable());
    if (/^[A-Z]/.test(name)) return (object[name] = class {});
    return undefined;
  },
});

/** A new editor with these settings; `heard` is what it was told to show. */
function editor(settings) {
  const heard = { errors: [], channels: {}, panels: [], shown: [], executed: [] };
  const commands = new Map();
  const providers = new Map();
  const diagnostics = new Map();
  const changed = new EventEmitter();
  const opened = new EventEmitter();
  const closed = new EventEmitter();
  const edited = new EventEmitter();
  const configuration = new EventEmitter();
  const answers = { error: undefined, input: undefined };
  const channel = (name) => {
    heard.channels[name] ??= "";
    const append = (text) => void (heard.channels[name] += text);
    return {
      name, append, appendLine: (text) => append(`${text}\n`),
      show() {}, hide() {}, clear() {}, replace() {}, dispose() {},
    };
  };
  const collection = {
    set(uri, list) {
      diagnostics.set(String(uri), list ?? []);
      void changed.fire({ uris: [uri] });
    },
    delete: (uri) => diagnostics.delete(String(uri)),
    clear: () => diagnostics.clear(),
    dispose() {},
  };
  const matches = (selector, document) =>
    [selector].flat().some((part) => (part.language ?? part) === document.languageId) ? 10 : 0;
  const workspace = missing({
    textDocuments: [], notebookDocuments: [], workspaceFolders: undefined,
    onDidOpenTextDocument: opened.event, onDidCloseTextDocument: closed.event,
    onDidChangeTextDocument: edited.event, onDidChangeConfiguration: configuration.event,
    getConfiguration: (section) => ({
      get(name, other) {
        return settings[section ? `${section}.${name}` : name] ?? other;
      },
    }),
    registerTextDocumentContentProvider(scheme, provider) {
      providers.set(scheme, provider);
      return new Disposable();
    },
    async openTextDocument(uri) {
      const text = await providers.get(uri.scheme).provideTextDocumentContent(uri);
      return new Document(uri, "plaintext", text);
    },
    createFileSystemWatcher: () => missing({ dispose() {} }),
  });
  const window = missing({
    activeTextEditor: undefined, visibleTextEditors: [], tabGroups: missing({ all: [] }),
    createOutputChannel: channel,
    async showErrorMessage(message, ...items) {
      heard.errors.push(message);
      return items.find((item) => item === answers.error);
    },
    showWarningMessage: async () => undefined, showInformationMessage: async () => undefined,
    async showInputBox() {
      return answers.input;
    },
    async showTextDocument(document) {
      heard.shown.push(document);
    },
    withProgress: (_, task) => task({ report() {} }, new CancellationTokenSource().token),
    createWebviewPanel(_, title) {
      const panel = { title, webview: { html: "" } };
      heard.panels.push(panel);
      return panel;
    },
  });
  const module = missing({
    Disposable, EventEmitter, Position, Range, Uri, Diagnostic, CodeActionKind, CancellationTokenSource,
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
    CompletionItemKind: numbered(), SymbolKind: numbered(), CodeActionTriggerKind: numbered(),
    ViewColumn: { Beside: -2 }, ProgressLocation: { Notification: 15, Window: 10 },
    TextDocumentSaveReason: numbered(), TextDocumentChangeReason: numbered(), CompletionTriggerKind: numbered(),
    env: { language: "en", appName: "stub" }, version: "1.82.0", UIKind: {}, extensions: missing({ all: [] }),
    languages: missing({
      createDiagnosticCollection: () => collection, match: matches,
      getDiagnostics: (uri) => diagnostics.get(String(uri)) ?? [], onDidChangeDiagnostics: changed.event,
    }),
    commands: missing({
      registerCommand(name, run) {
        commands.set(name, run);
        return new Disposable(() => commands.delete(name));
      },
      async executeCommand(name, ...args) {
        heard.executed.push([name, ...args]);
        return commands.get(name)?.(...args);
      },
    }),
    workspace, window, debug: missing({}),
  });
  return {
    module, heard, answers,
    /** Opens a document in the active editor. */
    async open(path, languageId, text) {
      const document = new Document(Uri.file(path), languageId, text);
      workspace.textDocuments.push(document);
      window.activeTextEditor = { document, selection: { active: new Position(0, 0) } };
      await opened.fire(document);
      return document;
    },
    /** Replaces the text of a document. */
    async edit(document, text) {
      const lines = document.text.split("\n");
      const range = new Range(0, 0, lines.length - 1, lines.at(-1).length);
      document.text = text;
      document.version += 1;
      await edited.fire({ document, contentChanges: [{ range, text }], reason: undefined });
    },
    async configure(changes) {
      Object.assign(settings, changes);
      const names = Object.keys(changes);
      const affectsConfiguration = (section) => names.some((name) => name === section || name.startsWith(`${section}.`));
      await configuration.fire({ affectsConfiguration });
    },
    put: (line, character) => void (window.activeTextEditor.selection.active = new Position(line, character)),
    execute: (name) => module.commands.executeCommand(name),
    diagnosticsOf: (document) => diagnostics.get(String(document.uri)),
    /** The diagnostics of a document once they are as wanted. */
    async until(document, wanted) {
      for (const end = Date.now() + 20_000; Date.now() < end; await new Promise((go) => setTimeout(go, 20))) {
        const list = diagnostics.get(String(document.uri));
        if (list !== undefined && wanted(list)) return list;
      }
      throw new Error(`diagnostics: ${JSON.stringify(diagnostics.get(String(document.uri)))}`);
    },
  };
}

module.exports = { editor };
