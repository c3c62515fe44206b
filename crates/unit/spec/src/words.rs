//! Names in files of values for which crate `unit` defines no names.

use texunit_unit::{CompareFunction, Layout, ReadMode};

/// Names of the read modes in files.
pub const READ_MODES: [(&str, ReadMode); 2] =
    [("element", ReadMode::Element), ("normalized", ReadMode::NormalizedFloat)];

/// Names of the compare functions in files; "none" stands for no comparison.
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

/// Names of the memory layouts in files.
pub(crate) const LAYOUTS: [(&str, Layout); 3] =
    [("array", Layout::Array), ("pitch", Layout::Pitched), ("linear", Layout::Linear)];
