//! Additions and subtractions with carry: add.cc, addc, sub.cc, subc, mad.cc, madc. Only `addc`,
//! `subc` and `madc` read the carry flags. A flag is the carry of the adder: a subtraction adds the
//! complement and one (or the flag), and its carry is set if nothing is borrowed (docs/numerics.md,
//! 13.12).

use super::family;
use crate::mode::Variant;
use crate::row::Row;
use texunit_isa::ScalarType as Ty;

/// The families by width and sign, with and without `.cc`.
pub(super) fn families() -> Vec<Row> {
    let families = [
        of_word::<32, false>(),
        of_word::<32, true>(),
        of_word::<64, false>(),
        of_word::<64, true>(),
    ];
    families.into_iter().flat_map(|family| family.of(vec![Variant::PLAIN])).collect()
}

const fn ty(bits: u32, signed: bool) -> Ty {
    match (bits, signed) {
        (32, false) => Ty::U32,
        (32, true) => Ty::S32,
        (_, false) => Ty::U64,
        (_, true) => Ty::S64,
    }
}

family! { of_word [const BITS: u32, const SIGNED: bool] |_v|
    with |key| key.of_type(ty(BITS, SIGNED)); calls
    carry {
        ["add.cc"] |a, b, _c, _carry| sum::<BITS>(a, b, false);
        ["addc", "addc.cc"] |a, b, _c, carry| sum::<BITS>(a, b, carry);
        ["sub.cc"] |a, b, _c, _carry| sum::<BITS>(a, !b, true);
        ["subc", "subc.cc"] |a, b, _c, carry| sum::<BITS>(a, !b, carry);
        ["mad.lo.cc"] |a, b, c, _carry| sum::<BITS>(a.wrapping_mul(b), c, false);
        ["madc.lo", "madc.lo.cc"] |a, b, c, carry| sum::<BITS>(a.wrapping_mul(b), c, carry);
        ["mad.hi.cc"] |a, b, c, _carry| sum::<BITS>(high::<BITS, SIGNED>(a, b), c, false);
        ["madc.hi", "madc.hi.cc"] |a, b, c, carry| sum::<BITS>(high::<BITS, SIGNED>(a, b), c, carry);
    }
}

/// The sum a + b + carry of `BITS` bits, and the outgoing carry.
fn sum<const BITS: u32>(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let mask = u128::from(u64::MAX >> (64 - BITS));
    let sum = (u128::from(a) & mask) + (u128::from(b) & mask) + u128::from(carry);
    ((sum & mask) as u64, sum > mask)
}

/// The upper half of the product of numbers of `BITS` bits.
fn high<const BITS: u32, const SIGNED: bool>(a: u64, b: u64) -> u64 {
    let value = |x: u64| match (SIGNED, BITS) {
        (false, 32) => i128::from(x as u32),
        (true, 32) => i128::from(x as i32),
        (false, _) => i128::from(x),
        (true, _) => i128::from(x as i64),
    };
    (value(a).wrapping_mul(value(b)) as u128 >> BITS) as u64
}
