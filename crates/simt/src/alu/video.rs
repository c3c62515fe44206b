//! Video instructions (PTX ISA 9.7.18): arithmetic on bytes, half-words and words of registers.
//!
//! The steps are those of the ISA's pseudo-code: parts of the sources are extended by their types,
//! combined exactly, saturated to the destination's type and part, and then combined with the
//! third source or put into it.

use texunit_isa::{AtomOp, CmpOp, Modifiers, Opcode, ScalarType, Selector, VideoOperands};

use super::{Alu, L64};

/// What is computed from two parts.
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

/// A video instruction, interpreted for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Video {
    function: Function,
    /// Elements of a register: 1, 2 or 4.
    elements: u32,
    operands: VideoOperands,
    /// Whether d, a and b are signed.
    signed: [bool; 3],
    sat: bool,
    /// Of a shift: amounts modulo 32.
    wrap: bool,
    secondary: Option<AtomOp>,
    plus_one: bool,
    scale: u32,
}

/// The low bits, zero- or sign-extended.
fn extend(x: u32, bits: u32, signed: bool) -> i128 {
    let unused = 32 - bits;
    if signed {
        i128::from((x << unused) as i32 >> unused)
    } else {
        i128::from(x << unused >> unused)
    }
}

/// The part of a register that a selector of a scalar instruction names: first bit and width.
fn place(part: Selector) -> (u32, u32) {
    match (part.count, part.half) {
        (0, _) => (0, 32),
        (_, true) => (16 * u32::from(part.parts[0]), 16),
        (_, false) => (8 * u32::from(part.parts[0]), 8),
    }
}

fn clamp(x: i128, bits: u32, signed: bool) -> i128 {
    if signed {
        x.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        x.clamp(0, (1 << bits) - 1)
    }
}

fn compare(op: CmpOp, a: i128, b: i128) -> bool {
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
    /// Computes all lanes; operands as those of [`Alu::Mixed`].
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

    fn combine(&self, a: i128, b: i128) -> i128 {
        match self.function {
            Function::Add => a + b,
            Function::Sub => a - b,
            // Rounded away from zero at a half.
            Function::Average => (a + b + i128::from(a + b >= 0)) >> 1,
            Function::Distance => (a - b).abs(),
            Function::Min => a.min(b),
            Function::Max => a.max(b),
            Function::Compare(op) => compare(op, a, b).into(),
            Function::ShiftLeft => a << self.amount(b),
            Function::ShiftRight => a >> self.amount(b),
            Function::MultiplyAdd => 0,
        }
    }

    fn amount(&self, b: i128) -> u32 {
        if self.wrap { b as u32 & 31 } else { b.min(32) as u32 }
    }

    fn scalar(&self, a: u32, b: u32, c: u32) -> u32 {
        let part = |x: u32, selector: Selector, signed: bool| {
            let (from, bits) = place(selector);
            extend(x >> from, bits, signed)
        };
        let a = part(a, self.operands.a, self.signed[1]);
        let b = part(b, self.operands.b, self.signed[2]);
        let mut value = self.combine(a, b);
        let (from, bits) = place(self.operands.d);
        if self.sat {
            value = clamp(value, bits, self.signed[0]);
        }
        let third = extend(c, 32, self.signed[0]);
        match self.secondary {
            Some(AtomOp::Add) => (value + third) as u32,
            Some(AtomOp::Min) => value.min(third) as u32,
            Some(_) => value.max(third) as u32,
            None if bits == 32 => value as u32,
            None => {
                let mask = ((1u32 << bits) - 1) << from;
                (c & !mask) | ((value as u32) << from & mask)
            }
        }
    }

    fn multiply_add(&self, a: u32, b: u32, c: u32) -> u32 {
        let part = |x: u32, selector: Selector, signed: bool| {
            let (from, bits) = place(selector);
            extend(x >> from, bits, signed)
        };
        let [minus_a, minus_b, minus_c] = self.operands.negated;
        let minus_product = minus_a != minus_b;
        let signed = self.signed[1] || self.signed[2] || minus_product || minus_c;
        let product =
            part(a, self.operands.a, self.signed[1]) * part(b, self.operands.b, self.signed[2]);
        let third = extend(c, 32, signed);
        let sum = match (minus_product, minus_c) {
            (true, _) => third - product,
            (_, true) => product - third,
            _ => product + third + i128::from(self.plus_one),
        };
        let scaled = sum >> self.scale;
        (if self.sat { clamp(scaled, 32, signed) } else { scaled }) as u32
    }

    /// The elements of `b:a` that a selector of a SIMD instruction names; without one, those of
    /// the operand's own register.
    fn chosen(&self, pair: u64, selector: Selector, own: u32, k: u32, signed: bool) -> i128 {
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

fn function(opcode: Opcode, mods: &Modifiers) -> Option<(Function, u32)> {
    use Opcode as O;
    Some(match opcode {
        O::Vadd => (Function::Add, 1),
        O::Vsub => (Function::Sub, 1),
        O::Vabsdiff => (Function::Distance, 1),
        O::Vmin => (Function::Min, 1),
        O::Vmax => (Function::Max, 1),
        O::Vshl => (Function::ShiftLeft, 1),
        O::Vshr => (Function::ShiftRight, 1),
        O::Vmad => (Function::MultiplyAdd, 1),
        O::Vset => (Function::Compare(mods.cmp?), 1),
        O::Vadd2 => (Function::Add, 2),
        O::Vsub2 => (Function::Sub, 2),
        O::Vavrg2 => (Function::Average, 2),
        O::Vabsdiff2 => (Function::Distance, 2),
        O::Vmin2 => (Function::Min, 2),
        O::Vmax2 => (Function::Max, 2),
        O::Vset2 => (Function::Compare(mods.cmp?), 2),
        O::Vadd4 => (Function::Add, 4),
        O::Vsub4 => (Function::Sub, 4),
        O::Vavrg4 => (Function::Average, 4),
        O::Vabsdiff4 => (Function::Distance, 4),
        O::Vmin4 => (Function::Min, 4),
        O::Vmax4 => (Function::Max, 4),
        O::Vset4 => (Function::Compare(mods.cmp?), 4),
        _ => return None,
    })
}

/// The form of a video instruction, or `None` for another one.
pub(super) fn select(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    let (function, elements) = function(opcode, mods)?;
    let signed = |n: usize| mods.types.get(n).is_some_and(|t: &ScalarType| t.is_signed());
    // Comparisons have no type of the result: it is unsigned.
    let signed = match function {
        Function::Compare(_) => [false, signed(0), signed(1)],
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
