//! Random calls of host functions, and steps that combine lanes.

use super::super::costs;
use super::{CARRIED, MEMBERS, NARROW_AT, REDUCES, RegionBuilder, WIDE_AT};
use std::sync::Arc;
use texunit_jit::region::{Action, Call, Match, Notification, Routine, Shuffle, Shuffling, Vote};
use texunit_jit::{Source, VReg};

impl RegionBuilder<'_> {
    /// An access with a cost, by a register.
    pub(super) fn cost(&mut self, base: Source) -> Action {
        let tell = costs::any(self.random, matches!(base, Source::B32(_)));
        let from = [base, Source::Literal(0), Source::Literal(0), Source::Literal(0)];
        Action::Call(Box::new(Call {
            routine: Routine::Notify(tell),
            to: None,
            keep: u64::MAX,
            from,
        }))
    }

    pub(super) fn tell(&mut self) -> Action {
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

    pub(super) fn call(&mut self) -> Action {
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
    pub(super) fn cross(&mut self) -> Action {
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
                op: self.random.of(&REDUCES),
                to: self.narrow(),
                of: self.source(),
                members,
            },
            _ => Action::Sync { members },
        }
    }
}
