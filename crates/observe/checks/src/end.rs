//! The threads that take part in a finding, with the operations that they execute.

use texunit_report::CodeLocation;
use texunit_simt::observe::{At, Listing, coordinates};
use texunit_syntax::Span;

/// A thread at an operation of the launch's code, which `texunit_simt::observe::Listing` maps to
/// the PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// The CTA of the thread, `%ctaid`.
    pub cta: [u32; 3],
    /// The index of the thread in its CTA, `%tid`.
    pub thread: [u32; 3],
    /// Index of the operation.
    pub op: u32,
}

impl Spot {
    /// The thread of an event's lane, in CTAs of `block` threads.
    pub fn new(at: &At, lane: u32, block: [u32; 3]) -> Self {
        Self { cta: at.cta, thread: at.thread(lane, block), op: at.op }
    }

    /// The thread with a number in its CTA, whose CTA has a number in the grid, at an operation.
    pub(crate) fn numbered(
        [cta, thread]: [u64; 2],
        op: u32,
        (grid, block): ([u32; 3], [u32; 3]),
    ) -> Self {
        Self { cta: coordinates(cta, grid), thread: coordinates(thread, block), op }
    }

    /// The index of the CTA in the grid, z first, which orders CTAs. Of equal findings the one of
    /// the lowest CTA is kept, whichever worker thread reports first.
    pub(crate) fn order(&self) -> [u32; 3] {
        let [x, y, z] = self.cta;
        [z, y, x]
    }
}

/// A lane of an event. It is converted to a [`Spot`] only if it is reported, which is rare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane<'a> {
    /// The event of the lane's warp.
    pub(crate) at: &'a At,
    /// Number of the lane in its warp.
    pub(crate) lane: u32,
    /// Number of threads of the CTA along each axis.
    pub(crate) block: [u32; 3],
}

impl Lane<'_> {
    /// The thread of the lane at the event's operation.
    pub(crate) fn spot(&self) -> Spot {
        Spot::new(self.at, self.lane, self.block)
    }
}

/// A thread that took part in a finding, and its instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// The CTA of the thread, `%ctaid`.
    pub cta: [u32; 3],
    /// The index of the thread in its CTA, `%tid`.
    pub thread: [u32; 3],
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// The location of the instruction in the source and in the PTX.
    pub place: CodeLocation,
    /// The position of the instruction in the text of the PTX, in bytes.
    pub span: Span,
    /// The label of the CUDA graph node that made the launch, if a graph made it.
    pub node: Option<String>,
}

impl End {
    /// The thread of a launch at the operation that it executes.
    pub fn new(kernel: &str, listing: &Listing<'_>, spot: &Spot) -> Self {
        let span = listing.span(spot.op);
        let place = CodeLocation::new(listing.sources(), listing.source(), span);
        let kernel = kernel.to_owned();
        Self { cta: spot.cta, thread: spot.thread, kernel, place, span, node: None }
    }

    /// The file and line of the instruction in the source; those in the PTX if the module has no
    /// line table.
    pub(crate) fn line(&self) -> (&str, u32) {
        (self.place.file(), self.place.line())
    }

    /// The thread as text: ``kernel `copy`, CTA (0, 0, 0), thread (3, 0, 0)``.
    pub fn who(&self) -> String {
        texunit_report::who(&self.kernel, self.cta, self.thread)
    }
}
