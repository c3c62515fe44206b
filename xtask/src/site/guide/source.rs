//! Converts pages of the repository to pages of the guide: links, images, and code for the
//! highlighter.

use crate::files;
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The address of the repository's files, for links to files that are not in the guide.
const REPOSITORY: &str = "https://github.com/texunit/texunit/blob/main/";

/// The pages of the guide.
pub(super) struct Pages {
    root: PathBuf,
    /// The path of each page in the guide, by its path in the repository.
    places: BTreeMap<PathBuf, PathBuf>,
}

impl Pages {
    /// The pages that docs/SUMMARY.md links to. Pages of docs/ keep their relative paths, and
    /// others are placed beside them.
    pub(super) fn listed(root: &Path) -> Result<Pages, String> {
        let summary = PathBuf::from("docs/SUMMARY.md");
        let text = files::read(&root.join(&summary))?;
        let mut places = BTreeMap::from([(summary.clone(), PathBuf::from("SUMMARY.md"))]);
        for link in links(&text) {
            let path = beside(&summary, &link.target);
            let mut place = path.strip_prefix("docs").unwrap_or(&path).to_owned();
            // mdBook turns both names into index.html, but handles links to README.md incorrectly.
            if place.ends_with("README.md") {
                place.set_file_name("index.md");
            }
            places.insert(path, place);
        }
        Ok(Pages { root: root.to_owned(), places })
    }

    /// Number of pages in the guide, without the summary.
    pub(super) fn count(&self) -> usize {
        self.places.len() - 1
    }

    /// The source files of the guide: converted pages, and the images in them.
    pub(super) fn rewritten(&self, live: bool) -> Result<Vec<(PathBuf, Vec<u8>)>, String> {
        let mut files = BTreeMap::new();
        for (path, place) in &self.places {
            let text = files::read(&self.root.join(path))?;
            let text = if live { with_frames(&text, place) } else { text };
            let mut page = text.clone();
            // Links are replaced from the last to the first, so that the positions of earlier ones
            // stay valid.
            for link in links(&text).into_iter().rev() {
                let Some(target) = self.target(path, place, &link.target, &mut files)? else {
                    continue;
                };
                if target == link.target {
                    continue;
                }
                let range = link.range.clone().ok_or_else(|| {
                    format!("{}: `{}` must be written in its place", path.display(), link.target)
                })?;
                page.replace_range(range, &target);
            }
            // CUDA code is marked as C++, because the highlighter does not know CUDA.
            files.insert(place.clone(), page.replace("\n```cuda\n", "\n```cpp\n").into_bytes());
        }
        Ok(files.into_iter().collect())
    }

    /// The new target of a link; `None` if it is unchanged. Images are added to the files.
    fn target(
        &self,
        path: &Path,
        place: &Path,
        link: &str,
        files: &mut BTreeMap<PathBuf, Vec<u8>>,
    ) -> Result<Option<String>, String> {
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        if file.is_empty() || file.contains(':') {
            return Ok(None);
        }
        let file = beside(path, file);
        let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
        if let Some(target) = self.places.get(&file) {
            return Ok(Some(relative(place, target) + &anchor));
        }
        if file.extension().is_some_and(|e| e == "svg" || e == "png") {
            let target = file
                .strip_prefix("docs")
                .map_or_else(|_| Path::new("files").join(&file), Path::to_owned);
            let bytes = std::fs::read(self.root.join(&file))
                .map_err(|e| format!("{}: {link}: {e}", path.display()))?;
            let link = relative(place, &target);
            files.insert(target, bytes);
            return Ok(Some(link));
        }
        Ok(Some(format!("{REPOSITORY}{}{anchor}", file.display())))
    }
}

