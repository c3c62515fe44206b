//! Decodes an instruction word of any kind: TXD, another texture or surface instruction, or
//! neither.

use crate::print::{Style, print};
use crate::texture_words::{Form, TextureWord};
use crate::txd::{DecodeError, FIELDS, OPCODE};
use crate::{Arch, Control, Txd};

/// A decoded instruction word.
#[derive(Clone, Copy, Debug)]
pub enum Word {
    /// A TXD instruction.
    Txd(Txd),
    /// Another texture or surface instruction.
    TextureWord(TextureWord),
    /// The opcode is that of a texture or surface instruction, but the rest of the word is invalid.
    Refused {
        /// The mnemonic that the opcode stands for: `TXD`, `TEX.B`.
        name: &'static str,
        /// Why the word is invalid, if known.
        reason: Option<DecodeError>,
    },
    /// An instruction that is neither a texture nor a surface instruction.
    Unknown,
}

impl Word {
    /// Decodes an instruction word with its control field.
    pub fn decode(word: u64, control: Control, arch: Arch) -> Self {
        match Txd::decode(word, control, arch) {
            Ok(txd) => Self::Txd(txd),
            Err(DecodeError::OtherOpcode) => {
                let Some(form) = Form::of(word) else { return Self::Unknown };
                TextureWord::decode(word, control, arch)
                    .map_or(Self::Refused { name: form.name, reason: None }, Self::TextureWord)
            }
            Err(reason) => Self::Refused { name: "TXD", reason: Some(reason) },
        }
    }

    /// The word as text; `None` if the word is invalid or is not a texture or surface instruction.
    /// Only TXD has a text in the style of the instruction's page.
    pub fn text(&self, style: Style) -> Option<String> {
        match self {
            Self::Txd(txd) => Some(print(txd, style)),
            Self::TextureWord(other) => Some(other.to_string()),
            Self::Refused { .. } | Self::Unknown => None,
        }
    }

    /// Names and values of the word's fields; empty if the word is invalid or is not a texture or
    /// surface instruction.
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
