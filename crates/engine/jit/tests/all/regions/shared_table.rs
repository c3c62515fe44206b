//! Tests warps in one table against the same warps run one after the other, in the same order.
//! Where the warps wait for each other, the test changes their registers, and they resume.

use super::divergence::Warp;
use super::model::{BASES, FRAME, Next, World};
use super::random;
use super::{Case, difference, list, position};
use std::cell::Cell;
use texunit_jit::region::{
    self, DivergenceLimits, End, Exit, ExitReason, FIRST_TURN, Inputs, Mode, Passed, Resume,
    Runtime, Sites, Target, WaitingWarps, WarpStart, WarpTable,
};
use texunit_jit::{B32, B64, Registers, VReg};
use texunit_memory::Block;
use texunit_testkit::Random;

/// The registers of a warp, and its local memory.
#[derive(Clone, Debug, PartialEq)]
struct RegisterFiles {
    narrow: Vec<B32>,
    wide: Vec<B64>,
    predicates: Vec<u32>,
    local: Vec<B32>,
}

impl RegisterFiles {
    fn all<'a>(&'a mut self, rows: &'a [B32]) -> (Registers<'a>, &'a mut [B32]) {
        let Self { narrow, wide, predicates, local } = self;
        (Registers { narrow, wide, predicates, per_lane: rows }, local)
    }

    /// Exchanges these registers with those of a state.
    fn swap(&mut self, world: &mut World) {
        std::mem::swap(&mut self.narrow, &mut world.narrow);
        std::mem::swap(&mut self.wide, &mut world.wide);
        std::mem::swap(&mut self.predicates, &mut world.predicates);
        std::mem::swap(&mut self.local, &mut world.local);
    }
}

/// The exit record of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Out {
    at: u32,
    why: ExitReason,
    steps: u64,
    threads: u64,
    /// At least the number of steps: once a turn is over, the exact limit does not matter.
    limit: u64,
    diverged: bool,
    atomics_left: u32,
    last_atomic: u64,
}

/// The numbers of atomics of the first turn and of each later turn.
const ATOMICS: [u32; 2] = [2, 3];

/// Limits of the runs.
#[derive(Clone, Copy, Debug)]
struct Limits {
    steps: u64,
    end: u64,
    divergence: DivergenceLimits,
}

/// A register in which changes during a wait can be observed: one that holds no parameter at any
/// block.
fn written(case: &Case) -> Option<usize> {
    let known = |i: &usize| {
        let place = VReg::B32(*i as u32);
        case.region.params.iter().flatten().any(|known| known.0 == place)
    };
    (0..4).find(|i| !known(i))
}

/// The change to a register of a waiting warp.
fn act(row: &mut B32, warp: usize) {
    row.iter_mut().for_each(|n| *n = n.rotate_left(3) ^ warp as u32);
}

impl Case {
    fn inputs<'a>(&'a self, counts: &'a [Cell<u64>]) -> Inputs<'a> {
        Inputs {
            constants: &self.fixed.constants,
            wide_constants: &self.fixed.wide_constants,
            uniforms: &self.fixed.words,
            bytes: &self.fixed.bytes,
            counts,
            prefetch_distance: 512,
            is_contiguous: true,
            is_stream: true,
        }
    }

    /// Checks that a waiting warp has all live registers in its register file, except those that
    /// are known to hold a parameter after the yield point.
    fn assert_stored(&self, at: u32, had: &RegisterFiles, expected: &RegisterFiles) {
        let resume_point = self.resume_point(at);
        let blocks = self.region.blocks.iter().zip(&self.region.params);
        let next = blocks.filter(|of| Some(of.0.at) == resume_point).flat_map(|of| of.1);
        let known: Vec<VReg> = next.map(|known| known.0).collect();
        let lanes = |lane: &usize| self.mask >> lane & 1 != 0;
        for (i, (a, b)) in had.narrow.iter().zip(&expected.narrow).enumerate() {
            let same = (0..32).filter(lanes).all(|lane| a[lane] == b[lane]);
            assert!(same || known.contains(&VReg::B32(i as u32)), "narrow {i} at {at}");
        }
        for (i, (a, b)) in had.wide.iter().zip(&expected.wide).enumerate() {
            let same = (0..32).filter(lanes).all(|lane| a[lane] == b[lane]);
            assert!(same || known.contains(&VReg::B64(i as u32)), "wide {i} at {at}");
        }
        for (i, (a, b)) in had.predicates.iter().zip(&expected.predicates).enumerate() {
            assert_eq!(a & self.mask, b & self.mask, "predicate {i} at {at}");
        }
    }

