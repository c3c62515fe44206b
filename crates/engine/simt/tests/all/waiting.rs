//! Tests that warps in waiting loops let the other warps of their CTA run, measured in
//! instructions: a warp that waits for its whole turn executes thousands of them each time.

use crate::common::{Arg, How, kernel, load_text, words};

const WARPS: u32 = 32;

/// The warps of a CTA pass a token from the last one to the first: each executes `wait` until the
/// token has its number in %me, counted from the last, and then `pass`. They store the order in
/// which they had the token. Returns the number of instructions executed by all warps.
fn passed_on(init: &str, wait: &str, pass: &str) -> u64 {
    let text = kernel(
        ".reg .pred %p, %q; .reg .u32 %v, %i, %w, %me, %old, %lane, %at; .reg .u64 %token, %flag;
         .shared .align 8 .b64 s[33]; .shared .u32 order;",
        &format!(
            "shr.u32 %w, %t, 5;
             and.b32 %lane, %t, 31;
             sub.u32 %me, {last}, %w;
             mov.u32 %i, 0;
             setp.ne.u32 %q, %t, 0;
             mov.u32 %old, s;
             @%q bra READY;
             st.shared.u32 [order], 0;
             st.shared.u64 [s], 0;
             {init}
READY:       bar.sync 0;
             {wait}
             bar.warp.sync -1;
             setp.ne.u32 %q, %lane, 0;
             @%q bra DONE;
             atom.shared.add.u32 %v, [order], 1;
             mul.wide.u32 %flag, %w, 4;
             add.u64 %flag, %flag, %out;
             st.global.u32 [%flag], %v;
             {pass}
DONE:        ret;",
            last = WARPS - 1,
        ),
    )
    // `mbarrier.try_wait` requires sm_90.
    .replace(".target sm_80", ".target sm_90");
    let loaded = load_text(&text);
    let (address, block) = loaded.buffer(WARPS as usize + 1);
    let how = How { block: [32 * WARPS, 1, 1], max_steps: 100_000_000, ..How::default() };
    let stats = loaded
        .run("k", how, &[Arg::U64(address)])
        .unwrap_or_else(|fault| panic!("{wait}: {fault:?} at {}", loaded.line(&fault)));
    let order: Vec<u32> = (0..WARPS).rev().collect();
    assert_eq!(words(&block)[..WARPS as usize], order, "{wait}");
    stats.warp_instructions
}

/// Little more than the polls of 31 warps for 32 tokens.
const FEW: u64 = 60_000;

#[test]
fn loops_that_look_at_memory() {
    let pass = "add.u32 %i, %me, 1; st.volatile.shared.u32 [s], %i;";
    for look in [
        "ld.volatile.shared.u32 %v, [s];",
        "ld.relaxed.cta.shared.u32 %v, [s];",
        "ld.shared.u32 %v, [s];",
        "atom.shared.or.b32 %v, [s], 0;",
        "atom.shared.cas.b32 %v, [s], 99, 99;",
    ] {
        let wait = format!("SPIN: {look} setp.ne.u32 %p, %v, %me; @%p bra SPIN;");
        let executed = passed_on("", &wait, pass);
        assert!(executed < FEW, "{look}: {executed}");
    }
    // The token is in global memory, after the numbers of the warps.
    let wait = "add.u64 %token, %out, 128;
                SPIN: ld.acquire.gpu.global.u32 %v, [%token]; setp.ne.u32 %p, %v, %me; @%p bra SPIN;";
    let pass = "add.u32 %i, %me, 1; st.release.gpu.global.u32 [%token], %i;";
    let executed = passed_on("", wait, pass);
    assert!(executed < FEW, "global: {executed}");
}

#[test]
fn loops_that_sleep() {
    let pass = "add.u32 %i, %me, 1; st.volatile.shared.u32 [s], %i;";
    let wait = "SPIN: ld.volatile.shared.u32 %v, [s]; setp.eq.u32 %p, %v, %me; @%p bra GO;
                add.u32 %i, %i, 1; nanosleep.u32 %i; bra SPIN; GO:";
    let executed = passed_on("", wait, pass);
    assert!(executed < FEW, "{executed}");
}

/// Each warp has an mbarrier, at which the next warp arrives.
#[test]
fn loops_that_test_an_mbarrier() {
    let init = "mov.u32 %at, 0;
                MORE: mbarrier.init.shared.b64 [%old], 1;
                add.u32 %old, %old, 8; add.u32 %at, %at, 1;
                setp.lt.u32 %p, %at, 33; @%p bra MORE;
                mbarrier.arrive.shared.b64 _, [s+256];";
    let pass = "mbarrier.arrive.shared.b64 _, [%at];";
    for test in ["test_wait.parity", "try_wait.parity"] {
        let wait = format!(
            "shl.b32 %at, %w, 3; mov.u32 %v, s; add.u32 %at, %at, %v;
             SPIN: add.u32 %i, %i, 1;
             mbarrier.{test}.shared.b64 %p, [%at+8], 0;
             @!%p bra SPIN;"
        );
        let executed = passed_on(init, &wait, pass);
        assert!(executed < FEW, "{test}: {executed}");
    }
}

/// A loop that counts its atomics looks like one that does something; its turns are shorter all the
/// same.
#[test]
fn loops_that_count_atomics() {
    let pass = "add.u32 %i, %me, 1; st.volatile.shared.u32 [s], %i;";
    let wait = "SPIN: atom.shared.or.b32 %v, [s], 0; add.u32 %i, %i, 1;
                setp.ne.u32 %p, %v, %me; @%p bra SPIN;";
    let executed = passed_on("", wait, pass);
    assert!(executed < 600_000, "{executed}");
}

/// A lane of a warp waits for another one of it, and for another warp, whoever comes first.
#[test]
fn lanes_that_wait_inside_of_a_warp() {
    let text = kernel(
        ".reg .pred %p, %q; .reg .u32 %v, %lane; .shared .u32 s[64];",
        "and.b32 %lane, %t, 31;
         setp.ge.u32 %p, %t, 64;
         @%p bra READY;
         mul.lo.u32 %v, %t, 4;
         mov.u32 %lane, s;
         add.u32 %v, %v, %lane;
         st.shared.u32 [%v], 0;
READY:   bar.sync 0;
         and.b32 %lane, %t, 31;
         setp.ne.u32 %p, %lane, 3;
         @%p bra OTHERS;
SPIN:    ld.volatile.shared.u32 %v, [s];
         setp.eq.u32 %p, %v, 0;
         @%p bra SPIN;
         st.global.u32 [%my], %v;
         bra DONE;
OTHERS:  setp.ne.u32 %p, %t, 95;
         @%p bra DONE;
         st.volatile.shared.u32 [s], 17;
DONE:    ret;",
    );
    let loaded = load_text(&text);
    let (address, block) = loaded.buffer(96);
    let how = How { block: [96, 1, 1], ..How::default() };
    let stats = loaded.run("k", how, &[Arg::U64(address)]).unwrap();
    let wanted: Vec<u32> = (0..96).map(|t| if t % 32 == 3 { 17 } else { 0 }).collect();
    assert_eq!(words(&block), wanted);
    assert!(stats.warp_instructions < 5_000, "{}", stats.warp_instructions);
}
