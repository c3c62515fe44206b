//! Loads, stores, atomics and addresses in every space, and `--fmad`.

use crate::common::{Arg, How, kernel, kernel_with, load_text, run_words, words};

fn how(x: u32) -> How {
    How { block: [x, 1, 1], ..How::default() }
}

#[test]
fn static_and_dynamic_shared_memory_of_two_kernels() {
    let text = format!(
        "{}
.shared .align 4 .b8 only_other[1000];
.shared .align 4 .b8 both[8];
.extern .shared .align 16 .b8 more[];
.visible .entry other() {{ st.shared.u8 [only_other], 1; st.shared.u8 [both], 1; ret; }}
.visible .entry k(.param .u64 out)
{{
    .reg .u32 %v; .reg .u64 %o;
    ld.param.u64 %o, [out];
    mov.u32 %v, both;
    st.global.u32 [%o], %v;
    mov.u32 %v, more;
    st.global.u32 [%o+4], %v;
    st.shared.u32 [more+60], 9;
    ld.shared.u32 %v, [more+60];
    st.global.u32 [%o+8], %v;
    mov.u32 %v, %dynamic_smem_size;
    st.global.u32 [%o+12], %v;
    mov.u32 %v, %total_smem_size;
    st.global.u32 [%o+16], %v;
    ret;
}}",
        crate::common::HEADER
    );
    let loaded = load_text(&text);
    let size = |name: &str| loaded.program.static_shared(loaded.program.kernel(name).unwrap());
    assert_eq!((size("k"), size("other")), (8, 1008));
    assert_eq!(run_words(&text, How { dynamic_shared: 64, ..how(1) }, 5), [0, 16, 9, 64, 80]);
    assert_eq!(loaded.program.kernels().count(), 2);
}

#[test]
fn atomics_are_atomic_across_ctas_and_threads() {
    let text = kernel_with(
        ".global .u32 n; .global .u64 wide; .global .f32 sum; .global .s32 low = 100;
         .global .u32 wrap; .global .b32 bits; .global .u32 product = 1;",
        ".shared .u32 s; .reg .pred %p; .reg .u32 %v, %o, %x; .reg .s32 %i; .reg .u64 %w; .reg .f32 %f;",
        "red.global.add.u32 [n], 1;
         cvt.u64.u32 %w, %t;
         atom.global.add.u64 %w, [wide], %w;
         red.global.add.f32 [sum], 0f3f800000;
         cvt.s32.u32 %i, %t;
         neg.s32 %i, %i;
         atom.global.min.s32 %i, [low], %i;
         atom.global.inc.u32 %v, [wrap], 9;
         and.b32 %x, %t, 31;
         shl.b32 %x, 1, %x;
         red.global.or.b32 [bits], %x;
AGAIN:   ld.global.u32 %o, [product];
         mul.lo.u32 %x, %o, 3;
         atom.global.cas.b32 %v, [product], %o, %x;
         setp.ne.u32 %p, %v, %o;
         @%p bra AGAIN;
         mov.u32 %x, %tid.x;
         setp.eq.u32 %p, %x, 0;
         @%p st.shared.u32 [s], 5;
         bar.sync 0;
         atom.shared.add.u32 %v, [s], 2;
         bar.sync 0;
         ld.shared.u32 %v, [s];
         st.global.u32 [%my], %v;
         ret;",
    );
    let loaded = load_text(&text);
    let (address, block) = loaded.buffer(64 * 48);
    let how = How { grid: [64, 1, 1], block: [48, 1, 1], threads: 4, ..How::default() };
    loaded.run("k", how, &[Arg::U64(address)]).unwrap();
    assert!(words(&block).iter().all(|&v| v == 5 + 2 * 48));
    let total = 64_u64 * 48;
    let map = loaded.memory.map();
    let find =
        |name: &str| (0..8).map(|i| map.block(i)).find(|b| b.name() == name).unwrap().clone();
    assert_eq!(u64::from(find("n").load_u32(0).unwrap()), total);
    assert_eq!(find("wide").load_u64(0).unwrap(), total * (total - 1) / 2);
    assert_eq!(f32::from_bits(find("sum").load_u32(0).unwrap()), total as f32);
    assert_eq!(find("low").load_u32(0).unwrap() as i32, 1 - total as i32);
    assert_eq!(u64::from(find("wrap").load_u32(0).unwrap()), total % 10);
    assert_eq!(find("bits").load_u32(0).unwrap(), u32::MAX);
    assert_eq!(find("product").load_u32(0).unwrap(), 3_u32.wrapping_pow(total as u32));
}

