//! Keeps the list of pending copies up to date during emission, and emits the code that
//! materialises them.

use super::super::Emitter;
use super::super::backend::Backend;
use super::super::register_cache::{Key, Width, kind_of};
use super::{InputCopy, PendingCopies};
use crate::machine::Mode;
use crate::operand::Source;

impl<B: Backend> Emitter<'_, B> {
    /// Sets the pending copies at the beginning of the block.
    pub(in crate::emit) fn copies_pending_at_start(&mut self) {
        self.set_pending(|copies| &copies.start);
    }

    /// Sets the copies that are pending before a step that may exit.
    pub(in crate::emit) fn copies_pending_before(&mut self, step: usize) {
        self.set_pending(|copies| copies.steps.get(&step).map_or(&[], |of| of));
    }

    /// Sets the copies that are pending at the end of the block, and materialises those whose value
    /// a successor does not know.
    pub(in crate::emit) fn copies_pending_at_end(&mut self) {
        let some = self.mode == Mode::Some;
        let copies = &self.facts.copies[self.block];
        let mut fills = copies.fills.clone();
        if some {
            fills.extend(&copies.end);
            fills.retain(|of| !of.from_before);
        }
        self.fill(&fills);
        self.set_pending(|copies| if some { &[] } else { &copies.end });
    }

    fn set_pending(&mut self, of: impl Fn(&PendingCopies) -> &[InputCopy]) {
        let some = self.mode == Mode::Some;
        let all = of(&self.facts.copies[self.block]).iter();
        self.pending.copies = all.filter(|of| !(some && of.from_before)).copied().collect();
    }

    /// Materialises the pending copies before an exit.
    pub(in crate::emit) fn materialize_copies(&mut self) {
        let pending_copies = std::mem::take(&mut self.pending.copies);
        self.fill(&pending_copies);
    }

    /// Emits loads of inputs into their registers. Uses `rax` and `rbx`, and unpins registers.
    fn fill(&mut self, inputs: &[InputCopy]) {
        for of in inputs {
            let mut first = None;
            for key in Key::all::<B>(of.vreg) {
                let (width, part) = match (key, of.source) {
                    (Key::B32(_, part), Source::PerLane(_) | Source::Lane) => (Width::B32, part),
                    (Key::B64(..), _) => (Width::B64, 0),
                    _ => (Width::B32, 0),
                };
                let reg = self.temporary();
                let other = Key::Other(of.source, width, part);
                match first.filter(|_| !matches!(of.source, Source::PerLane(_) | Source::Lane)) {
                    Some(first) => B::copy(self, reg, first),
                    None => B::load(self, reg, other),
                }
                first = first.or(Some(reg));
                self.define(key, reg, kind_of(other));
            }
            self.cache.unpin();
        }
    }
}
