//! Copies of 3D regions: width in bytes, rows, slices. A contiguous copy is a region of one row.

use crate::array::ArrayObject;
use crate::check_log::QueuePosition;
use crate::checks::{self, Watch};
use crate::deferred::{self, Order};
use crate::memory;
use crate::memory::endpoint::{Endpoint, Side, Space};
use crate::prelude::*;
use texunit_device::Array;

/// Bytes that are copied at a time.
const PIECE: u64 = 64 * 1024;

/// A copy, as a call or a graph node describes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyParams {
    pub(crate) copy: CUDA_MEMCPY3D,
    /// Whether the parameters of the call count contiguous bytes, not bytes, rows and slices.
    pub(crate) is_line: bool,
}

/// Contiguous bytes at an address in memory of a type (`CU_MEMORYTYPE_*`).
pub(crate) fn bytes_at(memory_type: u32, address: u64) -> CopySide3D {
    let (host, device) = match memory_type {
        CU_MEMORYTYPE_HOST => (address, 0),
        _ => (0, address),
    };
    CopySide3D { memory_type, host, device, ..CopySide3D::default() }
}

/// Contiguous bytes at an address of any memory space.
pub(crate) fn any(address: u64) -> CopySide3D {
    bytes_at(CU_MEMORYTYPE_UNIFIED, address)
}

impl CopyParams {
    /// A copy of contiguous bytes.
    pub(crate) fn line(dst: CopySide3D, src: CopySide3D, width_in_bytes: usize) -> Self {
        let copy = CUDA_MEMCPY3D { src, dst, width_in_bytes, height: 1, depth: 1 };
        Self { copy, is_line: true }
    }

    /// Width in bytes, rows and slices.
    pub(crate) fn size(&self) -> [u64; 3] {
        [self.copy.width_in_bytes, self.copy.height, self.copy.depth].map(|n| n as u64)
    }

    /// The array or the memory of both sides.
    fn ends(&self) -> Answer<[End; 2]> {
        let dst = End::of(Side::Dst, &self.copy.dst)?;
        Ok([End::of(Side::Src, &self.copy.src)?, dst])
    }

    /// Checks both sides of a copy that a graph will do, except for device memory that a node of
    /// the graph may allocate. Returns the copy with the types of memory that unified addresses are
    /// of; `None` if it is empty.
    ///
    /// # Safety
    /// Memory unknown to the driver satisfies the safety contract of [`find`].
    pub(crate) unsafe fn for_graph(&self) -> Answer<Option<CUDA_MEMCPY3D>> {
        let ends = self.ends()?;
        if self.size().contains(&0) {
            return Ok(None);
        }
        let mut copy = self.copy;
        for (end, (side, at)) in
            ends.iter().zip([(Side::Src, &mut copy.src), (Side::Dst, &mut copy.dst)])
        {
            if !end.comes_later()? {
                // SAFETY: the caller upholds this function's safety contract.
                unsafe { find(side, at, end, (self.size(), self.is_line))? };
            }
            *at = end.side(at)?;
        }
        Ok(Some(copy))
    }
}

/// The place that a side of a copy names.
enum End {
    Memory(Space, u64),
    Array(Arc<ArrayObject>),
}

impl End {
    fn of(side: Side, at: &CopySide3D) -> Answer<Self> {
        let name = side.name();
        ensure!(at.lod == 0, "{name}LOD {} is not 0, the only value that there is", at.lod);
        Ok(match at.memory_type {
            CU_MEMORYTYPE_HOST => Self::Memory(Space::Host, at.host),
            CU_MEMORYTYPE_DEVICE => Self::Memory(Space::Device, at.device),
            CU_MEMORYTYPE_UNIFIED => Self::Memory(Space::Unified, at.device),
            CU_MEMORYTYPE_ARRAY => {
                let array = Handle::<ArrayObject>::of(at.array).get();
                Self::Array(array.map_err(|refusal| refusal.named(&format!("{name}Array")))?)
            }
            other => bail!(
                "{name}MemoryType {other} is not a CUmemorytype: 1 (host), 2 (device), 3 (array) or 4 (unified)"
            ),
        })
    }

    /// Whether the end is device memory that is not allocated yet, but may be when a graph is
    /// launched.
    fn comes_later(&self) -> Answer<bool> {
        Ok(match *self {
            Self::Memory(_, address) => {
                memory::is_device_address(address)? && memory::find(address).is_none()
            }
            Self::Array(_) => false,
        })
    }

