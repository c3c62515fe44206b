//! What the playground in the browser (`web/`) asks texunit for.
//!
//! A [`Session`] is what a worker of the page has: textures, the language server, a kernel under way. It is asked by a
//! method's name, parameters as JSON, and bytes, and answers with JSON and bytes; `web/src/protocol.ts` has the types of
//! both. Nothing here knows of a browser but `glue`, so the tests run on the host.
//!
//! | method | what for |
//! |---|---|
//! | `file` | a user's texture, held in memory until the next one |
//! | `explain`, `svg` | a fetch or surface access, from the keys of a link |
//! | `picture` | texels of a level as colours |
//! | `area` | rows of an area by the hardware's rules and by exact weights |
//! | `source` | the texels as a file, and the command line that explains them |
//! | `ptx` | the keys of an instruction that is written as PTX |
//! | `words` | what the fields of the form can be set to |
//! | `lsp` | a message to the language server |
//! | `start`, `run`, `output`, `pixel` | a kernel: made ready, run range by range, its results, one thread of it |
//! | `txd`, `execute` | a machine word, and what it fetches |
//!
//! Wrong input is an answer with a member `error`. What a user hands in neither panics nor takes memory without
//! bound: textures are limited to [`fetch::MAX_BYTES`], pictures to [`picture::MAX_EDGE`] texels an edge.

pub mod area;
pub mod builtin;
mod command;
pub mod fetch;
#[cfg(target_arch = "wasm32")]
mod glue;
mod kernel;
pub mod keys;
pub mod picture;
mod ptx;
mod session;
mod txd;
mod writers;

pub use session::{Answer, Refusal, Session};
