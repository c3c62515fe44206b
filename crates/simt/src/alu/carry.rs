//! The carry forms: add.cc, addc, sub.cc, subc, mad.cc, madc.

use texunit_isa::{Modifiers, MulPart, Opcode, ScalarType as Ty};

use super::{Alu, L64};

/// One lane: sources and carry in, result and carry out.
trait Step {
    fn step(a: u64, b: u64, c: u64, carry: bool) -> (u64, bool);
}

/// Runs all lanes; flags are lane masks.
fn run<S: Step>(d: &mut L64, a: &L64, b: &L64, c: &L64, flags: u32) -> u32 {
    let mut out = 0;
    for i in 0..32 {
        let (result, carry) = S::step(a[i], b[i], c[i], flags >> i & 1 == 1);
        d[i] = result;
        out |= u32::from(carry) << i;
    }
    out
}

/// a + b + carry of a word of BITS.
fn sum<const BITS: u32>(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let mask = u128::from(u64::MAX >> (64 - BITS));
    let sum = (u128::from(a) & mask) + (u128::from(b) & mask) + u128::from(carry);
    ((sum & mask) as u64, sum > mask)
}

struct Add<const BITS: u32, const IN: bool>;
impl<const BITS: u32, const IN: bool> Step for Add<BITS, IN> {
    fn step(a: u64, b: u64, _: u64, carry: bool) -> (u64, bool) {
        sum::<BITS>(a, b, IN && carry)
    }
}

/// The flag is the borrow: a - (b + borrow).
struct Sub<const BITS: u32, const IN: bool>;
impl<const BITS: u32, const IN: bool> Step for Sub<BITS, IN> {
    fn step(a: u64, b: u64, _: u64, carry: bool) -> (u64, bool) {
        // a - b - borrow = a + !b + !borrow, where the carry out says that nothing was borrowed.
        let (result, carry) = sum::<BITS>(a, !b, !(IN && carry));
        (result, !carry)
    }
}

struct Mad<const BITS: u32, const IN: bool, const HI: bool, const SIGNED: bool>;
impl<const BITS: u32, const IN: bool, const HI: bool, const SIGNED: bool> Step
    for Mad<BITS, IN, HI, SIGNED>
{
    fn step(a: u64, b: u64, c: u64, carry: bool) -> (u64, bool) {
        let value = |x: u64| match (SIGNED, BITS) {
            (false, 32) => i128::from(x as u32),
            (true, 32) => i128::from(x as i32),
            (false, _) => i128::from(x),
            (true, _) => i128::from(x as i64),
        };
        let product = value(a).wrapping_mul(value(b)) as u128;
        let part = if HI { product >> BITS } else { product };
        sum::<BITS>(part as u64, c, IN && carry)
    }
}

/// The function of a carry form, or `None` for other instructions. Only `addc`, `subc` and `madc`
/// read the flags.
pub(super) fn select(opcode: Opcode, ty: Ty, mods: &Modifiers) -> Option<Alu> {
    macro_rules! by_bits {
        ($op:ident, $in:literal) => {
            match ty {
                Ty::U32 | Ty::S32 => run::<$op<32, $in>>,
                Ty::U64 | Ty::S64 => run::<$op<64, $in>>,
                _ => return None,
            }
        };
    }
    macro_rules! mad {
        ($in:literal) => {
            match (mods.part?, ty) {
                (MulPart::Lo, Ty::U32 | Ty::S32) => run::<Mad<32, $in, false, false>>,
                (MulPart::Lo, Ty::U64 | Ty::S64) => run::<Mad<64, $in, false, false>>,
                (MulPart::Hi, Ty::U32) => run::<Mad<32, $in, true, false>>,
                (MulPart::Hi, Ty::S32) => run::<Mad<32, $in, true, true>>,
                (MulPart::Hi, Ty::U64) => run::<Mad<64, $in, true, false>>,
                (MulPart::Hi, Ty::S64) => run::<Mad<64, $in, true, true>>,
                _ => return None,
            }
        };
    }
    let f: fn(&mut L64, &L64, &L64, &L64, u32) -> u32 = match opcode {
        Opcode::Add if mods.cc => by_bits!(Add, false),
        Opcode::Sub if mods.cc => by_bits!(Sub, false),
        Opcode::Mad if mods.cc => mad!(false),
        Opcode::Addc => by_bits!(Add, true),
        Opcode::Subc => by_bits!(Sub, true),
        Opcode::Madc => mad!(true),
        _ => return None,
    };
    Some(Alu::Carry(f))
}
