//! Work of libraries in streams (`texunit_cuda_abi::work`), such as transforms of `libcufft`.
//!
//! A library declares the memory that its work reads and writes, and the driver executes the work
//! in stream order, like a kernel. Access to unallocated memory ends the context, as that of a
//! kernel does. The checks are told of each range that is read or written ([`checks::Work`]), and
//! recorded launches do not run concurrently ([`record::library_work`]).

use crate::check_log::QueuePosition;
use crate::context::Context;
use crate::current_call::in_program;
use crate::deferred::{self, Order};
use crate::prelude::*;
use crate::{checks, memory, record};
use std::cell::Cell;
use std::ptr::NonNull;
use texunit_cuda_abi::work::{DIMENSIONS, Forget, Region, Run};
use texunit_device::Linear;

/// Alignment in bytes of the host memory that a library gets.
const ALIGNMENT: usize = 64;

/// The library's callbacks and data; the work may be executed several times.
pub(crate) struct LibraryWork {
    pub(crate) data: *mut c_void,
    pub(crate) run: Run,
    pub(crate) forget: Forget,
}

// SAFETY: a library's work may be executed by any thread, and by several concurrently.
unsafe impl Send for LibraryWork {}
// SAFETY: a library's work may be executed by several threads concurrently.
unsafe impl Sync for LibraryWork {}

impl Drop for LibraryWork {
    fn drop(&mut self) {
        // SAFETY: the library's callback is called once, with the library's data.
        unsafe { (self.forget)(self.data) }
    }
}

/// Submitted work.
pub(crate) struct Task {
    pub(crate) function: String,
    pub(crate) regions: Vec<Region>,
    /// Elements of the first dimension that are processed together; 0 for all.
    pub(crate) together: u64,
    pub(crate) given: LibraryWork,
}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "work of {}", self.function)
    }
}

impl Task {
    /// Executes the work in a stream, immediately or deferred.
    pub(crate) fn submit(self: Arc<Self>, order: &Order) -> Answer {
        order.context.check()?;
        let position = deferred::position(order);
        if position.is_late() {
            // Unallocated memory is reported when the work is executed.
            self.tell_host(&self.places(&order.context).unwrap_or_default(), &position);
        }
        let context = Arc::clone(&order.context);
        deferred::submit(order, move |works| {
            works?;
            self.run(&context, &position)
        })
    }

    /// Executes the work. An error ends the context, unless memory is lacking.
    pub(crate) fn run(&self, context: &Context, position: &QueuePosition) -> Answer {
        self.run_parts(context, position).inspect_err(|refusal| {
            if refusal.code != CUresult::OUT_OF_MEMORY {
                context.fail(refusal.clone());
            }
        })
    }

    /// Reads the regions, calls the library, and writes the results: all at once, or in parts if no
    /// check observes accesses.
    fn run_parts(&self, context: &Context, position: &QueuePosition) -> Answer {
        let places = self.places(context)?;
        let _beside = record::library_work(&self.function);
        let mut checked = checks::Work::new(&self.function, position);
        let alone = if checked.looks() { vec![false; places.len()] } else { self.alone() };
        let all = self.regions.iter().map(|region| region.count[0]).max().unwrap_or_default();
        let together = if self.together == 0 || checked.looks() { all } else { self.together };
        let mut first = 0;
        loop {
            let count = together.min(all - first);
            self.run_part(context, (&places, &alone), &mut checked, (first, count))?;
            first += count;
            if first >= all {
                break;
            }
        }
        if !position.is_late() {
            self.tell_host(&places, position);
        }
        Ok(())
    }

