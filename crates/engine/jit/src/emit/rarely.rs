//! Steps that only rare lanes need ([`Action::Rarely`]): code jumps over them where no lane does.

use super::Emitter;
use super::asm::Label;
use super::backend::Backend;
use super::register_cache::RegisterCache;
use crate::region::Action;
use iced_x86::Code as C;

/// Steps that are being emitted and that a jump has skipped.
pub(super) struct Skipped {
    /// The last step.
    pub(super) last: usize,
    label: Label,
    /// The register cache after the jump, without values that are dead after the steps.
    cache: RegisterCache,
}

impl<B: Backend> Emitter<'_, B> {
    /// Ends a step [`Action::Rarely`] with a jump over the steps after it, of which the block has
    /// `end`. `test` sets the flags for the jump.
    pub(super) fn skip(
        &mut self,
        step: usize,
        end: usize,
        jump: C,
        test: impl FnOnce(&mut Self),
    ) -> Option<Skipped> {
        let block = &self.region.blocks[self.block];
        let Action::Rarely { steps, .. } = block.steps[step].action else { return None };
        let last = (step + steps as usize).min(end - 1);
        self.after_step(step);
        // Lanes are counted here, because the steps may not be executed.
        self.count_guarded();
        test(self);
        let label = self.asm.label();
        self.asm.jump(jump, label);
        let mut cache = self.cache.clone();
        for after in self.facts.uses[self.block].after[step + 1..=last].iter().flatten() {
            if !after.lives {
                cache.forget(after.vreg);
            }
        }
        Some(Skipped { last, label, cache })
    }

    /// Brings the register cache to the state that it has after the jump. A value that is
    /// [`super::register_cache::Nans::Any`] there may be a reloaded value here, whose NaNs are
    /// canonical.
    pub(super) fn rejoin(&mut self, skipped: Skipped) {
        let contradiction = self.contradiction;
        self.reconcile(&skipped.cache);
        self.contradiction = contradiction;
        self.asm.bind(skipped.label);
    }
}
