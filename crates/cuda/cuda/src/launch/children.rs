//! Device-side launches: each child grid is a launch of its own, with its observers, its line in
//! the trace and its entry in the report, executed when its parent grid has ended
//! (`texunit_device::runtime` defines the order).
//!
//! A fault of a child ends the context, as a fault of its parent does, and the report names the
//! launching kernel. For the race detector each item of device-side work is in a stream of its own:
//! after the parent, after preceding items of its device-side stream, and before all work after the
//! parent.

use super::*;
use crate::check_log::{event_of, fresh_queue};
use crate::context::known_limit;
use std::sync::PoisonError;
use texunit_checks::race::Memory;
use texunit_cuda_abi::function_attribute as attribute;
use texunit_device::runtime::{
    self, Caller, Grid, KernelAttributes, Runtime, RuntimeHost, Shape as DeviceShape, Task, Work,
    code,
};
use texunit_device::{FaultKind, KernelId};
use texunit_report::CodeLocation;
use texunit_report::place::function_name;

/// How a grid and all its child grids have ended: by a fault, which has been reported, or without.
pub(super) type GridOutcome = Answer<Option<Box<Fault>>>;

/// Position of a grid in a tree of device-side launches.
#[derive(Debug)]
pub(super) struct GridPosition<'a> {
    pub(super) grid: Grid,
    /// Handle of the graph node that the grid belongs to; 0 for none.
    pub(super) graph: u64,
    /// Callers of the grid, innermost first.
    pub(super) callers: Vec<Caller>,
    /// Whether an ancestor is being recorded, with this grid as a part of its job.
    pub(super) is_recorded: bool,
    /// Buffer for printed text, if it does not go directly to the program's output.
    pub(super) text: Option<&'a Mutex<Vec<u8>>>,
}

impl GridPosition<'_> {
    /// The launching kernel and its location: `parent(int*) at parent.cu:12`.
    pub(super) fn launched_by(&self, module: &Module) -> Option<String> {
        let caller = self.callers.first()?;
        let (sources, source) = (module.loaded.sources(), module.loaded.source());
        let place = CodeLocation::new(sources, source, caller.span).with_ptx();
        Some(format!("{} at {place}", function_name(&caller.kernel)))
    }

    /// The launching kernel as a sentence.
    pub(super) fn note(&self, module: &Module) -> Option<String> {
        Some(format!("the grid is launched by kernel {}", self.launched_by(module)?))
    }

    /// The position of a launch by the host.
    pub(super) fn of_host(context: &Context, graph: u64) -> Self {
        Self {
            graph,
            grid: Grid::new(context.limit(limit::DEV_RUNTIME_PENDING_LAUNCH_COUNT)),
            callers: Vec::new(),
            is_recorded: false,
            text: None,
        }
    }
}

/// Answers a kernel's device-side API calls, and runs its child grids.
#[derive(Debug)]
pub(super) struct ParentGrid<'a> {
    pub(super) context: &'a Context,
    pub(super) module: &'a Arc<Module>,
    pub(super) family: &'a GridPosition<'a>,
    pub(super) position: QueuePosition,
    /// Whether the launch or an ancestor is recorded.
    pub(super) is_recorded: bool,
    /// The reason why a child grid that the kernel waited for has failed.
    pub(super) failed: Mutex<Option<GridOutcome>>,
}

