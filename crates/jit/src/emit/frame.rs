//! What a function of a region is called with.

use crate::machine::Site;
use crate::region::Routine;
use crate::routine::Caller;
use crate::{Narrow, Wide};
use std::cell::Cell;
use std::mem::{MaybeUninit, offset_of};

/// Rows for calls of functions: four sources, and the result.
pub(crate) const SCRATCH: usize = 5;

/// Addresses of the files and inputs, limits, and what comes out.
#[repr(C, align(64))]
#[derive(Debug)]
pub(crate) struct Frame {
    /// Rows that the code uses for itself: five of 64 bits.
    pub(crate) scratch: MaybeUninit<[Wide; SCRATCH]>,
    pub(crate) narrow: *mut Narrow,
    pub(crate) wide: *mut Wide,
    pub(crate) predicates: *mut u32,
    pub(crate) pool: *const u64,
    pub(crate) constants: *const Narrow,
    pub(crate) wide_constants: *const Wide,
    pub(crate) rows: *const Narrow,
    pub(crate) words: *const u32,
    pub(crate) bytes: *const u8,
    pub(crate) counts: *const Cell<u64>,
    pub(crate) sites: *const Site,
    /// The functions that are called, and what calls them.
    pub(crate) routines: *const Routine,
    pub(crate) call: Caller,
    pub(crate) shared: *mut u8,
    /// All of local memory, and the part of the running frame.
    pub(crate) local: *mut Narrow,
    pub(crate) frame: *mut Narrow,
    /// The first byte of the running frame in local memory.
    pub(crate) frame_at: u64,
    /// Offsets in shared and in local memory of accesses of 1, 2, 4, ... 64 bytes are below these.
    pub(crate) shared_limits: [u64; 7],
    pub(crate) local_limits: [u64; 7],
    /// The lengths that they are of.
    pub(crate) shared_len: u64,
    pub(crate) local_len: u64,
    /// See [`crate::region::Until`].
    pub(crate) limit: u64,
    pub(crate) meets: u32,
    pub(crate) atomics_left: u32,
    /// Active lanes, and all lanes that have not exited.
    pub(crate) mask: u32,
    pub(crate) live: u32,
    /// See [`crate::region::Left`].
    pub(crate) why: u32,
    pub(crate) site: u32,
    pub(crate) steps: u64,
    /// Lanes that have not taken a step that counts, in all.
    pub(crate) missed: u64,
    pub(crate) last_atomic: u64,
    pub(crate) zeros: u64,
    /// What the code keeps during a call.
    pub(crate) saved: [u64; 4],
}

// SAFETY: nothing is reached through the pointers but in `Running::run`, which has set all of them that the code
// looks at for the time of the call; what is left in them afterwards is never used.
#[allow(unsafe_code, reason = "pointers that are only numbers between calls")]
unsafe impl Send for Frame {}

/// Names of the offsets of fields.
macro_rules! offsets {
    ($($name:ident $field:ident)*) => {
        $(pub(super) const $name: usize = offset_of!(Frame, $field);)*
    };
}

impl Frame {
    /// A frame without anything: all of it that code looks at is set before it runs.
    pub(crate) fn new(call: Caller) -> Self {
        use std::ptr::{null, null_mut};
        Self {
            scratch: MaybeUninit::uninit(),
            narrow: null_mut(),
            wide: null_mut(),
            predicates: null_mut(),
            pool: null(),
            constants: null(),
            wide_constants: null(),
            rows: null(),
            words: null(),
            bytes: null(),
            counts: null(),
            sites: null(),
            routines: null(),
            call,
            shared: null_mut(),
            local: null_mut(),
            frame: null_mut(),
            frame_at: 0,
            shared_limits: [0; 7],
            local_limits: [0; 7],
            shared_len: 0,
            local_len: 0,
            limit: 0,
            meets: 0,
            atomics_left: 0,
            mask: 0,
            live: 0,
            why: 0,
            site: 0,
            steps: 0,
            missed: 0,
            last_atomic: 0,
            zeros: 0,
            saved: [0; 4],
        }
    }

    offsets! {
        NARROW narrow WIDE wide PREDICATES predicates POOL pool CONSTANTS constants
        WIDE_CONSTANTS wide_constants ROWS rows WORDS words BYTES bytes COUNTS counts SITES sites CALL call
        SHARED shared LOCAL local FRAME frame FRAME_AT frame_at SHARED_LIMITS shared_limits
        LOCAL_LIMITS local_limits LIMIT limit MEETS meets ATOMICS_LEFT atomics_left MASK mask LIVE live
        WHY why SITE site STEPS steps MISSED missed LAST_ATOMIC last_atomic ZEROS zeros SAVED saved
    }

    /// Where a scratch row is.
    pub(super) fn scratch(row: usize) -> usize {
        offset_of!(Frame, scratch) + row * size_of::<Wide>()
    }
}
