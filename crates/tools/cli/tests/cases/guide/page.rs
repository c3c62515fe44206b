//! Parses Markdown pages according to CommonMark.

use std::path::{Path, PathBuf};

use pulldown_cmark::{BrokenLink, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A Markdown page of the repository.
pub(crate) struct Page {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// A code block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The first word after the fence; empty for indented code.
    pub(crate) language: String,
    pub(crate) code: String,
    /// The offset of the code in the page.
    pub(crate) start: usize,
    /// The comment in the line before the block: `folder: examples/rotate`.
    pub(crate) remark: Option<String>,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

/// All Markdown pages, without generated and hidden folders.
pub(crate) fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    below(&root(), &mut |path| {
        if path.extension().is_some_and(|e| e == "md") {
            found.push(path.to_owned());
        }
    });
    assert!(found.len() > 45, "the pages are not where they were: {found:?}");
    found
}

/// Calls `visit` for every file below a folder, in the order of names.
pub(crate) fn below(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_symlink() {
            continue;
        }
        if !path.is_dir() {
            visit(&path);
        } else if !name.starts_with('.') && !["target", "node_modules", "dist"].contains(&name) {
            below(&path, visit);
        }
    }
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES
}

impl Page {
    pub(crate) fn read(path: &Path) -> Page {
        Page { path: path.to_owned(), text: std::fs::read_to_string(path).unwrap() }
    }

    /// The path relative to the root of the repository.
    pub(crate) fn name(path: &Path) -> String {
        path.strip_prefix(root()).unwrap_or(path).display().to_string()
    }

    /// Targets of links and images, those in HTML too.
    pub(crate) fn links(&self) -> Vec<String> {
        let mut found = Vec::new();
        for event in Parser::new_ext(&self.text, options()) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    found.push(dest_url.to_string());
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    for attribute in ["href=\"", "src=\""] {
                        let values = html.split(attribute).skip(1);
                        found.extend(values.filter_map(|v| Some(v.split('"').next()?.to_owned())));
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// References to rules of numerics.md (`[1.8]`) without a definition.
    pub(crate) fn undefined_rules(&self) -> Vec<String> {
        let mut undefined = Vec::new();
        let mut callback = |broken: BrokenLink<'_>| {
            if broken.reference.parse::<f32>().is_ok_and(|number| number.fract() != 0.0) {
                undefined.push(broken.reference.to_string());
            }
            None
        };
        let parser =
            Parser::new_with_broken_link_callback(&self.text, options(), Some(&mut callback));
        parser.for_each(drop);
        undefined
    }

    /// The anchors of the page: its headings, as GitHub and mdBook write them, and explicit
    /// anchors.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let mut found: Vec<String> =
            texunit_testkit::pages::anchors(&self.text).into_iter().map(str::to_owned).collect();
        let mut heading: Option<String> = None;
        for event in Parser::new_ext(&self.text, options()) {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    let slug = slug(&heading.take().unwrap_or_default());
                    let numbered = (1..).map(|n| format!("{slug}-{n}"));
                    let mut names = std::iter::once(slug.clone()).chain(numbered);
                    let free = names.find(|name| !found.contains(name));
                    found.extend(free);
                }
                _ => {}
            }
        }
        found
    }

    /// The code blocks.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let mut found = Vec::new();
        let mut block: Option<Block> = None;
        let mut remark = None;
        for (event, range) in Parser::new_ext(&self.text, options()).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(info) => {
                            info.split([' ', ',']).next().unwrap_or_default().to_owned()
                        }
                        CodeBlockKind::Indented => String::new(),
                    };
                    let (code, start, remark) = (String::new(), range.start, remark.take());
                    block = Some(Block { language, code, start, remark });
                }
                Event::Text(text) => {
                    if let Some(block) = &mut block {
                        if block.code.is_empty() {
                            block.start = range.start;
                        }
                        block.code.push_str(&text);
                    }
                }
                Event::End(TagEnd::CodeBlock) => found.extend(block.take()),
                Event::Html(html) => {
                    let comment =
                        html.trim().strip_prefix("<!--").and_then(|c| c.strip_suffix("-->"));
                    remark = comment.map(|comment| comment.trim().to_owned());
                }
                Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
                _ => remark = None,
            }
        }
        found
    }
}

/// The anchor of a heading: lower case, hyphens for spaces, no punctuation.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}