    /// Whether copies of the memory are always synchronous.
    fn is_sync(&self) -> bool {
        matches!(*self, Self::Memory(_, address) if memory::is_sync(address))
    }

    /// A side without the members that its type of memory does not use.
    fn side(&self, at: &CopySide3D) -> Answer<CopySide3D> {
        let CopySide3D { x_in_bytes, y, z, array, pitch, height, .. } = *at;
        let side = match *self {
            Self::Array(_) => {
                CopySide3D { memory_type: CU_MEMORYTYPE_ARRAY, array, ..CopySide3D::default() }
            }
            Self::Memory(space, address) => {
                let is_host = match space {
                    Space::Host => true,
                    Space::Device => false,
                    Space::Unified => match memory::find(address) {
                        Some(allocation) => allocation.on_host(),
                        None => !memory::is_device_address(address)?,
                    },
                };
                let kind = if is_host { CU_MEMORYTYPE_HOST } else { CU_MEMORYTYPE_DEVICE };
                CopySide3D { pitch, height, ..bytes_at(kind, address) }
            }
        };
        Ok(CopySide3D { x_in_bytes, y, z, ..side })
    }
}

/// An end that has been checked and resolved.
pub(crate) struct ResolvedEnd<'a> {
    pub(crate) place: Endpoint<'a>,
    /// For memory, the distance in bytes between rows and between slices.
    steps: [u64; 2],
    /// Offset of the region: byte, row, slice for an array; only the byte for memory.
    at: [u64; 3],
}

/// Resolves a side of a copy, and checks that a region of this size is inside.
///
/// # Safety
/// The part of the region in memory unknown to the driver is valid for the lifetime: readable for a
/// source, writable and not referenced elsewhere for a destination.
unsafe fn find<'a>(
    side: Side,
    side_params: &CopySide3D,
    end: &End,
    (size, is_line): ([u64; 3], bool),
) -> Answer<ResolvedEnd<'a>> {
    let CopySide3D { x_in_bytes, y, z, pitch, height, .. } = *side_params;
    let at = [x_in_bytes, y, z].map(|n| n as u64);
    let (space, address) = match end {
        End::Array(object) => {
            let array = &object.array;
            array.check_box(at, size).map_err(|error| {
                let side = side.name();
                match wrong_in_array(side, array, is_line, (at, size)) {
                    Some(reason) => CUresult::INVALID_VALUE.because(reason),
                    None => refusal(error).within(|| format!("{side}Array"), &[]),
                }
            })?;
            return Ok(ResolvedEnd { place: Endpoint::Array(array.clone()), steps: [0; 2], at });
        }
        &End::Memory(space, address) => (space, address),
    };
    let Span { before, len, steps } = span(side.name(), pitch as u64, height as u64, at, size)?;
    let passed = || {
        invalid!(
            "{} {address:#x}: the bytes that are copied pass the end of the addresses",
            space.parameter(side)
        )
    };
    let start = address.checked_add(before).ok_or_else(passed)?;
    // The allocation is found by the base address; the region must be in it, too.
    let (start, len, before) = match memory::is_known(address)? {
        true => (address, before.checked_add(len).ok_or_else(passed)?, before),
        false => (start, len, 0),
    };
    // SAFETY: the caller upholds this function's safety contract. Memory before the region is in
    // an allocation, which the driver knows.
    let place = unsafe { Endpoint::at(side, space, start, len)? };
    Ok(ResolvedEnd { place, steps, at: [before, 0, 0] })
}

/// Resolves rows of device memory that are set.
pub(crate) fn find_rows(
    address: u64,
    pitch: usize,
    size: [u64; 3],
) -> Answer<ResolvedEnd<'static>> {
    let (end, side) =
        (End::Memory(Space::Device, address), bytes_at(CU_MEMORYTYPE_DEVICE, address));
    // SAFETY: memory of devices is known to the driver.
    unsafe { find(Side::Dst, &CopySide3D { pitch, ..side }, &end, (size, false)) }
}

