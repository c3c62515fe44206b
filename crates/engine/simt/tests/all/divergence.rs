//! Tests of divergence: every thread computes its own result whatever path it takes, and waiting at
//! reconvergence points never blocks a thread forever.

use crate::common::{How, expect, kernel, kernel_with, run_words};

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
