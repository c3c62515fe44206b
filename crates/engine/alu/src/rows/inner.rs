//! The table of the inner loop's operations ([`inner_rows!`]), as templates.

use crate::inner::words::*;
use crate::inner_rows;
use crate::row::{Template, record, shape};

macro_rules! define {
    ([] $($section:ident { $($name:ident [$($text:literal),*] |$($arg:ident),*| $value:expr;)* })*) => {
        /// Operations of the inner loop, in the order of their kinds.
        pub(crate) const INNER: &[Template] = &[$($(Template {
            name: stringify!($name),
            spellings: &[$($text),*],
            function: crate::Alu::Composed,
            kind: crate::inner::Kind::$name,
            shape: shape!($section $($arg)*),
            record: Some(record!(_, $section |$($arg),*| $value)),
        },)*)*];
    };
}
inner_rows!(define!());
