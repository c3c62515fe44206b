//! What runs regions: functions of them, and what they are called with.

use crate::operand::Source;
use crate::region::Access;
use crate::{Narrow, Wide};
use std::cell::Cell;
use std::marker::PhantomData;
use texunit_memory::Reach;

/// What a function is made for: the lanes that do not take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All live lanes take part: nobody will ever read the others, which may be overwritten.
    Live,
    /// Some of them do: the others keep what they hold. Where a branch can part lanes, the function has the code for
    /// all live ones too, so that it goes from one to the other.
    Some,
}

impl Mode {
    /// `all lanes`, `some lanes`
    pub(crate) fn lanes(self) -> &'static str {
        match self {
            Self::Live => "all lanes",
            Self::Some => "some lanes",
        }
    }
}

/// The instructions that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Vectors of 256 bits.
    Avx2,
    /// Vectors of 512 bits, with masks.
    Avx512,
}

/// What is only read, and the same for many warps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs<'a> {
    /// Numbers, each the same in all lanes.
    pub constants: &'a [Narrow],
    /// Numbers of 64 bits, each the same in all lanes.
    pub wide_constants: &'a [Wide],
    /// Numbers.
    pub words: &'a [u32],
    /// Parameters.
    pub bytes: &'a [u8],
    /// Counters of [`crate::region::Action::Count`].
    pub counts: &'a [Cell<u64>],
    /// Where accesses lie one behind the other from CTA to CTA: how many lanes ahead caches are asked for them.
    pub ahead: u32,
    /// Whether nothing lies between what a CTA accesses so and what the next one does.
    pub is_line: bool,
}

/// Where a function may be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub(crate) function: u64,
    pub(crate) offset: u32,
    pub(crate) mode: Mode,
}

/// Lanes that a branch has parted and that are to meet again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Group {
    /// The instruction before which they do.
    pub meets: u32,
    /// All of them; of the group of who runs the region: none.
    pub expected: u32,
    /// Those that are there.
    pub arrived: u32,
    /// Steps of the region when the last of them came, if there are any.
    pub since: u64,
}

impl Group {
    pub(crate) const NONE: Self = Self { meets: u32::MAX, expected: 0, arrived: 0, since: 0 };
}

/// How lanes stand where a region has been left, besides those that ran ([`crate::region::Left::mask`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parted<'a> {
    /// Groups, from the outermost on, which is that of who runs the region ([`crate::region::Until::meets`]). Those that ran are in all of
    /// them.
    pub groups: &'a [Group],
    /// Lanes that stand at another instruction: its number, the lanes, and the last of the groups that they are in.
    pub stands: Option<(u32, u32, usize)>,
}

/// The allocation that an access found last, as its function needs it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Site {
    /// What makes the offset in the allocation of the base of an address.
    pub(crate) add: u64,
    /// The offset of a lane is below.
    pub(crate) limit: u64,
    /// Host address of the first byte.
    pub(crate) host: u64,
    /// In elements: the number of the first of 16 lanes that lie one behind the other is below, and that of a
    /// lane. Nothing is, if the allocation is not aligned as its elements.
    pub(crate) halves: u64,
    pub(crate) elements: u64,
    /// The same of the lowest offset of a group, for all of its offsets.
    pub(crate) near: Around,
    /// Of an address that is a number for all lanes and one of 32 bits for each, times the bytes of the access: the host
    /// address of index 0, below what an index is, and below what one is that 31 others follow.
    pub(crate) origin: u64,
    pub(crate) indices: u64,
    pub(crate) rows: u64,
    /// How often in turn some lanes were looked at for a shape that they did not have: what code notes here.
    pub(crate) apart: u64,
}

/// What is known of an allocation for accesses with one base and several offsets.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Around {
    /// What makes the offset in the allocation of the base of an address, for the lowest.
    pub(crate) add: u64,
    /// In elements: as in [`Site`].
    pub(crate) halves: u64,
    pub(crate) elements: u64,
}

/// How a site is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) offset: u64,
    /// Bytes of the access in a lane.
    pub(crate) total: u64,
    pub(crate) stores: bool,
    /// The lowest offset of those that it looks at for others, and how far above it the highest one is.
    pub(crate) near: (u64, u64),
    /// The number for all lanes of an address that is such a sum: a literal, or a parameter.
    pub(crate) index: Option<Source>,
}

impl Use {
    pub(crate) fn of(access: &Access, stores: bool) -> Self {
        let total = u64::from(access.size) * u64::from(access.count);
        Self { offset: access.offset, total, stores, near: (access.offset, 0), index: None }
    }
}

/// The sites of a function: of each access, the allocation of its last hit, and what else stays with who runs it.
/// A worker has them as long as its launch.
#[derive(Debug)]
pub struct Sites<'m> {
    pub(crate) function: u64,
    pub(crate) all: Box<[Site]>,
    /// What the code is called with: here, as it is large, and most of it is the same for each call.
    #[cfg(all(feature = "jit", target_arch = "x86_64"))]
    pub(crate) frame: Box<crate::emit::Frame>,
    /// The parameters that sites have been filled with.
    #[cfg(all(feature = "jit", target_arch = "x86_64"))]
    pub(crate) params: Option<&'m [u8]>,
    pub(crate) memory: PhantomData<Reach<'m>>,
}

impl Use {
    /// The address of index 0, if it has such an address, and a multiple of its bytes.
    fn first(self, params: &[u8]) -> Option<u64> {
        let add = match self.index? {
            Source::Literal(number) => number,
            Source::Bytes64(at) => {
                let bytes = params.get(at as usize..)?.first_chunk()?;
                u64::from_le_bytes(*bytes)
            }
            _ => return None,
        };
        let first = add.wrapping_add(self.offset);
        (self.total != 0 && first.is_multiple_of(self.total)).then_some(first)
    }
}

impl Site {
    /// That of an access, if it can ever hit.
    pub(crate) fn of(to: Use, reach: &Reach<'_>, params: &[u8]) -> Self {
        let len = if to.stores { reach.writable() } else { reach.len() };
        // Small elements are loaded as parts of 4 bytes.
        let needed = if to.stores || reach.slack() >= 4 { to.total } else { to.total.max(4) };
        let below = |bytes: u64| len.checked_sub(bytes).map_or(0, |last| last + 1);
        let is_aligned = to.total != 0 && reach.address().is_multiple_of(to.total);
        let elements = |span: u64| {
            let rest = len.checked_sub(span).filter(|_| is_aligned);
            rest.and_then(|rest| rest.checked_div(to.total)).unwrap_or(0)
        };
        let (limit, host) = (below(needed), reach.host().as_ptr().expose_provenance() as u64);
        // Where index 0 lies in the allocation, and how many there are from it on.
        let first = to.first(params).map(|first| first.wrapping_sub(reach.address()));
        let (first, indices) =
            match first.and_then(|first| Some((first, limit.checked_sub(first)?))) {
                // None is negative as a signed number, which gathers take it for.
                Some((first, behind)) => (first, behind.div_ceil(to.total).min(1 << 31)),
                None => (0, 0),
            };
        Self {
            add: to.offset.wrapping_sub(reach.address()),
            limit,
            host,
            origin: host.wrapping_add(first),
            indices,
            rows: indices.saturating_sub(31),
            apart: 0,
            halves: elements(0).saturating_sub(15),
            elements: elements(0),
            near: Around {
                add: to.near.0.wrapping_sub(reach.address()),
                halves: elements(to.near.1).saturating_sub(15),
                elements: elements(to.near.1),
            },
        }
    }
}
