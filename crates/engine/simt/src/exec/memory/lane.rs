//! Loads and stores of a single element of one lane, in any state space.

use super::{LOAD, STORE};
use crate::code::MemSpace;
use crate::exec::cluster::is_of_peer;
use crate::exec::context::Context;
use crate::exec::elements::{load_local, store_local};
use crate::exec::outcome::{Executed, PendingFault};
use crate::exec::warp::Warp;
use texunit_memory::SpaceKind;

pub(super) fn load_bytes(bytes: &[u8], offset: u64, size: u8) -> Option<u64> {
    let start = usize::try_from(offset).ok()?;
    let mut value = [0; 8];
    let size = usize::from(size);
    value[..size].copy_from_slice(bytes.get(start..start.checked_add(size)?)?);
    Some(u64::from_le_bytes(value))
}

fn store_bytes(bytes: &mut [u8], offset: u64, size: u8, value: u64) -> Option<()> {
    let start = usize::try_from(offset).ok()?;
    let size = usize::from(size);
    let target = bytes.get_mut(start..start.checked_add(size)?)?;
    target.copy_from_slice(&value.to_le_bytes()[..size]);
    Some(())
}

impl Context<'_> {
    /// Loads an element from any state space. `total` is the size of the whole access, for
    /// messages.
    pub(in crate::exec) fn load_one(
        &mut self,
        warp: &Warp,
        lane: usize,
        mem_space: MemSpace,
        address: u64,
        size: u8,
        total: u32,
    ) -> Result<u64, Box<PendingFault>> {
        let (space, at) = self.space(warp, mem_space, address);
        let value = match space {
            SpaceKind::Shared => {
                self.trace_shared_load(at, size.into());
                let (bytes, mem_space) = self.shared_of(at);
                load_bytes(bytes, mem_space, size)
                    .or_else(|| self.update_past_shared(at, size.into(), |old| old))
            }
            SpaceKind::Local => match at.checked_add(size.into()) {
                Some(end) if end <= warp.local_end => load_local(&warp.local, lane, at, size),
                _ => None,
            },
            SpaceKind::Param => load_bytes(self.launch.config.params, at, size),
            SpaceKind::Global | SpaceKind::Const => {
                self.check_heap_at(lane, address, size.into(), LOAD)?;
                if let Some(trace) = &mut self.wait_trace {
                    trace.look(address, size.into());
                }
                let map = self.launch.config.memory;
                match map.find(address, size.into(), self.hint) {
                    Ok((index, offset)) => {
                        self.hint = index;
                        map.block(index).load(offset, size).ok()
                    }
                    Err(error) => match self.past_end(address, size.into()) {
                        Some((block, offset)) => block.load(offset, size).ok(),
                        None => return self.outside_global(lane, address, total, LOAD, &error),
                    },
                }
            }
        };
        match value {
            Some(value) => Ok(value),
            None => self.outside(warp, lane, at, total, space, LOAD),
        }
    }

    pub(in crate::exec) fn store_one(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        mem_space: MemSpace,
        address: u64,
        (size, total): (u8, u32),
        value: u64,
    ) -> Executed {
        let (space, at) = self.space(warp, mem_space, address);
        let stored = match space {
            SpaceKind::Shared => {
                if is_of_peer(at) {
                    self.record_side_effect();
                }
                let (bytes, mem_space) = self.shared_of(at);
                store_bytes(bytes, mem_space, size, value)
                    .or_else(|| self.update_past_shared(at, size.into(), |_| value).map(|_| ()))
            }
            SpaceKind::Local => match at.checked_add(size.into()) {
                Some(end) if end <= warp.local_end => {
                    store_local(&mut warp.local, lane, at, size, value)
                }
                _ => None,
            },
            SpaceKind::Param | SpaceKind::Const => {
                return self.read_only(lane, space, at);
            }
            SpaceKind::Global => {
                self.record_side_effect();
                self.check_heap_at(lane, address, size.into(), STORE)?;
                let map = self.launch.config.memory;
                match map.find_writable(address, size.into(), self.hint) {
                    Ok((index, offset)) => {
                        self.hint = index;
                        map.block(index).store(offset, size, value).ok()
                    }
                    Err(error) => match self.past_end(address, size.into()) {
                        Some((block, offset)) => block.store(offset, size, value).ok(),
                        None => return self.outside_global(lane, address, total, STORE, &error),
                    },
                }
            }
        };
        match stored {
            Some(()) => Ok(()),
            None => self.outside(warp, lane, at, total, space, STORE),
        }
    }
}
