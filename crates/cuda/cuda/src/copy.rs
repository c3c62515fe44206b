//! Copies of 3D regions: width in bytes, rows, slices. A contiguous copy is a region of one row.

mod sides;

pub(crate) use sides::{end_2d, end_3d};

use crate::array::ArrayObject;
use crate::check_log::QueuePosition;
use crate::checks::{self, Watch};
use crate::deferred::{self, Order};
use crate::memory;
use crate::memory::endpoint::{Endpoint, Side, Space};
use crate::prelude::*;
use std::marker::PhantomData;
use texunit_device::Array;

/// Bytes that are copied at a time.
const PIECE: u64 = 64 * 1024;

/// An end of a copy, as the caller describes it. If it is the program's memory, it is valid for the
/// lifetime.
#[derive(Clone, Debug)]
pub(crate) struct CopyEnd<'a> {
    of: EndKind,
    /// Offset of the region: byte, row, slice or layer.
    at: [u64; 3],
    program: PhantomData<&'a ()>,
}

#[derive(Clone, Debug)]
enum EndKind {
    /// Memory at an address. It is constructed only by [`CopyEnd`]'s constructors, whose contracts
    /// guarantee its validity.
    Memory(Memory),
    /// An array, and whether the copy's parameters count bytes of its first row instead of bytes,
    /// rows and slices.
    Array(Array, bool),
}

/// Memory at an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// Address of the first row.
    pub(crate) address: u64,
    /// Row pitch in bytes.
    pub(crate) pitch: u64,
    /// Rows between slices.
    pub(crate) height: u64,
    pub(crate) space: Space,
}

