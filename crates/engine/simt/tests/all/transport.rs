//! Tests of `cp.async`, mbarriers, matrix loads and stores, `elect`, and hint instructions.

use crate::common::{How, kernel, run_fault, run_words};
use texunit_simt::FaultKind;

fn hopper(declarations: &str, body: &str) -> String {
    kernel(declarations, body).replace("sm_80", "sm_90").replace(".version 8.0", ".version 9.3")
}

const COPY: &str =
    ".shared .align 16 .b8 s[512]; .reg .u32 %a, %v, %w; .reg .u64 %b; .reg .pred %q;";

/// Each thread fills 16 bytes of the output with its number + 1, copies them to shared memory
/// initialised with 0xffffffff, and reads word `word` back.
fn copied(copy: &str, word: u32) -> Vec<u32> {
    let text = kernel(
        COPY,
        &format!(
            "mad.wide.u32 %b, %t, 16, %out;
             add.u32 %v, %t, 1;
             st.global.v4.u32 [%b], {{%v, %v, %v, %v}};
             mov.u32 %a, s;
             mad.lo.u32 %a, %t, 16, %a;
             mov.u32 %w, -1;
             st.shared.v4.u32 [%a], {{%w, %w, %w, %w}};
             {copy}
             cp.async.commit_group;
             cp.async.wait_group 0;
             cp.async.wait_all;
             ld.shared.u32 %v, [%a+{word}];
             bar.sync 0;
             st.global.u32 [%my], %v;
             ret;"
        ),
    );
    run_words(&text, How::default(), 128)[..32].to_vec()
}

#[test]
fn copies_of_every_size() {
    let all: Vec<u32> = (1..33).collect();
    let untouched = vec![u32::MAX; 32];
    let zero = vec![0; 32];
    assert_eq!(copied("cp.async.ca.shared.global [%a], [%b], 4;", 0), all);
    assert_eq!(copied("cp.async.ca.shared.global [%a], [%b], 4;", 4), untouched);
    assert_eq!(copied("cp.async.ca.shared::cta.global.L2::128B [%a], [%b], 8;", 4), all);
    assert_eq!(copied("cp.async.ca.shared.global [%a], [%b], 8;", 8), untouched);
    assert_eq!(copied("cp.async.cg.shared.global [%a], [%b], 16;", 12), all);
    // Fewer bytes are read than written.
    assert_eq!(copied("cp.async.cg.shared.global [%a], [%b], 16, 8;", 4), all);
    assert_eq!(copied("cp.async.cg.shared.global [%a], [%b], 16, 8;", 8), zero);
    let low: Vec<u32> = all.iter().map(|v| v & 0xffff).collect();
    assert_eq!(copied("mov.u32 %w, 2; cp.async.ca.shared.global [%a], [%b], 4, %w;", 0), low);
    assert_eq!(copied("mov.u32 %w, 0; cp.async.ca.shared.global [%a], [%b], 4, %w;", 0), zero);
    // Even threads ignore their sources.
    let odd: Vec<u32> = all.iter().map(|v| if v % 2 == 0 { *v } else { 0 }).collect();
    let ignore = "and.b32 %w, %t, 1; setp.eq.u32 %q, %w, 0;
         cp.async.ca.shared.global [%a], [%b], 4, %q;";
    assert_eq!(copied(ignore, 0), odd);
    // A guard has another effect: nothing is written.
    let guarded = "and.b32 %w, %t, 1; setp.eq.u32 %q, %w, 0;
         @!%q cp.async.ca.shared.global [%a], [%b], 4;";
    let some: Vec<u32> = all.iter().map(|v| if v % 2 == 0 { *v } else { u32::MAX }).collect();
    assert_eq!(copied(guarded, 0), some);
    let policy = ".reg .b64 %policy;
         createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %policy, 0.5;
         cp.async.cg.shared.global.L2::cache_hint [%a], [%b], 16, 12, %policy;";
    assert_eq!(copied(policy, 8), all);
    assert_eq!(copied(policy, 12), zero);
    let policy = ".reg .b64 %policy;
         createpolicy.range.global.L2::evict_first.b64 %policy, [%out], 64, 128;
         cp.async.ca.shared.global.L2::cache_hint [%a], [%b], 4, %policy;";
    assert_eq!(copied(policy, 0), all);
}