#[test]
fn parameters_by_value_in_calls_and_kernels() {
    let text = format!(
        "{}
.func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 p[16], .param .u16 n)
{{
    .reg .u64 %a, %b, %q; .reg .u16 %n;
    mov.b64 %q, p;
    ld.param.u64 %a, [%q];
    ld.param.u64 %b, [p+8];
    ld.param.u16 %n, [n];
    cvt.u64.u16 %q, %n;
    add.u64 %a, %a, %q;
    st.param.u64 [r], %b;
    st.param.u64 [r+8], %a;
    ret;
}}
.visible .entry k(.param .u64 out, .param .align 8 .b8 s[16])
{{
    .reg .u64 %o, %a, %b; .reg .u16 %n; .reg .u32 %t;
    ld.param.u64 %o, [out];
    mov.u32 %t, %tid.x;
    cvt.u16.u32 %n, %t;
    {{
        .param .align 8 .b8 x[16]; .param .u16 y; .param .align 8 .b8 z[16];
        ld.param.v2.u64 {{%a, %b}}, [s];
        st.param.v2.u64 [x], {{%a, %b}};
        st.param.u16 [y], %n;
        call (z), swap, (x, y);
        ld.param.v2.b64 {{%a, %b}}, [z];
    }}
    mul.wide.u32 %a, %t, 8;
    add.u64 %o, %o, %a;
    st.global.u64 [%o], %b;
    ret;
}}",
        crate::common::HEADER
    );
    let loaded = load_text(&text);
    let (out, block) = loaded.buffer(6);
    let pair = [100_u64, 200].iter().flat_map(|v| v.to_le_bytes()).collect();
    loaded.run("k", how(3), &[Arg::U64(out), Arg::Bytes(pair)]).unwrap();
    // The second of the swapped pair: the first plus the thread's number.
    assert_eq!(words(&block), [100, 0, 101, 0, 102, 0]);
}

