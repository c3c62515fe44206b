//! Tests float comparisons, testp, selp, slct, predicates, and additions with carry.
#![allow(clippy::unwrap_used)]

use crate::common::{Instruction, check, edges};

/// The results of each operator if the first source is less than, equal to or greater than the
/// second, and if they are unordered.
#[rustfmt::skip]
const OPERATORS: [(&str, [u64; 4]); 14] = [
    ("eq",  [0, 1, 0, 0]), ("ne",  [1, 0, 1, 0]), ("lt",  [1, 0, 0, 0]), ("le",  [1, 1, 0, 0]),
    ("gt",  [0, 0, 1, 0]), ("ge",  [0, 1, 1, 0]), ("equ", [0, 1, 0, 1]), ("neu", [1, 0, 1, 1]),
    ("ltu", [1, 0, 0, 1]), ("leu", [1, 1, 0, 1]), ("gtu", [0, 0, 1, 1]), ("geu", [0, 1, 1, 1]),
    ("num", [1, 1, 1, 0]), ("nan", [0, 0, 0, 1]),
];

/// Numbers of a format in ascending order, with zeros of both signs, and NaNs.
fn numbers(sign: u64, frac: u32, inf: u64) -> (Vec<(u64, i32)>, Vec<u64>) {
    let one = ((inf / 2) >> frac) << frac;
    let rising = [0, 1, (1 << frac) - 1, 1 << frac, one, one + 1, inf - 1, inf];
    let mut all = Vec::new();
    for (rank, x) in rising.into_iter().enumerate() {
        all.push((x, rank as i32));
        all.push((x | sign, -(rank as i32)));
    }
    (all, vec![inf | 1, inf | 1 << (frac - 1), inf | sign | 1, sign | (sign - 1)])
}

#[test]
fn floats() {
    let rows = [
        ("f32", 1u64 << 31, 23, 0x7f80_0000),
        ("f64", 1 << 63, 52, 0x7ff0_0000_0000_0000),
        ("f16", 1 << 15, 10, 0x7c00),
        ("bf16", 1 << 15, 7, 0x7f80),
    ];
    for (ty, sign, frac, inf) in rows {
        let (numbers, nans) = numbers(sign, frac, inf);
        for (op, answers) in OPERATORS {
            for ftz in ["", ".ftz"] {
                if !ftz.is_empty() && (ty == "f64" || ty == "bf16") {
                    continue;
                }
                let text = format!("setp.{op}{ftz}.{ty}");
                let set = format!("set.{op}{ftz}.u32.{ty}");
                // The numbers with ranks 1 and 2 are subnormal.
                let rank = |r: i32| if !ftz.is_empty() && r.abs() < 3 { 0 } else { r };
                for &(a, r) in &numbers {
                    for &(b, s) in &numbers {
                        let case = rank(r).cmp(&rank(s)) as i32 + 1;
                        check(&text, &[a, b], answers[case as usize]);
                        check(&set, &[a, b], answers[case as usize]);
                    }
                    for &n in &nans {
                        check(&text, &[a, n], answers[3]);
                        check(&text, &[n, a], answers[3]);
                        check(&text, &[n, n], answers[3]);
                    }
                }
            }
        }
    }
}

#[test]
fn packed_comparisons_answer_for_each_half() {
    // low half: 1 < 2; high half: NaN
    let (a, b) = (0x7e00_3c00, 0x3c00_4000);
    check("setp.lt.f16x2", &[a, b], 0b01);
    check("setp.geu.f16x2", &[a, b], 0b10);
    check("setp.ltu.f16x2", &[a, b], 0b11);
    check("setp.eq.ftz.f16x2", &[0x0001_03ff, 0x8000_0000], 0b11);
    check("setp.eq.f16x2", &[0x0000_03ff, 0x8000_0000], 0b10);
    check("setp.gt.bf16x2", &[0x4000_bf80, 0x3f80_3f80], 0b10);
}

#[test]
#[rustfmt::skip]
fn classes() {
    // columns: finite, infinite, number, notanumber, normal, subnormal
    let classes = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
    let rows: [(u64, [u64; 6]); 7] = [
        (0x0000_0000, [1, 0, 1, 0, 1, 0]),
        (0x8000_0000, [1, 0, 1, 0, 1, 0]),
        (0x0000_0001, [1, 0, 1, 0, 0, 1]),
        (0x807f_ffff, [1, 0, 1, 0, 0, 1]),
        (0x0080_0000, [1, 0, 1, 0, 1, 0]),
        (0xff80_0000, [0, 1, 1, 0, 0, 0]),
        (0x7f80_0001, [0, 0, 0, 1, 0, 0]),
    ];
    for (x, answers) in rows {
        let wide = match x {
            0x7f80_0001 => 0x7ff0_0000_0000_0001,
            0x0080_0000 => 1 << 52,
            0xff80_0000 => 0xfff0_0000_0000_0000,
            _ => (x & 0x8000_0000) << 32 | (x & 0x7fff_ffff),
        };
        for (class, answer) in classes.into_iter().zip(answers) {
            check(&format!("testp.{class}.f32"), &[x], answer);
            check(&format!("testp.{class}.f64"), &[wide], answer);
        }
    }
}

