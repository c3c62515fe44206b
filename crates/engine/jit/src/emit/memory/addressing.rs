//! How an access is addressed, as far as it is known when its code is emitted.

use super::access::is_by_lane;
use crate::emit::Emitter;
use crate::emit::backend::Backend;
use crate::emit::index::Indexed;
use crate::ir::{Access, Space};

/// The shape of the addresses of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) enum Addressing {
    /// All lanes have one address.
    Uniform,
    /// All lanes are contiguous ([`crate::region::Region::strides`]).
    Row,
    /// The index decides whether the lanes are contiguous ([`crate::emit::index`]).
    Index,
    /// The code tests whether the lanes are contiguous or have one address.
    Tested,
    /// The lanes are accessed one by one: those of local memory, where they are not contiguous, and
    /// those at indices from memory.
    Scattered,
}

impl Addressing {
    /// The shape of the addresses of an access; `is_shared_row` is
    /// [`crate::emit::index::Indices::is_shared_row`].
    pub(in crate::emit) fn of(
        access: &Access,
        indexed: Option<Indexed>,
        is_shared_row: bool,
    ) -> Self {
        match indexed {
            _ if !is_by_lane(access.base) => Self::Uniform,
            Some(indexed) if indexed.is_loaded => Self::Scattered,
            Some(indexed) if indexed.is_row => Self::Row,
            Some(_) => Self::Index,
            None if access.space == Space::Local => Self::Scattered,
            None if is_shared_row => Self::Row,
            None => Self::Tested,
        }
    }
}

impl<B: Backend> Emitter<'_, B> {
    /// How the access of the current step is addressed.
    pub(super) fn addressing(&self, access: &Access) -> Addressing {
        Addressing::of(access, self.indexed(), self.is_shared_row())
    }
}
