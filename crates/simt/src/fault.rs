//! What goes wrong in a running kernel.

use texunit_memory::SpaceKind;
use texunit_syntax::Span;

/// A fault: what happened and exactly where. The launch is over; memory holds whatever the
/// kernel had written.
#[derive(Clone, Debug, PartialEq)]
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
}

/// Kinds of faults.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// A load, store or atomic outside every allocation, variable, stack frame or parameter.
    OutOfBounds {
        /// `load`, `store`, `atomic`.
        access: &'static str,
        /// Space accessed.
        space: SpaceKind,
        /// Address in that space (generic address for global).
        address: u64,
        /// Bytes accessed.
        size: u32,
        /// What is near, and its size.
        nearest: String,
    },
    /// An address that is not a multiple of the access size.
    Misaligned {
        /// `load`, `store`, `atomic`.
        access: &'static str,
        /// Space accessed.
        space: SpaceKind,
        /// Address.
        address: u64,
        /// Bytes accessed: the alignment wanted.
        size: u32,
    },
    /// A store or atomic to constant memory or parameters.
    ReadOnly {
        /// Space accessed.
        space: SpaceKind,
        /// Address.
        address: u64,
    },
    /// A surface access outside or misaligned; the message has coordinate, resource and size.
    Surface(String),
    /// A handle that was never given out, was destroyed or is of another kind.
    Handle {
        /// The 64 bits.
        handle: u64,
        /// `texture`, `sampler`, `surface`.
        wanted: &'static str,
        /// Why it is not one.
        why: String,
    },
    /// A fetch whose form does not fit its texture.
    Texture(String),
    /// Threads wait for each other and none can go on.
    Deadlock {
        /// Who waits where.
        waiting: String,
    },
    /// The step limit.
    StepLimit {
        /// Warp instructions that the warp may execute (`--max-steps`).
        limit: u64,
    },
    /// More local memory or call depth than a thread has.
    StackOverflow {
        /// Bytes a thread may use.
        limit: u64,
    },
    /// `trap`, or a failed assertion.
    Trap {
        /// What the program said, if anything.
        message: Option<String>,
    },
    /// A branch, call or barrier whose register operand has no sense: brx index out of range, a
    /// call of something that is no function, a barrier number past 15.
    BadOperand(String),
    /// The launch was cancelled by the host.
    Cancelled,
}
