//! Tests of the contents of regions, and of the decision to compile.

use super::action::steps;
use super::cut::Cut;
use super::operand::Operands;
use super::setting::{JitMode, Setting};
use super::table::Table;
use crate::code::{Code, Op};
use crate::flow::Flow;
use crate::launch::Arithmetic;
use crate::lower::lower_text;
use texunit_jit::VReg;
use texunit_jit::region::{Action, Block, End, Mode, Region, Target};
use texunit_testkit::ptx;

fn region_of_all(code: &Code) -> Region {
    let facts = Flow::of(code, 0, usize::MAX, true).map(|flow| flow.facts);
    Cut { function: 0, insts: 0..code.insts.len() as u32 }.region(code, facts.as_ref(), &[])
}

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
        for code in
            [false, true].map(|fmad| program.code(Arithmetic { fmad, ..Arithmetic::default() }))
        {
            let mut operands = Operands::new(code, 0);
            for (at, inst) in (0..).zip(&code.insts) {
                let others = matches!(
                    inst.op,
                    Op::Fetch(_) | Op::Branch { .. } | Op::Exit | Op::Join | Op::Yield
                );
                assert!(others || steps(&mut operands, inst, at).is_some(), "{inst:?}");
            }
        }
    }
}

const LOOP: &str = ".reg .pred %p;\n\
     .reg .b32 %r<5>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [to];\nmov.u32 %r1, 0;\n\
     mov.u32 %r4, 1;\nL:\nadd.u32 %r2, %r1, 5;\nxor.b32 %r3, %r2, %r1;\n\
     add.u32 %r1, %r1, %r3;\nadd.u32 %r2, %r2, %r4;\nsetp.lt.u32 %p, %r1, 100;\n@%p bra L;\n\
     st.global.u32 [%rd1], %r2;\nret;";

fn narrow(block: &Block) -> usize {
    block.kept.iter().filter(|place| matches!(place, VReg::B32(_))).count()
}

/// Only registers that are live after a block are kept; a loop keeps the values that its next
/// iteration reads.
#[test]
fn temporaries_are_not_kept() {
    let program = lower_text(&ptx::kernel(ptx::SM_75, ".param .u64 to", LOOP));
    let region = region_of_all(program.code(Arithmetic::default()));
    let counts: Vec<_> = region.blocks.iter().map(|b| (narrow(b), b.kept.len())).collect();
    let jumps = |block: &Block| matches!(block.end, End::Branch { .. });
    let inside = region.blocks.iter().position(jumps).expect("a loop");
    // Kept are %r1, %r4 and %rd1, then %r1, %r2, %r4, %rd1 and %p, but not %r3.
    assert_eq!(counts[0], (2, 3), "{counts:?}");
    assert_eq!(counts[inside], (3, 5), "{counts:?}");
    let End::Branch { to, next, at, .. } = region.blocks[inside].end else { unreachable!() };
    assert_eq!(to, Target::Block(inside as u32));
    assert_eq!(next, Target::Block(inside as u32 + 1), "behind {at}");
    assert_eq!(region.sites, 1);
}

/// An instruction that is not compiled ends a block, and the next block begins after it.
#[test]
fn what_is_interpreted_stands_between_blocks() {
    let body = ".reg .b32 %r<3>;\nmov.u32 %r1, %clock;\nadd.u32 %r1, %r1, 1;\nbar.sync 0;\n\
                add.u32 %r2, %r1, %r1;\nret;";
    let program = lower_text(&ptx::kernel(ptx::SM_75, "", body));
    let region = region_of_all(program.code(Arithmetic::default()));
    let leaves = region.blocks.iter().filter_map(|block| match block.end {
        End::Leave { at } => Some(at),
        _ => None,
    });
    let leaves: Vec<u32> = leaves.collect();
    // The clock, the barrier, `ret`, and the end of the code.
    assert_eq!(leaves.len(), 4, "{region:?}");
    for at in &leaves[..2] {
        assert!(region.blocks.iter().any(|block| block.at == at + 1 && block.is_entry));
    }
    let counted = region.blocks.iter().flat_map(|block| &block.steps).filter(|step| step.counted);
    assert!(counted.count() >= 2);
}

/// Packing and unpacking registers that are both source and destination.
#[test]
fn packing_and_unpacking_read_before_they_write() {
    let body = ".reg .b32 %r<3>;\n.reg .b16 %h<3>;\n.reg .b64 %w;\nmov.b32 {%h0, %h1}, %r0;\n\
                mov.b32 %r1, {%h1, %h0};\nmov.b64 %w, {%r0, %r1};\nmov.b64 {%r1, %r0}, %w;\nret;";
    let program = lower_text(&ptx::kernel(ptx::SM_75, "", body));
    let region = region_of_all(program.code(Arithmetic::default()));
    let all = || region.blocks.iter().flat_map(|block| &block.steps);
    assert!(all().filter(|step| step.counted).count() >= 4);
    assert!(all().all(|step| !matches!(step.action, Action::Leave { .. })));
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
        places.iter().for_each(|&at| {
            table.warm(code, Mode::Live, at, 1000);
        });
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
    let all =
        || (0..code.insts.len() as u32).flat_map(|at| [Mode::Live, Mode::Some].map(|m| (m, at)));
    let doors = || all().map(|(mode, at)| table.at(mode, at)).collect::<Vec<_>>();
    table.make(code, Setting { always: true, ..setting }, Mode::Some, 0);
    let before = doors();
    assert!(before.iter().any(Option::is_some) && before.iter().any(Option::is_none));
    for _ in 0..2 {
        for (mode, at) in all() {
            while table.at(mode, at).is_none() && table.warm(code, mode, at, 1 << 20) {}
            table.make(code, setting, mode, at);
        }
    }
    assert_eq!(doors(), before);
}
