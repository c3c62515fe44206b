//! Tests regions that cannot be compiled, and calls with register files or inputs that are too
//! short.

use texunit_jit::region::{self, Action, Block, End, Function, Inputs, Level, Mode, Region, Step};
use texunit_jit::{Error, Op, Predicate, Registers, Source, VReg};

fn step(op: Op, to: VReg, from: [Source; 3]) -> Step {
    let action = Action::Compute { op, to, from };
    Step { at: 0, guard: Predicate::Always, counted: true, action }
}

fn region(steps: Vec<Step>) -> Region {
    let mut kept = Vec::new();
    steps.iter().for_each(|step| step.each_written(&mut |place| kept.push(place)));
    let (kept, end) = (kept.into_iter().collect(), End::Leave { at: 1 });
    let block = Block { at: 0, is_entry: true, joins: false, steps, end, kept };
    Region { blocks: vec![block], ..Region::default() }
}

fn compile(region: &Region, level: Level) -> Result<Function, Error> {
    region::compile(region, Mode::Live, level)
}

/// Runs code with `registers` registers and these parameters.
fn call(code: &Function, registers: usize, bytes: &[u8]) -> Option<Vec<[u32; 32]>> {
    let mut narrow = vec![[1; 32]; registers];
    let inputs = Inputs { bytes, ..Inputs::default() };
    let mut sites = code.sites();
    let mut running = code.with(inputs, &mut sites)?;
    let registers =
        Registers { narrow: &mut narrow, wide: &mut [], predicates: &mut [], per_lane: &[] };
    let lanes = (u32::MAX, u32::MAX);
    crate::run(&mut running, registers, lanes, code.entry(0)?).map(|_| narrow)
}

#[test]
fn short_files_are_refused() {
    for level in crate::levels() {
        let from = [Source::B32(2), Source::Bytes32(4), Source::Literal(0)];
        let region = region(vec![step(Op::Add, VReg::B32(0), from)]);
        let code = compile(&region, level).expect("code");
        assert_eq!(call(&code, 2, &[0; 8]), None);
        assert_eq!(call(&code, 3, &[0; 7]), None);
        let done = call(&code, 3, &[9, 9, 9, 9, 5, 0, 0, 0]).expect("long enough");
        assert_eq!(done, [[6; 32], [1; 32], [1; 32]]);
    }
}

/// A region needs exactly the counters that it uses: with one more, it would never run.
#[test]
fn counters_are_as_many_as_are_counted() {
    let of = Some(Predicate::If(0));
    for level in crate::levels() {
        for (action, needed) in [
            (Action::Count { counter: 3, of: None }, 4),
            (Action::Count { counter: 3, of }, 5),
            (Action::Issue { counter: 3, of: None }, 4),
            (Action::Issue { counter: 3, of }, 5),
        ] {
            let step = Step { at: 0, guard: Predicate::Always, counted: false, action };
            let code = compile(&region(vec![step]), level).expect("code");
            for length in [needed - 1, needed] {
                let counts = vec![std::cell::Cell::new(0); length];
                let inputs = Inputs { counts: &counts, ..Inputs::default() };
                let mut sites = code.sites();
                assert_eq!(code.with(inputs, &mut sites).is_some(), length == needed);
            }
        }
    }
}

#[test]
fn what_makes_no_sense_has_no_code() {
    for level in crate::levels() {
        let literals = [Source::Literal(0); 3];
        let fails = |op, to, from| compile(&region(vec![step(op, to, from)]), level).map(drop);
        let wide = [Source::B64(0); 3];
        assert_eq!(fails(Op::Add, VReg::B32(0), wide), Err(Error::Operands(0)));
        assert_eq!(fails(Op::AddWide, VReg::B32(0), wide), Err(Error::Operands(0)));
        assert_eq!(fails(Op::Add, VReg::Predicate(0), literals), Err(Error::Operands(0)));
        let far = VReg::B32(u32::MAX);
        assert_eq!(fails(Op::Copy, far, literals), Err(Error::RegisterLimit(far)));
        for input in [Source::Bytes32(1 << 30), Source::Uniform(1 << 20)] {
            let too_far = Err(Error::InputLimit(input));
            assert_eq!(fails(Op::Copy, VReg::B32(0), [input; 3]), too_far);
        }
    }
}

#[test]
fn a_block_of_nothing_has_code() {
    for level in crate::levels() {
        let code = compile(&region(Vec::new()), level).expect("code");
        assert!(code.code_size() > 0);
        assert_eq!(call(&code, 0, &[]), Some(Vec::new()));
    }
}
