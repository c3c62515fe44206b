//! Primitives over the lanes of a warp: what they read, give and know.

use crate::mode::Mode;
use crate::{L32, L64};
use texunit_jit::Rounding;
use texunit_sfu::lanes::{RCP_0, Words};

/// What a step or a row gives in all lanes. Only the field of its width is meant.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Value {
    /// Of up to 32 bits.
    pub narrow: L32,
    /// Of 64 bits.
    pub wide: L64,
    /// A predicate.
    pub holds: u32,
}

impl Value {
    /// Zeros.
    pub const ZERO: Self = Self { narrow: [0; 32], wide: [0; 32], holds: 0 };

    /// A number in all lanes.
    pub(crate) fn number(number: u64) -> Self {
        let holds = if number & 1 == 0 { 0 } else { u32::MAX };
        Self { narrow: [number as u32; 32], wide: [number; 32], holds }
    }
}

/// A source in all lanes.
#[derive(Clone, Copy, Debug)]
pub enum Lanes<'a> {
    /// A register of up to 32 bits.
    Narrow(&'a L32),
    /// A register of 64 bits.
    Wide(&'a L64),
    /// What a step gave.
    Value(&'a Value),
}

impl<'a> Lanes<'a> {
    /// A source of up to 32 bits; zeros if it has 64.
    pub(crate) fn narrow(self) -> &'a L32 {
        match self {
            Lanes::Narrow(lanes) => lanes,
            Lanes::Value(value) => &value.narrow,
            Lanes::Wide(_) => &Value::ZERO.narrow,
        }
    }

    /// A source of 64 bits; zeros if it has fewer.
    pub(crate) fn wide(self) -> &'a L64 {
        match self {
            Lanes::Wide(lanes) => lanes,
            Lanes::Value(value) => &value.wide,
            Lanes::Narrow(_) => &Value::ZERO.wide,
        }
    }
}

/// A value of one lane, and how those of all lanes lie.
pub(crate) trait Lane: Copy {
    /// All lanes.
    type All: Copy;
    /// No lane yet.
    const EMPTY: Self::All;
    fn all<'a>(lanes: Lanes<'a>) -> &'a Self::All;
    fn get(all: &Self::All, lane: usize) -> Self;
    fn put(self, all: &mut Self::All, lane: usize);
    fn store(all: Self::All, value: &mut Value);
}

impl Lane for u32 {
    type All = L32;
    const EMPTY: L32 = [0; 32];
    fn all<'a>(lanes: Lanes<'a>) -> &'a L32 {
        lanes.narrow()
    }
    #[inline(always)]
    fn get(all: &L32, lane: usize) -> u32 {
        all[lane]
    }
    #[inline(always)]
    fn put(self, all: &mut L32, lane: usize) {
        all[lane] = self;
    }
    #[inline(always)]
    fn store(all: L32, value: &mut Value) {
        value.narrow = all;
    }
}

impl Lane for u64 {
    type All = L64;
    const EMPTY: L64 = [0; 32];
    fn all<'a>(lanes: Lanes<'a>) -> &'a L64 {
        lanes.wide()
    }
    #[inline(always)]
    fn get(all: &L64, lane: usize) -> u64 {
        all[lane]
    }
    #[inline(always)]
    fn put(self, all: &mut L64, lane: usize) {
        all[lane] = self;
    }
    #[inline(always)]
    fn store(all: L64, value: &mut Value) {
        value.wide = all;
    }
}

impl Lane for bool {
    type All = u32;
    const EMPTY: u32 = 0;
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

/// A source of a primitive, by lane.
pub(crate) struct View<'a, L: Lane>(&'a L::All);

impl<'a, L: Lane> View<'a, L> {
    pub(crate) fn new(lanes: Lanes<'a>) -> Self {
        Self(L::all(lanes))
    }

    #[inline(always)]
    pub(crate) fn at(&self, lane: usize) -> L {
        L::get(self.0, lane)
    }
}

/// The result register of a primitive, lane by lane. A local variable overlaps no source register, so the compiler
/// vectorises the loop that fills it.
pub(crate) struct Gathered<L: Lane>(L::All);

impl<L: Lane> Gathered<L> {
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

/// What is known of a primitive when its row is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    mode: Mode,
    rounding: Rounding,
    bits: u32,
    words: Words,
}

impl Given {
    pub(crate) const NONE: Self =
        Self { mode: crate::mode::IEEE, rounding: Rounding::Near, bits: 0, words: RCP_0 };
}

/// A type of what is [`Given`].
pub(crate) trait Known: Copy {
    fn put(self, given: &mut Given);
    fn of(given: Given) -> Self;
}

impl Known for Mode {
    fn put(self, given: &mut Given) {
        given.mode = self;
    }
    fn of(given: Given) -> Self {
        given.mode
    }
}

impl Known for Rounding {
    fn put(self, given: &mut Given) {
        given.rounding = self;
    }
    fn of(given: Given) -> Self {
        given.rounding
    }
}

impl Known for Words {
    fn put(self, given: &mut Given) {
        given.words = self;
    }
    fn of(given: Given) -> Self {
        given.words
    }
}

impl Known for u32 {
    fn put(self, given: &mut Given) {
        given.bits = self;
    }
    fn of(given: Given) -> Self {
        given.bits
    }
}

/// A primitive over the lanes.
pub(crate) type Function = fn(&mut Value, [Lanes<'_>; 3], Given);

/// The primitive that gives its source, of so many bits.
pub(crate) fn copy(bits: u32) -> Function {
    match bits {
        1 => |to, [a, ..], _| to.holds = *bool::all(a),
        64 => |to, [a, ..], _| to.wide = *a.wide(),
        _ => |to, [a, ..], _| to.narrow = *a.narrow(),
    }
}
