//! Tests of launches whose loops wait: for later CTAs, for the host, or in vain.

use crate::common::{Arg, How, Loaded, kernel, load_text, words};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use texunit_memory::Block;
use texunit_simt::{ExternalWriters, Fault, FaultKind, LaunchStats, Verdict, WaitingLoop};

/// The kernel around `body`, with the address of the first word in %flag, and %r1 to %r8 and %p
/// free.
fn text(body: &str) -> String {
    let text = kernel(
        ".reg .pred %p; .reg .u32 %r<9>; .reg .u64 %flag, %q; .shared .u32 s;",
        &format!("mov.u64 %flag, %out; {body}\nret;"),
    );
    text.replace("sm_80", "sm_90").replace(".version 8.0", ".version 8.6")
}

const FLAG: &str = "L: ld.volatile.u32 %r1, [%flag]; setp.eq.u32 %p, %r1, 0; @%p bra L;";

/// Sets a word whenever the launch waits, once for each given value, and when it first may wait.
#[derive(Debug)]
struct Setter {
    block: Arc<Block>,
    values: Mutex<Vec<u32>>,
    waits: AtomicU64,
    may_wait: AtomicU64,
    went_on: AtomicU64,
    loops: Mutex<Vec<WaitingLoop>>,
}

#[derive(Debug)]
struct Shared(Arc<Setter>);

impl ExternalWriters for Shared {
    fn wait(&self, polls: u64, loops: &[WaitingLoop]) -> Verdict {
        assert!(polls >= 2);
        let own = &self.0;
        own.waits.fetch_add(1, Relaxed);
        *own.loops.lock().unwrap() = loops.to_vec();
        match own.values.lock().unwrap().pop() {
            Some(value) => own.block.store_u32(0, value).unwrap(),
            None => return Verdict::End("all values are used".to_owned()),
        }
        Verdict::Wait
    }

    fn may_wait(&self) {
        self.0.may_wait.fetch_add(1, Relaxed);
        if let Some(value) = self.0.values.lock().unwrap().pop() {
            self.0.block.store_u32(0, value).unwrap();
        }
    }

    fn resumed(&self) {
        self.0.went_on.fetch_add(1, Relaxed);
    }
}

/// Runs a kernel while an external writer sets the first word to these values in turn.
fn run(
    body: &str,
    how: How,
    values: &[u32],
) -> (Result<LaunchStats, Box<Fault>>, Vec<u32>, Arc<Setter>) {
    let mut loaded: Loaded = load_text(&text(body));
    let (address, block) = loaded.buffer(256);
    let setter = Arc::new(Setter {
        block: Arc::clone(&block),
        values: Mutex::new(values.iter().rev().copied().collect()),
        waits: AtomicU64::new(0),
        may_wait: AtomicU64::new(0),
        went_on: AtomicU64::new(0),
        loops: Mutex::default(),
    });
    loaded.external_writers = Some(Box::new(Shared(Arc::clone(&setter))));
    let result = loaded.run("k", how, &[Arg::U64(address)]);
    (result, words(&block), setter)
}

/// Each CTA waits until the word contains its number, beginning with the last CTA.
const LATER_CTAS_FIRST: &str =
    "mov.u32 %r2, %nctaid.x; sub.u32 %r2, %r2, %cta; sub.u32 %r2, %r2, 1;
    L: ld.acquire.gpu.u32 %r1, [%flag]; setp.ne.u32 %p, %r1, %r2; @%p bra L;
    mul.wide.u32 %q, %cta, 4; add.u64 %q, %q, %flag; st.u32 [%q+4], %r1;
    add.u32 %r1, %r1, 1; st.release.gpu.u32 [%flag], %r1;";

fn each_way(mut test: impl FnMut(How)) {
    for (threads, jit) in [
        (1, texunit_simt::JitMode::Off),
        (1, texunit_simt::JitMode::Always),
        (3, texunit_simt::JitMode::Off),
    ] {
        test(How { threads, jit: Some(jit), ..How::default() });
    }
}

