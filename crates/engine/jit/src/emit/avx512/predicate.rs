//! Comparisons, and Boolean functions of predicates, in mask registers.

use super::{Avx512Emitter, CONDITION, SCRATCH_MASK};
use crate::emit::register_cache::{Key, Kind, Reg};
use crate::emit::vector::of_floats;
use crate::operand::{Combine, Predicate, Relation, Source, Test};
use iced_x86::{Code as C, Instruction as I};

/// The immediate of an integer comparison.
fn of_integers(relation: Relation) -> u32 {
    match relation {
        Relation::Eq => 0,
        Relation::Lt => 1,
        Relation::Le => 2,
        Relation::Ne => 4,
        Relation::Ge => 5,
        Relation::Gt => 6,
    }
}

impl Avx512Emitter<'_> {
    /// The mask of a predicate, in a register that must not be changed.
    pub(super) fn predicate(&mut self, predicate: Predicate) -> Reg {
        match predicate {
            Predicate::If(i) => self.hold(Key::Predicate(i, 0)),
            Predicate::Unless(i) => {
                let key = Key::Predicate(i, 0);
                let before = self.cache.position(key).is_some_and(|k| self.cache.get(k).pinned);
                let (k, not) = (self.hold(key), self.temporary_mask());
                self.asm.put(I::with2(C::VEX_Knotd_kr_kr, not.k(), k.k()));
                self.cache.of(k).pinned = before;
                not
            }
            Predicate::Always => self.constant_mask(C::VEX_Kxnord_kr_kr_kr),
            Predicate::Never => self.constant_mask(C::VEX_Kxord_kr_kr_kr),
        }
    }

    fn constant_mask(&mut self, code: C) -> Reg {
        let k = self.temporary_mask();
        self.asm.put(I::with3(code, k.k(), k.k(), k.k()));
        k
    }

    /// Writes a predicate register; `value` is a temporary register, and may be overwritten.
    pub(super) fn put_predicate(&mut self, to: u32, value: Reg, guard: Option<Reg>) {
        let key = Key::Predicate(to, 0);
        if let Some(guard) = guard {
            let old = self.hold(key);
            let (guard, value) = (guard.k(), value.k());
            self.asm.put(I::with3(C::VEX_Kandnd_kr_kr_kr, SCRATCH_MASK, guard, old.k()));
            self.asm.put(I::with3(C::VEX_Kandd_kr_kr_kr, value, value, guard));
            self.asm.put(I::with3(C::VEX_Kord_kr_kr_kr, value, value, SCRATCH_MASK));
            if old.k() != guard {
                self.cache.release(old);
            }
        }
        self.define(key, value, Kind::BITS);
    }

    /// Emits a comparison. Returns the temporary mask register of the result.
    pub(super) fn test(&mut self, test: Test, from: [Source; 2]) -> Option<Reg> {
        let (d, u) =
            (C::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, C::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8);
        let (q, uq) =
            (C::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8, C::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8);
        let ps = C::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
        let pd = C::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
        let (code, how, wide) = match test {
            Test::Signed(relation) => (d, of_integers(relation), false),
            Test::Unsigned(relation) => (u, of_integers(relation), false),
            Test::SignedWide(relation) => (q, of_integers(relation), true),
            Test::UnsignedWide(relation) => (uq, of_integers(relation), true),
            Test::Float { relation, unordered } => (ps, of_floats(relation, unordered), false),
            Test::Double { relation, unordered } => (pd, of_floats(relation, unordered), true),
            // The immediate selects all classes that the instruction distinguishes.
            Test::Special => (C::EVEX_Vfpclassps_kr_k1_zmmm512b32_imm8, 0xff, false),
        };
        let k = self.temporary_mask();
        if wide {
            // Lane groups are compared from the last to the first, and their masks are shifted
            // together.
            for part in (0..4).rev() {
                let a = self.wide(from[0], part)?;
                let b = self.wide_operand(from[1], part)?;
                if part == 3 {
                    self.three_with(code, k, a, b, how);
                    continue;
                }
                self.three_with(code, CONDITION, a, b, how);
                self.asm.put(I::with3(C::VEX_Kshiftld_kr_kr_imm8, k.k(), k.k(), 8_u32));
                self.asm.put(I::with3(C::VEX_Kord_kr_kr_kr, k.k(), k.k(), SCRATCH_MASK));
            }
            return Some(k);
        }
        let is_float = matches!(test, Test::Float { .. });
        for part in (0..2).rev() {
            let to = if part == 1 { k } else { CONDITION };
            if test == Test::Special {
                let a = self.float(from[0], part)?;
                self.asm.put(I::with3(code, to.k(), a.zmm(), how));
                continue;
            }
            let a = if is_float { self.float(from[0], part)? } else { self.narrow(from[0], part)? };
            let b = match from[1] {
                Source::Literal(_) => self.narrow_operand(from[1], part)?,
                _ if is_float => self.float(from[1], part)?.into(),
                _ => self.narrow(from[1], part)?.into(),
            };
            self.three_with(code, to, a, b, how);
        }
        self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, k.k(), k.k(), SCRATCH_MASK));
        Some(k)
    }

    pub(super) fn compare(
        &mut self,
        test: Test,
        from: [Source; 2],
        to: [Option<u32>; 2],
        (combine, with): (Combine, Predicate),
        guard: Option<Reg>,
    ) -> Option<()> {
        let holds = self.test(test, from)?;
        let trivial = combine == Combine::And && with == Predicate::Always;
        let with = if trivial { None } else { Some(self.predicate(with)) };
        let code = match combine {
            Combine::And => C::VEX_Kandd_kr_kr_kr,
            Combine::Or => C::VEX_Kord_kr_kr_kr,
            Combine::Xor => C::VEX_Kxord_kr_kr_kr,
        };
        let not = to[1].map(|_| {
            let k = self.temporary_mask();
            self.asm.put(I::with2(C::VEX_Knotd_kr_kr, k.k(), holds.k()));
            k
        });
        // The combined predicate may also be a destination, so that both results are computed
        // first.
        for value in [Some(holds), not].into_iter().flatten() {
            if let Some(with) = with {
                self.asm.put(I::with3(code, value.k(), value.k(), with.k()));
            }
        }
        if let Some(with) = with
            && Some(with) != guard
        {
            self.cache.release(with);
        }
        for (to, value) in to.into_iter().zip([Some(holds), not]) {
            if let (Some(to), Some(value)) = (to, value) {
                self.put_predicate(to, value, guard);
            }
        }
        Some(())
    }

    /// Emits a Boolean function of two predicates.
    pub(super) fn logic(&mut self, table: u8, to: u32, [a, b]: [Predicate; 2], guard: Option<Reg>) {
        let (a, b) = (self.predicate(a).k(), self.predicate(b).k());
        let d = self.temporary_mask();
        let three = |code| I::with3(code, d.k(), a, b);
        let swapped = |code| I::with3(code, d.k(), b, a);
        // A function whose truth table is odd is emitted as the negation of the function with the
        // inverted table.
        let negated = table & 1 != 0;
        let first = match if negated { !table & 0xf } else { table & 0xf } {
            0b0000 => I::with3(C::VEX_Kxord_kr_kr_kr, d.k(), a, a),
            0b1000 => three(C::VEX_Kandd_kr_kr_kr),
            0b0110 => three(C::VEX_Kxord_kr_kr_kr),
            0b1110 => three(C::VEX_Kord_kr_kr_kr),
            // `a & !b`
            0b0100 => swapped(C::VEX_Kandnd_kr_kr_kr),
            0b0010 => three(C::VEX_Kandnd_kr_kr_kr),
            0b1100 => I::with3(C::VEX_Kord_kr_kr_kr, d.k(), a, a),
            _ => I::with3(C::VEX_Kord_kr_kr_kr, d.k(), b, b),
        };
        self.asm.put(first);
        if negated {
            self.asm.put(I::with2(C::VEX_Knotd_kr_kr, d.k(), d.k()));
        }
        self.put_predicate(to, d, guard);
    }
}
