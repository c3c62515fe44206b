//! Tests of atomics on halves, vectors and 16 bytes, cache policies, wide accesses, and unsupported
//! forms.

use crate::common::{Arg, How, load_text, words};
use texunit_simt::JitMode;

/// A kernel `k` with parameter `out` in %out, for the newest architecture.
fn kernel(declarations: &str, body: &str) -> String {
    format!(
        ".version 8.8\n.target sm_100\n.address_size 64\n\
         .visible .entry k(.param .u64 out) {{\n\
         .reg .u32 %t; .reg .u64 %out, %my; {declarations}\n\
         ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %my, %t, 4, %out;\n\
         {body}\nret; }}\n"
    )
}

/// Memory contents after `threads` threads have run, given its initial words.
fn run(text: &str, threads: u32, memory: &[u32]) -> Vec<u32> {
    let loaded = load_text(text);
    let (address, block) = loaded.filled(memory);
    let how = How { block: [threads, 1, 1], ..How::default() };
    loaded.run("k", how, &[Arg::U64(address)]).unwrap();
    words(&block)
}

#[test]
fn sums_of_halves_in_global_and_shared_memory() {
    let rows = [
        // The columns are: type, an addend, 32 times the addend.
        ("f16", "h", 0x3c00, 0x5000),
        ("f16", "h", 0x0001, 0x0020),
        ("bf16", "h", 0x3f80, 0x4200),
        ("bf16", "h", 0x8001, 0x8020),
        ("f16x2", "r", 0x3800_3c00, 0x4c00_5000),
        ("bf16x2", "r", 0x3f00_bf80, 0x4180_c200),
        ("f16", "h", 0x7c01, 0x7fff),
    ];
    for (ty, register, addend, sum) in rows {
        let value = if register == "h" {
            format!("mov.b16 %h, {addend};")
        } else {
            format!("mov.b32 %r, {addend};")
        };
        let text = kernel(
            ".shared .align 4 .b8 s[4]; .reg .b16 %h; .reg .b32 %r;",
            &format!(
                "{value}
                 mov.u32 %t, 0; st.shared.u32 [s], %t; bar.sync 0;
                 red.global.add.noftz.{ty} [%out], %{register};
                 red.shared.add.noftz.{ty} [s], %{register};
                 bar.sync 0;
                 ld.shared.u32 %t, [s]; st.global.u32 [%out+4], %t;"
            ),
        );
        assert_eq!(run(&text, 32, &[0, 0]), [sum, sum], "{ty} {addend:x}");
    }
}

/// Lanes are executed in order, so each sees the sum of the lanes before it. The sums are small
/// integers, which are exact in every format.
#[test]
fn old_values_of_halves() {
    let text = kernel(
        ".reg .b16 %h; .reg .f32 %f;",
        "mov.b16 %h, 0x3c00;
         atom.global.add.noftz.f16 %h, [%out+128], %h;
         cvt.f32.f16 %f, %h;
         st.global.f32 [%my], %f;",
    );
    let got = run(&text, 32, &[0; 33]);
    let wanted: Vec<u32> = (0..32u8).map(|t| f32::from(t).to_bits()).collect();
    assert_eq!(got[..32], wanted);
    assert_eq!(got[32], 0x5000);
}

