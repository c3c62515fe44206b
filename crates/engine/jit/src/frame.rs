//! The frame, the one argument of compiled code: pointers to register files and inputs, limits,
//! results, and state that lives longer than one step. The runtime fills the frame before a run,
//! the code addresses its fields by the offsets defined here, and the runtime reads exit records
//! from it afterwards.

mod parts;

use crate::diverged::{EndedTurn, FrameDivergence, Group, Side};
use crate::ir::Listener;
use crate::run::MAX_WARPS;
use crate::waiting::Runtime;
use crate::warp_slot::WarpSlot;
use crate::{B32, B64};
pub(crate) use parts::{Batch, CachedShape, FrameInputs, Window};
use std::any::Any;
use std::mem::offset_of;
use std::ptr::NonNull;

/// Scratch registers through which host functions are called: four sources and the result.
pub(crate) const SCRATCH: usize = 5;

/// The number of base groups whose address shapes are cached at a time ([`Frame::cached_shapes`]).
pub(crate) const BASE_GROUPS: usize = 4;

/// The number of index registers that are tracked, and the number of address registers
/// ([`Frame::indices`]).
pub(crate) const INDICES: usize = 8;

/// The signatures of the trampoline that calls host functions ([`crate::routine`]), and of the
/// entry point of compiled code.
#[cfg(target_arch = "x86_64")]
pub(crate) type Trampoline = unsafe extern "sysv64" fn(*mut Frame, u32) -> u64;
#[cfg(target_arch = "x86_64")]
pub(crate) type EntryPoint = unsafe extern "sysv64" fn(*mut Frame);
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Trampoline = unsafe extern "C" fn(*mut Frame, u32) -> u64;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type EntryPoint = unsafe extern "C" fn(*mut Frame);

/// The maximum number of uniform values in [`Frame::own_uniforms`].
const OWN_UNIFORMS: usize = 16;

/// State of a run of compiled code.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Scratch registers of the compiled code.
    pub(crate) scratch: [B64; SCRATCH],
    /// State of the running warp: a copy of its slot, which the code updates while the warp runs.
    pub(crate) warp: WarpSlot,
    pub(crate) inputs: FrameInputs,
    /// The listener, and the mask of lanes that the next notification passes.
    pub(crate) listener: Option<NonNull<dyn Listener>>,
    pub(crate) notified: u32,
    pub(crate) shared: Window,
    /// Local memory. The limits are the same for all warps; the code replaces the base with that of
    /// the running warp.
    pub(crate) local: Window,
    pub(crate) zeros: u64,
    /// Cached address shapes of base groups (`emit::base_groups`).
    pub(crate) cached_shapes: [CachedShape; BASE_GROUPS],
    /// Cached shapes of index registers, each with the index of the first lane (`emit::index`).
    pub(crate) indices: [[u32; 2]; INDICES],
    /// General registers that are saved during a call of a host function.
    pub(crate) saved: [u64; 4],
    /// Host addresses for each lane group, for an access that belongs to no base group.
    pub(crate) parts: [u64; 4],
    /// A vector mask for AVX2: all bits set in inactive lanes, zeros in active ones.
    pub(crate) inactive_lanes: [u32; 32],
    pub(crate) batch: Batch,
    pub(crate) slots: [WarpSlot; MAX_WARPS],
    /// The register file of 32-bit lanes of each slot's warp.
    pub(crate) narrow: [NarrowFile; MAX_WARPS],
    /// Uniform values of the running CTA, where they replace those of the inputs
    /// ([`Self::set_uniforms`]).
    pub(crate) own_uniforms: [u32; OWN_UNIFORMS],
    /// The runtime, which executes instructions at yield points. A panic in it is resumed after the
    /// code has returned.
    pub(crate) runtime: Option<NonNull<dyn Runtime>>,
    pub(crate) panic: Option<Box<dyn Any + Send>>,
    pub(crate) divergence: FrameDivergence,
}

/// A register file of 32-bit lanes; a reference to it while a table has the warp.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct NarrowFile(pub(crate) *mut [B32]);

impl Default for NarrowFile {
    fn default() -> Self {
        Self(std::ptr::slice_from_raw_parts_mut(std::ptr::null_mut(), 0))
    }
}

// SAFETY: only runs of a `WarpTable` dereference the pointers. Each run sets all pointers that the
// code reads before it enters the code, so that stale pointers are never used.
#[allow(unsafe_code, reason = "pointers that are only numbers between calls")]
unsafe impl Send for Frame {}

/// Defines a constant for the offset of each listed field.
macro_rules! offsets {
    ($($name:ident $($field:ident).+,)*) => {
        $(pub(crate) const $name: usize = offset_of!(Frame, $($field).+);)*

        /// The name of the field at an offset, for the disassembly.
        pub(crate) fn field(at: usize) -> Option<&'static str> {
            let fields = [$((Self::$name, stringify!($($field).+))),*];
            fields.iter().find(|field| field.0 == at).map(|field| field.1)
        }
    };
}

impl Frame {
    /// A value that is not the number of any instruction.
    pub(crate) const NO_INSTRUCTION: u32 = u32::MAX;

