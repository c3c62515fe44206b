//! Barriers of CTAs and warps, deadlocks, step limits, cancelling.

use crate::common::{How, kernel, kernel_with, load_text, run_fault, run_words};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use texunit_simt::{FaultKind, LaunchConfig};

fn block(x: u32) -> How {
    How { block: [x, 1, 1], ..How::default() }
}

/// A warp counts as arrived when all its lanes that have not exited have arrived, on whatever path.
#[test]
fn counted_barriers_and_lanes_that_exit() {
    for late in [false, true] {
        let text = kernel(
            ".shared .u32 s[4]; .reg .pred %p, %q; .reg .u32 %v, %l, %a;",
            &format!(
                "mov.u32 %l, %laneid;
                 setp.ge.u32 %p, %l, 24;
                 {}
                 setp.lt.u32 %q, %l, 8;
                 @%q bra LOW;
                 st.shared.u32 [s], 5;
                 barrier.sync 1, 64;
                 bra DONE;
LOW:             st.shared.u32 [s+4], 7;
                 barrier.sync 1, 64;
DONE:            ld.shared.u32 %v, [s];
                 ld.shared.u32 %a, [s+4];
                 add.u32 %v, %v, %a;
                 st.global.u32 [%my], %v;
                 ret;
WAIT:            ld.volatile.shared.u32 %v, [s+4];
                 setp.eq.u32 %q, %v, 0;
                 @%q bra WAIT;
                 exit;",
                if late { "@%p bra WAIT;" } else { "@%p exit;" }
            ),
        );
        let got = run_words(&text, block(64), 64);
        let wanted = |t| if t % 32 < 24 { 12 } else { 0 };
        assert_eq!(got, (0..64).map(wanted).collect::<Vec<u32>>());
    }
}

#[test]
fn a_deadlock_says_who_waits_where() {
    let text = kernel(
        ".reg .pred %p;",
        "setp.lt.u32 %p, %t, 8;
         @%p bra OTHER;
         bar.sync 1;
         ret;
OTHER:   bar.sync 2;
         ret;",
    );
    let (fault, line) = run_fault(&text, block(64), 64);
    let FaultKind::Deadlock { waiting } = &fault.kind else { panic!("{fault:?}") };
    assert!(
        waiting.contains("56 threads wait at line") && waiting.contains("8 threads wait"),
        "{waiting}"
    );
    assert!(
        waiting.contains("`bar.sync 1;`") && waiting.contains("barrier 2 (8 of 64"),
        "{waiting}"
    );
    assert!(line.contains("bar.sync"));

    let text = kernel(
        ".reg .pred %p;",
        "setp.lt.u32 %p, %t, 8;
         @%p bra OTHER;
         bar.warp.sync 0xffffffff;
         ret;
OTHER:   bar.sync 2;
         ret;",
    );
    let (fault, _) = run_fault(&text, block(32), 32);
    let FaultKind::Deadlock { waiting } = &fault.kind else { panic!("{fault:?}") };
    assert!(waiting.contains("lanes of the membermask"), "{waiting}");
}

#[test]
fn the_step_limit() {
    let text = kernel(".reg .pred %p;", "L: bra L;\n ret;");
    let how = How { max_steps: 1000, ..How::default() };
    let (fault, line) = run_fault(&text, how, 32);
    assert_eq!(fault.kind, FaultKind::StepLimit { limit: 1000 });
    assert_eq!(line, "L: bra L;");
    // The launch ends with a fault, because no other agent could change the memory that the threads
    // poll.
    let text = kernel_with(
        ".global .u32 flag;",
        ".reg .pred %p; .reg .u32 %v;",
        "L: ld.volatile.global.u32 %v, [flag];
         setp.eq.u32 %p, %v, 0;
         @%p bra L;
         ret;",
    );
    let (fault, _) = run_fault(&text, How { max_steps: 50_000, ..How::default() }, 32);
    assert!(matches!(fault.kind, FaultKind::Deadlock { .. }), "{:?}", fault.kind);
}

