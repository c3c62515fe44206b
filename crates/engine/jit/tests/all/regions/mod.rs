//! Tests random regions against plain Rust code. Registers, memory and counts must be equal bit by
//! bit, at all exits and entries.

mod costs;
mod difference;
mod divergence;
mod model;
mod params;
mod random;
mod shared_table;

use crate::primitives::model as lanes;
use difference::difference;
use divergence::Warp;
use model::{BASES, FRAME, Fixed, Next, Notified, World};
pub(crate) use random::StepKinds;
use std::cell::Cell;
use texunit_jit::region::{
    Action, DivergenceLimits, End, Exit, ExitReason, Function, Inputs, LaneValues, Level, Listener,
    Mode, Region, Resume, Sites, Target, WarpStart, compile,
};
use texunit_jit::{Predicate, Registers};
use texunit_memory::Block;
use texunit_testkit::{Random, skipped};

struct Case {
    region: Region,
    fixed: Fixed,
    function: Function,
    mode: Mode,
    mask: u32,
    live: u32,
    /// The number of atomics that compiled code has executed.
    atomics: Cell<u64>,
    /// How often lanes had diverged when compiled code exited.
    diverged: Cell<u64>,
    /// The number of accesses whose costs compiled code has counted itself.
    counted: Cell<u64>,
}

/// The start of a warp, the instruction at which its lanes reconverge, and the limits of their
/// turns.
type Limits = (WarpStart, u32, DivergenceLimits);

/// The warp number of all tests.
const WARP: u32 = 7;

/// A listener that stores its notifications.
struct Recorder(Vec<Notified>);

impl Listener for Recorder {
    fn notify(&mut self, number: u32, warp: u32, lanes: u32, rows: &[LaneValues<'_>]) {
        assert_eq!(warp, WARP);
        let of = |row: &LaneValues<'_>| -> Vec<u64> {
            let values = match row {
                LaneValues::B32(row) => row.map(u64::from),
                LaneValues::B64(row) => **row,
            };
            (0..32).filter(|lane| lanes >> lane & 1 == 1).map(|lane| values[lane]).collect()
        };
        self.0.push((number, lanes, rows.iter().map(of).collect()));
    }
}

/// The region as text, with a line for each step.
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

/// The position in a region before the instruction with this number.
fn position(region: &Region, at: u32) -> Option<(usize, usize)> {
    region.blocks.iter().enumerate().find_map(|(b, block)| {
        if let Some(i) = block.steps.iter().position(|s| s.at == at) {
            return Some((b, i));
        }
        let end = match block.end {
            End::Branch { at, .. } | End::Leave { at } | End::Yield { at, .. } => Some(at),
            // The position after the last step.
            End::Jump(_) => block.steps.last().map(|step| step.at + 1),
        };
        (end == Some(at) || block.steps.is_empty() && block.at == at)
            .then_some((b, block.steps.len()))
    })
}

