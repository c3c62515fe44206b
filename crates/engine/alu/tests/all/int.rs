//! Compares integer arithmetic and comparisons with models in 128-bit integers, tests instructions
//! that must be refused, and compares fast conversions with interpreted ones.
#![allow(clippy::unwrap_used)]

use crate::common::{Instruction, Int, TYPES, check, edges, parse, select, sweep};
use texunit_alu::{Alu, select_mixed};
use texunit_isa::{Opcode, ScalarType};

#[test]
fn arithmetic() {
    for (name, t) in TYPES {
        let v = move |x| t.value(x);
        let op = |op: &str| format!("{op}.{name}");
        sweep(&op("add"), |a, b, _| t.bits(v(a) + v(b)));
        sweep(&op("sub"), |a, b, _| t.bits(v(a) - v(b)));
        sweep(&op("mul.lo"), |a, b, _| t.bits(v(a).wrapping_mul(v(b))));
        sweep(&op("mad.lo"), |a, b, c| t.bits(v(a).wrapping_mul(v(b)).wrapping_add(v(c))));
        // The product of two u64 has 128 bits, so that it must be shifted as unsigned.
        let hi = move |a, b| {
            let product = v(a).wrapping_mul(v(b));
            if t.1 { product >> t.0 } else { (product as u128 >> t.0) as i128 }
        };
        sweep(&op("mul.hi"), |a, b, _| t.bits(hi(a, b)));
        sweep(&op("mad.hi"), |a, b, c| t.bits(hi(a, b) + v(c)));
        sweep(&op("div"), |a, b, _| if v(b) == 0 { t.bits(-1) } else { t.bits(v(a) / v(b)) });
        sweep(&op("rem"), |a, b, _| if v(b) == 0 { t.bits(-1) } else { t.bits(v(a) % v(b)) });
        sweep(&op("min"), |a, b, _| t.bits(v(a).min(v(b))));
        sweep(&op("max"), |a, b, _| t.bits(v(a).max(v(b))));
        sweep(&op("sad"), |a, b, c| t.bits((v(a) - v(b)).abs() + v(c)));
        if t.1 {
            sweep(&op("abs"), |a, _, _| t.bits(v(a).abs()));
            sweep(&op("neg"), |a, _, _| t.bits(-v(a)));
        }
        if t.0 < 64 {
            let w = Int(2 * t.0, t.1);
            sweep(&op("mul.wide"), |a, b, _| w.bits(v(a) * v(b)));
            sweep(&op("mad.wide"), |a, b, c| w.bits(v(a) * v(b) + w.value(c)));
        }
    }
}

#[test]
fn saturating_and_24_bit_forms() {
    let (s, u) = (Int(32, true), Int(32, false));
    let (s24, u24) = (Int(24, true), Int(24, false));
    sweep("add.sat.s32", |a, b, _| s.saturate(s.value(a) + s.value(b)));
    sweep("sub.sat.s32", |a, b, _| s.saturate(s.value(a) - s.value(b)));
    sweep("mad.hi.sat.s32", |a, b, c| s.saturate(((s.value(a) * s.value(b)) >> 32) + s.value(c)));
    for (name, t, w) in [("u32", u24, u), ("s32", s24, s)] {
        let product = move |a, b| t.value(a) * t.value(b);
        let op = |op: &str| format!("{op}.{name}");
        sweep(&op("mul24.lo"), |a, b, _| w.bits(product(a, b)));
        sweep(&op("mul24.hi"), |a, b, _| w.bits(product(a, b) >> 16));
        sweep(&op("mad24.lo"), |a, b, c| w.bits(product(a, b) + w.value(c)));
        sweep(&op("mad24.hi"), |a, b, c| w.bits((product(a, b) >> 16) + w.value(c)));
    }
    sweep("mad24.hi.sat.s32", |a, b, c| {
        s.saturate(((s24.value(a) * s24.value(b)) >> 16) + s.value(c))
    });
    sweep("min.relu.s32", |a, b, _| s.bits(s.value(a).min(s.value(b)).max(0)));
    sweep("max.relu.s32", |a, b, _| s.bits(s.value(a).max(s.value(b)).max(0)));
    for (name, signed) in [("u16x2", false), ("s16x2", true)] {
        let t = Int(16, signed);
        let both = |a: u64, b: u64, f: fn(i128, i128) -> i128| {
            t.bits(f(t.value(a), t.value(b))) | t.bits(f(t.value(a >> 16), t.value(b >> 16))) << 16
        };
        sweep(&format!("add.{name}"), |a, b, _| both(a, b, |x, y| x + y));
        sweep(&format!("min.{name}"), |a, b, _| both(a, b, i128::min));
        sweep(&format!("max.{name}"), |a, b, _| both(a, b, i128::max));
    }
}

