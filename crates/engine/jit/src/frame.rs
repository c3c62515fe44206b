//! The frame that compiled code is called with: register files, inputs, limits, results, and state that outlives a step.

mod parts;

use crate::B64;
use crate::machine::Group;
use crate::region::{Listener, MAX_WARPS};
pub(crate) use parts::{Batch, CachedShape, FrameDivergence, FrameInputs, WarpSlot, Window};
use std::mem::{MaybeUninit, offset_of};
use std::ptr::{NonNull, null, null_mut};

/// Scratch registers for calls of host functions: four sources and the result.
pub(crate) const SCRATCH: usize = 5;

/// Base groups whose shapes are known at a time ([`Frame::cached_shapes`]).
pub(crate) const BASE_GROUPS: usize = 4;

/// How many index registers can be tracked, and how many address registers ([`Frame::indices`]).
pub(crate) const INDICES: usize = 8;

/// The routine that calls host functions by number ([`crate::routine`]), and the code itself.
#[cfg(target_arch = "x86_64")]
pub(crate) type Caller = unsafe extern "sysv64" fn(*mut Frame, u32);
#[cfg(target_arch = "x86_64")]
pub(crate) type Begin = unsafe extern "sysv64" fn(*mut Frame);
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Caller = unsafe extern "C" fn(*mut Frame, u32);
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Begin = unsafe extern "C" fn(*mut Frame);

/// Room for [`Frame::own_words`].
const OWN_WORDS: usize = 16;

/// Depth to which reconvergence groups can nest inside a region.
pub(crate) const DEPTH: usize = 8;

/// The frame of a call.
#[repr(C, align(64))]
#[derive(Debug)]
pub(crate) struct Frame {
    /// Scratch registers of the code.
    pub(crate) scratch: MaybeUninit<[B64; SCRATCH]>,
    /// The running warp: what its slot had when it started, with what has changed.
    pub(crate) warp: WarpSlot,
    pub(crate) inputs: FrameInputs,
    /// The listener, and the lanes that it is notified with.
    pub(crate) listener: Option<NonNull<dyn Listener>>,
    pub(crate) notified: u32,
    pub(crate) shared: Window,
    /// Local memory: the limits hold for all warps, each of which has a base of its own.
    pub(crate) local: Window,
    pub(crate) zeros: u64,
    /// Shapes of base groups (`emit::base_groups`).
    pub(crate) cached_shapes: [CachedShape; BASE_GROUPS],
    /// Shapes of index registers (`emit::index`), and the indices of their first lanes.
    pub(crate) indices: [[u32; 2]; 2 * INDICES],
    /// Saved values during a call.
    pub(crate) saved: [u64; 4],
    /// Host addresses of the parts of an access without a base group.
    pub(crate) parts: [u64; 4],
    /// Ones in inactive lanes: a mask vector for AVX2.
    pub(crate) inactive_lanes: [u32; 32],
    pub(crate) divergence: FrameDivergence,
    pub(crate) batch: Batch,
    pub(crate) slots: [WarpSlot; MAX_WARPS],
    /// Uniform values of the running CTA, if they differ from those of the inputs ([`Self::set_words`]).
    pub(crate) own_words: [u32; OWN_WORDS],
}

// SAFETY: only runs of a `WarpTable` lead to accesses through the pointers, each after setting all that the code reads; stale
// pointers are never used.
#[allow(unsafe_code, reason = "pointers that are only numbers between calls")]
unsafe impl Send for Frame {}

/// Constants for the offsets of fields.
macro_rules! offsets {
    ($($name:ident $($field:ident).+,)*) => {
        $(pub(crate) const $name: usize = offset_of!(Frame, $($field).+);)*

        /// The name of the field that begins at an offset.
        pub(crate) fn field(at: usize) -> Option<&'static str> {
            let fields = [$((Self::$name, stringify!($($field).+))),*];
            fields.iter().find(|field| field.0 == at).map(|field| field.1)
        }
    };
}

impl Frame {
    /// No instruction has this number.
    pub(crate) const NO_INSTRUCTION: u32 = u32::MAX;