    /// Executes the work for some elements of the first dimension.
    fn run_part(
        &self,
        context: &Context,
        (places, alone): (&[Option<Linear>], &[bool]),
        checked: &mut checks::Work<'_>,
        (first, count): (u64, u64),
    ) -> Answer {
        let part = |region: &Region| region.part(first, region.count[0].min(count));
        let regions: Vec<Region> = self.regions.iter().map(part).collect();
        let each = regions.iter().zip(places).zip(alone);
        let each = each.map(|((region, linear), &alone)| {
            linear.as_ref().filter(|_| alone).and_then(|linear| in_place(region, linear))
        });
        let direct: Vec<Option<NonNull<u8>>> = each.collect();
        let mut room = HostBuffers::of(&regions, &direct, context)?;
        let copied = || {
            regions.iter().zip(places).zip(&direct).map(|((region, linear), direct)| {
                (region, linear.as_ref().filter(|_| direct.is_none()))
            })
        };
        for ((region, linear), bytes) in copied().zip(room.parts()) {
            if let Some(linear) = linear.filter(|_| region.is_read()) {
                read(region, linear, bytes, checked)?;
            }
        }
        checked.has_read();
        let pointers = room.parts().zip(&direct);
        let pointers: Vec<*mut u8> = pointers
            .map(|(bytes, direct)| direct.map_or(bytes.as_mut_ptr(), NonNull::as_ptr))
            .collect();
        let (run, data) = (self.given.run, self.given.data);
        // SAFETY: the library's callback and data, and for each region memory that no other has.
        let code = CUresult(in_program(|| unsafe { run(data, pointers.as_ptr(), count) }));
        ensure!(code == CUresult::SUCCESS, code, "{} cannot be done", self.function);
        for ((region, linear), bytes) in copied().zip(room.parts()) {
            if let Some(linear) = linear.filter(|_| region.is_written()) {
                write(region, linear, bytes, checked)?;
            }
        }
        Ok(())
    }

    /// For each region, whether the library may write it where it is: no other region that is
    /// written has bytes of it. Regions that are only read are copied before.
    fn alone(&self) -> Vec<bool> {
        let regions = self.regions.iter().enumerate().filter(|(_, region)| region.is_written());
        let hulls = regions.filter_map(|(i, region)| region.hull().map(|hull| (hull, i)));
        let mut hulls: Vec<((u64, u64), usize)> = hulls.collect();
        hulls.sort_unstable();
        let mut alone = vec![false; self.regions.len()];
        let mut end_before = 0;
        for (k, &((first, bytes), i)) in hulls.iter().enumerate() {
            let end = first + bytes;
            let next = hulls.get(k + 1).map_or(u64::MAX, |&((next, _), _)| next);
            alone[i] = end_before <= first && end <= next;
            end_before = end_before.max(end);
        }
        alone
    }

    /// The memory of each region; `None` for empty regions.
    fn places(&self, context: &Context) -> Answer<Vec<Option<Linear>>> {
        let place = |region: &Region| match region.bytes() {
            Some(0) => Ok(None),
            _ => self.place(region, context).map(Some),
        };
        self.regions.iter().map(place).collect()
    }

    fn place(&self, region: &Region, context: &Context) -> Answer<Linear> {
        let function = &self.function;
        let does = if region.is_written() { "writes" } else { "reads" };
        let Region { address, element, .. } = *region;
        ensure!(
            element.is_power_of_two() && address.is_multiple_of(element) && is_even(region),
            CUresult::MISALIGNED_ADDRESS,
            "{function} {does} {} at {address:#x}, which is not aligned to them",
            Count(element, "byte")
        );
        let Some((first, bytes)) = region.hull() else {
            bail!(
                CUresult::ILLEGAL_ADDRESS,
                "{function} {does} from {address:#x} on what are not addresses"
            );
        };
        memory::linear(&context.gpu, first, bytes).ok_or_else(|| {
            let name = format!("{function} {does} memory at");
            CUresult::ILLEGAL_ADDRESS.because(memory::not_inside(&name, first, bytes))
        })
    }

    /// Tells the race detector about ranges that the program may access, too.
    fn tell_host(&self, places: &[Option<Linear>], position: &QueuePosition) {
        if crate::check_log::race().is_none() {
            return;
        }
        let is_shared = |linear: &Option<Linear>| linear.as_ref().is_some_and(Linear::is_of_host);
        let shared = self.regions.iter().zip(places).filter(|(_, linear)| is_shared(linear));
        let pieces = shared.flat_map(|(region, _)| {
            let pieces = region.in_pieces();
            pieces.addresses().map(move |at| ((at, pieces.element), region.is_written()))
        });
        checks::submitted(position.queue, &self.function, pieces);
    }
}

/// Whether all addresses of a region are aligned to its elements if the first is.
fn is_even(region: &Region) -> bool {
    let dimensions = region.count.iter().zip(&region.stride);
    let is_even = |(&count, stride): (&u64, &i64)| {
        count <= 1 || stride.unsigned_abs().is_multiple_of(region.element)
    };
    dimensions.into_iter().all(is_even)
}

/// The host address of a region in one piece of device memory, on which a library can work.
fn in_place(region: &Region, linear: &Linear) -> Option<NonNull<u8>> {
    let piece = region.in_pieces();
    let at = linear.direct(piece.address - linear.address(), piece.element);
    at.filter(|at| piece.count == [1; DIMENSIONS] && at.addr().get().is_multiple_of(ALIGNMENT))
}

