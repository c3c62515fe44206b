//! Results of a launch: its statistics, and the fault that ended it.

use crate::fault::FaultKind;
use crate::gradients::GradientStats;
use std::sync::Arc;
use std::time::Duration;
use texunit_check::sources::{Frame, Sources};
use texunit_forms::sort_by_key;
use texunit_syntax::Span;

/// A fault: its kind, and the exact thread and instruction. The launch is over; memory holds
/// everything that the kernel had written until then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Name of the kernel.
    pub kernel: String,
    /// `%ctaid` of the CTA.
    pub cta: [u32; 3],
    /// `%tid` of the first faulting thread.
    pub thread: [u32; 3],
    /// Source location of the instruction.
    pub span: Span,
    /// Call stack from the kernel to the function that contains the instruction: the name of each
    /// callee and the location of the call. Empty if the kernel itself contains the instruction.
    pub calls: Vec<(String, Span)>,
    /// For a grid launched by a kernel: the launching thread, then the thread that launched that
    /// grid, and so on. All are of the same module.
    pub launched_by: Vec<Caller>,
    /// Source files of the module.
    pub sources: Arc<Sources>,
    /// Statistics of the launch until the fault, including printf output.
    pub stats: LaunchStats,
}

impl Fault {
    /// A fault of a thread of the module with these source files.
    pub fn new(kind: FaultKind, thread: Caller, sources: &Arc<Sources>) -> Box<Self> {
        let Caller { kernel, cta, thread, span, calls } = thread;
        let (launched_by, stats) = (Vec::new(), LaunchStats::default());
        let sources = Arc::clone(sources);
        Box::new(Self { kind, kernel, cta, thread, span, calls, launched_by, sources, stats })
    }

    /// Adds the launching thread to the fault of a grid launched by a kernel.
    #[must_use]
    pub fn launched_by(mut self: Box<Self>, caller: &Caller) -> Box<Self> {
        self.launched_by.push(caller.clone());
        self
    }

    /// Source frames of the instruction, innermost first: its own line, the inlined calls around
    /// it, then the same for each frame of the PTX call stack. Empty for PTX without `.loc`.
    pub fn frames(&self) -> Vec<Frame<'_>> {
        let calls = self.calls.iter().rev().map(|(_, call)| *call);
        let places = std::iter::once(self.span).chain(calls);
        places.flat_map(|span| self.sources.frames_at(span.start)).collect()
    }
}

/// Statistics of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchStats {
    /// Warp instructions executed.
    pub warp_instructions: u64,
    /// Thread instructions executed: active lanes of each warp instruction.
    pub thread_instructions: u64,
    /// Texture fetches, counted for each lane.
    pub fetches: u64,
    /// Surface loads, stores and reductions, counted for each lane.
    pub surface_accesses: u64,
    /// Integer divisions by zero, whose result is all ones.
    pub divisions_by_zero: u64,
    /// Accesses past the end of an object that [`Bounds::Hardware`](crate::Bounds::Hardware)
    /// permits, counted for each element and lane.
    pub past_end: u64,
    /// Fetches and accesses that do not fit their texture or surface, in a launch with
    /// [`BadFetch::Zero`](crate::BadFetch::Zero).
    pub bad_fetches: BadFetches,
    /// CPU time of all host threads together, if [`crate::ExecutionOptions::cpu_clock`] is given.
    pub cpu_time: Duration,
    /// Fetches with gradients by executing engine, if an external engine is configured.
    pub gradients: Option<GradientStats>,
    /// Text that the kernel printed, ordered by CTA.
    pub printf: Vec<u8>,
    /// Instructions that were interpreted within compiled code.
    pub interpreted: Interpreted,
    /// Numbers of multiply-adds in the kernel and its callees that were fused.
    pub fusion: Fusion,
}

impl LaunchStats {
    /// Adds the statistics of a grid that the kernel launched and that was executed after it.
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

/// Fetches and accesses that do not fit their texture or surface, but have a defined result on a
/// card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadFetches {
    /// The faults that [`BadFetch::Fault`](crate::BadFetch::Fault) would have raised: one for each
    /// instruction and object, from the first CTA concerned, in the order of the instructions.
    pub faults: Vec<Fault>,
    /// Number of faults beyond the first thousand, which are not listed.
    pub more: u64,
}

impl BadFetches {
    /// Maximum number of faults that are reported one by one.
    pub(crate) const MAX: usize = 1000;

    /// Whether there was no such fetch or access.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Adds the faults of a worker.
    pub(crate) fn add(&mut self, other: Self) {
        self.faults.extend(other.faults);
        self.more += other.more;
    }

    /// Orders the faults and keeps one for each instruction and object.
    pub(crate) fn sorted(mut self) -> Self {
        let order = |[x, y, z]: [u32; 3]| [z, y, x];
        let place = |fault: &Fault| (fault.span.start, fault.kind.object());
        sort_by_key(&mut self.faults, |f| (place(f), order(f.cta), order(f.thread)));
        self.faults.dedup_by(|a, b| place(a) == place(b));
        self.more += self.faults.split_off(Self::MAX.min(self.faults.len())).len() as u64;
        self
    }
}

/// Instructions that were interpreted within compiled code, by source location, each with its
/// number of executions: instructions that the JIT does not support, and accesses whose memory was
/// in another allocation than the time before. Fetches, surface accesses, barriers, calls,
/// divergent branches and exits are not counted. The counts describe the execution strategy and
/// differ from run to run, so they are ignored when two [`LaunchStats`] are compared.
#[derive(Clone, Debug, Default)]
pub struct Interpreted(pub Vec<(Span, u64)>);

impl PartialEq for Interpreted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Interpreted {}

/// Numbers of additions of a product that were fused into multiply-adds in a kernel and its
/// callees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fusion {
    /// Additions that a product was fused into.
    pub fused: u64,
    /// Additions left unfused, because the assembler's choice depends on loop unrolling and
    /// loop-invariant code motion, or because the function is too large to analyse.
    pub undecided: u64,
}

impl Fusion {
    pub(crate) fn add(&mut self, other: Self) {
        self.fused += other.fused;
        self.undecided += other.undecided;
    }
}

/// The thread that launched a grid from the device, and the location of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Name of the launching kernel.
    pub kernel: String,
    /// `%ctaid` of the launching thread.
    pub cta: [u32; 3],
    /// `%tid` of the launching thread.
    pub thread: [u32; 3],
    /// Source location of the call.
    pub span: Span,
    /// Call stack at the call, as in [`Fault::calls`].
    pub calls: Vec<(String, Span)>,
}