    /// An empty frame: callers set all that the code reads.
    pub(crate) fn new(call: Caller) -> Self {
        Self {
            scratch: MaybeUninit::uninit(),
            warp: WarpSlot::NONE,
            inputs: FrameInputs {
                pool: null(),
                constants: null(),
                wide_constants: null(),
                words: null(),
                bytes: null(),
                counts: null(),
                ahead: 0,
                sites: null_mut(),
                routines: null(),
                call,
            },
            listener: None,
            notified: 0,
            shared: Window::NONE,
            local: Window::NONE,
            zeros: 0,
            cached_shapes: [CachedShape { shape: 0, at: [0; 4] }; BASE_GROUPS],
            indices: [[0; 2]; 2 * INDICES],
            saved: [0; 4],
            parts: [0; 4],
            inactive_lanes: [0; 32],
            divergence: FrameDivergence {
                group: Group::NONE,
                depth: 0,
                groups: [Group::NONE; DEPTH + 1],
                pending: 0,
                pending_at: 0,
                pending_target: 0,
                pending_depth: 0,
                turn: 0,
                wait_limit: 0,
                patience: 0,
                outer_patience: 0,
            },
            batch: Batch {
                slot: null_mut(),
                remaining: 0,
                retire_at: Self::NO_INSTRUCTION,
                target: null(),
                yields: 0,
                barriers: 0,
                passed: Self::NO_INSTRUCTION,
                follow: 0,
                per_cta: 0,
                ctas: 0,
                first_rows: null(),
                row_bytes: 0,
                word_bytes: 0,
                all_steps: 0,
                all_threads: 0,
            },
            slots: [WarpSlot::NONE; MAX_WARPS],
            own_words: [0; OWN_WORDS],
        }
    }

    /// Replaces the uniform values of the inputs. False if there is no room.
    #[inline(always)]
    pub(crate) fn set_words(&mut self, words: &[u32]) -> bool {
        let Some(own) = self.own_words.get_mut(..words.len()) else { return false };
        own.copy_from_slice(words);
        self.inputs.words = (&raw const self.own_words).cast();
        true
    }

    offsets! {
        NARROW warp.narrow, WIDE warp.wide, PREDICATES warp.predicates, ROWS warp.rows, LOCAL warp.local, FRAME warp.frame,
        FRAME_AT warp.frame_at, INDEX warp.index, LIVE warp.live, LIMIT warp.limit, END warp.end, COUNTED warp.counted, THREADS warp.threads,
        MASK warp.mask, FULL_MASK warp.full_mask, ATOMICS_LEFT warp.atomics_left, LAST_ATOMIC warp.last_atomic,
        POOL inputs.pool, CONSTANTS inputs.constants, WIDE_CONSTANTS inputs.wide_constants, WORDS inputs.words,
        BYTES inputs.bytes, COUNTS inputs.counts, AHEAD inputs.ahead, SITES inputs.sites, CALL inputs.call,
        NOTIFIED notified, SHARED shared.base, SHARED_LIMITS shared.limits, LOCAL_LIMITS local.limits, ZEROS zeros,
        SAVED saved, PARTS parts, INACTIVE_LANES inactive_lanes,
        GROUP divergence.group, DEPTH divergence.depth, GROUPS divergence.groups, PENDING divergence.pending,
        PENDING_AT divergence.pending_at, PENDING_TARGET divergence.pending_target,
        PENDING_DEPTH divergence.pending_depth, TURN divergence.turn, WAIT_LIMIT divergence.wait_limit,
        PATIENCE divergence.patience, OUTER_PATIENCE divergence.outer_patience,
        SLOT batch.slot, REMAINING batch.remaining, RETIRE_AT batch.retire_at, TARGET batch.target, YIELDS batch.yields,
        BARRIERS batch.barriers, PASSED batch.passed, FOLLOW batch.follow, PER_CTA batch.per_cta, CTAS batch.ctas,
        FIRST_ROWS batch.first_rows, ROW_BYTES batch.row_bytes, WORD_BYTES batch.word_bytes, ALL_STEPS batch.all_steps,
        ALL_THREADS batch.all_threads,
    }

    /// Offset of the table.
    pub(crate) const SLOTS: usize = offset_of!(Frame, slots);

    /// The reconvergence point of the innermost group.
    pub(crate) const RECONVERGE_AT: usize = Self::GROUP + offset_of!(Group, reconverge_at);

    /// Offset of the shape of a base group; the shape is 0 if unknown.
    pub(crate) fn shape(slot: usize) -> usize {
        offset_of!(Frame, cached_shapes) + slot * size_of::<CachedShape>()
    }

    /// Offset of the host address of a part of its lanes.
    pub(crate) fn place(slot: usize, part: usize) -> usize {
        Self::shape(slot) + offset_of!(CachedShape, at) + 8 * part
    }

    /// Offset of the shape of an index register.
    pub(crate) fn index(slot: usize) -> usize {
        offset_of!(Frame, indices) + 8 * slot
    }

    /// Offset of the index of its first lane.
    pub(crate) fn first_index(slot: usize) -> usize {
        Self::index(slot) + 4
    }

    /// Offset of a scratch register.
    pub(crate) fn scratch(row: usize) -> usize {
        offset_of!(Frame, scratch) + row * size_of::<B64>()
    }
}
