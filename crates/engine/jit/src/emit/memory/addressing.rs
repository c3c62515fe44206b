//! How an access is addressed, as far as it is known when its code is emitted.

use super::access::is_by_lane;
use crate::emit::Emitter;
use crate::emit::backend::Backend;
use crate::emit::index::Indexed;
use crate::ir::{Access, Space};
use crate::machine::Mode;

/// The shape of the addresses of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) enum Addressing {
    /// All lanes have one address.
    Uniform,
    /// All lanes are expected to have one address ([`crate::emit::uniform`]).
    Same,
    /// All lanes are contiguous ([`crate::region::Region::strides`]).
    Row,
    /// The index decides whether the lanes are contiguous ([`crate::emit::index`]).
    Index,
    /// The code tests whether the lanes are contiguous or have one address.
    Tested,
    /// The lanes are accessed one by one: in local memory, where they are not contiguous, and in
    /// shared memory if they are known to be apart.
    Scattered,
}

impl Addressing {
    /// The shape of the addresses of an access; the flags for shared memory are
    /// [`crate::emit::index::Indices::is_shared_row`] and
    /// [`crate::emit::index::Indices::is_strided`], and `is_same` says whether
    /// [`crate::emit::uniform::loads`] has the access.
    pub(in crate::emit) fn of(
        access: &Access,
        indexed: Option<Indexed>,
        (is_shared_row, is_strided): (bool, bool),
        is_same: bool,
    ) -> Self {
        match indexed {
            _ if !is_by_lane(access.base) => Self::Uniform,
            Some(indexed) if indexed.is_row => Self::Row,
            Some(_) => Self::Index,
            None if access.space == Space::Local || is_strided => Self::Scattered,
            None if is_shared_row => Self::Row,
            None if is_same => Self::Same,
            None => Self::Tested,
        }
    }
}

impl<B: Backend> Emitter<'_, B> {
    /// How the access of the current step is addressed.
    pub(super) fn addressing(&self, access: &Access) -> Addressing {
        let at = (self.block, self.step);
        let is_same = self.mode == Mode::Live && self.facts.same.contains(&at);
        let shared = (self.is_shared_row(), self.facts.indices.is_strided(at));
        Addressing::of(access, self.indexed(), shared, is_same)
    }
}