/// Names the parameter that does not fit an array, of the offset or the size. Copies of contiguous
/// bytes have other parameter names.
fn wrong_in_array(
    side: &str,
    array: &Array,
    is_line: bool,
    (at, size): ([u64; 3], [u64; 3]),
) -> Option<String> {
    let names = match is_line {
        true => [("Offset", "ByteCount"); 3],
        false => [("XInBytes", "WidthInBytes"), ("Y", "Height"), ("Z", "Depth")],
    };
    let (all, unit) = (array.copy_extent(), array.copy_unit());
    for (name, bytes) in [(format!("{side}{}", names[0].0), at[0]), (names[0].1.into(), size[0])] {
        if !bytes.is_multiple_of(unit) {
            let texel = if array.format().is_block() { "a block" } else { "a texel" };
            return Some(format!(
                "{name} {bytes} is not a multiple of {unit}, the bytes of {texel} of {side}Array"
            ));
        }
    }
    let is_outside = |&i: &usize| at[i].checked_add(size[i]).is_none_or(|end| end > all[i]);
    let axis = (0..3).find(is_outside)?;
    let (at, size, (offset, extent)) = (at[axis], size[axis], names[axis]);
    let (row, word) = [("a row of ", "byte"), ("", "row"), ("", "slice")][axis];
    let own = Count(all[axis], word);
    Some(match at {
        0 => format!("{extent} {size} is more than {row}{side}Array has: {own}"),
        _ => format!(
            "{side}{offset} {at}: {} from there on, past the end of {row}{side}Array ({own})",
            Count(size, word)
        ),
    })
}

/// Maximum row pitch in bytes (`CU_DEVICE_ATTRIBUTE_MAX_PITCH`).
const MAX_PITCH: u64 = i32::MAX as u64;

/// Location of a region in memory.
struct Span {
    /// Bytes from the address to the region.
    before: u64,
    /// Bytes from the region's start to its end.
    len: u64,
    /// Distance in bytes between rows and between slices.
    steps: [u64; 2],
}

/// The location of a region in memory: a row starts `(z * height + y) * pitch + x` bytes after the
/// address.
///
/// An error if numbers exceed 64 bits, a row is wider than the pitch, the rows exceed the height,
/// or the pitch exceeds the device limit. A row may start beyond the pitch, as drivers compare only
/// the width with it, contrary to the manual. Pitch 0 is allowed for one row, height 0 for one
/// slice.
fn span(side: &str, pitch: u64, height: u64, at: [u64; 3], size: [u64; 3]) -> Answer<Span> {
    let sliced = size[2] > 1 || at[2] > 0 || height > 0;
    ensure!(
        !sliced || at[1].checked_add(size[1]).is_some_and(|rows| rows <= height),
        "{side}Height {height} is less than {side}Y {} and Height {} together, the rows of a slice that are used",
        at[1],
        size[1]
    );
    let pitched = size[1] > 1 || size[2] > 1 || at[1] > 0 || at[2] > 0 || pitch > 0;
    ensure!(
        !pitched || pitch >= size[0],
        "{side}Pitch {pitch} is less than WidthInBytes {}: a row does not fit",
        size[0]
    );
    ensure!(
        !pitched || pitch <= MAX_PITCH,
        "{side}Pitch {pitch} is more than {MAX_PITCH}, the largest pitch (CU_DEVICE_ATTRIBUTE_MAX_PITCH)"
    );
    let numbers = || {
        let slice = pitch.checked_mul(height)?;
        let offset = |x: u64, y: u64, z: u64| {
            z.checked_mul(slice)?.checked_add(y.checked_mul(pitch)?)?.checked_add(x)
        };
        let (before, len) =
            (offset(at[0], at[1], at[2])?, offset(size[0], size[1] - 1, size[2] - 1)?);
        Some(Span { before, len, steps: [pitch, slice] })
    };
    numbers().ok_or_else(|| {
        invalid!(
            "{side}: a box of {} x {} x {} with a pitch of {pitch} ends past the last address",
            Count(size[0], "byte"),
            size[1],
            size[2]
        )
    })
}

