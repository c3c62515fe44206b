//! Compares random straight-line programs and random control-flow graphs with a scalar model, for
//! every thread.

use crate::common::{How, kernel, kernel_with, run_words};
use proptest::prelude::*;

const REGISTERS: usize = 6;

/// An instruction with its model: PTX text, and the effect on one thread's registers.
#[derive(Clone, Copy, Debug)]
struct Step {
    op: usize,
    d: usize,
    a: usize,
    b: usize,
    c: usize,
    imm: u32,
    /// Register whose lowest bit guards the step, if it is below the number of registers.
    guard: usize,
}

fn step(ops: usize) -> impl Strategy<Value = Step> {
    let r = 0..REGISTERS;
    (0..ops, r.clone(), r.clone(), r.clone(), r, any::<u32>(), 0..2 * REGISTERS)
        .prop_map(|(op, d, a, b, c, imm, guard)| Step { op, d, a, b, c, imm, guard })
}

type Model = fn(u32, u32, u32, u32) -> u32;

/// PTX with `d`, `a`, `b`, `c` for registers and `i` for the immediate, and its meaning.
#[rustfmt::skip]
const INTEGER: &[(&str, Model)] = &[
    ("add.u32 d, a, b",             |a, b, _, _| a.wrapping_add(b)),
    ("sub.s32 d, a, i",             |a, _, _, i| a.wrapping_sub(i)),
    ("mul.lo.u32 d, a, b",          |a, b, _, _| a.wrapping_mul(b)),
    ("mul.hi.u32 d, a, b",          |a, b, _, _| ((u64::from(a) * u64::from(b)) >> 32) as u32),
    ("mul.hi.s32 d, a, b",          |a, b, _, _| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
    ("mad.lo.s32 d, a, b, c",       |a, b, c, _| a.wrapping_mul(b).wrapping_add(c)),
    ("div.u32 d, a, b",             |a, b, _, _| a.checked_div(b).unwrap_or(u32::MAX)),
    ("rem.u32 d, a, 7",             |a, _, _, _| a % 7),
    ("min.s32 d, a, b",             |a, b, _, _| (a as i32).min(b as i32) as u32),
    ("max.u32 d, a, i",             |a, _, _, i| a.max(i)),
    ("and.b32 d, a, i",             |a, _, _, i| a & i),
    ("or.b32 d, a, b",              |a, b, _, _| a | b),
    ("xor.b32 d, a, b",             |a, b, _, _| a ^ b),
    ("not.b32 d, a",                |a, _, _, _| !a),
    ("shl.b32 d, a, b",             |a, b, _, _| if b > 31 { 0 } else { a << b }),
    ("shr.u32 d, a, b",             |a, b, _, _| if b > 31 { 0 } else { a >> b }),
    ("shr.s32 d, a, 3",             |a, _, _, _| ((a as i32) >> 3) as u32),
    ("popc.b32 d, a",               |a, _, _, _| a.count_ones()),
    ("clz.b32 d, a",                |a, _, _, _| a.leading_zeros()),
    ("brev.b32 d, a",               |a, _, _, _| a.reverse_bits()),
    ("neg.s32 d, a",                |a, _, _, _| a.wrapping_neg()),
    ("abs.s32 d, a",                |a, _, _, _| (a as i32).wrapping_abs() as u32),
    ("lop3.b32 d, a, b, c, 0x96",   |a, b, c, _| a ^ b ^ c),
    ("shf.l.wrap.b32 d, a, a, 9",   |a, _, _, _| a.rotate_left(9)),
    ("bfe.u32 d, a, 5, 11",         |a, _, _, _| (a >> 5) & 0x7ff),
    ("cvt.u32.u8 d, a",             |a, _, _, _| a & 0xff),
    ("cvt.s32.s16 d, a",            |a, _, _, _| a as i16 as u32),
    ("{setp.lt.s32 p, a, b; selp.b32 d, c, i, p;}", |a, b, c, i| if (a as i32) < (b as i32) { c } else { i }),
    ("{setp.hi.and.u32 p|q, a, b, p; selp.b32 d, a, c, p;}", |a, b, c, _| if a > b { a } else { c }),
    ("set.ge.u32.u32 d, a, b",      |a, b, _, _| if a >= b { u32::MAX } else { 0 }),
    ("{mul.wide.u32 w, a, b; shr.u64 w, w, 7; cvt.u32.u64 d, w;}", |a, b, _, _| ((u64::from(a) * u64::from(b)) >> 7) as u32),
    ("{mov.b64 w, {a, b}; add.u64 w, w, 5; mov.b64 {x, d}, w;}", |a, b, _, _| ((u64::from(b) << 32 | u64::from(a)).wrapping_add(5) >> 32) as u32),
    ("{st.local.u32 [l], a; st.local.u16 [l+2], b; ld.local.u32 d, [l];}", |a, b, _, _| (a & 0xffff) | b << 16),
];

fn f(v: u32) -> f32 {
    f32::from_bits(v)
}

/// The sum of two f32 by way of f64, whose NaNs keep sign and payload (docs/numerics.md, 13.2 and
/// 13.8).
fn sum_by_f64(a: u32, b: u32) -> u32 {
    let sum = f64::from(f(a)) + f64::from(f(b));
    match [b, a].into_iter().find(|x| f(*x).is_nan()) {
        Some(nan) => nan | 0x0040_0000,
        None if sum.is_nan() => 0xffc0_0000,
        None => (sum as f32).to_bits(),
    }
}

/// A product that is a zero where it is less than the smallest normal number after rounding to 24
/// bits (docs/numerics.md, 13.3).
fn mul_ftz(a: f32, b: f32) -> u32 {
    let exact = f64::from(a) * f64::from(b);
    let is_tiny = exact.abs() < (1.0 - 2f64.powi(-25)) * 2f64.powi(-126);
    if is_tiny { bits(0f32.copysign(a * b)) } else { bits(a * b) }
}

fn bits(v: f32) -> u32 {
    if v.is_nan() { 0x7fff_ffff } else { v.to_bits() }
}

fn flush(v: u32) -> f32 {
    if f(v).is_subnormal() { f(v & 0x8000_0000) } else { f(v) }
}

#[rustfmt::skip]
const FLOAT: &[(&str, Model)] = &[
    ("add.f32 d, a, b",             |a, b, _, _| bits(f(a) + f(b))),
    ("sub.rn.f32 d, a, b",          |a, b, _, _| bits(f(a) - f(b))),
    ("mul.f32 d, a, b",             |a, b, _, _| bits(f(a) * f(b))),
    ("mul.ftz.f32 d, a, b",         |a, b, _, _| mul_ftz(flush(a), flush(b))),
    ("fma.rn.f32 d, a, b, c",       |a, b, c, _| bits(f(a).mul_add(f(b), f(c)))),
    ("div.rn.f32 d, a, b",          |a, b, _, _| bits(f(a) / f(b))),
    ("sqrt.rn.f32 d, a",            |a, _, _, _| bits(f(a).sqrt())),
    ("rcp.rn.f32 d, a",             |a, _, _, _| bits(1.0 / f(a))),
    ("add.sat.f32 d, a, b",         |a, b, _, _| { let s = f(a) + f(b); if s > 0.0 { s.min(1.0).to_bits() } else { 0 } }),
    ("cvt.rn.f32.s32 d, a",         |a, _, _, _| bits(a as i32 as f32)),
    ("cvt.rn.f32.u32 d, a",         |a, _, _, _| bits(a as f32)),
    ("{cvt.f64.f32 g, a; cvt.f64.f32 h, b; add.f64 g, g, h; cvt.rn.f32.f64 d, g;}", |a, b, _, _| sum_by_f64(a, b)),
    ("{setp.ltu.f32 p, a, b; selp.b32 d, a, b, p;}", |a, b, _, _| if f(a) >= f(b) { b } else { a }),
    ("set.gt.f32.f32 d, a, b",      |a, b, _, _| if f(a) > f(b) { 1.0_f32.to_bits() } else { 0 }),
    ("xor.b32 d, a, b",             |a, b, _, _| a ^ b),
    ("mov.b32 d, i",                |_, _, _, i| i),
];

/// Replaces the one-letter names of a template.
fn text_of(template: &str, s: Step) -> String {
    let mut out = String::new();
    let chars: Vec<char> = template.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let word = |j: Option<&char>| {
            j.is_some_and(|c| c.is_ascii_alphanumeric() || *c == '.' || *c == '_')
        };
        let alone = !word(i.checked_sub(1).and_then(|j| chars.get(j))) && !word(chars.get(i + 1));
        match c {
            'd' if alone => out += &format!("%r{}", s.d),
            'a' if alone => out += &format!("%r{}", s.a),
            'b' if alone => out += &format!("%r{}", s.b),
            'c' if alone => out += &format!("%r{}", s.c),
            'i' if alone => out += &format!("{}", s.imm),
            'l' if alone => out.push_str("scratch"),
            'p' | 'q' | 'w' | 'x' | 'g' | 'h' if alone => out += &format!("%{c}"),
            c => out.push(c),
        }
    }
    out
}

