//! Operands of steps: registers, sources, guards, and the operators of comparisons.

/// A register of the warp's register files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VReg {
    /// A register with 32 lanes of 32 bits, by its number.
    B32(u32),
    /// A register with 32 lanes of 64 bits, by its number.
    B64(u32),
    /// A predicate register with one bit for each lane, by its number.
    Predicate(u32),
}

/// A source operand. The operation determines the width of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A register of 32-bit lanes.
    B32(u32),
    /// A register of 64-bit lanes.
    B64(u32),
    /// An immediate: the same number in all lanes.
    Literal(u64),
    /// A uniform constant of [`crate::region::Inputs::constants`].
    Constant(u32),
    /// A uniform constant of [`crate::region::Inputs::wide_constants`].
    WideConstant(u32),
    /// A per-lane input of [`crate::Registers::per_lane`].
    PerLane(u32),
    /// A uniform value of [`crate::region::Inputs::uniforms`].
    Uniform(u32),
    /// 4 bytes of the parameters ([`crate::region::Inputs::bytes`]) at this offset.
    Bytes32(u32),
    /// The 8 bytes of the kernel parameters at this offset.
    Bytes64(u32),
    /// Offset of the running function's frame in local memory.
    FrameAt,
    /// The lane number, `%laneid`.
    Lane,
}

/// A predicate operand: the guard of a step, or a source of a Boolean operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// The predicate that is true in all lanes.
    Always,
    /// The predicate that is false in all lanes.
    Never,
    /// True in lanes in which the predicate register is true.
    If(u32),
    /// True in lanes in which the predicate register is false.
    Unless(u32),
}

/// A comparison operator.
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

/// A comparison: its operator and the type of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Compares signed 32-bit numbers.
    Signed(Relation),
    /// Compares unsigned 32-bit numbers.
    Unsigned(Relation),
    /// Compares signed 64-bit numbers.
    SignedWide(Relation),
    /// Compares unsigned 64-bit numbers.
    UnsignedWide(Relation),
    /// Compares 64-bit floats.
    Double {
        /// The comparison operator.
        relation: Relation,
        /// The result of the comparison if an operand is a NaN.
        unordered: bool,
    },
    /// Compares 32-bit floats.
    Float {
        /// The comparison operator.
        relation: Relation,
        /// The result of the comparison if an operand is a NaN.
        unordered: bool,
    },
    /// Whether the first operand, a 32-bit float, is not a positive normal number. The second
    /// operand is not read.
    Special,
}

/// The Boolean operation by which `setp` combines the result of a comparison with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// Logical and.
    And,
    /// Logical or.
    Or,
    /// Logical exclusive or.
    Xor,
}

impl Source {
    /// The register, if the source is a register.
    pub(crate) fn vreg(self) -> Option<VReg> {
        match self {
            Self::B32(i) => Some(VReg::B32(i)),
            Self::B64(i) => Some(VReg::B64(i)),
            _ => None,
        }
    }

    /// Whether the source is an f64 immediate other than a NaN.
    pub(crate) fn is_number64(self) -> bool {
        matches!(self, Self::Literal(bits) if !f64::from_bits(bits).is_nan())
    }
}

impl Predicate {
    /// The register of this predicate; `None` for a constant.
    pub(crate) fn vreg(self) -> Option<VReg> {
        match self {
            Self::If(i) | Self::Unless(i) => Some(VReg::Predicate(i)),
            Self::Always | Self::Never => None,
        }
    }
}
