//! Tests of divergence: every thread computes its own result whatever path it takes, and waiting at
//! reconvergence points never blocks a thread forever.
#![allow(clippy::unwrap_used)]

use crate::common::{How, expect, kernel, kernel_with, run_words};

fn collatz(mut n: u32) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[test]
fn if_else_and_a_guarded_store() {
    let text = kernel(
        ".reg .pred %p, %q; .reg .u32 %r;",
        "setp.lt.u32 %p, %t, 10;
         @%p bra LESS;
         mul.lo.u32 %r, %t, 3;
         bra DONE;
LESS:    add.u32 %r, %t, 100;
DONE:    and.b32 %t, %t, 1;
         setp.eq.u32 %q, %t, 1;
         @!%q add.u32 %r, %r, 1000;
         @%q st.global.u32 [%my], %r;
         @!%q st.global.u32 [%my], %r;
         ret;",
    );
    expect(&text, How { block: [45, 1, 1], ..How::default() }, 45, |t| {
        (if t < 10 { t + 100 } else { t * 3 }) + if t % 2 == 0 { 1000 } else { 0 }
    });
}

#[test]
fn loops_with_different_trip_counts_nested_in_ifs() {
    let text = kernel(
        ".reg .pred %p; .reg .u32 %x, %s, %b;",
        "add.u32 %x, %t, 1;
         mov.u32 %s, 0;
LOOP:    setp.eq.u32 %p, %x, 1;
         @%p bra OUT;
         and.b32 %b, %x, 1;
         setp.eq.u32 %p, %b, 0;
         @%p bra EVEN;
         mad.lo.u32 %x, %x, 3, 1;
         bra NEXT;
EVEN:    shr.u32 %x, %x, 1;
NEXT:    add.u32 %s, %s, 1;
         bra LOOP;
OUT:     st.global.u32 [%my], %s;
         ret;",
    );
    expect(&text, How { block: [128, 1, 1], ..How::default() }, 128, |t| collatz(t + 1));
}

#[test]
fn break_continue_and_early_return() {
    // for (i = 0; i < 50; i++) { if (i == t) break; if (i % 3 == 0) continue; s += i; if (s > 600)
    // return; }
    let text = kernel(
        ".reg .pred %p; .reg .u32 %i, %s, %m;",
        "mov.u32 %i, 0;
         mov.u32 %s, 0;
LOOP:    setp.ge.u32 %p, %i, 50;
         @%p bra OUT;
         setp.eq.u32 %p, %i, %t;
         @%p bra OUT;
         rem.u32 %m, %i, 3;
         setp.eq.u32 %p, %m, 0;
         @%p bra NEXT;
         add.u32 %s, %s, %i;
         setp.gt.u32 %p, %s, 600;
         @%p ret;
NEXT:    add.u32 %i, %i, 1;
         bra LOOP;
OUT:     st.global.u32 [%my], %s;
         ret;",
    );
    expect(&text, How { block: [64, 1, 1], ..How::default() }, 64, |t| {
        let mut s = 0;
        for i in 0..50 {
            if i == t {
                break;
            }
            if i % 3 == 0 {
                continue;
            }
            s += i;
            if s > 600 {
                return 0;
            }
        }
        s
    });
}

#[test]
fn irreducible_flow() {
    // Two loops that jump into each other; odd threads start at B.
    let text = kernel(
        ".reg .pred %p; .reg .u32 %i, %s, %m;",
        "mov.u32 %s, 0;
         add.u32 %i, %t, 5;
         and.b32 %m, %t, 1;
         setp.eq.u32 %p, %m, 1;
         @%p bra B;
A:       add.u32 %s, %s, %i;
         sub.u32 %i, %i, 1;
         setp.eq.u32 %p, %i, 0;
         @%p bra OUT;
B:       add.u32 %s, %s, 1000;
         setp.lt.u32 %p, %s, 20000;
         @%p bra A;
OUT:     st.global.u32 [%my], %s;
         ret;",
    );
    expect(&text, How::default(), 32, |t| {
        let (mut s, mut i, mut at_b) = (0, t + 5, t % 2 == 1);
        loop {
            if !at_b {
                s += i;
                i -= 1;
                if i == 0 {
                    return s;
                }
            }
            at_b = false;
            s += 1000;
            if s >= 20000 {
                return s;
            }
        }
    });
}

#[test]
fn indexed_branches() {
    let text = kernel(
        ".reg .u32 %m, %r;",
        "and.b32 %m, %t, 3;
TABLE:   .branchtargets A, B, C, B;
         brx.idx %m, TABLE;
A:       mov.u32 %r, 11;
         bra OUT;
B:       mov.u32 %r, 22;
         bra OUT;
C:       mov.u32 %r, 33;
OUT:     st.global.u32 [%my], %r;
         ret;",
    );
    expect(&text, How::default(), 32, |t| [11, 22, 33, 22][t as usize % 4]);
}