#[test]
fn dot_products() {
    for (x, s) in [("u32", false), ("s32", true)] {
        for (y, r) in [("u32", false), ("s32", true)] {
            let (byte_a, byte_b) = (Int(8, s), Int(8, r));
            let half = Int(16, s);
            let w = Int(32, false);
            sweep(&format!("dp4a.{x}.{y}"), |a, b, c| {
                let dot: i128 =
                    (0..4).map(|i| byte_a.value(a >> (8 * i)) * byte_b.value(b >> (8 * i))).sum();
                w.bits(dot + w.value(c))
            });
            for (mode, at) in [("lo", 0), ("hi", 16)] {
                sweep(&format!("dp2a.{mode}.{x}.{y}"), |a, b, c| {
                    let dot = half.value(a) * byte_b.value(b >> at)
                        + half.value(a >> 16) * byte_b.value(b >> (at + 8));
                    w.bits(dot + w.value(c))
                });
            }
        }
    }
}

#[test]
fn comparisons_of_integers() {
    for (name, t) in TYPES {
        let v = move |x| t.value(x);
        type Row = (&'static str, fn(&i128, &i128) -> bool);
        let mut rows: Vec<Row> = vec![
            ("eq", i128::eq),
            ("ne", i128::ne),
            ("lt", i128::lt),
            ("le", i128::le),
            ("gt", i128::gt),
            ("ge", i128::ge),
        ];
        if !t.1 {
            rows.extend([("lo", i128::lt as fn(&_, &_) -> _), ("ls", i128::le)]);
            rows.extend([("hi", i128::gt as fn(&_, &_) -> _), ("hs", i128::ge)]);
        }
        for (cmp, holds) in rows {
            sweep(&format!("setp.{cmp}.{name}"), |a, b, _| u64::from(holds(&v(a), &v(b))));
            sweep(&format!("set.{cmp}.u32.{name}"), |a, b, _| u64::from(holds(&v(a), &v(b))));
            for x in edges() {
                check(&format!("setp.{cmp}.{name}"), &[x, x], u64::from(holds(&v(x), &v(x))));
            }
        }
    }
}

#[test]
fn forms_that_do_not_exist() {
    for text in [
        "setp.lo.s32",
        "setp.lt.b32",
        "setp.ltu.s32",
        "setp.lo.f32",
        "sub.sat.u32",
        "mul.wide.u64",
        "mad.hi.sat.u32",
        "bfe.b32",
        "popc.u32",
        "mov.b32",
        "ld.u32",
        "cvt.f32.pred",
        "min.b32",
        "add.rn.sat.f64",
        "sin.f32",
        "tanh.approx.f64",
        "mul.f32.f16",
        "cvt.rn.s32.f32",
        "add.rz.f16",
        "abs.u32",
        "cvt.rn.f16x2.f16",
        "cvt.rna.f32.f64",
        "shl.u32",
    ] {
        let (opcode, mods) = parse(text);
        assert!(select(opcode, &mods).is_none(), "{text}");
    }
    let (_, mut mods) = parse("add.u32");
    mods.unexecuted = Some("pack");
    assert!(select(Opcode::Add, &mods).is_none());
}

/// The fast conversions must give the results of the interpreted ones.
#[test]
fn quick_conversions_equal_the_interpreted_one() {
    use ScalarType::*;
    let types = [U8, S8, U16, S16, U32, S32, U64, S64, F16, Bf16, F32, F64];
    let mut compared = 0;
    for to in types {
        for from in types {
            for mode in ["", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi"] {
                for flag in ["", ".ftz", ".sat"] {
                    let text = format!("cvt{mode}{flag}.{to}.{from}");
                    let (opcode, mods) = parse(&text);
                    let Some(quick) = select(opcode, &mods) else { continue };
                    // A conversion of f32 to f32 is a copy, which is not interpreted.
                    let moves = matches!(mode, "" | ".rn") && flag.is_empty();
                    if moves && (to, from) == (F32, F32) {
                        continue;
                    }
                    let slow = Instruction::Data(select_mixed(&mods).unwrap());
                    if matches!(quick, Instruction::Data(Alu::Convert(_))) {
                        continue;
                    }
                    compared += 1;
                    let mut sources = edges();
                    sources.extend(
                        [1.5f32, -2.5, 3e9, -3e9, 1e-40, f32::NAN, 0.49999997]
                            .map(|x| u64::from(x.to_bits())),
                    );
                    sources.extend(
                        [1.5f64, -2.5, 5e9, -5e9, 1e-310, f64::NAN, 1e300].map(f64::to_bits),
                    );
                    for x in sources {
                        let row = [x, 0, 0, 0];
                        assert_eq!(quick.run(row), quick.slot(slow.run(row)), "{text} {x:#x}");
                    }
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}
