//! Accesses to memory.

use crate::operand::{Place, Source};

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Global memory, also by a generic address: an address of no block that the site knows leaves.
    Global,
    /// Shared memory of the CTA, by offsets.
    Shared,
    /// Local memory of a lane, by offsets.
    Local,
    /// A known offset of the running frame in local memory ([`crate::region::Memory::frame`]); there is no base.
    Frame,
    /// A known offset of [`crate::region::Inputs::bytes`]; there is no base, and all lanes have the same.
    Param,
}

/// An access of all lanes that take a step: `count` elements behind each other in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where.
    pub space: Space,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub size: u8,
    /// Elements: 1, 2, 4 or 8. The address is a multiple of the size of all, but in frames and parameters.
    pub count: u8,
    /// The address is this, of 64 bits or of 32, and `offset`: of a number of 32 bits the sum has 32 bits too.
    pub base: Option<Source>,
    /// See `base`.
    pub offset: u64,
    /// The number of its site ([`Space::Global`] alone), which no other access has.
    pub site: u32,
    /// Which memory the addresses of [`Space::Global`] are of: accesses to another one know nothing of its sites.
    pub map: u8,
}

/// A load.
#[derive(Clone, Debug)]
pub struct Load {
    /// From where.
    pub access: Access,
    /// Whether elements are extended by their signs, to 64 bits. Else by zeros.
    pub signed: bool,
    /// The bits of the extended number that remain.
    pub keep: u64,
    /// Registers, narrow or wide, one for each element; what is none is not wanted.
    pub to: Vec<Option<Place>>,
}

/// A store.
#[derive(Clone, Debug)]
pub struct Store {
    /// To where.
    pub access: Access,
    /// A number for each element, whose low bytes are stored; one of 32 bits has zeros above.
    pub from: Vec<Source>,
}

/// How an atomic changes a number, from `old`.
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
    /// Where.
    pub access: Access,
    /// How the number changes.
    pub change: Change,
    /// Where the old number goes, as wide as the element.
    pub to: Option<Place>,
    /// b
    pub b: Source,
    /// c
    pub c: Option<Source>,
}
