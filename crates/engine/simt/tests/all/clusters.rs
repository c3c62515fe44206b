//! Tests of clusters: special registers, access to other CTAs' shared memory, `barrier.cluster`,
//! bulk and asynchronous copies.

use crate::common::{How, kernel, run_fault, run_words};
use texunit_simt::{FaultKind, JitMode};

const REGISTERS: &str = ".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;
    .reg .u32 %a, %b, %c, %v, %w, %rank; .reg .u64 %g, %h; .reg .pred %q, %p; .reg .b16 %mask;
    mov.u32 %rank, %cluster_ctarank;";

fn hopper(body: &str) -> String {
    kernel(REGISTERS, body).replace("sm_80", "sm_90").replace(".version 8.0", ".version 8.6")
}

/// The scheduling modes of a launch.
fn ways(how: How) -> Vec<How> {
    let mut all = vec![
        how,
        How { threads: 3, ..how },
        How { cooperative: true, threads: 2, ..how },
        How { jit: Some(JitMode::Always), ..how },
    ];
    all.extend((1..6).map(|seed| How { schedule: Some(seed), ..how }));
    all
}

fn pairs() -> How {
    How { grid: [4, 1, 1], cluster: Some([2, 1, 1]), ..How::default() }
}

/// Runs a kernel with pairs of CTAs in every scheduling mode, and returns the stored words, which
/// must always be equal.
fn of_pairs(body: &str) -> Vec<u32> {
    same_in_every_mode(&hopper(body))
}

fn same_in_every_mode(text: &str) -> Vec<u32> {
    let all: Vec<_> = ways(pairs()).into_iter().map(|how| run_words(text, how, 128)).collect();
    assert!(all.iter().all(|words| *words == all[0]), "{all:?}");
    all[0].clone()
}