impl ParentGrid<'_> {
    pub(super) fn runtime(&self) -> Runtime<'_> {
        Runtime { grid: &self.family.grid, host: self }
    }

    fn function(&self, kernel: KernelId) -> Option<Arc<Function>> {
        self.module.function(self.module.loaded.kernel_of(kernel).name()).ok()?.get().ok()
    }

    /// Executes items of work in order up to the first fault. Printed text goes to `text`.
    pub(super) fn run(&self, work: Vec<Work>, text: Option<&Mutex<Vec<u8>>>) -> GridOutcome {
        if work.is_empty() {
            return Ok(None);
        }
        let mut order = Order::begin(&self.position);
        let mut waiting = work.len();
        for item in &work {
            waiting -= 1;
            let position = order.before(item);
            let ended = self.item(item, (waiting, text), position.clone())?;
            order.after(item, &position);
            if ended.is_some() {
                return Ok(ended);
            }
        }
        order.end();
        Ok(None)
    }

    fn item(
        &self,
        work: &Work,
        (waiting, text): (usize, Option<&Mutex<Vec<u8>>>),
        position: QueuePosition,
    ) -> GridOutcome {
        let callers = std::iter::once(&work.caller).chain(&self.family.callers).cloned();
        let Task::Launch { kernel, shape, params } = &work.task else {
            let Err(mut fault) = self.module.loaded.perform(work) else { return Ok(None) };
            fault.launched_by = self.family.callers.clone();
            self.fault(&fault);
            return Ok(Some(fault));
        };
        let function = self.function(*kernel).ok_or_else(|| {
            CUresult::NOT_FOUND.because("the kernel that a kernel launches is not in the module")
        })?;
        let &DeviceShape { grid, block, dynamic_shared: shared } = shape;
        let shape = Shape::plain(grid, block, shared);
        let family = GridPosition {
            grid: self.family.grid.child(waiting),
            graph: self.family.graph,
            callers: callers.collect(),
            // A child grid that its parent waits for runs during the parent.
            is_recorded: self.is_recorded || text.is_some(),
            text,
        };
        run_grid((self.context, &function), &shape, params, position, &family)
    }

    /// Reports a fault of a device-side copy or memory set.
    fn fault(&self, fault: &Fault) {
        let source = self.module.loaded.source();
        faults::report(fault, source);
        crate::report::faulted(self.module, fault);
        if !faults::stays_usable(&fault.kind) {
            self.context.fail(faults::refusal(fault, source));
        }
    }
}

impl RuntimeHost for ParentGrid<'_> {
    fn device(&self) -> (i32, i32) {
        let count = crate::state::gpus().map_or(1, |gpus| gpus.len() as i32);
        (self.context.gpu.ordinal, count)
    }

    fn attribute(&self, device: i32, attribute: i32) -> Result<i32, u32> {
        let gpu = crate::state::gpu(device).map_err(|_| code::INVALID_DEVICE)?;
        crate::cards::attribute(gpu.card, attribute).ok_or(code::INVALID_VALUE)
    }

    fn limit(&self, limit: u32) -> Result<u64, u32> {
        let limit = known_limit(limit).map_err(|_| code::UNSUPPORTED_LIMIT)?;
        Ok(self.context.limit(limit) as u64)
    }

    fn sync_depth(&self) -> u32 {
        let depth = self.context.limit(limit::DEV_RUNTIME_SYNC_DEPTH);
        u32::try_from(depth).unwrap_or(u32::MAX).min(runtime::MAX_DEPTH)
    }

    fn version(&self) -> i32 {
        CUDA_VERSION
    }

    fn error(&self, code: u32) -> (String, String) {
        let known = CUresult(code).code().map(|row| (row.runtime_name, row.text));
        let (name, text) = match runtime::error_text(code) {
            own if own.0.starts_with("cuda") => own,
            unknown => known.unwrap_or(unknown),
        };
        (name.to_owned(), text.to_owned())
    }

    fn kernel(&self, kernel: KernelId) -> KernelAttributes {
        let function = self.function(kernel);
        let of = |number| function.as_ref().and_then(|f| f.attribute(number).ok()).unwrap_or(0);
        let size = |number| of(number).max(0) as u64;
        KernelAttributes {
            sizes: [
                attribute::SHARED_SIZE_BYTES,
                attribute::CONST_SIZE_BYTES,
                attribute::LOCAL_SIZE_BYTES,
            ]
            .map(size),
            numbers: [
                attribute::MAX_THREADS_PER_BLOCK,
                attribute::NUM_REGS,
                attribute::PTX_VERSION,
                attribute::BINARY_VERSION,
                attribute::CACHE_MODE_CA,
                attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES,
                attribute::PREFERRED_SHARED_MEMORY_CARVEOUT,
            ]
            .map(of),
        }
    }

    fn occupancy(&self, kernel: KernelId, threads: u32, dynamic_shared: u64) -> i32 {
        let blocks = |f: Arc<Function>| {
            occupancy::blocks(&f, self.context.gpu.card, Block { threads, dynamic_shared })
        };
        self.function(kernel).map_or(0, blocks) as i32
    }

    fn accepts(&self, kernel: KernelId, shape: &DeviceShape) -> Result<(), u32> {
        let function = self.function(kernel).ok_or(code::INVALID_DEVICE_FUNCTION)?;
        if i64::from(shape.dynamic_shared) > i64::from(function.max_dynamic_shared()) {
            return Err(code::INVALID_VALUE);
        }
        self.module.loaded.accepts(kernel, shape)
    }

    fn run_now(&self, work: Vec<Work>) -> Result<Vec<u8>, FaultKind> {
        let text = Mutex::default();
        match self.run(work, Some(&text)) {
            Ok(None) => Ok(text.into_inner().unwrap_or_else(PoisonError::into_inner)),
            failed => {
                let mut first = lock(&self.failed);
                first.get_or_insert(failed);
                Err(FaultKind::Cancelled)
            }
        }
    }
}