#[test]
fn a_flag_that_somebody_sets() {
    let mut counts = Vec::new();
    each_way(|how| {
        let body = format!("{FLAG} st.u32 [%my+128], %r1;");
        let how = How { grid: [2, 1, 1], block: [40, 1, 1], ..how };
        let (stats, words, setter) = run(&body, how, &[0, 7]);
        let stats = stats.unwrap();
        assert_eq!(words[32..112], [7; 80]);
        assert!(setter.went_on.load(Relaxed) >= 1);
        let loops = setter.loops.lock().unwrap();
        assert!(
            !loops.is_empty() && loops.iter().all(|l| l.kernel == "k" && l.threads == 40),
            "{loops:?}"
        );
        assert_eq!((loops[0].polls[0].size, loops[0].polls[0].value), (4, Some(0)));
        counts.push(stats.warp_instructions);
    });
    // The number of polls is not counted in the statistics, because it depends on timing.
    assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() < 200, "{counts:?}");
}

#[test]
fn nobody_else_is_there() {
    for cooperative in [false, true] {
        each_way(|how| {
            let loaded = load_text(&text(FLAG));
            let (address, _) = loaded.buffer(64);
            let how = How { grid: [3, 1, 1], cooperative, ..how };
            let fault = loaded.run("k", how, &[Arg::U64(address)]).unwrap_err();
            let FaultKind::Deadlock { waiting } = &fault.kind else { panic!("{:?}", fault.kind) };
            for words in [
                "32 threads of CTA (0, 0, 0) wait in a loop at line ",
                "for a change of 4 bytes at 0x",
                ", which hold 0x0 in `buffer` (256 bytes",
                "; nobody else is there",
            ] {
                assert!(waiting.contains(words), "{words}: {waiting}");
            }
            assert_eq!(fault.cta, [0; 3]);
        });
    }
}

#[test]
fn somebody_ends_it() {
    let (result, _, setter) = run(FLAG, How::default(), &[0, 0, 0]);
    let fault = result.unwrap_err();
    assert!(
        matches!(&fault.kind, FaultKind::Deadlock { waiting } if waiting.ends_with("; all values are used"))
    );
    // Three values, and the end until the worker has polled twice after its first answer.
    assert_eq!((setter.waits.load(Relaxed), setter.went_on.load(Relaxed)), (6, 0));
}

/// What loops do beside a load, without which their state recurs.
const BESIDE: [&str; 4] = [
    "",
    "add.u32 %r3, %r3, 1;",
    "mov.u64 %q, %globaltimer; nanosleep.u32 20;",
    "mov.u64 %q, %clock64; add.u32 %r3, %r3, 1; setp.eq.u32 %p, %r3, 0x40000000; @%p trap;",
];

/// Loops whose state does not recur, because they count, read a clock, or store a heartbeat.
#[test]
fn loops_that_may_wait() {
    let heartbeat = "red.global.add.u32 [%my+128], 1;";
    for beside in BESIDE[1..].iter().chain([&heartbeat]) {
        each_way(|how| {
            let body = format!("mov.u32 %r3, 0; {}", FLAG.replace("L:", &format!("L: {beside}")));
            let how = How { grid: [2, 1, 1], block: [1, 1, 1], max_steps: 1 << 30, ..how };
            let (stats, _, setter) = run(&body, how, &[7]);
            stats.unwrap();
            assert!(setter.may_wait.load(Relaxed) >= 1, "{beside}");
            assert_eq!(setter.waits.load(Relaxed), 0, "{beside}");
        });
    }
}

/// [`LATER_CTAS_FIRST`] with such loops.
fn later_ctas_first(beside: &str) -> String {
    format!("mov.u32 %r3, 0; {}", LATER_CTAS_FIRST.replace("L:", &format!("L: {beside}")))
}

#[test]
fn ctas_that_wait_for_later_ones() {
    for beside in BESIDE {
        each_way(|how| {
            let how = How { grid: [4, 1, 1], block: [1, 1, 1], max_steps: 1 << 30, ..how };
            let (stats, words, setter) = run(&later_ctas_first(beside), how, &[]);
            stats.unwrap();
            assert_eq!(words[..5], [4, 3, 2, 1, 0], "{beside}");
            assert_eq!(setter.waits.load(Relaxed), 0);
        });
    }
}

