//! What is owed while the code is made.

use super::super::Emitter;
use super::super::backend::Backend;
use super::super::values::{Key, Width, kind_of};
use super::{Input, Owed};
use crate::machine::Mode;
use crate::operand::Source;

impl<B: Backend> Emitter<'_, B> {
    /// What is owed where the block begins, from here on.
    pub(in crate::emit) fn owe_at_start(&mut self) {
        self.owe(|owed| &owed.start);
    }

    /// The same before a step that may leave.
    pub(in crate::emit) fn owe_before(&mut self, step: usize) {
        self.owe(|owed| owed.steps.get(&step).map_or(&[], |of| of));
    }

    /// The same at the end of the block, where what nobody knows behind it is filled.
    pub(in crate::emit) fn owe_at_end(&mut self) {
        let some = self.mode == Mode::Some;
        let owed = &self.owed[self.block];
        let mut fills = owed.fills.clone();
        if some {
            fills.extend(&owed.end);
            fills.retain(|of| !of.from_before);
        }
        self.fill(&fills);
        self.owe(|owed| if some { &[] } else { &owed.end });
    }

    fn owe(&mut self, of: impl Fn(&Owed) -> &[Input]) {
        let some = self.mode == Mode::Some;
        let all = of(&self.owed[self.block]).iter();
        self.owes = all.filter(|of| !(some && of.from_before)).copied().collect();
    }

    /// Fills what is owed, before it leaves.
    pub(in crate::emit) fn fill_owed(&mut self) {
        let owes = std::mem::take(&mut self.owes);
        self.fill(&owes);
    }

    /// Registers get the inputs that they have. Uses `rax` and `rbx`; nothing is pinned behind it.
    fn fill(&mut self, inputs: &[Input]) {
        for of in inputs {
            let mut first = None;
            for key in Key::all::<B>(of.place) {
                let (width, part) = match (key, of.source) {
                    (Key::Narrow(_, part), Source::Row(_) | Source::Lane) => (Width::Narrow, part),
                    (Key::Wide(..), _) => (Width::Wide, 0),
                    _ => (Width::Narrow, 0),
                };
                let reg = self.temporary();
                let other = Key::Other(of.source, width, part);
                match first.filter(|_| !matches!(of.source, Source::Row(_) | Source::Lane)) {
                    Some(first) => B::copy(self, reg, first),
                    None => B::load(self, reg, other),
                }
                first = first.or(Some(reg));
                self.define(key, reg, kind_of(other));
            }
            self.values.unpin();
        }
    }
}