#[test]
fn vectors() {
    let text = kernel(
        ".reg .b16 %h<4>; .reg .f32 %f<4>, %o<4>; .reg .b32 %r<2>;",
        "mov.f32 %f0, 0f3f800000; mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f40400000; mov.f32 %f3, 0f40800000;
         atom.global.v4.f32.add {%o0, _, %o2, %o3}, [%out], {%f0, %f1, %f2, %f3};
         red.global.add.v2.f32 [%out+16], {%f3, 0fbf800000};
         mov.b16 %h0, 0x4000; mov.b16 %h1, 0xc000; mov.b16 %h2, 0x7e00; mov.b16 %h3, 0x8000;
         red.global.min.noftz.v4.f16 [%out+24], {%h0, %h1, %h2, %h3};
         red.global.max.noftz.v4.bf16 [%out+32], {%h0, %h1, %h2, %h3};
         mov.b32 %r0, 0x3f803f80; mov.b32 %r1, 0xbf804000;
         red.global.add.noftz.v2.bf16x2 [%out+40], {%r0, %r1};",
    );
    let start =
        [0, 0, 0, 0x3f80_0000, 0, 0, 0x3c00_3c00, 0x0000_3c00, 0xc080_4080, 0x0000_3f80, 0, 1];
    let got = run(&text, 2, &start);
    let float = |x: f32| x.to_bits();
    assert_eq!(got[..6], [2.0, 4.0, 6.0, 9.0, 8.0, -2.0].map(float));
    // min(1, 2), min(1, -2), a NaN beside 1, -0 beside +0.
    assert_eq!(got[6..8], [0xc000_3c00, 0x8000_3c00]);
    // max(4, 2), max(-4, -2); 0x7e00 is a great bf16; max(+0, -0).
    assert_eq!(got[8..10], [0xc000_4080, 0x0000_7e00]);
    // 2 * 1 in both halves; 2 * 2 and -2, to which 2^-133 adds nothing.
    assert_eq!(got[10..], [0x4000_4000, 0xc000_4080]);
}

/// ptxas writes `ADD.F32.FTZ` for global memory and an unflushed `FADD` for shared memory.
#[test]
fn subnormal_sums_are_flushed_in_global_memory_only() {
    let text = kernel(
        ".shared .f32 s; .reg .f32 %f; .reg .u64 %a;",
        "mov.f32 %f, 0f00000003;
         st.shared.f32 [s], %f;
         red.global.add.f32 [%out], %f;
         red.add.f32 [%out+4], %f;
         red.shared.add.f32 [s], %f;
         cvta.shared.u64 %a, s; red.add.f32 [%a], %f;
         ld.shared.f32 %f, [s]; st.global.f32 [%out+8], %f;
         red.global.add.v2.f32 [%out+16], {0f80000001, 0f00800000};",
    );
    let got = run(&text, 1, &[5, 5, 0, 0, 0x8000_0001, 0x8000_0001]);
    assert_eq!(got, [0, 0, 9, 0, 0x8000_0000, 0x0080_0000]);
}

#[test]
fn exchange_and_swap_of_16_bytes() {
    let text = kernel(
        ".shared .align 16 .b8 s[16]; .reg .b128 %q<4>; .reg .u64 %a, %b; .reg .pred %p;",
        "mov.b64 %a, 0x1111111122222222; mov.b64 %b, 0x3333333344444444;
         mov.b128 %q0, {%a, %b};
         ld.global.b128 %q1, [%out];
         atom.global.exch.b128 %q2, [%out], %q0;
         st.global.b128 [%out+16], %q2;
         atom.global.cas.b128 %q3, [%out], %q1, %q2;
         st.global.b128 [%out+32], %q3;
         atom.cas.b128 _, [%out], %q0, 7;
         st.shared.b128 [s], %q1;
         atom.shared.exch.b128 %q3, [s], %q0;
         atom.shared.cas.b128 %q3, [s], %q0, %q2;
         ld.shared.b128 %q2, [s];
         st.global.b128 [%out+48], %q2;",
    );
    let mut memory = vec![0xa, 0xb, 0xc, 0xd];
    memory.resize(16, 0);
    let new = [0x2222_2222, 0x1111_1111, 0x4444_4444, 0x3333_3333];
    let old = [0xa, 0xb, 0xc, 0xd];
    let got = run(&text, 1, &memory);
    assert_eq!(got[..4], [7, 0, 0, 0]);
    assert_eq!([&got[4..8], &got[8..12], &got[12..16]], [&old[..], &new, &old]);
}

