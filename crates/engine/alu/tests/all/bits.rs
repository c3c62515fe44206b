//! Compares Boolean functions, shifts, bit fields, counts and permutations with models that work
//! bit by bit, as the PTX ISA describes them.
#![allow(clippy::unwrap_used)]

use crate::common::{Int, TYPES, check, sweep};

#[test]
fn logic_and_shifts() {
    for (name, t) in [("b16", Int(16, false)), ("b32", Int(32, false)), ("b64", Int(64, false))] {
        let op = |op: &str| format!("{op}.{name}");
        let v = move |x| t.value(x);
        sweep(&op("and"), |a, b, _| t.bits(v(a & b)));
        sweep(&op("or"), |a, b, _| t.bits(v(a | b)));
        sweep(&op("xor"), |a, b, _| t.bits(v(a ^ b)));
        sweep(&op("not"), |a, _, _| t.bits(v(!a)));
        sweep(&op("cnot"), |a, _, _| u64::from(v(a) == 0));
        // The shift count is a u32 for all types; the sweep's value is taken from its low bits.
        let amount = |b: u64| (b & 0xffff_ffff).min(64) as u32;
        sweep(&op("shl"), |a, b, _| t.bits(if amount(b) >= t.0 { 0 } else { v(a) << amount(b) }));
        sweep(&op("shr"), |a, b, _| t.bits(v(a) >> amount(b)));
    }
    for (name, t) in TYPES {
        let amount = |b: u64| (b & 0xffff_ffff).min(64) as u32;
        sweep(&format!("shr.{name}"), |a, b, _| t.bits(t.value(a) >> amount(b)));
    }
    for b in 0..=70u64 {
        check("shl.b64", &[0x8000_0000_0000_0001, b], if b < 64 { (1 << 63 | 1) << b } else { 0 });
        check("shr.s32", &[0x8000_0000, b], (0x8000_0000u32 as i32 >> b.min(31)) as u32 as u64);
    }
    let pair = |a: u64, b: u64| u128::from((b << 32) | (a & 0xffff_ffff));
    let w = |x: u128| (x & 0xffff_ffff) as u64;
    let c32 = |c: u64| (c & 0xffff_ffff).min(32) as u32;
    sweep("shf.l.clamp.b32", |a, b, c| w((pair(a, b) << c32(c)) >> 32));
    sweep("shf.l.wrap.b32", |a, b, c| w((pair(a, b) << (c & 31)) >> 32));
    sweep("shf.r.clamp.b32", |a, b, c| w(pair(a, b) >> c32(c)));
    sweep("shf.r.wrap.b32", |a, b, c| w(pair(a, b) >> (c & 31)));
    check("shf.l.clamp.b32", &[0x1234_5678, 0x9abc_def0, 8], 0xbcde_f012);
    check("shf.r.wrap.b32", &[0x1234_5678, 0x9abc_def0, 40], 0xf012_3456);
}

/// Bit `i` of a; 0 if there is no such bit.
fn bit(a: u64, i: u64) -> u64 {
    if i < 64 { a >> i & 1 } else { 0 }
}

/// The bits of a position or length that matter: the low byte in 32-bit forms (PTX ISA), and 32
/// bits in 64-bit forms (as on a GPU; docs/numerics.md, 13.9).
fn counted(msb: u64) -> u64 {
    if msb == 63 { 0xffff_ffff } else { 0xff }
}

#[test]
fn fields() {
    for (name, msb, signed) in
        [("u32", 31, false), ("s32", 31, true), ("u64", 63, false), ("s64", 63, true)]
    {
        let model = |a: u64, b: u64, c: u64| {
            let (pos, len) = (b & counted(msb), c & counted(msb));
            let sign = if !signed || len == 0 { 0 } else { bit(a, (pos + len - 1).min(msb)) };
            (0..=msb).fold(0, |d, i| {
                d | (if i < len && pos + i <= msb { bit(a, pos + i) } else { sign }) << i
            })
        };
        let text = format!("bfe.{name}");
        sweep(&text, model);
        for pos in (0..70).chain([127, 128, 200, 255, 256, 257, 0x8000_0000, 0xffff_ffff]) {
            for len in [0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 128, 255, 256, 0xffff_ffff] {
                let a = 0x8123_4567_c9ab_cdef;
                check(&text, &[a, pos, len], model(a, pos, len));
            }
        }
    }
    for (name, msb) in [("b32", 31), ("b64", 63)] {
        for pos in (0..70).chain([127, 128, 200, 255, 256, 300, 0x8000_0001, 0xffff_ffff]) {
            for len in [0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 128, 255, 256, 0xffff_ffff] {
                let (a, b) = (0x8123_4567_c9ab_cdefu64, 0x5aa5_0ff0_3cc3_6996u64);
                let (p, l) = (pos & counted(msb), len & counted(msb));
                let expected = (0..=msb).fold(0, |d, i| {
                    let inside = i >= p && i - p < l;
                    d | (if inside { bit(a, i - p) } else { bit(b, i) }) << i
                });
                check(&format!("bfi.{name}"), &[a, b, pos, len], expected);
            }
        }
    }
}

