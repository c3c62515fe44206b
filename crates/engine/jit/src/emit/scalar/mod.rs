//! Loops through which lanes go one after the other, each in general registers.
//!
//! Where lanes go along rows of their own, vectors of what they load have to be put together word by word, and each iteration
//! lasts until the last lane is through: one lane after the other is faster then, and so it is for a lane without others. Whether it is
//! so, code looks at where a loop begins ([`Emitter::if_apart`]).
//!
//! A loop that does nothing but to compute and to load can be tried so ([`find`]): what comes out goes home when all lanes have
//! left it. Where an access cannot be made for certain, a NaN comes out, or the steps of the turn are over, nothing has
//! happened, and lanes go through the loop together, as they do the next few times.

mod apart;
mod code;
mod compute;
mod find;
mod floats;
mod kinds;
mod lane;
mod look;
mod memory;
mod places;
mod predicates;
mod rename;
mod state;
mod walk;

pub(super) use find::{Finder, Loop};

use super::Emitter;
use super::asm::Label;
use super::backend::Backend;
use super::input::Owed;
use super::values::Values;
use crate::machine::Mode;
use crate::region::Target;
use std::rc::Rc;

/// A loop of a region, and where its code is in that for all live lanes and for some: none, as long as nothing wants it.
pub(super) struct Alone {
    of: Rc<Loop>,
    labels: [Option<Label>; 2],
}