#[test]
fn registers_say_where_a_cta_is() {
    let read = |register: &str| {
        let text = hopper(&format!("mov.u32 %v, {register}; st.global.u32 [%my], %v; ret;"));
        // `%t` counts along x alone, so the output position of a CTA follows from its number.
        let text = text.replace("mov.u32 %v", "mov.u32 %a, %ctaid.y; mov.u32 %v");
        let text = text.replace(
            "st.global.u32 [%my]",
            "mad.lo.u32 %a, %a, 128, 0; cvt.u64.u32 %g, %a; shl.b64 %g, %g, 2; add.u64 %my, %my, %g;
             st.global.u32 [%my]",
        );
        let cluster = Some([2, 2, 1]);
        let how = How { grid: [4, 4, 1], cluster, ..How::default() };
        let words = run_words(&text, how, 512);
        (0..16).map(|cta| words[cta * 32]).collect::<Vec<_>>()
    };
    assert_eq!(read("%clusterid.x"), [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]);
    assert_eq!(read("%clusterid.y"), [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(read("%cluster_ctaid.x"), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(read("%cluster_ctaid.y"), [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(read("%cluster_ctarank"), [0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3]);
    assert_eq!(read("%cluster_nctarank"), [4; 16]);
    assert_eq!(read("%cluster_nctaid.y"), [2; 16]);
    assert_eq!(read("%nclusterid.x"), [2; 16]);
}

#[test]
fn shared_memory_of_the_other_cta() {
    let exchange = |read: &str| {
        of_pairs(&format!(
            "mov.u32 %a, %tid.x; mad.lo.u32 %b, %a, 4, 0; mov.u32 %c, s; add.u32 %c, %c, %b;
             st.shared.u32 [%c], %t;
             barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
             xor.b32 %w, %rank, 1;
             {read}
             barrier.cluster.arrive; barrier.cluster.wait;
             st.global.u32 [%my], %v; ret;"
        ))
    };
    // Thread t of the grid reads what the same thread of the other CTA stored.
    let swapped: Vec<u32> = (0..128).map(|t| t ^ 32).collect();
    let at = "mapa.shared::cluster.u32 %c, %c, %w;";
    assert_eq!(exchange(&format!("{at} ld.shared::cluster.u32 %v, [%c];")), swapped);
    let generic =
        "cvt.u64.u32 %g, %c; cvta.shared.u64 %g, %g; mapa.u64 %g, %g, %w; ld.u32 %v, [%g];";
    assert_eq!(exchange(generic), swapped);
    assert_eq!(
        exchange("mapa.shared::cluster.u32 %c, s+4, %w; ld.shared::cluster.u32 %v, [%c];"),
        (0..128).map(|t| (t & !31 ^ 32) + 1).collect::<Vec<u32>>()
    );
    let rank = format!("{at} getctarank.shared::cluster.u32 %v, %c;");
    assert_eq!(exchange(&rank), (0..128).map(|t| t >> 5 & 1 ^ 1).collect::<Vec<u32>>());
    let own = "mapa.shared::cluster.u32 %c, %c, %rank; getctarank.shared::cluster.u32 %v, %c;
         ld.shared::cluster.u32 %a, [%c]; mad.lo.u32 %v, %v, 1000, %a;";
    assert_eq!(exchange(own), (0..128).map(|t| (t >> 5 & 1) * 1000 + t).collect::<Vec<u32>>());
    let add = format!(
        "{at} atom.shared::cluster.add.u32 %v, [%c], 1000; barrier.cluster.arrive; barrier.cluster.wait;
         mad.lo.u32 %b, %a, 4, 0; mov.u32 %c, s; add.u32 %c, %c, %b; ld.shared.u32 %a, [%c];
         mad.lo.u32 %v, %a, 10000, %v;"
    );
    let both = |t: u32| (1000 + t) * 10000 + (t ^ 32);
    assert_eq!(exchange(&add), (0..128).map(both).collect::<Vec<u32>>());
}

/// Thread 0 initialises an mbarrier for one arrival, and all CTAs wait until the mbarriers of the
/// cluster are initialised.
const MBARRIER: &str = "mov.u32 %a, %tid.x; setp.eq.u32 %q, %a, 0; mov.u32 %c, bar; mov.u32 %b, s;
    @%q mbarrier.init.shared.b64 [%c], 1; fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %w, %rank, 1;";
const WAIT: &str = "WAITING: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra WAITING;";

#[test]
fn stores_that_an_mbarrier_counts() {
    let words = of_pairs(&format!(
        "{MBARRIER} @%q mbarrier.arrive.expect_tx.shared.b64 _, [%c], 128;
         barrier.cluster.arrive; barrier.cluster.wait;
         mapa.shared::cluster.u32 %c, %c, %w; mapa.shared::cluster.u32 %b, %b, %w;
         mad.lo.u32 %b, %a, 4, %b;
         st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%b], %t, [%c];
         {WAIT} mov.u32 %b, s; mad.lo.u32 %b, %a, 4, %b; ld.shared.u32 %v, [%b];
         barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%my], %v; ret;"
    ));
    assert_eq!(words, (0..128).map(|t| t ^ 32).collect::<Vec<u32>>());
    let words = of_pairs(&format!(
        "mov.u32 %v, 7; st.shared.u32 [s], %v; {MBARRIER}
         @%q mbarrier.arrive.expect_tx.shared.b64 _, [%c], 128;
         barrier.cluster.arrive; barrier.cluster.wait;
         mapa.shared::cluster.u32 %c, %c, %w; mapa.shared::cluster.u32 %b, %b, %w;
         red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%b], %rank, [%c];
         {WAIT} ld.shared.u32 %v, [s];
         barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%my], %v; ret;"
    ));
    assert_eq!([words[0], words[32], words[64]], [7 + 32, 7, 7 + 32]);
    // Eight lanes store 16 bytes each.
    let quads = hopper(&format!(
        "{MBARRIER} @%q mbarrier.arrive.expect_tx.shared.b64 _, [%c], 128;
         barrier.cluster.arrive; barrier.cluster.wait;
         mapa.shared::cluster.u32 %c, %c, %w; mapa.shared::cluster.u32 %b, %b, %w;
         mad.lo.u32 %b, %a, 16, %b; mov.b64 %g, {{%t, %a}}; mov.b64 %h, {{%rank, %t}};
         mov.b128 %quad, {{%g, %h}}; setp.lt.u32 %q, %a, 8;
         @%q st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 [%b], %quad, [%c];
         {WAIT} mov.u32 %b, s; mad.lo.u32 %b, %a, 4, %b; ld.shared.u32 %v, [%b];
         barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%my], %v; ret;"
    ));
    let quads = quads.replace("8.6", "9.2").replace(".reg .b16 %mask", ".reg .b128 %quad");
    let stored = |t: u32| {
        let (other, lane) = ((t & !31) ^ 32, (t & 31) / 4);
        [other + lane, lane, other >> 5 & 1, other + lane][(t % 4) as usize]
    };
    assert_eq!(same_in_every_mode(&quads), (0..128).map(stored).collect::<Vec<u32>>());
}

