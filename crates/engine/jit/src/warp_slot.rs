//! The slot of a warp in a table. Compiled code reads and writes it by field offsets.

use crate::{B32, B64};

/// The state of a warp in a [`crate::region::WarpTable`]. Compiled code loads the slot when it
/// starts or resumes the warp, and saves the slot when the warp stops.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WarpSlot {
    pub(crate) narrow: *mut B32,
    pub(crate) wide: *mut B64,
    pub(crate) predicates: *mut u32,
    pub(crate) per_lane: *const B32,
    /// Base of local memory, and base of the running function's frame in it.
    pub(crate) local: *mut B32,
    pub(crate) frame: *mut B32,
    /// Byte offset of the running function's frame in local memory.
    pub(crate) frame_at: u64,
    /// The warp number that is passed to listeners.
    pub(crate) index: u32,
    pub(crate) live: u32,
    /// The step count at which the active lanes' turn ends, and the step count at which the warp's
    /// turn ends.
    pub(crate) limit: u64,
    pub(crate) end: u64,
    /// Instructions executed so far.
    pub(crate) steps: u64,
    /// Sum over the counted steps of the active lanes whose guard was false.
    pub(crate) missed: u64,
    /// The step count when the mask last changed, and the threads that had been counted by then.
    pub(crate) counted: u64,
    pub(crate) threads: u64,
    /// The active mask.
    pub(crate) mask: u32,
    /// The active mask at which code for some lanes changes to code for all live lanes.
    pub(crate) full_mask: u32,
    pub(crate) atomics_left: u32,
    /// The reason why the warp stopped, as [`crate::region::ExitReason`] encodes it, and the next
    /// instruction.
    pub(crate) why: u32,
    pub(crate) at: u32,
    /// The number of registers of each file: of 32 bits, of 64 bits, predicates.
    pub(crate) registers: [u32; 3],
    /// The number of atomics that each turn after the running one may execute.
    pub(crate) atomics: u32,
    pub(crate) last_atomic: u64,
}
