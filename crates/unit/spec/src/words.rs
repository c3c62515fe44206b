//! Names of values that crate `unit` has no names for.

use texunit_unit::{CompareFunction, Layout, ReadMode};

/// Names of read modes.
pub const READ_MODES: [(&str, ReadMode); 2] =
    [("element", ReadMode::Element), ("normalized", ReadMode::NormalizedFloat)];

/// The compare functions, and "none".
pub(crate) const COMPARES: [(&str, Option<CompareFunction>); 9] = {
    let mut all = [("none", None); 9];
    let mut i = 0;
    while i < CompareFunction::NAMES.len() {
        let (name, function) = CompareFunction::NAMES[i];
        all[i + 1] = (name, Some(function));
        i += 1;
    }
    all
};

/// Names of layouts.
pub(crate) const LAYOUTS: [(&str, Layout); 3] =
    [("array", Layout::Array), ("pitch", Layout::Pitched), ("linear", Layout::Linear)];
