//! Structures inside the frame: inputs, memory windows, and the state of a run over several warps.
//! Compiled code reads and writes all of them by field offsets.

use super::Trampoline;
use crate::ir::Routine;
use crate::machine::Site;
use crate::warp_slot::WarpSlot;
use crate::{B32, B64};
use std::cell::Cell;

/// The shape of the addresses of a base group, and for each lane group the host address at the base
/// group's lowest offset. The base group's first access stores them, and its other accesses read
/// them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CachedShape {
    pub(crate) shape: u64,
    pub(crate) at: [u64; 4],
}

/// Inputs of a run, common to all warps of a table.
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct FrameInputs {
    pub(crate) pool: *const u64,
    pub(crate) constants: *const B32,
    pub(crate) wide_constants: *const B64,
    pub(crate) uniforms: *const u32,
    pub(crate) bytes: *const u8,
    pub(crate) counts: *const Cell<u64>,
    /// See [`crate::region::Inputs::prefetch_distance`].
    pub(crate) prefetch_distance: u64,
    pub(crate) sites: *mut Site,
    /// Host functions by number, and the trampoline that calls them.
    pub(crate) routines: *const Routine,
    pub(crate) call: Option<Trampoline>,
}

/// A memory that is addressed by offsets (shared or local memory).
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct Window {
    pub(crate) base: *mut u8,
    /// For accesses of 1, 2, 4, ... 64 bytes, the exclusive limit of the offset; and the length of
    /// the memory, from which the limits were computed.
    pub(crate) limits: [u64; 7],
    pub(crate) len: u64,
}

impl Window {
    /// Sets the length of the memory. If it has changed, the exclusive limit of the offset is
    /// computed for each access size ([`Self::limits`]).
    #[inline]
    pub(crate) fn reach(&mut self, len: u64) {
        let len = len.min(1 << 31);
        if self.len != len {
            self.len = len;
            self.limits =
                std::array::from_fn(|i| len.checked_sub(1 << i).map_or(0, |last| last + 1));
        }
    }
}

/// State of a run over several warps: how the code finds the next warp (`emit::warps`).
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The slot of the running warp, and how many slots are still to run (-1 when the last warp has
    /// stopped).
    pub(crate) slot: *mut WarpSlot,
    pub(crate) remaining: u32,
    /// The instruction at which warps retire; [`super::Frame::NO_INSTRUCTION`] if warps do not
    /// retire.
    pub(crate) retire_at: u32,
    /// The code address at which each warp starts.
    pub(crate) target: *const u8,
    /// 1 if warps wait at yield points, 0 if they exit there.
    pub(crate) yields: u32,
    /// The number of slots if the run is of all warps of the table, so that they can resume
    /// together; else 0.
    pub(crate) all: u32,
    /// 1 if the code itself releases barriers at which all warps wait, 0 if the runtime does.
    pub(crate) releases: u32,
    /// The last yield point that warps have passed in this run; and, if only the first warps of the
    /// table have passed it, their number.
    pub(crate) passed: u32,
    pub(crate) passed_warps: u32,
    /// The number of warps of the running CTA that share the slot's register files, from the
    /// running warp on; 0 if the slot has one warp.
    pub(crate) follow: u32,
    /// The number of warps in a CTA, and the number of CTAs that follow (-1 when the last CTA has
    /// ended).
    pub(crate) per_cta: u32,
    pub(crate) ctas: u32,
    /// Per-lane inputs of the first warp of a CTA, and the distance in bytes between the inputs of
    /// two warps.
    pub(crate) first_per_lane: *const B32,
    pub(crate) per_lane_bytes: u64,
    /// The distance in bytes between the uniform values of two CTAs.
    pub(crate) uniform_bytes: u64,
    /// Sums of the steps and threads of retired warps.
    pub(crate) all_steps: u64,
    pub(crate) all_threads: u64,
}
