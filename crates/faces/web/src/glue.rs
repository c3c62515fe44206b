//! The session as JavaScript sees it.

use crate::Session;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Where the worker keeps the words of a panic: the trap that follows carries none.
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
    /// A new session. From here on panics are reported to the worker.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default, reason = "JavaScript has no Default")]
    pub fn new() -> Self {
        std::panic::set_hook(Box::new(|info| panicked(&info.to_string())));
        Self { session: Session::new(), bytes: Vec::new() }
    }

    /// Asks for something; the answer's JSON. Its bytes are taken by [`Self::bytes`].
    pub fn ask(&mut self, method: &str, parameters: &str, bytes: Vec<u8>) -> String {
        let answer = self.session.ask(method, parameters, bytes);
        self.bytes = answer.bytes;
        answer.json
    }

    /// The bytes of the last answer, once.
    pub fn bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}