/// Products and sums are fused as ptxas 13.5 does for sm_86: with each of these, `nvdisasm` shows
/// so many FFMA.
#[test]
fn products_are_fused_unless_that_is_refused() {
    // The kernel's text, and its result without and with fusing, for a = 1 + 2^-23, b = 1 - 2^-23,
    // c = -1.
    let (a, b, c) = (f32::from_bits(0x3f80_0001), f32::from_bits(0x3f7f_fffe), -1.0_f32);
    let (ab, ca) = (a * b, c * a);
    let rows: [(&str, f32, f32); 26] = [
        ("mul.f32 %x, %a, %b; add.f32 %d, %x, %c;", ab + c, a.mul_add(b, c)),
        ("mul.f32 %x, %a, %b; add.f32 %d, %c, %x;", ab + c, a.mul_add(b, c)),
        ("mul.f32 %x, %a, %b; sub.f32 %d, %x, %c;", ab - c, a.mul_add(b, -c)),
        ("mul.f32 %x, %a, %a; sub.f32 %d, %b, %x;", b - a * a, (-a).mul_add(a, b)),
        ("mul.rn.f32 %x, %a, %b; add.f32 %d, %x, %c;", ab + c, ab + c),
        ("mul.f32 %x, %a, %b; add.rn.f32 %d, %x, %c;", ab + c, ab + c),
        ("mul.ftz.f32 %x, %a, %b; add.f32 %d, %x, %c;", ab + c, ab + c),
        ("mul.ftz.f32 %x, %a, %b; add.ftz.f32 %d, %x, %c;", ab + c, a.mul_add(b, c)),
        ("mul.sat.f32 %x, %a, %b; add.f32 %d, %x, %c;", ab + c, ab + c),
        // A product with another use.
        ("mul.f32 %x, %a, %b; add.f32 %d, %x, %c; st.global.f32 [%my+4], %x;", ab + c, ab + c),
        ("mul.f32 %x, %a, %b; add.f32 %d, %x, %x;", ab + ab, ab + ab),
        // A product with two sums is fused into both.
        (
            "mul.f32 %x, %a, %b; add.f32 %e, %x, %c; add.f32 %d, %x, %e;",
            ab + (ab + c),
            a.mul_add(b, a.mul_add(b, c)),
        ),
        // Of a sum of two products the first one is fused.
        ("mul.f32 %e, %c, %a; mul.f32 %x, %a, %b; add.f32 %d, %x, %e;", ab + ca, a.mul_add(b, ca)),
        ("mul.f32 %e, %c, %a; mul.f32 %x, %a, %b; sub.f32 %d, %e, %x;", ca - ab, c.mul_add(a, -ab)),
        // The second one is fused if the first one cannot be.
        (
            "mul.f32 %x, %a, %b; mul.f32 %e, %c, %a; st.global.f32 [%my+4], %x; add.f32 %d, %x, %e;",
            ab + ca,
            c.mul_add(a, ab),
        ),
        // A product that cannot be fused into one of its two sums is fused into neither.
        (
            "mul.f32 %x, %a, %b; mul.f32 %e, %c, %a; mul.f32 %f, %b, %c; add.f32 %d, %x, %e;
             add.f32 %g, %e, %f; add.f32 %d, %d, %g;",
            (ab + ca) + (ca + b * c),
            a.mul_add(b, ca) + b.mul_add(c, ca),
        ),
        // A register with several products in succession.
        (
            "mul.f32 %x, %a, %b; add.f32 %e, %x, %c; mul.f32 %x, %a, %a; add.f32 %d, %x, %e;",
            a * a + (ab + c),
            a.mul_add(a, a.mul_add(b, c)),
        ),
        // A product in another block is not fused.
        ("mul.f32 %x, %a, %b; @%no bra L; add.f32 %d, %x, %c; L:", ab + c, ab + c),
        ("mul.f32 %x, %a, %b; @%no st.global.f32 [%my+4], %c; add.f32 %d, %x, %c;", ab + c, ab + c),
        // A product with a constant factor is.
        ("mul.f32 %x, %a, 0f3f7ffffe; @%no bra L; add.f32 %d, %x, %c; L:", ab + c, a.mul_add(b, c)),
        // Products copied by mov and neg.
        ("mul.f32 %x, %a, %b; mov.f32 %e, %x; add.f32 %d, %e, %c;", ab + c, a.mul_add(b, c)),
        ("mul.f32 %x, %a, %b; neg.f32 %e, %x; sub.f32 %d, %e, %c;", -ab - c, (-a).mul_add(b, -c)),
        // Factors that are overwritten, also by the product itself.
        ("mul.f32 %x, %a, %b; mov.f32 %a, %c; add.f32 %d, %x, %c;", ab + c, a.mul_add(b, c)),
        ("mul.f32 %a, %a, %b; add.f32 %d, %a, %c;", ab + c, a.mul_add(b, c)),
        // A division consists of several blocks.
        (
            "mul.f32 %x, %a, %b; div.rn.f32 %e, %c, %a; st.global.f32 [%my+4], %e; add.f32 %d, %x, %c;",
            ab + c,
            ab + c,
        ),
        // Guarded instructions.
        ("mul.f32 %x, %a, %b; @!%no add.f32 %d, %x, %c;", ab + c, a.mul_add(b, c)),
    ];
    for (body, apart, together) in rows {
        let text = kernel_with(
            ".global .b32 v[3] = {0x3f800001, 0x3f7ffffe, 0xbf800000};",
            ".reg .f32 %a, %b, %c, %d, %e, %f, %g, %x; .reg .pred %no;",
            &format!(
                "ld.global.f32 %a, [v]; ld.global.f32 %b, [v+4]; ld.global.f32 %c, [v+8];
                 setp.ne.f32 %no, %a, %a; {body}\nst.global.f32 [%my], %d; ret;"
            ),
        );
        // The second word is for values that are stored in addition.
        assert_eq!(run_words(&text, how(1), 2)[0], apart.to_bits(), "{body}");
        let fused = run_words(&text, How { fmad: true, ..how(1) }, 2);
        assert_eq!(fused[0], together.to_bits(), "{body}");
    }
}

/// Fusing with other types: 1 + d, 1 - d and -1, whose sum is nonzero only if the product is exact;
/// and the NaN of f64.
#[test]
fn products_of_other_types_are_fused() {
    let rows = [
        (
            "f64",
            "b64",
            "%q",
            [0x3ff0_0000_0000_0001, 0x3fef_ffff_ffff_fffe, 0xbff0_0000_0000_0000],
            0xb970_0000_0000_0000,
        ),
        ("f64", "b64", "%q", [1, 1, 0x7ff8_0000_0000_0123], 0x7ff8_0000_0000_0123),
        ("f16", "b16", "%h", [0x3c01, 0x3bfe, 0xbc00], 0x8010),
        ("f16x2", "b32", "%w", [0x3c01_3c01, 0x3bfe_3bfe, 0xbc00_bc00], 0x8010_8010),
        ("bf16", "b16", "%h", [0x3f81, 0x3f7e, 0xbf80], 0xb880),
        ("bf16x2", "b32", "%w", [0x3f81_3f81, 0x3f7e_3f7e, 0xbf80_bf80], 0xb880_b880_u64),
    ];
    for (ty, bits, r, [a, b, c], wanted) in rows {
        for (op, c) in [("add", c), ("sub", c ^ signs(ty, c))] {
            let text = kernel_with(
                &format!(".global .{bits} v[3] = {{{a}, {b}, {c}}};"),
                ".reg .b64 %q<5>; .reg .b16 %h<5>; .reg .b32 %w<5>;",
                &format!(
                    "ld.global.{bits} {r}0, [v]; ld.global.{bits} {r}1, [v+{n}]; ld.global.{bits} {r}2, [v+{m}];
                     mul.{ty} {r}3, {r}0, {r}1; {op}.{ty} {r}4, {r}3, {r}2; st.global.{bits} [%out], {r}4; ret;",
                    n = text_bytes(bits),
                    m = 2 * text_bytes(bits),
                ),
            )
            .replace("sm_80", "sm_90");
            let both = |fmad| {
                let words = run_words(&text, How { fmad, ..how(1) }, 2);
                u64::from(words[0]) | u64::from(words[1]) << 32
            };
            assert_eq!(both(true), wanted, "{op}.{ty}");
            assert!(wanted == 0x7ff8_0000_0000_0123 || both(false) == 0, "{op}.{ty}");
        }
    }
}