    /// The yield point of an instruction: where it continues, and the number of instructions that
    /// it counts as if it is a barrier.
    fn yield_point(&self, at: u32) -> (Target, Option<u32>) {
        let of = self.region.blocks.iter().find_map(|block| match block.end {
            End::Yield { at: this, next, barrier } if this == at => Some((next, barrier)),
            _ => None,
        });
        of.expect("a yield point")
    }

    /// The instruction after a yield point, if the region continues there.
    fn resume_point(&self, at: u32) -> Option<u32> {
        match self.yield_point(at).0 {
            Target::Block(next) => Some(self.region.blocks[next as usize].at),
            Target::Leave(_) => None,
        }
    }
}

/// A wait of all warps, with their registers at that time.
struct Wait {
    at: u32,
    /// The number of instructions that the wait counts as.
    counted: u64,
    /// Whether the registers are changed, because the instruction is not a barrier.
    acts: bool,
    files: Vec<RegisterFiles>,
}

/// The runtime of a table, which records the waits, and ends after 20 that are not barriers.
struct Waits<'c> {
    case: &'c Case,
    all: Vec<Wait>,
}

impl Runtime for Waits<'_> {
    fn execute(&mut self, at: u32, warps: &mut WaitingWarps<'_>) -> Option<Passed> {
        let barrier = self.case.yield_point(at).1;
        if barrier.is_none() && self.all.iter().filter(|wait| wait.acts).count() == 20 {
            return None;
        }
        let copy = |(files, _): (region::RegisterFiles<'_>, u32)| RegisterFiles {
            narrow: files.narrow.to_vec(),
            wide: files.wide.to_vec(),
            predicates: files.predicates.to_vec(),
            local: Vec::new(),
        };
        let (steps, acts) = (barrier.unwrap_or(1), barrier.is_none());
        let counted = steps.into();
        self.all.push(Wait { at, counted, acts, files: warps.each().map(copy).collect() });
        let row = written(self.case).filter(|_| acts);
        for (i, (files, live)) in warps.each().enumerate() {
            assert_eq!(live, self.case.mask);
            row.into_iter().for_each(|row| act(&mut files.narrow[row], i));
        }
        Some(Passed { warps: warps.len(), steps, ends_turns: true })
    }
}

/// Runs the warps in one table. Returns their exit records and their waits. With `passes`, the code
/// releases barriers itself, so that they are not waits.
fn run_in_table(
    case: &Case,
    (world, all): (&mut World, &mut [RegisterFiles]),
    sites: &mut Sites<'_>,
    limits: Limits,
    passes: bool,
) -> Option<(Vec<Out>, Vec<Wait>)> {
    let counts: Vec<Cell<u64>> = world.counts.iter().map(|&n| Cell::new(n)).collect();
    let entry = case.function.entry_of(Mode::Live, case.region.blocks[0].at)?;
    let mut running = case.function.with(case.inputs(&counts), sites).expect("inputs");
    if !case.function.has_yield_points() {
        return None;
    }
    let len = all.len();
    let mut waits = Waits { case, all: Vec::new() };
    let mut table = running.table(Mode::Live, &mut world.shared, u32::MAX, limits.divergence);
    table.wait_at_yield_points(&mut waits);
    if passes {
        table.pass_barriers();
    }
    assert!(table.is_empty());
    for files in &mut *all {
        let (live, limit, end) = (case.mask, limits.steps, limits.end);
        let (registers, local) = files.all(&case.fixed.rows);
        let [atomics, turn_atomics] = ATOMICS;
        let start = WarpStart { index: 0, mask: live, live, limit, end, atomics, turn_atomics };
        assert!(table.add(registers, local, FRAME, start), "files");
    }
    let (mut out, mut next, mut from) = (vec![None; len], 0, Resume::Entry(entry));
    let leaves = |end: &End| if let End::Leave { at } = *end { Some(at) } else { None };
    let exit = case.region.blocks.iter().find_map(|block| leaves(&block.end)).unwrap_or(u32::MAX);
    while let Some(i) = table.run(next..len, from, exit) {
        out[i] = table.exit(i).map(Out::of);
        (next, from) = (i + 1, Resume::Previous);
    }
    leave(&mut table, &mut out);
    let _ = running;
    world.counts = counts.iter().map(Cell::get).collect();
    let is_barrier = |wait: &Wait| !wait.acts;
    assert!(!passes || !waits.all.iter().any(is_barrier), "the code has not passed a barrier");
    Some((out.into_iter().flatten().collect(), waits.all))
}