fn read(
    region: &Region,
    linear: &Linear,
    bytes: &mut [u8],
    checked: &mut checks::Work<'_>,
) -> Answer {
    let pieces = region.in_pieces();
    let size = pieces.element as usize;
    for (at, out) in pieces.addresses().zip(bytes.chunks_exact_mut(size.max(1))) {
        linear.read_at(at - linear.address(), out).map_err(refusal)?;
    }
    if checked.looks() {
        let is_used = region.access & Region::MAY_BE_UNDEFINED == 0;
        pieces.addresses().for_each(|at| checked.reads(linear, (at, pieces.element), is_used));
    }
    Ok(())
}

fn write(region: &Region, linear: &Linear, bytes: &[u8], checked: &checks::Work<'_>) -> Answer {
    let pieces = region.in_pieces();
    let size = pieces.element as usize;
    for (at, piece) in pieces.addresses().zip(bytes.chunks_exact(size.max(1))) {
        linear.write(at - linear.address(), piece).map_err(refusal)?;
    }
    if checked.looks() {
        pieces.addresses().for_each(|at| checked.writes((at, pieces.element)));
    }
    Ok(())
}

/// The unit of [`HostBuffers`], with its alignment.
type AlignedBlock = [u64; ALIGNMENT / 8];

/// Host memory for all regions. A thread keeps the memory of its last work for the next, as new
/// memory is slow.
struct HostBuffers {
    lines: Vec<AlignedBlock>,
    sizes: Vec<usize>,
}

/// Maximum size in bytes of overlapping elements, beyond twice the memory that all elements cover.
const MAX_OVERLAPPING: u64 = 1 << 28;
/// Maximum size in bytes of memory that a thread keeps.
const MAX_KEPT: usize = 64 << 20;

thread_local! {
    static KEPT: Cell<Vec<AlignedBlock>> = const { Cell::new(Vec::new()) };
}

impl HostBuffers {
    /// Uninitialised memory for regions, except those that have memory of the device (`direct`).
    /// `CUDA_ERROR_OUT_OF_MEMORY` if they exceed the memory of the device or the system.
    fn of(regions: &[Region], direct: &[Option<NonNull<u8>>], context: &Context) -> Answer<Self> {
        let refused = || -> Refusal {
            CUresult::OUT_OF_MEMORY
                .because("a library works on more bytes than there is memory for")
        };
        let sizes = regions.iter().zip(direct).map(|(region, direct)| match direct {
            Some(_) => Ok(0),
            None => {
                region.bytes().and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(refused)
            }
        });
        let sizes: Vec<usize> = sizes.collect::<Answer<_>>()?;
        let count = sizes
            .iter()
            .try_fold(0_usize, |count, size| count.checked_add(size.div_ceil(ALIGNMENT)));
        // Elements may overlap, but only to a limited extent.
        let memory = regions.iter().filter_map(Region::hull).map(|(_, bytes)| bytes);
        let memory = memory.fold(0, u64::saturating_add).min(context.gpu.device.memory().limit());
        let limit = memory.saturating_mul(2).saturating_add(MAX_OVERLAPPING);
        let fits = |&count: &usize| (count as u64).saturating_mul(ALIGNMENT as u64) <= limit;
        let count = count.filter(fits).ok_or_else(refused)?;
        let mut lines = KEPT.try_with(Cell::take).unwrap_or_default();
        if lines.len() < count {
            lines.try_reserve_exact(count - lines.len()).map_err(|_| refused())?;
            lines.resize(count, [0; ALIGNMENT / 8]);
        }
        Ok(Self { lines, sizes })
    }

    /// The memory of each region.
    fn parts(&mut self) -> impl Iterator<Item = &mut [u8]> {
        let mut rest = self.lines.as_mut_slice();
        self.sizes.iter().map(move |&size| {
            let (part, after) = std::mem::take(&mut rest).split_at_mut(size.div_ceil(ALIGNMENT));
            rest = after;
            // SAFETY: every byte of the lines is initialised and belongs to one region while it is
            // borrowed.
            unsafe { std::slice::from_raw_parts_mut(part.as_mut_ptr().cast::<u8>(), size) }
        })
    }
}

impl Drop for HostBuffers {
    fn drop(&mut self) {
        if self.lines.len() * ALIGNMENT <= MAX_KEPT {
            // In a thread that is ending, the thread-local variable may be destroyed already.
            let _ = KEPT.try_with(|kept| kept.set(std::mem::take(&mut self.lines)));
        }
    }
}