/// A counter of 128 bits with a carry between its halves, from many CTAs on four host threads.
#[test]
fn swaps_of_16_bytes_lose_nothing() {
    let text = kernel(
        ".reg .b128 %q<3>; .reg .u64 %a, %b, %c, %d; .reg .pred %p;",
        "again: ld.relaxed.gpu.global.b128 %q0, [%out];
         mov.b128 {%a, %b}, %q0;
         add.cc.u64 %c, %a, 0x4000000000000001; addc.u64 %d, %b, 0;
         mov.b128 %q1, {%c, %d};
         atom.relaxed.gpu.global.cas.b128 %q2, [%out], %q0, %q1;
         mov.b128 {%c, %d}, %q2;
         setp.ne.u64 %p, %a, %c; @%p bra again;
         setp.ne.u64 %p, %b, %d; @%p bra again;",
    );
    let loaded = load_text(&text);
    let (address, block) = loaded.filled(&[0; 4]);
    let how = How { grid: [40, 1, 1], block: [64, 1, 1], threads: 4, ..How::default() };
    loaded.run("k", how, &[Arg::U64(address)]).unwrap();
    let sum = 40 * 64 * 0x4000_0000_0000_0001u128;
    let half = |k: u64| u128::from(block.load_u64(8 * k).unwrap());
    assert_eq!(half(0) | half(1) << 64, sum);
}

/// Strong loads of vectors that the lanes of all CTAs replace, on four host threads: all elements
/// of a vector come from one store.
#[test]
fn strong_vectors_are_not_torn() {
    for (order, vector, value) in [
        ("relaxed.gpu.global", "v2.b64", "mov.b64 %v, {%c, %c}"),
        ("volatile", "v4.b32", "mov.b32 %v, %c"),
        ("release.gpu", "v2.b32", "mov.b32 %v, %c"),
        ("global.cg", "v2.b32", "mov.b32 %v, %c"),
        ("relaxed.sys.global", "v4.b16", "mov.b16 %v, %h"),
        ("volatile.global", "v2.b16", "mov.b16 %v, %h"),
    ] {
        let (load, ty) = (order.replace("release", "acquire"), &vector[3..]);
        let count = usize::from(vector.as_bytes()[1] - b'0');
        let found: Vec<String> = (0..count).map(|i| format!("%e{i}")).collect();
        let tests = found.iter().map(|e| format!("setp.ne.{ty} %p, %e0, {e}; @%p trap; "));
        let text = kernel(
            &format!(".reg .{ty} %v, %e<4>; .reg .u32 %n, %c; .reg .b16 %h; .reg .pred %p;"),
            &format!(
                "mov.u32 %n, 0; mov.u32 %c, %ctaid.x;
                 again: mad.lo.u32 %c, %c, 0x10003, %t; cvt.u16.u32 %h, %c; {value};
                 st.{order}.{vector} [%out], {{{}}}; ld.{load}.{vector} {{{}}}, [%out]; {}
                 add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 500; @%p bra again;",
                vec!["%v"; count].join(", "),
                found.join(", "),
                tests.collect::<String>(),
            ),
        );
        for jit in [JitMode::Off, JitMode::Always] {
            let loaded = load_text(&text);
            let (address, _) = loaded.filled(&[0; 4]);
            let (grid, block) = ([16, 1, 1], [64, 1, 1]);
            let how = How { grid, block, threads: 4, jit: Some(jit), ..How::default() };
            loaded.run("k", how, &[Arg::U64(address)]).unwrap_or_else(|fault| {
                panic!("{order}.{vector}, {jit:?}: {:?}", fault.kind);
            });
        }
    }
}

#[test]
fn cache_policies_change_nothing() {
    let text = kernel(
        ".reg .b64 %policy; .reg .b32 %a, %b, %c, %d; .reg .f32 %f;",
        "mov.b64 %policy, 0;
         ld.global.L2::cache_hint.v2.b32 {%a, %b}, [%out], %policy;
         st.global.L2::cache_hint.v2.b32 [%out+8], {%b, %a}, %policy;
         ld.global.nc.L1::evict_last.L2::cache_hint.b32 %c, [%out], %policy;
         atom.global.add.L2::cache_hint.u32 %d, [%out], 5, %policy;
         add.u32 %c, %c, %d;
         st.global.L1::no_allocate.L2::cache_hint.b32 [%out+16], %c, %policy;
         atom.global.exch.L2::cache_hint.b32 _, [%out+4], 9, %policy;
         red.global.max.L2::cache_hint.s32 [%out+20], -3, %policy;
         mov.f32 %f, 0f3f800000;
         red.global.add.L2::cache_hint.v2.f32 [%out+24], {%f, %f}, %policy;",
    );
    let got = run(&text, 1, &[1, 2, 0, 0, 0, 0xffff_fff0, 0, 0x3f80_0000]);
    assert_eq!(got, [6, 9, 2, 1, 2, 0xffff_fffd, 0x3f80_0000, 0x4000_0000]);
}

