//! The values that a store instruction writes.

use super::MAX_ELEMENTS;
use texunit_simt::observe::{Access, AccessOp};

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
