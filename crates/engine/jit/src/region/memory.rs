//! Memory accesses.

use crate::operand::{Place, Source};

/// The state space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Global memory, also through generic addresses. An address outside the site's allocation exits.
    Global,
    /// Shared memory of the CTA, by offsets.
    Shared,
    /// Local memory of a lane, by offsets.
    Local,
    /// A constant offset in the running function's frame ([`crate::region::Memory::frame`]), without a base.
    Frame,
    /// A constant offset in the kernel parameters ([`crate::region::Inputs::bytes`]), without a base; uniform.
    Param,
}

/// An access by all lanes that execute a step: `count` consecutive elements in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// State space.
    pub space: Space,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub size: u8,
    /// Elements: 1, 2, 4 or 8. Except in frames and parameters, the address must be aligned to all of them.
    pub count: u8,
    /// The address is `base + offset`, computed in the width of the base.
    pub base: Option<Source>,
    /// See `base`.
    pub offset: u64,
    /// The access's own site ([`Space::Global`] only).
    pub site: u32,
    /// The memory that addresses of [`Space::Global`] belong to. Accesses of different maps share no bounds check.
    pub map: u8,
}

/// A load.
#[derive(Clone, Debug)]
pub struct Load {
    /// The access.
    pub access: Access,
    /// Whether elements are sign-extended to 64 bits; else zero-extended.
    pub signed: bool,
    /// Bits of the extended value that are kept.
    pub keep: u64,
    /// Destination of each element; `None` discards it.
    pub to: Vec<Option<Place>>,
}

/// A store.
#[derive(Clone, Debug)]
pub struct Store {
    /// The access.
    pub access: Access,
    /// Source of each element: its low bytes are stored; 32 bits are zero-extended.
    pub from: Vec<Source>,
}

/// The operation of an atomic on the value `old` in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// old + b
    Add,
    /// old and b
    And,
    /// old or b
    Or,
    /// old exclusive-or b
    Xor,
    /// b
    Exchange,
    /// c if old = b
    Compare,
    /// The lesser signed number.
    MinS,
    /// The greater signed number.
    MaxS,
    /// The lesser unsigned number.
    MinU,
    /// The greater unsigned number.
    MaxU,
    /// old + 1, or 0 if old ≥ b
    Inc,
    /// old - 1, or b if old = 0 or old > b
    Dec,
    /// old + b of floats, as `atom` adds them: f32 in global memory with subnormals as zeros, a NaN of f32 is
    /// 0x7fffffff.
    AddFloat,
}

/// An atomic access of one element of 4 or 8 bytes, in global or shared memory.
#[derive(Clone, Debug)]
pub struct Atomic {
    /// The access.
    pub access: Access,
    /// The operation.
    pub change: Change,
    /// Destination of the old value, as wide as the element.
    pub to: Option<Place>,
    /// b
    pub b: Source,
    /// c
    pub c: Option<Source>,
}
