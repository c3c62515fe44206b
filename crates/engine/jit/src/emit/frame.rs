//! What a function of a region is called with.

use crate::machine::{Group, Parted, Site};
use crate::region::{Apart, Listener, Routine};
use crate::routine::Caller;
use crate::{Narrow, Wide};
use std::cell::Cell;
use std::mem::{MaybeUninit, offset_of};
use std::ops::Range;
use std::ptr::NonNull;

/// Rows for calls of functions: four sources, and the result.
pub(crate) const SCRATCH: usize = 5;

/// Words that a frame can have of its own.
const OWN_WORDS: usize = 16;

/// Groups of a region's own that lanes can be in.
pub(crate) const DEPTH: usize = 8;

/// What the first access of a group has found out for all: the shape of its addresses, and where parts of the lanes have
/// the lowest of the group's offsets.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) shape: u64,
    pub(crate) at: [u64; 4],
}

/// What code knows of a warp that runs together with others.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linked {
    pub(crate) narrow: *mut Narrow,
    pub(crate) wide: *mut Wide,
    pub(crate) predicates: *mut u32,
    pub(crate) rows: *const Narrow,
    pub(crate) frame_at: u64,
    /// Of these, what the frame has of one that runs.
    pub(crate) limit: u64,
    pub(crate) steps: u64,
    pub(crate) missed: u64,
    pub(crate) live: u32,
    /// The instruction at which it waits or before which it has left.
    pub(crate) at: u32,
    /// As in the frame, where lanes may part.
    pub(crate) end: u64,
    pub(crate) counted: u64,
    pub(crate) threads: u64,
    /// Whether it waits ([`crate::region::End::Pause`]).
    pub(crate) waits: u32,
    /// How many registers there are of each kind: code does not look at it.
    pub(crate) registers: [u32; 3],
}

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
    /// See [`crate::region::Inputs::ahead`].
    pub(crate) ahead: u64,
    pub(crate) sites: *mut Site,
    /// The functions that are called, and what calls them.
    pub(crate) routines: *const Routine,
    pub(crate) call: Caller,
    /// Who hears of steps, of which warp, and the lanes that take the one that is told.
    pub(crate) listener: Option<NonNull<dyn Listener>>,
    pub(crate) warp: u32,
    pub(crate) told: u32,
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
    /// What is known of groups of accesses ([`super::near`]).
    pub(crate) near: [Found; super::same_base::SLOTS],
    /// What is known of registers ([`super::index`]), and the numbers of their first lanes.
    pub(crate) indices: [[u32; 2]; 2 * super::index::INDICES],
    /// What the code keeps during a call.
    pub(crate) saved: [u64; 4],
    /// Where the parts of an access begin that has no group.
    pub(crate) parts: [u64; 4],
    /// Ones in the lanes that do not run, as AVX2 has them.
    pub(crate) resting: [u32; 32],
    /// The innermost group of lanes that are to meet; how many there are behind that of who runs the region, and
    /// all the outer ones, from that on (see [`super::part`]).
    pub(crate) group: Group,
    pub(crate) depth: u32,
    pub(crate) groups: [Group; DEPTH + 1],
    /// Lanes that stand at the target of a branch, where that is, as a number and as an address, and in how many
    /// groups they are.
    pub(crate) stands: u32,
    pub(crate) stands_at: u32,
    pub(crate) stands_to: u64,
    pub(crate) stands_level: u32,
    /// With these lanes it goes on as code for all live ones.
    pub(crate) whole: u32,
    /// See [`crate::region::Apart`], and the patience while there is no group of its own.
    pub(crate) end: u64,
    pub(crate) turn: u64,
    pub(crate) waits: u64,
    pub(crate) patience: u64,
    pub(crate) outer_patience: u64,
    /// Steps when the mask has changed last, and the lanes of steps before.
    pub(crate) counted: u64,
    pub(crate) threads: u64,
    /// The instruction where warps have come to the end of the kernel ([`Self::NOWHERE`]: each is told), how many of them
    /// follow this one (one less than none, when the last has come there), where each goes on, and how far its rows are from those of the one before.
    pub(crate) ends_at: u32,
    pub(crate) follow: u32,
    pub(crate) target: *const u8,
    pub(crate) row_bytes: u64,
    /// Steps of those that have come there, and the lanes that have taken these.
    pub(crate) all_steps: u64,
    pub(crate) all_threads: u64,
    /// The one that runs of warps that run together, of which [`Self::follow`] follow; null: none does.
    pub(crate) link: *mut Linked,
    /// Words of the CTA that runs, if they have been others before ([`Self::set_words`]).
    pub(crate) own_words: [u32; OWN_WORDS],
}

