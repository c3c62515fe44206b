//! The state that a worker keeps for compiled regions.

use crate::code::NONE;
use crate::regions::{Setting, Table};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use texunit_jit::region::{Mode, Sites};

/// Seed of the next worker's random numbers, which select the arrivals that are counted.
static CHANCE: AtomicU32 = AtomicU32::new(0);

/// A worker's state for compiled regions.
pub(in crate::exec) struct Compiled<'a> {
    pub(super) table: &'a Table,
    pub(super) setting: Setting,
    /// Cached allocations of access sites, by region number.
    pub(super) sites: Vec<Option<Sites<'a>>>,
    /// `Site` exits whose accesses the interpreter executes next.
    pub(super) missed: Vec<Missed>,
    /// The last exit within a group of loads that have been reported together.
    pub(super) inside: Option<Inside>,
    /// Steps executed in regions.
    pub(super) steps: u64,
    /// The last arrival of a split at an instruction from which it is interpreted: mode,
    /// instruction, and the number of steps interpreted before.
    pub(super) since: (Mode, u32, u64),
    /// Random state that selects the short arrivals to be counted, so that the period of a loop
    /// does not bias the sample.
    pub(super) chance: u32,
    /// For each instruction: how often it was interpreted within regions. Empty if none was.
    pub(super) left: Vec<u64>,
}

impl<'a> Compiled<'a> {
    pub(in crate::exec) fn new(table: &'a Table, setting: Setting) -> Self {
        Self {
            table,
            setting,
            sites: Vec::new(),
            missed: Vec::new(),
            inside: None,
            steps: 0,
            since: (Mode::Live, 0, 0),
            // With different seeds, the samples of launches with few arrivals add up.
            chance: CHANCE.fetch_add(0x9e37_79b9, Relaxed),
            left: Vec::new(),
        }
    }

    pub(super) fn sites_of(&mut self, number: u32) -> &mut Option<Sites<'a>> {
        let at = number as usize;
        if self.sites.len() <= at {
            self.sites.resize_with(at + 1, || None);
        }
        let sites = &mut self.sites[at];
        if sites.is_none() {
            *sites = self.table.region(number).map(|region| region.function.sites());
        }
        sites
    }
}

/// An access at which compiled code left a region, because the access is outside the allocation
/// cached at its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Missed {
    pub(super) region: u32,
    pub(super) site: u32,
    pub(super) at: u32,
}

/// A shadow operation at which a warp has left a region within a group of loads that have been
/// reported together. After it, the same region continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inside {
    pub(super) region: u32,
    pub(super) warp: u32,
    pub(super) at: u32,
}

/// The part of the CTA loop's state that outlives a CTA.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct LoopState {
    /// Whether the kernel and its observer allow the loop over CTAs in compiled code.
    pub(in crate::exec) may: bool,
    /// Whether CTAs differ only in their numbers.
    pub(super) alike: bool,
    /// Whether the last CTA has retired in the loop, so that all warps are prepared for the next
    /// one.
    pub(in crate::exec) all_begun: bool,
    /// Number of consecutive CTAs with unretired warps.
    pub(super) failed: u32,
    /// The instruction at which the last warp has retired.
    pub(super) end: KernelEnd,
}

impl LoopState {
    pub(in crate::exec) fn new(may: bool, alike: bool) -> Self {
        Self { may, alike, all_begun: false, failed: 0, end: KernelEnd::default() }
    }
}

/// An instruction that ends the kernel, and the number of instructions that it counts as.
#[derive(Clone, Copy, Debug)]
pub(super) struct KernelEnd {
    pub(super) at: u32,
    pub(super) count: u64,
}

impl Default for KernelEnd {
    fn default() -> Self {
        Self { at: NONE, count: 0 }
    }
}