impl Out {
    fn of(exit: Exit) -> Self {
        let Exit { at, why, steps, threads, limit, diverged, .. } = exit;
        let Exit { atomics_left, last_atomic, .. } = exit;
        let limit = limit.max(steps);
        Self { at, why, steps, threads, limit, diverged, atomics_left, last_atomic }
    }
}

/// Makes waiting warps exit.
fn leave(table: &mut WarpTable<'_, '_>, out: &mut [Option<Out>]) {
    for (i, out) in out.iter_mut().enumerate().filter(|(_, out)| out.is_none()) {
        let pending = table.exit(i).expect("one of them");
        if pending.why == ExitReason::Yield {
            assert_eq!(table.run(i..i + 1, Resume::Exit(pending.at), u32::MAX), None);
            let now = table.exit(i).expect("one of them");
            assert_eq!(now, Exit { why: ExitReason::Instruction, ..pending });
        }
        *out = Some(Out::of(Exit { why: ExitReason::Instruction, ..pending }));
    }
}

/// Runs the warps one after the other, up to each of these waits.
fn run_one_by_one(
    case: &Case,
    (world, all): (&mut World, &mut [RegisterFiles]),
    sites: &mut Sites<'_>,
    (limits, waits): (Limits, &[Wait]),
) -> Vec<Out> {
    let counts: Vec<Cell<u64>> = world.counts.iter().map(|&n| Cell::new(n)).collect();
    let lanes = u64::from(case.mask.count_ones());
    let start = |files: &RegisterFiles| (files.clone(), 0_u64, 0_u64, limits.steps, 0_u64);
    let mut each: Vec<_> = all.iter().map(start).collect();
    let mut from = Some(case.region.blocks[0].at);
    let mut out = Vec::new();
    for round in 0..=waits.len() {
        let entry = case.function.entry_of(Mode::Live, from.expect("an entry")).expect("an entry");
        out.clear();
        for (files, steps, threads, limit, last_atomic) in &mut each {
            let mut running = case.function.with(case.inputs(&counts), sites).expect("inputs");
            let rest = |end: u64| end.saturating_sub(*steps);
            let divergence = DivergenceLimits { end: rest(limits.end), ..limits.divergence };
            let atomics = ATOMICS[round.min(1)];
            let (live, end, turn_atomics) = (case.mask, divergence.end, atomics);
            let limit_here = rest(*limit);
            let start = WarpStart {
                index: 0,
                mask: live,
                live,
                limit: limit_here,
                end,
                atomics,
                turn_atomics,
            };
            let (registers, local) = files.all(&case.fixed.rows);
            let mut table = running.table(Mode::Live, &mut world.shared, u32::MAX, divergence);
            assert!(table.add(registers, local, FRAME, start), "files");
            let _ = table.run(0..1, Resume::Entry(entry), u32::MAX);
            let left = table.exit(0).expect("it has run");
            *limit = if left.limit == limit_here { *limit } else { *steps + left.limit };
            if left.last_atomic != 0 {
                *last_atomic = *steps + left.last_atomic;
            }
            (*steps, *threads) = (*steps + left.steps, *threads + left.threads);
            let (at, why, diverged) = (left.at, left.why, left.diverged);
            let limit = (*limit).max(*steps);
            let Exit { atomics_left, .. } = left;
            let (steps, threads, last_atomic) = (*steps, *threads, *last_atomic);
            out.push(Out { at, why, steps, threads, limit, diverged, atomics_left, last_atomic });
        }
        let Some(&Wait { at, counted, acts, files: ref had }) = waits.get(round) else { break };
        for (i, (files, steps, threads, ..)) in each.iter_mut().enumerate() {
            assert_eq!(
                (out[i].at, out[i].why),
                (at, ExitReason::Instruction),
                "warp {i} does not wait"
            );
            case.assert_stored(at, &had[i], files);
            let row = written(case).filter(|_| acts);
            row.into_iter().for_each(|row| act(&mut files.narrow[row], i));
            (*steps, *threads) = (*steps + counted, *threads + counted * lanes);
        }
        from = case.resume_point(at);
    }
    for (files, now) in all.iter_mut().zip(each) {
        *files = now.0;
    }
    world.counts = counts.iter().map(Cell::get).collect();
    out
}

