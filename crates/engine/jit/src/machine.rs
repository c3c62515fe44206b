//! Types at the boundary between the runtime and compiled code: modes, instruction sets, inputs,
//! entries, and the access sites with the bounds of their allocations.

use crate::ir::Access;
use crate::operand::Source;
use crate::{B32, B64};
use std::cell::Cell;
use texunit_memory::Reach;

/// Which lanes of a warp are active while code of a function runs, and what the code does to
/// inactive lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All live lanes are active. Exited lanes may be overwritten, because nothing reads them
    /// again.
    Live,
    /// Some live lanes are active; inactive lanes keep their values. If a branch can diverge, the
    /// function also contains the code for all live lanes, and changes to it when these have
    /// reconverged.
    Some,
}

impl Mode {
    /// `all lanes` or `some lanes`, for the disassembly.
    pub(crate) fn lanes(self) -> &'static str {
        match self {
            Self::Live => "all lanes",
            Self::Some => "some lanes",
        }
    }
}

/// The instruction set for which code is emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// AVX2: vectors of 256 bits.
    Avx2,
    /// AVX-512: vectors of 512 bits, with mask registers.
    Avx512,
}

/// Read-only inputs that many warps share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs<'a> {
    /// 32-bit constants, broadcast to all lanes.
    pub constants: &'a [B32],
    /// Constants of 64 bits, broadcast to all lanes.
    pub wide_constants: &'a [B64],
    /// Uniform values of the CTA, such as `%ctaid`.
    pub uniforms: &'a [u32],
    /// Kernel parameters.
    pub bytes: &'a [u8],
    /// Counters of [`crate::region::Action::Count`].
    pub counts: &'a [Cell<u64>],
    /// Prefetch distance, in lanes, for accesses that are contiguous from CTA to CTA.
    pub prefetch_distance: u32,
    /// Whether the per-lane addresses of consecutive CTAs are contiguous.
    pub is_contiguous: bool,
    /// Whether each CTA runs right after the one before, so that their accesses are a stream.
    pub is_stream: bool,
}

/// An entry point of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub(crate) function: u64,
    pub(crate) offset: u32,
    pub(crate) mode: Mode,
}

/// An access site: bounds and host address of the allocation that the access hit last, prepared for
/// its bounds checks.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Site {
    /// Offset in the allocation of base address 0: base + `add` is the offset of an access.
    pub(crate) add: u64,
    /// Exclusive limit of the offset of a lane.
    pub(crate) limit: u64,
    /// Host address of the allocation.
    pub(crate) host: u64,
    /// For affine addresses, whose index is checked: the host address of element 0, the exclusive
    /// limit of an index, and the exclusive limit of the first index of 32 consecutive ones.
    pub(crate) origin: u64,
    pub(crate) indices: u64,
    pub(crate) rows: u64,
}

/// Properties of the access that uses a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SiteAccess {
    pub(crate) offset: u64,
    /// Bytes that each lane accesses.
    pub(crate) total: u64,
    pub(crate) stores: bool,
    /// The uniform part of an affine address: a literal or a parameter.
    pub(crate) index: Option<Source>,
}

impl SiteAccess {
    pub(crate) fn of(access: &Access, stores: bool) -> Self {
        let total = u64::from(access.size) * u64::from(access.count);
        Self { offset: access.offset, total, stores, index: None }
    }

    /// The address of element 0 of an affine access; `None` if it is not aligned to the element
    /// size.
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
    /// The site of an access to an allocation. All its limits are zero if no access can hit.
    pub(crate) fn of(to: SiteAccess, reach: &Reach<'_>, params: &[u8]) -> Self {
        let len = if to.stores { reach.writable() } else { reach.len() };
        let below = |bytes: u64| len.checked_sub(bytes).map_or(0, |last| last + 1);
        let host = reach.host().as_ptr().expose_provenance() as u64;
        // Offset of element 0 in the allocation, and the number of elements from there on that
        // `bytes` bytes follow; at most 2^31, because gather instructions treat an index as signed.
        let first = to.first(params).map(|first| first.wrapping_sub(reach.address()));
        let elements = |bytes| {
            let behind = below(bytes).checked_sub(first?)?;
            Some(behind.div_ceil(to.total).min(1 << 31))
        };
        // Gathers load 4 bytes even for smaller elements.
        let gathered = if to.stores || reach.slack() >= 4 { to.total } else { to.total.max(4) };
        Self {
            add: to.offset.wrapping_sub(reach.address()),
            limit: below(to.total),
            host,
            origin: host.wrapping_add(first.unwrap_or(0)),
            indices: elements(gathered).unwrap_or(0),
            rows: elements(to.total).unwrap_or(0).saturating_sub(31),
        }
    }
}
