//! Warps that run a region together against the same warps that run it one after the other in the same order: where they
//! wait for each other something is done to their registers, and they go on.

use super::{Case, difference, list, position};
use crate::divergence::Warp;
use crate::model::{BASES, FRAME, Next, World};
use crate::random;
use std::cell::Cell;
use texunit_jit::region::{
    self, Budget, DivergenceLimits, End, ExitReason, Inputs, Memory, Mode, Resume, Sites, Target,
    WarpTable,
};
use texunit_jit::{B32, B64, Place, Registers};
use texunit_memory::Block;
use texunit_testkit::Random;

/// The registers of a warp.
#[derive(Clone)]
struct RegisterFiles {
    narrow: Vec<B32>,
    wide: Vec<B64>,
    predicates: Vec<u32>,
}

impl RegisterFiles {
    fn registers<'a>(&'a mut self, rows: &'a [B32]) -> Registers<'a> {
        let Self { narrow, wide, predicates } = self;
        Registers { narrow, wide, predicates, rows }
    }

    /// A world with these registers.
    fn swap(&mut self, world: &mut World) {
        std::mem::swap(&mut self.narrow, &mut world.narrow);
        std::mem::swap(&mut self.wide, &mut world.wide);
        std::mem::swap(&mut self.predicates, &mut world.predicates);
    }
}

/// How a warp has come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Out {
    at: u32,
    why: ExitReason,
    steps: u64,
    threads: u64,
    /// Not less than the steps: where it is over, it does not matter since when.
    limit: u64,
    diverged: bool,
}

/// How long warps run.
#[derive(Clone, Copy, Debug)]
struct Limits {
    steps: u64,
    end: u64,
    divergence: DivergenceLimits,
}

/// A register in which what is done while they wait can be seen: one that has no input at any block.
fn written(case: &Case) -> Option<usize> {
    let known = |i: &usize| {
        let place = Place::B32(*i as u32);
        case.region.params.iter().flatten().any(|known| known.0 == place)
    };
    (0..4).find(|i| !known(i))
}

/// What is done to a register of the warp of this number.
fn act(row: &mut B32, warp: usize) {
    row.iter_mut().for_each(|n| *n = n.rotate_left(3) ^ warp as u32);
}

impl Case {
    fn inputs<'a>(&'a self, counts: &'a [Cell<u64>]) -> Inputs<'a> {
        Inputs {
            constants: &self.fixed.constants,
            wide_constants: &self.fixed.wide_constants,
            words: &self.fixed.words,
            bytes: &self.fixed.bytes,
            counts,
            ahead: 512,
            is_line: true,
        }
    }

    /// Who waits has all registers at home, but those of which is known behind the pause that they have a parameter.
    fn assert_at_home(&self, at: u32, had: &RegisterFiles, expected: &RegisterFiles) {
        let behind = self.behind(at);
        let blocks = self.region.blocks.iter().zip(&self.region.params);
        let next = blocks.filter(|of| Some(of.0.at) == behind).flat_map(|of| of.1);
        let known: Vec<Place> = next.map(|known| known.0).collect();
        let lanes = |lane: &usize| self.mask >> lane & 1 != 0;
        for (i, (a, b)) in had.narrow.iter().zip(&expected.narrow).enumerate() {
            let same = (0..32).filter(lanes).all(|lane| a[lane] == b[lane]);
            assert!(same || known.contains(&Place::B32(i as u32)), "narrow {i} at {at}");
        }
        for (i, (a, b)) in had.wide.iter().zip(&expected.wide).enumerate() {
            let same = (0..32).filter(lanes).all(|lane| a[lane] == b[lane]);
            assert!(same || known.contains(&Place::B64(i as u32)), "wide {i} at {at}");
        }
        for (i, (a, b)) in had.predicates.iter().zip(&expected.predicates).enumerate() {
            assert_eq!(a & self.mask, b & self.mask, "predicate {i} at {at}");
        }
    }

    /// The instruction behind a pause, if the region goes on there.
    fn behind(&self, at: u32) -> Option<u32> {
        let end = self.region.blocks.iter().find_map(|block| match block.end {
            texunit_jit::region::End::Yield { at: pause, next } if pause == at => Some(next),
            _ => None,
        });
        match end? {
            Target::Block(next) => Some(self.region.blocks[next as usize].at),
            Target::Leave(_) => None,
        }
    }
}

