//! Check `leak` in kernels: device heap memory that a kernel allocated by `malloc` and no kernel
//! freed. The crate `cuda` finds leaks of the host program (memory, textures, streams).

use crate::end::{End, Spot};
use crate::finding::Finding;
use crate::rules;
use crate::{lanes, lock};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use texunit_forms::Count;
use texunit_simt::Fault;
use texunit_simt::observe::{At, CallEvent, Events, LaunchInfo, Observer, Probe};

/// Maximum number of live allocations that are recorded.
const MAX: usize = 1 << 20;

/// Live allocations on the device heap, by address.
pub(crate) type Heap = BTreeMap<u64, Block>;

/// A live allocation that a kernel made.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    size: u64,
    of: LaunchNumber,
    made: Arc<End>,
}

/// The number of a launch among the checked launches, and that of its CUDA context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchNumber {
    pub(crate) number: u64,
    pub(crate) context: u64,
}

impl Block {
    /// Whether a kernel of this CUDA context made the allocation.
    pub(crate) fn is_of(&self, context: u64) -> bool {
        self.of.context == context
    }
}

/// The check `leak` of one launch.
#[derive(Debug)]
pub(crate) struct Leak<'l> {
    heap: &'l Mutex<Heap>,
    of: LaunchNumber,
    /// Whether leaks of the launch are reported. Otherwise only its frees are recorded.
    is_told: bool,
    /// Device heap allocations of this launch that are not freed yet: size and allocating thread by
    /// address.
    live: Mutex<BTreeMap<u64, (u64, Spot)>>,
}

impl<'l> Leak<'l> {
    /// The check of a launch; `heap` has the allocations of earlier launches.
    pub(crate) fn new(heap: &'l Mutex<Heap>, of: LaunchNumber, is_told: bool) -> Self {
        Self { heap, of, is_told, live: Mutex::default() }
    }
}

impl Observer for Leak<'_> {
    fn wants(&self) -> Events {
        Events::HEAP
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(Worker { leak: self, block: launch.config.block })
    }

    fn launch_ends(&self, launch: &LaunchInfo<'_>, _: Option<&Fault>) {
        let mut places = HashMap::new();
        let live = std::mem::take(&mut *lock(&self.live));
        let mut heap = lock(self.heap);
        for (address, (size, spot)) in live {
            let end = || Arc::new(End::new(launch.kernel, &launch.listing, &spot));
            let made = Arc::clone(places.entry(spot.op).or_insert_with(end));
            if heap.len() < MAX {
                heap.insert(address, Block { size, of: self.of, made });
            }
        }
    }
}

struct Worker<'a> {
    leak: &'a Leak<'a>,
    block: [u32; 3],
}

impl Probe for Worker<'_> {
    fn call(&mut self, at: &At, called: &CallEvent<'_>) {
        match *called {
            CallEvent::Allocates { sizes, addresses } if self.leak.is_told => {
                let mut live = lock(&self.leak.live);
                for lane in lanes(at.lanes) {
                    let (address, size) = (addresses[lane as usize], sizes[lane as usize]);
                    if address != 0 && live.len() < MAX {
                        live.insert(address, (size, Spot::new(at, lane, self.block)));
                    }
                }
            }
            CallEvent::Frees { addresses } => {
                let mut live = lock(&self.leak.live);
                for lane in lanes(at.lanes) {
                    let address = addresses[lane as usize];
                    if live.remove(&address).is_none() {
                        lock(self.leak.heap).remove(&address);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The findings for allocations that are live when the device is reset or the program ends: one
/// finding for each source line that allocates, with the number of its allocations.
pub(crate) fn findings(heap: &Heap) -> Vec<Finding> {
    let mut places: Vec<(&Block, u64, u64)> = Vec::new();
    for block in heap.values() {
        let same = |(other, ..): &&mut (&Block, u64, u64)| {
            (other.made.span, &other.made.kernel, &other.made.place.ptx.file)
                == (block.made.span, &block.made.kernel, &block.made.place.ptx.file)
        };
        match places.iter_mut().find(same) {
            Some((_, count, bytes)) => {
                (*count, *bytes) = (*count + 1, bytes.saturating_add(block.size));
            }
            None => places.push((block, 1, block.size)),
        }
    }
    let finding = |(block, count, bytes): (&Block, u64, u64)| {
        let (blocks, bytes) = (Count(count, "allocation"), Count(bytes, "byte"));
        let were = if count == 1 { "was" } else { "were" };
        let message = format!("{blocks} of the device heap, {bytes} in all, {were} not freed");
        let at = Some((*block.made).clone());
        let finding = Finding::of_process(rules::LEAK_DEVICE_HEAP, message, Vec::new());
        Finding { at, launch: block.of.number, count, ..finding }
    };
    places.into_iter().map(finding).collect()
}
