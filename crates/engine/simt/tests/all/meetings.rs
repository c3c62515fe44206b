//! Tests of `.sync` instructions at which lanes wait at several instructions, or with several
//! member masks at one instruction (docs/numerics.md, 13.11).

use crate::common::{How, kernel, kernel_with, run_fault, run_words};
use texunit_simt::{FaultKind, JitMode};

/// Runs a kernel of one warp interpreted and compiled, with the same result.
fn both(text: &str) -> Vec<u32> {
    let [interpreted, compiled] = [JitMode::Off, JitMode::Always]
        .map(|jit| run_words(text, How { jit: Some(jit), ..How::default() }, 32));
    assert_eq!(interpreted, compiled);
    interpreted
}

/// Shuffles with one member mask at several instructions, also of a function, exchange values like
/// a single shuffle (docs/numerics.md, 13.11).
#[test]
fn shuffles_at_several_places_meet() {
    let function = ".func (.reg .u32 %d) elsewhere(.reg .u32 %a) {
        .reg .u32 %one; add.u32 %one, %a, 1; mov.u32 %one, 3;
        shfl.sync.bfly.b32 %d, %a, %one, 0x1f, 0xffffffff; ret; }";
    let text = kernel_with(
        function,
        ".reg .pred %p, %q; .reg .u32 %m, %r, %v;",
        "mad.lo.u32 %v, %t, 10, 5;
         setp.lt.u32 %p, %t, 7; setp.gt.u32 %q, %t, 20;
         @%p bra A; @%q bra B;
         shfl.sync.down.b32 %r, %v, 2, 0x1f, 0xffffffff; bra.uni C;
A:       mad.lo.u32 %v, %t, 10, 1000;
         shfl.sync.idx.b32 %r, %v, 30, 0x1f, 0xffffffff; bra.uni C;
B:       call (%r), elsewhere, (%v);
C:       activemask.b32 %m; setp.ne.u32 %p, %m, 0xffffffff; @%p mov.u32 %r, 1;
         st.global.u32 [%my], %r; ret;",
    );
    let value = |lane: u32| lane * 10 + if lane < 7 { 1000 } else { 5 };
    let expected = (0..32).map(|lane| match lane {
        0..7 => value(30),
        7..=20 => value(lane + 2),
        _ => value(lane ^ 3),
    });
    assert_eq!(both(&text), expected.collect::<Vec<u32>>());
}

/// Other instructions with one member mask at two instructions do not match: their lanes wait for
/// lanes that never arrive.
#[test]
fn votes_at_two_places_do_not_meet() {
    let text = kernel(
        ".reg .pred %p; .reg .u32 %r;",
        "setp.lt.u32 %p, %t, 7; @%p bra A;
         vote.sync.ballot.b32 %r, %p, 0xffffffff; bra.uni C;
A:       vote.sync.ballot.b32 %r, %p, 0xffffffff;
C:       st.global.u32 [%my], %r; ret;",
    );
    let (fault, _) = run_fault(&text, How::default(), 32);
    assert!(matches!(fault.kind, FaultKind::Deadlock { .. }), "{:?}", fault.kind);
}

/// Groups of lanes that reach an instruction together, each with its own member mask, continue
/// together.
#[test]
fn groups_with_masks_of_their_own_go_on_together() {
    for instruction in [
        "bar.warp.sync %m;",
        "shfl.sync.bfly.b32 %r, %t, 3, 0x1f, %m;",
        "vote.sync.ballot.b32 %r, %p, %m;",
        "redux.sync.add.u32 %r, %t, %m;",
    ] {
        let text = kernel(
            ".reg .pred %p; .reg .u32 %m, %r, %k, %half;",
            &format!(
                "and.b32 %half, %t, 16; mov.u32 %m, 0xffff; shl.b32 %m, %m, %half;
                 setp.lt.u32 %p, %t, 5;
                 mov.u32 %k, 0;
L:               {instruction} add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 3; @%p bra L;
                 rem.u32 %k, %t, 3; setp.ne.u32 %p, %k, 0;
                 @%p bra E;
                 activemask.b32 %r; st.global.u32 [%my], %r;
E:               ret;"
            ),
        );
        let expected = (0..32).map(|lane| if lane % 3 == 0 { 0x4924_9249 } else { 0 });
        assert_eq!(both(&text), expected.collect::<Vec<u32>>(), "{instruction}");
    }
}

/// Of several groups at one instruction, one may have to wait for lanes that arrive later.
#[test]
fn a_group_whose_lanes_are_late_waits() {
    let text = kernel(
        ".reg .pred %p; .reg .u32 %m, %r, %k, %half;",
        "and.b32 %half, %t, 16; mov.u32 %m, 0xffff; shl.b32 %m, %m, %half;
         setp.lt.u32 %p, %t, 29; mov.u32 %k, 0;
         @%p bra X;
L:       add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 3000; @%p bra L;
X:       shfl.sync.idx.b32 %r, %t, 31, 0x1f, %m;
         st.global.u32 [%my], %r; ret;",
    );
    // A lane of the other half does not execute the instruction with them.
    let expected = (0..32).map(|lane| if lane < 16 { 0 } else { 31 });
    assert_eq!(both(&text), expected.collect::<Vec<u32>>());
}
