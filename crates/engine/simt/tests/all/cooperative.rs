//! Cooperative launches: CTAs that wait for each other.

use crate::common::{Arg, How, kernel, kernel_with, load_text, run_words, words};
use texunit_simt::FaultKind;

/// The code of `grid.sync()` in cooperative groups: thread 0 of each CTA adds to the barrier in the
/// workspace and waits until its highest bit flips. `LABEL` makes the labels unique.
const SYNC: &str = "
    barrier.sync 0;
    mov.u32 %w, %tid.x;
    setp.ne.u32 %q, %w, 0;
    @%q bra DONE_LABEL;
    mov.u32 %w, %nctaid.x;
    sub.u32 %w, 0x80000001, %w;
    setp.eq.u32 %q, %cta, 0;
    selp.b32 %w, %w, 1, %q;
    atom.add.release.gpu.u32 %old, [%ws+4], %w;
WAIT_LABEL:
    ld.acquire.gpu.u32 %w, [%ws+4];
    xor.b32 %w, %w, %old;
    setp.gt.s32 %q, %w, -1;
    @%q bra WAIT_LABEL;
DONE_LABEL:
    barrier.sync 0;
";

/// Each of two times, every CTA adds its number, all synchronise, and every CTA reads the sum.
fn program() -> String {
    let sync = |label: &str| SYNC.replace("LABEL", label);
    let body = format!(
        "mov.u32 %lo, %envreg2; mov.u32 %hi, %envreg1;
         mov.b64 %ws, {{%lo, %hi}};
         ld.global.u32 %v, [%ws];
         setp.ne.u32 %q, %v, 16;
         @%q trap;
         mov.u32 %w, %tid.x;
         setp.ne.u32 %q, %w, 0;
         @!%q red.global.add.u32 [sum], %cta;
         {}
         ld.global.u32 %v, [sum];
         {}
         mov.u32 %w, %tid.x;
         setp.ne.u32 %q, %w, 0;
         @!%q red.global.add.u32 [sum], 1;
         {}
         ld.global.u32 %lo, [sum];
         mad.lo.u32 %v, %lo, 1000, %v;
         st.global.u32 [%my], %v;
         ret;",
        sync("1"),
        sync("2"),
        sync("3")
    );
    kernel_with(
        ".global .u32 sum;",
        ".reg .u32 %v, %w, %old, %lo, %hi; .reg .u64 %ws; .reg .pred %q;",
        &body,
    )
}

#[test]
fn grids_synchronise() {
    for (grid, threads) in [(1, 1), (7, 1), (40, 2), (300, 3)] {
        let how = How {
            grid: [grid, 1, 1],
            block: [64, 1, 1],
            threads,
            cooperative: true,
            ..How::default()
        };
        let got = run_words(&program(), how, grid as usize * 64);
        let first = grid * (grid - 1) / 2;
        assert_eq!(got, vec![(first + grid) * 1000 + first; grid as usize * 64], "{grid}");
    }
}

#[test]
fn faults_and_endless_waits_end_the_launch() {
    let text = kernel(
        ".reg .pred %q;",
        "setp.eq.u32 %q, %cta, 3;
         @%q trap;
LOOP:    bra LOOP;",
    );
    let loaded = load_text(&text);
    let how = How { grid: [8, 1, 1], threads: 2, cooperative: true, ..How::default() };
    let fault = loaded.run("k", how, &[Arg::U64(0)]).unwrap_err();
    assert_eq!((fault.kind, fault.cta), (FaultKind::Trap { message: None }, [3, 0, 0]));
    let how = How { max_steps: 100_000, ..how };
    let endless = load_text(&kernel("", "LOOP: bra LOOP;"));
    let fault = endless.run("k", how, &[Arg::U64(0)]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::StepLimit { limit: 100_000 });
    assert_eq!(fault.cta, [0, 0, 0]);
}

#[test]
fn the_reserved_shared_memory_is_apart_and_zero() {
    let text = kernel(
        ".shared .align 4 .b8 s[100]; .reg .u32 %v, %w, %a; .reg .pred %q;",
        "mov.u32 %a, %reserved_smem_offset_1;
         mov.u32 %w, s;
         add.u32 %w, %w, 100;
         setp.lt.u32 %q, %a, %w;
         @%q trap;
         mov.u32 %v, %total_smem_size;
         ld.shared.u32 %w, [%a+284];
         add.u32 %v, %v, %w;
         bar.sync 0;
         st.shared.u32 [%a+284], 9;
         st.global.u32 [%my], %v;
         ret;",
    );
    let how = How { grid: [2, 1, 1], ..How::default() };
    assert_eq!(run_words(&text, how, 64), [100; 64]);
    let loaded = load_text(&text);
    let (out, block) = loaded.buffer(64);
    loaded.run("k", How { dynamic_shared: 30, ..how }, &[Arg::U64(out)]).unwrap();
    assert_eq!(words(&block), [130; 64]);
}
