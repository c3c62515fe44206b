//! Random accesses of memory, and the computation of their addresses.

use super::super::model::BASES;
use super::{CARRIED, NARROW_AT, REDUCES, RegionBuilder, TEMPORARY, WIDE_AT};
use std::collections::HashSet;
use texunit_jit::region::{Access, Action, Atomic, Change, Load, Space, Store};
use texunit_jit::{Op, Source, VReg};

impl RegionBuilder<'_> {
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

    pub(super) fn load(&mut self) -> Action {
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

    pub(super) fn store(&mut self) -> Action {
        let access = self.access(true);
        let from = (0..access.count)
            .map(|_| if self.random.one_in(2) { self.source() } else { self.wide_source() })
            .collect();
        Action::Store(Box::new(Store { access, from }))
    }

    pub(super) fn atomic(&mut self) -> Action {
        let mut access = self.access(true);
        while !matches!(access.space, Space::Global | Space::Shared) {
            access = self.access(true);
        }
        access.count = 1;
        access.size = self.random.of(&[4, 8]);
        access.offset = 0;
        let change = self.random.of(&[
            Change::Exchange,
            Change::Compare,
            Change::Inc,
            Change::Dec,
            Change::AddFloat,
        ]);
        let reduce = Change::Reduce(self.random.of(&REDUCES));
        let change = if self.random.one_in(2) { reduce } else { change };
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

    /// An affine address and accesses by it; usually nothing else reads the register.
    pub(super) fn affine(&mut self) -> Vec<Action> {
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

    /// Loads from one address of shared memory by all lanes, and between them steps that read and
    /// overwrite what is loaded. Seldom the lanes have two addresses.
    pub(super) fn one_address(&mut self) -> Vec<Action> {
        let (base, zero) = (self.narrow(), Source::Literal(0));
        let address = Source::Literal(16 * self.random.below(7_u64));
        let from = [address, Source::Lane, Source::Literal(0x10)];
        let op = if self.random.one_in(8) { Op::Bits(0xf8) } else { Op::Copy };
        let mut all = vec![Action::Compute { op, to: VReg::B32(base), from }];
        for _ in 0..1 + self.random.below(4) {
            let count = self.random.of(&[1, 2, 4]);
            let access = Access {
                space: Space::Shared,
                size: 4,
                count,
                base: Some(Source::B32(base)),
                offset: 4 * u64::from(count) * self.random.below(4_u64),
                site: 0,
                map: 0,
            };
            let mut to =
                |_| if self.random.one_in(8) { None } else { Some(VReg::B32(self.narrow())) };
            let to: Vec<_> = (0..count).map(&mut to).collect();
            let loaded: Vec<_> = to.iter().flatten().copied().collect();
            let load = Load { access, signed: false, keep: u64::MAX, to };
            all.push(Action::Load(Box::new(load)));
            for &vreg in &loaded {
                let VReg::B32(i) = vreg else { continue };
                let (op, from) = (self.narrow_op(), [Source::B32(i), self.source(), zero]);
                let to = if self.random.one_in(2) { vreg } else { VReg::B32(self.narrow()) };
                all.push(Action::Compute { op, to, from });
            }
        }
        all
    }

    /// Loads of consecutive 4-byte elements in each lane by one index, sometimes with other steps
    /// between them.
    pub(super) fn words(&mut self) -> Vec<Action> {
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
                let between = match self.random.below(4) {
                    0 => self.store(),
                    1 => self.load(),
                    2 => Action::Nothing,
                    _ => compute(Op::Add, VReg::B32(self.narrow()), [index, scale, zero]),
                };
                all.push(between);
            }
        }
        self.ready[0] |= !by_offset && self.random.one_in(4);
        self.ready[1] |= self.random.one_in(4);
        all
    }
}
