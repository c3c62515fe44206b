//! CTAs of short kernels, which run from one end to the other in one region: whatever stops one of them, the others, and
//! those that take their place, do what they do interpreted.

use crate::common::{Arg, How, load_text, words};
use crate::{Outcome, counters, told};
use texunit_simt::JitMode;
use texunit_testkit::ptx;

const CTAS: u32 = 120;
/// The last warp of each CTA has eight lanes.
const THREADS: u32 = 72;

/// Lanes part and meet again; CTAs take turns between two allocations, so that sites know the wrong one; some run longer
/// than a turn goes; and a predicate is read that only one CTA has written, or each has (`SET`): only then nothing of the CTA
/// before could be seen.
const BODY: &str = ".reg .u64 %a<8>;\n.reg .u32 %b<12>;\n.reg .pred %p, %q, %r, %s;\n\
    ld.param.u64 %a0, [out];\nld.param.u64 %a1, [one];\nld.param.u64 %a2, [other];\nld.param.u32 %b0, [count];\n\
    mov.u32 %b1, %ctaid.x;\nmov.u32 %b2, %ntid.x;\nmov.u32 %b3, %tid.x;\nmad.lo.u32 %b4, %b1, %b2, %b3;\n\
    setp.ge.u32 %p, %b4, %b0;\n@%p bra END;\n\
    {SET}setp.eq.u32 %q, %b1, 5;\nNEXT:\n\
    and.b32 %b5, %b1, 4;\nsetp.eq.u32 %p, %b5, 0;\nselp.u64 %a3, %a1, %a2, %p;\n\
    mul.wide.u32 %a4, %b4, 4;\nadd.u64 %a5, %a3, %a4;\nld.global.u32 %b6, [%a5];\n\
    @%q add.u32 %b6, %b6, 1000;\n\
    rem.u32 %b7, %b4, 7;\nsetp.eq.u32 %s, %b7, 3;\n@%s bra ODD;\nmad.lo.u32 %b6, %b6, 5, %b7;\nbra JOIN;\n\
    ODD:\nxor.b32 %b6, %b6, %b4;\nJOIN:\n\
    rem.u32 %b8, %b1, 40;\nsetp.ne.u32 %s, %b8, 39;\n@%s bra STORE;\nmov.u32 %b9, 0;\n\
    LOOP:\nmad.lo.u32 %b6, %b6, 3, %b9;\nadd.u32 %b9, %b9, 1;\nsetp.lt.u32 %s, %b9, 6000;\n@%s bra LOOP;\n\
    STORE:\nadd.u64 %a6, %a0, %a4;\nst.global.u32 [%a6], %b6;\nEND:\nret;\n";

/// What stands for `SET`: all CTAs write the predicate, or one does.
const ALL: &str = "";
const ONE: &str = "setp.ne.u32 %r, %b1, 5;\n@%r bra NEXT;\n";

/// Some launches of the kernel, each with what it has stored.
fn outcomes(set: &str, jit: JitMode, launches: usize, max_steps: u64) -> Vec<Outcome> {
    let params = ".param .u64 out, .param .u64 one, .param .u64 other, .param .u32 count";
    let body = BODY.replace("{SET}", set);
    let loaded = load_text(&ptx::kernel(ptx::SM_75, params, &body));
    let count = CTAS * THREADS - 11;
    let numbers = |seed: u32| (0..count).map(|i| (i + seed).wrapping_mul(0x9e37_79b9)).collect();
    let (one, other): (Vec<u32>, Vec<u32>) = (numbers(1), numbers(2));
    let ((one, _), (other, _)) = (loaded.filled(&one), loaded.filled(&other));
    let (to, out) = loaded.buffer(count as usize);
    let args = [Arg::U64(to), Arg::U64(one), Arg::U64(other), Arg::U32(count)];
    let how = How {
        grid: [CTAS, 1, 1],
        block: [THREADS, 1, 1],
        jit: Some(jit),
        max_steps,
        ..How::default()
    };
    let once = |_| {
        (0..out.size() as u64 / 4).for_each(|i| out.store_u32(4 * i, 0).unwrap());
        let (stats, fault) = match &loaded.run("k", how, &args) {
            Ok(stats) => (counters(stats), None),
            Err(fault) => (counters(&fault.stats), Some(told(&loaded, fault))),
        };
        Outcome { out: words(&out), counts: Vec::new(), stats, fault }
    };
    (0..launches).map(once).collect()
}

#[test]
fn short_kernels_do_the_same_compiled() {
    for set in [ALL, ONE] {
        let expected = outcomes(set, JitMode::Off, 1, 1 << 40).remove(0);
        assert_eq!(expected.fault, None);
        assert!(expected.out.iter().filter(|&&word| word != 0).count() > 8000);
        let always = outcomes(set, JitMode::Always, 2, 1 << 40);
        for outcome in always.iter().chain(&outcomes(set, JitMode::On, 8, 1 << 40)) {
            assert!(*outcome == expected, "{:?} {:?}", outcome.stats, outcome.fault);
        }
    }
}

/// The CTAs that loop have used up their steps, and those before them are done.
#[test]
fn short_kernels_keep_the_limit_of_steps() {
    let expected = outcomes(ALL, JitMode::Off, 1, 500).remove(0);
    assert!(expected.fault.as_ref().is_some_and(|fault| fault.contains("StepLimit")));
    let before = (39 * THREADS) as usize;
    for outcome in outcomes(ALL, JitMode::Always, 2, 500) {
        assert!(outcome.fault.is_some_and(|fault| fault.contains("StepLimit")));
        assert!(outcome.out[..before] == expected.out[..before]);
    }
}
