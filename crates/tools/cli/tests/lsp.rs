//! `texunit lsp` as an editor sees it: a scripted client that starts the program and talks to it
//! over pipes.
#![allow(clippy::unwrap_used)]

#[path = "lsp/client.rs"]
mod client;
#[path = "lsp/features.rs"]
mod features;
#[path = "lsp/hostile.rs"]
mod hostile;
#[path = "lsp/protocol.rs"]
mod protocol;