/// Compares both ways of running. Returns how often the warps have waited and resumed.
pub(crate) fn compare(case: &Case, seed: u64, random: &mut Random) -> u64 {
    let mut here = random::world(random);
    let (mut there, mut passing) = (here.copy(), here.copy());
    let blocks = [&here, &there, &passing].map(|world| world.global.clone());
    let mut sites = [(); 3].map(|()| case.function.sites());
    let mut waited = 0;
    for _ in 0..8 {
        let warps = 1 + random.below(4_usize);
        let mut files: Vec<RegisterFiles> = (0..warps)
            .map(|_| {
                let world = random::world(random);
                RegisterFiles {
                    narrow: world.narrow,
                    wide: world.wide,
                    predicates: world.predicates,
                    local: world.local,
                }
            })
            .collect();
        let (mut others, mut those) = (files.clone(), files.clone());
        let steps = random.of(&[0, 5, 30, 100]);
        let (turn, shared_turn) = (random.below(40), FIRST_TURN);
        let wait_limit = random.of(&[1000, 10, 0]);
        let end = steps + random.below(30_u64);
        let divergence =
            DivergenceLimits { end: 0, turn, shared_turn, wait_limit, patience: u64::MAX };
        let limits = Limits { steps, end, divergence };
        let run = run_in_table(case, (&mut here, &mut files), &mut sites[0], limits, false);
        let Some((out, waits)) = run else { return waited };
        let run = run_in_table(case, (&mut passing, &mut those), &mut sites[2], limits, true);
        let expected =
            run_one_by_one(case, (&mut there, &mut others), &mut sites[1], (limits, &waits));
        let at: Vec<u32> = waits.iter().map(|wait| wait.at).collect();
        let say = |what: String| {
            format!("seed {seed}, {limits:?}, together, {at:?}: {what}:\n{}", list(&case.region))
        };
        assert_eq!(out, expected, "{}", say("they stand elsewhere".to_owned()));
        let passed = run.expect("the same").0;
        assert_eq!(passed, out, "{}", say("code that passes barriers".to_owned()));
        assert_eq!(those, files, "{}", say("registers of code that passes barriers".to_owned()));
        waited += waits.len() as u64;
        for (i, out) in out.iter().enumerate() {
            files[i].swap(&mut here);
            others[i].swap(&mut there);
            let at =
                position(&case.region, out.at).map_or(Next::Out(out.at), |(b, i)| Next::At(b, i));
            // If lanes have diverged, their live registers depend on where each lane is, and are
            // not compared.
            if !out.diverged {
                let difference = difference(case, &Warp::new(at, case.mask), &here, &there);
                assert!(difference.is_none(), "{}", say(format!("warp {i}: {difference:?}")));
            }
            files[i].swap(&mut here);
            others[i].swap(&mut there);
        }
        let same = (0..2).all(|i| here.bytes(i) == passing.bytes(i));
        assert!(same && here.shared == passing.shared && here.counts == passing.counts);
        let missed: Vec<u32> = out
            .iter()
            .filter_map(|out| match out.why {
                ExitReason::Site(site) => Some(site),
                _ => None,
            })
            .collect();
        for site in missed {
            let block = random.below(2_usize);
            for (sites, blocks) in sites.iter_mut().zip(&blocks) {
                let block: &Block = &blocks[block];
                case.function.fill(
                    sites,
                    site,
                    block.reach(BASES[block_number(blocks, block)]),
                    &case.fixed.bytes,
                );
            }
        }
    }
    waited
}

/// The index of a block of memory.
fn block_number(blocks: &[std::sync::Arc<Block>], block: &Block) -> usize {
    blocks.iter().position(|of| std::ptr::eq(&**of, block)).unwrap_or(0)
}