    /// A frame whose fields the caller sets before it enters the code.
    pub(crate) fn new(call: Trampoline) -> Self {
        let (retire_at, passed) = (Self::NO_INSTRUCTION, Self::NO_INSTRUCTION);
        Self {
            inputs: FrameInputs { call: Some(call), ..FrameInputs::default() },
            batch: Batch { retire_at, passed, ..Batch::default() },
            ..Self::default()
        }
    }

    /// Replaces the uniform values (`Inputs::uniforms`) by those of another CTA. Returns false if
    /// there are more values than [`Self::own_uniforms`] can hold.
    #[inline(always)]
    pub(crate) fn set_uniforms(&mut self, uniforms: &[u32]) -> bool {
        let Some(own) = self.own_uniforms.get_mut(..uniforms.len()) else { return false };
        own.copy_from_slice(uniforms);
        self.inputs.uniforms = (&raw const self.own_uniforms).cast();
        true
    }

    offsets! {
        NARROW warp.narrow, WIDE warp.wide, PREDICATES warp.predicates, PER_LANE warp.per_lane, LOCAL warp.local, FRAME warp.frame,
        FRAME_AT warp.frame_at, INDEX warp.index, LIVE warp.live, LIMIT warp.limit, END warp.end, COUNTED warp.counted, THREADS warp.threads,
        MASK warp.mask, FULL_MASK warp.full_mask, ATOMICS_LEFT warp.atomics_left, LAST_ATOMIC warp.last_atomic,
        POOL inputs.pool, CONSTANTS inputs.constants, WIDE_CONSTANTS inputs.wide_constants, UNIFORMS inputs.uniforms,
        BYTES inputs.bytes, COUNTS inputs.counts, PREFETCH_DISTANCE inputs.prefetch_distance, SITES inputs.sites, CALL inputs.call,
        NOTIFIED notified, SHARED shared.base, SHARED_LIMITS shared.limits, LOCAL_LIMITS local.limits, ZEROS zeros,
        SAVED saved, PARTS parts, INACTIVE_LANES inactive_lanes,
        STEPS warp.steps, GROUP divergence.group, INNERMOST divergence.innermost, GROUPS divergence.groups,
        USED_GROUPS divergence.used, SIDES divergence.sides, PENDING divergence.pending, ENDED divergence.ended, TURN divergence.turn, SHARED_TURN divergence.shared_turn, WAIT_LIMIT divergence.wait_limit,
        PATIENCE divergence.patience, OUTER_PATIENCE divergence.outer_patience,
        SLOT batch.slot, REMAINING batch.remaining, RETIRE_AT batch.retire_at, TARGET batch.target, YIELDS batch.yields,
        ALL batch.all, RELEASES batch.releases, PASSED batch.passed, FOLLOW batch.follow, PER_CTA batch.per_cta, CTAS batch.ctas,
        FIRST_PER_LANE batch.first_per_lane, PER_LANE_BYTES batch.per_lane_bytes, UNIFORM_BYTES batch.uniform_bytes, ALL_STEPS batch.all_steps,
        ALL_THREADS batch.all_threads,
    }

    /// Offset of the slots of the warp table.
    pub(crate) const SLOTS: usize = offset_of!(Frame, slots);

    /// Offset of the reconvergence point of the innermost group.
    pub(crate) const RECONVERGE_AT: usize = Self::GROUP + offset_of!(Group, reconverge_at);

    /// Offsets of fields of the first pending side.
    pub(crate) const SIDE_MASK: usize = Self::SIDES + offset_of!(Side, mask);
    pub(crate) const SIDE_AT: usize = Self::SIDES + offset_of!(Side, at);
    pub(crate) const SIDE_GROUP: usize = Self::SIDES + offset_of!(Side, group);
    pub(crate) const SIDE_TARGET: usize = Self::SIDES + offset_of!(Side, target);

    /// Offsets of fields of the record of the turn that ended.
    pub(crate) const ENDED_AT: usize = Self::ENDED + offset_of!(EndedTurn, at);
    pub(crate) const ENDED_SOME: usize = Self::ENDED + offset_of!(EndedTurn, some);
    pub(crate) const ENDED_ALL: usize = Self::ENDED + offset_of!(EndedTurn, all);

    /// Offset of the cached shape of a base group; the shape is 0 if it is not known.
    pub(crate) fn shape(slot: usize) -> usize {
        offset_of!(Frame, cached_shapes) + slot * size_of::<CachedShape>()
    }

    /// Offset of the cached host address for a lane group of a base group.
    pub(crate) fn part_address(slot: usize, part: usize) -> usize {
        Self::shape(slot) + offset_of!(CachedShape, at) + 8 * part
    }

    /// Offset of the cached shape of an index register.
    pub(crate) fn index(slot: usize) -> usize {
        offset_of!(Frame, indices) + 8 * slot
    }

    /// Offset of the cached index of the first lane of an index register.
    pub(crate) fn first_index(slot: usize) -> usize {
        Self::index(slot) + 4
    }

    /// Offset of a scratch register.
    pub(crate) fn scratch(row: usize) -> usize {
        offset_of!(Frame, scratch) + row * size_of::<B64>()
    }
}
