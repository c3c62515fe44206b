//! Operands of loads, stores and atomics.

use super::cross::Reduce;
use crate::operand::{Source, VReg};

/// The state space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Global memory, also through generic addresses. An address outside the site's allocation
    /// exits.
    Global,
    /// Shared memory of the CTA, addressed by offsets.
    Shared,
    /// Local memory of each lane, addressed by offsets.
    Local,
    /// A constant offset in the running function's frame ([`crate::region::WarpTable::add`]),
    /// without a base.
    Frame,
    /// A constant offset in the kernel parameters ([`crate::region::Inputs::bytes`]), without a
    /// base; uniform.
    Param,
}

/// An access by all lanes that execute a step: `count` consecutive elements in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The state space that is accessed.
    pub space: Space,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub size: u8,
    /// Number of elements: 1, 2, 4 or 8. Except in frames and parameters, addresses must be aligned
    /// to the size of all elements together.
    pub count: u8,
    /// The base register; the address is `base + offset`, computed in the width of the base.
    pub base: Option<Source>,
    /// The constant part of the address.
    pub offset: u64,
    /// The number of the access site, which no other access uses ([`Space::Global`] only).
    pub site: u32,
    /// The memory map that translates addresses of [`Space::Global`]. Accesses with different maps
    /// share no bounds check.
    pub map: u8,
}

/// A load.
#[derive(Clone, Debug)]
pub struct Load {
    /// The address and the size of the access.
    pub access: Access,
    /// Whether elements are sign-extended to 64 bits; otherwise they are zero-extended.
    pub signed: bool,
    /// The mask of bits of the extended value that are kept; the other bits become zero.
    pub keep: u64,
    /// Destination of each element; `None` discards it.
    pub to: Vec<Option<VReg>>,
}

/// A store.
#[derive(Clone, Debug)]
pub struct Store {
    /// The address and the size of the access.
    pub access: Access,
    /// Source of each element, whose low bytes are stored; 32-bit sources are zero-extended.
    pub from: Vec<Source>,
}

/// The read-modify-write operation of an atomic, where `old` is the value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// An operation on the old value and b (`add`, `min`, `and` and so on).
    Reduce(Reduce),
    /// The operand b, which replaces the old value (`exch`).
    Exchange,
    /// The operand c if the old value equals b, otherwise the old value (`cas`).
    Compare,
    /// The old value + 1, or 0 if the old value is at least b (`inc`).
    Inc,
    /// The old value - 1, or b if the old value is 0 or greater than b (`dec`).
    Dec,
    /// old + b of floats, as `atom.add` computes it: in global memory, f32 subnormals are zeros; an
    /// f32 NaN is 0x7fffffff.
    AddFloat,
}

/// An atomic access of one element of 4 or 8 bytes, in global or shared memory.
#[derive(Clone, Debug)]
pub struct Atomic {
    /// The address and the size of the access.
    pub access: Access,
    /// The operation on the value in memory.
    pub change: Change,
    /// Destination of the old value, as wide as the element.
    pub to: Option<VReg>,
    /// Operand b of the operation.
    pub b: Source,
    /// Operand c of the operation (`cas` only).
    pub c: Option<Source>,
}
