//! Fetches and accesses that no texture or surface fits, where the kernel goes on as on a card
//! ([`BadFetch::Zero`]).
//!
//! All of this is asked only where no plan can be made, so that it costs others nothing.

use super::outcome::{Executed, PendingFault};
use super::warp::lanes;
use crate::launch::{BadFetch, LaunchConfig};
use crate::stats::{BadFetches, Fault};
use std::collections::HashSet;

/// Those of a worker.
#[derive(Default)]
pub(crate) struct Bad {
    /// By instruction and object.
    known: HashSet<(usize, Option<String>)>,
    /// Those of the instruction that is executed: where it is says who knows the split.
    pending: Vec<PendingFault>,
    told: BadFetches,
}

impl Bad {
    /// Takes in that no plan can be made at a site. What a card does not answer stays a fault.
    pub(super) fn take(
        &mut self,
        config: &LaunchConfig<'_>,
        site: usize,
        fault: Box<PendingFault>,
    ) -> Executed {
        if config.bad_fetch == BadFetch::Fault || !fault.kind.is_answered() {
            return Err(fault);
        }
        let key = (site, fault.kind.object());
        if self.known.contains(&key) {
            return Ok(());
        }
        if self.known.len() < BadFetches::MAX {
            self.known.insert(key);
            self.pending.push(*fault);
        } else {
            self.told.more += 1;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn has_news(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Those of an instruction, whose place is told next.
    pub(super) fn take_pending(&mut self) -> Vec<PendingFault> {
        std::mem::take(&mut self.pending)
    }

    pub(super) fn tell(&mut self, fault: Fault) {
        self.told.faults.push(fault);
    }

    /// All of this worker.
    pub(super) fn take_told(&mut self) -> BadFetches {
        std::mem::take(&mut self.told)
    }
}

/// What a card loads where there is nothing to load from.
#[cold]
pub(super) fn clear<T: Default>(values: &mut [[T; 32]; 4], active: u32) {
    values.iter_mut().for_each(|row| lanes(active).for_each(|lane| row[lane] = T::default()));
}
