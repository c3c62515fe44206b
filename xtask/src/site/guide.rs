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

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace;

/// The release of mdBook that is installed.
const MDBOOK: &str = "0.5.4";

/// mdBook's configuration: code is highlighted if the language is known, and never sent to the Rust
/// playground.
const CONFIGURATION: &str = r#"[book]
title = "texunit"
description = "NVIDIA's texture and surface unit in software"
language = "en"
src = "src"

[build]
create-missing = false

[output.html]
no-section-label = true
input-404 = ""
git-repository-url = "https://github.com/texunit/texunit"
preferred-dark-theme = "navy"
additional-css = ["guide.css"]

[output.html.playground]
runnable = false

[output.html.print]
enable = false

[output.html.search]
heading-split-level = 2
"#;

const STYLE: &str =
    ".live iframe { width: 100%; height: 740px; border: 1px solid var(--table-border-color); }
@media (max-width: 700px) { .live iframe { height: 1100px; } }
.live figcaption { font-size: 0.9em; }
.live { margin: 1em 0; }
.content main table { margin-inline: 0; }
.content main img { background: #fff; max-width: 100%; }
details { margin: 0.5em 0; }
summary { cursor: pointer; }
";

/// Builds the guide into `guide` below `out`, with live figures if the playground is there, and
/// checks all links.
pub(crate) fn build(out: &Path) -> Result<(), String> {
    let work = workspace().join("target/guide");
    let pages = source::Pages::listed(&workspace())?;
    let live = out.join("index.html").exists();
    write(&work, &pages, live)?;
    let mdbook = mdbook()?;
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
    let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let source = work.join("src");
    if source.exists() {
        std::fs::remove_dir_all(&source).map_err(|e| failed(&source, e))?;
    }
    let mut files = pages.rewritten(live)?;
    files.push((PathBuf::from("../book.toml"), CONFIGURATION.into()));
    files.push((PathBuf::from("../guide.css"), STYLE.into()));
    for (name, bytes) in files {
        let path = source.join(&name);
        let folder = path.parent().unwrap_or(&source);
        std::fs::create_dir_all(&source).map_err(|e| failed(&source, e))?;
        std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
        std::fs::write(&path, bytes).map_err(|e| failed(&path, e))?;
    }
    Ok(())
}

/// The mdBook program, which is installed below `target` if it is missing: as a debug build, which
/// takes half the time, and without its server.
fn mdbook() -> Result<PathBuf, String> {
    let root = workspace().join("target/mdbook");
    let program = root.join("bin/mdbook");
    let version = Command::new(&program).arg("--version").output();
    if version.is_ok_and(|v| String::from_utf8_lossy(&v.stdout).contains(MDBOOK)) {
        return Ok(program);
    }
    let mut install = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    install
        .args(["install", "mdbook", "--version", MDBOOK, "--locked", "--debug", "--force"])
        .args(["--no-default-features", "--features", "search", "--root"])
        .arg(&root)
        .env("CARGO_TARGET_DIR", root.join("build"));
    let status = install.status().map_err(|e| format!("cannot run cargo: {e}"))?;
    let built = root.join("build");
    if built.exists() {
        std::fs::remove_dir_all(&built).map_err(|e| format!("{}: {e}", built.display()))?;
    }
    if status.success() { Ok(program) } else { Err(format!("mdbook {MDBOOK} cannot be installed")) }
}
