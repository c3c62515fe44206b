//! Registered memory of the host program: detects blocks that the program has unmapped or made
//! read-only.

use super::{Memory, State};
use crate::block::{Block, End, FreedBlock};
use crate::host::{self, Rights};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use texunit_forms::lock;

/// State of registered host memory.
#[derive(Debug, Default)]
pub(super) struct RegisteredMemory {
    /// Addresses of the registered blocks.
    pub(super) bases: BTreeSet<u64>,
    /// Blocks found to be unmapped and not yet reported; each block is reported once.
    unmapped: Vec<FreedBlock>,
}

impl Memory {
    /// Tests the access rights of all registered blocks, or of the block at the address `one`. Ends
    /// and removes blocks that are not mapped any more. Returns read-only versions, by address, of
    /// writable blocks that have lost the right to be written.
    ///
    /// If the system cannot be asked, the rights are assumed to be unchanged.
    pub(super) fn check(&self, state: &mut State, one: Option<u64>) -> BTreeMap<u64, Arc<Block>> {
        let mut lesser = BTreeMap::new();
        if state.registered.bases.is_empty() {
            return lesser;
        }
        let all = &state.registered.bases;
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
            // If another device found the block unmapped, the block counts as unmapped for this
            // device too, even if the address is mapped again by now.
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
                    let gone = told.and_then(|(block, _)| block.freed_block(Some(base)));
                    state.registered.unmapped.extend(gone);
                }
            }
        }
        lesser
    }

    /// Returns the blocks of registered host memory that were found to be unmapped since the last
    /// call.
    pub fn take_unmapped(&self) -> Vec<FreedBlock> {
        std::mem::take(&mut lock(&self.state).registered.unmapped)
    }
}
