//! Speed of the common forms over 32 lanes: `cargo test --release -p texunit-simt --test
//! alu_speed -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use texunit_isa::{CmpOp, Modifiers, MulPart, Opcode, Rounding, ScalarType as Ty};
use texunit_simt::alu::{Alu, select};

fn mods(types: &[Ty]) -> Modifiers {
    Modifiers { types: types.to_vec(), ..Modifiers::default() }
}

/// Nanoseconds for a call.
fn time(alu: Alu) -> f64 {
    let n: [[u32; 32]; 3] =
        std::array::from_fn(|k| std::array::from_fn(|i| (1.5 + (i + k) as f32).to_bits()));
    let w: [[u64; 32]; 3] =
        std::array::from_fn(|k| std::array::from_fn(|i| (1.5 + (i + k) as f64).to_bits()));
    let (mut d, mut e, mut m) = ([0u32; 32], [0u64; 32], 0);
    let rounds = 300_000;
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..rounds {
            let (n, w) = (black_box(&n), black_box(&w));
            match alu {
                Alu::Narrow(f) => f(&mut d, &n[0], &n[1], &n[2]),
                Alu::Wide(f) => f(&mut e, &w[0], &w[1], &w[2]),
                Alu::Widen(f) => f(&mut e, &n[0], &n[1], &w[2]),
                Alu::Cut(f) => f(&mut d, &w[0]),
                Alu::Mixed(f) => f(&mut e, &w[0], &w[1], &w[2]),
                Alu::Convert(c) => c.run(&mut e, &w[0], &w[1]),
                Alu::Lop3(f) => f(&mut d, &n[0], &n[1], &n[2], 0x1b),
                Alu::SelectNarrow(f) => f(&mut d, &n[0], &n[1], 0x1234_5678),
                Alu::CompareNarrow(f) => m = f(&n[0], &n[1]),
                Alu::CompareWide(f) => m = f(&w[0], &w[1]),
                _ => unreachable!(),
            }
            black_box((&d, &e, &m));
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(rounds));
    }
    best
}

#[test]
#[ignore = "measures; only a release build says something"]
fn common_forms() {
    use Opcode::*;
    let rn = |types| Modifiers { rounding: Some(Rounding::Rn), ..mods(types) };
    let part = |part, types| Modifiers { part: Some(part), ..mods(types) };
    let cmp = |types| Modifiers { cmp: Some(CmpOp::Lt), ..mods(types) };
    let rows = [
        (Add, mods(&[Ty::S32]), 60.0),
        (Mul, part(MulPart::Lo, &[Ty::S32]), 60.0),
        (Mad, part(MulPart::Lo, &[Ty::S32]), 60.0),
        (Shl, mods(&[Ty::B32]), 60.0),
        (Lop3, mods(&[Ty::B32]), 120.0),
        (Add, rn(&[Ty::F32]), 60.0),
        (Fma, rn(&[Ty::F32]), 15.0),
        (Fma, Modifiers { ftz: true, ..rn(&[Ty::F32]) }, 120.0),
        (Min, mods(&[Ty::F32]), 100.0),
        (Div, rn(&[Ty::F32]), 240.0),
        (Setp, cmp(&[Ty::S32]), 100.0),
        (Setp, cmp(&[Ty::F32]), 100.0),
        (Selp, mods(&[Ty::B32]), 80.0),
        (Cvt, rn(&[Ty::F32, Ty::U32]), 100.0),
        (Cvt, rn(&[Ty::F32, Ty::U8]), 100.0),
        (Cvt, Modifiers { rounding: Some(Rounding::Rzi), ..mods(&[Ty::S32, Ty::F32]) }, 160.0),
        (Cvt, Modifiers { rounding: Some(Rounding::Rmi), ..mods(&[Ty::F32, Ty::F32]) }, 160.0),
        (Cvt, mods(&[Ty::U64, Ty::U32]), 100.0),
        (Cvt, mods(&[Ty::U32, Ty::U64]), 100.0),
        (Cvt, rn(&[Ty::F16, Ty::F32]), 480.0),
        (Add, mods(&[Ty::S64]), 100.0),
        (Mul, part(MulPart::Wide, &[Ty::U32]), 100.0),
        (Mad, part(MulPart::Wide, &[Ty::S32]), 100.0),
        (Fma, rn(&[Ty::F64]), 160.0),
        (Rsqrt, Modifiers { approx: true, ..mods(&[Ty::F32]) }, 400.0),
        (Sin, Modifiers { approx: true, ..mods(&[Ty::F32]) }, 1500.0),
        (Ex2, Modifiers { approx: true, ..mods(&[Ty::F32]) }, 1500.0),
        (Add, Modifiers { rounding: Some(Rounding::Rz), ..mods(&[Ty::F32]) }, 400.0),
        (Add, Modifiers { rounding: Some(Rounding::Rz), ..mods(&[Ty::F64]) }, 3000.0),
        (Cvt, Modifiers { rounding: Some(Rounding::Rz), ..mods(&[Ty::F16, Ty::F32]) }, 3000.0),
    ];
    let mut slow = 0;
    for (opcode, mods, limit) in rows {
        let ns = time(select(opcode, &mods).unwrap());
        println!("{opcode:6} {:?} {:?}: {ns:.1} ns", mods.types, mods.rounding);
        slow += u32::from(ns > limit);
    }
    assert_eq!(slow, 0, "slower than the limit in the table");
}