#[test]
fn accesses_of_32_bytes() {
    let text = kernel(
        ".reg .b32 %r<8>; .reg .b64 %d<4>;",
        "ld.global.v8.b32 {%r0, %r1, _, %r3, %r4, %r5, %r6, %r7}, [%out];
         st.global.v8.b32 [%out+32], {%r7, %r6, %r5, %r4, %r3, %r1, %r1, %r0};
         ld.global.nc.v4.u64 {%d0, %d1, %d2, %d3}, [%out];
         st.global.v4.b64 [%out+64], {%d3, %d2, %d1, %d0};",
    );
    let mut memory: Vec<u32> = (1..9).collect();
    memory.resize(24, 0);
    let got = run(&text, 1, &memory);
    assert_eq!(got[8..16], [8, 7, 6, 5, 4, 2, 2, 1]);
    assert_eq!(got[16..], [7, 8, 5, 6, 3, 4, 1, 2]);
}

#[test]
fn a_vector_or_16_bytes_must_be_aligned_whole() {
    for (body, bytes) in [
        ("red.global.add.v4.f32 [%out+8], {0f3f800000, 0f3f800000, 0f3f800000, 0f3f800000};", 16),
        ("atom.global.exch.b128 _, [%out+8], 7;", 16),
        ("st.global.b128 [%out+8], 7;", 16),
    ] {
        let loaded = load_text(&kernel("", body));
        let (address, _) = loaded.filled(&[0; 12]);
        let how = How { block: [1, 1, 1], ..How::default() };
        let fault = loaded.run("k", how, &[Arg::U64(address)]).unwrap_err();
        let said = format!("{:?}", fault.kind);
        assert!(said.contains("Misaligned") && said.contains(&bytes.to_string()), "{body}: {said}");
    }
}

#[test]
fn reductions_of_floats_over_a_warp() {
    let nan = 0x7fc0_0000u32;
    let rows = [
        // words, two values that alternate, result
        ("min", 0xc000_0000u32, 0x3f80_0000u32, 0xc000_0000u32),
        ("max", 0xc000_0000, 0x3f80_0000, 0x3f80_0000),
        ("min.abs", 0xc000_0000, 0x3f80_0000, 0x3f80_0000),
        ("max.abs", 0xc000_0000, 0x3f80_0000, 0x4000_0000),
        ("min", 0x8000_0000, 0, 0x8000_0000),
        ("max", 0x8000_0000, 0, 0),
        ("min", nan, 0x7f80_0000, 0x7f80_0000),
        ("max", nan, 0xff80_0000, 0xff80_0000),
        ("min.NaN", nan, 0xff80_0000, 0x7fff_ffff),
        ("max.NaN", nan, 0x7f80_0000, 0x7fff_ffff),
        ("max.abs.NaN", 0xffc0_0001, 1, 0x7fff_ffff),
        ("min", nan, 0xffff_ffff, 0x7fff_ffff),
        ("max", nan, 0xffff_ffff, 0x7fff_ffff),
        ("min", 0x0000_0001, 0x0000_0002, 0x0000_0001),
    ];
    for (words, even, odd, expected) in rows {
        let text = kernel(
            ".reg .pred %p; .reg .b32 %r; .reg .f32 %f;",
            &format!(
                "and.b32 %r, %t, 1; setp.eq.u32 %p, %r, 0;
                 selp.b32 %r, {even}, {odd}, %p; mov.b32 %f, %r;
                 redux.sync.{words}.f32 %f, %f, 0xffffffff;
                 st.global.f32 [%my], %f;"
            ),
        );
        let text = text.replace("sm_100\n", "sm_100a\n");
        assert_eq!(run(&text, 32, &[0; 32]), [expected; 32], "{words} {even:x} {odd:x}");
    }
}

