//! Fetches and surface accesses that are incompatible with their texture or surface, but for which
//! the kernel continues as on a card ([`BadFetch::Zero`]).
//!
//! This code runs only if planning a fetch fails, so it costs other fetches nothing.

use super::outcome::{Done, PendingFault};
use super::warp::lanes;
use crate::launch::BadFetch;
use crate::observe::LaunchConfig;
use crate::stats::{BadFetches, Fault};
use std::collections::HashSet;

/// Incompatible fetches and accesses of a worker.
#[derive(Default)]
pub(crate) struct BadAccesses {
    /// Instructions and objects for which a fault was recorded already, since each is reported
    /// once.
    known: HashSet<(usize, Option<String>)>,
    /// Faults of the current instruction, whose thread and location are added by the caller.
    pending: Vec<PendingFault>,
    recorded: BadFetches,
}

impl BadAccesses {
    /// Records that a fetch or access could not be planned. The access remains a fault if a GPU has
    /// no defined result for it.
    pub(super) fn take(
        &mut self,
        config: &LaunchConfig<'_>,
        site: usize,
        fault: Box<PendingFault>,
    ) -> Done {
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
            self.recorded.more += 1;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn has_news(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Removes the faults of the current instruction, so that their thread and location can be
    /// added.
    pub(super) fn take_pending(&mut self) -> Vec<PendingFault> {
        std::mem::take(&mut self.pending)
    }

    pub(super) fn record(&mut self, fault: Fault) {
        self.recorded.faults.push(fault);
    }

    /// Removes all faults recorded by this worker.
    pub(super) fn take_recorded(&mut self) -> BadFetches {
        std::mem::take(&mut self.recorded)
    }
}

/// Sets the results of the active lanes to zero, as a card does.
#[cold]
pub(super) fn clear<T: Default>(values: &mut [[T; 32]; 4], active: u32) {
    values.iter_mut().for_each(|row| lanes(active).for_each(|lane| row[lane] = T::default()));
}