#[test]
fn wrong_copies_are_found() {
    let fault = |copy: &str| {
        let text = kernel(COPY, &format!("mov.u32 %a, s; {copy} ret;"));
        run_fault(&text, How { block: [1, 1, 1], ..How::default() }, 4).0.kind
    };
    let misaligned = |kind| matches!(kind, FaultKind::Misaligned { size: 16, .. });
    assert!(misaligned(fault("cp.async.cg.shared.global [%a+8], [%out], 16;")));
    assert!(misaligned(fault("cp.async.cg.shared.global [%a], [%out+4], 16;")));
    let outside = |kind| matches!(kind, FaultKind::OutOfBounds { .. });
    assert!(outside(fault("cp.async.cg.shared.global [%a+512], [%out], 16;")));
    assert!(outside(fault("cp.async.cg.shared.global [%a], [%out+16], 16;")));
    let many = fault("mov.u32 %w, 17; cp.async.cg.shared.global [%a], [%out], 16, %w;");
    assert!(matches!(many, FaultKind::BadOperand(_)));
    // A source of which nothing is read may have any address.
    let text = kernel(
        COPY,
        "mov.u32 %a, s; cp.async.cg.shared.global [%a], [%out+4096], 16, 0;
         ld.shared.u32 %v, [%a]; st.global.u32 [%my], %v; ret;",
    );
    assert_eq!(run_words(&text, How { block: [1, 1, 1], ..How::default() }, 1), [0]);
}

const BARRIER: &str = ".shared .align 8 .b64 bar; .shared .align 4 .b8 s[512];
    .reg .u32 %a, %v, %w; .reg .u64 %state; .reg .pred %q, %first;";

#[test]
fn threads_of_several_warps_meet_at_an_mbarrier() {
    for wait in [
        "mbarrier.test_wait.shared.b64 %q, [bar], %state;",
        "mbarrier.try_wait.acquire.cta.shared::cta.b64 %q, [bar], %state;",
        "mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], %w, 1000;",
    ] {
        // Two phases: each thread reads the value that its opposite has written before.
        let round = |n: u32| {
            format!(
                "mov.u32 %a, s;
                 mad.lo.u32 %a, %t, 4, %a;
                 add.u32 %v, %t, {n};
                 st.shared.u32 [%a], %v;
                 mov.u32 %w, {n};
                 mbarrier.arrive.shared.b64 %state, [bar];
W{n}:            {wait}
                 @!%q bra W{n};
                 mov.u32 %a, s;
                 sub.u32 %w, 127, %t;
                 mad.lo.u32 %a, %w, 4, %a;
                 ld.shared.u32 %v, [%a];
                 bar.sync 0;"
            )
        };
        let text = hopper(
            BARRIER,
            &format!(
                "setp.eq.u32 %first, %t, 0;
                 @%first mbarrier.init.shared.b64 [bar], 128;
                 @%first fence.mbarrier_init.release.cluster;
                 bar.sync 0;
                 {}{}
                 @%first mbarrier.inval.shared.b64 [bar];
                 st.global.u32 [%my], %v;
                 ret;",
                round(0),
                round(1)
            ),
        );
        let got = run_words(&text, How { block: [128, 1, 1], ..How::default() }, 128);
        assert_eq!(got, (0..128).map(|t| 128 - t).collect::<Vec<u32>>(), "{wait}");
    }
}

/// One thread executes `body` and stores %v.
fn alone(body: &str) -> Vec<u32> {
    let text = hopper(BARRIER, &format!("{body} st.global.u32 [%my], %v; ret;"));
    run_words(&text, How { block: [1, 1, 1], ..How::default() }, 1)
}