fn agrees(steps: &[Step], ops: &[(&str, Model)], seeds: [u32; REGISTERS]) {
    let mut body = String::new();
    for (i, seed) in seeds.iter().enumerate() {
        body += &format!("mul.lo.u32 %r{i}, %t, {seed};\nadd.u32 %r{i}, %r{i}, {};\n", seed >> 3);
    }
    for (i, s) in steps.iter().enumerate() {
        let inner = text_of(ops[s.op].0, *s);
        // A sequence starts with a predicate that holds everywhere, for `setp ... p`.
        let inner = inner.trim_start_matches('{').trim_end_matches('}').trim_end_matches(';');
        let guarded = s.guard < REGISTERS;
        if guarded {
            body += &format!("and.b32 %x, %r{}, 1;\nsetp.eq.u32 %o, %x, 1;\n", s.guard);
            body += &format!("@!%o bra L{i};\n");
        }
        body += "setp.eq.u32 %p, 0, 0;\n";
        body += &format!("{inner};\n");
        if guarded {
            body += &format!("L{i}:\n");
        }
    }
    for i in 0..REGISTERS {
        body += &format!("st.global.u32 [%my+{}], %r{i};\n", i * 40 * 4);
    }
    let text = kernel(
        ".reg .pred %p, %q, %o; .reg .b32 %r<6>, %x; .reg .b64 %w; .reg .f64 %g, %h; .local .align 4 .b8 scratch[8];",
        &(body + "ret;"),
    );
    let got = run_words(&text, How { block: [40, 1, 1], ..How::default() }, 40 * REGISTERS);
    for t in 0..40_u32 {
        let mut r = seeds.map(|s| t.wrapping_mul(s).wrapping_add(s >> 3));
        for s in steps {
            if s.guard >= REGISTERS || r[s.guard] & 1 == 1 {
                r[s.d] = ops[s.op].1(r[s.a], r[s.b], r[s.c], s.imm);
            }
        }
        for (i, wanted) in r.iter().enumerate() {
            let got = got[i * 40 + t as usize];
            assert_eq!(
                got, *wanted,
                "register {i} of thread {t}: {got:#x}, not {wanted:#x}\n{text}"
            );
        }
    }
}

