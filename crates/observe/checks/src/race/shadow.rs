//! The shadow memory for global memory: pages of lines, and synchronisation variables. All workers
//! share it.

use super::clock::{Clock, add, join};
use super::fasttrack::AccessRecord;
use super::line::Line;
use super::recycled::Recycled;
use super::shape::LINE;
use crate::lock;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Size of a page in bytes.
pub(super) const PAGE: u64 = 4096;
const SHARDS: u64 = 64;
/// Maximum size of the shadow memory in bytes. Beyond it, all recorded accesses are dropped, which
/// can hide races.
const MAX_BYTES: usize = 1 << 30;
/// Number of lines of a page.
const LINES: usize = (PAGE / LINE) as usize;
/// Memory of the pages of earlier launches.
static RECYCLED: Recycled<Line> = Recycled::new(128 << 20);
/// Maximum size in bytes of the vector clocks at synchronisation variables. Beyond it, a store
/// publishes a clock that contains all accesses.
const MAX_CLOCKS: usize = 256 << 20;

/// A synchronisation variable: a location at which stores have published vector clocks, which loads
/// of the location read.
#[derive(Clone, Debug, Default)]
pub(super) struct Var {
    /// The vector clock for threads of all CTAs.
    pub(super) far: Option<Arc<Clock>>,
    /// The vector clocks for threads of the CTA that has published them, by the CTA's serial
    /// number.
    pub(super) near: Vec<(u32, Arc<Clock>)>,
}

/// Maximum number of CTAs with a vector clock of their own at a variable.
const MAX_NEAR: usize = 4;

impl Var {
    /// The vector clocks that a thread reads at the variable: that for its own CTA, and that for
    /// all CTAs.
    pub(super) fn read(&self, serial: u32) -> [Option<Arc<Clock>>; 2] {
        let near = self.near.iter().find(|(of, _)| *of == serial);
        [near.map(|(_, clock)| Arc::clone(clock)), self.far.clone()]
    }

    /// Publishes vector clocks at the variable. A store replaces the clocks; an atomic (`joins`)
    /// joins its clocks to them.
    pub(super) fn write(&mut self, serial: u32, [near, far]: [Option<Arc<Clock>>; 2], joins: bool) {
        if !joins {
            *self = Self::default();
        }
        if let Some(far) = far {
            join(&mut self.far, &far);
        }
        let Some(near) = near else { return };
        match self.near.iter_mut().find(|(of, _)| *of == serial) {
            Some((_, clock)) => add(clock, &near),
            None => {
                self.near.truncate(MAX_NEAR - 1);
                self.near.insert(0, (serial, near));
            }
        }
    }

    fn size(&self) -> usize {
        let near = self.near.iter().map(|(_, clock)| clock.size()).sum::<usize>();
        near + self.far.as_ref().map_or(0, |clock| clock.size())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.far.is_none() && self.near.is_empty()
    }
}

/// A page of the shadow memory: its lines, and its synchronisation variables by the offset in the
/// page.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) lines: Vec<Line>,
    pub(super) vars: HashMap<u32, Var>,
    /// Size in bytes when the page was last counted.
    counted: usize,
}

impl Page {
    /// A line of the page. All lines are allocated at the first access to one.
    pub(super) fn line(&mut self, i: usize) -> &mut Line {
        if self.lines.is_empty() {
            self.lines = RECYCLED.take();
            self.lines.resize_with(LINES, Line::default);
        }
        &mut self.lines[i]
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        RECYCLED.keep(std::mem::take(&mut self.lines));
    }
}

/// A page that several workers use.
pub(super) type Shared = Arc<Mutex<Page>>;

/// The shadow memory for global memory: pages by page number, in several maps with a lock each.
#[derive(Debug)]
pub(super) struct Shadow {
    shards: Vec<Mutex<HashMap<u64, Shared>>>,
    bytes: AtomicUsize,
    clocks: AtomicUsize,
    /// Whether there is any synchronisation variable.
    has_vars: AtomicBool,
    most: usize,
}

impl Default for Shadow {
    fn default() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        let (bytes, clocks, has_vars) = Default::default();
        Self { shards, bytes, clocks, has_vars, most: MAX_BYTES }
    }
}

impl Shadow {
    /// The page with this number, which is made if it is missing.
    pub(super) fn page(&self, number: u64) -> Shared {
        let mut shard = lock(&self.shards[(number % SHARDS) as usize]);
        Arc::clone(shard.entry(number).or_default())
    }