impl Case {
    /// Runs the function for some lanes, and takes over its changes to the state and to the warp.
    fn run(
        &self,
        world: &mut World,
        warp: &mut Warp,
        sites: &mut Sites<'_>,
        (start, reconverge_at, divergence): Limits,
    ) -> Option<Exit> {
        let Next::At(b, i) = warp.running.at else { return None };
        let all = self.mode == Mode::Live && start.mask == self.mask;
        let mode = if all { Mode::Live } else { Mode::Some };
        let entry = self.function.entry_of(mode, self.number((b, i)))?;
        let counts: Vec<Cell<u64>> = world.counts.iter().map(|&n| Cell::new(n)).collect();
        let before = world.counts[costs::COUNTER as usize];
        let inputs = Inputs {
            constants: &self.fixed.constants,
            wide_constants: &self.fixed.wide_constants,
            uniforms: &self.fixed.words,
            bytes: &self.fixed.bytes,
            counts: &counts,
            prefetch_distance: 512,
            is_contiguous: false,
            is_stream: false,
        };
        let mut recorder = Recorder(Vec::new());
        let mut running = self.function.with(inputs, sites).expect("inputs");
        running.listen(&mut recorder);
        let registers = Registers {
            narrow: &mut world.narrow,
            wide: &mut world.wide,
            predicates: &mut world.predicates,
            per_lane: &self.fixed.rows,
        };
        let mut table = running.table(mode, &mut world.shared, reconverge_at, divergence);
        assert!(table.add(registers, &mut world.local, FRAME, start), "files");
        let _ = table.run(0..1, Resume::Entry(entry), u32::MAX);
        let left = table.exit(0).expect("it has run");
        let zeros = running.zeros();
        let now = position(&self.region, left.at);
        let now = now.map_or(Next::Out(left.at), |(b, i)| Next::At(b, i));
        if left.diverged {
            warp.leave(&self.region, left, now, &running.diverged_lanes());
            self.diverged.set(self.diverged.get() + 1);
        } else {
            (warp.running.at, warp.running.mask) = (now, left.mask);
        }
        world.counts = counts.iter().map(Cell::get).collect();
        world.steps += left.steps;
        world.threads += left.threads;
        world.zeros += zeros;
        let counted = world.counts[costs::COUNTER as usize] - before;
        self.counted.set(self.counted.get() + counted);
        for (number, lanes, rows) in recorder.0 {
            match costs::cost_of_notification(number, lanes, &rows) {
                Some(cost) => costs::add(&mut world.counts, cost),
                None => world.notified.push((number, lanes, rows)),
            }
        }
        Some(left)
    }

    /// Random limits of a run of the function.
    fn limits(&self, random: &mut Random, warp: &mut Warp) -> Limits {
        if warp.running.group.is_none() && random.one_in(4) {
            warp.meet_others(random.below(60));
        }
        let others = !warp.ready.is_empty();
        let (limit, atomics) = (random.below(30_u64), random.below(4));
        let end = limit + random.below(30_u64);
        let divergence = DivergenceLimits {
            end,
            turn: random.below(40),
            shared_turn: random.below(40),
            wait_limit: random.of(&[1000, 1000, 10, 0]),
            patience: if others { 0 } else { random.of(&[1000, u64::MAX, 10]) },
        };
        let (index, mask, live, turn_atomics) = (WARP, warp.running.mask, self.live, atomics);
        let start = WarpStart { index, mask, live, limit, end, atomics, turn_atomics };
        (start, warp.reconverge_at(), divergence)
    }

    /// Runs the region to its end or for some steps, by the function with the help of the
    /// interpreter, and by the model. The states are compared at each exit of the function.
    fn compare(&self, seed: u64, random: &mut Random) -> usize {
        let mut here = random::world(random);
        let mut there = here.copy();
        let blocks: Vec<_> = here.global.clone();
        let mut sites = self.function.sites();
        let mut warp = Warp::new(Next::At(0, 0), self.mask);
        let mut left_times = 0;
        let say = |what: &str| {
            format!(
                "seed {seed}, {:?}, {:#x}: {what}:\n{}",
                self.mode,
                self.mask,
                list(&self.region)
            )
        };
        for _ in 0..40 {
            // Another warp enters: values that the code has cached for this one must not be used.
            if random.one_in(8) {
                let other = random::world(random);
                for world in [&mut here, &mut there] {
                    world.narrow.clone_from(&other.narrow);
                    world.wide.clone_from(&other.wide);
                    world.predicates.clone_from(&other.predicates);
                }
                warp = Warp::new(Next::At(0, 0), self.mask);
            }
            let limits = self.limits(random, &mut warp);
            let mut model = warp.clone();
            let is_live = self.mode == Mode::Live && warp.running.mask == self.mask;
            let full = if is_live { self.mask } else { 0 };
            model.begin(here.steps, limits.0.limit, &limits.2, full);
            let before = format!("{:?}, {}", warp.running.at, warp.standing());
            if let Some(left) = self.run(&mut here, &mut warp, &mut sites, limits) {
                left_times += 1;
                self.atomics
                    .set(self.atomics.get() + u64::from(limits.0.atomics - left.atomics_left));
                let reached = self.follow(&mut there, &mut model, left, (here.steps, &warp));
                let say = |what: String| say(&format!("{left:?} from {before}: {what}"));
                assert!(reached.is_ok(), "{}", say(format!("{limits:?}: {reached:?}")));
                let difference = difference(self, &warp, &here, &there);
                assert!(difference.is_none(), "{}", say(format!("{difference:?}")));
                assert!(
                    self.is_plausible(&left, warp.reconverge_at()),
                    "{}",
                    say("why?".to_owned())
                );
                if let ExitReason::Site(site) = left.why {
                    let block = random.below(2_usize);
                    let block: &Block = &blocks[block];
                    let base =
                        BASES[blocks.iter().position(|b| std::ptr::eq(&**b, block)).unwrap_or(0)];
                    let params = &self.fixed.bytes;
                    self.function.fill(&mut sites, site, block.reach(base), params);
                }
            }
            // The interpreter executes one step.
            let mut model = warp.clone();
            let goes = warp.go(&mut here, &self.region, &self.fixed);
            model.go(&mut there, &self.region, &self.fixed);
            if !goes || matches!(warp.running.at, Next::Out(_)) {
                return left_times;
            }
        }
        left_times
    }

