//! The operations that the inner loop does not have inline, in tables by family.
//!
//! A row is `[spellings] |sources| value`. In a table of `rows` the value is made of primitives, and
//! compiled code has its steps; in one of `calls` it is any Rust on the numbers of a lane, and compiled code
//! calls the function. A family is a table for each choice of its parameters, which are modifiers: `with`
//! says what they add to the spellings.

mod approximate;
mod bits;
mod carry;
mod compare;
mod convert;
mod float32;
mod float64;
mod half;
mod integer;
mod pairs;
mod parts;

pub(crate) use bits::lop3;

use super::Row;

/// The tables of all families.
pub(super) fn tables() -> impl Iterator<Item = &'static Row> {
    let single = [
        integer::COMPOSED,
        integer::CALLED,
        bits::COMPOSED,
        bits::CALLED,
        compare::COMPOSED,
        compare::CALLED,
        convert::COMPOSED,
        float32::COMPOSED,
        float64::COMPOSED,
        float64::CALLED,
        approximate::COMPOSED,
    ];
    let families = [
        carry::FAMILIES,
        compare::FAMILIES,
        convert::FAMILIES,
        float32::FAMILIES,
        float64::FAMILIES,
        approximate::FAMILIES,
        pairs::FAMILIES,
        half::FAMILIES,
    ];
    single.into_iter().chain(families.into_iter().flatten().copied()).flatten()
}

/// A row of a table.
macro_rules! row {
    ($kind:ident $section:ident [$($key:expr),+] $name:expr, |$($arg:ident),*| $value:expr) => {
        $crate::alu::Row::new(
            $name,
            const { &[$($key),+] },
            $crate::alu::lanes::lanes!($section |$($arg),*| $value),
            $crate::alu::row::shape!($section),
            $crate::alu::rows::steps!($kind $section |$($arg),*| $value),
        )
    };
}

/// What notes the steps of a row, if it is made of primitives.
macro_rules! steps {
    (rows $($row:tt)*) => { Some($crate::alu::row::record!($($row)*)) };
    (calls $($row:tt)*) => { None };
}

/// A table: rows or calls, in sections by the widths of destination and sources.
macro_rules! table {
    ($table:ident $kind:ident $($section:ident { $([$name:literal $(, $text:literal)*] |$($arg:ident),*| $value:expr;)* })*) => {
        pub(super) const $table: &[$crate::alu::Row] = &[$($($crate::alu::rows::row!(
            $kind $section
            [$crate::alu::key::Key::spelled($name) $(, $crate::alu::key::Key::spelled($text))*]
            $name, |$($arg),*| $value
        ),)*)*];
    };
}

/// A family of tables.
macro_rules! family {
    ($family:ident [$($params:tt)*] with |$key:ident| $with:expr; $kind:ident
        $($section:ident { $([$name:literal $(, $text:literal)*] |$($arg:ident),*| $value:expr;)* })*) => {
        const fn $family<$($params)*>() -> &'static [$crate::alu::Row] {
            const { &[$($($crate::alu::rows::row!(
                $kind $section
                [
                    { let $key = $crate::alu::key::Key::spelled($name); $with }
                    $(, { let $key = $crate::alu::key::Key::spelled($text); $with })*
                ]
                $name, |$($arg),*| $value
            ),)*)*] }
        }
    };
}
use {family, row, steps, table};