    /// Adds the growth of a page to the total size. Returns whether the total exceeds the limit.
    pub(super) fn count(&self, page: &mut Page) -> bool {
        let cells = page.lines.iter().map(Line::size).sum::<usize>();
        let size = cells + page.lines.capacity() * size_of::<Line>();
        let more = size.saturating_sub(page.counted);
        page.counted = page.counted.max(size);
        self.bytes.fetch_add(more, Relaxed) + more > self.most
    }

    /// Removes all recorded accesses, but not the synchronisation variables.
    pub(super) fn forget(&self) {
        self.bytes.store(0, Relaxed);
        for shard in &self.shards {
            let shard = lock(shard);
            // The pages stay in the map and are emptied, because the caches of workers refer to
            // them.
            for page in shard.values() {
                let mut page = lock(page);
                (page.lines, page.counted) = (Vec::new(), 0);
            }
        }
    }

    /// Removes the recorded accesses to a range of bytes.
    pub(super) fn forget_range(&self, address: u64, len: u64) {
        let end = address.saturating_add(len);
        for (number, page) in self.pages(address / PAGE, end.div_ceil(PAGE)) {
            let mut page = lock(&page);
            for (line, at) in page.lines.iter_mut().zip((number * PAGE..).step_by(LINE as usize)) {
                line.forget(address.clamp(at, at + LINE) - at..end.clamp(at, at + LINE) - at);
            }
        }
    }

    /// Removes all pages; allowed only if no launch is running.
    pub(super) fn clear(&self) {
        self.bytes.store(0, Relaxed);
        self.clocks.store(0, Relaxed);
        self.shards.iter().for_each(|shard| lock(shard).clear());
    }

    /// A store or atomic publishes vector clocks (one for its CTA, one for all) at a
    /// synchronisation variable.
    pub(super) fn write_var(
        &self,
        var: &mut Var,
        serial: u32,
        mut known: [Option<Arc<Clock>>; 2],
        joins: bool,
    ) {
        if self.clocks.load(Relaxed) > MAX_CLOCKS {
            known = known.map(|clock| clock.map(|_| Arc::new(Clock::all())));
        }
        self.has_vars.store(true, Relaxed);
        let before = var.size();
        var.write(serial, known, joins);
        self.clocks.fetch_add(var.size(), Relaxed);
        self.clocks.fetch_sub(before, Relaxed);
    }

    /// Whether there is any synchronisation variable, in global or shared memory.
    pub(super) fn has_vars(&self) -> bool {
        self.has_vars.load(Relaxed)
    }

    /// Whether the shadow memory is so large that it should be emptied before the next launch
    /// without concurrent ones.
    pub(super) fn is_large(&self) -> bool {
        self.bytes.load(Relaxed) > self.most / 2 || self.clocks.load(Relaxed) > MAX_CLOCKS / 2
    }

    /// A recorded access to bytes of a range that satisfies a condition; `None` if there is none.
    pub(super) fn find(
        &self,
        (address, len): (u64, u64),
        mut is: impl FnMut(AccessRecord) -> bool,
    ) -> Option<AccessRecord> {
        let end = address.saturating_add(len);
        for (number, page) in self.pages(address / PAGE, end.div_ceil(PAGE)) {
            let page = lock(&page);
            for (line, at) in page.lines.iter().zip((number * PAGE..).step_by(LINE as usize)) {
                let from = address.clamp(at, at + LINE) - at;
                let to = end.clamp(at, at + LINE) - at;
                if let found @ Some(_) = line.stamps(from..to).find(|&stamp| is(stamp)) {
                    return found;
                }
            }
        }
        None
    }

    /// Calls `look` with the number and content of each existing page that contains bytes of a
    /// range.
    pub(super) fn each(&self, (address, len): (u64, u64), mut look: impl FnMut(u64, &Page)) {
        let end = address.saturating_add(len);
        for (number, page) in self.pages(address / PAGE, end.div_ceil(PAGE)) {
            look(number, &lock(&page));
        }
    }

    /// The existing pages with numbers in `first..end`, in ascending order.
    fn pages(&self, first: u64, end: u64) -> Vec<(u64, Shared)> {
        let mut all = Vec::new();
        if end.saturating_sub(first) <= SHARDS {
            for number in first..end {
                let shard = lock(&self.shards[(number % SHARDS) as usize]);
                all.extend(shard.get(&number).map(|page| (number, Arc::clone(page))));
            }
            return all;
        }
        for shard in &self.shards {
            let shard = lock(shard);
            let here = shard.iter().filter(|(number, _)| (first..end).contains(*number));
            all.extend(here.map(|(&number, page)| (number, Arc::clone(page))));
        }
        all.sort_by_key(|page| page.0);
        all
    }
}
