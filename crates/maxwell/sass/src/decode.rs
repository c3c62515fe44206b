//! Any word.

use crate::print::{Style, print};
use crate::texture_words::{Form, TextureWord};
use crate::txd::{DecodeError, FIELDS, OPCODE};
use crate::{Arch, Control, Txd};

/// What a word is.
#[derive(Clone, Copy, Debug)]
pub enum Word {
    /// A TXD.
    Txd(Txd),
    /// Another texture or surface instruction.
    TextureWord(TextureWord),
    /// A texture or surface instruction by its opcode, but not a valid one.
    Refused {
        /// `TXD`, `TEX.B`
        name: &'static str,
        /// Why, as far as it is known.
        reason: Option<DecodeError>,
    },
    /// Not a texture or surface instruction.
    Unknown,
}

impl Word {
    /// Reads a word with its part of the control word.
    pub fn decode(word: u64, control: Control, arch: Arch) -> Self {
        match Txd::decode(word, control, arch) {
            Ok(txd) => Self::Txd(txd),
            Err(DecodeError::OtherOpcode) => match TextureWord::decode(word, control, arch) {
                Some(other) => Self::TextureWord(other),
                None => match Form::of(word) {
                    Some(form) => Self::Refused { name: form.name, reason: None },
                    None => Self::Unknown,
                },
            },
            Err(reason) => Self::Refused { name: "TXD", reason: Some(reason) },
        }
    }

    /// The text; `None` if the word is no valid instruction, or none of ours. Only TXD has a text
    /// in the style of the page.
    pub fn text(&self, style: Style) -> Option<String> {
        match self {
            Self::Txd(txd) => Some(print(txd, style)),
            Self::TextureWord(other) => Some(other.to_string()),
            Self::Refused { .. } | Self::Unknown => None,
        }
    }

    /// Names and values of the fields; none if the word is no valid instruction, or none of ours.
    pub fn fields(&self) -> Vec<(&'static str, u64)> {
        match self {
            Self::Txd(txd) => FIELDS
                .iter()
                .filter(|field| **field != OPCODE)
                .map(|field| (field.name, txd.get(field)))
                .collect(),
            Self::TextureWord(other) => other.parts(),
            Self::Refused { .. } | Self::Unknown => Vec::new(),
        }
    }
}