const FUNCTIONS: &str = "
.func (.param .u32 r) fib(.param .u32 n)
{
    .reg .pred %p; .reg .u32 %a, %b, %n;
    ld.param.u32 %n, [n];
    setp.lt.u32 %p, %n, 2;
    @%p bra SMALL;
    {
        .param .u32 x; .param .u32 y;
        sub.u32 %a, %n, 1;
        st.param.u32 [x], %a;
        call (y), fib, (x);
        ld.param.u32 %a, [y];
    }
    {
        .param .u32 x; .param .u32 y;
        sub.u32 %b, %n, 2;
        st.param.u32 [x], %b;
        call (y), fib, (x);
        ld.param.u32 %b, [y];
    }
    add.u32 %a, %a, %b;
    st.param.u32 [r], %a;
    ret;
SMALL:
    st.param.u32 [r], %n;
    ret;
}
.func (.param .u32 r) twice(.param .u32 n)
{
    .reg .u32 %n;
    ld.param.u32 %n, [n];
    shl.b32 %n, %n, 1;
    st.param.u32 [r], %n;
    ret;
}
.func (.reg .u32 %r) old(.reg .u32 %a, .reg .f32 %f)
{
    .reg .u32 %x;
    cvt.rzi.u32.f32 %x, %f;
    add.u32 %r, %a, %x;
    ret;
}
.global .u64 table[2] = { fib, twice };
";

#[test]
fn recursion_with_divergent_depths() {
    let text = kernel_with(
        FUNCTIONS,
        ".reg .pred %p; .reg .u32 %m, %r; .reg .f32 %f;",
        "and.b32 %m, %t, 7;
         mov.u32 %r, 0;
         setp.eq.u32 %p, %m, 3;
         @%p bra SKIP;
         {
             .param .u32 x; .param .u32 y;
             st.param.u32 [x], %m;
             call (y), fib, (x);
             ld.param.u32 %r, [y];
         }
SKIP:    mov.f32 %f, 0f41200000;
         call (%r), old, (%r, %f);
         st.global.u32 [%my], %r;
         ret;",
    );
    let fib = [0, 1, 1, 2, 3, 5, 8, 13];
    expect(&text, How { block: [40, 1, 1], ..How::default() }, 40, |t| {
        let m = t as usize % 8;
        10 + if m == 3 { 0 } else { fib[m] }
    });
}

#[test]
fn calls_through_registers_part_the_warp() {
    let text = kernel_with(
        FUNCTIONS,
        ".reg .pred %p; .reg .u32 %m, %r; .reg .u64 %f, %g;",
        "and.b32 %m, %t, 1;
         mul.wide.u32 %f, %m, 8;
         mov.u64 %g, table;
         add.u64 %f, %f, %g;
         ld.global.u64 %f, [%f];
         setp.eq.u32 %p, %t, 5;
         mov.u32 %r, 99;
         {
             .param .u32 x; .param .u32 y;
             add.u32 %m, %t, 2;
             rem.u32 %m, %m, 10;
             st.param.u32 [x], %m;
PROTO:       .callprototype (.param .u32 _) _ (.param .u32 _);
             @!%p call (y), %f, (x), PROTO;
             ld.param.u32 %m, [y];
             @!%p mov.u32 %r, %m;
         }
         st.global.u32 [%my], %r;
         ret;",
    );
    let fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34];
    expect(&text, How::default(), 32, |t| match t {
        5 => 99,
        t if t % 2 == 0 => fib[(t as usize + 2) % 10],
        t => (t + 2) % 10 * 2,
    });
}

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
fn a_lane_waits_for_what_a_later_one_does() {
    // Lane 0 polls a flag that lane 1 sets after the branch, in code executed by both.
    let text = kernel_with(
        ".global .u32 flag;",
        ".reg .pred %p; .reg .u32 %r; .reg .u64 %f;",
        "mov.u64 %f, flag;
         setp.ne.u32 %p, %t, 0;
         @%p bra SHARED;
POLL:    ld.volatile.global.u32 %r, [%f];
         setp.eq.u32 %p, %r, 0;
         @%p bra POLL;
SHARED:  st.volatile.global.u32 [%f], 1;
         st.global.u32 [%my], 5;
         ret;",
    );
    expect(&text, How::default(), 32, |_| 5);
}

#[test]
fn lanes_meet_again_after_a_branch() {
    // `activemask` after the branch shows that the warp has reconverged.
    let text = kernel(
        ".reg .pred %p; .reg .u32 %r, %m;",
        "and.b32 %m, %t, 5;
         setp.eq.u32 %p, %m, 1;
         @%p bra A;
         setp.eq.u32 %p, %m, 4;
         @%p bra B;
         bra C;
A:       add.u32 %m, %m, 1;
B:       add.u32 %m, %m, 1;
C:       activemask.b32 %r;
         st.global.u32 [%my], %r;
         ret;",
    );
    expect(&text, How::default(), 32, |_| u32::MAX);
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

#[test]
fn prototypes_and_aliases_lead_to_the_body() {
    let text = kernel_with(
        ".func (.param .u32 r) real(.param .u32 n);
         .func (.param .u32 r) other(.param .u32 n);
         .func (.param .u32 r) real(.param .u32 n)
         { .reg .u32 %n; ld.param.u32 %n, [n]; add.u32 %n, %n, 7; st.param.u32 [r], %n; ret; }
         .alias other, real;",
        ".reg .u32 %r;",
        "{ .param .u32 x; .param .u32 y; st.param.u32 [x], %t; call (y), other, (x); ld.param.u32 %r, [y]; }
         st.global.u32 [%my], %r;
         ret;",
    );
    expect(&text, How::default(), 32, |t| t + 7);
}