/// The path that a link in a page refers to.
fn beside(page: &Path, link: &str) -> PathBuf {
    let mut path = page.parent().map_or_else(PathBuf::new, Path::to_owned);
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

/// The relative path from one page to another file.
fn relative(from: &Path, to: &Path) -> String {
    let folders: Vec<_> = from.parent().map_or_else(Vec::new, |p| p.components().collect());
    let parts: Vec<_> = to.components().collect();
    let common = folders.iter().zip(&parts).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(folders.len() - common);
    let down: PathBuf = parts[common..].iter().collect();
    format!("{up}{}", down.display())
}

struct Link {
    target: String,
    /// The position of the target in the text, if the link contains it.
    range: Option<std::ops::Range<usize>>,
}

/// The links and images of a page.
fn links(text: &str) -> Vec<Link> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let found = events.filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            let before = format!("]({dest_url}");
            let at = text[range.clone()].rfind(&before).map(|at| range.start + at + 2);
            Some(Link { target: dest_url.to_string(), range: at.map(|at| at..at + dest_url.len()) })
        }
        _ => None,
    });
    // Links are sorted by the position of their targets, because the target of an image inside a
    // link precedes the link's.
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|link| link.range.as_ref().map_or(0, |range| range.start));
    found
}

/// Replaces each image after `<!-- live: KEYS -->` by a frame with the playground in that state.
fn with_frames(text: &str, place: &Path) -> String {
    let up = "../".repeat(place.components().count());
    let mut parts = text.split("<!-- live: ");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let picture = part.split_once(" -->\n![").and_then(|(keys, rest)| {
            let (about, rest) = rest.split_once("](")?;
            let (file, rest) = rest.split_once(")\n")?;
            Some((keys, about, file, rest))
        });
        let Some((keys, about, file, rest)) = picture else {
            page += part;
            continue;
        };
        let keys = keys.replace('&', "&amp;");
        page += &format!(
            "<figure class=\"live\"><iframe src=\"{up}index.html?embed=fetch#{keys}\" title=\"{about}\" \
             loading=\"lazy\"></iframe><figcaption>{about}. <a href=\"{file}\">The picture</a></figcaption></figure>\n\n\
             <noscript>\n\n![{about}]({file})\n\n</noscript>\n{rest}"
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_same_places() {
        let root = crate::workspace();
        let pages = Pages::listed(&root).unwrap();
        assert!(pages.count() > 35, "{}", pages.count());
        let files: BTreeMap<_, _> = pages.rewritten(false).unwrap().into_iter().collect();
        let text = |name: &str| String::from_utf8(files[Path::new(name)].clone()).unwrap();
        for (page, target) in [
            ("CONTRIBUTING.md", "ARCHITECTURE.md"),
            ("index.md", "CONTRIBUTING.md"),
            ("index.md", "textures/index.md"),
            ("start/first-kernel.md", "../files/examples/rotate/expected/rotated.png"),
            ("start/first-kernel.md", &format!("{REPOSITORY}examples/README.md")),
            ("textures/1-texels.md", "texel.svg"),
        ] {
            assert!(text(page).contains(&format!("]({target})")), "{page}: {target}");
        }
        assert!(files.contains_key(Path::new("textures/texel.svg")));
        let live: BTreeMap<_, _> = pages.rewritten(true).unwrap().into_iter().collect();
        let frames = |name: &Path| {
            let page = String::from_utf8(live[name].clone()).unwrap();
            page.matches("<iframe src=\"../../index.html?embed=fetch#").count()
        };
        let mut lessons: Vec<_> = live.keys().filter(|name| name.starts_with("textures")).collect();
        lessons.retain(|name| name.extension().is_some_and(|e| e == "md") && frames(name) > 0);
        assert_eq!(lessons.len(), 7, "each lesson has its figure: {lessons:?}");
    }

    #[test]
    fn ways_between_pages() {
        assert_eq!(relative(Path::new("a/b.md"), Path::new("a/c.md")), "c.md");
        assert_eq!(relative(Path::new("a/b.md"), Path::new("c/d.md")), "../c/d.md");
        assert_eq!(relative(Path::new("b.md"), Path::new("c/d.md")), "c/d.md");
        assert_eq!(beside(Path::new("pages/a/b.md"), "../../c.md"), Path::new("c.md"));
    }
}
