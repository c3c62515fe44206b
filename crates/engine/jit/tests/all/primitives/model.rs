//! A model of each operation in plain Rust, lane by lane.

#[path = "conversions.rs"]
mod conversions;

use texunit_jit::{Combine, Float, Op, Relation, Rounding, Test};

/// The canonical NaN.
const NAN: u32 = 0x7fff_ffff;

fn round(a: f32, how: Rounding) -> f32 {
    match how {
        Rounding::Near => a.round_ties_even(),
        Rounding::Floor => a.floor(),
        Rounding::Ceil => a.ceil(),
        Rounding::Trunc => a.trunc(),
    }
}

fn flushed(a: f32) -> f32 {
    if a.is_subnormal() { 0f32.copysign(a) } else { a }
}

/// The smaller of two numbers, where -0 is less than +0; if one is a NaN, the result is the other.
fn least(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a.total_cmp(&b).is_lt() => a,
        _ => b,
    }
}

/// Whether a product or quotient is tiny: less than the smallest normal number when rounded to 24
/// bits with an unbounded exponent, which is the middle between that number and the next smaller
/// one.
fn is_tiny(op: Float, sources: [f32; 3]) -> bool {
    let [a, b, c] = sources.map(f64::from);
    let middle = (1.0 - 2f64.powi(-25)) * 2f64.powi(-126);
    match op {
        Float::Mul => (a * b).abs() < middle,
        Float::Div => (a / b).abs() < middle,
        Float::Fma => {
            // If the sum is the middle, the error of the sum (Knuth) decides.
            let (product, sum) = (a * b, a * b + c);
            let other = sum - product;
            let lost = (product - (sum - other)) + (c - other);
            sum.abs() < middle || sum.abs() == middle && lost * sum < 0.0
        }
        _ => false,
    }
}

fn float(op: Float, flush: bool, saturate: bool, sources: [u64; 3]) -> u32 {
    let [a, b, c] = sources.map(|bits| {
        let number = f32::from_bits(bits as u32);
        if flush { flushed(number) } else { number }
    });
    let mut d = match op {
        Float::Add => a + b,
        Float::Sub => a - b,
        Float::Mul => a * b,
        Float::Fma => a.mul_add(b, c),
        Float::Div => a / b,
        Float::Sqrt => a.sqrt(),
        Float::Min => least(a, b),
        Float::Max => -least(-a, -b),
        Float::Neg => -a,
        Float::Abs => a.abs(),
        Float::Round(how) => round(a, how),
        Float::Copy => a,
    };
    if saturate {
        d = if d > 0.0 { d.min(1.0) } else { 0.0 };
    }
    if flush {
        d = if is_tiny(op, [a, b, c]) { 0f32.copysign(d) } else { flushed(d) };
    }
    if d.is_nan() { NAN } else { d.to_bits() }
}

fn bits(table: u8, [a, b, c]: [u64; 3]) -> u64 {
    let bit = |i: u32| {
        let index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        u64::from(table >> index & 1) << i
    };
    (0..64).map(bit).sum()
}