#[test]
fn bulk_copies() {
    // The output begins with 32 words of each CTA, which are copied in bulk.
    let copy = |copy: &str, bytes: u32| {
        of_pairs(&format!(
            "st.global.u32 [%my], %t; {MBARRIER}
             @%q mbarrier.arrive.expect_tx.shared.b64 _, [%c], {bytes};
             bar.sync 0; {copy} {WAIT}
             mov.u32 %b, s; mad.lo.u32 %b, %a, 4, %b; ld.shared.u32 %v, [%b];
             barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%my], %v; ret;"
        ))
    };
    let all: Vec<u32> = (0..128).collect();
    let to_own = "@%q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%b], [%my], 128, [%c];";
    assert_eq!(copy(to_own, 128), all);
    let to_other = "mapa.shared::cluster.u32 %v, %b, %w; mapa.shared::cluster.u32 %c, %c, %w;
         @%q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%v], [%my], 128, [%c];";
    let swapped: Vec<u32> = (0..128).map(|t| t ^ 32).collect();
    assert_eq!(copy(to_other, 128), swapped);
    // The first CTA of each pair sends to both.
    let to_all = "setp.eq.and.u32 %q, %rank, 0, %q; mov.u16 %mask, 3;
         @%q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
             [%b], [%my], 128, [%c], %mask;";
    assert_eq!(copy(to_all, 128), (0..128).map(|t| t & !32).collect::<Vec<u32>>());
    let to_peer = "cvt.u64.u32 %g, %a; add.u32 %v, %b, 128; mad.lo.u32 %v, %a, 4, %v; st.shared.u32 [%v], %t;
         bar.sync 0; add.u32 %v, %b, 128;
         mapa.shared::cluster.u32 %b, %b, %w; mapa.shared::cluster.u32 %c, %c, %w;
         @%q cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%b], [%v], 128, [%c];";
    assert_eq!(copy(to_peer, 128), swapped);
    let sum = "add.u32 %v, %b, 128; mad.lo.u32 %v, %a, 4, %v; st.shared.u32 [%v], 1000;
         mad.lo.u32 %v, %a, 4, %b; st.shared.u32 [%v], %t;
         barrier.cluster.arrive; barrier.cluster.wait; add.u32 %v, %b, 128;
         mapa.shared::cluster.u32 %b, %b, %w; mapa.shared::cluster.u32 %c, %c, %w;
         @%q cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32
             [%b], [%v], 128, [%c];";
    assert_eq!(copy(sum, 128), (0..128).map(|t| t + 1000).collect::<Vec<u32>>());
}

