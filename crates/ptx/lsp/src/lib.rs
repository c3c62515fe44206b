//! A language server for PTX without a transport: messages go in and come out as text.
//!
//! It supports diagnostics with corrections, hover, definitions, references, highlights, outline,
//! completion and renaming, for documents that the client has opened; each document is analysed
//! alone. The crate does not read files, start threads or read the clock, so it runs on wasm32 too.
//! Long-running analyses are returned as [`Task`]s, which the caller may run on any thread;
//! [`Server::respond`] runs them immediately. The caller (`texunit lsp`) is responsible for message
//! framing, threads and process exit. Formatting and files that are not open are not supported.
//! docs/lsp.md is the user documentation.
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
mod cursor;
mod doc;
mod document;
mod hover;
mod index;
mod instruction;
mod message;
mod names;
mod server;
mod task;
pub mod words;

pub use lsp_types::Uri;
pub use message::{ErrorCode, Incoming, Notification, Request, RequestId};
pub use server::Server;
pub use task::{Task, TaskResult};
