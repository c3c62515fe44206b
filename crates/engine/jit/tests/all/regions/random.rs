//! Random regions. The last two registers of each kind hold addresses, or are temporaries that live
//! in one block.

mod calls;
mod memory;
mod operations;

use super::model::{BASES, Fixed, GLOBAL, LOCAL, NARROW, PREDICATES, SHARED, WIDE, World};
use std::collections::HashSet;
use std::sync::Arc;
use texunit_jit::region::{Action, Block, End, Reduce, Region, Step, Target};
use texunit_jit::{Combine, Op, Predicate, Relation, Source, Test, VReg};
use texunit_memory::Block as Memory;
use texunit_testkit::Random;

/// The kinds of steps that a region may have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StepKinds {
    pub(crate) global: bool,
    pub(crate) others: bool,
    pub(crate) cross: bool,
    pub(crate) calls: bool,
    pub(crate) doubles: bool,
}

/// Registers that hold addresses: of shared and local memory, and of global memory.
const NARROW_AT: u32 = NARROW as u32 - 2;
const WIDE_AT: u32 = WIDE as u32 - 2;
/// The uniform value and the per-lane input that are membermasks: the active lanes, and possibly
/// exited lanes.
pub(crate) const MEMBERS: [Source; 2] = [Source::Uniform(3), Source::PerLane(2)];
const REDUCES: [Reduce; 8] = [
    Reduce::Add,
    Reduce::MinS,
    Reduce::MaxS,
    Reduce::MinU,
    Reduce::MaxU,
    Reduce::And,
    Reduce::Or,
    Reduce::Xor,
];
/// A register that is sometimes set to an affine address and used in other blocks.
const CARRIED: u32 = WIDE_AT - 2;
/// Registers that live in one block only.
const TEMPORARY: [VReg; 3] =
    [VReg::B32(NARROW_AT - 1), VReg::B64(WIDE_AT - 1), VReg::Predicate(PREDICATES as u32 - 1)];

pub(crate) fn number(random: &mut Random) -> u64 {
    const SPECIAL: [u64; 16] = [
        0,
        1,
        31,
        32,
        63,
        0x3f80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_1234,
        0x7f80_0001,
        0x8000_0000,
        0x0000_0001,
        0x8040_0000,
        0x7ff8_0000_0000_0001,
        0x7ff0_0000_0000_0001,
        0xfff0_0000_0000_0000,
    ];
    match random.below(4) {
        0 => random.u64(),
        1 => u64::from(random.between(-4.0, 4.0).to_bits()),
        2 => f64::from(random.between(-4.0, 4.0)).to_bits(),
        _ => random.of(&SPECIAL),
    }
}

/// Addresses of 32 lanes in a random shape, for accesses of up to 16 bytes.
fn addresses(random: &mut Random, base: u64, len: u64) -> [u64; 32] {
    let size = random.of(&[1, 2, 4, 4, 4, 8, 8, 16_u64]);
    let room = len.saturating_sub(32 * size) / 16;
    let start = |random: &mut Random| match random.below(6) {
        // Near the end of memory, so that some offsets of a group are out of bounds.
        0 => base + len.saturating_sub(16 * (1 + random.below(5_u64)) + 31 * size) / 16 * 16,
        _ => base + 16 * random.below(room.max(1)),
    };
    let (first, second) = (start(random), start(random));
    let lanes = len / size;
    let row = |lane: u64| first + size * lane;
    let mut all: [u64; 32] = match random.below(12) {
        0..3 => std::array::from_fn(|lane| row(lane as u64)),
        3 => [first; 32],
        // Contiguous in halves or quarters of a warp, as tiles are.
        4 | 5 => std::array::from_fn(|lane| [first, second][lane / 16] + size * (lane as u64 % 16)),
        6 => std::array::from_fn(|lane| [first, second][lane / 16]),
        7 => {
            let starts: [u64; 4] = std::array::from_fn(|_| start(random));
            std::array::from_fn(|lane| starts[lane / 8] + size * (lane as u64 % 8))
        }
        8 => std::array::from_fn(|lane| row(31 - lane as u64)),
        // With gaps between lanes, and with lanes that overlap.
        9 => {
            let step = random.of(&[2, 3, 4, 33]);
            std::array::from_fn(|lane| base + size * (step * lane as u64 % lanes.max(1)))
        }
        10 => {
            let alike = random.of(&[2, 3, 4]);
            std::array::from_fn(|lane| row(lane as u64 / alike))
        }
        _ => std::array::from_fn(|_| base + size * random.below(lanes)),
    };
    // Sometimes the address of one lane is out of bounds or misaligned.
    if random.one_in(6) {
        let lane = random.below(32_usize);
        all[lane] =
            random.of(&[base + len, base.wrapping_sub(8), first + 1, u64::MAX, 0, base + len - 1]);
    }
    all
}

