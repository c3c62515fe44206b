//! Rows of operations: what an instruction computes, for all that runs it.

use super::Alu;
use super::inner::words::*;
use super::inner::{Kind, inner_rows};
use super::key::Key;
use super::lanes::lanes;
use super::rows;
use super::term::{Recorder, Step};
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
    /// A row that the inner loop does not have inline.
    pub(super) const fn new(
        name: &'static str,
        keys: &'static [Key],
        function: Alu,
        record: Option<fn(&Recorder)>,
    ) -> Self {
        Self { name, keys, function, kind: Kind::Call, record }
    }

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
    INNER.iter().chain(rows::tables())
}

/// The row of a key, if it has one.
pub(super) fn of_key(key: Key) -> Option<&'static Row> {
    static ROWS: LazyLock<HashMap<Key, &'static Row>> =
        LazyLock::new(|| all().flat_map(|row| row.keys.iter().map(move |&k| (k, row))).collect());
    ROWS.get(&key).copied()
}

/// The row of an instruction with so many sources, if it has one. The boolean operation of a comparison is not
/// looked at.
pub(crate) fn find(opcode: Opcode, mods: &Modifiers, sources: usize) -> Option<&'static Row> {
    let three = matches!(opcode, Opcode::Min | Opcode::Max) && sources == 3;
    of_key(Key::of(opcode, mods, three)?)
}
