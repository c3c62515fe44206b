//! The state of a worker, and the dispatch of methods.

use crate::fetch::{CachedTexture, UserFile};
use crate::kernel::{Files, Run};
use crate::{area, fetch, kernel, picture, ptx, txd};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use texunit_lsp::Server;
use texunit_unit::Texture;

/// The state that the page's worker keeps between calls.
#[derive(Debug, Default)]
pub struct Session {
    /// The file that the user has opened, for `tex=own`.
    pub(crate) own: Option<UserFile>,
    /// The texture that was created last, with its keys.
    pub(crate) made: Option<CachedTexture>,
    /// The files of the page's job.
    pub(crate) files: Files,
    /// The kernel that was started last.
    pub(crate) run: Option<Run>,
    /// Textures of explained fetches that no keys describe; their numbers are indices.
    pub(crate) subjects: Vec<Arc<Texture>>,
    lsp: Server,
}

/// The answer of a method: JSON, and bytes.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// A JSON object; on failure its only member is `error`.
    pub json: String,
    /// Bytes of the answer: pixels, numbers or a file.
    pub bytes: Vec<u8>,
}

/// Why a method has refused a call, which is always an invalid input.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Refusal {
    /// The message that says what is wrong.
    pub message: String,
    /// The key with the invalid value.
    pub key: Option<&'static str>,
    /// Advice for a valid input.
    pub help: Option<String>,
}

impl Refusal {
    /// A refusal that no key is to blame for.
    pub fn new(message: impl ToString) -> Self {
        // Dashes before options are removed from the message, because keys are named like options
        // without dashes.
        Self { message: message.to_string().replace("--", ""), ..Self::default() }
    }

    /// A refusal because of the value of a key.
    pub fn of(key: &'static str, message: impl ToString) -> Self {
        Self { key: Some(key), ..Self::new(message) }
    }
}

/// The result of a method: JSON and bytes, or a refusal.
pub(crate) type MethodResult = Result<(Value, Vec<u8>), Refusal>;

impl Session {
    /// A session without file, texture and kernel.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls the method with this name. Its parameters are a JSON object.
    pub fn ask(&mut self, method: &str, parameters: &str, bytes: Vec<u8>) -> Answer {
        match self.given(method, parameters, bytes) {
            Ok((value, bytes)) => Answer { json: value.to_string(), bytes },
            Err(refusal) => {
                Answer { json: json!({ "error": refusal }).to_string(), bytes: Vec::new() }
            }
        }
    }

    fn given(&mut self, method: &str, text: &str, bytes: Vec<u8>) -> MethodResult {
        match method {
            "file" => fetch::file(self, read(text)?, bytes),
            "explain" => fetch::explain(self, &read(text)?),
            "svg" => fetch::svg(self, &read(text)?),
            "source" => fetch::source(self, &read(text)?),
            "picture" => picture::picture(self, &read(text)?),
            "area" => area::area(self, &read(text)?),
            "ptx" => ptx::read(&read::<ptx::Text>(text)?),
            "words" => Ok((fetch::words(), Vec::new())),
            "lsp" => self.lsp(&read(text)?),
            "hold" => kernel::hold(self, read(text)?, bytes),
            "start" => kernel::start(self, &read(text)?),
            "run" => kernel::run(self, &read(text)?),
            "output" => kernel::output(self, &read(text)?),
            "pixel" => kernel::pixel(self, &read(text)?),
            "txd" => txd::word(&read(text)?),
            "execute" => txd::execute(self, &read(text)?),
            _ => Err(Refusal::new(format!("unknown method `{method}`"))),
        }
    }

    fn lsp(&mut self, Message { message }: &Message) -> MethodResult {
        let messages = self.lsp.respond(message);
        Ok((json!({ "messages": messages }), Vec::new()))
    }
}

#[derive(Deserialize)]
struct Message {
    message: String,
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    serde_json::from_str(text).map_err(|e| Refusal::new(format!("invalid parameters: {e}")))
}