    /// The number of the instruction at a position.
    fn number(&self, (b, i): (usize, usize)) -> u32 {
        let block = &self.region.blocks[b];
        match (block.steps.get(i), block.end) {
            (Some(step), _) => step.at,
            (None, End::Branch { at, .. } | End::Leave { at } | End::Yield { at, .. }) => at,
            (None, End::Jump(_)) if block.steps.is_empty() => block.at,
            (None, End::Jump(_)) => block.steps[i - 1].at + 1,
        }
    }

    /// Runs the model to the point where the function has exited, after this number of steps, with
    /// the lanes in the same state.
    fn follow(
        &self,
        world: &mut World,
        model: &mut Warp,
        left: Exit,
        (goal, warp): (u64, &Warp),
    ) -> Result<(), String> {
        let standing = warp.standing();
        // The model must execute at least one step, because a path may return to its beginning
        // without a counted step.
        let mut has_gone = left.why != ExitReason::Outside;
        for _ in 0..10_000 {
            let is_there = match model.running.at {
                Next::Out(number) => number == left.at,
                // A jump has no instruction number, so the position is compared.
                at => at == warp.running.at,
            };
            if has_gone && world.steps == goal && is_there && model.standing() == standing {
                return Ok(());
            }
            has_gone = true;
            if world.steps > goal {
                return Err(format!("past it, {:?}, {}", model.running.at, model.standing()));
            }
            if !model.go(world, &self.region, &self.fixed) {
                let at = model.running.at;
                return Err(format!("{at:?}, {}; not {standing}", model.standing()));
            }
        }
        Err(format!("it does not come there: {standing}"))
    }

    /// Whether an instruction is a warp-level operation for which all members are active.
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

    /// Whether an exit record is possible. `reconverge_at` is where the lanes are to reconverge.
    fn is_plausible(&self, left: &Exit, reconverge_at: u32) -> bool {
        match left.why {
            ExitReason::Limit => left.steps >= left.limit,
            ExitReason::Reconverges => left.at == reconverge_at,
            ExitReason::Diverges => self.region.blocks.iter().any(|b| {
                matches!(b.end, End::Branch { at, taken, .. } if at == left.at
                    && !matches!(taken, Predicate::Always | Predicate::Never))
            }),
            ExitReason::Outside => self.region.blocks.iter().any(|b| {
                let ends = match b.end {
                    End::Jump(to) => [to, to],
                    End::Branch { to, next, .. } => [to, next],
                    End::Leave { at } | End::Yield { at, .. } => [Target::Leave(at); 2],
                };
                ends.into_iter().any(|end| match end {
                    Target::Leave(at) => at == left.at,
                    Target::Block(i) => self.region.blocks[i as usize].at == left.at,
                })
            }),
            // Values that the code cannot accept at an entry make it exit there.
            ExitReason::Instruction => {
                left.steps == 0 || left.mask != self.mask || !self.goes_on(left.at)
            }
            ExitReason::Site(_) => true,
            ExitReason::Yield => false,
        }
    }
}

