//! Integer operations, bit operations and copies of 32 bits.

use super::float::MOVE;
use super::load::Operand;
use super::{Avx512Emitter, SCRATCH_MASK};
use crate::emit::register_cache::{Kind, Reg};
use crate::op::Op;
use crate::operand::{Predicate, Source};
use iced_x86::{Code as C, Instruction as I};

/// The instruction of a Boolean function that has its own instruction: and, or, exclusive or.
fn plain(table: u8, wide: bool) -> Option<C> {
    Some(match (table, wide) {
        (0xc0, false) => C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
        (0xfc, false) => C::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
        (0x3c, false) => C::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
        (0xc0, true) => C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
        (0xfc, true) => C::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
        (0x3c, true) => C::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
        _ => return None,
    })
}

impl Avx512Emitter<'_> {
    /// Emits a 32-bit operation on integers. Returns the value, in a temporary, and what is known
    /// of it.
    pub(super) fn integer_op(
        &mut self,
        op: Op,
        from: [Source; 3],
        part: u8,
    ) -> Option<(Reg, Kind)> {
        if op == Op::Copy {
            // A copy keeps what is known of a float.
            let a = self.float(from[0], part)?;
            let kind = self.cache.kind(a);
            return Some((self.unary(MOVE, a), kind));
        }
        if op == Op::Low {
            return Some((self.low(from[0], part)?, Kind::BITS));
        }
        let a = self.narrow(from[0], part)?;
        let mut sources = [Operand::Register(a); 3];
        for (i, z) in sources.iter_mut().enumerate().take(op.sources()).skip(1) {
            *z = match op {
                // These operations read their first sources several times.
                Op::MulHighU | Op::MulHighS | Op::FunnelLeft | Op::FunnelRight | Op::Select(_) => {
                    self.narrow(from[i], part)?.into()
                }
                Op::Bits(_) if op.sources() == 3 && i == 1 => self.narrow(from[i], part)?.into(),
                _ => self.narrow_operand(from[i], part)?,
            };
        }
        let [_, b, c] = sources;
        let whole = |operand| match operand {
            Operand::Register(reg) => reg,
            Operand::Memory(_) => a,
        };
        let code = match op {
            Op::Add => C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
            Op::Sub => C::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
            Op::Mul | Op::MulAdd => C::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
            Op::MulShort => C::EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512,
            Op::MinS => C::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
            Op::MaxS => C::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
            Op::MinU => C::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
            Op::MaxU => C::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
            // Vector shifts give what PTX defines for counts of 32 and more.
            Op::ShiftLeft => C::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
            Op::ShiftRightU => C::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
            Op::ShiftRightS => C::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
            Op::Abs => {
                let d = self.unary(C::EVEX_Vpabsd_zmm_k1z_zmmm512b32, a);
                return Some((d, Kind::BITS));
            }
            Op::LeadingZeros => {
                let d = self.unary(C::EVEX_Vplzcntd_zmm_k1z_zmmm512b32, a);
                return Some((d, Kind::BITS));
            }
            Op::Bits(table) => return Some((self.bits(table, a, b, c, false), Kind::BITS)),
            Op::MulHighU | Op::MulHighS => {
                return Some((self.high(op == Op::MulHighS, a, whole(b)), Kind::BITS));
            }
            Op::FunnelLeft | Op::FunnelRight => {
                return Some((
                    self.funnel(op == Op::FunnelLeft, a, whole(b), whole(c)),
                    Kind::BITS,
                ));
            }
            Op::Select(p) => {
                let (d, b) = (self.temporary(), whole(b));
                self.select(d, a, b, p, 16 * part, false);
                return Some((d, Kind::BITS));
            }
            _ => return None,
        };
        let d = self.binary(code, a, b);
        if op == Op::MulAdd {
            self.three(C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, d.z(), d, c);
        }
        Some((d, Kind::BITS))
    }

    /// Emits a Boolean function of three sources.
    pub(super) fn bits(&mut self, table: u8, a: Reg, b: Operand, c: Operand, wide: bool) -> Reg {
        if let Some(code) = plain(table, wide) {
            return self.binary(code, a, b);
        }
        let code = if wide {
            C::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8
        } else {
            C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8
        };
        let d = self.unary(MOVE, a);
        // A memory operand must be the third source. A function of two sources ignores its third
        // source, so that b can be exchanged with it.
        match (b, c) {
            (Operand::Register(b), c) => self.three_with(code, d.z(), b, c, table.into()),
            (b, _) => {
                let swapped = table & 0x99 | (table & 0x22) << 1 | (table & 0x44) >> 1;
                self.three_with(code, d.z(), d, b, swapped.into());
            }
        }
        d
    }

    /// Selects `a` where a predicate is true, else `b`, for the lanes from `lane` on.
    pub(super) fn select(&mut self, d: Reg, a: Reg, b: Reg, p: Predicate, lane: u8, wide: bool) {
        let k = self.predicate(p);
        let mut mask = k.k();
        if lane != 0 {
            self.shift_mask(SCRATCH_MASK, mask, lane);
            mask = SCRATCH_MASK;
        }
        let blend = if wide {
            C::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64
        } else {
            C::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32
        };
        self.asm.put_masked(mask, I::with3(blend, d.z(), b.z(), a.z()));
        if self.cache.get(k).key.is_none() {
            self.cache.release(k);
        }
    }

    /// Computes upper halves of products: those of even lanes and of odd lanes, which are then
    /// combined.
    fn high(&mut self, signed: bool, a: Reg, b: Reg) -> Reg {
        let product = if signed {
            C::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64
        } else {
            C::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64
        };
        let even = self.binary(product, a, b);
        let (odd_a, odd_b) = (self.upper(a), self.upper(b));
        let odd = self.binary(product, odd_a, odd_b);
        let even = self.upper(even);
        let upper = self.wide_literal(0xffff_ffff_0000_0000);
        // Selects odd lanes where the mask is set, else even lanes.
        let code = C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
        let d = self.unary(MOVE, upper);
        self.asm.put(I::with4(code, d.z(), odd.z(), even.z(), 0xca_u32));
        d
    }

    /// The upper half of each 64 bits, zero-extended.
    pub(super) fn upper(&mut self, a: Reg) -> Reg {
        let d = self.temporary();
        let code = C::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8;
        self.asm.put(I::with3(code, d.z(), a.z(), 32_u32));
        d
    }

    /// Emits a funnel shift: `(b << s) | (a >> 1 >> (31 - s))` to the left,
    /// `(a >> s) | (b << 1 << (31 - s))` to the right.
    fn funnel(&mut self, left: bool, a: Reg, b: Reg, c: Reg) -> Reg {
        let (shl, shr) =
            (C::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32);
        let (whole, rest, main, other) = if left { (b, a, shl, shr) } else { (a, b, shr, shl) };
        let (most, one) = (self.literal(31), self.literal(1));
        let s = self.binary(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, c, most);
        let t = self.binary(C::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, most, s);
        let whole = self.binary(main, whole, s);
        let rest = self.binary(other, rest, one);
        let rest = self.binary(other, rest, t);
        self.binary(C::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, whole, rest)
    }
}
