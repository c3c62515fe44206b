//! Rows of operations: what an instruction computes, for all that runs it.

use super::Alu;
use super::inner::words::*;
use super::inner::{Kind, inner_rows};
use super::key::Key;
use super::lanes::lanes;
use super::term::{Recorder, Step, Term};
use std::collections::HashMap;
use std::sync::LazyLock;
use texunit_isa::{Modifiers, Opcode};

/// An operation.
#[derive(Debug)]
pub struct Row {
    name: &'static str,
    keys: &'static [Key],
    /// What it does with the lanes of a warp.
    pub function: Alu,
    kind: Kind,
    record: Option<fn(&Recorder)>,
}

impl Row {
    /// What it is called, or how PTX spells it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the inner loop does for it.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Its steps in compiled code. None: compiled code calls its function.
    pub(crate) fn compiled(&self) -> Option<Vec<Step>> {
        let recorder = Recorder::default();
        self.record?(&recorder);
        recorder.steps()
    }
}

/// What notes the steps of a row: sources of the section's widths, and a value.
macro_rules! record {
    (b32 $($lane:tt)*) => { record!(@ 32, 32 32 32, $($lane)*) };
    (b64 $($lane:tt)*) => { record!(@ 64, 64 64 64, $($lane)*) };
    (extend $($lane:tt)*) => { record!(@ 64, 32 32 64, $($lane)*) };
    (truncate $($lane:tt)*) => { record!(@ 32, 64 64 64, $($lane)*) };
    (shift $($lane:tt)*) => { record!(@ 64, 64 32 32, $($lane)*) };
    (compare $($lane:tt)*) => { record!(@ 1, 32 32 32, $($lane)*) };
    (compare64 $($lane:tt)*) => { record!(@ 1, 64 64 64, $($lane)*) };
    (@ $out:literal, $wa:literal $wb:literal $wc:literal, |$a:ident| $value:expr) => {
        |r: &Recorder| {
            let $a = Term::<$wa>::source(r, 0);
            let value: Term<'_, $out> = $value;
            r.end(value);
        }
    };
    (@ $out:literal, $wa:literal $wb:literal $wc:literal, |$a:ident, $b:ident| $value:expr) => {
        |r: &Recorder| {
            let ($a, $b) = (Term::<$wa>::source(r, 0), Term::<$wb>::source(r, 1));
            let value: Term<'_, $out> = $value;
            r.end(value);
        }
    };
    (@ $out:literal, $wa:literal $wb:literal $wc:literal, |$a:ident, $b:ident, $c:ident| $value:expr) => {
        |r: &Recorder| {
            let ($a, $b) = (Term::<$wa>::source(r, 0), Term::<$wb>::source(r, 1));
            let $c = Term::<$wc>::source(r, 2);
            let value: Term<'_, $out> = $value;
            r.end(value);
        }
    };
}

macro_rules! define {
    ([] $($section:ident { $($name:ident [$($text:literal),*] |$($arg:ident),*| $value:expr;)* })*) => {
        /// Rows of the inner loop, in the order of their kinds.
        pub(super) static INNER: &[Row] = &[$($(Row {
            name: stringify!($name),
            keys: &[$(Key::spelled($text)),*],
            function: lanes!($section |$($arg),*| $value),
            kind: Kind::$name,
            record: Some(record!($section |$($arg),*| $value)),
        },)*)*];
    };
}
inner_rows!(define!());

/// All rows.
pub(crate) fn all() -> impl Iterator<Item = &'static Row> {
    INNER.iter()
}

/// The row of an instruction, if it has one. The boolean operation of a comparison is not looked at.
pub(crate) fn find(opcode: Opcode, mods: &Modifiers) -> Option<&'static Row> {
    static ROWS: LazyLock<HashMap<Key, &'static Row>> =
        LazyLock::new(|| all().flat_map(|row| row.keys.iter().map(move |&k| (k, row))).collect());
    ROWS.get(&Key::of(opcode, mods)?).copied()
}
