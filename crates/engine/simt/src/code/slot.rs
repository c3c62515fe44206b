//! Operands of warp code.

const CONSTANT: u32 = 1 << 31;
const WIDE: u32 = 1 << 30;
const PREDICATE: u32 = 1 << 29;
const INDEX: u32 = PREDICATE - 1;

/// An operand: a register of the frame's window or a constant; narrow (up to 32 bits), wide
/// (64 bits) or a predicate, possibly negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(u32);

impl Slot {
    /// No operand: reads as nothing, writes go nowhere.
    pub(crate) const NONE: Slot = Slot(u32::MAX);
    /// The predicate that always holds.
    pub(crate) const TRUE: Slot = Slot(CONSTANT | PREDICATE);
    /// The predicate that never holds.
    pub(crate) const FALSE: Slot = Slot(CONSTANT | PREDICATE | 1);

    pub(crate) fn narrow(index: u32) -> Self {
        Slot(index)
    }

    pub(crate) fn wide(index: u32) -> Self {
        Slot(index | WIDE)
    }

    pub(crate) fn predicate(index: u32) -> Self {
        Slot(index << 1 | PREDICATE)
    }

    pub(crate) fn narrow_constant(index: u32) -> Self {
        Slot(index | CONSTANT)
    }

    pub(crate) fn wide_constant(index: u32) -> Self {
        Slot(index | CONSTANT | WIDE)
    }

    /// A number where other instructions have an operand.
    pub(crate) fn number(n: u32) -> Self {
        Slot(n)
    }

    /// See [`Self::number`].
    #[inline]
    pub(crate) fn as_number(self) -> u32 {
        self.0
    }

    /// The slot behind it: the upper half of a register of 128 bits.
    pub(crate) fn next(self) -> Self {
        Slot(self.0 + 1)
    }

    /// The other value of a predicate.
    pub(crate) fn negated(self) -> Self {
        Slot(self.0 ^ 1)
    }

    /// The register itself: of a negated predicate, the predicate.
    pub(crate) fn plain(self) -> Self {
        if self.is_predicate() { Slot(self.0 & !1) } else { self }
    }

    #[inline]
    pub(crate) fn is_constant(self) -> bool {
        self.0 & CONSTANT != 0
    }

    #[inline]
    pub(crate) fn is_wide(self) -> bool {
        self.0 & WIDE != 0
    }

    #[inline]
    pub(crate) fn is_predicate(self) -> bool {
        self.0 & (WIDE | PREDICATE) == PREDICATE
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    #[inline]
    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 != 0
    }

    /// Index in the window or pool of its kind.
    #[inline]
    pub(crate) fn index(self) -> usize {
        (self.0 & INDEX) as usize
    }

    /// Index of a predicate in its window.
    #[inline]
    pub(crate) fn predicate_index(self) -> usize {
        (self.0 & INDEX) as usize >> 1
    }
}
