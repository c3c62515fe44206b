//! `texunit launch --explain`: explains the fetches and surface accesses of one thread.

use super::args::ExplainFormat;
use serde_json::{Value, json};
use std::path::Path;
use texunit_device::{Watch, Watched, WatchedAccess};
use texunit_explain::{Explanation, Page, SurfaceExplanation};
use texunit_forms::Count;
use texunit_report::Located;

/// Maximum number of explained accesses, since a loop can make any number.
pub const MAX: usize = 100;

/// The accesses of a thread, in order of execution.
#[derive(Debug)]
pub struct Explained {
    /// Number of the thread in the grid along x, y, z.
    pub thread: [u32; 3],
    /// The first accesses.
    pub accesses: Vec<WatchedAccess>,
    /// Number of further accesses.
    pub more: u64,
}

impl Explained {
    pub(crate) fn new(watch: &Watch) -> Self {
        let (mut accesses, mut more) = watch.take();
        more += accesses.len().saturating_sub(MAX) as u64;
        accesses.truncate(MAX);
        Self { thread: watch.thread(), accesses, more }
    }

    /// Formats the accesses as text, one after another.
    pub fn text<'a>(&self, source: Option<impl Into<Located<'a>>>) -> String {
        let source = source.map(Into::into);
        let [x, y, z] = self.thread;
        if self.accesses.is_empty() {
            return format!("thread ({x}, {y}, {z}) made no fetch and no surface access\n");
        }
        let total = self.accesses.len() as u64 + self.more;
        let mut text = String::new();
        for (n, access) in self.accesses.iter().enumerate() {
            text += &format!("--- thread ({x}, {y}, {z}), access {} of {total}", n + 1);
            let place = source.map_or_else(Vec::new, |source| place(source, access));
            if !place.is_empty() {
                text += &format!(", {}", place.join("\n    "));
            }
            let view = explain(access, |e| e.text(), |e| e.text()).unwrap_or_else(|why| why);
            text += &format!("\n{view}\n");
        }
        text += &self.left_out().map_or_else(String::new, |line| line + "\n");
        text
    }

    /// A remark about accesses that are not explained.
    fn left_out(&self) -> Option<String> {
        let more = Count(self.more, "more access");
        (self.more > 0).then(|| format!("{more} {} not explained", more.are()))
    }

    /// Formats the accesses as one SVG document: a list, and a picture of each.
    pub fn svg<'a>(&self, kernel: Option<&str>, source: Option<impl Into<Located<'a>>>) -> String {
        let source = source.map(Into::into);
        let [x, y, z] = self.thread;
        let of = kernel.map_or_else(String::new, |kernel| {
            format!(" of {}", texunit_report::place::function_name(kernel))
        });
        let mut page = Page::new(match self.accesses.len() as u64 + self.more {
            0 => format!("thread ({x}, {y}, {z}){of} made no fetch and no surface access"),
            n => format!("thread ({x}, {y}, {z}){of}: {}", Count(n, "access")),
        });
        for access in &self.accesses {
            let place = || source.map_or_else(Vec::new, |source| place(source, access));
            let page = std::cell::RefCell::new(&mut page);
            let drawn = explain(
                access,
                |e| page.borrow_mut().fetch(place(), e),
                |e| page.borrow_mut().surface(place(), e),
            );
            if let Err(why) = drawn {
                page.borrow_mut().unexplained(place(), why);
            }
        }
        if let Some(line) = self.left_out() {
            page.note(line);
        }
        page.svg()
    }

    /// Formats the accesses, with the source positions of the PTX (`source`).
    pub fn render(
        &self,
        format: ExplainFormat,
        kernel: Option<&str>,
        source: Option<Located<'_>>,
    ) -> String {
        match format {
            ExplainFormat::Text => self.text(source),
            ExplainFormat::Json => format!("{}\n", self.json(source)),
            ExplainFormat::Svg => self.svg(kernel, source),
        }
    }

    /// Writes the accesses to a file, in the given format or that of the file's extension.
    pub(crate) fn write(
        &self,
        file: &Path,
        format: Option<ExplainFormat>,
        kernel: Option<&str>,
        source: Option<Located<'_>>,
    ) -> Result<(), texunit_files::FileError> {
        let format = format.or_else(|| super::by_extension(file));
        let text = self.render(format.unwrap_or(ExplainFormat::Text), kernel, source);
        texunit_files::write_atomically(file, text.as_bytes())
    }

    /// Formats the accesses as JSON.
    pub fn json<'a>(&self, source: Option<impl Into<Located<'a>>>) -> Value {
        let source = source.map(Into::into);
        let access = |access: &WatchedAccess| {
            let place = source.map(|source| source.place_of(access.span));
            let line = place.as_ref().map(|place| place.ptx.line);
            let text = place.as_ref().map(|place| place.ptx.text.trim());
            let frames = place.as_ref().map(|place| &place.frames);
            let what = explain(access, |e| e.json(), |e| e.json()).unwrap_or_else(Value::from);
            json!({ "line": line, "text": text, "frames": frames, "explanation": what })
        };
        json!({
            "thread": self.thread,
            "accesses": self.accesses.iter().map(access).collect::<Vec<_>>(),
            "more": self.more,
        })
    }
}

/// The position of an access: file, line and function, the text of the line, and the PTX.
fn place(source: Located<'_>, access: &WatchedAccess) -> Vec<String> {
    let place = source.place_of(access.span);
    let ptx = format!("{}:{}", place.ptx.file, place.ptx.line);
    let mut lines = match place.source() {
        Some(frame) => {
            let text = frame.text.iter().map(|text| text.trim().to_owned());
            [format!("{frame} ({ptx})")].into_iter().chain(text).collect()
        }
        None => vec![ptx],
    };
    lines.push(place.ptx.text.trim().to_owned());
    lines
}

/// A view of an access, or why it cannot be explained.
fn explain<T>(
    access: &WatchedAccess,
    fetch: impl Fn(&Explanation<'_>) -> T,
    surface: impl Fn(&SurfaceExplanation) -> T,
) -> Result<T, String> {
    let view = match &access.what {
        Watched::Fetch(f) => Explanation::new(f.form, &f.texture, &f.sampler, &f.operands)
            .map(|explanation| fetch(&explanation.with_launch(f.values, f.resident))),
        Watched::Surface(s) => {
            SurfaceExplanation::of_made(s.form, &s.surface, s.coords, s.outcome.clone())
                .map(|explanation| surface(&explanation))
        }
    };
    view.map_err(|error| error.to_string())
}
