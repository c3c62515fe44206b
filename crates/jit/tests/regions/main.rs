//! Regions by chance against plain Rust, on all bits: registers, memory and counts, wherever they are left and
//! entered again.
#![allow(missing_docs)]

#[path = "../primitives/model.rs"]
mod lanes;
mod model;
mod random;

use model::{BASES, FRAME, Fixed, Next, World};
use random::Wanted;
use std::cell::Cell;
use std::collections::HashSet;
use texunit_jit::region::{
    Action, End, Function, Inputs, Left, Level, Memory, Mode, Region, Sites, Target, Until, Why,
    compile,
};
use texunit_jit::{Place, Predicate, Registers};
use texunit_memory::Block;
use texunit_testkit::{Random, skipped};

struct Case {
    region: Region,
    fixed: Fixed,
    function: Function,
    mode: Mode,
    mask: u32,
    live: u32,
    /// Atomics that the function has done.
    atomics: Cell<u64>,
}

/// What differs between two worlds, of the registers that are read from an instruction on.
fn difference(case: &Case, left: u32, a: &World, b: &World) -> Option<String> {
    let lanes = if case.mode == Mode::Live { case.mask } else { u32::MAX };
    let all = || {
        let kept = case.region.blocks.iter().flat_map(|b| b.kept.iter().copied());
        kept.collect::<HashSet<_>>()
    };
    let live = position(&case.region, left).map_or_else(all, |at| model::live(&case.region, at));
    let differs = |lane: usize, x: u64, y: u64| lanes >> lane & 1 != 0 && x != y;
    for lane in 0..32 {
        for (i, (x, y)) in a.narrow.iter().zip(&b.narrow).enumerate() {
            let dead = !live.contains(&Place::Narrow(i as u32));
            if !dead && differs(lane, x[lane].into(), y[lane].into()) {
                return Some(format!("narrow {i}, lane {lane}: {:#x}, {:#x}", x[lane], y[lane]));
            }
        }
        for (i, (x, y)) in a.wide.iter().zip(&b.wide).enumerate() {
            let dead = !live.contains(&Place::Wide(i as u32));
            if !dead && differs(lane, x[lane], y[lane]) {
                return Some(format!("wide {i}, lane {lane}: {:#x}, {:#x}", x[lane], y[lane]));
            }
        }
    }
    for (i, (x, y)) in a.predicates.iter().zip(&b.predicates).enumerate() {
        if live.contains(&Place::Predicate(i as u32)) && (x ^ y) & lanes != 0 {
            return Some(format!("predicate {i}: {x:#x}, {y:#x}"));
        }
    }
    for (i, (x, y)) in a.local.iter().zip(&b.local).enumerate() {
        if let Some(lane) = (0..32).find(|&lane| differs(lane, x[lane].into(), y[lane].into())) {
            return Some(format!("local {i}, lane {lane}: {:#x}, {:#x}", x[lane], y[lane]));
        }
    }
    if a.shared != b.shared {
        return Some("shared memory".to_owned());
    }
    if (0..2).any(|i| a.bytes(i) != b.bytes(i)) {
        return Some("global memory".to_owned());
    }
    let counts = |w: &World| (w.steps, w.threads, w.zeros, w.counts.clone());
    (counts(a) != counts(b)).then(|| format!("counts: {:?}, {:?}", counts(a), counts(b)))
}

/// A line for each step.
fn list(region: &Region) -> String {
    let mut text = String::new();
    for (i, block) in region.blocks.iter().enumerate() {
        text += &format!(
            "block {i} at {}, entry {}, joins {}\n",
            block.at, block.is_entry, block.joins
        );
        for step in &block.steps {
            let counted = if step.counted { "" } else { "uncounted " };
            text += &format!("  {}: {:?} {counted}{:?}\n", step.at, step.guard, step.action);
        }
        text += &format!("  {:?}\n", block.end);
    }
    text
}

/// Where a region stands before the instruction of a number.
fn position(region: &Region, at: u32) -> Option<(usize, usize)> {
    region.blocks.iter().enumerate().find_map(|(b, block)| {
        if let Some(i) = block.steps.iter().position(|s| s.at == at) {
            return Some((b, i));
        }
        let end = match block.end {
            End::Branch { at, .. } | End::Leave { at } => Some(at),
            // What follows on the last step.
            End::Jump(_) => block.steps.last().map(|step| step.at + 1),
        };
        (end == Some(at) || block.steps.is_empty() && block.at == at)
            .then_some((b, block.steps.len()))
    })
}

