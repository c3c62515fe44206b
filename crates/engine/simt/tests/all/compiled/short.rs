//! Tests of the loop over CTAs in compiled code: whatever stops one of the CTAs, the results equal
//! those of the interpreter.

use super::outcome::{Outcome, compare, launches};
use crate::common::{Arg, How, load_text, words};
use texunit_simt::JitMode;
use texunit_testkit::ptx;

const CTAS: u32 = 120;
/// The last warp of each CTA has eight lanes.
const THREADS: u32 = 72;

/// Lanes diverge and reconverge; CTAs alternate between two allocations, so that sites miss; some
/// run longer than a turn; and a predicate is read that only one CTA has written, or each has
/// (`SET`), which would reveal the registers of the previous CTA.
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

/// Text in place of `SET`: all CTAs write the predicate, or only one does.
const ALL: &str = "";
const ONE: &str = "setp.ne.u32 %r, %b1, 5;\n@%r bra NEXT;\n";

/// Several launches of the kernel, each with its stored values.
fn outcomes(set: &str, jit: JitMode, times: usize, max_steps: u64) -> Vec<Outcome> {
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
    launches(&loaded, how, &args, &[(&out, |_| 0)], times)
}

#[test]
fn short_kernels_do_the_same_compiled() {
    for set in [ALL, ONE] {
        let modes = [(JitMode::Always, 2), (JitMode::On, 8)];
        let done = compare(set, &modes, |jit, times| outcomes(set, jit, times, 1 << 40));
        assert_eq!(done.fault, None);
        assert!(done.memory[0].iter().filter(|&&word| word != 0).count() > 8000);
    }
}

/// The looping CTAs exceed their step limit, and the CTAs before them have finished.
#[test]
fn short_kernels_keep_the_limit_of_steps() {
    let expected = outcomes(ALL, JitMode::Off, 1, 500).remove(0);
    assert!(expected.fault.as_ref().is_some_and(|fault| fault.contains("StepLimit")));
    let before = (39 * THREADS) as usize;
    for outcome in outcomes(ALL, JitMode::Always, 2, 500) {
        assert!(outcome.fault.is_some_and(|fault| fault.contains("StepLimit")));
        assert!(outcome.memory[0][..before] == expected.memory[0][..before]);
    }
}

/// A kernel that computes an address in `from`, and stores a value, by the number of each thread.
const NUMBERED: &str = ".reg .u64 %a<8>;\n.reg .u32 %b<16>;\n.reg .pred %p;\n\
    ld.param.u64 %a0, [out];\nld.param.u64 %a1, [from];\nld.param.u32 %b0, [strange];\n\
    mov.u32 %b1, %ctaid.x;\nmov.u32 %b2, %ctaid.y;\nmov.u32 %b3, %ctaid.z;\nmov.u32 %b4, %nctaid.x;\nmov.u32 %b5, %nctaid.y;\n\
    mad.lo.u32 %b6, %b3, %b5, %b2;\nmad.lo.u32 %b6, %b6, %b4, %b1;\nmov.u32 %b7, %ntid.x;\nmov.u32 %b8, %tid.x;\n\
    mad.lo.u32 %b9, %b6, %b7, %b8;\nmul.wide.u32 %a2, %b9, 4;\nadd.u64 %a3, %a1, %a2;\n\
    setp.eq.u32 %p, %b9, %b0;\nselp.u64 %a3, 64, %a3, %p;\nld.global.u32 %b10, [%a3];\n\
    mad.lo.u32 %b11, %b3, 100, %b2;\nmad.lo.u32 %b11, %b11, 100, %b1;\nmad.lo.u32 %b11, %b11, 1000, %b8;\nxor.b32 %b10, %b10, %b11;\n\
    add.u64 %a4, %a0, %a2;\nst.global.u32 [%a4], %b10;\nret;\n";