/// Tests random regions of a kind; ten times as many if `TEXUNIT_LONG_TESTS` is set.
fn regions(seed: u64, wanted: StepKinds, count: u64, level: Level) {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let count = if long { 10 * count } else { count };
    if !level.is_available() {
        return skipped("the processor has no such instructions");
    }
    let mut sum = Done::default();
    for item in 0..count {
        let seed = seed << 32 | item;
        play(seed, &mut Random::new(seed), wanted, level, &mut sum);
    }
    let Done { left, atomics, diverged, counted, waited } = sum;
    assert!(diverged > count / 4, "only {diverged} times lanes have parted");
    assert!(left as u64 > 3 * count, "only {left} runs");
    let many = if wanted.global && wanted.others { count / 4 } else { 0 };
    assert!(atomics >= many, "only {atomics} atomics");
    let many = if wanted.calls { many * 2 / 3 } else { 0 };
    assert!(counted >= many, "only {counted} costs have been counted");
    assert!(waited > count / 20, "only {waited} times warps have waited for each other");
}

/// Counts of what regions have done: exits, atomics, divergences, and how often warps have waited
/// for each other.
#[derive(Default)]
pub(crate) struct Done {
    left: usize,
    atomics: u64,
    diverged: u64,
    counted: u64,
    waited: u64,
}

/// Tests one region, compiled in every mode and run several times. The fuzz target `regions` calls
/// it too.
pub(crate) fn play(
    seed: u64,
    random: &mut Random,
    wanted: StepKinds,
    level: Level,
    sum: &mut Done,
) {
    let mut region = random::region(random, wanted);
    region.params = params::of(&region);
    // All live lanes, by code for all live lanes and by code for lanes that diverge; and some live
    // lanes.
    let kinds = [(Mode::Live, Mode::Live), (Mode::Some, Mode::Live), (Mode::Some, Mode::Some)];
    for (made, mode) in kinds {
        let function = compile(&region, made, level)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}: {}", list(&region)));
        if made != mode && !function.can_diverge() {
            continue;
        }
        let live = if random.one_in(3) { random.u32() | 1 } else { u32::MAX };
        let mask = match mode {
            Mode::Live => live,
            Mode::Some => live & random.u32() | live & live.wrapping_neg(),
        };
        let fixed = random::fixed(random, (mask, live));
        let case = Case {
            region: region.clone(),
            fixed,
            function,
            mode,
            mask,
            live,
            atomics: Cell::new(0),
            diverged: Cell::new(0),
            counted: Cell::new(0),
        };
        for _ in 0..3 {
            sum.left += case.compare(seed, random);
        }
        if mode == Mode::Live && case.function.has_yield_points() {
            sum.waited += shared_table::compare(&case, seed, random);
        }
        sum.atomics += case.atomics.get();
        sum.diverged += case.diverged.get();
        sum.counted += case.counted.get();
    }
}

#[test]
fn arithmetic_and_branches() {
    regions(1, StepKinds::default(), 300, Level::Avx512);
}

#[test]
fn doubles() {
    regions(2, StepKinds { doubles: true, ..StepKinds::default() }, 100, Level::Avx512);
}

#[test]
fn arithmetic_and_branches_of_avx2() {
    regions(1, StepKinds::default(), 300, Level::Avx2);
}

#[test]
fn doubles_of_avx2() {
    regions(2, StepKinds { doubles: true, ..StepKinds::default() }, 100, Level::Avx2);
}

#[test]
fn memory_of_avx2() {
    let memory = StepKinds { global: true, others: true, ..StepKinds::default() };
    regions(3, memory, 400, Level::Avx2);
}

#[test]
fn lanes_together_and_calls_of_avx2() {
    let wanted = StepKinds { cross: true, calls: true, ..StepKinds::default() };
    regions(4, wanted, 200, Level::Avx2);
}

#[test]
fn everything_of_avx2() {
    let wanted = StepKinds { global: true, others: true, cross: true, calls: true, doubles: true };
    regions(5, wanted, 300, Level::Avx2);
}

#[test]
fn memory() {
    let wanted = StepKinds { global: true, others: true, ..StepKinds::default() };
    regions(3, wanted, 400, Level::Avx512);
}

#[test]
fn everything() {
    let wanted = StepKinds { global: true, others: true, cross: true, calls: true, doubles: true };
    regions(5, wanted, 200, Level::Avx512);
}