/// Where all have waited for each other, and what they had then.
struct Wait {
    at: u32,
    files: Vec<RegisterFiles>,
}

/// Runs them together: how they have come out, and where they have waited for each other and gone on.
fn linked(
    case: &Case,
    (world, all): (&mut World, &mut [RegisterFiles]),
    sites: &mut Sites<'_>,
    limits: Limits,
) -> Option<(Vec<Out>, Vec<Wait>)> {
    let counts: Vec<Cell<u64>> = world.counts.iter().map(|&n| Cell::new(n)).collect();
    let entry = case.function.entry_of(Mode::Live, case.region.blocks[0].at)?;
    let mut running = case.function.with(case.inputs(&counts), sites).expect("inputs");
    let mut nothing = RegisterFiles { narrow: vec![], wide: vec![], predicates: vec![] };
    let mut series = running.series(entry, &mut world.shared, limits.divergence)?;
    let mut warp_table = series.warp_table()?;
    assert!(!warp_table.add(nothing.registers(&[]), 0, 0, (0, 0)), "no lanes");
    assert!(warp_table.is_empty());
    let (len, until) = (all.len(), (limits.steps, limits.end));
    for files in &mut *all {
        assert!(
            warp_table.add(files.registers(&case.fixed.rows), FRAME.start, case.mask, until),
            "files"
        );
    }
    let (mut out, mut waits) = (vec![None; len], Vec::new());
    let mut way = Resume::Entry(entry);
    let leaves = |end: &End| if let End::Leave { at } = *end { Some(at) } else { None };
    let exit = case.region.blocks.iter().find_map(|block| leaves(&block.end)).unwrap_or(u32::MAX);
    loop {
        let mut next = 0;
        while let Some((i, at)) = warp_table.run(next..len, way, exit) {
            let series = warp_table.series();
            let (steps, threads, limit) = (series.steps(), series.threads(), series.limit());
            let diverged = series.has_diverged();
            let limit = limit.max(steps);
            out[i] = Some(Out { at, why: series.why(), steps, threads, limit, diverged });
            next = i + 1;
        }
        let at = warp_table.wait_at().filter(|_| out.iter().all(Option::is_none));
        let on =
            at.and_then(|at| Some((at, case.function.entry_of(Mode::Live, case.behind(at)?)?)));
        let Some((at, on)) = on.filter(|_| waits.len() < 20) else { break };
        let copy = |(files, _): (region::RegisterFiles<'_>, u32)| RegisterFiles {
            narrow: files.narrow.to_vec(),
            wide: files.wide.to_vec(),
            predicates: files.predicates.to_vec(),
        };
        waits.push(Wait { at, files: warp_table.each().map(copy).collect() });
        let row = written(case);
        for (i, (files, live)) in warp_table.each().enumerate() {
            assert_eq!(live, case.mask);
            row.into_iter().for_each(|row| act(&mut files.narrow[row], i));
        }
        warp_table.count(warp_table.len(), 1);
        way = Resume::Entry(on);
    }
    leave(&mut warp_table, &mut out);
    world.counts = counts.iter().map(Cell::get).collect();
    Some((out.into_iter().flatten().collect(), waits))
}

/// Those that wait leave.
fn leave(warp_table: &mut WarpTable<'_, '_>, out: &mut [Option<Out>]) {
    for (i, out) in out.iter_mut().enumerate().filter(|(_, out)| out.is_none()) {
        let pending = warp_table.state(i).expect("one of them");
        if pending.yielded {
            assert_eq!(warp_table.run(i..i + 1, Resume::Exit(pending.at), u32::MAX), None);
            let now = warp_table.state(i).expect("one of them");
            assert_eq!(now, texunit_jit::region::WarpState { yielded: false, ..pending });
        }
        let (at, why, diverged) = (pending.at, ExitReason::Instruction, false);
        let (steps, threads) = (pending.steps, pending.threads);
        let limit = pending.limit.max(steps);
        *out = Some(Out { at, why, steps, threads, limit, diverged });
    }
}

