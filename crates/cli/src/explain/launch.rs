//! `texunit launch --explain`: what the fetches and surface accesses of one thread did.

use serde_json::{Value, json};
use texunit_device::{Watch, Watched, WatchedAccess};
use texunit_explain::{Explanation, Known, Source, SurfaceExplanation};
use texunit_report::Located;

/// Most accesses that are explained; a loop may make any number of them.
pub const MOST: usize = 100;

/// The accesses of a thread, in the order of execution.
#[derive(Debug)]
pub struct Explained {
    /// Its number in the grid.
    pub thread: [u32; 3],
    /// The first ones.
    pub accesses: Vec<WatchedAccess>,
    /// How many came after them.
    pub more: u64,
}

impl Explained {
    pub(crate) fn new(watch: &Watch) -> Self {
        let (mut accesses, mut more) = watch.take();
        more += accesses.len().saturating_sub(MOST) as u64;
        accesses.truncate(MOST);
        Self { thread: watch.thread(), accesses, more }
    }

    /// As text, an access after the other.
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
            if let Some(source) = source {
                let place = source.place_of(access.span);
                let ptx = format!("{}:{}", place.ptx.file, place.ptx.line);
                match place.source() {
                    Some(frame) => {
                        text += &format!(", {frame} ({ptx})");
                        if let Some(line) = &frame.text {
                            text += &format!("\n    {}", line.trim());
                        }
                    }
                    None => text += &format!(", {ptx}"),
                }
                text += &format!("\n    {}", place.ptx.text.trim());
            }
            text += &format!("\n{}\n", explain(access, |e| e.text(), |e| e.text()));
        }
        if self.more > 0 {
            let what = if self.more == 1 { "access is" } else { "accesses are" };
            text += &format!("{} more {what} not explained\n", self.more);
        }
        text
    }

    /// As JSON.
    pub fn json<'a>(&self, source: Option<impl Into<Located<'a>>>) -> Value {
        let source = source.map(Into::into);
        let access = |access: &WatchedAccess| {
            let place = source.map(|source| source.place_of(access.span));
            let line = place.as_ref().map(|place| place.ptx.line);
            let text = place.as_ref().map(|place| place.ptx.text.trim());
            let frames = place.as_ref().map(|place| &place.frames);
            let what = explain(access, |e| e.json(), |e| e.json());
            json!({ "line": line, "text": text, "frames": frames, "explanation": what })
        };
        json!({
            "thread": self.thread,
            "accesses": self.accesses.iter().map(access).collect::<Vec<_>>(),
            "more": self.more,
        })
    }
}

/// A view of an access; of one that cannot be explained, why.
fn explain<T: From<String>>(
    access: &WatchedAccess,
    fetch: impl Fn(&Explanation<'_>) -> T,
    surface: impl Fn(&SurfaceExplanation) -> T,
) -> T {
    match &access.what {
        Watched::Fetch(f) => match Explanation::new(f.form, &f.texture, &f.sampler, &f.operands) {
            Ok(mut explanation) => {
                let (values, resident) = (f.values, Some(f.resident));
                explanation.known = Some(Known { values, resident, from: Source::Launch });
                fetch(&explanation)
            }
            Err(error) => T::from(error.to_string()),
        },
        Watched::Surface(s) => {
            let outcome = s.outcome.clone();
            match SurfaceExplanation::of_made(s.form, &s.surface, s.coords, outcome) {
                Ok(explanation) => surface(&explanation),
                Err(error) => T::from(error.to_string()),
            }
        }
    }
}
