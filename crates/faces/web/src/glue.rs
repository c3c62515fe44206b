//! The JavaScript interface of a session.

use crate::Session;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Passes a panic's message to the worker, since the following trap has none.
    #[wasm_bindgen(js_name = texunitPanicked)]
    fn panicked(message: &str);
}

/// A session, with the bytes of its last answer.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Texunit {
    session: Session,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Texunit {
    /// A new session; installs the panic hook.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default, reason = "JavaScript has no Default")]
    pub fn new() -> Self {
        std::panic::set_hook(Box::new(|info| panicked(&info.to_string())));
        Self { session: Session::new(), bytes: Vec::new() }
    }

    /// Calls a method; returns the answer's JSON. [`Self::bytes`] takes its bytes.
    pub fn ask(&mut self, method: &str, parameters: &str, bytes: Vec<u8>) -> String {
        let answer = self.session.ask(method, parameters, bytes);
        self.bytes = answer.bytes;
        answer.json
    }

    /// Takes the bytes of the last answer.
    pub fn bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}