#[test]
fn in_a_random_order() {
    for seed in 1..6 {
        let how = |ctas, threads| How {
            grid: [ctas, 1, 1],
            block: [threads, 1, 1],
            schedule: Some(seed),
            max_steps: 1 << 24,
            ..How::default()
        };
        // More CTAs than can be resident: the first ones wait for some that have not begun.
        let (stats, words, _) = run(LATER_CTAS_FIRST, how(50, 1), &[]);
        stats.unwrap();
        assert_eq!(words[..51], std::iter::once(50).chain((0..50).rev()).collect::<Vec<u32>>());
        // Warps that poll at different times.
        let (result, _, setter) = run(FLAG, how(3, 256), &[0, 0, 0]);
        let fault = result.unwrap_err();
        assert!(
            matches!(&fault.kind, FaultKind::Deadlock { waiting } if waiting.contains("256 threads"))
        );
        assert_eq!(setter.went_on.load(Relaxed), 0);
    }
}

#[test]
fn what_does_something_does_not_wait() {
    let long = [
        // A counter in memory that only the loop's condition reads.
        "L: red.add.u32 [%flag], 1; ld.volatile.u32 %r1, [%flag]; mov.u32 %r2, %r1; mov.u32 %r1, 0;
         setp.lt.u32 %p, %r2, 50000; mov.u32 %r2, 0; @%p bra L;",
        // A counter in a register.
        "mov.u32 %r2, 0; L: ld.volatile.u32 %r1, [%flag]; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 50000; @%p bra L;",
        // A counter in local memory, and one in shared memory.
        ".local .u32 n; mov.u32 %r2, 0; st.local.u32 [n], %r2; L: ld.volatile.u32 %r1, [%flag];
         ld.local.u32 %r2, [n]; add.u32 %r2, %r2, 1; st.local.u32 [n], %r2; setp.lt.u32 %p, %r2, 50000;
         mov.u32 %r2, 0; @%p bra L;",
        "mov.u32 %r2, 0; st.shared.u32 [s], %r2; L: atom.shared.add.u32 %r2, [s], 1;
         setp.lt.u32 %p, %r2, 50000; mov.u32 %r2, 0; @%p bra L;",
    ];
    for body in long {
        each_way(|how| {
            let (stats, _, setter) = run(body, How { block: [1, 1, 1], ..how }, &[]);
            stats.unwrap();
            assert_eq!(setter.waits.load(Relaxed), 0, "{body}");
        });
    }
}

/// All threads of a CTA wait for one that polls, and lanes for each other.
#[test]
fn barriers_and_divided_warps() {
    let first = format!(
        "mov.u32 %r3, %tid.x; setp.ne.u32 %p, %r3, 5; @%p bra B; {FLAG} B: bar.sync 0; st.u32 [%my+4], %r3;"
    );
    let both = "mov.u32 %r3, %tid.x; and.b32 %r4, %r3, 1; setp.eq.u32 %p, %r4, 0; @%p bra E;
        L: ld.volatile.u32 %r1, [%flag]; setp.lt.u32 %p, %r1, 1; @%p bra L; bra D;
        E: ld.volatile.u32 %r1, [%flag]; setp.lt.u32 %p, %r1, 2; @%p bra E; D: st.u32 [%my+4], %r3;";
    for body in [&*first, both] {
        each_way(|how| {
            let (stats, words, setter) = run(body, How { block: [96, 1, 1], ..how }, &[1, 2]);
            stats.unwrap();
            assert_eq!(words[1..97], (0..96).collect::<Vec<u32>>());
            assert!(setter.waits.load(Relaxed) >= 1);
        });
    }
}