impl Case {
    /// Runs the function: what it changes is in the world.
    fn run(&self, world: &mut World, sites: &mut Sites<'_>, at: u32, until: Until) -> Option<Left> {
        let entry = self.function.entry(at)?;
        let counts: Vec<Cell<u64>> = world.counts.iter().map(|&n| Cell::new(n)).collect();
        let inputs = Inputs {
            constants: &self.fixed.constants,
            wide_constants: &self.fixed.wide_constants,
            words: &self.fixed.words,
            bytes: &self.fixed.bytes,
            counts: &counts,
        };
        let mut running = self.function.with(inputs, sites).expect("inputs");
        let registers = Registers {
            narrow: &mut world.narrow,
            wide: &mut world.wide,
            predicates: &mut world.predicates,
            rows: &self.fixed.rows,
        };
        let memory = Memory { shared: &mut world.shared, local: &mut world.local, frame: FRAME };
        let lanes = (self.mask, self.live);
        let left = running.run(registers, memory, lanes, entry, until).expect("files");
        world.counts = counts.iter().map(Cell::get).collect();
        world.steps += left.steps;
        world.threads += left.threads;
        world.zeros += left.zeros;
        Some(left)
    }

    /// Runs the region to its end or for some steps, the function with the interpreter's help beside the model, and
    /// compares them wherever the function is left.
    fn compare(&self, seed: u64, random: &mut Random) -> usize {
        let mut here = random::world(random);
        let mut there = here.copy();
        let blocks: Vec<_> = here.global.clone();
        let mut sites = self.function.sites();
        let mut at = (0, 0);
        let mut left_times = 0;
        let say = |what: &str| {
            format!(
                "seed {seed}, {:?}, {:#x}: {what}:
{}",
                self.mode,
                self.mask,
                list(&self.region)
            )
        };
        for _ in 0..40 {
            let number = self.number(at);
            let steps = random.below(30_u64);
            let meets = if random.one_in(2) { u32::MAX } else { random.below(60) };
            let until = Until { steps, meets, atomics: random.below(4) };
            let Some(left) = self.run(&mut here, &mut sites, number, until) else {
                // No entry: both do one step by themselves.
                let next = here.go(&self.region, &self.fixed, at, self.mask);
                there.go(&self.region, &self.fixed, at, self.mask);
                match next {
                    Next::At(b, i) => at = (b, i),
                    _ => return left_times,
                }
                continue;
            };
            left_times += 1;
            self.atomics.set(self.atomics.get() + u64::from(left.atomics));
            let goal = here.steps;
            let reached = self.follow(&mut there, at, left, goal);
            assert!(reached.is_ok(), "{}", say(&format!("{left:?} from {number}: {reached:?}")));
            let difference = difference(self, left.at, &here, &there);
            assert!(
                difference.is_none(),
                "{}",
                say(&format!("{left:?} from {number}: {difference:?}"))
            );
            self.plausible(&left, until, &say);
            if let Why::Site(site) = left.why {
                let block = random.below(2_usize);
                let block: &Block = &blocks[block];
                let base =
                    BASES[blocks.iter().position(|b| std::ptr::eq(&**b, block)).unwrap_or(0)];
                self.function.fill(&mut sites, site, block.reach(base));
            }
            let Some(now) = position(&self.region, left.at) else { return left_times };
            // The interpreter's turn: one step.
            let next = here.go(&self.region, &self.fixed, now, self.mask);
            there.go(&self.region, &self.fixed, now, self.mask);
            match next {
                Next::At(b, i) => at = (b, i),
                _ => return left_times,
            }
        }
        left_times
    }

    /// The number of the instruction before which it stands.
    fn number(&self, (b, i): (usize, usize)) -> u32 {
        let block = &self.region.blocks[b];
        match (block.steps.get(i), block.end) {
            (Some(step), _) => step.at,
            (None, End::Branch { at, .. } | End::Leave { at }) => at,
            (None, End::Jump(_)) if block.steps.is_empty() => block.at,
            (None, End::Jump(_)) => block.steps[i - 1].at + 1,
        }
    }

    /// The model goes where the function has been left.
    fn follow(
        &self,
        world: &mut World,
        mut at: (usize, usize),
        left: Left,
        goal: u64,
    ) -> Result<(), String> {
        for _ in 0..10_000 {
            if world.steps == goal && self.number(at) == left.at {
                // A jump has no number of its own.
                let stays = position(&self.region, left.at) == Some(at);
                if stays {
                    return Ok(());
                }
            }
            if world.steps > goal {
                return Err(format!("past it, at {at:?}"));
            }
            match world.go(&self.region, &self.fixed, at, self.mask) {
                Next::At(b, i) => at = (b, i),
                Next::Out(number) if number == left.at && world.steps == goal => return Ok(()),
                next => return Err(format!("{next:?} at {at:?}")),
            }
        }
        Err("it does not come there".to_owned())
    }