#[test]
fn counts() {
    let w = 0xffff_ffffu64;
    for (name, width) in [("b32", 32), ("b64", 64)] {
        let bits = move |a: u64| (0..width).map(move |i| bit(a, i));
        sweep(&format!("popc.{name}"), |a, _, _| bits(a).sum());
        sweep(&format!("clz.{name}"), |a, _, _| {
            (0..width).rev().take_while(|&i| bit(a, i) == 0).count() as u64
        });
        sweep(&format!("brev.{name}"), |a, _, _| {
            bits(a).enumerate().fold(0, |d, (i, x)| d | x << (width - 1 - i as u64))
        });
    }
    for (name, width, signed) in
        [("u32", 32, false), ("s32", 32, true), ("u64", 64, false), ("s64", 64, true)]
    {
        let find = |a: u64| {
            let a = if signed && bit(a, width - 1) == 1 { !a } else { a };
            (0..width).rev().find(|&i| bit(a, i) == 1)
        };
        sweep(&format!("bfind.{name}"), |a, _, _| find(a).unwrap_or(w));
        sweep(&format!("bfind.shiftamt.{name}"), |a, _, _| find(a).map_or(w, |d| width - 1 - d));
    }
}

#[test]
fn masks_and_extensions() {
    for a in (0..70).chain([255, 0xffff_ffff]) {
        for b in (0..70).chain([255, 0xffff_ffff]) {
            for (mode, wrap) in [("clamp", false), ("wrap", true)] {
                let (p, l) = if wrap { (a & 31, b & 31) } else { (a.min(32), b.min(32)) };
                let expected = (0..32).fold(0, |d, i| d | u64::from(i >= p && i < p + l) << i);
                check(&format!("bmsk.{mode}.b32"), &[a, b], expected);
            }
        }
    }
    for x in [0x8123_4567u64, 0x7fff_ffff, 0xffff_ffff, 0x0000_8080] {
        for b in (0..70).chain([0xffff_ffff]) {
            for (mode, wrap) in [("clamp", false), ("wrap", true)] {
                let len = if wrap { b & 31 } else { b.min(32) };
                let low = (0..len).fold(0, |d, i| d | bit(x, i) << i);
                let sign = if len > 0 { bit(x, len - 1) } else { 0 };
                let high = (len..32).fold(0, |d, i| d | sign << i);
                check(&format!("szext.{mode}.u32"), &[x, b], low);
                check(&format!("szext.{mode}.s32"), &[x, b], low | high);
            }
        }
    }
}

#[test]
fn find_nth_set() {
    for mask in [0u64, 0x8000_0001, 0xffff_ffff, 0x0f0f_00f0, 0x0000_0100] {
        for base in 0..32i64 {
            for n in (-40i64..=40).chain([i64::from(i32::MIN), i64::from(i32::MAX)]) {
                // The expected result comes from the loop in the ISA's pseudo-code.
                let mut expected = 0xffff_ffff;
                if n == 0 {
                    if bit(mask, base as u64) == 1 {
                        expected = base as u64;
                    }
                } else {
                    let (mut pos, mut count) = (base, n.abs() - 1);
                    while (0..32).contains(&pos) {
                        if bit(mask, pos as u64) == 1 {
                            if count == 0 {
                                expected = pos as u64;
                                break;
                            }
                            count -= 1;
                        }
                        pos += n.signum();
                    }
                }
                // The negation of i32::MIN is negative again, and the code finds position 0 at the
                // end, as an H200 does.
                let expected = if n == i64::from(i32::MIN) { 0 } else { expected };
                check("fns.b32", &[mask, base as u64, n as u64], expected);
            }
        }
    }
    check("fns.b32", &[0xffff_ffff, 32, 0], 0xffff_ffff);
}

#[test]
#[rustfmt::skip]
fn permutations() {
    let (a, b) = (0x8342_c100u64, 0x87f6_05c4u64); // bytes 0..7: 00 c1 42 83 c4 05 f6 87
    check("prmt.b32", &[a, b, 0x7531], 0x8705_83c1);
    check("prmt.b32", &[a, b, 0x0246], 0x0042_c4f6);
    check("prmt.b32", &[a, b, 0xfedc], 0xffff_00ff);
    check("prmt.b32", &[a, b, 0xba98], 0xff00_ff00);
    check("prmt.b32", &[a, b, 0xffff_3210], a);
    let rows: [(&str, [u64; 4]); 6] = [
        ("f4e", [0x8342_c100, 0xc483_42c1, 0x05c4_8342, 0xf605_c483]),
        ("b4e", [0x05f6_8700, 0xf687_00c1, 0x8700_c142, 0x00c1_4283]),
        ("rc8", [0x0000_0000, 0xc1c1_c1c1, 0x4242_4242, 0x8383_8383]),
        ("ecl", [0x8342_c100, 0x8342_c1c1, 0x8342_4242, 0x8383_8383]),
        ("ecr", [0x0000_0000, 0xc1c1_c100, 0x4242_c100, 0x8342_c100]),
        ("rc16", [0xc100_c100, 0x8342_8342, 0xc100_c100, 0x8342_8342]),
    ];
    for (mode, expected) in rows {
        for (c, d) in expected.into_iter().enumerate() {
            check(&format!("prmt.b32.{mode}"), &[a, b, 0xfc | c as u64], d);
        }
    }
}

#[test]
fn every_lop3_table() {
    let (a, b, c) = (0xf0f0_1234u64, 0xcccc_5678u64, 0xaaaa_9abcu64);
    for table in 0..256u64 {
        let expected = (0..32).fold(0, |d, i| {
            let row = bit(a, i) << 2 | bit(b, i) << 1 | bit(c, i);
            d | (table >> row & 1) << i
        });
        check("lop3.b32", &[a, b, c, table], expected);
    }
}