#[test]
fn bulk_copies_to_global_memory() {
    let words = of_pairs(
        "mov.u32 %a, %tid.x; mov.u32 %b, s; mad.lo.u32 %c, %a, 4, %b; st.shared.u32 [%c], %t;
         bar.sync 0; setp.eq.u32 %q, %a, 0;
         @%q cp.async.bulk.global.shared::cta.bulk_group [%my], [%b], 128;
         cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
         @%q cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%my+64], [%b], 64;
         @%q cp.async.bulk.prefetch.L2.global [%my], 64;
         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;",
    );
    assert_eq!(words, (0..128).collect::<Vec<u32>>());
}

#[test]
fn what_clusters_do_wrong() {
    let fault = |body: &str| {
        let faults = ways(pairs()).into_iter().map(|how| run_fault(&hopper(body), how, 128));
        faults.map(|(fault, line)| (fault.kind.to_string(), line)).collect::<Vec<_>>()
    };
    let says = |body: &str, message: &str, place: &str| {
        for (said, line) in fault(body) {
            assert!(said.contains(message), "{said}");
            assert!(line.contains(place), "{line}");
        }
    };
    let rank = |rank: u32| {
        format!("mapa.shared::cluster.u32 %c, s, {rank}; ld.shared::cluster.u32 %v, [%c]; ret;")
    };
    says(&rank(2), "CTA 2 of the cluster, which has 2 CTAs", "ld.shared::cluster");
    let exited = "setp.eq.u32 %q, %rank, 0; @%q exit;
         barrier.cluster.arrive; barrier.cluster.wait;
         mapa.shared::cluster.u32 %c, s, 0; ld.shared::cluster.u32 %v, [%c]; ret;";
    says(exited, "CTA 0 of the cluster, which has exited", "ld.shared::cluster");
    let past = "setp.eq.u32 %q, %rank, 0; mapa.shared::cluster.u32 %c, s, 1; @%q st.shared::cluster.u32 [%c+264], %t;
         barrier.cluster.arrive; barrier.cluster.wait; ret;";
    says(past, "at 0x108 of CTA 1 of the cluster", "st.shared::cluster");
    says("barrier.cluster.wait; ret;", "without barrier.cluster.arrive", "wait");
    let twice = "barrier.cluster.arrive; barrier.cluster.arrive; ret;";
    says(twice, "second barrier.cluster.arrive", "arrive; ret");
    let odd = "mov.u32 %b, s; mov.u32 %c, bar; mov.u32 %v, 8;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%b], [%out], %v, [%c]; ret;";
    says(odd, "sizes are multiples of 16", "cp.async.bulk");
    let off = "mov.u32 %b, s; mov.u32 %c, bar;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%b+8], [%out], 16, [%c]; ret;";
    says(off, "not a multiple of 16", "cp.async.bulk");
    // CTA 1 waits for CTA 0, which waits at its own barrier for threads that do not exist.
    let stuck = "setp.eq.u32 %q, %rank, 0; @%q bra A;
         barrier.cluster.arrive; barrier.cluster.wait; ret;
         A: barrier.sync 1, 64; barrier.cluster.arrive; barrier.cluster.wait; ret;";
    for (fault, _) in ways(pairs()).into_iter().map(|how| run_fault(&hopper(stuck), how, 128)) {
        assert!(matches!(fault.kind, FaultKind::Deadlock { .. }), "{}", fault.kind);
    }
    // Half of CTA 0 never arrives, because it waits for the other half.
    let half = "mov.u32 %a, %tid.x; setp.lt.u32 %q, %a, 16; setp.eq.and.u32 %q, %rank, 0, %q;
         @%q bra A; barrier.cluster.arrive; barrier.cluster.wait; ret;
         A: bar.warp.sync 0xffffffff; ret;";
    for (fault, _) in ways(pairs()).into_iter().map(|how| run_fault(&hopper(half), how, 128)) {
        let FaultKind::Deadlock { waiting } = &fault.kind else { panic!("{}", fault.kind) };
        assert!(waiting.contains("for the other CTAs of the cluster"), "{waiting}");
    }
}
