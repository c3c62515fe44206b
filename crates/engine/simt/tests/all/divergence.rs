//! Tests of divergence: every thread computes its own result whatever path it takes, and waiting at
//! reconvergence points never blocks a thread forever.

use crate::common::{Arg, How, expect, kernel, kernel_with, load_text, run_words, words};
use texunit_simt::JitMode;

#[test]
fn a_spin_lock_between_the_lanes_of_a_warp() {
    let text = kernel_with(
        ".global .u32 lock; .global .u32 count;",
        ".reg .pred %p; .reg .u32 %r; .reg .u64 %l, %a;",
        "mov.u64 %l, lock;
         mov.u64 %a, count;
SPIN:    atom.global.cas.b32 %r, [%l], 0, 1;
         setp.ne.u32 %p, %r, 0;
         @%p bra SPIN;
         ld.volatile.global.u32 %r, [%a];
         add.u32 %r, %r, 1;
         st.volatile.global.u32 [%a], %r;
         membar.gl;
         atom.global.exch.b32 %t, [%l], 0;
         st.global.u32 [%my], %r;
         ret;",
    );
    let mut got = run_words(&text, How { block: [96, 1, 1], ..How::default() }, 96);
    got.sort_unstable();
    assert_eq!(got, (1..=96).collect::<Vec<u32>>());
}

/// The post-dominator of a branch that encloses a `break` is behind the loop, but its lanes meet at
/// the head of the loop: they do not run one by one. The loop runs 1,000 times; `body` changes `%s`
/// by the hash `%v`, as `step` does.
fn breaks_within_branches(body: &str, step: fn(u32, u32) -> u32, limit: u64) {
    let text = kernel(
        ".reg .pred %p; .reg .u32 %v, %i, %s, %k;",
        &format!(
            "mov.u32 %i, 0;
             mov.u32 %s, 0;
LOOP:        mad.lo.u32 %v, %i, 0x9e3779b1, %t;
             mul.lo.u32 %v, %v, 0x85ebca6b;
             shr.u32 %v, %v, 26;
             {body}
NEXT:        add.u32 %i, %i, 1;
             setp.lt.u32 %p, %i, 1000;
             @%p bra LOOP;
DONE:        st.global.u32 [%my], %s;
             ret;"
        ),
    );
    let hash = |i: u32, t| i.wrapping_mul(0x9e37_79b1).wrapping_add(t).wrapping_mul(0x85eb_ca6b);
    let sums = (0..32).map(|t| (0..1000).fold(0, |s, i| step(s, hash(i, t) >> 26)));
    let sums: Vec<u32> = sums.collect();
    let executed = [JitMode::Off, JitMode::Always].map(|jit| {
        let loaded = load_text(&text);
        let (address, block) = loaded.buffer(32);
        let how = How { jit: Some(jit), ..How::default() };
        let stats = loaded.run("k", how, &[Arg::U64(address)]).unwrap();
        assert_eq!(words(&block)[..32], sums, "{jit:?}");
        stats.warp_instructions
    });
    assert!(executed[0] == executed[1] && executed[0] < limit, "{executed:?}");
}

#[test]
fn a_break_within_a_branch() {
    let body = "setp.lt.u32 %p, %v, 32;
                @%p bra NEXT;
                add.u32 %s, %s, 1;
                setp.eq.u32 %p, %s, 2000;
                @%p bra DONE;";
    breaks_within_branches(body, |s, v| s + (v >> 5), 20_000);
}

/// Three sides of two branches, one of them with a loop whose lanes have their own reconvergence
/// point.
#[test]
fn breaks_within_three_sides() {
    let body = "setp.lt.u32 %p, %v, 16;
                @%p bra FEW;
                setp.lt.u32 %p, %v, 32;
                @%p bra SOME;
                xor.b32 %s, %s, %v;
                setp.eq.u32 %p, %s, 0x12345678;
                @%p bra DONE;
                bra NEXT;
SOME:           mad.lo.u32 %s, %s, 3, 1;
                setp.eq.u32 %p, %s, 0x12345678;
                @%p bra DONE;
                bra NEXT;
FEW:            and.b32 %k, %v, 7;
INNER:          mad.lo.u32 %s, %s, 5, %k;
                sub.s32 %k, %k, 1;
                setp.ge.s32 %p, %k, 0;
                @%p bra INNER;
                setp.eq.u32 %p, %s, 0x12345678;
                @%p bra DONE;";
    let step = |s: u32, v: u32| match v {
        0..16 => (0..=v & 7).rev().fold(s, |s, k| s.wrapping_mul(5).wrapping_add(k)),
        16..32 => s.wrapping_mul(3).wrapping_add(1),
        _ => s ^ v,
    };
    breaks_within_branches(body, step, 70_000);
}

#[test]
fn a_long_kernel_full_of_branches() {
    // Lowering and execution stay fast with 20,000 consecutive branches.
    let mut body = String::from(".reg .pred %p; .reg .u32 %s;\nmov.u32 %s, 0;\n");
    for i in 0..20_000 {
        body +=
            &format!("setp.eq.u32 %p, %t, {};\n@%p bra L{i};\nadd.u32 %s, %s, 1;\nL{i}:\n", i % 37);
    }
    let text = kernel("", &(body + "st.global.u32 [%my], %s;\nret;"));
    let start = std::time::Instant::now();
    expect(&text, How::default(), 32, |t| {
        20_000 - (0..20_000).filter(|i| i % 37 == t).count() as u32
    });
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn deeply_nested_divergence() {
    // Each level diverges one lane from the rest; all reconverge in reverse order.
    let mut body = String::from("mov.u32 %s, 0;\n");
    for i in 0..31 {
        body += &format!("setp.eq.u32 %p, %t, {i};\n@%p bra E{i};\nadd.u32 %s, %s, 1;\n");
    }
    for i in (0..31).rev() {
        body += &format!("add.u32 %s, %s, 100;\nE{i}:\n");
    }
    let text = kernel(
        ".reg .pred %p; .reg .u32 %s, %a;",
        &(body
            + "activemask.b32 %a;\npopc.b32 %a, %a;\nmad.lo.u32 %s, %a, 10000, %s;\nst.global.u32 [%my], %s;\nret;"),
    );
    // Lane i leaves at level i: it has counted i levels and jumps past the additions of the
    // levels from i on, so it meets those of the levels before.
    expect(&text, How::default(), 32, |t| 320_000 + t + 100 * t);
}
