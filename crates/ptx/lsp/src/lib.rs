//! A language server for PTX without its transport: messages go in as text, messages come out as
//! text.
//!
//! Diagnostics with corrections, hover, definitions, references, highlights, outline, completion
//! and renaming, of the documents that the client has opened; each is looked at alone. Nothing here
//! reads files, starts threads or asks for the time, so it runs on wasm32 too. What takes time comes
//! out as [`Task`]s, which the caller does where it likes; [`Server::respond`] does them at once.
//! Framing, threads and the end of the program are the caller's (`texunit lsp`). Formatting and files
//! that are not open are left out. docs/lsp.md is for users.
//!
//! ```
//! use texunit_lsp::Server;
//!
//! let mut server = Server::new();
//! let said = server.respond(r#"{"id":1,"method":"initialize","params":{"capabilities":{}}}"#);
//! assert!(said[0].contains("hoverProvider"));
//! let said = server.respond(
//!     r#"{"method":"textDocument/didOpen","params":{"textDocument":
//!        {"uri":"a:a","languageId":"ptx","version":1,"text":".version 8.0\n.target sm_7"}}}"#,
//! );
//! assert!(said[0].contains("textDocument/publishDiagnostics") && said[0].contains("sm_7"));
//! ```

mod actions;
mod answers;
mod completion;
mod config;
mod definition;
mod doc;
mod document;
mod hover;
mod index;
mod instruction;
mod message;
mod scan;
mod server;
mod symbols;
mod task;
pub mod words;

pub use lsp_types::Uri;
pub use message::{ErrorCode, Incoming, Notification, Request, RequestId};
pub use server::Server;
pub use task::{Task, TaskResult};
