//! The state of the server: the protocol's life cycle, open documents, and waiting requests.
//!
//! Long-running work is done in tasks (module `task`); the server itself only edits texts and
//! answers from finished results. A request about a document waits until the document's index is
//! finished, and fails with `ContentModified` if the document changes first.

mod documents;

use crate::actions::{FIX_ALL, Target};
use crate::answers::{self, Answer, Client, Failure, Handler, Need, View};
use crate::config::Config;
use crate::document::{Encoding, Text};
use crate::index::Index;
use crate::message::{self, ErrorCode, Incoming, Notification, Request, RequestId};
use lsp_types::{CodeActionKind, MessageType, Uri};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use texunit_syntax::Diagnostic;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    New,
    Running,
    /// The client has sent `shutdown`.
    Ended,
}

#[derive(Debug)]
struct Document {
    text: Text,
    /// The client's version number of the document.
    version: i32,
    /// The server's revision number of the document, which also changes with the settings.
    revision: u64,
    /// Whether the tasks of this revision have been given to the caller.
    is_posted: bool,
    /// The index of names of this revision, once it is finished.
    index: Option<Index>,
    /// The diagnostics of this revision, once they are finished.
    diagnostics: Option<Vec<Diagnostic>>,
    /// Whether a task panicked on this revision, so that missing results will never arrive.
    is_broken: bool,
}

impl Document {
    fn new(text: Text, version: i32, revision: u64) -> Self {
        let (is_posted, is_broken) = (false, false);
        let (index, diagnostics) = (None, None);
        Self { text, version, revision, is_posted, index, diagnostics, is_broken }
    }

    /// Discards the analysis results, because the text or the settings have changed.
    fn renew(&mut self, revision: u64) {
        self.revision = revision;
        (self.is_posted, self.is_broken) = (false, false);
        (self.index, self.diagnostics) = (None, None);
    }

    /// Whether the results that a request needs are finished.
    fn has(&self, need: Need) -> bool {
        match need {
            Need::Index => self.index.is_some(),
            Need::Diagnostics => self.index.is_some() && self.diagnostics.is_some(),
        }
    }
}

/// A request that waits for a task's result.
#[derive(Debug)]
struct Waiting {
    request: Request,
    uri: Uri,
    need: Need,
    handler: Handler,
}

/// A language server for one client.
#[derive(Debug, Default)]
pub struct Server {
    phase: Phase,
    /// Whether `exit` was received.
    is_over: bool,
    encoding: Encoding,
    client: Client,
    config: Arc<Config>,
    documents: HashMap<Uri, Document>,
    revisions: u64,
    waiting: Vec<Waiting>,
    /// Messages that have not been sent to the client.
    out: Vec<String>,
    /// Closed documents of which the caller has not been informed.
    closed: Vec<Uri>,
}

impl Server {
    /// A server that waits for `initialize`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Processes a message, with all analyses, on the calling thread, and returns the answers.
    /// Callers with threads use [`Self::receive`], [`Self::take_tasks`] and [`Self::done`] instead.
    pub fn respond(&mut self, text: &str) -> Vec<String> {
        self.receive(Incoming::read(text.as_bytes()));
        for task in self.take_tasks() {
            self.done(task.index());
            self.done(task.check());
        }
        self.take_messages()
    }

