//! Random regions. The last two registers of each kind hold addresses, or are temporaries that live
//! in one block.

#[path = "../common/floats.rs"]
mod floats;

use super::model::{BASES, Fixed, GLOBAL, LOCAL, NARROW, PREDICATES, SHARED, WIDE, World};
use floats::FLOATS;
use std::collections::HashSet;
use std::sync::Arc;
use texunit_jit::region::{
    Access, Action, Atomic, Block, Call, Change, End, Load, Match, Notification, Reduce, Region,
    Routine, Shuffle, Shuffling, Space, Step, Store, Target, Vote,
};
use texunit_jit::{Combine, Float, Op, Predicate, Relation, Rounding, Source, Test, VReg};
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

    fn narrow_op(&mut self) -> Op {
        let select = self.asked();
        let ops: Vec<_> = FLOATS.into_iter().chain([Float::Round(Rounding::Near)]).collect();
        let op = self.random.of(&ops);
        let saturate = matches!(op, Float::Add | Float::Mul | Float::Fma) && self.random.one_in(4);
        let flush = !matches!(op, Float::Round(_) | Float::Div | Float::Sqrt | Float::Copy)
            && self.random.one_in(3);
        let float = Op::Float { op, flush, saturate };
        let table = self.random.below(256_u32) as u8;
        self.random.of(&[
            float,
            float,
            float,
            float,
            float,
            Op::Copy,
            Op::Copy,
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::MulAdd,
            Op::MulHighU,
            Op::MulHighS,
            Op::MinS,
            Op::MaxU,
            Op::Abs,
            Op::Bits(table),
            Op::Bits(table),
            Op::ShiftLeft,
            Op::ShiftRightU,
            Op::ShiftRightS,
            Op::FunnelLeft,
            Op::FunnelRight,
            Op::FromU(u32::MAX),
            Op::FromS,
            Op::ToU(Rounding::Trunc),
            Op::ToS(Rounding::Floor),
            Op::Select(select),
            Op::Reverse,
            Op::Bytes,
            Op::LeadingZeros,
            Op::FromHalf,
            Op::ToHalf(Rounding::Near),
            Op::LookUp(texunit_sfu::lanes::LG2_12),
        ])
    }

    fn wide_op(&mut self) -> (Op, [Source; 3]) {
        let (a, b, c) = (self.wide_source(), self.wide_source(), self.wide_source());
        let (x, y) = (self.source(), self.source());
        let table = self.random.below(256_u32) as u8;
        let select = self.asked();
        if self.wanted.doubles && self.random.chance(50) {
            let op = self.random.of(&FLOATS);
            return self.random.of(&[
                (Op::Double(op), [a, b, c]),
                (Op::Double(op), [a, b, c]),
                (Op::Double(op), [a, b, c]),
                (Op::DoubleFromU, [x; 3]),
                (Op::DoubleFromS, [x; 3]),
                (Op::DoubleFromWideU, [a; 3]),
                (Op::DoubleFromWideS, [a; 3]),
                (Op::DoubleFromF, [x; 3]),
                (Op::DoubleToWideS, [a; 3]),
                (Op::DoubleToWideU, [a; 3]),
                (Op::MulHighWide, [a, b, b]),
            ]);
        }
        self.random.of(&[
            (Op::CopyWide, [a; 3]),
            (Op::AddWide, [a, b, c]),
            (Op::SubWide, [a, b, c]),
            (Op::MulWide, [a, b, c]),
            (Op::BitsWide(table), [a, b, c]),
            (Op::ShiftLeftWide, [a, x, x]),
            (Op::ShiftRightWideU, [a, x, x]),
            (Op::ShiftRightWideS, [a, x, x]),
            (Op::SelectWide(select), [a, b, c]),
            (Op::ProductU, [x, y, c]),
            (Op::ProductS, [x, y, c]),
            (Op::ProductAddU, [x, y, c]),
            (Op::ProductAddS, [x, y, c]),
            (Op::ExtendU, [x; 3]),
            (Op::ExtendS, [x; 3]),
        ])
    }

    fn compare(&mut self) -> Action {
        let relation = self.random.of(&[
            Relation::Eq,
            Relation::Ne,
            Relation::Lt,
            Relation::Le,
            Relation::Gt,
            Relation::Ge,
        ]);
        let unordered = self.random.one_in(2);
        let mut tests = vec![
            Test::Signed(relation),
            Test::Unsigned(relation),
            Test::SignedWide(relation),
            Test::UnsignedWide(relation),
            Test::Float { relation, unordered },
        ];
        if self.wanted.doubles {
            tests.push(Test::Double { relation, unordered });
        }
        let test = self.random.of(&tests);
        let is_wide =
            matches!(test, Test::SignedWide(_) | Test::UnsignedWide(_) | Test::Double { .. });
        let from = if is_wide {
            [self.wide_source(), self.wide_source()]
        } else {
            [self.source(), self.source()]
        };
        let first = self.predicate();
        let second = (first + 1) % (PREDICATES as u32 - 1);
        let to = self.random.of(&[
            [Some(first), None],
            [Some(first), None],
            [Some(first), Some(second)],
            [None, Some(first)],
        ]);
        let how = self.random.of(&[Combine::And, Combine::Or, Combine::Xor]);
        let trivial = (Combine::And, Predicate::Always);
        let with = if self.random.one_in(2) { trivial } else { (how, self.asked()) };
        Action::Compare { test, from, to, with }
    }

    fn access(&mut self, stores: bool) -> Access {
        let mut spaces = Vec::new();
        if self.wanted.global {
            spaces.extend([Space::Global; 4]);
        }
        if self.wanted.others {
            spaces.extend([Space::Shared, Space::Shared, Space::Local, Space::Frame, Space::Param]);
        }
        let mut space = self.random.of(&spaces);
        if stores && space == Space::Param {
            space = Space::Frame;
        }
        let size = self.random.of(&[1, 2, 4, 4, 4, 8, 8]);
        let mut count = self.random.of(&[1, 1, 1, 2, 4]);
        if size == 8 && count == 4 {
            count = 2;
        }
        let total = u64::from(size * count);
        let at = self.random.below(2);
        let (base, offset) = match space {
            Space::Global => {
                // Sometimes the base is an address that another block may have computed.
                let base = if self.random.one_in(5) { CARRIED } else { WIDE_AT + at };
                let base = Source::B64(base);
                (Some(base), total.wrapping_mul(self.random.of(&[0, 0, 0, 1, 2, 5, u64::MAX])))
            }
            Space::Shared | Space::Local => {
                let offset = total.wrapping_mul(self.random.of(&[0, 0, 1, 4, u64::MAX]));
                (Some(Source::B32(NARROW_AT + at)), offset)
            }
            Space::Frame => (None, u64::from(size) * self.random.below(4_u64)),
            Space::Param => (None, u64::from(size) * self.random.below(3_u64)),
        };
        let mut site = 0;
        if space == Space::Global {
            site = self.sites;
            self.sites += 1;
        }
        Access { space, size, count, base, offset, site, map: 0 }
    }

    fn load(&mut self) -> Action {
        let access = self.access(false);
        let mut used = HashSet::new();
        let to = (0..access.count).map(|_| {
            let place = if self.random.chance(60) {
                VReg::B32(self.narrow())
            } else {
                VReg::B64(self.wide())
            };
            (self.random.chance(90) && used.insert(place)).then_some(place)
        });
        let to = to.collect();
        let keep = self.random.of(&[u64::MAX, u64::MAX, 0xffff, 0xffff_ffff]);
        let signed = self.random.one_in(2);
        Action::Load(Box::new(Load { access, signed, keep, to }))
    }

    fn store(&mut self) -> Action {
        let access = self.access(true);
        let from = (0..access.count)
            .map(|_| if self.random.one_in(2) { self.source() } else { self.wide_source() })
            .collect();
        Action::Store(Box::new(Store { access, from }))
    }

    fn atomic(&mut self) -> Action {
        let mut access = self.access(true);
        while !matches!(access.space, Space::Global | Space::Shared) {
            access = self.access(true);
        }
        access.count = 1;
        access.size = self.random.of(&[4, 8]);
        access.offset = 0;
        let change = self.random.of(&[
            Change::Add,
            Change::And,
            Change::Or,
            Change::Xor,
            Change::Exchange,
            Change::Compare,
            Change::MinS,
            Change::MaxS,
            Change::MinU,
            Change::MaxU,
            Change::Inc,
            Change::Dec,
            Change::AddFloat,
        ]);
        let wide = access.size == 8;
        let to = if wide { VReg::B64(self.wide()) } else { VReg::B32(self.narrow()) };
        let mut source = || if wide { self.wide_source() } else { self.source() };
        let (b, c) = (source(), source());
        Action::Atomic(Box::new(Atomic {
            access,
            change,
            to: self.random.chance(70).then_some(to),
            b,
            c: (change == Change::Compare).then_some(c),
        }))
    }

    /// An access with a cost, by a register.
    fn cost(&mut self, base: Source) -> Action {
        let tell = super::costs::any(self.random, matches!(base, Source::B32(_)));
        let from = [base, Source::Literal(0), Source::Literal(0), Source::Literal(0)];
        Action::Call(Box::new(Call {
            routine: Routine::Notify(tell),
            to: None,
            keep: u64::MAX,
            from,
        }))
    }

    fn tell(&mut self) -> Action {
        if self.random.one_in(2) {
            let at = self.random.below(2);
            let bases =
                [Source::B32(NARROW_AT + at), Source::B64(WIDE_AT + at), Source::B64(CARRIED)];
            let base = self.random.of(&bases);
            return self.cost(base);
        }
        let narrow: [bool; 4] = std::array::from_fn(|_| self.random.one_in(2));
        let (number, rows) = (self.random.below(1000), self.random.below(5));
        let tell = Notification { number, sources: rows, narrow, cost: None };
        let from = narrow.map(|narrow| if narrow { self.source() } else { self.wide_source() });
        let routine = Routine::Notify(tell);
        Action::Call(Box::new(Call { routine, to: None, keep: u64::MAX, from }))
    }

    fn call(&mut self) -> Action {
        let routine = self.random.of(&[
            Routine::B32(|d, a, b, c| {
                *d = std::array::from_fn(|i| a[i] ^ b[i].rotate_left(3) ^ c[i])
            }),
            Routine::B64(|d, a, b, c| {
                *d = std::array::from_fn(|i| a[i] ^ b[i].rotate_left(3) ^ c[i])
            }),
            Routine::Narrow(|d, a| *d = std::array::from_fn(|i| (a[i] >> 5) as u32)),
            Routine::Closure(Arc::new(|d: &mut [u64; 32], s: [&[u64; 32]; 4]| {
                *d = std::array::from_fn(|i| s[0][i] ^ s[1][i] << 1 ^ s[2][i] << 2 ^ s[3][i]);
            })),
            Routine::TestWide(|a, b| (0..32).fold(0, |m, i| m | u32::from(a[i] < b[i]) << i)),
            Routine::Notify(Notification { number: 0, sources: 0, narrow: [false; 4], cost: None }),
        ]);
        if let Routine::Notify(_) = routine {
            return self.tell();
        }
        let narrow_sources = match routine {
            Routine::B32(_) => 4,
            _ => 0,
        };
        let from = std::array::from_fn(|i| {
            if i < narrow_sources || self.random.one_in(2) {
                self.source()
            } else {
                self.wide_source()
            }
        });
        let to = match routine {
            Routine::TestWide(_) => VReg::Predicate(self.predicate()),
            Routine::B32(_) | Routine::Narrow(_) => VReg::B32(self.narrow()),
            _ if self.random.one_in(2) => VReg::B32(self.narrow()),
            _ => VReg::B64(self.wide()),
        };
        let keep = match to {
            VReg::Predicate(_) => u64::MAX,
            _ => self.random.of(&[u64::MAX, 0xffff]),
        };
        let to = self.random.chance(95).then_some(to);
        Action::Call(Box::new(Call { routine, to, keep, from }))
    }

    /// A warp-level operation. The membermask names all active lanes, or the region exits.
    fn cross(&mut self) -> Action {
        let [word, row] = MEMBERS;
        let any = [word, row, word, row, Source::Literal(0xffff_ffff), Source::B32(0)];
        let members = self.random.of(&any);
        let clamp = self.random.of(&[0x1f, 0x181f, 0x1c03, 0].map(Source::Literal));
        match self.random.below(6) {
            0 | 1 => Action::Shuffle(Box::new(Shuffle {
                mode: self.random.of(&[
                    Shuffling::Up,
                    Shuffling::Down,
                    Shuffling::Butterfly,
                    Shuffling::Index,
                ]),
                a: self.source(),
                b: if self.random.one_in(2) {
                    Source::Literal(self.random.below(33_u64))
                } else {
                    self.source()
                },
                c: if self.random.one_in(5) { self.source() } else { clamp },
                members: self.random.chance(80).then_some(members),
                to: self.random.chance(90).then(|| self.narrow()),
                valid: self.random.one_in(2).then(|| self.predicate()),
            })),
            2 => {
                let mode = self.random.of(&[Vote::Ballot, Vote::All, Vote::Any, Vote::Uniform]);
                let (n, p) = (self.narrow(), self.predicate());
                Action::Vote {
                    mode,
                    to: if mode == Vote::Ballot { VReg::B32(n) } else { VReg::Predicate(p) },
                    of: self.asked(),
                    members: self.random.chance(80).then_some(members),
                }
            }
            3 => Action::Match(Box::new(Match {
                all: self.random.one_in(2),
                of: if self.random.one_in(2) { self.source() } else { self.wide_source() },
                members,
                to: self.random.chance(90).then(|| self.narrow()),
                same: self.random.one_in(2).then(|| self.predicate()),
            })),
            4 => Action::Redux {
                op: self.random.of(&[
                    Reduce::Add,
                    Reduce::MinS,
                    Reduce::MaxS,
                    Reduce::MinU,
                    Reduce::MaxU,
                    Reduce::And,
                    Reduce::Or,
                    Reduce::Xor,
                ]),
                to: self.narrow(),
                of: self.source(),
                members,
            },
            _ => Action::Sync { members },
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
                15 => {
                    let reads = vec![VReg::B32(self.narrow()), VReg::B64(self.wide())];
                    if self.random.one_in(3) { Action::Leave { reads } } else { continue }
                }
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

    /// An affine address and accesses by it; usually nothing else reads the register.
    fn affine(&mut self) -> Vec<Action> {
        let [_, to, _] = TEMPORARY;
        let to = if self.random.one_in(3) { VReg::B64(CARRIED) } else { to };
        let VReg::B64(register) = to else { return Vec::new() };
        let base = Source::B64(register);
        let zero = Source::Literal(0);
        let mut index = Source::B32(NARROW_AT + self.random.below(2));
        let bytes = self.random.of(&[1, 2, 4, 4, 8, 16_u64]);
        let scale = Source::Literal(bytes);
        let mut before = Vec::new();
        if let (Source::B32(own), true) = (index, self.random.one_in(3)) {
            let number = Source::Literal(self.random.of(&[0, 16, 16, u64::from(u32::MAX - 15)]));
            let from = if self.random.one_in(6) { Source::Lane } else { index };
            let (op, to) = (Op::Add, VReg::B32(own));
            before.push(Action::Compute { op, to, from: [from, number, zero] });
        }
        // A uniform value may be added to the index or subtracted from it.
        for _ in 0..self.random.of(&[0, 0, 1, 1, 2]) {
            let number = match self.random.below(6) {
                0 => self.source(),
                1 => Source::Uniform(4),
                2 => Source::Literal(u64::from(u32::MAX)),
                _ => Source::Literal(self.random.below(4_u64)),
            };
            let from = [index, number, zero];
            let op = self.random.of(&[Op::Add, Op::Add, Op::Sub]);
            let from =
                if op == Op::Add && self.random.one_in(3) { [number, index, zero] } else { from };
            before.push(Action::Compute { op, to: TEMPORARY[0], from });
            (index, self.ready[0]) = (Source::B32(NARROW_AT - 1), self.random.one_in(4));
        }
        let add = match self.random.below(8) {
            0 => self.wide_source(),
            // A parameter as base, read directly or from a register.
            1 | 2 => Source::Bytes64(self.random.of(&[0, 8])),
            3..5 => {
                let (at, own) = (self.random.of(&[0, 8]), self.wide());
                let from = [Source::Bytes64(at), zero, zero];
                let copy = Action::Compute { op: Op::CopyWide, to: VReg::B64(own), from };
                before.push(copy);
                Source::B64(own)
            }
            _ => {
                let off = self.random.of(&[0, 0, 16, 1]);
                Source::Literal(self.random.of(&BASES).wrapping_add(off))
            }
        };
        let compute = |op, from| Action::Compute { op, to, from };
        let sum = compute(Op::AddWide, [base, add, zero]);
        let mut all = match self.random.below(6) {
            0 => vec![compute(Op::ExtendU, [index, zero, zero]), sum],
            1 => vec![compute(Op::ExtendS, [index, zero, zero]), sum],
            2 => vec![compute(Op::ProductAddU, [index, scale, add])],
            3 => vec![compute(Op::ProductS, [index, scale, zero]), sum],
            4 => {
                let shift = Source::Literal(self.random.below(5_u64));
                let shifted = compute(Op::ShiftLeftWide, [base, shift, zero]);
                vec![compute(Op::ExtendU, [index, zero, zero]), shifted, sum]
            }
            _ => vec![compute(Op::ProductU, [scale, index, zero]), sum],
        };
        before.append(&mut all);
        let mut all = before;
        for _ in 0..1 + self.random.below(3) {
            let mut action = if self.random.one_in(3) { self.store() } else { self.load() };
            let access = match &mut action {
                Action::Load(load) => &mut load.access,
                Action::Store(store) => &mut store.access,
                _ => continue,
            };
            if access.space == Space::Global {
                access.base = Some(base);
            }
            // Usually the element size is the scale.
            let count = access.count;
            if access.space == Space::Global && self.random.chance(70) {
                access.count = count.min(bytes as u8);
                access.size = bytes as u8 / access.count;
                access.offset = bytes.wrapping_mul(self.random.of(&[0, 0, 1, u64::MAX]));
                if access.size > 8 {
                    (access.size, access.count) = (8, 2);
                }
            }
            let count = usize::from(access.count);
            if self.wanted.calls && access.space == Space::Global && self.random.one_in(3) {
                all.push(self.cost(base));
            }
            match &mut action {
                Action::Load(load) => load.to.resize(count, None),
                Action::Store(store) => store.from.resize(count, Source::Lane),
                _ => {}
            }
            all.push(action);
        }
        if to == TEMPORARY[1] {
            self.ready[1] = self.random.one_in(4);
        }
        all
    }

    /// Loads of consecutive 4-byte elements in each lane by one index, sometimes with other steps
    /// between them.
    fn words(&mut self) -> Vec<Action> {
        let [narrow, wide, _] = TEMPORARY;
        let base = Source::B64(WIDE_AT - 1);
        let (scale, zero) = (Source::Literal(4), Source::Literal(0));
        let index = Source::B32(NARROW_AT + self.random.below(2));
        let add = match self.random.below(4) {
            0 => Source::Bytes64(self.random.of(&[0, 8])),
            1 => self.wide_source(),
            _ => Source::Literal(self.random.of(&BASES)),
        };
        let product = self.random.of(&[Op::ProductAddU, Op::ProductAddS]);
        let by_offset = self.random.one_in(3);
        let first = self.random.of(&[0, 0, 0, 1, u64::from(u32::MAX)]);
        let compute = |op, to, from| Action::Compute { op, to, from };
        let mut all = Vec::new();
        for n in 0..3 + self.random.below(4_u64) {
            let n = if self.random.one_in(8) { self.random.below(6_u64) } else { n };
            if !by_offset {
                let number = Source::Literal(u64::from((first as u32).wrapping_add(n as u32)));
                all.push(compute(Op::Add, narrow, [index, number, zero]));
                let sum = Source::B32(NARROW_AT - 1);
                all.push(compute(product, wide, [sum, scale, add]));
            } else if all.is_empty() {
                all.push(compute(product, wide, [index, scale, add]));
            }
            let site = self.sites;
            self.sites += 1;
            let offset = if by_offset { 4 * n } else { 4 * self.random.of(&[0, 0, 0, 0, 1, 2, 3]) };
            let base = Some(base);
            let access =
                Access { space: Space::Global, size: 4, count: 1, base, offset, site, map: 0 };
            let (signed, keep) = (self.random.one_in(2), u64::MAX);
            // Sometimes the destination is the index register.
            let to = match self.random.below(8) {
                0 => VReg::B64(self.wide()),
                1 => VReg::B32(NARROW_AT + self.random.below(2)),
                _ => VReg::B32(self.narrow()),
            };
            let to = vec![Some(to)];
            all.push(Action::Load(Box::new(Load { access, signed, keep, to })));
            if self.random.one_in(4) {
                let reads = vec![VReg::B32(self.narrow())];
                let between = match self.random.below(5) {
                    0 => self.store(),
                    1 => self.load(),
                    2 => Action::Leave { reads },
                    3 => Action::Nothing,
                    _ => compute(Op::Add, VReg::B32(self.narrow()), [index, scale, zero]),
                };
                all.push(between);
            }
        }
        self.ready[0] |= !by_offset && self.random.one_in(4);
        self.ready[1] |= self.random.one_in(4);
        all
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
