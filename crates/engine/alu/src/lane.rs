//! Registers of 32 lanes as operands of primitives: the values, sources and results of steps that
//! the interpreter evaluates, and the constants that a primitive can have.

use crate::mode::Mode;
use crate::{L32, L64};
use texunit_jit::Rounding;
use texunit_sfu::lanes::{Curve, LG2_0, RCP_CURVE, Words};

/// The value of a step or of an operation in all lanes. Only the field for its width is used.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Value {
    /// The value if it has up to 32 bits.
    pub narrow: L32,
    /// The value if it has 64 bits.
    pub wide: L64,
    /// The value if it is a predicate, with one bit for each lane.
    pub holds: u32,
}

impl Value {
    /// Zero in all fields.
    pub const ZERO: Self = Self { narrow: [0; 32], wide: [0; 32], holds: 0 };

    /// The value of a constant, which is the same in all lanes.
    pub(crate) fn number(number: u64) -> Self {
        let holds = if number & 1 == 0 { 0 } else { u32::MAX };
        Self { narrow: [number as u32; 32], wide: [number; 32], holds }
    }
}

/// A source of a step in all lanes.
#[derive(Clone, Copy, Debug)]
pub enum Lanes<'a> {
    /// A register of up to 32 bits.
    Narrow(&'a L32),
    /// A register of 64 bits.
    Wide(&'a L64),
    /// The value of an earlier step.
    Value(&'a Value),
}

impl<'a> Lanes<'a> {
    /// The lanes of a source of up to 32 bits; zeros if the source has 64 bits.
    pub(crate) fn narrow(self) -> &'a L32 {
        match self {
            Lanes::Narrow(lanes) => lanes,
            Lanes::Value(value) => &value.narrow,
            Lanes::Wide(_) => &Value::ZERO.narrow,
        }
    }

    /// The lanes of a source of 64 bits; zeros if the source has fewer.
    pub(crate) fn wide(self) -> &'a L64 {
        match self {
            Lanes::Wide(lanes) => lanes,
            Lanes::Value(value) => &value.wide,
            Lanes::Narrow(_) => &Value::ZERO.wide,
        }
    }
}

/// Value of one lane (`u32`, `u64` or `bool`). The trait knows the representation of all 32 lanes.
pub(crate) trait Lane: Copy {
    /// The representation of all lanes.
    type All: Copy;
    /// The value of all lanes before any lane has been written.
    const EMPTY: Self::All;
    /// The value that the bits of a constant stand for.
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn all<'a>(lanes: Lanes<'a>) -> &'a Self::All;
    fn get(all: &Self::All, lane: usize) -> Self;
    fn put(self, all: &mut Self::All, lane: usize);
    fn store(all: Self::All, value: &mut Value);
}

macro_rules! numbers {
    ($($number:ident $field:ident)*) => {
        $(impl Lane for $number {
            type All = [$number; 32];
            const EMPTY: Self::All = [0; 32];
            fn of(bits: u64) -> Self {
                bits as $number
            }
            fn bits(self) -> u64 {
                self as u64
            }
            fn all<'a>(lanes: Lanes<'a>) -> &'a Self::All {
                lanes.$field()
            }
            #[inline(always)]
            fn get(all: &Self::All, lane: usize) -> Self {
                all[lane]
            }
            #[inline(always)]
            fn put(self, all: &mut Self::All, lane: usize) {
                all[lane] = self;
            }
            #[inline(always)]
            fn store(all: Self::All, value: &mut Value) {
                value.$field = all;
            }
        })*
    };
}
numbers! { u32 narrow u64 wide }

impl Lane for bool {
    type All = u32;
    const EMPTY: u32 = 0;
    fn of(bits: u64) -> bool {
        bits != 0
    }
    fn bits(self) -> u64 {
        self.into()
    }
    fn all<'a>(lanes: Lanes<'a>) -> &'a u32 {
        match lanes {
            Lanes::Value(value) => &value.holds,
            Lanes::Narrow(_) | Lanes::Wide(_) => &Value::ZERO.holds,
        }
    }
    #[inline(always)]
    fn get(all: &u32, lane: usize) -> bool {
        all >> lane & 1 == 1
    }
    #[inline(always)]
    fn put(self, all: &mut u32, lane: usize) {
        *all |= u32::from(self) << lane;
    }
    #[inline(always)]
    fn store(all: u32, value: &mut Value) {
        value.holds = all;
    }
}

/// A source of a primitive, which is read one lane at a time.
pub(crate) struct SourceLanes<'a, L: Lane>(&'a L::All);

impl<'a, L: Lane> SourceLanes<'a, L> {
    pub(crate) fn new(lanes: Lanes<'a>) -> Self {
        Self(L::all(lanes))
    }

    #[inline(always)]
    pub(crate) fn at(&self, lane: usize) -> L {
        L::get(self.0, lane)
    }
}

/// The result of a primitive, which is written one lane at a time. It is a local variable, which
/// overlaps no source register, so that the compiler vectorises the loop that fills it.
pub(crate) struct ResultLanes<L: Lane>(L::All);

impl<L: Lane> ResultLanes<L> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(L::EMPTY)
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, lane: usize, value: L) {
        value.put(&mut self.0, lane);
    }

    #[inline(always)]
    pub(crate) fn store(self, value: &mut Value) {
        L::store(self.0, value);
    }
}

/// The constants of a primitive: its mode, rounding, bits or table, which the expression of an
/// operation fixes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants {
    mode: Mode,
    rounding: Rounding,
    bits: u32,
    words: Words,
    curve: &'static Curve,
}

impl Constants {
    pub(crate) const NONE: Self = Self {
        mode: crate::mode::IEEE,
        rounding: Rounding::Near,
        bits: 0,
        words: LG2_0,
        curve: &RCP_CURVE,
    };
}

/// A type of constants that primitives have.
pub(crate) trait Constant: Copy {
    fn put(self, constants: &mut Constants);
    fn of(constants: Constants) -> Self;
}

macro_rules! constants {
    ($($field:ident: $ty:ty,)*) => {
        $(impl Constant for $ty {
            fn put(self, constants: &mut Constants) {
                constants.$field = self;
            }
            fn of(constants: Constants) -> Self {
                constants.$field
            }
        })*
    };
}
constants! { mode: Mode, rounding: Rounding, bits: u32, words: Words, curve: &'static Curve, }

/// The function that evaluates a primitive for all lanes.
pub(crate) type Function = fn(&mut Value, [Lanes<'_>; 3], Constants);

/// The primitive that copies a source of this width.
pub(crate) fn copy(bits: u32) -> Function {
    match bits {
        1 => |to, [a, ..], _| to.holds = *bool::all(a),
        64 => |to, [a, ..], _| to.wide = *a.wide(),
        _ => |to, [a, ..], _| to.narrow = *a.narrow(),
    }
}
