//! Builds the guide: the pages that docs/SUMMARY.md lists, as a site made by mdBook.
//!
//! Pages link to each other and to files of the repository by relative paths, so that they can be
//! read there. Links to files outside of the guide become links to the repository, images are
//! copied, and an image after `<!-- live: KEYS -->` becomes a frame of the playground in that
//! state, if the playground was built.
//!
//! mdBook, because its pages have relative links only, so that the site works from any path;
//! because its search, themes and fonts are files of the site; and because it needs nothing but
//! Cargo. VitePress 1.6 works only at the path that a site was built for, and takes `<...>` in
//! prose for a component; HonKit 6.1 takes `{%f1, %f2}` in PTX for a template.

mod links;
mod source;

use crate::{files, workspace};
use std::path::Path;
use std::process::Command;

/// The release of mdBook that is installed, without its server.
const MDBOOK: &str = "0.5.4";

/// Builds the guide into `guide` below `out`, with live figures if the playground is there, and
/// checks all links.
pub(crate) fn build(out: &Path) -> Result<(), String> {
    let work = workspace().join("target/guide");
    let pages = source::Pages::listed(&workspace())?;
    let live = out.join("index.html").exists();
    write(&work, &pages, live)?;
    let features = ["--no-default-features", "--features", "search"];
    let mdbook = crate::installed("mdbook", MDBOOK, &workspace().join("target/mdbook"), &features)?;
    let guide = std::path::absolute(out.join("guide")).map_err(|e| e.to_string())?;
    let made = Command::new(&mdbook).arg("build").arg(&work).arg("--dest-dir").arg(&guide).output();
    let made = made.map_err(|e| format!("cannot run {}: {e}", mdbook.display()))?;
    let said = String::from_utf8_lossy(&made.stderr);
    if !made.status.success() || said.contains("WARN") || said.contains("ERROR") {
        return Err(format!("mdbook: {said}"));
    }
    let count = links::check(&guide)?;
    let figures = if live { "with live figures" } else { "without the playground's figures" };
    println!("{}: {} pages {figures}, {count} links", guide.display(), pages.count());
    Ok(())
}

/// Writes the source pages and the configuration that mdBook reads.
fn write(work: &Path, pages: &source::Pages, live: bool) -> Result<(), String> {
    let source = work.join("src");
    files::anew(&source)?;
    for (name, bytes) in pages.rewritten(live)? {
        let path = source.join(&name);
        files::folder(path.parent().unwrap_or(&source))?;
        files::write(&path, bytes)?;
    }
    // Code is highlighted if the language is known, and never sent to the Rust playground.
    files::write(&work.join("book.toml"), include_str!("guide/book.toml"))?;
    files::write(&work.join("guide.css"), include_str!("guide/guide.css"))
}