    /// Processes a message from the client.
    pub fn receive(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Request(request) => self.request(request),
            Incoming::Notification(n) if n.method == "exit" => self.is_over = true,
            Incoming::Notification(n) if self.phase == Phase::Running => self.notification(n),
            Incoming::Notification(_) => {}
            Incoming::Refused(answer) => self.send(&answer),
        }
    }

    /// Takes the messages for the client, in order.
    pub fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.out)
    }

    /// Takes the URIs of closed documents, whose tasks need not be executed any more.
    pub fn take_closed(&mut self) -> Vec<Uri> {
        std::mem::take(&mut self.closed)
    }

    /// Whether the client has sent `exit`, after which nothing is answered.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether the client has sent `shutdown`, as it must before `exit`.
    pub fn was_shut_down(&self) -> bool {
        self.phase == Phase::Ended
    }

    // Handling of requests.

    fn request(&mut self, request: Request) {
        let refuse = |code, text: &str| Err(Failure::new(code, text));
        let answer = match (self.phase, request.method.as_str()) {
            (Phase::New, "initialize") => return self.initialize(&request),
            (Phase::New, _) => {
                refuse(ErrorCode::ServerNotInitialized, "`initialize` is the first request")
            }
            (Phase::Running, "initialize") => {
                refuse(ErrorCode::InvalidRequest, "the server is already initialized")
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::Ended;
                Ok(Value::Null)
            }
            (Phase::Running, _) => return self.about_document(request),
            (Phase::Ended, _) => {
                refuse(ErrorCode::InvalidRequest, "the server was shut down; `exit` ends it")
            }
        };
        self.answer(&request.id, answer);
    }

    /// Handles a request about a document: answers it now, or once the needed results are finished.
    fn about_document(&mut self, request: Request) {
        let Some((need, handler)) = answers::method(&request.method) else {
            let message = format!("unknown method `{}`", request.method);
            return self.answer(&request.id, Err(Failure::new(ErrorCode::MethodNotFound, message)));
        };
        let uri = request.params.pointer("/textDocument/uri").and_then(Value::as_str);
        let uri = uri.and_then(|text| text.parse::<Uri>().ok());
        let open = uri.filter(|uri| self.documents.contains_key(uri));
        let Some(uri) = open else {
            let failure = Failure::new(ErrorCode::InvalidParams, "the document is not open");
            return self.answer(&request.id, Err(failure));
        };
        if self.documents.get(&uri).is_some_and(|d| d.is_broken && !d.has(need)) {
            return self.answer(&request.id, Err(bug()));
        }
        self.waiting.push(Waiting { request, uri: uri.clone(), need, handler });
        self.answer_waiting(&uri);
    }

    /// Answers the waiting requests about a document whose analysis results are finished.
    fn answer_waiting(&mut self, uri: &Uri) {
        let Some(document) = self.documents.get(uri) else { return };
        let is_ready = |w: &mut Waiting| w.uri == *uri && document.has(w.need);
        let now: Vec<_> = self.waiting.extract_if(.., is_ready).collect();
        for Waiting { request, handler, .. } in now {
            let Some(view) = self.view(uri) else { continue };
            let work = || handler(&view, request.params);
            let answer = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(bug()));
            self.answer(&request.id, answer);
        }
    }

    /// Answers all waiting requests about a document with an error.
    fn fail_waiting(&mut self, uri: &Uri, failure: fn() -> Failure) {
        let now: Vec<_> = self.waiting.extract_if(.., |w| w.uri == *uri).collect();
        for waiting in now {
            self.answer(&waiting.request.id, Err(failure()));
        }
    }

    fn view<'a>(&'a self, uri: &'a Uri) -> Option<View<'a>> {
        let document = self.documents.get(uri)?;
        Some(View {
            target: self.target(uri, document),
            index: document.index.as_ref()?,
            diagnostics: document.diagnostics.as_deref().unwrap_or_default(),
            client: self.client,
        })
    }

    fn target<'a>(&'a self, uri: &'a Uri, document: &'a Document) -> Target<'a> {
        Target {
            uri,
            version: document.version,
            text: &document.text,
            encoding: self.encoding,
            versioned_edits: self.client.versioned_edits,
        }
    }

    fn answer(&mut self, id: &RequestId, answer: Answer) {
        let message = match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Failure { code, message }) => message::failure(&json!(id), code, &message),
        };
        self.send(&message);
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn show(&mut self, kind: MessageType, message: &str) {
        let message = format!("texunit: {message}");
        self.notify("window/showMessage", json!({ "type": kind, "message": message }));
    }

    fn send(&mut self, message: &Value) {
        self.out.push(message.to_string());
    }

    fn initialize(&mut self, request: &Request) {
        if !request.params.is_object() {
            let message = "expected an object with `capabilities`";
            return self.answer(&request.id, Err(Failure::new(ErrorCode::InvalidParams, message)));
        }
        let capability = |path: &str| request.params.pointer(&format!("/capabilities{path}"));
        let has = |path: &str, word: &str| {
            let list = capability(path).and_then(Value::as_array);
            list.is_some_and(|list| list.iter().any(|v| v.as_str() == Some(word)))
        };
        let is = |path: &str| capability(path).and_then(Value::as_bool).unwrap_or(false);
        if has("/general/positionEncodings", "utf-8") {
            self.encoding = Encoding::Utf8;
        }
        self.client = Client {
            markdown_hover: has("/textDocument/hover/contentFormat", "markdown"),
            markdown_completion: has(
                "/textDocument/completion/completionItem/documentationFormat",
                "markdown",
            ),
            symbol_tree: is("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            versioned_edits: is("/workspace/workspaceEdit/documentChanges"),
        };
        let rename = match is("/textDocument/rename/prepareSupport") {
            true => json!({ "prepareProvider": true }),
            false => json!(true),
        };
        let settings = request.params.get("initializationOptions").unwrap_or(&Value::Null);
        let (config, wrong) = Config::new(settings);
        self.config = Arc::new(config);
        self.phase = Phase::Running;
        let result = json!({
            "capabilities": capabilities(self.encoding, rename),
            "serverInfo": { "name": "texunit", "version": env!("CARGO_PKG_VERSION") },
        });
        self.answer(&request.id, Ok(result));
        wrong.iter().for_each(|message| self.show(MessageType::ERROR, message));
    }
}

fn modified() -> Failure {
    Failure::new(ErrorCode::ContentModified, "the document has changed")
}

fn bug() -> Failure {
    Failure::new(
        ErrorCode::InternalError,
        "internal error in texunit; standard error has the details",
    )
}

fn capabilities(encoding: Encoding, rename: Value) -> Value {
    json!({
        "positionEncoding": encoding.kind(),
        "textDocumentSync": { "openClose": true, "change": 2 },
        "hoverProvider": true,
        "definitionProvider": true,
        "declarationProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "completionProvider": { "triggerCharacters": [".", "%", "$", "@", ":"] },
        "codeActionProvider": { "codeActionKinds": [CodeActionKind::QUICKFIX, FIX_ALL] },
        "renameProvider": rename,
    })
}

#[cfg(test)]
mod tests;
