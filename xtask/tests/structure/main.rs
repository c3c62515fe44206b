//! Tests of the whole repository's structure: imports between modules, manifests, messages, and
//! documentation of public items.
#![allow(clippy::print_stderr)]

mod manifests;
mod messages;
mod modules;
mod public_docs;

use std::path::{Path, PathBuf};

/// The root of the repository.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository")
}
