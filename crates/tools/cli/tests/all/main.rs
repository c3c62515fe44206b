//! Tests of commands that are not cases in files: one program, because each is linked with
//! everything.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod bench;
mod binding;
mod cases_run;
mod compare;
mod compare_all;
mod conformance;
mod coverage;
mod distributed;
mod docs;
mod escapes;
mod examples;
#[path = "../genhtml/mod.rs"]
mod genhtml;
mod handed;
mod isa;
mod json;
mod lsp;
mod mcp;
mod places;
mod profile;
mod record;
mod report;
