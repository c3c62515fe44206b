//! The record of an access in the shadow, 16 bytes.

/// Number of bits of [`Stamp::when`] below the time.
const KIND_BITS: u32 = 5;
/// The last representable time.
pub(super) const LAST_TIME: u32 = u32::MAX >> KIND_BITS;
/// Maximum number of distinguishable operations.
const MAX_OPS: u32 = 1 << 22;

/// Memory order, scope and direction of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AccessKind(u32);

impl AccessKind {
    /// The access is a weak load.
    pub(super) const WEAK: Self = Self(0);
    /// Strong at CTA scope.
    pub(super) const CTA: Self = Self(1);
    /// Strong at device scope.
    pub(super) const GPU: Self = Self(2);
    /// The access is strong because of `.volatile`.
    pub(super) const VOLATILE: Self = Self(2 | 4);
    const WRITES: u32 = 8;
    const ASYNC: u32 = 16;

    pub(super) fn writing(self) -> Self {
        Self(self.0 | Self::WRITES)
    }

    /// The kind of a `cp.async` copy, which happens at an unknown time before its completion.
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

    /// 0: weak; 1: strong at CTA scope; 2: strong at device scope.
    pub(super) fn strength(self) -> u32 {
        self.0 & 3
    }
}

/// The record of an access by a thread or by lanes of a warp. All zero: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Serial number of the CTA among those of all launches, from 1.
    pub(super) serial: u32,
    when: u32,
    who: u32,
    /// Mask of the warp's lanes; for the last store of a cell the stored value, for a whole line
    /// the mapping of lanes to bytes (`line::By`).
    pub(super) extra: u32,
}

impl Stamp {
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

    /// The stamp of the same access, made by another thread.
    pub(super) fn of_thread(self, thread: u32) -> Self {
        Self { who: thread << 22 | self.op(), ..self }
    }

    /// The stamp of the same access, made by another operation.
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

    /// Thread number in the CTA; for several lanes, that of the first.
    pub(super) fn thread(self) -> u32 {
        self.who >> 22
    }

    pub(super) fn op(self) -> u32 {
        self.who & (MAX_OPS - 1)
    }

    /// Whether this record is a synchronous access of only this lane, in the other record's warp.
    #[inline]
    pub(super) fn is_of(self, other: Self, lane: u32) -> bool {
        self.serial == other.serial
            && self.extra == lane
            && self.who >> 27 == other.who >> 27
            && !self.kind().is_async()
    }

    /// Whether CTA, time, kind and operation are the same.
    #[inline]
    pub(super) fn is_same_act(self, other: Self) -> bool {
        self.serial == other.serial && self.when == other.when && self.op() == other.op()
    }

    /// Whether CTA, time, kind and warp are the same.
    #[inline]
    pub(super) fn is_like(self, other: Self) -> bool {
        self.serial == other.serial && self.when == other.when && self.who >> 27 == other.who >> 27
    }
}