/// Instructions of hardware units that are not simulated are named before the launch.
#[test]
fn refusals_name_the_instruction_and_the_reason() {
    let rows = [
        ("st.bulk.weak.shared::cta [%d0], 64, 0;", "bulk stores"),
        ("cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%d0, {%r1}];", "tensors"),
        (
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r0], [%r1];",
            "begun",
        ),
        ("wgmma.fence.sync.aligned;", "warp groups"),
        (
            "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r0,%r1}, {%f0,%f1,%f2,%f3};",
            "below 8 bits",
        ),
        ("tcgen05.wait::ld.sync.aligned;", "tensor memory"),
        ("multimem.red.global.add.u32 [%d0], %r1;", "several GPUs"),
        ("cvt.rs.f16x2.f32 %r0, %f1, %f2, %r3;", "documented"),
    ];
    for (line, reason) in rows {
        let text =
            kernel(".reg .b16 %h<4>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %d<2>;", line);
        let text =
            text.replace("sm_100\n", if line.contains("wgmma") { "sm_90a\n" } else { "sm_100a\n" });
        let loaded = load_text(&text);
        let id = loaded.program.kernel("k").unwrap();
        let told = loaded.program.unsupported(id);
        let [first] = &told[..] else { panic!("{line}: {told:?}") };
        let word = line.split([' ', ';']).next().unwrap();
        assert!(first.message.contains(word), "{line}: {}", first.message);
        assert!(first.code == "E0406", "{line}: {}", first.code);
        assert!(
            first.help.clone().unwrap_or_default().contains(reason),
            "{line}: {:?}",
            first.help
        );
    }
}

/// Atomic f64 sums with NaNs (docs/numerics.md, 13.2 and 13.7): a NaN operand is returned with its
/// sign and payload, the instruction's operand having precedence over memory. A NaN that the sum
/// creates is 0xfff8000000000000.
#[test]
fn sums_of_f64_keep_nans() {
    let (one, infinity) = (1f64.to_bits(), f64::INFINITY.to_bits());
    let (quiet, minus, signalling) =
        (0x7ff8_0000_1234_5678_u64, 0xfff9_0000_0000_0001, 0x7ff0_0000_0000_0042);
    #[rustfmt::skip]
    let rows = [
        // memory, operand, sum in global memory, in shared (an H200: tests/instructions)
        (one, quiet, quiet, quiet),
        (minus, one, minus, minus),
        (minus, quiet, quiet, minus),
        (quiet, minus, minus, quiet),
        (one, signalling, signalling, signalling | 1 << 51),
        (signalling, minus, minus, signalling | 1 << 51),
        (0, signalling, signalling, signalling | 1 << 51),
        (signalling, 0, signalling, signalling | 1 << 51),
        (infinity, infinity ^ 1 << 63, 0xfff8_0000_0000_0000, 0xfff8_0000_0000_0000),
        (one, one, 2f64.to_bits(), 2f64.to_bits()),
    ];
    for (memory, operand, global, shared) in rows {
        for (space, sum) in [("global", global), ("shared", shared)] {
            for reduces in [false, true] {
                let (opcode, d) = if reduces { ("red", "") } else { ("atom", "%old, ") };
                let (init, at, back) = match space {
                    "global" => ("", "%out", ""),
                    _ => (
                        "ld.global.u64 %w, [%out]; st.shared.u64 [s], %w;",
                        "s",
                        "ld.shared.u64 %w, [s]; st.global.u64 [%out], %w;",
                    ),
                };
                let text = kernel(
                    ".reg .f64 %old, %x; .reg .u64 %w; .shared .align 8 .b8 s[8];",
                    &format!(
                        "{init}
                         mov.u64 %w, {operand:#x};
                         mov.b64 %x, %w;
                         {opcode}.{space}.add.f64 {d}[{at}], %x;
                         {back}
                         ret;"
                    ),
                );
                let loaded = load_text(&text);
                let (address, block) = loaded.buffer(2);
                for jit in [JitMode::Off, JitMode::Always] {
                    block.store_u64(0, memory).unwrap();
                    let how = How { block: [1, 1, 1], jit: Some(jit), ..How::default() };
                    loaded.run("k", how, &[Arg::U64(address)]).unwrap();
                    assert_eq!(
                        block.load_u64(0).unwrap(),
                        sum,
                        "{opcode}.{space} {memory:x} {operand:x}, {jit:?}"
                    );
                }
            }
        }
    }
}
