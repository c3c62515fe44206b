//! The loop of the server: the protocol's life cycle, open documents, who waits for what.
//!
//! Everything that takes time happens in two workers; the loop only edits texts and answers from
//! finished results. A request about a document whose index is not finished waits for it, and
//! fails with `ContentModified` if the document changes before.

mod documents;

use super::actions::{FIX_ALL, Target};
use super::answers::{self, Answer, Client, Failure, Need, View};
use super::config::Config;
use super::document::{Encoding, Text};
use super::index::Index;
use super::transport::{self, Incoming};
use super::worker::{self, Done, Worker};
use lsp_server::{ErrorCode, Message, Request, RequestId};
use lsp_types::{CodeActionKind, MessageType, Uri};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use texunit_syntax::Diagnostic;

/// What the loop reacts to.
enum Event {
    Incoming(Incoming),
    Done(Done),
    /// The client has closed its end.
    End,
}

/// Serves a client until it leaves; the exit code.
pub(crate) fn serve<R: Read>(input: impl FnOnce() -> R + Send + 'static, output: impl Write) -> u8 {
    let (sender, events) = channel();
    let started = start(input, sender, output);
    let Ok(mut server) = started else { return crate::BUG };
    let code = server.run(&events);
    // A client that has gone away without a word is the client's failure.
    code.unwrap_or(crate::FAILED)
}

