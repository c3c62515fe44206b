//! Instructions into bytes.

use crate::Error;
use iced_x86::{Encoder, IcedError, Instruction, MemoryOperand, Register};

/// A vector register by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Zmm(pub(super) u8);

impl Zmm {
    /// All 512 bits.
    pub(super) fn z(self) -> Register {
        Register::ZMM0 + u32::from(self.0)
    }

    /// The low 256 bits.
    pub(super) fn y(self) -> Register {
        Register::YMM0 + u32::from(self.0)
    }
}

/// A mask register by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mask(pub(super) u8);

impl Mask {
    pub(super) fn k(self) -> Register {
        Register::K0 + u32::from(self.0)
    }
}

/// Memory at a displacement from a register.
pub(super) fn at(base: Register, displacement: usize) -> MemoryOperand {
    // Registers of a block have numbers below `emit::MOST`.
    MemoryOperand::with_base_displ(base, displacement as i64)
}

/// Collects the code of a function.
pub(super) struct Assembler {
    encoder: Encoder,
    ip: u64,
    wrong: Option<String>,
}

impl Assembler {
    pub(super) fn new() -> Self {
        Self { encoder: Encoder::new(64), ip: 0, wrong: None }
    }

    /// Bytes so far.
    pub(super) fn position(&self) -> usize {
        self.ip as usize
    }

    /// Appends an instruction. Mistakes are kept for [`Self::finish`].
    pub(super) fn put(&mut self, instruction: Result<Instruction, IcedError>) {
        let encoded = instruction.and_then(|i| self.encoder.encode(&i, self.ip));
        match encoded {
            Ok(bytes) => self.ip += bytes as u64,
            Err(e) => self.wrong = self.wrong.take().or(Some(e.to_string())),
        }
    }

    /// The same for lanes of a mask; the others keep what the destination had.
    pub(super) fn put_masked(&mut self, mask: Mask, instruction: Result<Instruction, IcedError>) {
        self.put(instruction.map(|mut i| {
            i.set_op_mask(mask.k());
            i
        }));
    }

    /// A step wanted more registers than there are: a mistake of ours, which no block should show.
    pub(super) fn out_of_registers(&mut self) {
        self.wrong = Some("a step needs more registers than there are".to_owned());
    }

    /// The code, and an error if there was a mistake.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, Error> {
        match self.wrong {
            Some(e) => Err(Error::Encoding(e)),
            None => Ok(self.encoder.take_buffer()),
        }
    }
}
