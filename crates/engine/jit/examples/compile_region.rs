//! A region of one step as machine code, run for the 32 lanes of a warp.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use texunit_jit::region::{
    Action, Block, DivergenceLimits, End, Inputs, Level, Mode, Region, Resume, Step, WarpStart,
    compile,
};
use texunit_jit::{Op, Predicate, Registers, Source, VReg};

fn main() -> Result<(), Box<dyn Error>> {
    let Some(level) = [Level::Avx512, Level::Avx2].into_iter().find(|level| level.is_available())
    else {
        println!("this processor has neither AVX2 nor AVX-512");
        return Ok(());
    };
    // Register 0 = laneid * 3 + 10.
    let from = [Source::Lane, Source::Literal(3), Source::Literal(10)];
    let action = Action::Compute { op: Op::MulAdd, to: VReg::B32(0), from };
    let steps = vec![Step { at: 0, guard: Predicate::Always, counted: true, action }];
    let end = End::Leave { at: 1 };
    let kept = [VReg::B32(0)].into_iter().collect();
    let block = Block { at: 0, is_entry: true, joins: false, steps, end, kept };
    let region = Region { blocks: vec![block], ..Region::default() };
    let code = compile(&region, Mode::Live, level)?;

    let mut narrow = [[0; 32]];
    let mut sites = code.sites();
    let mut running = code.with(Inputs::default(), &mut sites).ok_or("wrong inputs")?;
    let registers =
        Registers { narrow: &mut narrow, wide: &mut [], predicates: &mut [], per_lane: &[] };
    let (mask, live, limit) = (u32::MAX, u32::MAX, u64::MAX);
    let start = WarpStart { mask, live, limit, ..WarpStart::default() };
    let mut table = running.table(Mode::Live, &mut [], u32::MAX, DivergenceLimits::default());
    assert!(table.add(registers, &mut [], 0..0, start));
    let entry = code.entry(0).ok_or("no entry")?;
    let _ = table.run(0..1, Resume::Entry(entry), u32::MAX);
    println!("{:?}", table.exit(0));
    assert!((0..32).all(|lane| narrow[0][lane] == 3 * lane as u32 + 10));
    Ok(())
}
