//! The assembler. It is given instructions, labels and jumps, and gives the bytes of the code with
//! all jumps resolved. Code that rarely runs goes to a section of its own, behind the other code.

use crate::Error;
use crate::listing::Listing;
use crate::op::Rounding;
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register, RoundingControl};

/// An instruction, or the error of its operands.
type Assembled = Result<Instruction, IcedError>;

/// A code address, which is known once the label is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(u32);

/// A section of the code: executed often, or rarely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Hot,
    Cold,
}

/// The address of the cold section during emission. Jumps reach it from the hot section.
const COLD: u64 = 1 << 30;

/// Bytes of a cache line.
const LINE: u64 = 64;

/// Conditional jumps to labels, by the condition.
pub(super) struct J;

impl J {
    pub(super) const A: Code = Code::Ja_rel32_64;
    pub(super) const AE: Code = Code::Jae_rel32_64;
    pub(super) const B: Code = Code::Jb_rel32_64;
    pub(super) const BE: Code = Code::Jbe_rel32_64;
    pub(super) const E: Code = Code::Je_rel32_64;
    pub(super) const G: Code = Code::Jg_rel32_64;
    pub(super) const NE: Code = Code::Jne_rel32_64;
}

/// The memory operand at a displacement from a base register.
pub(super) fn at(base: Register, displacement: usize) -> MemoryOperand {
    // `needs::MAX` limits the numbers of registers and inputs, so that displacements fit into 32
    // bits.
    MemoryOperand::with_base_displ(base, displacement as i64)
}

/// A memory operand with an index register, times a scale, added to its address.
pub(super) fn with_index(to: MemoryOperand, index: Register, scale: u32) -> MemoryOperand {
    MemoryOperand { index, scale, displ_size: 1, ..to }
}

/// A memory operand of one number that AVX-512 broadcasts to all lanes.
pub(super) fn spread(base: Register, displacement: usize) -> MemoryOperand {
    MemoryOperand { is_broadcast: true, ..at(base, displacement) }
}

/// The bits of an immediate operand that select a rounding.
pub(super) fn of_rounding(rounding: Rounding) -> u32 {
    match rounding {
        Rounding::Near => 0,
        Rounding::Floor => 1,
        Rounding::Ceil => 2,
        Rounding::Trunc => 3,
    }
}

/// The immediate of a rounding to integral that raises no exceptions.
pub(super) fn of_quiet_rounding(rounding: Rounding) -> u32 {
    8 | of_rounding(rounding)
}

/// The assembler of one function: its code, labels and jumps.
pub(super) struct Assembler {
    /// The encoder of the current section, and the address of its end.
    encoder: Encoder,
    ip: u64,
    /// The target of an unconditional jump at the end of the code. The jump is emitted with the
    /// next instruction, because it is not needed if its target is bound there.
    goto: Option<Label>,
    /// Encoder, end and pending jump of the section that is not the current one.
    other: (Encoder, u64, Option<Label>),
    wrong: Option<String>,
    /// The mask register of the next instruction (AVX-512 merging).
    pub(super) mask: Option<Register>,
    /// The static rounding mode of all instructions (AVX-512) until it is `None` again. Their
    /// operands must be registers.
    pub(super) rounding: Option<Rounding>,
    /// For each label, its address once it is bound.
    labels: Vec<Option<u64>>,
    /// Jumps that are not resolved yet: the address after each jump, and its label.
    jumps: Vec<(u64, Label)>,
    /// The instructions and headings for the disassembly, if one is requested.
    pub(super) listing: Option<Listing>,
}