fn start<R: Read, W: Write>(
    input: impl FnOnce() -> R + Send + 'static,
    sender: Sender<Event>,
    out: W,
) -> io::Result<Server<W>> {
    let indexer = Worker::start("index", sender.clone(), Event::Done, worker::index)?;
    let checker = Worker::start("check", sender.clone(), Event::Done, worker::check)?;
    std::thread::Builder::new().name("input".into()).spawn(move || {
        let mut input = io::BufReader::with_capacity(1 << 16, input());
        while let Ok(Some(incoming)) = transport::read(&mut input) {
            if sender.send(Event::Incoming(incoming)).is_err() {
                return;
            }
        }
        let _ = sender.send(Event::End);
    })?;
    Ok(Server {
        out,
        phase: Phase::New,
        encoding: Encoding::default(),
        client: Client::default(),
        config: Arc::default(),
        documents: HashMap::new(),
        revisions: 0,
        waiting: Vec::new(),
        indexer,
        checker,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    /// After `shutdown`.
    Ended,
}

struct Document {
    text: Text,
    /// The client's number of the text.
    version: i32,
    /// Ours: it changes with the settings, too.
    revision: u64,
    /// Whether the workers have been told.
    is_posted: bool,
    /// The index of this very text.
    index: Option<Index>,
    /// The mistakes of this very text.
    diagnostics: Option<Vec<Diagnostic>>,
    /// Whether a worker panicked over this very text: what is not there will never be.
    is_broken: bool,
}

impl Document {
    fn new(text: Text, version: i32, revision: u64) -> Self {
        let (is_posted, is_broken) = (false, false);
        let (index, diagnostics) = (None, None);
        Self { text, version, revision, is_posted, index, diagnostics, is_broken }
    }

    /// Forgets what was found: the text, or how it is looked at, has changed.
    fn renew(&mut self, revision: u64) {
        self.revision = revision;
        (self.is_posted, self.is_broken) = (false, false);
        (self.index, self.diagnostics) = (None, None);
    }

    /// Whether a request can be answered.
    fn has(&self, need: Need) -> bool {
        match need {
            Need::Index => self.index.is_some(),
            Need::Diagnostics => self.index.is_some() && self.diagnostics.is_some(),
        }
    }
}

/// A request that waits for a worker.
struct Waiting {
    request: Request,
    uri: Uri,
    need: Need,
}

struct Server<W> {
    out: W,
    phase: Phase,
    encoding: Encoding,
    client: Client,
    config: Arc<Config>,
    documents: HashMap<Uri, Document>,
    revisions: u64,
    waiting: Vec<Waiting>,
    indexer: Worker,
    checker: Worker,
}

impl<W: Write> Server<W> {
    /// Handles events until the client leaves.
    fn run(&mut self, events: &Receiver<Event>) -> io::Result<u8> {
        loop {
            // Changes that wait are all made before the text is looked at.
            let event = match events.try_recv() {
                Ok(event) => event,
                Err(TryRecvError::Empty) => {
                    self.post();
                    events.recv().unwrap_or(Event::End)
                }
                Err(TryRecvError::Disconnected) => Event::End,
            };
            let end = match event {
                Event::End => Some(self.exit_code()),
                Event::Done(done) => self.done(done).map(|()| None)?,
                Event::Incoming(Incoming::Refused(answer)) => {
                    transport::write(&mut self.out, &answer).map(|()| None)?
                }
                Event::Incoming(Incoming::Message(message)) => self.message(message)?,
            };
            if let Some(code) = end {
                return Ok(code);
            }
        }
    }

    fn exit_code(&self) -> u8 {
        if self.phase == Phase::Ended { 0 } else { crate::FAILED }
    }

    fn message(&mut self, message: Message) -> io::Result<Option<u8>> {
        match message {
            Message::Request(request) => self.request(request).map(|()| None),
            Message::Notification(n) if n.method == "exit" => Ok(Some(self.exit_code())),
            Message::Notification(n) if self.phase == Phase::Running => {
                self.notification(n).map(|()| None)
            }
            Message::Notification(_) | Message::Response(_) => Ok(None),
        }
    }

    // Requests

    fn request(&mut self, request: Request) -> io::Result<()> {
        let refuse = |code, text: &str| Err(Failure::new(code, text));
        let answer = match (self.phase, request.method.as_str()) {
            (Phase::New, "initialize") => return self.initialize(request),
            (Phase::New, _) => {
                refuse(ErrorCode::ServerNotInitialized, "`initialize` is the first request")
            }
            (Phase::Running, "initialize") => {
                refuse(ErrorCode::InvalidRequest, "the server is initialized already")
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
        self.answer(request.id, answer)
    }

    /// A request about a document: answered now, or when its index is finished.
    fn about_document(&mut self, request: Request) -> io::Result<()> {
        let Some(need) = answers::need(&request.method) else {
            let message = format!("there is no method `{}`", request.method);
            return self.answer(request.id, Err(Failure::new(ErrorCode::MethodNotFound, message)));
        };
        let uri = request.params.pointer("/textDocument/uri").and_then(Value::as_str);
        let uri = uri.and_then(|text| text.parse::<Uri>().ok());
        let open = uri.filter(|uri| self.documents.contains_key(uri));
        let Some(uri) = open else {
            let failure = Failure::new(ErrorCode::InvalidParams, "the document is not open");
            return self.answer(request.id, Err(failure));
        };
        if self.documents.get(&uri).is_some_and(|d| d.is_broken && !d.has(need)) {
            return self.answer(request.id, Err(bug()));
        }
        self.waiting.push(Waiting { request, uri: uri.clone(), need });
        self.answer_waiting(&uri)
    }

    /// Answers the requests about a document that need not wait any more.
    fn answer_waiting(&mut self, uri: &Uri) -> io::Result<()> {
        let Some(document) = self.documents.get(uri) else { return Ok(()) };
        let (now, later) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|w| w.uri == *uri && document.has(w.need));
        self.waiting = later;
        for Waiting { request, .. } in now {
            let Some(view) = self.view(uri) else { continue };
            let work = || answers::answer(&request.method, request.params, &view);
            let answer = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(bug()));
            self.answer(request.id, answer)?;
        }
        Ok(())
    }

    /// Fails the requests that wait for a document.
    fn fail_waiting(&mut self, uri: &Uri, failure: fn() -> Failure) -> io::Result<()> {
        let (now, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.waiting).into_iter().partition(|w| w.uri == *uri);
        self.waiting = later;
        now.into_iter().try_for_each(|w| self.answer(w.request.id, Err(failure())))
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

    fn answer(&mut self, id: RequestId, answer: Answer) -> io::Result<()> {
        let message = match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Failure { code, message }) => json!({
                "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message },
            }),
        };
        transport::write(&mut self.out, &message)
    }

    fn notify(&mut self, method: &str, params: Value) -> io::Result<()> {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        transport::write(&mut self.out, &message)
    }

    fn show(&mut self, kind: MessageType, message: &str) -> io::Result<()> {
        let message = format!("texunit: {message}");
        self.notify("window/showMessage", json!({ "type": kind, "message": message }))
    }

    fn initialize(&mut self, request: Request) -> io::Result<()> {
        if !request.params.is_object() {
            let message = "expected an object with `capabilities`";
            let failure = Failure::new(ErrorCode::InvalidParams, message);
            return self.answer(request.id, Err(failure));
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
        self.answer(request.id, Ok(result))?;
        wrong.iter().try_for_each(|message| self.show(MessageType::ERROR, message))
    }
}

fn modified() -> Failure {
    Failure::new(ErrorCode::ContentModified, "the document has changed")
}

fn bug() -> Failure {
    Failure::new(ErrorCode::InternalError, "this is a bug in texunit; standard error has more")
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
#[allow(clippy::unwrap_used)]
mod tests;
