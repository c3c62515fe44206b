//! The Debug Adapter Protocol while a launch is stopped: requests, responses and events.
//!
//! `texunit dap` owns the stream and handles requests before a program runs (`cli::dap`). It
//! forwards all others unchanged, and numbers the messages that come back. Breakpoints that are set
//! before a launch go into [`Settings`] (`config`).

mod code;
pub(crate) mod config;
pub(crate) mod requests;
mod stopped;
mod tree;

use crate::session::{Live, Settings};
use serde_json::{Value as Json, json};

impl Settings {
    /// Whether the user is an editor.
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
        let result = self.asked(&command, &arguments);
        if request.get("quiet").is_some() {
            return;
        }
        let (success, body, message) = match result {
            Ok(body) => (true, body, None),
            Err(message) => (false, json!({}), Some(message)),
        };
        let mut response = json!({
            "type": "response",
            "request_seq": request.get("seq").cloned().unwrap_or(Json::Null),
            "success": success,
            "command": command,
            "body": body,
        });
        if let Some(message) = message {
            response["message"] = json!(message);
            response["body"] = json!({ "error": { "id": 1, "format": message } });
        }
        self.console.send(response);
        // The response precedes the events that follow from continuing.
        if let Some(run) = self.pending.take() {
            self.goes_on(run);
        }
    }
}