pub(crate) fn fixed(random: &mut Random, (mask, live): (u32, u32)) -> Fixed {
    let mut row = || -> [u32; 32] { std::array::from_fn(|_| number(random) as u32) };
    let mut rows = vec![row(), row()];
    let members = mask | number(random) as u32 & !live;
    rows.push([members; 32]);
    (0..32).filter(|lane| mask >> lane & 1 == 0).for_each(|lane| rows[2][lane] = random.u32());
    let (a, b) = (random.u32(), random.u32());
    Fixed {
        rows,
        constants: vec![[number(random) as u32; 32]; 2],
        wide_constants: vec![[number(random); 32]; 2],
        words: vec![a, b, random.u32(), members, random.below(20), a.wrapping_mul(b)],
        bytes: BASES.iter().flat_map(|base| base.to_le_bytes()).chain(random.bytes(24)).collect(),
    }
}

pub(crate) fn world(random: &mut Random) -> World {
    let mut narrow: Vec<[u32; 32]> =
        (0..NARROW).map(|_| std::array::from_fn(|_| number(random) as u32)).collect();
    let mut wide: Vec<[u64; 32]> =
        (0..WIDE).map(|_| std::array::from_fn(|_| number(random))).collect();
    for at in [0, 1] {
        let (len, base) = (random.of(&[SHARED as u64, 96]), random.of(&BASES));
        // The first register contains byte offsets, the other often element indices.
        let unit = if at == 0 { 1 } else { random.of(&[1, 4, 4, 8]) };
        narrow[NARROW_AT as usize + at] = addresses(random, 0, len).map(|x| x as u32 / unit);
        wide[WIDE_AT as usize + at] = addresses(random, base, GLOBAL as u64);
        // Consecutive indices, like numbers of threads.
        if random.one_in(3) {
            let first = random.below(20_u32);
            narrow[NARROW_AT as usize + at] = std::array::from_fn(|lane| first + lane as u32);
        }
    }
    let global = (0..2).map(|_| {
        let block = Memory::new(GLOBAL, "global").expect("memory");
        block.write(0, &random.bytes(GLOBAL)).expect("inside");
        Arc::new(block)
    });
    World {
        narrow,
        wide,
        global: global.collect(),
        predicates: (0..PREDICATES)
            .map(|_| if random.chance(40) { random.of(&[0, u32::MAX]) } else { random.u32() })
            .collect(),
        local: (0..LOCAL).map(|_| std::array::from_fn(|_| random.u32())).collect(),
        shared: random.bytes(SHARED),
        counts: vec![0; 7],
        steps: 0,
        threads: 0,
        zeros: 0,
        notified: Vec::new(),
    }
}

struct RegionBuilder<'r> {
    random: &'r mut Random,
    wanted: StepKinds,
    sites: u32,
    /// Which temporaries the block has written.
    ready: [bool; 3],
}

