//! Copies to, from and between arrays (runtime API, "Memory Management").

use super::array::format_of;
use super::copy::{Order, in_order};
use crate::api::*;

in_order! {
    /// Copies rows into an array.
    fn cudaMemcpy2DToArray, cudaMemcpy2DToArrayAsync(
        dst, wOffset, hOffset, src, spitch, width, height, kind,
    ) |order| {
        let array = ArrayPosition { array: dst, x: wOffset, y: hOffset };
        // SAFETY: the program's memory is valid as the runtime API requires.
        unsafe { ArrayCopy::ToArray.rows(array, (src, spitch), [width, height], kind, order) }
    }

    /// Copies rows out of an array.
    fn cudaMemcpy2DFromArray, cudaMemcpy2DFromArrayAsync(
        dst, dpitch, src, wOffset, hOffset, width, height, kind,
    ) |order| {
        let array = ArrayPosition { array: src, x: wOffset, y: hOffset };
        // SAFETY: the program's memory is valid as the runtime API requires.
        unsafe { ArrayCopy::FromArray.rows(array, (dst, dpitch), [width, height], kind, order) }
    }

    /// Copies a byte range into an array, row after row (deprecated).
    fn cudaMemcpyToArray, cudaMemcpyToArrayAsync(dst, wOffset, hOffset, src, count, kind) |order| {
        let array = ArrayPosition { array: dst, x: wOffset, y: hOffset };
        // SAFETY: the program's memory is valid as the runtime API requires.
        unsafe { ArrayCopy::ToArray.line(array, src, count, kind, order) }
    }

    /// Copies a byte range out of an array, row after row (deprecated).
    fn cudaMemcpyFromArray, cudaMemcpyFromArrayAsync(
        dst, src, wOffset, hOffset, count, kind,
    ) |order| {
        let array = ArrayPosition { array: src, x: wOffset, y: hOffset };
        // SAFETY: the program's memory is valid as the runtime API requires.
        unsafe { ArrayCopy::FromArray.line(array, dst, count, kind, order) }
    }
}

runtime_api! {
    /// Copies rows from one array to another.
    fn cudaMemcpy2DArrayToArray(
        dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind,
    ) {
        context()?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        between_arrays(kind)?;
        let src = array_side(src, wOffsetSrc, hOffsetSrc);
        let dst = array_side(dst, wOffsetDst, hOffsetDst);
        let copy = CUDA_MEMCPY3D { src, dst, width_in_bytes: width, height, depth: 1 };
        // SAFETY: both sides are arrays.
        unsafe { boxes(&copy, Order::Wait) }
    }

    /// Copies a byte range between arrays, row after row (deprecated).
    fn cudaMemcpyArrayToArray(
        dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, count, kind,
    ) {
        context()?;
        if count == 0 {
            return Ok(());
        }
        between_arrays(kind)?;
        // The bytes are copied through host memory, because the rows of the arrays may differ in
        // length.
        let mut between = scratch(count)?;
        let from = ArrayPosition { array: src, x: wOffsetSrc, y: hOffsetSrc }.pieces(count)?;
        let to = ArrayPosition { array: dst, x: wOffsetDst, y: hOffsetDst }.pieces(count)?;
        let memory = (CU_MEMORYTYPE_HOST, between.as_mut_ptr().expose_provenance() as u64);
        // SAFETY: the buffer is our own and holds this many bytes.
        unsafe {
            ArrayCopy::FromArray.pieces(&from, memory, Order::Wait)?;
            ArrayCopy::ToArray.pieces(&to, memory, Order::Wait)
        }
    }
}

/// A position in the first slice of an array, at which a copy begins.
#[derive(Clone, Copy, Debug)]
struct ArrayPosition {
    array: Array,
    /// Offset from the start of the row in bytes.
    x: usize,
    /// Number of rows above the position.
    y: usize,
}

/// Copies a 3D region through the driver.
///
/// # Safety
/// Host memory of the copy exists; what is written is not referenced elsewhere.
pub(super) unsafe fn boxes(copy: &CUDA_MEMCPY3D, order: Order) -> Answer {
    // SAFETY: the caller upholds the same contract as for the driver's function.
    check(unsafe {
        match order {
            Order::Wait => driver::cuMemcpy3D_v2(copy),
            Order::Stream(stream) => driver::cuMemcpy3DAsync_v2(copy, stream),
        }
    })
}

fn between_arrays(kind: u32) -> Answer {
    match Direction::of(kind)? {
        Direction::DeviceToDevice | Direction::Default => Ok(()),
        _ => Err(INVALID_MEMCPY_DIRECTION.because(format!(
            "kind {kind} is not cudaMemcpyDeviceToDevice (3) or cudaMemcpyDefault (4): both sides are arrays"
        ))),
    }
}

/// Direction of a copy between memory and an array.
#[derive(Clone, Copy, Debug)]
enum ArrayCopy {
    /// The copy reads memory and writes the array.
    ToArray,
    /// The copy reads the array and writes memory.
    FromArray,
}

