//! What becomes runs, and that they have code.

use super::*;
use crate::code::Op;
use crate::lower::{Program, Symbols};
use texunit_syntax::SourceFile;
use texunit_testkit::{ptx, skipped};

const OFF: &str =
    "no machine code: a processor without AVX2, or TEXUNIT_JIT or TEXUNIT_SIMD says so";

fn lower(text: &str) -> Program {
    let source = SourceFile::new("t.ptx", text);
    let module = texunit_check::check(&source, &texunit_syntax::parse(&source).module).module;
    crate::lower(module, Symbols::default(), source)
}

/// Code is made of all that kernels compute around their fetches.
#[test]
fn sampling_kernels_have_code() {
    if !is_on() {
        return skipped(OFF);
    }
    for text in [
        include_str!("../../../../bench/data/sample-coh.ptx"),
        include_str!("../../../../bench/data/sample-rand.ptx"),
        include_str!("../../../../bench/benches/fma.ptx"),
        include_str!("../../../workloads/src/kernels.ptx"),
    ] {
        let program = lower(text);
        for fmad in [false, true] {
            let code = program.code(fmad);
            assert!(!code.runs.all.is_empty());
            let mut interpreted = 0;
            for run in &*code.runs.all {
                run.compile(code);
                assert!(run.code().is_some(), "{:?}", run.block(code));
                interpreted += run.steps as usize;
            }
            let arithmetic = |inst: &&crate::code::Inst| {
                let others = matches!(
                    inst.op,
                    Op::Fetch(_) | Op::Load(_) | Op::Store(_) | Op::Branch { .. } | Op::Exit
                );
                inst.count != 0 && !others
            };
            let all = code.insts.iter().filter(arithmetic).count();
            assert!(interpreted * 100 >= all * 97, "{interpreted} of {all}");
        }
    }
}

/// Only what is read behind a run is kept; a loop reads what its next round does.
#[test]
fn temporaries_are_not_kept() {
    if !is_on() {
        return skipped(OFF);
    }
    let program = lower(&ptx::kernel(
        ptx::SM_75,
        ".param .u64 to",
        ".reg .pred %p;\n\
         .reg .b32 %r<5>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [to];\nmov.u32 %r1, 0;\n\
         mov.u32 %r4, 1;\nL:\nadd.u32 %r2, %r1, 5;\nxor.b32 %r3, %r2, %r1;\n\
         add.u32 %r1, %r1, %r3;\nadd.u32 %r2, %r2, %r4;\nsetp.lt.u32 %p, %r1, 100;\n@%p bra L;\n\
         st.global.u32 [%rd1], %r2;\nret;",
    ));
    let code = program.code(false);
    let kept = |run: &Run| {
        let kept = run.block(code).expect("of steps").kept;
        let narrow = kept.iter().filter(|p| matches!(p, texunit_jit::Place::Narrow(_))).count();
        (narrow, kept.len())
    };
    let [before, inside] = &*code.runs.all else { panic!("{:?}", code.runs.all) };
    // %r1, %r4, %rd1; then %r1, %r2, %p: not %r3.
    assert_eq!(kept(before), (2, 3));
    assert_eq!(kept(inside), (2, 3));
}
