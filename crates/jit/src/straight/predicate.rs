//! Comparisons and logic of predicates.

use super::Emitter;
use super::asm::Mask;
use crate::block::{Combine, Predicate, Relation, Source, Test};
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

/// The immediate of a comparison of floats that raises no exception for quiet NaNs.
fn of_floats(relation: Relation, unordered: bool) -> u32 {
    match (relation, unordered) {
        (Relation::Eq, false) => 0x00,
        (Relation::Eq, true) => 0x08,
        (Relation::Ne, false) => 0x0c,
        (Relation::Ne, true) => 0x04,
        (Relation::Lt, false) => 0x11,
        // Not: greater or equal. And so on.
        (Relation::Lt, true) => 0x19,
        (Relation::Le, false) => 0x12,
        (Relation::Le, true) => 0x1a,
        (Relation::Gt, false) => 0x1e,
        (Relation::Gt, true) => 0x16,
        (Relation::Ge, false) => 0x1d,
        (Relation::Ge, true) => 0x15,
    }
}

impl Emitter<'_> {
    /// Lanes in which a comparison holds, in a temporary.
    fn test(&mut self, test: Test, [a, b]: [Source; 2]) -> Option<Mask> {
        let narrow = |relation, signed| {
            let code = if signed {
                C::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8
            } else {
                C::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8
            };
            (code, of_integers(relation))
        };
        let (code, how) = match test {
            Test::Signed(relation) => narrow(relation, true),
            Test::Unsigned(relation) => narrow(relation, false),
            Test::Double { .. } => return None,
            Test::Float { relation, unordered } => {
                let (a, b, k) = (self.float(a)?, self.float(b)?, self.temporary_mask());
                let how = of_floats(relation, unordered);
                let code = C::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
                self.asm.put(I::with4(code, k.k(), a.z(), b.z(), how));
                return Some(k);
            }
            Test::SignedWide(relation) => {
                return self.test_wide(
                    C::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8,
                    of_integers(relation),
                    [a, b],
                );
            }
            Test::UnsignedWide(relation) => {
                return self.test_wide(
                    C::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8,
                    of_integers(relation),
                    [a, b],
                );
            }
        };
        let (a, b, k) = (self.narrow(a)?, self.narrow(b)?, self.temporary_mask());
        self.asm.put(I::with4(code, k.k(), a.z(), b.z(), how));
        Some(k)
    }

    fn test_wide(&mut self, code: C, how: u32, [a, b]: [Source; 2]) -> Option<Mask> {
        let mut parts = [Mask(0); 2];
        for (part, k) in parts.iter_mut().enumerate() {
            let (a, b) = (self.wide(a, part)?, self.wide(b, part)?);
            *k = self.temporary_mask();
            self.asm.put(I::with4(code, k.k(), a.z(), b.z(), how));
        }
        let [low, high] = parts.map(Mask::k);
        self.asm.put(I::with3(C::VEX_Kunpckbw_kr_kr_kr, low, high, low));
        self.release_mask(parts[1]);
        Some(parts[0])
    }

    /// See [`crate::Action::Compare`].
    pub(super) fn compare(
        &mut self,
        test: Test,
        from: [Source; 2],
        to: [Option<u32>; 2],
        (combine, with): (Combine, Predicate),
        guard: Option<Mask>,
    ) -> Option<()> {
        let holds = self.test(test, from)?;
        let trivial = combine == Combine::And && with == Predicate::Always;
        let with = if trivial { None } else { Some(self.predicate(with)) };
        let code = match combine {
            Combine::And => C::VEX_Kandw_kr_kr_kr,
            Combine::Or => C::VEX_Korw_kr_kr_kr,
            Combine::Xor => C::VEX_Kxorw_kr_kr_kr,
        };
        let not = to[1].map(|_| {
            let k = self.temporary_mask();
            self.asm.put(I::with2(C::VEX_Knotw_kr_kr, k.k(), holds.k()));
            k
        });
        // The predicate that is combined may be one of the destinations.
        for value in [Some(holds), not].into_iter().flatten() {
            if let Some(with) = with {
                self.asm.put(I::with3(code, value.k(), value.k(), with.k()));
            }
        }
        for (to, value) in to.into_iter().zip([Some(holds), not]) {
            if let (Some(to), Some(value)) = (to, value) {
                self.put_predicate(to, value, guard);
            }
        }
        Some(())
    }

    /// A predicate of two by a table.
    pub(super) fn logic(
        &mut self,
        table: u8,
        to: u32,
        [a, b]: [Predicate; 2],
        guard: Option<Mask>,
    ) {
        let (a, b) = (self.predicate(a).k(), self.predicate(b).k());
        let d = self.temporary_mask();
        let three = |code| I::with3(code, d.k(), a, b);
        let swapped = |code| I::with3(code, d.k(), b, a);
        // Half of the tables are negations of the others.
        let negated = table & 1 != 0;
        let first = match if negated { !table & 0xf } else { table & 0xf } {
            0b0000 => I::with3(C::VEX_Kxorw_kr_kr_kr, d.k(), a, a),
            0b1000 => three(C::VEX_Kandw_kr_kr_kr),
            0b0110 => three(C::VEX_Kxorw_kr_kr_kr),
            0b1110 => three(C::VEX_Korw_kr_kr_kr),
            // a and not b
            0b0100 => swapped(C::VEX_Kandnw_kr_kr_kr),
            0b0010 => three(C::VEX_Kandnw_kr_kr_kr),
            0b1100 => I::with3(C::VEX_Korw_kr_kr_kr, d.k(), a, a),
            _ => I::with3(C::VEX_Korw_kr_kr_kr, d.k(), b, b),
        };
        self.asm.put(first);
        if negated {
            self.asm.put(I::with2(C::VEX_Knotw_kr_kr, d.k(), d.k()));
        }
        self.put_predicate(to, d, guard);
    }
}