impl ArrayCopy {
    /// The memory's `CU_MEMORYTYPE_*` for a copy in this direction, given the program's
    /// `cudaMemcpyKind`.
    ///
    /// `cudaErrorInvalidMemcpyDirection` if the program passes the opposite direction.
    fn memory(self, kind: u32) -> Answer<u32> {
        let direction = Direction::of(kind)?;
        match self {
            Self::ToArray => direction.writes_device().map(|()| direction.source()),
            Self::FromArray => direction.reads_device().map(|()| direction.destination()),
        }
    }

    /// # Safety
    /// The arguments satisfy the safety contract of [`boxes`].
    unsafe fn copy(
        self,
        array: CopySide3D,
        memory: CopySide3D,
        [width_in_bytes, height, depth]: [usize; 3],
        order: Order,
    ) -> Answer {
        let (src, dst) = match self {
            Self::ToArray => (memory, array),
            Self::FromArray => (array, memory),
        };
        let copy = CUDA_MEMCPY3D { src, dst, width_in_bytes, height, depth };
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { boxes(&copy, order) }
    }

    /// Copies rows between an array and pitched memory.
    ///
    /// # Safety
    /// The arguments satisfy the safety contract of [`boxes`].
    unsafe fn rows(
        self,
        ArrayPosition { array, x, y }: ArrayPosition,
        (address, pitch): (u64, usize),
        [width, height]: [usize; 2],
        kind: u32,
        order: Order,
    ) -> Answer {
        context()?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        ensure!(
            height <= 1 || width <= pitch,
            INVALID_PITCH_VALUE,
            "pitch {pitch} is less than width {width}: a row does not fit"
        );
        let memory = memory_side(self.memory(kind)?, address, pitch);
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { self.copy(array_side(array, x, y), memory, [width, height, 1], order) }
    }

    /// Copies a contiguous byte range of memory from or to an array.
    ///
    /// # Safety
    /// The arguments satisfy the safety contract of [`boxes`].
    unsafe fn line(
        self,
        array: ArrayPosition,
        address: u64,
        count: usize,
        kind: u32,
        order: Order,
    ) -> Answer {
        context()?;
        let memory = (self.memory(kind)?, address);
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { self.pieces(&array.pieces(count)?, memory, order) }
    }

    /// Copies the rectangles of a byte range, whose memory (`CU_MEMORYTYPE_*`) begins at `address`.
    ///
    /// # Safety
    /// The arguments satisfy the safety contract of [`boxes`].
    unsafe fn pieces(
        self,
        pieces: &[ArrayRect],
        (kind, address): (u32, u64),
        order: Order,
    ) -> Answer {
        pieces.iter().try_for_each(|piece| {
            let address = address.checked_add(piece.at).ok_or_else(|| {
                invalid!(
                    "the memory of the copy, from {address:#x} on, passes the end of the addresses"
                )
            })?;
            let memory = memory_side(kind, address, piece.pitch);
            // SAFETY: the caller upholds this function's safety contract.
            unsafe { self.copy(piece.array, memory, piece.size, order) }
        })
    }
}

/// A rectangle of texels in an array, which is copied from or to one piece of a contiguous byte
/// range in memory.
struct ArrayRect {
    array: CopySide3D,
    /// Offset in bytes of the rectangle's first texel from the start of the byte range.
    at: u64,
    /// Bytes of a full row of the array, which is also the distance of rows in the byte range.
    pitch: usize,
    size: [usize; 3],
}

impl ArrayPosition {
    /// Splits a contiguous byte range of `count` bytes into rectangles of the array: the rest of
    /// the first row, full rows, the start of the last row.
    fn pieces(self, count: usize) -> Answer<Vec<ArrayRect>> {
        let Self { array, x, y } = self;
        let (descriptor, format) = format_of(array)?;
        let unit = if format.is_blocks() { 4 } else { 1 };
        let pitch = descriptor.width.div_ceil(unit).saturating_mul(format.bytes()?);
        let all = descriptor.height.max(1).div_ceil(unit).saturating_mul(pitch);
        let end = y.saturating_mul(pitch).saturating_add(x).saturating_add(count);
        ensure!(
            pitch != 0 && x <= pitch && end <= all,
            "count {count} from wOffset {x}, hOffset {y} on passes the end of the array, which has {} in \
             rows of {pitch}",
            Count(all, "byte")
        );
        let mut pieces = Vec::new();
        let (mut x, mut y, mut at) = (x, y, 0);
        while at < count {
            let left = count - at;
            let (width, height) = if x != 0 || left < pitch {
                (left.min(pitch - x), 1)
            } else {
                (pitch, left / pitch)
            };
            if width != 0 {
                let array = array_side(array, x, y);
                pieces.push(ArrayRect { array, at: at as u64, pitch, size: [width, height, 1] });
            }
            at += width * height;
            y = y.checked_add(height).ok_or_else(|| {
                invalid!("hOffset {y} and {} are more than 64 bits count", Count(height, "row"))
            })?;
            x = 0;
        }
        Ok(pieces)
    }
}

/// A temporary host buffer for a copy.
fn scratch(size: usize) -> Answer<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| {
        CUresult::OUT_OF_MEMORY
            .because(format!("the program has no {} of memory left", Count(size, "byte")))
    })?;
    bytes.resize(size, 0);
    Ok(bytes)
}