/// A block of a random control-flow graph: multiplies, then branches on a bit.
#[derive(Clone, Copy, Debug)]
struct Node {
    factor: u32,
    bit: u32,
    /// Target block if the bit is set.
    taken: usize,
    /// Target block otherwise, if not the next block.
    other: Option<usize>,
    /// 0: returns here if the bits under the mask are clear; 1: calls; others: neither.
    extra: u32,
}

fn node(n: usize) -> impl Strategy<Value = Node> {
    (any::<u32>(), 0..32_u32, 0..n, prop::option::of(0..n), 0..8_u32).prop_map(
        |(factor, bit, taken, other, extra)| Node { factor: factor | 1, bit, taken, other, extra },
    )
}

/// Random control-flow graphs with early exits and calls, through which each thread takes its own
/// path.
fn flows(nodes: &[Node], steps: u32) {
    let mut body = format!("mad.lo.u32 %s, %t, 2654435761, 12345;\nmov.u32 %i, {steps};\n");
    for (i, n) in nodes.iter().enumerate() {
        body += &format!("B{i}: mad.lo.u32 %s, %s, {}, {i};\nsub.u32 %i, %i, 1;\n", n.factor);
        match n.extra {
            0 => {
                body += "and.b32 %x, %s, 0x3f000;\nsetp.eq.u32 %p, %x, 0;\n";
                body += "@%p st.global.u32 [%my], %s;\n@%p exit;\n";
            }
            1 => {
                body += "{ .param .u32 a; .param .u32 b; st.param.u32 [a], %s;\n";
                body += "call (b), half, (a); ld.param.u32 %s, [b]; }\n";
            }
            _ => {}
        }
        body += "setp.eq.u32 %p, %i, 0;\n@%p bra END;\n";
        body += &format!("shr.u32 %x, %s, {};\nand.b32 %x, %x, 1;\n", n.bit);
        body += &format!("setp.eq.u32 %p, %x, 1;\n@%p bra B{};\n", n.taken);
        if let Some(other) = n.other {
            body += &format!("bra B{other};\n");
        }
    }
    body += "END: st.global.u32 [%my], %s;\nret;";
    let half = "
.func (.param .u32 r) half(.param .u32 n)
{
    .reg .u32 %n, %x; .reg .pred %p;
    ld.param.u32 %n, [n];
    and.b32 %x, %n, 0x400;
    setp.eq.u32 %p, %x, 0;
    @%p bra EVEN;
    mad.lo.u32 %n, %n, 77, 1;
    st.param.u32 [r], %n;
    ret;
EVEN:
    shr.u32 %n, %n, 1;
    st.param.u32 [r], %n;
    ret;
}
";
    let text = kernel_with(half, ".reg .pred %p; .reg .u32 %s, %i, %x;", &body);
    let got = run_words(&text, How { block: [50, 1, 1], ..How::default() }, 50);
    for t in 0..50_u32 {
        let mut s = t.wrapping_mul(2_654_435_761).wrapping_add(12345);
        let (mut i, mut at) = (steps, 0);
        while let Some(n) = nodes.get(at) {
            s = s.wrapping_mul(n.factor).wrapping_add(at as u32);
            i -= 1;
            match n.extra {
                0 if s & 0x3f000 == 0 => break,
                1 if s & 0x400 == 0 => s >>= 1,
                1 => s = s.wrapping_mul(77).wrapping_add(1),
                _ => {}
            }
            if i == 0 {
                break;
            }
            at = if s >> n.bit & 1 == 1 { n.taken } else { n.other.unwrap_or(at + 1) };
        }
        assert_eq!(got[t as usize], s, "thread {t}\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn integer_programs(steps in prop::collection::vec(step(INTEGER.len()), 1..25), seeds: [u32; 6]) {
        agrees(&steps, INTEGER, seeds);
    }

    #[test]
    fn any_flow_graph(nodes in (1..12_usize).prop_flat_map(|n| prop::collection::vec(node(n), n)), steps in 1..200_u32) {
        flows(&nodes, steps);
    }

    #[test]
    fn float_programs(steps in prop::collection::vec(step(FLOAT.len()), 1..25), seeds: [u32; 6]) {
        agrees(&steps, FLOAT, seeds);
    }
}
