//! The WebAssembly side of the browser playground (`web/`).
//!
//! A [`Session`] is the state of the page's worker: textures, the language server, a running
//! kernel. A call has a method's name, parameters as JSON, and bytes; the answer is JSON and bytes.
//! `web/src/protocol.ts` has the types of both. Only `glue` depends on the browser, so that tests
//! run on the host.
//!
//! | method | what for |
//! |---|---|
//! | `file` | a user's texture, held in memory until the next one |
//! | `explain`, `svg` | a fetch or surface access, from the keys of a link |
//! | `picture` | texels of a level as colours |
//! | `area` | rows of an area by the hardware's rules and by exact weights |
//! | `source` | the texels as a file, and the command line that explains them |
//! | `ptx` | the keys of an instruction that is written as PTX |
//! | `words` | the allowed values of the form's fields |
//! | `lsp` | a message to the language server |
//! | `start`, `run`, `output`, `pixel` | a kernel: started, run range by range, its results, one thread of it |
//! | `txd`, `execute` | a machine word, and what it fetches |
//!
//! Invalid input gives an answer with a member `error`. User input neither panics nor allocates
//! without limit: textures are limited to [`fetch::MAX_BYTES`], pictures to [`picture::MAX_EDGE`]
//! texels per edge.

mod access;
pub mod area;
pub mod builtin;
mod command;
pub mod fetch;
#[cfg(target_arch = "wasm32")]
mod glue;
mod kernel;
pub mod keys;
mod methods;
pub mod picture;
mod ptx;
mod refusal;
mod session;
mod txd;
mod writers;

pub use methods::Answer;
pub use refusal::Refusal;
pub use session::Session;