impl<B: Backend> Emitter<'_, B> {
    /// Finds such loops.
    pub(super) fn find_alone(&mut self) {
        let finder = Finder {
            region: self.region,
            plans: &self.plans,
            uses: &self.uses,
            numbers: &self.numbers,
        };
        let loops = self.loops.iter().enumerate();
        // A lane alone fills nothing where blocks end.
        let fills = |head: usize, last: usize| self.owed[head..=last].iter().any(Owed::fills);
        let found = loops.filter_map(|(head, &last)| {
            let last = last.filter(|&last| !fills(head, last))?;
            finder.find(head, last)
        });
        self.alone = found.map(|of| Alone { of: Rc::new(of), labels: [None; 2] }).collect();
    }

    /// Whether a block is entered with all at home where lanes have gone through a loop alone, or have tried it in vain.
    pub(super) fn is_behind_alone(&self, block: usize) -> bool {
        self.alone
            .iter()
            .any(|alone| alone.of.head == block || alone.of.exit == Target::Block(block as u32))
    }

    /// Where a block is entered from outside a loop that begins with it: a way for lanes that had better go through that alone.
    pub(super) fn or_alone(&mut self, to: usize) {
        let here = self.block;
        let found = self.alone.iter().position(|alone| alone.of.head == to);
        let Some(i) = found.filter(|&i| !(to..=self.alone[i].of.last).contains(&here)) else {
            return;
        };
        let of = Rc::clone(&self.alone[i].of);
        self.walk_home(&of);
        let way = self.way_alone(i);
        self.if_apart(&of, way);
    }

    /// All is at home: the code of the loop, if it is not there yet.
    pub(super) fn alone(&mut self, i: usize) {
        let some = usize::from(self.mode == Mode::Some);
        if let Some(label) = self.alone[i].labels[some] {
            return self.asm.jump(iced_x86::Code::Jmp_rel32_64, label);
        }
        let label = self.asm.label();
        self.asm.bind(label);
        self.alone[i].labels[some] = Some(label);
        self.values = Values::default();
        let of = Rc::clone(&self.alone[i].of);
        if self.lanes_alone(&of).is_none() {
            self.asm.out_of_registers();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::avx2::Avx2;
    use crate::emit::input::read_in_place;
    use crate::machine::Level;
    use crate::op::{Float, Op};
    use crate::operand::{Combine, Place, Predicate, Relation, Source, Test};
    use crate::region::{Access, Action, Block, End, Load, Region, Space, Step, Store};

    fn access(base: u32, site: u32) -> Access {
        let base = Some(Source::Wide(base));
        Access { space: Space::Global, size: 4, count: 1, base, offset: 0, site, map: 0 }
    }

    fn load(base: u32, site: u32, to: u32) -> Action {
        let (access, to) = (access(base, site), vec![Some(Place::Narrow(to))]);
        Action::Load(Box::new(Load { access, weak: true, signed: false, keep: u64::MAX, to }))
    }

    fn compute(op: Op, to: Place, from: [Source; 3]) -> Action {
        Action::Compute { op, to, from }
    }

    /// The address of an index in `w0`.
    fn address(index: u32) -> Action {
        let from = [Source::Narrow(index), Source::Literal(4), Source::Bytes64(0)];
        compute(Op::ProductAddU, Place::Wide(0), from)
    }

    /// Adds up the words from `n0` to `n1` in `n2`, and does something else.
    fn region(other: Vec<Action>) -> Region {
        let zero = Source::Literal(0);
        let sum = Op::Float { op: Float::Add, flush: false, saturate: false };
        let mut actions = vec![address(0), load(0, 0, 3)];
        actions.extend(other);
        let sum = compute(sum, Place::Narrow(2), [Source::Narrow(2), Source::Narrow(3), zero]);
        let count = [Source::Narrow(0), Source::Literal(1), zero];
        actions.extend([sum, compute(Op::Add, Place::Narrow(0), count)]);
        actions.push(Action::Compare {
            test: Test::Unsigned(Relation::Lt),
            from: [Source::Narrow(0), Source::Narrow(1)],
            to: [Some(0), None],
            with: (Combine::And, Predicate::Always),
        });
        let step = |(at, action)| Step { at, guard: Predicate::Always, counted: true, action };
        let steps = (10..).zip(actions).map(step).collect();
        let places: Vec<_> = (0..4).map(Place::Narrow).collect();
        let kept = |n: usize| places[..n].iter().copied().collect();
        let block = |at, steps, end, n| Block {
            at,
            is_entry: at == 0,
            joins: at == 50,
            steps,
            end,
            kept: kept(n),
        };
        let (to, next) = (Target::Block(1), Target::Block(2));
        let branch =
            End::Branch { taken: Predicate::If(0), to, next, at: 40, counted: true, meets: 50 };
        let blocks = vec![
            block(0, Vec::new(), End::Jump(to), 3),
            block(10, steps, branch, 3),
            block(50, Vec::new(), End::Leave { at: 50 }, 3),
        ];
        Region { blocks, sites: 3, ..Region::default() }
    }

    /// Whether lanes can go through the loop alone, and whether they do where they walk along rows of their own.
    fn found(region: &Region) -> Option<bool> {
        let (region, owed) = read_in_place(region);
        let emitter = Emitter::<Avx2>::new(&region, owed, Mode::Live, true);
        emitter.alone.first().map(|alone| alone.of.walk.is_some())
    }

    #[test]
    fn loops_that_load_and_compute() {
        assert_eq!(found(&region(Vec::new())), Some(true));
        // What is loaded may say where to load from, but not in the next iteration.
        assert_eq!(found(&region(vec![address(3), load(0, 1, 3)])), Some(true));
        let mut chases = region(vec![address(4), load(0, 1, 4)]);
        assert_eq!(found(&chases), Some(false));
        // A guard does not change that.
        chases.blocks[1].steps[3].guard = Predicate::If(1);
        assert_eq!(found(&chases), Some(false));
        // Vectors compute more at a time.
        let add = || {
            compute(
                Op::Add,
                Place::Narrow(1),
                [Source::Narrow(1), Source::Lane, Source::Literal(0)],
            )
        };
        let computes = |n| region((0..n).map(|_| add()).collect());
        assert_eq!(found(&computes(0)), Some(true));
        assert_eq!(found(&computes(1)), Some(false));
    }

    /// Also of instructions that this processor has not got: it is only made.
    #[test]
    fn code_is_made_for_all_levels() {
        // What gathers take is measured by those of AVX2.
        if !std::is_x86_feature_detected!("avx2") {
            return;
        }
        for region in [region(Vec::new()), region(vec![address(3), load(0, 1, 3)])] {
            for level in [Level::Avx2, Level::Avx512] {
                for mode in [Mode::Live, Mode::Some] {
                    let code = crate::emit::emit(&region, mode, level);
                    assert!(code.is_ok(), "{level:?} {mode:?}: {:?}", code.err());
                }
            }
        }
    }

    #[test]
    fn other_loops() {
        let store = Store { access: access(0, 1), from: vec![Source::Narrow(3)] };
        assert_eq!(found(&region(vec![Action::Store(Box::new(store))])), None);
        let mut strong = region(Vec::new());
        if let Action::Load(load) = &mut strong.blocks[1].steps[1].action {
            load.weak = false;
        }
        assert_eq!(found(&strong), None);
        // A number that is a float, too.
        let both = compute(
            Op::Add,
            Place::Narrow(2),
            [Source::Narrow(2), Source::Narrow(2), Source::Literal(0)],
        );
        assert_eq!(found(&region(vec![both])), None);
        // Lanes that leave it meet elsewhere.
        let mut elsewhere = region(Vec::new());
        if let End::Branch { meets, .. } = &mut elsewhere.blocks[1].end {
            *meets = 60;
        }
        assert_eq!(found(&elsewhere), None);
        // Others may wait before it.
        let mut joins = region(Vec::new());
        joins.blocks[1].joins = true;
        assert_eq!(found(&joins), None);
    }
}
