//! Tests links between pages, and to files of the repository.

use std::path::{Component, Path, PathBuf};

use libtest_mimic::Failed;

use super::page::{Page, below, pages, root};

/// Every relative link leads to an existing file, and to an anchor in it; every reference to a
/// rule is defined.
pub(crate) fn resolve(page: &Page) -> Result<(), Failed> {
    let mut wrong: Vec<_> =
        page.links().iter().filter_map(|link| mistake(&page.path, link).err()).collect();
    wrong.extend(page.undefined_rules().iter().map(|name| format!("`[{name}]` has no definition")));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The file and anchor of a link; `None` if it leaves the repository.
fn target(page: &Path, link: &str) -> Option<(PathBuf, Option<String>)> {
    if link.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(char::is_alphanumeric)) {
        return None;
    }
    let (file, anchor) =
        link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor.to_owned())));
    let path = if file.is_empty() { page.to_owned() } else { page.parent()?.join(file) };
    Some((plain(&path), anchor))
}

/// Resolves `..` in a path, which need not exist.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out
}

fn mistake(page: &Path, link: &str) -> Result<(), String> {
    let Some((file, anchor)) = target(page, link) else { return Ok(()) };
    if !file.starts_with(root()) || !file.exists() {
        return Err(format!("`{link}`: {} is not there", file.display()));
    }
    let Some(anchor) = anchor else { return Ok(()) };
    if file.extension().is_none_or(|e| e != "md") {
        return Err(format!("`{link}`: only pages have anchors"));
    }
    let anchors = Page::read(&file).anchors();
    if anchors.contains(&anchor) {
        return Ok(());
    }
    Err(format!("`{link}`: the page has no such anchor, but {}", anchors.join(", ")))
}

/// docs/SUMMARY.md, the order of the guide, lists every page of docs/ once.
pub(crate) fn every_page_is_in_the_guide() -> Result<(), Failed> {
    let summary = Page::read(&root().join("docs/SUMMARY.md"));
    let mut listed: Vec<_> = summary
        .links()
        .iter()
        .filter_map(|link| Some(target(&summary.path, link)?.0))
        .filter(|path| path.starts_with(root().join("docs")))
        .collect();
    listed.sort();
    let mut there: Vec<_> = pages()
        .into_iter()
        .filter(|path| path.starts_with(root().join("docs")) && *path != summary.path)
        .collect();
    there.sort();
    if listed == there {
        return Ok(());
    }
    let names = |from: &[PathBuf], without: &[PathBuf]| -> Vec<String> {
        from.iter().filter(|p| !without.contains(p)).map(|p| Page::name(p)).collect()
    };
    let (missing, extra) = (names(&there, &listed), names(&listed, &there));
    Err(format!("docs/SUMMARY.md lacks {missing:?} and has {extra:?} beyond them, or one twice")
        .into())
}

/// Pages that code, comments and messages name (`docs/numerics.md`) exist.
pub(crate) fn mentioned_pages_are_there() -> Result<(), Failed> {
    let (root, mut wrong, mut count) = (root(), Vec::new(), 0);
    below(&root, &mut |path| {
        if !path.extension().is_some_and(|e| e == "rs" || e == "md" || e == "toml" || e == "py") {
            return;
        }
        let Ok(text) = std::fs::read_to_string(path) else { return };
        for (at, _) in text.match_indices("docs/") {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "-_/.".contains(c);
            let rest = &text[at..];
            let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
            // The name may be at the end of a sentence.
            let Some((stem, _)) = name.split_once(".md") else { continue };
            let inside =
                text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || "-_/.".contains(c));
            if inside {
                continue;
            }
            count += 1;
            if !root.join(format!("{stem}.md")).exists() {
                wrong.push(format!("{}: {stem}.md", Page::name(path)));
            }
        }
    });
    if count < 100 {
        return Err(format!("only {count} mentions were found").into());
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Wrong links must be detected.
pub(crate) fn what_is_wrong_is_found() -> Result<(), Failed> {
    let page = root().join("docs/explain.md");
    for right in [
        "numerics.md#rule-1.8",
        "#exit-codes",
        "../tests/explain/seamless-corner.svg",
        "https://a.b/c",
    ] {
        mistake(&page, right)?;
    }
    for wrong in
        ["numerics.md#rule-1.99", "#exit-code", "nowhere.md", "../../outside.md", "../README.md#x"]
    {
        if mistake(&page, wrong).is_ok() {
            return Err(format!("`{wrong}` passes").into());
        }
    }
    Ok(())
}
