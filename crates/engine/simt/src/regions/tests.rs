//! Tests of the contents of regions, and of the decision to compile.

use super::action::steps;
use super::operand::Operands;
use super::setting::{JitMode, Setting};
use super::table::Table;
use crate::code::Op;
use crate::launch::Arithmetic;
use crate::lower::lower_text;
use texunit_jit::region::Mode;
use texunit_testkit::ptx;

/// The arithmetic and memory accesses of sampling kernels are compiled.
#[test]
fn sampling_kernels_are_compiled() {
    for text in [
        include_str!("../../../../../bench/data/sample-coh.ptx"),
        include_str!("../../../../../bench/data/sample-rand.ptx"),
        include_str!("../../../../../bench/benches/fma.ptx"),
        include_str!("../../../../tools/workloads/src/kernels.ptx"),
    ] {
        let program = lower_text(text);
        for fmad in [false, true] {
            let code = program.code(Arithmetic { fmad, ..Arithmetic::default() });
            let mut operands = Operands::new(code, 0);
            for (at, inst) in (0..).zip(&code.insts) {
                use Op::{Branch, Exit, Fetch, Join, Yield};
                let others = matches!(inst.op, Fetch(_) | Branch { .. } | Exit | Join | Yield);
                assert!(others || steps(&mut operands, inst, at).is_some(), "{inst:?}");
            }
        }
    }
}

/// A function that is interpreted a little from each of many entries becomes one region once that
/// pays.
#[test]
fn places_of_a_function_add_up() {
    let Some(setting) = Setting::of(Some(JitMode::On)) else { return };
    let mut body = ".reg .b32 %r1;\nmov.u32 %r1, 1;\n".to_owned();
    (0..40).for_each(|_| body += "bar.sync 0;\nadd.u32 %r1, %r1, %r1;\n");
    let program = lower_text(&ptx::kernel(ptx::SM_75, "", &(body + "ret;")));
    let code = program.code(Arithmetic::default());
    let barriers = (0..).zip(&code.insts).filter(|(_, inst)| matches!(inst.op, Op::Barrier(_)));
    let places: Vec<u32> = barriers.map(|(at, _)| at + 1).collect();
    let table = Table::new(code, true);
    let first = places[0];
    for _ in 0..2 {
        table.make(code, setting, Mode::Live, first);
        assert_eq!(table.at(Mode::Live, first), None, "too little has been interpreted");
        for &at in &places {
            table.warm(code, Mode::Live, at, 500);
        }
    }
    table.make(code, setting, Mode::Live, first);
    let number = table.at(Mode::Live, first).expect("code of the function");
    assert!(places.iter().all(|&at| table.at(Mode::Live, at) == Some(number)));
}

/// Instructions interpreted within a region, such as barriers, never cause a region to be replaced,
/// however often they are executed.
#[test]
fn code_keeps_its_doors() {
    let Some(setting) = Setting::of(Some(JitMode::On)) else { return };
    let body = ".reg .pred %p;\n.reg .b32 %r1;\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p, %r1, 5;\n\
                @%p bra L;\nadd.u32 %r1, %r1, 1;\nL:\nbar.sync 0;\nadd.u32 %r1, %r1, %r1;\nret;";
    let program = lower_text(&ptx::kernel(ptx::SM_75, "", body));
    let code = program.code(Arithmetic::default());
    let table = Table::new(code, true);
    let count = code.insts.len() as u32;
    let all = || (0..count).flat_map(|at| [Mode::Live, Mode::Some].map(|mode| (mode, at)));
    let doors = || all().map(|(mode, at)| table.at(mode, at)).collect::<Vec<_>>();
    table.make(code, Setting { always: true, ..setting }, Mode::Some, 0);
    let before = doors();
    assert!(before.iter().any(Option::is_some) && before.iter().any(Option::is_none));
    for _ in 0..2 {
        for (mode, at) in all() {
            table.warm(code, mode, at, 1 << 20);
            table.make(code, setting, mode, at);
        }
    }
    assert_eq!(doors(), before);
}
