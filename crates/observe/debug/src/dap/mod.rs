//! The Debug Adapter Protocol while a launch is stopped: requests, responses and events.
//!
//! `texunit dap` owns the stream and handles requests before a program runs (`cli::dap`). It
//! forwards requests about a running program unchanged, and numbers the messages that come back.
//! Breakpoints that are set before a launch go into [`Settings`] (`config`).

mod code;
pub(crate) mod config;
pub(crate) mod requests;
mod stopped;
mod tree;

use crate::session::{Live, Settings};
use serde_json::{Value as Json, json};

/// The response to a request. An error carries `id`, a number that tells where in the adapter it
/// arose.
pub fn response(request: &Json, result: Result<Json, String>, id: u32) -> Json {
    let mut response = json!({
        "type": "response",
        "request_seq": request["seq"],
        "command": request["command"],
        "success": result.is_ok(),
    });
    match result {
        Ok(body) => response["body"] = body,
        Err(message) => {
            response["body"] = json!({ "error": { "id": id, "format": message } });
            response["message"] = json!(message);
        }
    }
    response
}

impl Settings {
    /// Whether an editor controls the session, and not a terminal.
    pub fn is_dap(&self) -> bool {
        self.editor.is_some()
    }
}

impl Live<'_, '_> {
    pub(crate) fn event(&mut self, name: &str, body: &Json) {
        self.console.send(json!({ "type": "event", "event": name, "body": body }));
    }

    /// Sends terminal output to the editor's debug console.
    pub(crate) fn say(&mut self, text: &str) {
        if let Some(captured) = &mut self.session.dap.captured {
            captured.push_str(text);
        } else if self.session.settings.is_dap() {
            if !text.is_empty() {
                self.event("output", &json!({ "category": "console", "output": text }));
            }
        } else {
            self.console.write(text);
        }
    }

    pub(crate) fn fail(&mut self, text: &str) {
        match &mut self.session.dap.captured {
            Some(captured) => captured.push_str(text),
            None => self.console.failed(text),
        }
    }

    /// Executes a request of an editor.
    pub(crate) fn dap(&mut self, request: &Json) {
        let command = request.get("command").and_then(Json::as_str).unwrap_or("").to_owned();
        let arguments = request.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let result = self.answer(&command, &arguments);
        if request.get("quiet").is_some() {
            return;
        }
        self.console.send(response(request, result, 1));
        // The response precedes the events that follow from continuing.
        if let Some(run) = self.pending.take() {
            self.goes_on(run);
        }
    }
}
