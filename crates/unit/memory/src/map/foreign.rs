//! Memory of the program among the blocks of a device: what became of it.

use super::{Memory, State};
use crate::block::{Block, End, Gone};
use crate::host::{self, Rights};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// What is known of memory of the program.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    /// Addresses of its blocks.
    pub(super) bases: BTreeSet<u64>,
    /// What was found to be unmapped, until somebody asks: each block once at most.
    unmapped: Vec<Gone>,
}

impl Memory {
    /// Looks at the program's memory, all of it or one block: takes out what is not mapped any more. Gives the blocks
    /// that have lost the right to be written without it, by address.
    ///
    /// Where the system cannot be asked, everything is as it was registered.
    pub(super) fn check(&self, state: &mut State, one: Option<u64>) -> BTreeMap<u64, Arc<Block>> {
        let mut lesser = BTreeMap::new();
        if state.foreign.bases.is_empty() {
            return lesser;
        }
        let all = &state.foreign.bases;
        let bases: Vec<u64> = match one {
            Some(base) => all.get(&base).copied().into_iter().collect(),
            None => all.iter().copied().collect(),
        };
        let range = |base: &u64| -> Range<u64> {
            *base..base + state.blocks.get(base).map_or(0, |entry| entry.block.size() as u64)
        };
        let ranges: Vec<_> = bases.iter().map(range).collect();
        let Some(rights) = (!ranges.is_empty()).then(|| host::rights(&ranges)).flatten() else {
            return lesser;
        };
        for (base, rights) in bases.into_iter().zip(rights) {
            let Some(entry) = state.blocks.get(&base) else { continue };
            // Another device has found it unmapped: it is gone here too, whatever is there by now.
            let rights = if entry.block.ended().is_some() { Rights::None } else { rights };
            match rights {
                Rights::ReadWrite => {}
                Rights::Read if entry.block.is_read_only() => {}
                Rights::Read => {
                    lesser.insert(base, Arc::new(entry.block.read_only()));
                }
                Rights::None => {
                    let taken = self.take_out(state, base, End::Unmapped);
                    let told = taken.filter(|(_, first)| *first);
                    let gone = told.and_then(|(block, _)| block.gone(Some(base)));
                    state.foreign.unmapped.extend(gone);
                }
            }
        }
        lesser
    }

    /// Memory of the program that was found to be unmapped since the last time that this was asked.
    pub fn take_unmapped(&self) -> Vec<Gone> {
        std::mem::take(&mut self.state().foreign.unmapped)
    }
}
