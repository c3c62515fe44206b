//! The tables of operations: the table of the inner loop, and other tables by family of
//! instructions.
//!
//! An entry is `[spellings] |sources| value`. In a table of `rows`, the value is composed of
//! primitives, whose steps the interpreter and compiled code execute. In a table of `calls`, the
//! value is Rust code on the numbers of a lane, which the interpreter and compiled code call as a
//! function. In a table of `both`, the value is composed of primitives, but the interpreter calls
//! it as one function, because there are many steps. A family has an operation for each
//! [`Variant`]. Its values refer to the variant by the parameter before `with`, and `with` tells
//! which modifiers a variant adds to the spellings.

mod approximate;
mod bits;
mod carry;
mod compare;
mod convert;
mod float32;
mod float64;
mod half;
mod inner;
mod integer;
mod pairs;
mod parts;

pub use bits::{logic, lop3};

use crate::key::Key;
use crate::mode::Variant;
use crate::row::{Row, Template};
use texunit_jit::Rounding;

/// The directed roundings: `.rz`, `.rm` and `.rp`.
const DIRECTED: [Rounding; 3] = [Rounding::Trunc, Rounding::Floor, Rounding::Ceil];
const ROUNDINGS: [Rounding; 4] = [Rounding::Near, Rounding::Trunc, Rounding::Floor, Rounding::Ceil];

/// A family of operations, which differ in their variants.
#[derive(Clone, Copy)]
struct Family {
    templates: &'static [Template],
    with: fn(Key, Variant) -> Key,
}

impl Family {
    /// Creates the operations of the family for the given variants.
    fn of(self, variants: Vec<Variant>) -> Vec<Row> {
        let rows = |template| {
            let spelled = keys(template);
            variants.iter().map(move |&variant| {
                let keys = spelled.iter().map(|&key| (self.with)(key, variant));
                Row::new(template, variant, keys.collect())
            })
        };
        self.templates.iter().flat_map(rows).collect()
    }
}

/// The keys of the instructions that a template lists.
fn keys(template: &Template) -> Vec<Key> {
    template.spellings.iter().map(|text| Key::spelled(text)).collect()
}

/// All operations of the tables. The operations of the inner loop come first, in the order of their
/// kinds.
pub(crate) fn all() -> impl Iterator<Item = Row> {
    let tables = [
        inner::INNER,
        integer::COMPOSED,
        integer::CALLED,
        bits::COMPOSED,
        bits::CALLED,
        compare::COMPOSED,
        compare::CALLED,
        convert::COMPOSED,
        float32::COMPOSED,
        float64::COMPOSED,
        approximate::CARD,
        approximate::CARD_HIGH,
        approximate::ROUNDED,
        approximate::ROUNDED_64,
    ];
    let families = [
        carry::families(),
        compare::families(),
        convert::families(),
        float32::families(),
        float64::families(),
        approximate::families(),
        pairs::families(),
        half::families(),
    ];
    let row = |template| Row::new(template, Variant::PLAIN, keys(template));
    tables.into_iter().flatten().map(row).chain(families.into_iter().flatten())
}

/// Expands an entry of a table to its [`Template`]. The first macro argument is the pattern that
/// binds the variant.
macro_rules! template {
    ($v:pat, rows $section:ident [$($text:literal),+] |$($arg:ident),*| $value:expr) => {
        $crate::rows::template!(@ $section [$($text),+] |$($arg),*|
            $crate::Alu::Composed, Some($crate::row::record!($v, $section |$($arg),*| $value)))
    };
    ($v:pat, both $section:ident [$($text:literal),+] |$($arg:ident),*| $value:expr) => {
        $crate::rows::template!(@ $section [$($text),+] |$($arg),*|
            $crate::calls::calls!($section |$($arg),*| $value),
            Some($crate::row::record!($v, $section |$($arg),*| $value)))
    };
    ($v:pat, calls $section:ident [$($text:literal),+] |$($arg:ident),*| $value:expr) => {
        $crate::rows::template!(@ $section [$($text),+] |$($arg),*|
            $crate::calls::calls!($section |$($arg),*| $value), None)
    };
    (@ $section:ident [$name:literal $(, $text:literal)*] |$($arg:ident),*| $function:expr, $record:expr) => {
        $crate::row::Template {
            name: $name,
            spellings: &[$name $(, $text)*],
            function: $function,
            kind: $crate::inner::Kind::Call,
            shape: $crate::row::shape!($section $($arg)*),
            record: $record,
        }
    };
}

/// Defines a table of operations as a constant. Its sections are named after the widths of
/// destination and sources.
macro_rules! table {
    ($table:ident $kind:ident $($section:ident { $([$($text:literal),+] |$($arg:ident),*| $value:expr;)* })*) => {
        pub(super) const $table: &[$crate::row::Template] = &[$($($crate::rows::template!(
            _, $kind $section [$($text),+] |$($arg),*| $value
        ),)*)*];
    };
}

/// Defines a family of operations, as a function that returns it.
macro_rules! family {
    ($family:ident [$($params:tt)*] |$v:ident| with |$key:ident| $with:expr; $kind:ident
        $($section:ident { $([$($text:literal),+] |$($arg:ident),*| $value:expr;)* })*) => {
        const fn $family<$($params)*>() -> $crate::rows::Family {
            $crate::rows::Family {
                templates: const { &[$($($crate::rows::template!(
                    $v, $kind $section [$($text),+] |$($arg),*| $value
                ),)*)*] },
                with: |$key, $v| { let _ = $v; $with },
            }
        }
    };
}
use {family, table, template};
