//! The client: framing, requests, and waiting with a limit.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A maximum for busy machines; no operation takes this long otherwise.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

pub(crate) const URI: &str = "file:///folder/k.ptx";

/// A server with its messages.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that were received while waiting for another one.
    kept: VecDeque<Value>,
    next_id: i32,
    version: i32,
}

impl Client {
    /// Starts a server.
    pub(crate) fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_texunit"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, messages, kept: VecDeque::new(), next_id: 0, version: 0 }
    }

    /// Starts and initialises a server.
    pub(crate) fn ready(initialize: Value) -> Self {
        let mut client = Self::start();
        client.request("initialize", initialize).unwrap();
        client.notify("initialized", json!({}));
        client
    }

    /// A server for a client with all capabilities and columns in bytes.
    pub(crate) fn modern() -> Self {
        Self::ready(json!({
            "processId": null,
            "rootUri": null,
            "capabilities": {
                "general": { "positionEncodings": ["utf-8", "utf-16"] },
                "workspace": { "workspaceEdit": { "documentChanges": true } },
                "textDocument": {
                    "hover": { "contentFormat": ["markdown", "plaintext"] },
                    "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                    "rename": { "prepareSupport": true },
                },
            },
        }))
    }

    /// Sends bytes.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting. Returns its number.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i32 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the response to a request: its result, or its error code.
    pub(crate) fn answer(&mut self, id: Value) -> Result<Value, i64> {
        let message = self.wait(|m| m.get("method").is_none() && m["id"] == id);
        match message.get("error") {
            Some(error) => {
                assert!(error["message"].as_str().is_some_and(|m| !m.is_empty()), "{error}");
                Err(error["code"].as_i64().unwrap())
            }
            None => Ok(message.get("result").unwrap().clone()),
        }
    }

    /// Sends a request and waits for its response.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, i64> {
        let id = self.ask(method, params);
        self.answer(json!(id))
    }

    /// Waits for a message; others are stored.
    pub(crate) fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&wanted) {
            return self.kept.remove(at).unwrap();
        }
        let end = Instant::now() + LIMIT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok(message) if wanted(&message) => return message,
                Ok(message) => self.kept.push_back(message),
                Err(RecvTimeoutError::Timeout) => panic!("no answer; {:?}", self.kept),
                Err(RecvTimeoutError::Disconnected) => panic!("the server has gone away"),
            }
        }
    }

    /// Waits for a notification. Returns its parameters.
    pub(crate) fn wait_for(&mut self, method: &str) -> Value {
        self.wait(|m| m["method"] == method)["params"].clone()
    }

    /// Opens the document.
    pub(crate) fn open(&mut self, text: &str) {
        self.version = 1;
        let item = json!({ "uri": URI, "languageId": "ptx", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
    }

    /// Changes the document.
    pub(crate) fn change(&mut self, changes: Value) {
        self.version += 1;
        let document = json!({ "uri": URI, "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }

    /// Waits for the diagnostics of the current text.
    pub(crate) fn diagnostics(&mut self) -> Vec<Value> {
        let version = self.version;
        let message = self.wait(|m| {
            m["method"] == "textDocument/publishDiagnostics" && m["params"]["version"] == version
        });
        assert_eq!(message["params"]["uri"], URI);
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// Sends a request about a position in the document.
    pub(crate) fn at(&mut self, method: &str, line: u32, character: u32) -> Result<Value, i64> {
        self.request(method, place(line, character))
    }

    /// Closes the input and waits for the end. Returns the exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.input = None;
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < end, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Shuts the server down as the protocol requires. Returns the exit code.
    pub(crate) fn quit(mut self) -> Option<i32> {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.notify("exit", Value::Null);
        self.end()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A position in the document.
pub(crate) fn place(line: u32, character: u32) -> Value {
    json!({
        "textDocument": { "uri": URI },
        "position": { "line": line, "character": character },
    })
}

/// A range.
pub(crate) fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    json!({
        "start": { "line": from.0, "character": from.1 },
        "end": { "line": to.0, "character": to.1 },
    })
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.strip_suffix("\r\n").expect("headers end with CR LF");
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ").expect("a header");
        assert_eq!(name, "Content-Length");
        length = value.parse().ok();
    }
    let mut bytes = vec![0; length.expect("a length")];
    output.read_exact(&mut bytes).ok()?;
    let message: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(message["jsonrpc"], "2.0");
    Some(message)
}