impl Assembler {
    pub(super) fn new() -> Self {
        let encoder =
            || Encoder::try_with_capacity(64, 1 << 12).unwrap_or_else(|_| Encoder::new(64));
        Self {
            encoder: encoder(),
            ip: 0,
            goto: None,
            other: (encoder(), COLD, None),
            wrong: None,
            mask: None,
            rounding: None,
            labels: Vec::new(),
            jumps: Vec::new(),
            listing: None,
        }
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Binds a label to the current address. A jump to the label right before it is dropped.
    pub(super) fn bind(&mut self, label: Label) {
        self.goto = self.goto.filter(|&to| to != label);
        self.end_jump();
        self.labels[label.0 as usize] = Some(self.ip);
    }

    /// Aligns the next instruction, at which a loop begins, to a cache line of the processor.
    pub(super) fn align(&mut self) {
        self.end_jump();
        while !self.ip.is_multiple_of(LINE) {
            // The `nop` of 7, 4 or 3 bytes has a memory operand with a displacement of 4, 1 or 0
            // bytes.
            let nop = |displacement| {
                let operand = MemoryOperand::with_base_displ_size(Register::RAX, 0, displacement);
                Instruction::with1(Code::Nop_rm32, operand)
            };
            self.put(match LINE - self.ip % LINE {
                7.. => nop(8),
                4.. => nop(1),
                3 => nop(0),
                _ => Ok(Instruction::with(Code::Nopd)),
            });
        }
    }

    /// Continues in a section. Returns the section before.
    pub(super) fn section(&mut self, section: Section) -> Section {
        let before = if self.ip < COLD { Section::Hot } else { Section::Cold };
        if section != before {
            std::mem::swap(&mut self.encoder, &mut self.other.0);
            std::mem::swap(&mut self.ip, &mut self.other.1);
            std::mem::swap(&mut self.goto, &mut self.other.2);
        }
        before
    }

    /// The address of a label if it is bound in the current section, so that an instruction can be
    /// encoded with it.
    fn near(&self, label: Label) -> Option<u64> {
        let near = |&at: &u64| (at < COLD) == (self.ip < COLD) && self.listing.is_none();
        self.labels[label.0 as usize].filter(near)
    }

    /// Adds a line above the next instruction of the disassembly ([`crate::text::disassemble`]).
    pub(super) fn mark(&mut self, line: impl FnOnce() -> String) {
        if let Some(listing) = &mut self.listing {
            listing.marks.push((self.ip, line()));
        }
    }

    /// The address of a label, valid when the code is complete.
    pub(super) fn offset(&self, label: Label) -> u32 {
        self.labels[label.0 as usize].unwrap_or(0) as u32
    }

    /// Emits a conditional jump ([`J`]), or a call.
    pub(super) fn jump(&mut self, code: Code, label: Label) {
        // A jump behind an unconditional one is never reached.
        if self.goto.is_none() {
            self.branch(code, label);
        }
    }

    pub(super) fn goto(&mut self, label: Label) {
        self.goto = self.goto.or(Some(label));
    }

    fn branch(&mut self, code: Code, label: Label) {
        let known = self.near(label);
        self.put(Instruction::with_branch(code, known.unwrap_or(self.ip)));
        if known.is_none() {
            self.jumps.push((self.ip, label));
        }
    }

    /// Emits the unconditional jump that is pending at the end of the code ([`Self::goto`]).
    fn end_jump(&mut self) {
        if let Some(label) = self.goto.take() {
            let before = self.ip;
            self.branch(Code::Jmp_rel32_64, label);
            if let Some(listing) = &mut self.listing {
                listing.move_marks(before, self.ip);
            }
        }
    }

    /// Emits an instruction that sets flags, and a conditional jump.
    pub(super) fn jump_if(&mut self, compare: Assembled, code: Code, label: Label) {
        self.put(compare);
        self.jump(code, label);
    }

    /// Emits a load of a label's address into a register.
    pub(super) fn address(&mut self, to: Register, label: Label) {
        let known = self.near(label);
        let target = MemoryOperand::with_base_displ(Register::RIP, known.unwrap_or(self.ip) as i64);
        self.put(Instruction::with2(Code::Lea_r64_m, to, target));
        if known.is_none() {
            self.jumps.push((self.ip, label));
        }
    }

    /// Emits a copy of 32 or 64 bits from memory to memory, through the general register `by` of
    /// this size.
    pub(super) fn copy(&mut self, to: MemoryOperand, from: MemoryOperand, by: Register) {
        let (load, store) = match by {
            by if by < Register::RAX => (Code::Mov_r32_rm32, Code::Mov_rm32_r32),
            _ => (Code::Mov_r64_rm64, Code::Mov_rm64_r64),
        };
        self.put(Instruction::with2(load, by, from));
        self.put(Instruction::with2(store, to, by));
    }

    /// Appends an instruction. The first error is reported by [`Self::finish`].
    pub(super) fn put(&mut self, instruction: Assembled) {
        let (mask, rounding) = (self.mask.take(), self.rounding);
        self.end_jump();
        let encoded = instruction.and_then(|mut i| {
            if let Some(mask) = mask {
                i.set_op_mask(mask);
            }
            if let Some(rounding) = rounding {
                i.set_rounding_control(match rounding {
                    Rounding::Near => RoundingControl::RoundToNearest,
                    Rounding::Floor => RoundingControl::RoundDown,
                    Rounding::Ceil => RoundingControl::RoundUp,
                    Rounding::Trunc => RoundingControl::RoundTowardZero,
                });
            }
            let bytes = self.encoder.encode(&i, self.ip)?;
            i.set_len(bytes);
            i.set_ip(self.ip);
            Ok(i)
        });
        match encoded {
            Ok(i) => {
                self.ip = i.next_ip();
                if let Some(listing) = &mut self.listing {
                    listing.instructions.push(i);
                }
            }
            Err(e) => self.wrong = self.wrong.take().or(Some(e.to_string())),
        }
    }

    /// Emits an instruction that writes only lanes of a mask register (AVX-512 merging); other
    /// lanes of the destination keep their values.
    pub(super) fn put_masked(&mut self, mask: Register, instruction: Assembled) {
        self.mask = Some(mask);
        self.put(instruction);
    }

    /// Emits an instruction that writes only lanes of a mask register, and zeros the other lanes.
    pub(super) fn put_zeroing(&mut self, mask: Register, instruction: Assembled) {
        self.mask = Some(mask);
        self.put(instruction.map(|mut i| {
            i.set_zeroing_masking(true);
            i
        }));
    }

    /// Records that a step needs more registers than there are. This is an internal error of a back
    /// end.
    pub(super) fn out_of_registers(&mut self) {
        self.wrong = Some("a step needs more registers than there are".to_owned());
    }

    /// Resolves all jumps and returns the code, or the first error.
    pub(super) fn finish(&mut self) -> Result<Vec<u8>, Error> {
        for section in [Section::Cold, Section::Hot] {
            self.section(section);
            self.end_jump();
        }
        if let Some(e) = self.wrong.take() {
            return Err(Error::Encoding(e));
        }
        let mut bytes = self.encoder.take_buffer();
        let hot = bytes.len() as u64;
        bytes.extend(self.other.0.take_buffer());
        let place = |at: u64| if at < COLD { at } else { at - COLD + hot };
        self.labels.iter_mut().flatten().for_each(|at| *at = place(*at));
        if let Some(listing) = &mut self.listing {
            listing.place(place);
        }
        for &(end, label) in &self.jumps {
            let Some(target) = self.labels[label.0 as usize] else {
                return Err(Error::Encoding("a jump to nowhere".to_owned()));
            };
            let end = place(end);
            if let Some(listing) = &mut self.listing {
                listing.resolve(end, target);
            }
            let distance = (target.wrapping_sub(end)) as i32;
            let end = end as usize;
            bytes[end - 4..end].copy_from_slice(&distance.to_le_bytes());
        }
        Ok(bytes)
    }
}
