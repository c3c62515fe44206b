//! Keeps the lists of pending copies and deferred addresses up to date during emission, and emits
//! the code that materialises them.

use super::super::affine::DeferredAddress;
use super::super::backend::Backend;
use super::super::register_cache::{Key, Width, kind_of};
use super::super::{Emitter, PendingValues};
use super::{InputCopy, PendingCopies};
use crate::machine::Mode;
use crate::operand::Source;

impl<B: Backend> Emitter<'_, B> {
    /// Sets the copies and addresses that are pending at the beginning of the block.
    pub(in crate::emit) fn pending_at_start(&mut self) {
        let deferred = self.facts.plans[self.block].start.clone();
        self.set_pending(|copies| &copies.start, deferred);
    }

    /// Sets the copies and addresses that are pending before a step that may exit.
    pub(in crate::emit) fn pending_before(&mut self, step: usize) {
        let role = self.facts.plans[self.block].get(step);
        let deferred = role.map_or_else(Vec::new, |role| role.deferred.clone());
        self.set_pending(|copies| copies.steps.get(&step).map_or(&[], |of| of), deferred);
    }

    /// Sets the copies and addresses that are pending at the end of the block, and materialises
    /// copies whose value a successor does not know. In code for some lanes nothing stays pending.
    pub(in crate::emit) fn pending_at_end(&mut self) {
        let (some, plan) = (self.mode == Mode::Some, &self.facts.plans[self.block]);
        let copies = &self.facts.copies[self.block];
        let (deferred, mut fills) = (plan.end.clone(), copies.fills.clone());
        if some {
            fills.extend(&copies.end);
            fills.retain(|of| !of.from_before);
            let here = deferred.into_iter().filter(|deferred| !deferred.from_before);
            here.for_each(|deferred| self.compute_deferred(deferred));
            self.fill(&fills);
            return self.set_pending(|_| &[], Vec::new());
        }
        self.fill(&fills);
        self.set_pending(|copies| &copies.end, deferred);
    }

    fn set_pending(
        &mut self,
        of: impl Fn(&PendingCopies) -> &[InputCopy],
        mut deferred: Vec<DeferredAddress>,
    ) {
        let some = self.mode == Mode::Some;
        let mut copies = of(&self.facts.copies[self.block]).to_vec();
        copies.retain(|of| !(some && of.from_before));
        deferred.retain(|of| !(some && of.from_before));
        self.pending.values = PendingValues { deferred, copies };
    }

    /// Computes deferred addresses and materialises pending copies before an exit.
    pub(in crate::emit) fn materialize_pending(&mut self) {
        let PendingValues { deferred, copies } = std::mem::take(&mut self.pending.values);
        deferred.into_iter().for_each(|deferred| self.compute_deferred(deferred));
        self.fill(&copies);
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