impl ResolvedEnd<'_> {
    /// The offset of a byte in a row of the region.
    pub(crate) fn offset(&self, [x, y, z]: [u64; 3]) -> [u64; 3] {
        match self.place {
            Endpoint::Array(_) => [self.at[0] + x, self.at[1] + y, self.at[2] + z],
            _ => [self.at[0] + z * self.steps[1] + y * self.steps[0] + x, 0, 0],
        }
    }

    /// Address and size of the rows in memory that the program can access, too.
    fn shared(&self, size: [u64; 3]) -> impl Iterator<Item = (u64, u64)> {
        let slices = if self.place.is_of_host() { size[2] } else { 0 };
        let rows = (0..slices).flat_map(move |z| (0..size[1]).map(move |y| [0, y, z]));
        rows.filter_map(move |at| self.place.range(self.offset(at), size[0]))
    }

    /// The end without a lifetime; `None` if it is the program's memory.
    fn without_lifetime(&self) -> Option<ResolvedEnd<'static>> {
        Some(ResolvedEnd { place: self.place.without_lifetime()?, steps: self.steps, at: self.at })
    }

    /// The end for a deferred copy: memory that the program may reuse when the call returns is read
    /// now.
    fn staged(&self, size: [u64; 3]) -> Answer<ResolvedEnd<'static>> {
        if let Some(kept) = self.without_lifetime() {
            return Ok(kept);
        }
        let [width, rows, slices] = size.map(|n| n as usize);
        let mut bytes = vec![0; width * rows * slices];
        for (i, row) in bytes.chunks_exact_mut(width).enumerate() {
            self.place.read(self.offset([0, (i % rows) as u64, (i / rows) as u64]), row)?;
        }
        let steps = [size[0], size[0] * size[1]];
        Ok(ResolvedEnd { place: Endpoint::Staged(bytes.into()), steps, at: [0; 3] })
    }

    /// Whether the rows of a region of this size are contiguous.
    pub(crate) fn is_packed(&self, size: [u64; 3]) -> bool {
        !matches!(self.place, Endpoint::Array(_))
            && (size[1] * size[2] == 1 || self.steps[0] == size[0])
            && (size[2] == 1 || self.steps[1] == size[0] * size[1])
    }
}

/// Copies a region in a stream, immediately or deferred. Nothing is copied if an end is invalid; an
/// empty region is allowed.
///
/// # Safety
/// Memory unknown to the driver satisfies the safety contract of [`find`] during the call.
pub(crate) unsafe fn copy(params: &CopyParams, order: &Order) -> Answer {
    let ([src, dst], size) = (params.ends()?, params.size());
    if size.contains(&0) {
        return Ok(());
    }
    let region = (size, params.is_line);
    // SAFETY: the caller upholds this function's safety contract.
    let (from, to) = unsafe {
        let from = find(Side::Src, &params.copy.src, &src, region)?;
        (from, find(Side::Dst, &params.copy.dst, &dst, region)?)
    };
    let packed = from.is_packed(size) && to.is_packed(size);
    let size = if packed { [size[0] * size[1] * size[2], 1, 1] } else { size };
    if !deferred::must_defer(order) {
        return transfer(&from, &to, size, &QueuePosition::now(order.queue));
    }
    // A copy to pageable memory ends before the call returns.
    let waits = order.waits || src.is_sync() || dst.is_sync();
    let Some(to) = to.without_lifetime().filter(|_| !waits) else {
        deferred::wait_before(order);
        order.context.check()?;
        return transfer(&from, &to, size, &QueuePosition::now(order.queue));
    };
    let from = from.staged(size)?;
    let position = QueuePosition::submitted(order.queue);
    let shared = from.shared(size).map(|row| (row, false));
    let shared = shared.chain(to.shared(size).map(|row| (row, true)));
    let bytes = Count(size.iter().product::<u64>(), "byte");
    checks::submitted(order.queue, format_args!("a copy of {bytes}"), shared);
    deferred::submit(order, move |works| {
        works?;
        transfer(&from, &to, size, &position)
    })
}

/// Copies a region.
fn transfer(
    from: &ResolvedEnd<'_>,
    to: &ResolvedEnd<'_>,
    size: [u64; 3],
    position: &QueuePosition,
) -> Answer {
    let mut piece = vec![0; size[0].min(PIECE) as usize];
    let mut watch = Watch::new(&from.place, &to.place, position);
    for z in 0..size[2] {
        for y in 0..size[1] {
            let mut x = 0;
            while x < size[0] {
                let part = &mut piece[..(size[0] - x).min(PIECE) as usize];
                from.place.read(from.offset([x, y, z]), part)?;
                to.place.write(to.offset([x, y, z]), part)?;
                if let Some(watch) = &mut watch {
                    watch.copied(from.offset([x, y, z]), to.offset([x, y, z]), part.len());
                }
                x += part.len() as u64;
            }
        }
    }
    Ok(())
}