/// The same one after the other, up to each of these instructions.
fn alone(
    case: &Case,
    (world, all): (&mut World, &mut [RegisterFiles]),
    sites: &mut Sites<'_>,
    (limits, waits): (Limits, &[Wait]),
) -> Vec<Out> {
    let counts: Vec<Cell<u64>> = world.counts.iter().map(|&n| Cell::new(n)).collect();
    let lanes = u64::from(case.mask.count_ones());
    let start = |files: &RegisterFiles| (files.clone(), 0_u64, 0_u64, limits.steps);
    let mut each: Vec<_> = all.iter().map(start).collect();
    let mut from = Some(case.region.blocks[0].at);
    let mut out = Vec::new();
    for round in 0..=waits.len() {
        let entry = case.function.entry_of(Mode::Live, from.expect("an entry")).expect("an entry");
        out.clear();
        for (files, steps, threads, limit) in &mut each {
            let mut running = case.function.with(case.inputs(&counts), sites).expect("inputs");
            let memory =
                Memory { shared: &mut world.shared, local: &mut world.local, frame: FRAME };
            let rest = |end: u64| end.saturating_sub(*steps);
            let divergence = DivergenceLimits { end: rest(limits.end), ..limits.divergence };
            let until =
                Budget { steps: rest(*limit), reconverge_at: u32::MAX, atomics: 0, divergence };
            let registers = files.registers(&case.fixed.rows);
            let left = running.run(registers, memory, (case.mask, case.mask), entry, until);
            let left = left.expect("files");
            *limit = if left.limit == until.steps { *limit } else { *steps + left.limit };
            (*steps, *threads) = (*steps + left.steps, *threads + left.threads);
            let (at, why, diverged) = (left.at, left.why, left.diverged);
            let limit = (*limit).max(*steps);
            out.push(Out { at, why, steps: *steps, threads: *threads, limit, diverged });
        }
        let Some(Wait { at, files: had }) = waits.get(round) else { break };
        let at = *at;
        for (i, (files, steps, threads, _)) in each.iter_mut().enumerate() {
            assert_eq!(
                (out[i].at, out[i].why),
                (at, ExitReason::Instruction),
                "warp {i} does not wait"
            );
            case.assert_at_home(at, &had[i], files);
            written(case).into_iter().for_each(|row| act(&mut files.narrow[row], i));
            (*steps, *threads) = (*steps + 1, *threads + lanes);
        }
        from = case.behind(at);
    }
    for (files, now) in all.iter_mut().zip(each) {
        *files = now.0;
    }
    world.counts = counts.iter().map(Cell::get).collect();
    out
}

/// How often warps have waited for each other and gone on.
pub(crate) fn compare(case: &Case, seed: u64, random: &mut Random) -> u64 {
    let mut here = random::world(random);
    let mut there = here.copy();
    let blocks = [here.global.clone(), there.global.clone()];
    let mut sites = [case.function.sites(), case.function.sites()];
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
                }
            })
            .collect();
        let mut others = files.clone();
        let steps = random.of(&[0, 5, 30, 100]);
        let (turn, wait_limit) = (random.below(40), random.of(&[1000, 10, 0]));
        let end = steps + random.below(30_u64);
        let divergence = DivergenceLimits { end: 0, turn, wait_limit, patience: u64::MAX };
        let limits = Limits { steps, end, divergence };
        let Some((out, waits)) = linked(case, (&mut here, &mut files), &mut sites[0], limits)
        else {
            return waited;
        };
        let expected = alone(case, (&mut there, &mut others), &mut sites[1], (limits, &waits));
        let at: Vec<u32> = waits.iter().map(|wait| wait.at).collect();
        let say = |what: String| {
            format!("seed {seed}, {limits:?}, together, {at:?}: {what}:\n{}", list(&case.region))
        };
        assert_eq!(out, expected, "{}", say("they stand elsewhere".to_owned()));
        waited += waits.len() as u64;
        for (i, out) in out.iter().enumerate() {
            files[i].swap(&mut here);
            others[i].swap(&mut there);
            let at =
                position(&case.region, out.at).map_or(Next::Out(out.at), |(b, i)| Next::At(b, i));
            // Where lanes have parted, registers are those of places that only the groups know.
            if !out.diverged {
                let difference = difference(case, &Warp::new(at, case.mask), &here, &there);
                assert!(difference.is_none(), "{}", say(format!("warp {i}: {difference:?}")));
            }
            files[i].swap(&mut here);
            others[i].swap(&mut there);
        }
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

/// The number of a block.
fn block_number(blocks: &[std::sync::Arc<Block>], block: &Block) -> usize {
    blocks.iter().position(|of| std::ptr::eq(&**of, block)).unwrap_or(0)
}