    /// Whether an instruction is one of lanes together, all of which are there.
    fn goes_on(&self, at: u32) -> bool {
        let steps = self.region.blocks.iter().flat_map(|block| &block.steps);
        let step = steps.into_iter().find(|step| step.at == at);
        let members = match step.map(|step| &step.action) {
            Some(Action::Shuffle(shuffle)) => shuffle.members,
            Some(Action::Vote { members, .. }) => *members,
            Some(Action::Match(op)) => Some(op.members),
            Some(Action::Sync { members } | Action::Redux { members, .. }) => Some(*members),
            _ => return false,
        };
        members.is_none_or(|members| random::MEMBERS.contains(&members))
    }

    /// What is said of the way out.
    fn plausible(&self, left: &Left, until: Until, say: &dyn Fn(&str) -> String) {
        let ok = match left.why {
            Why::Limit => left.steps >= until.steps,
            Why::Meets => left.at == until.meets,
            Why::Divides => self.region.blocks.iter().any(|b| {
                matches!(b.end, End::Branch { at, taken, .. } if at == left.at
                    && !matches!(taken, Predicate::Always | Predicate::Never))
            }),
            Why::Outside => self.region.blocks.iter().any(|b| {
                let ends = match b.end {
                    End::Jump(to) => [to, to],
                    End::Branch { to, next, .. } => [to, next],
                    End::Leave { at } => [Target::Leave(at); 2],
                };
                ends.into_iter().any(|end| match end {
                    Target::Leave(at) => at == left.at,
                    Target::Block(i) => self.region.blocks[i as usize].at == left.at,
                })
            }),
            // Numbers that the code cannot take over make it leave where it is entered.
            Why::Instruction => left.steps == 0 || !self.goes_on(left.at),
            Why::Site(_) => true,
        };
        assert!(ok, "{}", say(&format!("{left:?}")));
    }
}

/// Regions of a kind; ten times as many if `TEXUNIT_LONG_TESTS` asks for them.
fn regions(seed: u64, wanted: Wanted, count: u64, level: Level) {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let count = if long { 10 * count } else { count };
    if !level.is_available() {
        return skipped("the processor has no such instructions");
    }
    let (mut left, mut atomics) = (0, 0);
    for item in 0..count {
        let seed = seed << 32 | item;
        let mut random = Random::new(seed);
        let region = random::region(&mut random, wanted);
        for mode in [Mode::Live, Mode::Some] {
            let function = compile(&region, mode, level)
                .unwrap_or_else(|e| panic!("seed {seed}: {e}: {}", list(&region)));
            let live = if random.one_in(3) { random.u32() | 1 } else { u32::MAX };
            let mask = match mode {
                Mode::Live => live,
                Mode::Some => live & random.u32() | live & live.wrapping_neg(),
            };
            let fixed = random::fixed(&mut random, (mask, live));
            let case = Case {
                region: region.clone(),
                fixed,
                function,
                mode,
                mask,
                live,
                atomics: Cell::new(0),
            };
            for _ in 0..3 {
                left += case.compare(seed, &mut random);
            }
            atomics += case.atomics.get();
        }
    }
    assert!(left as u64 > 3 * count, "only {left} runs");
    let many = if wanted.global && wanted.others { count / 4 } else { 0 };
    assert!(atomics >= many, "only {atomics} atomics");
}

#[test]
fn arithmetic_and_branches() {
    regions(1, Wanted::default(), 300, Level::Avx512);
}

#[test]
fn doubles() {
    regions(2, Wanted { doubles: true, ..Wanted::default() }, 100, Level::Avx512);
}

#[test]
fn arithmetic_and_branches_of_avx2() {
    regions(1, Wanted::default(), 300, Level::Avx2);
}

#[test]
fn doubles_of_avx2() {
    regions(2, Wanted { doubles: true, ..Wanted::default() }, 100, Level::Avx2);
}

#[test]
fn memory_of_avx2() {
    let memory = Wanted { global: true, others: true, ..Wanted::default() };
    regions(3, memory, 300, Level::Avx2);
}

#[test]
fn lanes_together_and_calls_of_avx2() {
    let wanted = Wanted { cross: true, calls: true, ..Wanted::default() };
    regions(4, wanted, 200, Level::Avx2);
}

#[test]
fn everything_of_avx2() {
    let wanted = Wanted { global: true, others: true, cross: true, calls: true, doubles: true };
    regions(5, wanted, 300, Level::Avx2);
}

#[test]
fn memory() {
    let wanted = Wanted { global: true, others: true, ..Wanted::default() };
    regions(3, wanted, 400, Level::Avx512);
}

#[test]
fn everything() {
    let wanted = Wanted { global: true, others: true, cross: true, calls: true, doubles: true };
    regions(5, wanted, 200, Level::Avx512);
}