impl Memory {
    /// Contiguous bytes of a space.
    pub(crate) fn bytes(space: Space, address: u64) -> Self {
        Self { space, address, pitch: 0, height: 0 }
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

impl<'a> CopyEnd<'a> {
    /// A region in memory of any space at an offset of bytes, rows, slices.
    ///
    /// # Safety
    /// The part of the region in memory unknown to the driver is valid for the lifetime: readable
    /// for a source, writable and not referenced elsewhere for a destination.
    pub(crate) unsafe fn memory(memory: Memory, at: [u64; 3]) -> Self {
        Self { of: EndKind::Memory(memory), at, program: PhantomData }
    }

    /// A region in device memory with a pitch.
    pub(crate) fn device(address: u64, pitch: u64) -> Self {
        let memory = Memory { pitch, ..Memory::bytes(Space::Device, address) };
        Self { of: EndKind::Memory(memory), at: [0; 3], program: PhantomData }
    }

    /// A region in an array at an offset of bytes, rows, slices or layers.
    pub(crate) fn array(array: Array, at: [u64; 3]) -> Self {
        Self { of: EndKind::Array(array, false), at, program: PhantomData }
    }

    /// A byte range of a one-dimensional array.
    pub(crate) fn line(array: Array, offset: u64) -> Self {
        Self { of: EndKind::Array(array, true), at: [offset, 0, 0], program: PhantomData }
    }

    /// Whether the end is device memory that is not allocated yet, but may be when a graph is
    /// launched.
    pub(crate) fn comes_later(&self) -> Answer<bool> {
        Ok(match &self.of {
            EndKind::Memory(memory) => {
                memory::is_device_address(memory.address)? && memory::find(memory.address).is_none()
            }
            EndKind::Array(..) => false,
        })
    }

    /// The end as a side of the copy structure.
    pub(crate) fn side(&self) -> Answer<CopySide3D> {
        let [x_in_bytes, y, z] = self.at.map(|n| n as usize);
        let side = CopySide3D { x_in_bytes, y, z, ..CopySide3D::default() };
        Ok(match &self.of {
            EndKind::Array(array, _) => {
                let memory_type = CU_MEMORYTYPE_ARRAY;
                CopySide3D { memory_type, array: ArrayObject::handle_of(array)?.number(), ..side }
            }
            &EndKind::Memory(Memory { address, pitch, height, space }) => {
                let side = CopySide3D { pitch: pitch as usize, height: height as usize, ..side };
                let is_host = match space {
                    Space::Host => true,
                    Space::Device => false,
                    Space::Unified => match memory::find(address) {
                        Some(allocation) => allocation.on_host(),
                        None => !memory::is_device_address(address)?,
                    },
                };
                match is_host {
                    true => CopySide3D { memory_type: CU_MEMORYTYPE_HOST, host: address, ..side },
                    false => {
                        CopySide3D { memory_type: CU_MEMORYTYPE_DEVICE, device: address, ..side }
                    }
                }
            }
        })
    }

    /// Resolves the end, and checks that a region of this size is inside.
    pub(crate) fn find(&self, side: Side, size: [u64; 3]) -> Answer<ResolvedEnd<'a>> {
        let at = self.at;
        match &self.of {
            EndKind::Array(array, is_line) => {
                array.check_box(at, size).map_err(|error| {
                    let side = side.name();
                    match wrong_in_array(side, array, *is_line, (at, size)) {
                        Some(reason) => CUresult::INVALID_VALUE.because(reason),
                        None => refusal(error).within(|| format!("{side}Array"), &[]),
                    }
                })?;
                Ok(ResolvedEnd { place: Endpoint::Array(array.clone()), steps: [0; 2], at })
            }
            &EndKind::Memory(Memory { address, pitch, height, space }) => {
                let Span { before, len, steps } = span(side.name(), pitch, height, at, size)?;
                let passed = || {
                    invalid!(
                        "{} {address:#x}: the bytes that are copied pass the end of the addresses",
                        space.parameter(side)
                    )
                };
                let start = address.checked_add(before).ok_or_else(passed)?;
                // The allocation is found by the base address; the region must be in it, too.
                if memory::is_known(address)? {
                    let all = before.checked_add(len).ok_or_else(passed)?;
                    // SAFETY: the contract of the end's constructor guarantees memory unknown to
                    // the driver; this memory is known.
                    let place = unsafe { Endpoint::at(side, space, address, all)? };
                    return Ok(ResolvedEnd { place, steps, at: [before, 0, 0] });
                }
                // SAFETY: the contract of the end's constructor guarantees the memory.
                let place = unsafe { Endpoint::at(side, space, start, len)? };
                Ok(ResolvedEnd { place, steps, at: [0; 3] })
            }
        }
    }
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

/// Contiguous bytes at an address of any memory space.
///
/// # Safety
/// As for [`CopyEnd::memory`].
pub(crate) unsafe fn any<'a>(address: u64) -> CopyEnd<'a> {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { CopyEnd::memory(Memory::bytes(Space::Unified, address), [0; 3]) }
}

/// Copies a region in a stream, immediately or deferred. Nothing is copied if an end is invalid; an
/// empty region is allowed.
pub(crate) fn copy(
    to_end: &CopyEnd<'_>,
    from_end: &CopyEnd<'_>,
    size: [u64; 3],
    order: &Order,
) -> Answer {
    if size.contains(&0) {
        return Ok(());
    }
    let (from, to) = (from_end.find(Side::Src, size)?, to_end.find(Side::Dst, size)?);
    let packed = from.is_packed(size) && to.is_packed(size);
    let size = if packed { [size[0] * size[1] * size[2], 1, 1] } else { size };
    if !deferred::must_defer(order) {
        return transfer(&from, &to, size, &QueuePosition::now(order.queue));
    }
    // A copy to pageable memory ends before the call returns.
    let is_sync = |end: &CopyEnd<'_>| matches!(&end.of, EndKind::Memory(memory) if memory::is_sync(memory.address));
    let waits = order.waits || is_sync(to_end) || is_sync(from_end);
    let Some(to) = to.without_lifetime().filter(|_| !waits) else {
        deferred::wait_before(order);
        order.context.check()?;
        return transfer(&from, &to, size, &QueuePosition::now(order.queue));
    };
    let from = from.staged(size)?;
    let position = QueuePosition::submitted(order.queue);
    let shared = from.shared(size).map(|row| (row, false));
    let shared = shared.chain(to.shared(size).map(|row| (row, true)));
    checks::copies(order.queue, shared, size.iter().product());
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
