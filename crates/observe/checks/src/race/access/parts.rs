//! Parts of a warp's access: the addresses of its octets, and the values that it stores.

use super::MAX_ELEMENTS;
use texunit_simt::observe::{Access, AccessOp};
use texunit_unit::Build;

/// The addresses of eight consecutive lanes (an octet).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::race) struct Octet {
    /// Address of the first of the lanes.
    pub(in crate::race) at: u64,
    /// Whether the lanes access consecutive memory. Otherwise all eight access one address.
    pub(in crate::race) is_row: bool,
}

impl Octet {
    #[inline(always)]
    fn of(all: &[u64; 8], bytes: u64) -> Option<Self> {
        let at = all[0];
        let (mut apart, mut off) = (0, 0);
        let mut next = at;
        for &address in all {
            apart |= address ^ at;
            off |= address ^ next;
            next = next.wrapping_add(bytes);
        }
        match (apart, off) {
            (0, _) => Some(Self { at, is_row: false }),
            (_, 0) => Some(Self { at, is_row: true }),
            _ => None,
        }
    }

    /// The addresses of the four octets of a warp; `None` if an octet accesses neither consecutive
    /// memory nor one address.
    #[inline(never)]
    pub(super) fn all_of(access: &Access<'_>) -> Option<[Self; 4]> {
        Build::current().run_narrow(
            #[inline(always)]
            || {
                let mut octets = [Self::default(); 4];
                for (octet, part) in octets.iter_mut().zip(access.addresses.as_chunks::<8>().0) {
                    *octet = Self::of(part, access.bytes().into())?;
                }
                Some(octets)
            },
        )
    }
}

/// The values that a store instruction writes.
#[derive(Default)]
pub(in crate::race) struct Stored {
    /// For each lane, the value of the access's first element.
    pub(super) first: Option<[u64; 32]>,
    /// For each lane, the values of the other elements of a vector access.
    pub(super) more: Vec<Option<[u64; 32]>>,
}

impl Stored {
    /// The values that a store instruction writes; empty for other accesses.
    #[inline]
    pub(in crate::race) fn of(access: &Access<'_>) -> Self {
        if access.operation != AccessOp::Store {
            return Self { first: None, more: Vec::new() };
        }
        let count = access.values.len().min(MAX_ELEMENTS);
        Self {
            first: access.values.get(0),
            more: (1..count).map(|i| access.values.get(i)).collect(),
        }
    }

    /// The values of a store whose elements are given, each with the values of 32 lanes.
    pub(in crate::race) fn these(mut elements: impl Iterator<Item = [u64; 32]>) -> Self {
        Self { first: elements.next(), more: elements.map(Some).collect() }
    }

    /// The values of an access that does not store.
    pub(super) const NOTHING: &Self = &Self { first: None, more: Vec::new() };
}
