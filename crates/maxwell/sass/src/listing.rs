//! Splits a code file into groups of one control word and three instructions, and gives each
//! instruction with its control field.

use crate::Control;
use texunit_forms::Count;

/// An instruction of a code file, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Byte offset of the instruction in the file.
    pub offset: usize,
    /// The instruction word.
    pub word: u64,
    /// The instruction's control field.
    pub control: Control,
}

/// The error for a code file whose length is not a multiple of a group's 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} {} not groups of 32: a control word and three instructions",
    Count(.length, "byte"),
    Count(.length, "byte").are()
)]
pub struct BadLength {
    /// The file's length in bytes.
    pub length: usize,
}

/// The instructions of a code file, whose words are little-endian.
pub fn lines(code: &[u8]) -> Result<impl Iterator<Item = Line>, BadLength> {
    let (groups, rest) = code.as_chunks::<32>();
    if !rest.is_empty() {
        return Err(BadLength { length: code.len() });
    }
    Ok(groups.iter().enumerate().flat_map(|(n, group)| {
        let word = |at: usize| u64::from_le_bytes(group.as_chunks().0[at]);
        let controls = Control::of_group(word(0));
        [1, 2, 3].map(|i| Line { offset: 32 * n + 8 * i, word: word(i), control: controls[i - 1] })
    }))
}
