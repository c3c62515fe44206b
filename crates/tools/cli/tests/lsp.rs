//! Tests `texunit lsp` with a scripted client that starts the program and communicates over pipes.
#![allow(clippy::unwrap_used)]

#[path = "lsp/client.rs"]
mod client;
#[path = "lsp/features.rs"]
mod features;
#[path = "lsp/hostile.rs"]
mod hostile;
#[path = "lsp/protocol.rs"]
mod protocol;
