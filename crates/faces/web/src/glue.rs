//! The JavaScript interface of a session, which wasm-bindgen generates.

use crate::Session;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Passes the message of a panic to the worker, because the trap that follows has none.
    #[wasm_bindgen(js_name = texunitPanicked)]
    fn panicked(message: &str);
}

/// A session, with the bytes of its last answer, which JavaScript takes separately.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Texunit {
    session: Session,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Texunit {
    /// Creates a session, and installs the panic hook.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default, reason = "JavaScript has no Default")]
    pub fn new() -> Self {
        std::panic::set_hook(Box::new(|info| panicked(&info.to_string())));
        Self { session: Session::new(), bytes: Vec::new() }
    }

    /// Calls a method; returns the JSON of the answer. [`Self::bytes`] takes the bytes of the
    /// answer.
    pub fn ask(&mut self, method: &str, parameters: &str, bytes: Vec<u8>) -> String {
        let answer = self.session.ask(method, parameters, bytes);
        self.bytes = answer.bytes;
        answer.json
    }

    /// Takes the bytes of the last answer, which are then empty.
    pub fn bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}
