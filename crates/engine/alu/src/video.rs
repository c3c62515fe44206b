//! Video instructions (PTX ISA 9.7.18): arithmetic on bytes, 16-bit halves and whole 32-bit
//! registers.
//!
//! The bytes or halves that an instruction selects of its sources are extended by their types,
//! combined exactly, saturated, and then combined with the third source or inserted into it.
//! Instructions on two halves or four bytes follow the ISA's pseudo-code; scalar instructions
//! follow the code that a GPU executes (`scalar`).

mod scalar;

use texunit_isa::{AtomOp, CmpOp, Modifiers, Opcode, ScalarType, Selector, VideoOperands};

use super::{Alu, L64};

/// What a video instruction computes of two selected elements (bytes, halves or registers) of its
/// sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Add,
    Sub,
    Average,
    Distance,
    Min,
    Max,
    ShiftLeft,
    ShiftRight,
    MultiplyAdd,
    Compare(CmpOp),
}

/// A video instruction, which is interpreted for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Video {
    function: Function,
    /// The number of elements that a register is divided into: 1, 2 or 4.
    elements: u32,
    operands: VideoOperands,
    /// Whether the destination, the source a and the source b are signed.
    signed: [bool; 3],
    sat: bool,
    /// Whether the amount of a shift is taken modulo 32; otherwise it is limited to 32.
    wrap: bool,
    secondary: Option<AtomOp>,
    plus_one: bool,
    scale: u32,
}

/// Extends the low `bits` bits of a register, with zeros or with their sign.
fn extend(x: u32, bits: u32, signed: bool) -> i64 {
    let unused = 32 - bits;
    if signed {
        i64::from((x << unused) as i32 >> unused)
    } else {
        i64::from(x << unused >> unused)
    }
}

fn clamp(x: i64, bits: u32, signed: bool) -> i64 {
    if signed {
        x.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        x.clamp(0, (1 << bits) - 1)
    }
}

fn compare(op: CmpOp, a: i64, b: i64) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Gt => a > b,
        _ => a >= b,
    }
}

impl Video {
    /// Computes the result in all lanes. The operands are those of [`Alu::Video`].
    pub fn run(&self, d: &mut L64, a: &L64, b: &L64, c: &L64) {
        for i in 0..32 {
            let (a, b, c) = (a[i] as u32, b[i] as u32, c[i] as u32);
            let result = match (self.function, self.elements) {
                (Function::MultiplyAdd, _) => self.multiply_add(a, b, c),
                (_, 1) => self.scalar(a, b, c),
                _ => self.elements(a, b, c),
            };
            d[i] = result.into();
        }
    }

    fn combine(&self, a: i64, b: i64) -> i64 {
        match self.function {
            Function::Add => a + b,
            Function::Sub => a - b,
            // An average that ends in a half is rounded away from zero.
            Function::Average => (a + b + i64::from(a + b >= 0)) >> 1,
            Function::Distance => (a - b).abs(),
            Function::Min => a.min(b),
            Function::Max => a.max(b),
            Function::Compare(op) => compare(op, a, b).into(),
            Function::ShiftLeft => a << self.amount(b),
            Function::ShiftRight => a >> self.amount(b),
            Function::MultiplyAdd => 0,
        }
    }

    fn amount(&self, b: i64) -> u32 {
        if self.wrap { b as u32 & 31 } else { b.min(32) as u32 }
    }

    /// The element of the register pair `b:a` that a selector of a SIMD instruction names. Without
    /// a selector, it is element k of register number `own` of the pair.
    fn chosen(&self, pair: u64, selector: Selector, own: u32, k: u32, signed: bool) -> i64 {
        let bits = 32 / self.elements;
        let n = match selector.count {
            0 => own * self.elements + k,
            _ => selector.parts[k as usize].into(),
        };
        extend((pair >> (n * bits)) as u32, bits, signed)
    }

    fn elements(&self, a: u32, b: u32, c: u32) -> u32 {
        let bits = 32 / self.elements;
        let pair = u64::from(b) << 32 | u64::from(a);
        let mask = self.operands.d;
        let in_mask = |k: u32| {
            let written = &mask.parts[..usize::from(mask.count)];
            mask.count == 0 || written.contains(&(k as u8))
        };
        let field = (1u64 << bits) as u32 - 1;
        let mut result = c;
        for k in 0..self.elements {
            let x = self.chosen(pair, self.operands.a, 0, k, self.signed[1]);
            let y = self.chosen(pair, self.operands.b, 1, k, self.signed[2]);
            let mut value = self.combine(x, y);
            if self.sat {
                value = clamp(value, bits, self.signed[0]);
            }
            if !in_mask(k) {
                continue;
            }
            if self.secondary.is_some() {
                result = result.wrapping_add(value as u32);
            } else {
                let at = k * bits;
                result = (result & !(field << at)) | (value as u32 & field) << at;
            }
        }
        result
    }
}

/// What an instruction computes of its elements, and their number, with which its name ends.
fn function(opcode: Opcode, mods: &Modifiers) -> Option<(Function, u32)> {
    let name = opcode.name();
    let elements = name.chars().last().and_then(|last| last.to_digit(10));
    let function = match name.trim_end_matches(['2', '4']) {
        "vadd" => Function::Add,
        "vsub" => Function::Sub,
        "vavrg" => Function::Average,
        "vabsdiff" => Function::Distance,
        "vmin" => Function::Min,
        "vmax" => Function::Max,
        "vshl" => Function::ShiftLeft,
        "vshr" => Function::ShiftRight,
        "vmad" => Function::MultiplyAdd,
        "vset" => Function::Compare(mods.cmp?),
        _ => return None,
    };
    Some((function, elements.unwrap_or(1)))
}

/// The operation of a video instruction; `None` for other instructions.
pub(super) fn select(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    let (function, elements) = function(opcode, mods)?;
    let signed = |n: usize| mods.types.get(n).is_some_and(|t: &ScalarType| t.is_signed());
    // Comparisons have no destination type, so that the type of the first source decides.
    let signed = match function {
        Function::Compare(_) => [signed(0), signed(0), signed(1)],
        _ => [signed(0), signed(1), signed(2)],
    };
    Some(Alu::Video(Video {
        function,
        elements,
        operands: mods.video.unwrap_or_default(),
        signed,
        sat: mods.sat,
        wrap: mods.wrap,
        secondary: mods.atom,
        plus_one: mods.po,
        scale: if mods.shr7 { 7 } else { 15 * u32::from(mods.shr15) },
    }))
}