/// Consecutive CTAs have the right numbers along all axes. If a thread of one of them faults, the
/// fault names this CTA, the CTAs before it have finished, and the statistics are right.
#[test]
fn ctas_that_follow_each_other() {
    let (grid, threads) = ([5, 7, 6], 8 * 32 - 7);
    let all = grid.iter().product::<u32>() * threads;
    let params = ".param .u64 out, .param .u64 from, .param .u32 strange";
    // All lines except register declarations.
    let each = NUMBERED.lines().count() as u64 - 3;
    for strange in [u32::MAX, 0, 40, 77 * threads + 101, all - 1] {
        let modes = [JitMode::Off, JitMode::Always, JitMode::On];
        for (jit, workers) in modes.into_iter().flat_map(|jit| [(jit, 1), (jit, 2)]) {
            let loaded = load_text(&ptx::kernel(ptx::SM_75, params, NUMBERED));
            let from: Vec<u32> = (0..all).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
            let ((from_at, _), (to, out)) = (loaded.filled(&from), loaded.buffer(all as usize));
            let args = [Arg::U64(to), Arg::U64(from_at), Arg::U32(strange)];
            let block = [threads, 1, 1];
            let how = How { grid, block, threads: workers, jit: Some(jit), ..How::default() };
            for launch in 0..4 {
                (0..all).for_each(|i| out.store_u32(4 * u64::from(i), 0).unwrap());
                let result = loaded.run("k", how, &args);
                let stored = words(&out);
                let (cta, end) = (strange / threads, all.min(strange));
                for i in 0..if strange == u32::MAX { all } else { cta * threads } {
                    let (number, thread) = (i / threads, i % threads);
                    let [x, y, z] = [number % 5, number / 5 % 7, number / 35];
                    let of = ((z * 100 + y) * 100 + x) * 1000 + thread;
                    assert_eq!(
                        stored[i as usize],
                        from[i as usize] ^ of,
                        "{jit:?} {launch} {strange}"
                    );
                }
                match result {
                    Ok(stats) => {
                        assert_eq!(end, all, "{jit:?} {launch} {strange}");
                        assert_eq!(stats.thread_instructions, u64::from(all) * each, "{jit:?}");
                    }
                    Err(fault) => {
                        assert_eq!(fault.cta, [cta % 5, cta / 5 % 7, cta / 35], "{jit:?} {launch}");
                        assert_eq!(fault.thread, [strange % threads, 0, 0], "{jit:?} {launch}");
                        assert_eq!(stored[strange as usize], 0, "{jit:?} {launch}");
                    }
                }
            }
        }
    }
}

/// The same with barriers, and with shared memory: each thread reads the value that its neighbour
/// has stored.
#[test]
fn ctas_with_barriers_that_follow_each_other() {
    let body = ".reg .u64 %a<8>;\n.reg .u32 %b<16>;\nld.param.u64 %a0, [out];\nmov.u32 %b1, %ctaid.x;\n\
        mov.u32 %b2, %ntid.x;\nmov.u32 %b3, %tid.x;\nmul.lo.u32 %b4, %b1, %b2;\nadd.u32 %b5, %b4, %b3;\n\
        mul.wide.u32 %a1, %b5, 4;\nadd.u64 %a1, %a0, %a1;\nmad.lo.u32 %b6, %b5, 3, 1;\nst.global.u32 [%a1], %b6;\n\
        bar.sync 0;\nxor.b32 %b7, %b3, 33;\nadd.u32 %b7, %b4, %b7;\nmul.wide.u32 %a2, %b7, 4;\nadd.u64 %a2, %a0, %a2;\n\
        ld.global.u32 %b8, [%a2];\nbar.sync 0;\nadd.u32 %b8, %b8, %b1;\nst.global.u32 [%a1], %b8;\nret;\n";
    for threads in [64, 256, 1024] {
        for jit in [JitMode::Off, JitMode::Always, JitMode::On] {
            let loaded = load_text(&ptx::kernel(ptx::SM_75, ".param .u64 out", body));
            let (to, out) = loaded.buffer((CTAS * threads) as usize);
            let (grid, block) = ([CTAS, 1, 1], [threads, 1, 1]);
            let how = How { grid, block, jit: Some(jit), ..How::default() };
            for launch in 0..4 {
                loaded.run("k", how, &[Arg::U64(to)]).unwrap();
                for (i, stored) in (0..).zip(words(&out)) {
                    let (cta, thread) = (i / threads, i % threads);
                    let expected = 3 * (cta * threads + (thread ^ 33)) + 1 + cta;
                    assert_eq!(stored, expected, "{jit:?} {launch} {threads}");
                }
            }
        }
    }
}
