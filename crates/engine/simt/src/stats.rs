//! What comes of a launch: what it has counted, and the fault that it ended in.

use crate::fault::FaultKind;
use crate::gradients::GradientStats;
use std::sync::Arc;
use std::time::Duration;
use texunit_check::sources::{Frame, Sources};
use texunit_syntax::Span;

/// A fault: what happened and exactly where. The launch is over; memory holds whatever the
/// kernel had written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// Kernel name.
    pub kernel: String,
    /// %ctaid
    pub cta: [u32; 3],
    /// %tid of the first thread concerned.
    pub thread: [u32; 3],
    /// The instruction.
    pub span: Span,
    /// Functions from the kernel down to the one that holds the instruction, if not the kernel
    /// itself: name and the place of the call.
    pub calls: Vec<(String, Span)>,
    /// Of a grid that a kernel has launched: who, then who launched that one, and so on. They are of the same module.
    pub launched_by: Vec<Caller>,
    /// What the instructions of the module come from.
    pub sources: Arc<Sources>,
    /// What the launch had done until then, printf output included.
    pub stats: LaunchStats,
}

impl Fault {
    /// Source frames of the instruction, innermost first: its own line, the inlined calls around
    /// it, then the same for each frame of the PTX call stack. Empty for PTX without `.loc`.
    pub fn frames(&self) -> Vec<Frame<'_>> {
        let calls = self.calls.iter().rev().map(|(_, call)| *call);
        let places = std::iter::once(self.span).chain(calls);
        places.flat_map(|span| self.sources.frames_at(span.start)).collect()
    }
}

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchStats {
    /// Warp instructions executed.
    pub warp_instructions: u64,
    /// Thread instructions executed: active lanes of each warp instruction.
    pub thread_instructions: u64,
    /// Texture fetches, a lane each.
    pub fetches: u64,
    /// Surface loads, stores and reductions, a lane each.
    pub surface_accesses: u64,
    /// Integer divisions by zero (their value is all ones).
    pub divisions_by_zero: u64,
    /// Accesses that [`Bounds::Hardware`](crate::Bounds::Hardware) has let pass, an element of a lane each.
    pub past_end: u64,
    /// Fetches and accesses that no texture or surface fits, of a launch with
    /// [`BadFetch::Zero`](crate::BadFetch::Zero).
    pub bad_fetches: BadFetches,
    /// Time of all cores together, of a launch with [`LaunchConfig::cpu_clock`](crate::LaunchConfig::cpu_clock).
    pub cpu_time: Duration,
    /// Who answered the fetches with gradients, of a launch with an engine for them.
    pub gradients: Option<GradientStats>,
    /// What the kernel printed, CTA by CTA in order.
    pub printf: Vec<u8>,
    /// What was interpreted in the middle of compiled code.
    pub interpreted: Interpreted,
    /// Sums of the kernel, and of what it can call, that products were fused into.
    pub fusion: Fusion,
}

impl LaunchStats {
    /// Adds those of a grid that the kernel has launched, which has run after it.
    pub fn add(&mut self, other: Self) {
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.fetches += other.fetches;
        self.surface_accesses += other.surface_accesses;
        self.divisions_by_zero += other.divisions_by_zero;
        self.past_end += other.past_end;
        self.bad_fetches.add(other.bad_fetches);
        self.bad_fetches = std::mem::take(&mut self.bad_fetches).sorted();
        self.cpu_time += other.cpu_time;
        self.printf.extend(other.printf);
        self.interpreted.0.extend(other.interpreted.0);
    }
}

/// Fetches and accesses that no texture or surface fits and that a card answers all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadFetches {
    /// What [`BadFetch::Fault`](crate::BadFetch::Fault) would have made of them: one for each
    /// instruction and object, of the first CTA that came there, in the order of the instructions.
    pub faults: Vec<Fault>,
    /// How often there were others, beyond the first thousand.
    pub more: u64,
}

impl BadFetches {
    /// Most that are told one by one.
    pub(crate) const MAX: usize = 1000;

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Takes those of a worker in.
    pub(crate) fn add(&mut self, other: Self) {
        self.faults.extend(other.faults);
        self.more += other.more;
    }

    /// All of them, each instruction and object once.
    pub(crate) fn sorted(mut self) -> Self {
        let order = |[x, y, z]: [u32; 3]| [z, y, x];
        let place = |fault: &Fault| (fault.span.start, fault.kind.object());
        self.faults.sort_by_cached_key(|f| (place(f), order(f.cta), order(f.thread)));
        self.faults.dedup_by(|a, b| place(a) == place(b));
        self.more += self.faults.split_off(Self::MAX.min(self.faults.len())).len() as u64;
        self
    }
}

/// Instructions that were interpreted in the middle of compiled code, by their place in the PTX, each with how often:
/// what is not compiled, and accesses whose memory was not where it had been the time before. Fetches, surface
/// accesses, barriers, calls, branches that divide a warp and ends of threads are not counted. It says how a launch
/// was run and not what it did: it differs from run to run, and never makes two [`LaunchStats`] differ.
#[derive(Clone, Debug, Default)]
pub struct Interpreted(pub Vec<(Span, u64)>);

impl PartialEq for Interpreted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Interpreted {}

/// How many sums of a kernel, and of what it can call, were fused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fusion {
    /// Sums that a product was fused into.
    pub fused: u64,
    /// Sums that were left as they are written because what an assembler does depends on how it unrolls a loop and
    /// moves what does not change in it, or because the function is too large to be looked at.
    pub undecided: u64,
}

impl Fusion {
    pub(crate) fn add(&mut self, other: Self) {
        self.fused += other.fused;
        self.undecided += other.undecided;
    }
}

/// The thread that asked for work, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its kernel.
    pub kernel: String,
    /// %ctaid
    pub cta: [u32; 3],
    /// %tid
    pub thread: [u32; 3],
    /// The call.
    pub span: Span,
    /// As of a [`Fault`].
    pub calls: Vec<(String, Span)>,
}

impl Fault {
    /// The fault as that of a grid that a kernel has launched.
    #[must_use]
    pub fn launched_by(mut self: Box<Self>, caller: &Caller) -> Box<Self> {
        self.launched_by.push(caller.clone());
        self
    }
}
