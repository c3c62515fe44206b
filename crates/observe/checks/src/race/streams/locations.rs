//! The source locations of launches, for reports of races with earlier launches.

use super::Streams;
use crate::end::{End, Spot};
use std::sync::Arc;
use texunit_report::CodeLocation;
use texunit_simt::Sources;
use texunit_simt::observe::LaunchInfo;
use texunit_syntax::{SourceFile, Span};

/// Maximum number of modules whose source locations are recorded.
const MAX_TEXTS: usize = 64;

/// The source locations of a kernel's operations.
#[derive(Debug)]
pub(super) struct Text {
    kernel: String,
    source: SourceFile,
    sources: Arc<Sources>,
    spans: Vec<Span>,
}

impl Streams {
    pub(super) fn text(&mut self, info: &LaunchInfo<'_>) -> Arc<Text> {
        let listing = &info.listing;
        let (name, text) = (listing.source().name(), listing.source().text());
        let is = |kept: &&Arc<Text>| {
            kept.kernel == info.kernel && kept.source.name() == name && kept.source.text() == text
        };
        if let Some(kept) = self.texts.iter().find(is) {
            return Arc::clone(kept);
        }
        let kept = Arc::new(Text {
            kernel: info.kernel.to_owned(),
            source: listing.source().clone(),
            sources: Arc::clone(listing.sources()),
            spans: (0..listing.len()).map(|op| listing.span(op)).collect(),
        });
        if self.texts.len() == MAX_TEXTS {
            self.texts.remove(0);
        }
        self.texts.push(Arc::clone(&kept));
        kept
    }

    /// The thread and instruction of an access in an earlier launch, if the launch and its source
    /// locations are recorded.
    pub(in crate::race) fn end(&self, serial: u32, thread: u32, op: u32) -> Option<End> {
        let past = self.launch_of(serial)?;
        let text = past.text.as_ref()?;
        let index = u64::from(serial - past.ctas.start());
        let spot = Spot::numbered([index, thread.into()], op, (past.grid, past.block));
        let span = *text.spans.get(op as usize)?;
        let place = CodeLocation::new(&text.sources, &text.source, span);
        let (kernel, node) = (text.kernel.clone(), self.name(past.position.queue));
        Some(End { cta: spot.cta, thread: spot.thread, kernel, place, span, node })
    }
}
