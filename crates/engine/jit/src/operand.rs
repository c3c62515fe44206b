//! What operations work on.

/// A register of the files that a function is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// 32 lanes of 32 bits.
    B32(u32),
    /// 32 lanes of 64 bits.
    B64(u32),
    /// A bit for each lane.
    Predicate(u32),
}

/// What an operation reads. Of a number, the operation says how wide it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A register of 32-bit lanes.
    B32(u32),
    /// A register of 64-bit lanes.
    B64(u32),
    /// A number, the same in all lanes.
    Literal(u64),
    /// A row of `Files::constants`, the same in all lanes.
    Constant(u32),
    /// A row of `Files::wide_constants`, the same in all lanes.
    WideConstant(u32),
    /// A row of `Files::rows`.
    Row(u32),
    /// A word of `Files::words`, the same in all lanes.
    Word(u32),
    /// 4 bytes of `Files::bytes` from here on, the same in all lanes.
    Bytes32(u32),
    /// 8 bytes of `Files::bytes` from here on, the same in all lanes.
    Bytes64(u32),
    /// Where the running frame begins in local memory, the same in all lanes.
    FrameAt,
    /// The number of the lane, of 32 bits.
    Lane,
}

/// Lanes by a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// All lanes.
    Always,
    /// No lane.
    Never,
    /// Those where a predicate holds.
    If(u32),
    /// Those where it does not.
    Unless(u32),
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// a = b
    Eq,
    /// a ≠ b
    Ne,
    /// a < b
    Lt,
    /// a ≤ b
    Le,
    /// a > b
    Gt,
    /// a ≥ b
    Ge,
}

/// A comparison of numbers of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Signed numbers of 32 bits.
    Signed(Relation),
    /// Unsigned numbers of 32 bits.
    Unsigned(Relation),
    /// Signed numbers of 64 bits.
    SignedWide(Relation),
    /// Unsigned numbers of 64 bits.
    UnsignedWide(Relation),
    /// Floats of 64 bits.
    Double {
        /// How they are compared.
        relation: Relation,
        /// What it gives where one is a NaN.
        unordered: bool,
    },
    /// Floats of 32 bits.
    Float {
        /// How they are compared.
        relation: Relation,
        /// What it gives where one is a NaN.
        unordered: bool,
    },
}

/// How the result of a comparison is combined with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// Both hold.
    And,
    /// One holds.
    Or,
    /// One of them alone holds.
    Xor,
}

impl Source {
    /// The register that is read, if it is one of the files.
    #[cfg(all(feature = "jit", target_arch = "x86_64"))]
    pub(crate) fn place(self) -> Option<Place> {
        match self {
            Self::B32(i) => Some(Place::B32(i)),
            Self::B64(i) => Some(Place::B64(i)),
            _ => None,
        }
    }

    /// Whether it is a number of f64, and no NaN.
    #[cfg(all(feature = "jit", target_arch = "x86_64"))]
    pub(crate) fn is_number64(self) -> bool {
        matches!(self, Self::Literal(bits) if !f64::from_bits(bits).is_nan())
    }
}

impl Predicate {
    /// The predicate that is read, if there is one.
    #[cfg(all(feature = "jit", target_arch = "x86_64"))]
    pub(crate) fn place(self) -> Option<Place> {
        match self {
            Self::If(i) | Self::Unless(i) => Some(Place::Predicate(i)),
            Self::Always | Self::Never => None,
        }
    }
}