/// A grid in which one CTA waits for the host, and the others wait for that CTA.
#[test]
fn a_cooperative_grid() {
    let body = format!(
        "setp.ne.u32 %p, %cta, 0; @%p bra W; {FLAG} st.u32 [%flag+4], %r1;
         W: ld.volatile.u32 %r1, [%flag+4]; setp.eq.u32 %p, %r1, 0; @%p bra W; st.u32 [%my+8], %r1;"
    );
    each_way(|how| {
        let how = How { grid: [5, 1, 1], block: [1, 1, 1], cooperative: true, ..how };
        let (stats, words, setter) = run(&body, how, &[0, 9]);
        stats.unwrap();
        assert_eq!(words[1..7], [9; 6]);
        assert!(setter.went_on.load(Relaxed) >= 1);
    });
}

/// CTA 0 of each cluster waits for the flag, and CTA 1 for CTA 0.
const CLUSTER: &str = "mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, 0; st.shared.u32 [s], %r3;
    barrier.cluster.arrive; barrier.cluster.wait; setp.ne.u32 %p, %r2, 0;";
/// The code with which CTA 0 notifies CTA 1, and with which CTA 1 waits for it.
const TELLS: [(&str, &str); 3] = [
    ("", ""),
    (
        "mov.u32 %r4, s; mapa.shared::cluster.u32 %r4, %r4, 1; st.shared::cluster.u32 [%r4], %r1;",
        "W: ld.volatile.shared.u32 %r1, [s]; setp.eq.u32 %p, %r1, 0; @%p bra W;",
    ),
    (
        "st.volatile.shared.u32 [s], %r1;",
        "mov.u32 %r4, s; mapa.shared::cluster.u32 %r4, %r4, 0;
         W: ld.volatile.shared::cluster.u32 %r1, [%r4]; setp.eq.u32 %p, %r1, 0; @%p bra W;",
    ),
];

fn cluster(flag: &str, (tell, wait): (&str, &str)) -> String {
    format!(
        "{CLUSTER} @%p bra B; {flag} {tell} bra E; B: {wait} E: barrier.cluster.arrive; barrier.cluster.wait;
         st.u32 [%my+8], %r2;"
    )
}

fn in_clusters(mut test: impl FnMut(How)) {
    let (grid, block, cluster) = ([6, 1, 1], [1, 1, 1], Some([2, 1, 1]));
    let pairs = How { grid, block, cluster, max_steps: 1 << 24, ..How::default() };
    each_way(|how| {
        let how = How { threads: how.threads, jit: how.jit, ..pairs };
        test(how);
        test(How { cooperative: true, ..how });
    });
    test(How { schedule: Some(3), ..pairs });
}

#[test]
fn clusters_wait_for_the_host() {
    for tells in TELLS {
        in_clusters(|how| {
            // Each of the workers may ask before it has seen the value.
            let (stats, words, setter) = run(&cluster(FLAG, tells), how, &[0, 9, 9, 9, 9, 9]);
            stats.unwrap();
            assert_eq!(words[2..8], [0, 1, 0, 1, 0, 1]);
            assert!(setter.went_on.load(Relaxed) >= 1);
        });
    }
}

#[test]
fn clusters_wait_in_vain() {
    for (i, tells) in TELLS.into_iter().enumerate() {
        in_clusters(|how| {
            let loaded = load_text(&text(&cluster(FLAG, tells)));
            let (address, _) = loaded.buffer(64);
            let fault = loaded.run("k", how, &[Arg::U64(address)]).unwrap_err();
            let FaultKind::Deadlock { waiting } = &fault.kind else { panic!("{:?}", fault.kind) };
            let shared = [None, Some(1), Some(0)][i];
            let shared =
                shared.map(|rank| format!(" in shared memory of CTA {rank} of the cluster"));
            for words in ["in `buffer` (256 bytes", shared.as_deref().unwrap_or("")] {
                assert!(waiting.contains(words), "{words}: {waiting}");
            }
        });
    }
}

#[test]
fn clusters_wait_for_later_ones() {
    for beside in BESIDE {
        let first = later_ctas_first(beside);
        let later = format!("{first} barrier.cluster.arrive; barrier.cluster.wait;");
        in_clusters(|how| {
            let (stats, words, _) = run(&later, how, &[]);
            stats.unwrap();
            assert_eq!(words[..7], [6, 5, 4, 3, 2, 1, 0], "{beside}");
        });
    }
}
