//! Rows of operations: what an instruction computes, for all that runs it.

#[cfg(test)]
mod tests;

use super::inner::words::*;
use super::inner::{Kind, inner_rows};
use super::key::Key;
use super::lanes::lanes;
use super::term::{Recorder, Step};
use super::{Alu, L32};
use std::fmt;

/// An operation.
pub struct Row {
    name: &'static str,
    pub(super) keys: &'static [Key],
    /// What it does with the lanes of a warp.
    pub function: Alu,
    kind: Kind,
    shape: Shape,
    record: Option<fn(&Recorder)>,
}

/// Whether destination and sources have 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) to: bool,
    pub(crate) from: [bool; 4],
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Row {
    /// A row that the inner loop does not have inline.
    pub(super) const fn new(
        name: &'static str,
        keys: &'static [Key],
        function: Alu,
        shape: Shape,
        record: Option<fn(&Recorder)>,
    ) -> Self {
        Self { name, keys, function, kind: Kind::Call, shape, record }
    }

    /// A function of registers of 32 bits that lowering needs and no instruction is.
    pub(crate) const fn helper(
        name: &'static str,
        function: fn(&mut L32, &L32, &L32, &L32),
    ) -> Self {
        Self::new(name, &[], Alu::Narrow(function), Shape { to: false, from: [false; 4] }, None)
    }

    /// The row of a kind of the inner loop.
    pub(crate) const fn inner(kind: Kind) -> &'static Self {
        &INNER[kind as usize - Kind::Tid as usize - 1]
    }

    /// What it is called, or how PTX spells it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the inner loop does for it.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether destination and sources have 64 bits.
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Its steps in compiled code, if sources are these numbers. None: compiled code calls its function.
    pub(crate) fn compiled(&self, known: [Option<u64>; 4]) -> Option<Vec<Step>> {
        let record = self.record?;
        let mut recorder = Recorder::new(known);
        record(&recorder);
        if recorder.gives_number() {
            // A predicate is given by a comparison, and which NaN f64 gives is the processor's to say.
            recorder = Recorder::default();
            record(&recorder);
        }
        recorder.steps()
    }
}

/// The shape of a section.
macro_rules! shape {
    (b64) => { $crate::alu::row::shape!(@ true, true true true true) };
    (f64) => { $crate::alu::row::shape!(@ true, true true true true) };
    (extend) => { $crate::alu::row::shape!(@ true, false false true true) };
    (truncate) => { $crate::alu::row::shape!(@ false, true true true true) };
    (shift) => { $crate::alu::row::shape!(@ true, true false false false) };
    (field64) => { $crate::alu::row::shape!(@ true, true false false false) };
    (insert64) => { $crate::alu::row::shape!(@ true, true true false false) };
    (select64) => { $crate::alu::row::shape!(@ true, true true false false) };
    (compare64) => { $crate::alu::row::shape!(@ false, true true true true) };
    // Others have 32 bits, or operands of their own.
    (@ $to:literal, $a:literal $b:literal $c:literal $d:literal) => {
        $crate::alu::row::Shape { to: $to, from: [$a, $b, $c, $d] }
    };
    ($section:ident) => { $crate::alu::row::shape!(@ false, false false false false) };
}
pub(super) use shape;

/// What notes the steps of a row: sources of the section's widths, and a value.
macro_rules! record {
    (b32 $($lane:tt)*) => { $crate::alu::row::record!(@ 32, 32 32 32, $($lane)*) };
    (b64 $($lane:tt)*) => { $crate::alu::row::record!(@ 64, 64 64 64, $($lane)*) };
    (extend $($lane:tt)*) => { $crate::alu::row::record!(@ 64, 32 32 64, $($lane)*) };
    (truncate $($lane:tt)*) => { $crate::alu::row::record!(@ 32, 64 64 64, $($lane)*) };
    (shift $($lane:tt)*) => { $crate::alu::row::record!(@ 64, 64 32 32, $($lane)*) };
    (f64 $($lane:tt)*) => { $crate::alu::row::record!(@ 64, 64 64 64, $($lane)*) };
    (field64 $($lane:tt)*) => { $crate::alu::row::record!(@ 64, 64 32 32, $($lane)*) };
    (insert64 $($lane:tt)*) => { $crate::alu::row::record!(@ 64, 64 64 32, $($lane)*) };
    (select64 $($lane:tt)*) => { $crate::alu::row::record!(@ 64, 64 64 32, $($lane)*) };
    (compare $($lane:tt)*) => { $crate::alu::row::record!(@ 1, 32 32 32, $($lane)*) };
    (compare64 $($lane:tt)*) => { $crate::alu::row::record!(@ 1, 64 64 64, $($lane)*) };
    (@ $out:literal, $wa:literal $wb:literal $wc:literal, |$a:ident| $value:expr) => {
        |r: &$crate::alu::term::Recorder| {
            let $a = $crate::alu::term::Term::<$wa>::source(r, 0);
            let value: $crate::alu::term::Term<'_, $out> = $value;
            r.end(value);
        }
    };
    (@ $out:literal, $wa:literal $wb:literal $wc:literal, |$a:ident, $b:ident| $value:expr) => {
        |r: &$crate::alu::term::Recorder| {
            let ($a, $b) = ($crate::alu::term::Term::<$wa>::source(r, 0), $crate::alu::term::Term::<$wb>::source(r, 1));
            let value: $crate::alu::term::Term<'_, $out> = $value;
            r.end(value);
        }
    };
    (@ $out:literal, $wa:literal $wb:literal $wc:literal, |$a:ident, $b:ident, $c:ident| $value:expr) => {
        |r: &$crate::alu::term::Recorder| {
            let ($a, $b) = ($crate::alu::term::Term::<$wa>::source(r, 0), $crate::alu::term::Term::<$wb>::source(r, 1));
            let $c = $crate::alu::term::Term::<$wc>::source(r, 2);
            let value: $crate::alu::term::Term<'_, $out> = $value;
            r.end(value);
        }
    };
    // The fourth source is as wide as the third.
    (@ $out:literal, $wa:literal $wb:literal $wc:literal, |$a:ident, $b:ident, $c:ident, $d:ident| $value:expr) => {
        |r: &$crate::alu::term::Recorder| {
            let ($a, $b) = ($crate::alu::term::Term::<$wa>::source(r, 0), $crate::alu::term::Term::<$wb>::source(r, 1));
            let ($c, $d) = ($crate::alu::term::Term::<$wc>::source(r, 2), $crate::alu::term::Term::<$wc>::source(r, 3));
            let value: $crate::alu::term::Term<'_, $out> = $value;
            r.end(value);
        }
    };
}
pub(super) use record;

macro_rules! define {
    ([] $($section:ident { $($name:ident [$($text:literal),*] |$($arg:ident),*| $value:expr;)* })*) => {
        /// Rows of the inner loop, in the order of their kinds.
        pub(super) const INNER: &[Row] = &[$($(Row {
            name: stringify!($name),
            keys: &[$(Key::spelled($text)),*],
            function: lanes!($section |$($arg),*| $value),
            kind: Kind::$name,
            shape: shape!($section),
            record: Some(record!($section |$($arg),*| $value)),
        },)*)*];
    };
}
inner_rows!(define!());

/// The rows of the inner loop.
#[cfg(test)]
pub(crate) fn inner() -> &'static [Row] {
    INNER
}
