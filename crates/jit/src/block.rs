//! What a function is made of: operations on registers.

use crate::op::Op;
use std::collections::HashSet;

/// A register of the files that a function is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// 32 lanes of 32 bits.
    Narrow(u32),
    /// 32 lanes of 64 bits.
    Wide(u32),
    /// A bit for each lane.
    Predicate(u32),
}

/// What an operation reads. Of a number, the operation says how wide it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A register of 32-bit lanes.
    Narrow(u32),
    /// A register of 64-bit lanes.
    Wide(u32),
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
    /// Where the running frame begins in local memory, the same in all lanes; regions alone have it.
    FrameAt,
    /// The number of the lane, of 32 bits; regions alone have it.
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
    /// Floats of 64 bits. Regions alone have it.
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

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Computes a register.
    Compute {
        /// How.
        op: Op,
        /// The register: of 64-bit lanes where the operation is.
        to: Place,
        /// Sources; those that the operation does not have are not looked at.
        from: [Source; 3],
    },
    /// Computes predicates of a comparison r: `p` is r combined with a predicate, `q` is not-r
    /// combined with it.
    Compare {
        /// The comparison.
        test: Test,
        /// What is compared.
        from: [Source; 2],
        /// Numbers of the predicates that are written.
        to: [Option<u32>; 2],
        /// How a result is combined, and with what.
        with: (Combine, Predicate),
    },
    /// Computes a predicate of two: bit `2a + b` of the table.
    Logic {
        /// The table.
        table: u8,
        /// The predicate that is written.
        to: u32,
        /// Sources.
        from: [Predicate; 2],
    },
    /// Nothing.
    Nothing,
}

/// A step of a block, taken by the lanes of its guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Lanes that take it.
    pub guard: Predicate,
    /// Whether its lanes are counted.
    pub counted: bool,
    /// What it does.
    pub action: Action,
}

/// Steps that follow each other, and the registers that are read behind them.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The steps.
    pub steps: Vec<Step>,
    /// Registers whose values something behind the block may read. Others need not be stored.
    pub kept: HashSet<Place>,
}

impl Source {
    /// The register that is read, if it is one of the files.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn place(self) -> Option<Place> {
        match self {
            Self::Narrow(i) => Some(Place::Narrow(i)),
            Self::Wide(i) => Some(Place::Wide(i)),
            _ => None,
        }
    }
}

impl Predicate {
    /// The predicate that is read, if there is one.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn place(self) -> Option<Place> {
        match self {
            Self::If(i) | Self::Unless(i) => Some(Place::Predicate(i)),
            Self::Always | Self::Never => None,
        }
    }
}

impl Step {
    /// Calls `f` with each register that the action reads, the guard not among them.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn each_read(&self, mut f: impl FnMut(Place)) {
        let mut maybe = |place: Option<Place>| place.into_iter().for_each(&mut f);
        match self.action {
            Action::Compute { op, from, .. } => {
                from.iter().take(op.sources()).for_each(|s| maybe(s.place()));
                if let Op::Select(p) | Op::SelectWide(p) = op {
                    maybe(p.place());
                }
            }
            Action::Compare { from, with, .. } => {
                from.iter().for_each(|s| maybe(s.place()));
                maybe(with.1.place());
            }
            Action::Logic { from, .. } => from.iter().for_each(|p| maybe(p.place())),
            Action::Nothing => {}
        }
        // Lanes that do not take it keep what they have.
        if self.guard != Predicate::Always {
            self.each_written(f);
        }
    }

    /// Calls `f` with each register that is written.
    pub fn each_written(&self, mut f: impl FnMut(Place)) {
        match self.action {
            Action::Compute { to, .. } => f(to),
            Action::Compare { to, .. } => {
                to.into_iter().flatten().for_each(|p| f(Place::Predicate(p)));
            }
            Action::Logic { to, .. } => f(Place::Predicate(to)),
            Action::Nothing => {}
        }
    }
}