/// The result of an operation; a 32-bit result is in the low bits.
pub(crate) fn compute(op: Op, sources: [u64; 3], holds: bool) -> u64 {
    let [a, b, c] = sources;
    let [x, y, z] = sources.map(|s| s as u32);
    let [i, j, _] = sources.map(|s| s as i32);
    let narrow = match op {
        Op::Copy | Op::Low => x,
        Op::Add => x.wrapping_add(y),
        Op::Sub => x.wrapping_sub(y),
        Op::Mul => x.wrapping_mul(y),
        Op::MulAdd => x.wrapping_mul(y).wrapping_add(z),
        Op::MulHighU => ((u64::from(x) * u64::from(y)) >> 32) as u32,
        Op::MulHighS => ((i64::from(i) * i64::from(j)) >> 32) as u32,
        Op::MinS => i.min(j) as u32,
        Op::MaxS => i.max(j) as u32,
        Op::MinU => x.min(y),
        Op::MaxU => x.max(y),
        Op::Abs => i.wrapping_abs() as u32,
        Op::Bits(table) => bits(table, sources) as u32,
        Op::ShiftLeft => x.checked_shl(y).unwrap_or(0),
        Op::ShiftRightU => x.checked_shr(y).unwrap_or(0),
        Op::ShiftRightS => (i >> y.min(31)) as u32,
        Op::FunnelLeft => (((u64::from(y) << 32 | u64::from(x)) << (z % 32)) >> 32) as u32,
        Op::FunnelRight => ((u64::from(y) << 32 | u64::from(x)) >> (z % 32)) as u32,
        Op::Float { op, flush, saturate, .. } => float(op, flush, saturate, sources),
        Op::Reverse => (0..32).map(|i| (x >> i & 1) << (31 - i)).sum(),
        Op::Bytes => {
            let byte = |k: u32| {
                let which = y >> (8 * k) & 0xff;
                if which > 0x7f { 0 } else { (x >> (8 * (which & 3)) & 0xff) << (8 * k) }
            };
            (0..4).map(byte).sum()
        }
        Op::LeadingZeros => (0..32).take_while(|i| x >> (31 - i) & 1 == 0).count() as u32,
        Op::FromHalf => conversions::from_half(x),
        Op::ToHalf(how) => conversions::to_half(f32::from_bits(x), how),
        Op::FromDouble(how) => conversions::from_double(a, how),
        Op::DoubleToS => conversions::integer(a, -(1 << 31), (1 << 31) - 1, 1 << 31) as u32,
        Op::DoubleToU => conversions::integer(a, 0, (1 << 32) - 1, 1 << 31) as u32,
        Op::LookUp(words) => words.at(x),
        Op::Curve(curve) => curve.at(x),
        Op::FromU(bits) => ((x & bits) as f32).to_bits(),
        Op::FromS => (i as f32).to_bits(),
        Op::ToU(how) => round(f32::from_bits(x), how) as u32,
        Op::ToS(how) => round(f32::from_bits(x), how) as i32 as u32,
        Op::Select(_) => {
            if holds {
                x
            } else {
                y
            }
        }
        _ => return wide(op, [a, b, c], holds),
    };
    narrow.into()
}

/// The first NaN among the sources, in the order of the operation's preference, made quiet; or the
/// NaN of an invalid operation.
fn double(op: Float, sources: [u64; 3]) -> u64 {
    let [a, b, c] = sources.map(f64::from_bits);
    let (made, looked_at): (f64, &[usize]) = match op {
        Float::Add => (a + b, &[1, 0]),
        Float::Sub => (a - b, &[1, 0]),
        Float::Mul => (a * b, &[1, 0]),
        Float::Fma => (a.mul_add(b, c), &[1, 2, 0]),
        Float::Div => (a / b, &[0, 1]),
        Float::Sqrt => (a.sqrt(), &[0]),
        Float::Neg => (-a, &[0]),
        Float::Abs => (a.abs(), &[0]),
        Float::Copy => return sources[0],
        Float::Min | Float::Max => {
            let before = a.total_cmp(&b).is_lt() == (op == Float::Min);
            let d = if b.is_nan() || !a.is_nan() && before { a } else { b };
            return if d.is_nan() { sources[1] | 1 << 51 } else { d.to_bits() };
        }
        Float::Round(how) => (conversions::whole(a, how), &[0]),
    };
    let nan = looked_at.iter().map(|&k| sources[k]).find(|&x| f64::from_bits(x).is_nan());
    match nan {
        _ if !made.is_nan() => made.to_bits(),
        Some(nan) => nan | 1 << 51,
        None => 0xfff8 << 48,
    }
}

