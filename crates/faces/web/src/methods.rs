//! The dispatch of methods.

use crate::refusal::{BytesResult, MethodResult, Refusal};
use crate::session::Session;
use crate::{area, fetch, kernel, picture, ptx, txd};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// The answer of a method: JSON, and bytes.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// A JSON object; on failure its only member is `error`.
    pub json: String,
    /// Bytes of the answer: pixels, numbers or a file.
    pub bytes: Vec<u8>,
}

impl Session {
    /// Calls the method with this name. Its parameters are a JSON object.
    pub fn ask(&mut self, method: &str, parameters: &str, bytes: Vec<u8>) -> Answer {
        match self.given(method, parameters, bytes) {
            Ok((value, bytes)) => Answer { json: value.to_string(), bytes },
            Err(refusal) => {
                Answer { json: json!({ "error": refusal }).to_string(), bytes: Vec::new() }
            }
        }
    }

    fn given(&mut self, method: &str, text: &str, bytes: Vec<u8>) -> BytesResult {
        let json = match method {
            "source" => return fetch::source(self, &read(text)?),
            "picture" => return picture::picture(self, &read(text)?),
            "area" => return area::area(self, &read(text)?),
            "output" => return kernel::output(self, &read(text)?),
            "file" => fetch::file(self, read(text)?, bytes),
            "explain" => fetch::explain(self, &read(text)?),
            "svg" => fetch::svg(self, &read(text)?),
            "ptx" => ptx::read(&read::<ptx::Text>(text)?),
            "words" => Ok(fetch::words()),
            "lsp" => self.lsp(&read(text)?),
            "hold" => kernel::hold(self, read(text)?, bytes),
            "start" => kernel::start(self, &read(text)?),
            "run" => kernel::run(self, &read(text)?),
            "pixel" => kernel::pixel(self, &read(text)?),
            "txd" => txd::word(&read(text)?),
            "execute" => txd::execute(self, &read(text)?),
            _ => Err(Refusal::new(format!("unknown method `{method}`"))),
        };
        json.map(|json| (json, Vec::new()))
    }

    fn lsp(&mut self, Message { message }: &Message) -> MethodResult {
        Ok(json!({ "messages": self.lsp.respond(message) }))
    }
}

#[derive(Deserialize)]
struct Message {
    message: String,
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    serde_json::from_str(text).map_err(|e| Refusal::new(format!("invalid parameters: {e}")))
}
