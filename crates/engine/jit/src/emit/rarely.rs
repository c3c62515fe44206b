//! Steps that only rare lanes need ([`Action::Rarely`](crate::region::Action::Rarely)): code jumps
//! over them where no lane does.

use super::Emitter;
use super::asm::Label;
use super::backend::Backend;
use super::register_cache::{Key, RegisterCache};
use iced_x86::Code as C;
use std::ops::Range;

/// Steps that are being emitted, over which code can jump.
pub(super) struct Skipped {
    /// The number of the step after the steps that are jumped over.
    pub(super) end: usize,
    label: Label,
    /// The register cache after the jump, without values that are dead after the steps.
    cache: RegisterCache,
}

impl<B: Backend> Emitter<'_, B> {
    /// Emits a jump over the next steps, which write the values that `is_written` selects. All
    /// skipped lanes must have been counted before, because the steps may not run.
    pub(super) fn skip(
        &mut self,
        jump: C,
        steps: Range<usize>,
        is_written: impl Fn(Key) -> bool,
    ) -> Skipped {
        let label = self.asm.label();
        self.asm.jump(jump, label);
        let mut cache = self.cache.clone();
        for after in self.facts.uses[self.block].after[steps.clone()].iter().flatten() {
            if !after.lives {
                cache.forget_keys(|key| key.vreg() == Some(after.vreg) && is_written(key));
            }
        }
        Skipped { end: steps.end, label, cache }
    }

    /// Brings the register cache to the state that it has after the jump. A value that is
    /// [`super::register_cache::Nans::Any`] there may be a reloaded value here, whose NaNs are
    /// canonical.
    pub(super) fn rejoin(&mut self, skipped: Skipped) {
        self.reconcile(&skipped.cache);
        self.asm.bind(skipped.label);
    }
}