impl RegionBuilder<'_> {
    fn narrow(&mut self) -> u32 {
        let most = NARROW_AT - u32::from(!self.ready[0]);
        self.random.below(most)
    }

    fn wide(&mut self) -> u32 {
        let most = WIDE_AT - u32::from(!self.ready[1]);
        self.random.below(most)
    }

    fn predicate(&mut self) -> u32 {
        let most = PREDICATES as u32 - u32::from(!self.ready[2]);
        self.random.below(most)
    }

    fn asked(&mut self) -> Predicate {
        match self.random.below(8) {
            0 => Predicate::Always,
            1 => Predicate::Never,
            2..5 => Predicate::If(self.predicate()),
            _ => Predicate::Unless(self.predicate()),
        }
    }

    fn source(&mut self) -> Source {
        match self.random.below(12) {
            0 => Source::Literal(number(self.random) & 0xffff_ffff),
            1 => Source::Constant(self.random.below(2)),
            2 => Source::PerLane(self.random.below(2)),
            3 => Source::Uniform(self.random.below(3)),
            4 => Source::Bytes32(self.random.below(36)),
            5 => Source::Lane,
            _ => Source::B32(self.narrow()),
        }
    }

    fn wide_source(&mut self) -> Source {
        match self.random.below(10) {
            0 => Source::Literal(number(self.random)),
            1 => Source::WideConstant(self.random.below(2)),
            2 => Source::Bytes64(self.random.below(32)),
            3 => Source::FrameAt,
            _ => Source::B64(self.wide()),
        }
    }

    fn action(&mut self) -> Action {
        let StepKinds { global, others, cross, calls, .. } = self.wanted;
        loop {
            return match self.random.below(24) {
                0..6 => {
                    let op = self.narrow_op();
                    let mut from = [self.source(), self.source(), self.source()];
                    if matches!(op, Op::Mul | Op::MulAdd) && self.random.one_in(2) {
                        // The product of two uniform values is also a uniform value.
                        let order = self.random.of(&[[0, 1], [1, 0]]);
                        order
                            .into_iter()
                            .zip(&mut from)
                            .for_each(|(i, of)| *of = Source::Uniform(i));
                    }
                    Action::Compute { op, to: VReg::B32(self.narrow()), from }
                }
                6..9 => {
                    let (op, from) = self.wide_op();
                    Action::Compute { op, to: VReg::B64(self.wide()), from }
                }
                9 => {
                    let from = [self.wide_source(); 3];
                    Action::Compute { op: Op::Low, to: VReg::B32(self.narrow()), from }
                }
                10..13 => self.compare(),
                13 => Action::Logic {
                    table: self.random.below(16_u32) as u8,
                    to: self.predicate(),
                    from: [self.asked(), self.asked()],
                },
                14 => Action::Nothing,
                16 | 17 if global || others => self.load(),
                18 | 19 if global || others => self.store(),
                20 if global && others => self.atomic(),
                21 if cross => self.cross(),
                22 if calls => self.call(),
                23 if cross => match self.random.below(4) {
                    0 => Action::ActiveMask { to: VReg::B32(self.narrow()) },
                    1 => Action::Count {
                        counter: self.random.below(3),
                        of: self.random.one_in(2).then(|| self.asked()),
                    },
                    2 => Action::Issue {
                        counter: self.random.below(3),
                        of: self.random.one_in(2).then(|| self.asked()),
                    },
                    _ => Action::CountZeros(self.wide_source()),
                },
                _ => continue,
            };
        }
    }

    /// Writes a temporary before other steps of the block read it.
    fn temporary(&mut self, i: usize) -> Action {
        self.ready[i] = true;
        match i {
            0 => {
                let from = [self.source(), self.source(), self.source()];
                self.ready[0] = false;
                let from =
                    from.map(|s| if s == Source::B32(NARROW_AT - 1) { Source::Lane } else { s });
                self.ready[0] = true;
                Action::Compute { op: Op::MulAdd, to: TEMPORARY[0], from }
            }
            1 => {
                let from = [Source::Lane, Source::Uniform(0), Source::FrameAt];
                Action::Compute { op: Op::ProductAddU, to: TEMPORARY[1], from }
            }
            _ => Action::Compare {
                test: Test::Signed(Relation::Lt),
                from: [Source::B32(1), Source::PerLane(0)],
                to: [Some(PREDICATES as u32 - 1), None],
                with: (Combine::And, Predicate::Always),
            },
        }
    }
}

