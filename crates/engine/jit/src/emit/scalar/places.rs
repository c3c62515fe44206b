//! Where a lane alone has its numbers: in general registers and those for floats, what is used most first, and on the stack.

use super::find::Loop;
use super::kinds::{self, Kind};
use super::rename::LaneStep;
use crate::op::Op;
use crate::operand::{Place, Predicate, Source};
use crate::region::Action;
use iced_x86::Register as R;

/// General registers that hold numbers, of 64 bits and of 32. `rax` and `rbx` are for moments, `r8` counts, `rdi` and `r15` stay
/// what they are.
const GENERAL: [R; 10] =
    [R::RCX, R::RDX, R::RSI, R::RBP, R::R9, R::R10, R::R11, R::R12, R::R13, R::R14];

/// Registers that hold floats; those before are for moments.
const FLOATS: std::ops::Range<u32> = 3..16;

/// What a loop works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A value of the lane.
    Of(Place),
    /// What all lanes have, of 64 bits (`true`) or 32.
    Alike(Source, bool),
    /// A row's number of the lane, or that of the lane.
    Own(Source),
    /// Where index 0 of a site lies.
    Origin(u32),
    /// Below what an index is that some follow, by a site and how many.
    Below(u32, u32),
}

/// Where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    General(R),
    Float(R),
    /// A word of 64 bits, by its number.
    Stack(usize),
}

/// The places of all values.
#[derive(Debug, Default)]
pub(super) struct Places {
    all: Vec<(Value, Home)>,
    /// Words on the stack.
    pub(super) words: usize,
}

/// Uses of values.
#[derive(Default)]
struct Counts(Vec<(Value, u32)>);

impl Counts {
    fn add(&mut self, value: Value) {
        match self.0.iter_mut().find(|of| of.0 == value) {
            Some(of) => of.1 += 1,
            None => self.0.push((value, 1)),
        }
    }

    fn source(&mut self, source: Source, kind: Kind, is_float: bool) {
        if let Some(value) = value_of(source, kind.is_wide(), is_float) {
            self.add(value);
        }
    }

    fn predicate(&mut self, predicate: Predicate) {
        predicate.place().into_iter().for_each(|place| self.add(Value::Of(place)));
    }

    fn step(&mut self, LaneStep { step, by, look }: &LaneStep, of: &Loop) {
        self.predicate(step.guard);
        step.each_written(|place| self.add(Value::Of(place)));
        match &step.action {
            Action::Compute { op, to, from } => {
                if let Op::Select(p) | Op::SelectWide(p) = op {
                    self.predicate(*p);
                }
                let Some((_, kinds)) = kinds::of(*op, from) else { return };
                for (&source, kind) in from.iter().zip(kinds).take(op.sources()) {
                    self.source(source, kind, of.is_float(kind, *to));
                }
            }
            Action::Compare { test, from, with, .. } => {
                self.predicate(with.1);
                let kind = kinds::of_test(*test);
                from.iter().for_each(|&source| self.source(source, kind, kind.is_float()));
            }
            Action::Logic { from, .. } => from.iter().for_each(|&of| self.predicate(of)),
            Action::Load(load) => match (by, load.access.base) {
                (Some(value), _) => {
                    self.add(Value::Of(Place::Narrow(value.index)));
                    self.add(Value::Origin(look.site));
                    self.source(value.plus.number, Kind::Bits32, false);
                    if let Some(covers @ 1..) = look.covers {
                        self.add(Value::Below(look.site, covers));
                    }
                }
                (None, Some(base)) => self.source(base, Kind::Bits64, false),
                (None, None) => {}
            },
            _ => {}
        }
    }
}

/// What a source is; none: a number that instructions have in themselves.
pub(super) fn value_of(source: Source, wide: bool, is_float: bool) -> Option<Value> {
    Some(match source {
        Source::Narrow(i) => Value::Of(Place::Narrow(i)),
        Source::Wide(i) => Value::Of(Place::Wide(i)),
        Source::Row(_) | Source::Lane => Value::Own(source),
        Source::Literal(number) if !is_float && immediate(number, wide).is_some() => return None,
        _ => Value::Alike(source, wide),
    })
}

/// A number that an instruction can have in itself.
pub(super) fn immediate(number: u64, wide: bool) -> Option<i32> {
    match wide {
        true => i32::try_from(number as i64).ok(),
        false => Some(number as i32),
    }
}

impl Places {
    /// Those of a loop.
    pub(super) fn of(of: &Loop) -> Self {
        let mut counts = Counts::default();
        for block in &of.blocks {
            block.steps.iter().for_each(|step| counts.step(step, of));
            counts.predicate(block.taken);
        }
        of.begins.iter().for_each(|&(_, value)| counts.add(Value::Of(value)));
        let mut all = counts.0;
        all.sort_by_key(|of| std::cmp::Reverse(of.1));
        let (mut general, mut floats) = (GENERAL.into_iter(), FLOATS.map(|i| R::XMM0 + i));
        let mut places = Self::default();
        for (value, _) in all {
            let register = match value {
                Value::Of(place) if of.floats.contains(&place) => floats.next().map(Home::Float),
                // What floats are computed with is read from memory as well.
                Value::Alike(..) | Value::Below(..) => None,
                _ => general.next().map(Home::General),
            };
            let home = register.unwrap_or_else(|| {
                places.words += 1;
                Home::Stack(places.words - 1)
            });
            places.all.push((value, home));
        }
        places
    }

    /// Where a value is.
    pub(super) fn get(&self, value: Value) -> Option<Home> {
        self.all.iter().find(|of| of.0 == value).map(|of| of.1)
    }

    /// All values, with where they are.
    pub(super) fn all(&self) -> impl Iterator<Item = (Value, Home)> + '_ {
        self.all.iter().copied()
    }
}

impl Loop {
    /// Whether what is of a kind, or is only moved to a register, is held as a float.
    pub(super) fn is_float(&self, kind: Kind, to: Place) -> bool {
        match kind {
            Kind::Any32 | Kind::Any64 => self.floats.contains(&to),
            _ => kind.is_float(),
        }
    }
}

/// The low 32 bits of a general register.
pub(super) fn low(register: R) -> R {
    match register {
        R::RAX => R::EAX,
        R::RBX => R::EBX,
        R::RCX => R::ECX,
        R::RDX => R::EDX,
        R::RSI => R::ESI,
        R::RBP => R::EBP,
        R::R9 => R::R9D,
        R::R10 => R::R10D,
        R::R11 => R::R11D,
        R::R12 => R::R12D,
        R::R13 => R::R13D,
        _ => R::R14D,
    }
}
