//! What workers have of compiled regions.

use crate::code::NONE;
use crate::regions::{Setting, Table};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use texunit_jit::region::{Mode, Sites};

/// Where the next worker begins in the order of arrivals that are looked at.
static CHANCE: AtomicU32 = AtomicU32::new(0);

/// What a worker has of compiled regions.
pub(in crate::exec) struct Compiled<'a> {
    pub(super) table: &'a Table,
    pub(super) setting: Setting,
    /// By number of the region.
    pub(super) sites: Vec<Option<Sites<'a>>>,
    /// Accesses that the interpreter makes next, in the middle of regions, as sites do not know their memory.
    pub(super) missed: Vec<Missed>,
    /// Steps of warps in regions.
    pub(super) steps: u64,
    /// Where interpretation has begun, in which mode, and how many steps had been interpreted before.
    pub(super) since: (Mode, u32, u64),
    /// Says which short arrivals are looked at: some of them, by chance, as loops may have any rhythm.
    pub(super) chance: u32,
    /// How often the interpreter has had to do an instruction in the middle of a region, by its place; nothing
    /// where it never has.
    pub(super) left: Vec<u64>,
}

impl<'a> Compiled<'a> {
    pub(in crate::exec) fn new(table: &'a Table, setting: Setting) -> Self {
        Self {
            table,
            setting,
            sites: Vec::new(),
            missed: Vec::new(),
            steps: 0,
            since: (Mode::Live, 0, 0),
            // Launches of a few arrivals add up, too.
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

/// An access that a region has been left for: the region, the site and the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Missed {
    pub(super) region: u32,
    pub(super) site: u32,
    pub(super) at: u32,
}

/// Whether CTAs are run from one end of the kernel to the other in one region.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct Short {
    /// Whether the kernel, and who observes it, allow it.
    pub(in crate::exec) may: bool,
    /// Whether they differ in nothing but their numbers: there is no memory of their own, and nobody counts.
    pub(super) alike: bool,
    /// Whether the CTA before has been run so, to its end: then all warps are as a kernel begins with them.
    pub(in crate::exec) all_begun: bool,
    /// CTAs in a row with warps that have not come to the end.
    pub(super) failed: u32,
    /// The end to which a warp has come last.
    pub(super) end: KernelEnd,
}

impl Short {
    pub(in crate::exec) fn new(may: bool, alike: bool) -> Self {
        Self { may, alike, all_begun: false, failed: 0, end: KernelEnd::default() }
    }
}

/// An end of a kernel, and how many instructions it counts as.
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