#[test]
fn counts_bytes_and_phases_of_an_mbarrier() {
    // Arrival counts above one, dropping out, tokens with pending counts.
    let got = alone(
        "mbarrier.init.shared.b64 [bar], 5;
         mbarrier.arrive.noComplete.shared.b64 %state, [bar], 2;
         mbarrier.arrive_drop.shared.b64 %state, [bar];
         mbarrier.pending_count.b64 %v, %state;
         mbarrier.arrive.shared.b64 _, [bar], 2;
         mbarrier.test_wait.shared.b64 %q, [bar], %state;
         @%q add.u32 %v, %v, 10;
         mbarrier.arrive.shared.b64 %state, [bar], 4;
         mbarrier.pending_count.b64 %w, %state;
         mad.lo.u32 %v, %w, 100, %v;
         mbarrier.test_wait.parity.shared.b64 %q, [bar], 0;
         @%q add.u32 %v, %v, 1000;
         mbarrier.test_wait.parity.shared.b64 %q, [bar], 1;
         @%q add.u32 %v, %v, 2000;",
    );
    assert_eq!(got, [2413]);
    // Transaction bytes: the phase waits for all of them.
    let got = alone(
        "mov.u32 %v, 0;
         mbarrier.init.shared.b64 [bar], 1;
         mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %state, [bar], 100;
         mbarrier.test_wait.shared.b64 %q, [bar], %state;
         @%q add.u32 %v, %v, 1;
         mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 20;
         mbarrier.complete_tx.shared::cluster.b64 [bar], 70;
         mbarrier.test_wait.shared.b64 %q, [bar], %state;
         @%q add.u32 %v, %v, 1;
         mbarrier.complete_tx.shared.b64 [bar], 50;
         mbarrier.test_wait.shared.b64 %q, [bar], %state;
         @%q add.u32 %v, %v, 10;",
    );
    assert_eq!(got, [10]);
    // Copies are complete when they arrive; without .noinc the arrival was not expected before.
    let got = alone(
        "mov.u32 %v, 0;
         mbarrier.init.shared.b64 [bar], 1;
         cp.async.mbarrier.arrive.shared.b64 [bar];
         mbarrier.test_wait.parity.shared.b64 %q, [bar], 0;
         @%q add.u32 %v, %v, 1;
         cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
         mbarrier.test_wait.parity.shared.b64 %q, [bar], 0;
         @%q add.u32 %v, %v, 10;",
    );
    assert_eq!(got, [10]);
    // Only `check_layout` can tell the layouts apart.
    let got = alone(
        "mov.u32 %v, 0;
         mbarrier.init.layout::v1.shared.b64 [bar], 1;
         mbarrier.arrive.shared.b64 _, [bar];
         mbarrier.test_wait.parity.shared.b64 %q, [bar], 0;
         @%q add.u32 %v, %v, 1;
         mbarrier.check_layout.layout::v1.shared.b64 %q, [bar];
         @%q add.u32 %v, %v, 10;
         mbarrier.check_layout.layout::v0.shared.b64 %q, [bar];
         @%q add.u32 %v, %v, 100;
         mbarrier.init.shared.b64 [bar], 1;
         mbarrier.check_layout.layout::v0.shared.b64 %q, [bar];
         @%q add.u32 %v, %v, 1000;",
    );
    assert_eq!(got, [1011]);
}

