//! Operands of warp code, encoded in 32 bits.

const CONSTANT: u32 = 1 << 31;
const WIDE: u32 = 1 << 30;
const PREDICATE: u32 = 1 << 29;
const INDEX: u32 = PREDICATE - 1;

/// An operand: a register of the running call frame, or a constant. An operand is narrow (up to 32
/// bits), wide (64 bits), or a predicate, which may be negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(u32);

impl Default for Slot {
    fn default() -> Self {
        Self::NONE
    }
}

impl Slot {
    /// No operand: a read has no value, a write has no effect.
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

    /// Encodes a plain number in an operand field.
    pub(crate) fn number(n: u32) -> Self {
        Slot(n)
    }

    /// The number that [`Self::number`] encoded.
    #[inline]
    pub(crate) fn as_number(self) -> u32 {
        self.0
    }

    /// The slot with the next number, which is the upper half of a 128-bit register.
    pub(crate) fn next(self) -> Self {
        Slot(self.0 + 1)
    }

    /// The negation of a predicate.
    pub(crate) fn negated(self) -> Self {
        Slot(self.0 ^ 1)
    }

    /// The register without negation.
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

    /// Whether the operand is an existing one of up to 32 bits.
    pub(crate) fn is_narrow(self) -> bool {
        self.0 & (WIDE | PREDICATE) == 0
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

    /// Index of the register in the frame, or of the constant in its pool.
    #[inline]
    pub(crate) fn index(self) -> usize {
        (self.0 & INDEX) as usize
    }

    /// Index of a predicate register in the frame.
    #[inline]
    pub(crate) fn predicate_index(self) -> usize {
        (self.0 & INDEX) as usize >> 1
    }
}