/// A clock that advances by one second in each thread with each call.
fn clock() -> Duration {
    thread_local!(static ASKED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });
    Duration::from_secs(ASKED.replace(ASKED.get() + 1))
}

#[test]
fn cancelling_and_progress() {
    let loaded = load_text(&kernel("", "ret;"));
    let (address, _) = loaded.buffer(1);
    let id = loaded.program.kernel("k").unwrap();
    let map = loaded.memory.map();
    let (cancel, progress) = (AtomicBool::new(false), AtomicU64::new(0));
    let params = address.to_le_bytes();
    let mut config = LaunchConfig {
        params: &params,
        ..LaunchConfig::new([5, 2, 3], [1; 3], &map, &loaded.descriptors)
    };
    config.options.threads = 2;
    (config.options.progress, config.options.cancel) = (Some(&progress), Some(&cancel));
    texunit_simt::launch(&loaded.program, id, &config).unwrap();
    assert_eq!(progress.load(std::sync::atomic::Ordering::Relaxed), 30);
    // CPU time is the time of the clock, summed over the workers.
    for (threads, cooperative, expected) in [(2, false, 2), (1, false, 1), (1, true, 1)] {
        (config.options.threads, config.options.cooperative) = (threads, cooperative);
        let without = texunit_simt::launch(&loaded.program, id, &config).unwrap();
        config.options.cpu_clock = Some(clock);
        let stats = texunit_simt::launch(&loaded.program, id, &config).unwrap();
        config.options.cpu_clock = None;
        assert_eq!(without.cpu_time, Duration::ZERO);
        assert_eq!(stats.cpu_time, Duration::from_secs(expected));
    }
    (config.options.threads, config.options.cooperative) = (2, false);
    config.options.progress = None;
    cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    let fault = texunit_simt::launch(&loaded.program, id, &config).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Cancelled);
}

#[test]
fn barriers_with_bad_operands() {
    let (fault, line) = run_fault(
        &kernel(".reg .u32 %b;", "add.u32 %b, %n, 0;\n bar.sync %b;\n ret;"),
        block(33),
        33,
    );
    assert!(matches!(fault.kind, FaultKind::BadOperand(ref m) if m.contains("barrier 33")));
    assert_eq!(line, "bar.sync %b;");
    let text = kernel(".reg .u32 %b;", "add.u32 %b, %n, 0;\n bar.sync 1, %b;\n ret;");
    let (fault, _) = run_fault(&text, block(33), 33);
    assert!(matches!(fault.kind, FaultKind::BadOperand(ref m) if m.contains("33 threads")));
}

/// The limit is checked at branches and barriers, because code without them ends anyway.
#[test]
fn kernels_that_end_exactly_at_the_limit() {
    let body = "add.u32 %t, %t, 1;\n".repeat(100) + "st.global.u32 [%my], %t;\nret;";
    let text = kernel("", &body);
    for max_steps in [1, 108, 109, 1000] {
        let got = run_words(&text, How { max_steps, ..How::default() }, 32);
        assert_eq!(got, (100..132).collect::<Vec<u32>>(), "{max_steps}");
    }
    // Turns of a warp end at arbitrary places.
    let text = kernel(
        ".reg .pred %p; .reg .u32 %i;",
        "mov.u32 %i, 0;
         L: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 40000; @%p bra L;
         bar.sync 0; st.global.u32 [%my], %i; ret;",
    );
    // Each warp executes eight instructions before the loop, 40,000 iterations of three, and three
    // after it.
    let limited = |max_steps| How { max_steps, ..block(128) };
    assert_eq!(run_words(&text, limited(8 + 120_000 + 3), 128), [40_000; 128]);
    for max_steps in [1000, 8 + 120_000 - 3, 8 + 120_000] {
        let (fault, _) = run_fault(&text, limited(max_steps), 128);
        assert_eq!(fault.kind, FaultKind::StepLimit { limit: max_steps });
    }
}
