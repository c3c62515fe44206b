//! The record of an access in the shadow memory, which takes 16 bytes.

/// Number of low bits of [`AccessRecord::when`] that are the access kind. The upper bits are the
/// time.
const KIND_BITS: u32 = 5;
/// The latest time that a record can represent.
pub(super) const LAST_TIME: u32 = u32::MAX >> KIND_BITS;
/// Number of operations of a kernel that records can tell apart.
const MAX_OPS: u32 = 1 << 22;

/// The kind of an access: memory order, scope, and whether it stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AccessKind(u32);

impl AccessKind {
    /// A weak load.
    pub(super) const WEAK: Self = Self(0);
    /// A strong load at CTA scope.
    pub(super) const CTA: Self = Self(1);
    /// A strong load at device scope.
    pub(super) const GPU: Self = Self(2);
    /// A load that is strong because it is `.volatile`.
    pub(super) const VOLATILE: Self = Self(2 | 4);
    const WRITES: u32 = 8;
    const ASYNC: u32 = 16;

    pub(super) fn writing(self) -> Self {
        Self(self.0 | Self::WRITES)
    }

    /// The same access as a `cp.async` copy, which happens at an unknown time before its
    /// completion.
    pub(super) fn asynchronous(self) -> Self {
        Self(self.0 | Self::ASYNC)
    }

    pub(super) fn writes(self) -> bool {
        self.0 & Self::WRITES != 0
    }

    pub(super) fn is_async(self) -> bool {
        self.0 & Self::ASYNC != 0
    }

    pub(super) fn is_volatile(self) -> bool {
        self.0 & 4 != 0
    }

    /// 0 if the access is weak, 1 if it is strong at CTA scope, 2 if it is strong at device scope.
    pub(super) fn strength(self) -> u32 {
        self.0 & 3
    }
}

/// The record of an access by a thread or by lanes of a warp. All fields are 0 if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AccessRecord {
    /// Serial number of the CTA among the CTAs of all launches, from 1.
    pub(super) serial: u32,
    when: u32,
    who: u32,
    /// For the last store of a cell, the stored value. For the record of a whole line, the mapping
    /// of lanes to bytes (`line::LaneMapping`). Otherwise a mask of the warp's lanes.
    pub(super) extra: u32,
}

impl AccessRecord {
    pub(super) const NONE: Self = Self { serial: 0, when: 0, who: 0, extra: 0 };

    pub(super) fn new(
        serial: u32,
        (time, kind): (u32, AccessKind),
        (thread, op): (u32, u32),
    ) -> Self {
        let who = thread << 22 | op.min(MAX_OPS - 1);
        Self { serial, when: time << KIND_BITS | kind.0, who, extra: 0 }
    }

    pub(super) fn with(self, extra: u32) -> Self {
        Self { extra, ..self }
    }

    /// The same record with another thread.
    pub(super) fn of_thread(self, thread: u32) -> Self {
        Self { who: thread << 22 | self.op(), ..self }
    }

    /// The same record with another operation.
    pub(super) fn of_op(self, op: u32) -> Self {
        Self { who: self.thread() << 22 | op.min(MAX_OPS - 1), ..self }
    }

    pub(super) fn is_none(self) -> bool {
        self.serial == 0
    }

    pub(super) fn time(self) -> u32 {
        self.when >> KIND_BITS
    }

    pub(super) fn kind(self) -> AccessKind {
        AccessKind(self.when & ((1 << KIND_BITS) - 1))
    }

    /// Number of the thread in the CTA; that of the first lane if the record is for several.
    pub(super) fn thread(self) -> u32 {
        self.who >> 22
    }

    pub(super) fn op(self) -> u32 {
        self.who & (MAX_OPS - 1)
    }

    /// Whether this record is a synchronous access of only this lane (a mask) of the warp that has
    /// made the other.
    #[inline]
    pub(super) fn is_of(self, other: Self, lane: u32) -> bool {
        self.serial == other.serial
            && self.extra == lane
            && self.who >> 27 == other.who >> 27
            && !self.kind().is_async()
    }

    /// Whether both records have the same CTA, time, kind and operation.
    #[inline]
    pub(super) fn is_same_act(self, other: Self) -> bool {
        self.serial == other.serial && self.when == other.when && self.op() == other.op()
    }

    /// Whether both records have the same CTA, time, kind and warp.
    #[inline]
    pub(super) fn is_like(self, other: Self) -> bool {
        self.serial == other.serial && self.when == other.when && self.who >> 27 == other.who >> 27
    }
}
