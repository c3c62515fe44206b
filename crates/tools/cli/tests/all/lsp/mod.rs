//! Tests `texunit lsp` with a scripted client that starts the program and communicates over pipes.

mod client;
mod features;
mod hostile;
mod protocol;
