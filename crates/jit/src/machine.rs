//! What runs regions: functions of them, and what they are called with.

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
    /// Some of them do: the others keep what they hold.
    Some,
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
#[derive(Clone, Copy, Debug)]
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
}

/// Where a function may be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub(crate) function: u64,
    pub(crate) offset: u32,
}

/// The allocation that an access found last, as its function needs it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Site {
    /// What makes the offset in the allocation of the base of an address.
    pub(crate) add: u64,
    /// The offset of a lane is below.
    pub(crate) limit: u64,
    /// The offset of the first of 32 lanes that lie one behind the other is below.
    pub(crate) rows: u64,
    /// Host address of the first byte.
    pub(crate) host: u64,
}

/// How a site is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) offset: u64,
    /// Bytes of the access in a lane.
    pub(crate) total: u64,
    pub(crate) stores: bool,
}

impl Use {
    pub(crate) fn of(access: &Access, stores: bool) -> Self {
        let total = u64::from(access.size) * u64::from(access.count);
        Self { offset: access.offset, total, stores }
    }
}

/// The sites of a function: of each access, the allocation of its last hit, and what else stays with who runs it.
/// A worker has them as long as its launch.
#[derive(Debug)]
pub struct Sites<'m> {
    pub(crate) function: u64,
    pub(crate) all: Box<[Site]>,
    /// What the code is called with: here, as it is large, and most of it is the same for each call.
    #[cfg(target_arch = "x86_64")]
    pub(crate) frame: Box<crate::emit::Frame>,
    pub(crate) memory: PhantomData<Reach<'m>>,
}

impl Site {
    /// That of an access, if it can ever hit.
    pub(crate) fn of(to: Use, reach: &Reach<'_>) -> Self {
        let len = if to.stores { reach.writable() } else { reach.len() };
        // Small elements are loaded as parts of 4 bytes.
        let needed = if to.stores || reach.slack() >= 4 { to.total } else { to.total.max(4) };
        let below = |bytes: u64| len.checked_sub(bytes).map_or(0, |last| last + 1);
        Self {
            add: to.offset.wrapping_sub(reach.address()),
            limit: below(needed),
            rows: below(32 * to.total),
            host: reach.host().as_ptr().expose_provenance() as u64,
        }
    }
}