#[test]
#[rustfmt::skip]
fn selections() {
    for (ty, a, b) in [("s32", 5, 6), ("b64", 5 << 40, 6 << 40), ("f32", 7, 8), ("u16", 1, 2)] {
        check(&format!("slct.{ty}.s32"), &[a, b, 0], a);
        check(&format!("slct.{ty}.s32"), &[a, b, 0x7fff_ffff], a);
        check(&format!("slct.{ty}.s32"), &[a, b, 0x8000_0000], b);
        check(&format!("slct.{ty}.f32"), &[a, b, 0x8000_0000], a);
        check(&format!("slct.{ty}.f32"), &[a, b, 0x8000_0001], b);
        check(&format!("slct.ftz.{ty}.f32"), &[a, b, 0x8000_0001], a);
        check(&format!("slct.{ty}.f32"), &[a, b, 0x7fc0_0000], b);
        check(&format!("slct.{ty}.f32"), &[a, b, 0xff80_0000], b);
    }
    for (text, table) in [("and.pred", 0b1000), ("or.pred", 0b1110), ("xor.pred", 0b0110)] {
        for row in 0..4u64 {
            check(text, &[row >> 1, row & 1], table >> row & 1);
        }
    }
    check("not.pred", &[1], 0);
    check("not.pred", &[0], 1);
}

/// The result and the carry of one lane; also checks that other lanes are not affected.
fn carry(text: &str, a: u64, b: u64, c: u64, carry_in: bool) -> (u64, bool) {
    let (mut sources, mut d) = ([[0u64; 32]; 3], [0u64; 32]);
    (sources[0][9], sources[1][9], sources[2][9]) = (a, b, c);
    let flags = Instruction::new(text).carry(&mut d, &sources, u32::from(carry_in) << 9);
    // The other lanes are zeros, and 0 - 0 borrows nothing, which sets their carry.
    let others = if text.starts_with("sub.") { !(1 << 9) } else { 0 };
    assert_eq!(flags & !(1 << 9), others, "{text}: the other lanes");
    (d[9], flags >> 9 & 1 == 1)
}

#[test]
fn carries() {
    let edges = edges();
    for (ty, bits) in [("u32", 32u32), ("s32", 32), ("u64", 64), ("s64", 64)] {
        let mask = (1u128 << bits) - 1;
        let u = |x: u64| u128::from(x) & mask;
        let signed = ty.starts_with('s');
        let value = |x: u64| match (signed, bits) {
            (true, 32) => i128::from(x as i32),
            (true, _) => i128::from(x as i64),
            _ => u(x) as i128,
        };
        for (i, &a) in edges.iter().enumerate() {
            for (j, &b) in edges.iter().enumerate() {
                let c = edges[(i * 5 + j * 3) % edges.len()];
                let (a, b, c) = (u(a) as u64, u(b) as u64, u(c) as u64);
                for cin in [false, true] {
                    let k = u128::from(cin);
                    let run = |op: &str| carry(&format!("{op}.{ty}"), a, b, c, cin);
                    let sum = |x: u128| ((x & mask) as u64, x > mask);
                    assert_eq!(run("add.cc"), sum(u(a) + u(b)));
                    assert_eq!(run("addc.cc"), sum(u(a) + u(b) + k));
                    assert_eq!(run("addc").0, sum(u(a) + u(b) + k).0);
                    // The carry of a subtraction means that nothing is borrowed.
                    let sub =
                        |k: u128| (((u(a).wrapping_sub(u(b) + k)) & mask) as u64, u(a) >= u(b) + k);
                    assert_eq!(run("sub.cc"), sub(0));
                    assert_eq!(run("subc.cc"), sub(1 - k));
                    let product = value(a).wrapping_mul(value(b)) as u128;
                    assert_eq!(run("mad.lo.cc"), sum((product & mask) + u(c)));
                    assert_eq!(run("madc.lo.cc"), sum((product & mask) + u(c) + k));
                    let high = product >> bits & mask;
                    assert_eq!(run("mad.hi.cc"), sum(high + u(c)));
                    assert_eq!(run("madc.hi.cc"), sum(high + u(c) + k));
                }
            }
        }
    }
}
