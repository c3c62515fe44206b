//! What a function is called with.

use super::PREDICATES;
use crate::{Narrow, Wide};
use std::mem::{MaybeUninit, offset_of};

/// Addresses of the files and inputs, and room for predicates.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) narrow: *mut Narrow,
    pub(crate) wide: *mut Wide,
    pub(crate) predicates: *mut u32,
    pub(crate) pool: *const u64,
    pub(crate) constants: *const Narrow,
    pub(crate) wide_constants: *const Wide,
    pub(crate) rows: *const Narrow,
    pub(crate) words: *const u32,
    pub(crate) bytes: *const u8,
    /// Lanes that take part.
    pub(crate) mask: u32,
    /// Both halves of predicates, while the function runs.
    pub(crate) rooms: [MaybeUninit<u32>; PREDICATES],
}

impl Frame {
    pub(super) const NARROW: usize = offset_of!(Frame, narrow);
    pub(super) const WIDE: usize = offset_of!(Frame, wide);
    pub(super) const PREDICATES: usize = offset_of!(Frame, predicates);
    pub(super) const POOL: usize = offset_of!(Frame, pool);
    pub(super) const CONSTANTS: usize = offset_of!(Frame, constants);
    pub(super) const WIDE_CONSTANTS: usize = offset_of!(Frame, wide_constants);
    pub(super) const ROWS: usize = offset_of!(Frame, rows);
    pub(super) const WORDS: usize = offset_of!(Frame, words);
    pub(super) const BYTES: usize = offset_of!(Frame, bytes);
    pub(super) const MASK: usize = offset_of!(Frame, mask);
    const ROOMS: usize = offset_of!(Frame, rooms);

    /// Where a half of a predicate's room is.
    pub(super) fn room(room: usize, half: usize) -> usize {
        Self::ROOMS + 4 * room + 2 * half
    }
}
