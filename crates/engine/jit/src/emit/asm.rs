//! The assembler: instructions, labels and jumps.

use crate::Error;
use crate::op::Rounding;
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register, RoundingControl};

/// A code address that may not be known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(u32);

/// Memory at a displacement from a register.
pub(super) fn at(base: Register, displacement: usize) -> MemoryOperand {
    // Numbers of registers and inputs have limits (`needs::MAX`).
    MemoryOperand::with_base_displ(base, displacement as i64)
}

/// A memory operand that is broadcast to all lanes.
pub(super) fn spread(base: Register, displacement: usize) -> MemoryOperand {
    MemoryOperand { is_broadcast: true, ..at(base, displacement) }
}

/// The immediate of a rounding.
pub(super) fn of_rounding(rounding: Rounding) -> u32 {
    match rounding {
        Rounding::Near => 0,
        Rounding::Floor => 1,
        Rounding::Ceil => 2,
        Rounding::Trunc => 3,
    }
}

/// The immediate of a rounding to integral, without exceptions.
pub(super) fn of_quiet_rounding(rounding: Rounding) -> u32 {
    8 | of_rounding(rounding)
}

/// The code of a function as it is emitted.
pub(super) struct Assembler {
    encoder: Encoder,
    ip: u64,
    wrong: Option<String>,
    /// By label, its address.
    labels: Vec<Option<u64>>,
    /// Ends of forward jumps, and their labels.
    jumps: Vec<(u64, Label)>,
    /// Lines for the disassembly by code address, if it is wanted.
    pub(super) marks: Option<Vec<(u64, String)>>,
}

impl Assembler {
    pub(super) fn new() -> Self {
        let encoder = Encoder::try_with_capacity(64, 1 << 12).unwrap_or_else(|_| Encoder::new(64));
        Self { encoder, ip: 0, wrong: None, labels: Vec::new(), jumps: Vec::new(), marks: None }
    }

    /// A new label.
    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Binds a label to the current address.
    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.ip);
    }

    /// Adds a line above the next instruction of the disassembly ([`crate::text::disassemble`]).
    pub(super) fn mark(&mut self, line: impl FnOnce() -> String) {
        if let Some(marks) = &mut self.marks {
            marks.push((self.ip, line()));
        }
    }

    /// The address of a label, when the code is complete.
    pub(super) fn place(&self, label: Label) -> u32 {
        self.labels[label.0 as usize].unwrap_or(0) as u32
    }

    /// A jump: `Code::Jmp_rel32_64`, or a conditional one of this size.
    pub(super) fn jump(&mut self, code: Code, label: Label) {
        let known = self.labels[label.0 as usize];
        self.put(Instruction::with_branch(code, known.unwrap_or(self.ip)));
        if known.is_none() {
            self.jumps.push((self.ip, label));
        }
    }

    /// Loads the address of a label.
    pub(super) fn address(&mut self, to: Register, label: Label) {
        let known = self.labels[label.0 as usize];
        let place = MemoryOperand::with_base_displ(Register::RIP, known.unwrap_or(self.ip) as i64);
        self.put(Instruction::with2(Code::Lea_r64_m, to, place));
        if known.is_none() {
            self.jumps.push((self.ip, label));
        }
    }

    /// Appends an instruction. The first error is reported by [`Self::finish`].
    pub(super) fn put(&mut self, instruction: Result<Instruction, IcedError>) {
        let encoded = instruction.and_then(|i| self.encoder.encode(&i, self.ip));
        match encoded {
            Ok(bytes) => self.ip += bytes as u64,
            Err(e) => self.wrong = self.wrong.take().or(Some(e.to_string())),
        }
    }

    /// The same for lanes of a mask register; the others keep what the destination had.
    pub(super) fn put_masked(
        &mut self,
        mask: Register,
        instruction: Result<Instruction, IcedError>,
    ) {
        self.put(instruction.map(|mut i| {
            i.set_op_mask(mask);
            i
        }));
    }

    /// The same; the others become zero.
    pub(super) fn put_zeroing(
        &mut self,
        mask: Register,
        instruction: Result<Instruction, IcedError>,
    ) {
        self.put(instruction.map(|mut i| {
            i.set_op_mask(mask);
            i.set_zeroing_masking(true);
            i
        }));
    }

    /// An instruction of AVX-512 on registers that rounds so; none: to nearest, as all do.
    pub(super) fn put_rounded(
        &mut self,
        rounding: Option<Rounding>,
        instruction: Result<Instruction, IcedError>,
    ) {
        let Some(rounding) = rounding else { return self.put(instruction) };
        self.put(instruction.map(|mut i| {
            i.set_rounding_control(match rounding {
                Rounding::Near => RoundingControl::RoundToNearest,
                Rounding::Floor => RoundingControl::RoundDown,
                Rounding::Ceil => RoundingControl::RoundUp,
                Rounding::Trunc => RoundingControl::RoundTowardZero,
            });
            i
        }));
    }

    /// Records that a step wanted more registers than there are, which is an error in a back end.
    pub(super) fn out_of_registers(&mut self) {
        self.wrong = Some("a step needs more registers than there are".to_owned());
    }

    /// The code, or the first error.
    pub(super) fn finish(&mut self) -> Result<Vec<u8>, Error> {
        if let Some(e) = self.wrong.take() {
            return Err(Error::Encoding(e));
        }
        let mut bytes = self.encoder.take_buffer();
        for &(end, label) in &self.jumps {
            let Some(target) = self.labels[label.0 as usize] else {
                return Err(Error::Encoding("a jump to nowhere".to_owned()));
            };
            let distance = (target.wrapping_sub(end)) as i32;
            let end = end as usize;
            bytes[end - 4..end].copy_from_slice(&distance.to_le_bytes());
        }
        Ok(bytes)
    }
}