/// Sets the reconvergence points of branches to random blocks, or to none.
fn meeting(random: &mut Random, blocks: &mut [Block]) {
    let joins: Vec<u32> = blocks.iter().filter(|block| block.joins).map(|block| block.at).collect();
    for block in blocks {
        if let End::Branch { reconverge_at, .. } = &mut block.end
            && !joins.is_empty()
            && random.chance(85)
        {
            *reconverge_at = random.of(&joins);
        }
    }
}

/// A region of several blocks; the numbers of instructions are consecutive.
pub(crate) fn region(random: &mut Random, wanted: StepKinds) -> Region {
    let mut maker = RegionBuilder { random, wanted, sites: 0, ready: [false; 3] };
    let count = 1 + maker.random.below(5_u32);
    let mut at = 10;
    let mut kept: HashSet<VReg> = HashSet::new();
    kept.extend((0..NARROW as u32).map(VReg::B32));
    kept.extend((0..WIDE as u32).map(VReg::B64));
    kept.extend((0..PREDICATES as u32).map(VReg::Predicate));
    TEMPORARY.iter().for_each(|place| {
        kept.remove(place);
    });
    let mut blocks = Vec::new();
    for i in 0..count {
        maker.ready = [false; 3];
        let (first, mut steps) = (at, Vec::new());
        let joins = maker.random.one_in(2);
        if joins {
            let action = Action::Nothing;
            steps.push(Step { at, guard: Predicate::Always, counted: false, action });
            at += 1;
        }
        for _ in 0..maker.random.below(14) {
            if wanted.global && maker.random.one_in(8) {
                let actions = match maker.random.below(3) {
                    0 if wanted.others && maker.random.one_in(4) => maker.one_address(),
                    0 => maker.words(),
                    _ => maker.affine(),
                };
                for action in actions {
                    let guard = match action {
                        Action::Compute { .. } => Predicate::Always,
                        _ if maker.random.chance(70) => Predicate::Always,
                        _ => maker.asked(),
                    };
                    steps.push(Step { at, guard, counted: true, action });
                    at += 1;
                }
            }
            let temporary = maker.random.below(20_usize);
            let (mut guard, action) = if temporary < 3 {
                (Predicate::Always, maker.temporary(temporary))
            } else {
                (Predicate::Always, maker.action())
            };
            let together = matches!(
                action,
                Action::Shuffle(_)
                    | Action::Vote { .. }
                    | Action::Match(_)
                    | Action::Redux { .. }
                    | Action::Sync { .. }
            );
            if temporary >= 3 && !together && maker.random.one_in(3) {
                guard = maker.asked();
            }
            let counted = maker.random.chance(90);
            steps.push(Step { at, guard, counted, action });
            at += 1;
        }
        // In a loop without counted steps the model could not tell where the code has exited.
        if let [.., last] = &mut steps[usize::from(joins)..] {
            last.counted = true;
        }
        let mut target = || match maker.random.below(8) {
            0 => Target::Leave(1000),
            1..4 => Target::Block(maker.random.below(count)),
            _ if i + 1 < count => Target::Block(i + 1),
            _ => Target::Leave(1001),
        };
        let (to, next) = (target(), target());
        let end = match maker.random.below(6) {
            0 if maker.random.one_in(2) => End::Leave { at },
            0 => {
                let barrier = maker.random.one_in(2).then(|| 1 + maker.random.below(2_u32));
                End::Yield { at, next, barrier }
            }
            1 => End::Jump(to),
            _ => {
                let counted = maker.random.chance(95);
                let reconverge_at = u32::MAX;
                End::Branch { taken: maker.asked(), to, next, at, counted, reconverge_at }
            }
        };
        at += 1;
        let is_entry = i == 0 || maker.random.one_in(2);
        blocks.push(Block { at: first, is_entry, joins, steps, end, kept: kept.clone() });
    }
    meeting(maker.random, &mut blocks);
    for i in 0..blocks.len() {
        if let End::Yield { next: Target::Block(next), .. } = blocks[i].end {
            blocks[next as usize].is_entry = true;
        }
    }
    Region { blocks, sites: maker.sites, products: vec![[0, 1, 5]], ..Region::default() }
}