fn text_bytes(bits: &str) -> usize {
    bits[1..].parse::<usize>().map_or(0, |bits| bits / 8)
}

/// Subtractions change the sign of an operand, except that of a NaN.
fn signs(ty: &str, c: u64) -> u64 {
    match ty {
        "f64" if c > 0x7ff0_0000_0000_0000 && c < 1 << 63 => 0,
        "f64" => 1 << 63,
        "f16" | "bf16" => 1 << 15,
        _ => 1 << 31 | 1 << 15,
    }
}

#[test]
fn special_registers() {
    let text = kernel(
        ".reg .u32 %v, %w; .reg .u64 %q;",
        "mov.u32 %v, %tid.y; mov.u32 %w, %tid.z; mad.lo.u32 %v, %w, 10, %v;
         mov.u32 %w, %tid.x; mad.lo.u32 %v, %w, 100, %v;
         mov.u32 %t, %laneid;
         mul.wide.u32 %q, %t, 4;
         mov.u32 %w, %warpid; mul.lo.u32 %w, %w, 128; cvt.u64.u32 %my, %w; add.u64 %q, %q, %my;
         add.u64 %q, %q, %out;
         st.global.u32 [%q], %v;
         mov.u32 %v, %lanemask_lt; mov.u32 %w, %lanemask_ge; xor.b32 %v, %v, %w;
         mov.u32 %w, %nwarpid; xor.b32 %v, %v, %w;
         mov.u64 %my, %gridid; cvt.u32.u64 %w, %my; xor.b32 %v, %v, %w;
         st.global.u32 [%q+240], %v;
         ret;",
    );
    let got = run_words(&text, How { block: [5, 4, 3], ..How::default() }, 120);
    for linear in 0..60_u32 {
        let (x, y, z) = (linear % 5, linear / 5 % 4, linear / 20);
        assert_eq!(got[linear as usize], x * 100 + z * 10 + y);
        assert_eq!(got[linear as usize + 60], u32::MAX ^ 2 ^ 7);
    }
}

/// Parameters as GCC names them: `.param .u64 %P<1>`.
#[test]
fn numbered_variables_in_every_space() {
    let before = ".global .u32 g<3>;
.const .u32 c<2>;
.func (.param .u32 out) f(.param .u64 a, .param .u32 b)
{
.reg .u64 %p; .reg .u32 %v<2>;
.local .u32 kept<2>;
ld.param.u64 %p, [a]; ld.param.u32 %v0, [b];
st.local.u32 [kept0], 7; st.local.u32 [kept1], %v0;
ld.local.u32 %v0, [kept0]; ld.local.u32 %v1, [kept1];
mad.lo.u32 %v0, %v0, 1000, %v1;
st.param.u32 [out], %v0; ret;
}
";
    let body = "st.shared.u32 [s1], 31; st.shared.u32 [s0], 30; st.global.u32 [g2], 42;
        { .param .u32 %R<1>; .param .u64 %P<1>; .param .u32 %Q<2>;
          st.param.u64 [%P0], %out; st.param.u32 [%Q1], 8;
          call (%R0), f, (%P0, %Q1);
          ld.param.u32 %x0, [%R0]; }
        ld.shared.u32 %x1, [s00]; ld.shared.u32 %x02, [s1]; ld.global.u32 %x3, [g002]; ld.const.u32 %x4, [c1];
        st.global.u32 [%out], %x0; st.global.u32 [%out+4], %x1; st.global.u32 [%out+8], %x2;
        st.global.u32 [%out+12], %x3; st.global.u32 [%out+16], %x4; ret;";
    let text = kernel_with(before, ".reg .u32 %x<5>;\n.shared .u32 s<2>;", body);
    let how = How { block: [1, 1, 1], ..How::default() };
    assert_eq!(run_words(&text, how, 5), [7008, 30, 31, 42, 0]);
}
