//! Builds the reference of the public crates with rustdoc, and a page that lists the crates.

use super::call;
use crate::files;
use crate::metadata::{Metadata, Package};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Builds the reference into `api` below `out`. A broken link in a comment is an error.
pub(super) fn build(out: &Path) -> Result<(), String> {
    let metadata = Metadata::read()?;
    let crates = metadata.published()?;
    let made = crate::libs::target().join("doc");
    // Pages of earlier runs are removed, because they may describe crates that are no longer
    // public.
    files::remove(&made)?;
    let mut cargo = files::cargo();
    cargo.current_dir(crate::workspace()).env("RUSTDOCFLAGS", "-D warnings");
    cargo.args(["doc", "--quiet", "--locked", "--no-deps"]);
    cargo.args(crates.iter().flat_map(|package| ["-p", &package.name]));
    call(&mut cargo, "install Rust (https://rustup.rs)")?;
    let api = out.join("api");
    files::remove(&api)?;
    files::folder(out)?;
    call(Command::new("cp").arg("-r").arg(&made).arg(&api), "a part of GNU coreutils")?;
    files::write(&api.join("index.html"), index(&crates))?;
    println!("{}: {} crates", api.display(), crates.len());
    Ok(())
}

/// The HTML page that lists the crates, each before its dependencies.
fn index(crates: &[&Package]) -> String {
    let mut rows = String::new();
    for Package { name, description, .. } in crates.iter().rev() {
        let folder = name.replace('-', "_");
        let _ = writeln!(
            rows,
            "<li><a href=\"{folder}/index.html\"><code>{name}</code></a>: {description}</li>"
        );
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>texunit: crates</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <style>body {{ font-family: sans-serif; max-width: 45em; margin: 2em auto; padding: 0 1em; \
         line-height: 1.5; color-scheme: light dark }}</style></head>\n<body><h1>The crates of texunit</h1>\n\
         <p>Most programs begin with <a href=\"texunit_device/index.html\"><code>texunit-device</code></a>. \
         Each crate has an example in its folder <code>examples</code>.</p>\n<ul>\n{rows}</ul></body></html>\n"
    )
}