// SAFETY: nothing is reached through the pointers but in `Running::run`, `Series::run` and `Links::run`, which has set all of them that the code
// looks at for the time of the call; what is left in them afterwards is never used.
#[allow(unsafe_code, reason = "pointers that are only numbers between calls")]
unsafe impl Send for Frame {}

/// For each size of an access, below what its offset must be in so many bytes.
fn limits(len: u64) -> [u64; 7] {
    std::array::from_fn(|i| len.checked_sub(1 << i).map_or(0, |last| last + 1))
}

/// Names of the offsets of fields.
macro_rules! offsets {
    ($($name:ident $field:ident)*) => {
        $(pub(super) const $name: usize = offset_of!(Frame, $field);)*

        /// The name of the field that begins at an offset.
        pub(crate) fn field(at: usize) -> Option<&'static str> {
            let fields = [$((Self::$name, stringify!($field))),*];
            fields.iter().find(|field| field.0 == at).map(|field| field.1)
        }
    };
}

impl Frame {
    /// The number of no instruction.
    pub(crate) const NOWHERE: u32 = u32::MAX;

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
            ahead: 0,
            sites: null_mut(),
            routines: null(),
            call,
            listener: None,
            warp: 0,
            told: 0,
            shared: null_mut(),
            local: null_mut(),
            frame: null_mut(),
            frame_at: 0,
            shared_limits: [0; 7],
            local_limits: [0; 7],
            shared_len: 0,
            local_len: 0,
            limit: 0,
            atomics_left: 0,
            mask: 0,
            live: 0,
            why: 0,
            site: 0,
            steps: 0,
            missed: 0,
            last_atomic: 0,
            zeros: 0,
            near: [Found { shape: 0, at: [0; 4] }; super::same_base::SLOTS],
            indices: [[0; 2]; 2 * super::index::INDICES],
            saved: [0; 4],
            parts: [0; 4],
            resting: [0; 32],
            group: Group::NONE,
            depth: 0,
            groups: [Group::NONE; DEPTH + 1],
            stands: 0,
            stands_at: 0,
            stands_to: 0,
            stands_level: 0,
            whole: 0,
            end: 0,
            turn: 0,
            waits: 0,
            patience: 0,
            outer_patience: 0,
            counted: 0,
            threads: 0,
            ends_at: Self::NOWHERE,
            follow: 0,
            target: null(),
            row_bytes: 0,
            all_steps: 0,
            all_threads: 0,
            link: null_mut(),
            own_words: [0; OWN_WORDS],
        }
    }

    /// Other words than those of the inputs. False: there are too many.
    #[inline(always)]
    pub(crate) fn set_words(&mut self, words: &[u32]) -> bool {
        let Some(own) = self.own_words.get_mut(..words.len()) else { return false };
        own.copy_from_slice(words);
        self.words = (&raw const self.own_words).cast();
        true
    }

    /// Shared memory of the CTA.
    #[inline]
    pub(crate) fn reach_shared(&mut self, shared: &mut [u8]) {
        self.shared = shared.as_mut_ptr();
        let len = (shared.len() as u64).min(1 << 31);
        if self.shared_len != len {
            (self.shared_len, self.shared_limits) = (len, limits(len));
        }
    }

    /// Local memory of a warp, and where the running frame is in it.
    #[inline]
    pub(crate) fn reach_local(&mut self, local: &mut [Narrow], frame: &Range<u64>) {
        let len = (4 * local.len() as u64).min(frame.end).min(1 << 31);
        if self.local_len != len {
            (self.local_len, self.local_limits) = (len, limits(len));
        }
        self.local = local.as_mut_ptr();
        // Not read if it lies outside: then no access of the frame is in the code.
        self.frame = self.local.wrapping_add((frame.start / 4) as usize);
    }

    /// No lanes have parted yet. `whole`: lanes with which code for all live ones goes on.
    #[inline(always)]
    pub(crate) fn begin_parts(&mut self, whole: u32, apart: Apart) {
        (self.group.expected, self.group.arrived) = (0, 0);
        (self.depth, self.stands, self.whole) = (0, 0, whole);
        (self.end, self.turn, self.waits) = (apart.end, apart.turn, apart.waits);
        (self.patience, self.outer_patience) = (apart.patience, apart.patience);
        (self.counted, self.threads) = (0, 0);
    }

    /// The same for the next warp, where only the lanes and the end are others.
    #[inline(always)]
    pub(crate) fn begin_parts_again(&mut self, whole: u32, end: u64) {
        if self.has_parted() {
            (self.group.meets, self.group.expected, self.group.arrived) = (u32::MAX, 0, 0);
            (self.depth, self.stands) = (0, 0);
        }
        (self.whole, self.end, self.counted, self.threads) = (whole, end, 0, 0);
    }

    /// Whether lanes stand or wait elsewhere than those that have run.
    #[inline(always)]
    pub(crate) fn has_parted(&self) -> bool {
        self.depth | self.group.arrived | self.stands != 0
    }

    /// Lanes that have taken the steps, in all. `parts`: lanes may have parted.
    #[inline(always)]
    pub(crate) fn all_lanes(&self, parts: bool) -> u64 {
        let (before, steps) = match parts {
            true => (self.threads, self.steps - self.counted),
            false => (0, self.steps),
        };
        // Where there is no instruction for it, to count lanes takes fifteen.
        let lanes = if self.mask == u32::MAX { 32 } else { u64::from(self.mask.count_ones()) };
        (before + steps * lanes).wrapping_sub(self.missed)
    }

    /// See [`crate::region::Running::parted`].
    pub(crate) fn parted(&mut self) -> Parted<'_> {
        let depth = (self.depth as usize).min(DEPTH);
        self.groups[depth] = self.group;
        let stands = (self.stands_at, self.stands, self.stands_level as usize);
        Parted { groups: &self.groups[..=depth], stands: (self.stands != 0).then_some(stands) }
    }

    offsets! {
        NARROW narrow WIDE wide PREDICATES predicates POOL pool CONSTANTS constants
        WIDE_CONSTANTS wide_constants ROWS rows WORDS words BYTES bytes COUNTS counts AHEAD ahead SITES sites CALL call TOLD told
        SHARED shared LOCAL local FRAME frame FRAME_AT frame_at SHARED_LIMITS shared_limits
        LOCAL_LIMITS local_limits LIMIT limit ATOMICS_LEFT atomics_left MASK mask LIVE live
        WHY why SITE site STEPS steps MISSED missed LAST_ATOMIC last_atomic ZEROS zeros SAVED saved PARTS parts RESTING resting
        GROUP group DEPTH depth GROUPS groups STANDS stands STANDS_AT stands_at STANDS_TO stands_to
        STANDS_LEVEL stands_level WHOLE whole END end TURN turn WAITS waits PATIENCE patience
        OUTER_PATIENCE outer_patience COUNTED counted THREADS threads ENDS_AT ends_at FOLLOW follow TARGET target
        ROW_BYTES row_bytes ALL_STEPS all_steps ALL_THREADS all_threads LINK link
    }

    /// Where the lanes are to meet.
    pub(super) const MEETS: usize = Self::GROUP + offset_of!(Group, meets);

    /// Where the shape of a group of accesses is: 0 if nothing is known.
    pub(super) fn shape(slot: usize) -> usize {
        offset_of!(Frame, near) + slot * size_of::<Found>()
    }

    /// Where the address of a part of its lanes is.
    pub(super) fn place(slot: usize, part: usize) -> usize {
        Self::shape(slot) + offset_of!(Found, at) + 8 * part
    }

    /// Where it says what is known of the indices of a register.
    pub(super) fn index(slot: usize) -> usize {
        offset_of!(Frame, indices) + 8 * slot
    }

    /// Where the index of the first lane is.
    pub(super) fn first_index(slot: usize) -> usize {
        Self::index(slot) + 4
    }

    /// Where a scratch row is.
    pub(super) fn scratch(row: usize) -> usize {
        offset_of!(Frame, scratch) + row * size_of::<Wide>()
    }
}