fn wide(op: Op, [a, b, c]: [u64; 3], holds: bool) -> u64 {
    let unsigned = (a as u32 as u64).wrapping_mul(b as u32 as u64);
    let signed = (a as i32 as i64).wrapping_mul(b as i32 as i64) as u64;
    match op {
        Op::CopyWide => a,
        Op::AddWide => a.wrapping_add(b),
        Op::SubWide => a.wrapping_sub(b),
        Op::MulWide => a.wrapping_mul(b),
        Op::BitsWide(table) => bits(table, [a, b, c]),
        Op::ShiftLeftWide => a.checked_shl(b as u32).unwrap_or(0),
        Op::ShiftRightWideU => a.checked_shr(b as u32).unwrap_or(0),
        Op::ShiftRightWideS => ((a as i64) >> (b as u32).min(63)) as u64,
        Op::SelectWide(_) => {
            if holds {
                a
            } else {
                b
            }
        }
        Op::ProductU => unsigned,
        Op::ProductS => signed,
        Op::ProductAddU => unsigned.wrapping_add(c),
        Op::ProductAddS => signed.wrapping_add(c),
        Op::ExtendU => a as u32 as u64,
        Op::ExtendS => a as i32 as u64,
        Op::Double(op, _) => double(op, [a, b, c]),
        Op::MulHighWide => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        Op::DoubleFromF => conversions::double(a as u32),
        Op::DoubleToWideS => {
            conversions::integer(a, i64::MIN.into(), i64::MAX.into(), 1 << 63) as u64
        }
        Op::DoubleToWideU => conversions::integer(a, 0, u64::MAX.into(), 1 << 63) as u64,
        Op::DoubleFromU => f64::from(a as u32).to_bits(),
        Op::DoubleFromS => f64::from(a as i32).to_bits(),
        Op::DoubleFromWideU => (a as f64).to_bits(),
        Op::DoubleFromWideS => (a as i64 as f64).to_bits(),
        other => panic!("{other:?} is none of 64 bits"),
    }
}

fn related<T: PartialOrd>(relation: Relation, a: T, b: T) -> bool {
    match relation {
        Relation::Eq => a == b,
        Relation::Ne => a != b,
        Relation::Lt => a < b,
        Relation::Le => a <= b,
        Relation::Gt => a > b,
        Relation::Ge => a >= b,
    }
}

/// Whether a comparison is true.
pub(crate) fn test(test: Test, a: u64, b: u64) -> bool {
    match test {
        Test::Signed(relation) => related(relation, a as i32, b as i32),
        Test::Unsigned(relation) => related(relation, a as u32, b as u32),
        Test::SignedWide(relation) => related(relation, a as i64, b as i64),
        Test::UnsignedWide(relation) => related(relation, a, b),
        Test::Float { relation, unordered } => {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            if a.is_nan() || b.is_nan() { unordered } else { related(relation, a, b) }
        }
        Test::Special => !(f32::from_bits(a as u32).is_normal() && a >> 31 & 1 == 0),
        Test::Double { relation, unordered } => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            if a.is_nan() || b.is_nan() { unordered } else { related(relation, a, b) }
        }
    }
}

/// The result of a comparison combined with a predicate.
pub(crate) fn combine(how: Combine, a: bool, b: bool) -> bool {
    match how {
        Combine::And => a && b,
        Combine::Or => a || b,
        Combine::Xor => a != b,
    }
}

/// The number of sources that an operation reads.
pub(crate) fn sources(op: Op) -> usize {
    match op {
        Op::Copy
        | Op::Abs
        | Op::FromU(_)
        | Op::FromS
        | Op::ToU(_)
        | Op::ToS(_)
        | Op::CopyWide
        | Op::ExtendU
        | Op::ExtendS
        | Op::Low
        | Op::DoubleFromU
        | Op::DoubleFromS
        | Op::DoubleFromWideU
        | Op::DoubleFromWideS
        | Op::LookUp(_)
        | Op::Curve(_)
        | Op::FromHalf
        | Op::ToHalf(_)
        | Op::Reverse
        | Op::LeadingZeros
        | Op::DoubleFromF
        | Op::FromDouble(_)
        | Op::DoubleToS
        | Op::DoubleToU
        | Op::DoubleToWideS
        | Op::DoubleToWideU => 1,
        Op::Float { op, .. } | Op::Double(op, _) => match op {
            Float::Fma => 3,
            Float::Add | Float::Sub | Float::Mul | Float::Div | Float::Min | Float::Max => 2,
            _ => 1,
        },
        Op::Bits(table) | Op::BitsWide(table) => {
            let looks = |shift: u32, bits: u8| (table ^ table >> shift) & bits != 0;
            if looks(1, 0x55) {
                3
            } else if looks(2, 0x33) {
                2
            } else {
                1
            }
        }
        Op::MulAdd | Op::FunnelLeft | Op::FunnelRight | Op::ProductAddU | Op::ProductAddS => 3,
        _ => 2,
    }
}