#[test]
fn what_is_no_mbarrier_is_found() {
    let fault = |body: &str| {
        let text = hopper(BARRIER, &format!("{body} ret;"));
        run_fault(&text, How { block: [1, 1, 1], ..How::default() }, 1).0.kind
    };
    for body in [
        "mbarrier.arrive.shared.b64 %state, [bar];",
        "mbarrier.check_layout.layout::v0.shared.b64 %q, [bar];",
        "mbarrier.init.shared.b64 [bar], 1; mbarrier.inval.shared.b64 [bar];
         mbarrier.arrive.shared.b64 %state, [bar];",
        "mov.u32 %a, 0; mbarrier.init.shared.b64 [bar], %a;",
        "mov.u32 %a, 1048576; mbarrier.init.shared.b64 [bar], %a;",
        "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.shared.b64 %state, [bar], 2;",
        "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.noComplete.shared.b64 %state, [bar], 1;",
        "mbarrier.init.shared.b64 [bar], 1; mov.u32 %a, 1048576;
         mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], %a;",
        "mbarrier.init.shared.b64 [bar], 1; mov.u64 %state, 5;
         mbarrier.test_wait.shared.b64 %q, [bar], %state;",
        "mbarrier.init.b64 [%out], 1;",
    ] {
        let kind = fault(body);
        assert!(matches!(kind, FaultKind::BadOperand(_)), "{body}: {kind:?}");
    }
    let kind = fault("mov.u32 %a, s; mbarrier.init.shared.b64 [%a+4], 1;");
    assert!(matches!(kind, FaultKind::Misaligned { size: 8, .. }), "{kind:?}");
    let kind = fault("mov.u32 %a, s; mbarrier.init.shared.b64 [%a+512], 1;");
    assert!(matches!(kind, FaultKind::OutOfBounds { .. }), "{kind:?}");
}

const MATRIX: &str =
    ".shared .align 16 .b8 s[512]; .reg .u32 %a, %row, %v, %w, %x, %y; .reg .pred %q;";
/// 32 rows of 16 bytes; half h of row r is 8 * r + h. %row is the lane's row.
const FILL: &str = "
    mov.u32 %a, s;
    mad.lo.u32 %row, %t, 16, %a;
    mul.lo.u32 %v, %t, 8;
    mad.lo.u32 %v, %t, 524288, %v;
    add.u32 %v, %v, 65536;
    add.u32 %w, %v, 131074;
    add.u32 %x, %w, 131074;
    add.u32 %y, %x, 131074;
    st.shared.v4.u32 [%row], {%v, %w, %x, %y};
    bar.warp.sync -1;
";

/// The elements that a lane holds of matrix `m`: (low, high).
fn held(lane: u32, m: u32, transposed: bool) -> u32 {
    let element = |row: u32, column: u32| 8 * (8 * m + row) + column;
    let (at, pair) = (lane / 4, lane % 4);
    match transposed {
        false => element(at, 2 * pair) | element(at, 2 * pair + 1) << 16,
        true => element(2 * pair, at) | element(2 * pair + 1, at) << 16,
    }
}

#[test]
fn matrices_are_loaded() {
    for (form, registers, m, transposed) in [
        ("x1.shared.b16", "{%v}", 0, false),
        ("x1.trans.shared.b16", "{%v}", 0, true),
        ("x2.shared.b16", "{%w, %v}", 1, false),
        ("x4.b16", "{%w, %x, %y, %v}", 3, false),
        ("x4.trans.shared.b16", "{%w, %x, %v, %y}", 2, true),
    ] {
        let generic = match form.contains("shared") {
            true => String::new(),
            false => ".reg .u64 %g; cvt.u64.u32 %g, %row; cvta.shared.u64 %g, %g;".to_owned(),
        };
        let row = if generic.is_empty() { "%row" } else { "%g" };
        let body = format!(
            "{FILL}{generic} ldmatrix.sync.aligned.m8n8.{form} {registers}, [{row}];
             st.global.u32 [%my], %v; ret;"
        );
        let got = run_words(&kernel(MATRIX, &body), How::default(), 32);
        let wanted: Vec<u32> = (0..32).map(|lane| held(lane, m, transposed)).collect();
        assert_eq!(got, wanted, "{form}");
    }
}

#[test]
fn matrices_need_their_lanes_and_alignment() {
    let few = How { block: [7, 1, 1], ..How::default() };
    let load = format!("{FILL} ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%v}}, [%row]; ret;");
    let (fault, _) = run_fault(&kernel(MATRIX, &load), few, 7);
    assert!(matches!(fault.kind, FaultKind::BadOperand(_)), "{fault:?}");
    let load = format!("{FILL} ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%v}}, [%row+8]; ret;");
    let (fault, _) = run_fault(&kernel(MATRIX, &load), How::default(), 32);
    assert!(matches!(fault.kind, FaultKind::Misaligned { size: 16, .. }), "{fault:?}");
}