/// Happens-before relations between a parent and its items, for the race detector.
struct Order<'s> {
    parent: &'s QueuePosition,
    /// `None` if races are not checked.
    events: Option<Events>,
}

struct Events {
    race: &'static Memory,
    /// Events before the parent and after it.
    parent: [u64; 2],
    /// The queue of each item, by the item's number.
    items: HashMap<u64, Queue>,
}

impl<'s> Order<'s> {
    fn begin(parent: &'s QueuePosition) -> Self {
        // Deferred work has its position in the race detector already.
        let race = crate::check_log::race().filter(|_| !parent.is_late());
        let events = race.map(|race| {
            let [before, after] = [(); 2].map(|()| event_of(fresh_queue()));
            race.streams().record_before_last(before, parent.queue);
            race.streams().record(after, parent.queue);
            Events { race, parent: [before, after], items: HashMap::new() }
        });
        Self { parent, events }
    }

    /// Position of an item in the race detector.
    fn before(&self, work: &Work) -> QueuePosition {
        let Some(Events { race, parent, items }) = &self.events else { return self.parent.clone() };
        let queue = fresh_queue();
        let all = items.keys().filter(|_| work.is_tail).chain(&work.after);
        let behind: Vec<Queue> = all.filter_map(|id| items.get(id).copied()).collect();
        // A tail launch comes after the whole parent; other items come after its start.
        race.streams().wait(parent[usize::from(work.is_tail)], Some(queue));
        behind.iter().for_each(|other| race.streams().wait(event_of(*other), Some(queue)));
        race.child_begins(queue, (self.parent.queue, work.id), &behind);
        QueuePosition::now(queue)
    }

    fn after(&mut self, work: &Work, &QueuePosition { queue, .. }: &QueuePosition) {
        if let Some(Events { race, items, .. }) = &mut self.events {
            race.streams().record(event_of(queue), queue);
            race.streams().end_stream(queue);
            items.insert(work.id, queue);
        }
    }

    fn end(self) {
        let Some(Events { race, parent, items }) = self.events else { return };
        let queues: Vec<Queue> = items.into_values().collect();
        race.children_end(self.parent.queue, &queues);
        for event in queues.into_iter().map(event_of) {
            race.streams().wait(event, Some(self.parent.queue));
            race.streams().end_event(event);
        }
        parent.into_iter().for_each(|event| race.streams().end_event(event));
    }
}
