//! Checks the links in a folder of HTML pages, as mdBook has built them.

use crate::files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Checks that every relative link refers to an existing file and anchor; returns the number of
/// links.
pub(super) fn check(folder: &Path) -> Result<usize, String> {
    let mut pages = BTreeMap::new();
    collect(&files::at(folder, folder.canonicalize())?, &mut pages)?;
    let ids: BTreeMap<&Path, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, text)| (path.as_path(), values(text, " id=\"").collect()))
        .collect();
    let (mut count, mut wrong) = (0, Vec::new());
    for (page, text) in &pages {
        for link in values(text, " href=\"").chain(values(text, " src=\"")) {
            // A link with a scheme is external, and a link with placeholders is completed by a
            // script.
            let is_external = link.contains("://") || link.starts_with("mailto:");
            if is_external || link.contains('{') || link.is_empty() {
                continue;
            }
            count += 1;
            if let Err(message) = leads_somewhere(page, link, &ids) {
                wrong.push(format!("{}: {message}", page.display()));
            }
        }
    }
    if wrong.is_empty() { Ok(count) } else { Err(wrong.join("\n")) }
}

fn leads_somewhere(
    page: &Path,
    link: &str,
    ids: &BTreeMap<&Path, BTreeSet<&str>>,
) -> Result<(), String> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let (file, state) = file.split_once('?').unwrap_or((file, ""));
    let target = match file {
        "" => page.to_owned(),
        file => std::fs::canonicalize(page.parent().unwrap_or(page).join(file))
            .map_err(|_| format!("`{link}` is not there"))?,
    };
    // The page's script reads the fragment of a link that also has a query.
    if anchor.is_empty() || !state.is_empty() {
        return Ok(());
    }
    match ids.get(target.as_path()) {
        Some(ids) if ids.contains(anchor) => Ok(()),
        _ => Err(format!("`{link}`: there is no such anchor")),
    }
}

/// The quoted texts that follow each occurrence of `before`.
fn values<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split('"').next())
}

fn collect(folder: &Path, pages: &mut BTreeMap<PathBuf, String>) -> Result<(), String> {
    for path in files::entries(folder)? {
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|e| e == "html") {
            let text = files::read(&path)?;
            pages.insert(path, text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_are_found() {
        let folder = texunit_testkit::TempDir::new("links");
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write(
            "a.html",
            "<h1 id=\"one\"> <a href=\"b.html#two\"> <a href=\"#one\"> <img src=\"c.svg\">",
        );
        write(
            "b.html",
            "<p id=\"two\"> <a href=\"https://x.y/z\"> <iframe src=\"a.html?embed=fetch#tex=a\">",
        );
        write("c.svg", "");
        assert_eq!(check(&folder), Ok(4));
        for wrong in ["d.html", "a.html#two", "#two", "../nothing"] {
            std::fs::write(folder.join("e.html"), format!("<a href=\"{wrong}\">")).unwrap();
            assert!(check(&folder).unwrap_err().contains(wrong), "{wrong}");
        }
    }
}
