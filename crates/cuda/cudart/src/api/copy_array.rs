//! Copies of rows and slices to, from and between arrays (runtime API, "Memory Management").

use super::array::format_of;
use super::copy::Order;
use crate::call::{check, runtime_api};
use crate::driver;
use crate::state::context;
use crate::types::{
    Array, Direction, INVALID_MEMCPY_DIRECTION, INVALID_PITCH_VALUE, Stream, array_side,
    memory_side,
};
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::{CU_MEMORYTYPE_HOST, CUDA_MEMCPY3D, CUresult, CopySide3D};

// The addresses in the structure come from the C caller, whose memory it is.
/// A place in the first slice of an array: its handle, bytes before, rows before.
type Place = (Array, usize, usize);

runtime_api! {
    /// Copies rows into an array.
    fn cudaMemcpy2DToArray(
        dst: Array,
        wOffset: usize,
        hOffset: usize,
        src: u64,
        spitch: usize,
        width: usize,
        height: usize,
        kind: u32,
    ) {
        let array = (dst, wOffset, hOffset);
        Way::In.rows(array, (src, spitch), [width, height], kind, Order::Wait)
    }

    /// As without `Async`.
    fn cudaMemcpy2DToArrayAsync(
        dst: Array,
        wOffset: usize,
        hOffset: usize,
        src: u64,
        spitch: usize,
        width: usize,
        height: usize,
        kind: u32,
        stream: Stream,
    ) {
        let array = (dst, wOffset, hOffset);
        Way::In.rows(array, (src, spitch), [width, height], kind, Order::Stream(stream))
    }

    /// Copies rows out of an array.
    fn cudaMemcpy2DFromArray(
        dst: u64,
        dpitch: usize,
        src: Array,
        wOffset: usize,
        hOffset: usize,
        width: usize,
        height: usize,
        kind: u32,
    ) {
        let array = (src, wOffset, hOffset);
        Way::Out.rows(array, (dst, dpitch), [width, height], kind, Order::Wait)
    }

    /// As without `Async`.
    fn cudaMemcpy2DFromArrayAsync(
        dst: u64,
        dpitch: usize,
        src: Array,
        wOffset: usize,
        hOffset: usize,
        width: usize,
        height: usize,
        kind: u32,
        stream: Stream,
    ) {
        let array = (src, wOffset, hOffset);
        Way::Out.rows(array, (dst, dpitch), [width, height], kind, Order::Stream(stream))
    }

    /// Copies rows of an array into another.
    fn cudaMemcpy2DArrayToArray(
        dst: Array,
        wOffsetDst: usize,
        hOffsetDst: usize,
        src: Array,
        wOffsetSrc: usize,
        hOffsetSrc: usize,
        width: usize,
        height: usize,
        kind: u32,
    ) {
        context()?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        between_arrays(kind)?;
        let src = array_side(src, wOffsetSrc, hOffsetSrc);
        let dst = array_side(dst, wOffsetDst, hOffsetDst);
        boxes(src, dst, [width, height, 1], Order::Wait)
    }

    /// Copies bytes into an array, row after row (deprecated).
    fn cudaMemcpyToArray(
        dst: Array,
        wOffset: usize,
        hOffset: usize,
        src: u64,
        count: usize,
        kind: u32,
    ) {
        Way::In.line((dst, wOffset, hOffset), src, count, kind, Order::Wait)
    }

    /// As without `Async`.
    fn cudaMemcpyToArrayAsync(
        dst: Array,
        wOffset: usize,
        hOffset: usize,
        src: u64,
        count: usize,
        kind: u32,
        stream: Stream,
    ) {
        Way::In.line((dst, wOffset, hOffset), src, count, kind, Order::Stream(stream))
    }

    /// Copies bytes out of an array, row after row (deprecated).
    fn cudaMemcpyFromArray(
        dst: u64,
        src: Array,
        wOffset: usize,
        hOffset: usize,
        count: usize,
        kind: u32,
    ) {
        Way::Out.line((src, wOffset, hOffset), dst, count, kind, Order::Wait)
    }

    /// As without `Async`.
    fn cudaMemcpyFromArrayAsync(
        dst: u64,
        src: Array,
        wOffset: usize,
        hOffset: usize,
        count: usize,
        kind: u32,
        stream: Stream,
    ) {
        Way::Out.line((src, wOffset, hOffset), dst, count, kind, Order::Stream(stream))
    }

    /// Copies bytes between arrays, row after row (deprecated).
    fn cudaMemcpyArrayToArray(
        dst: Array,
        wOffsetDst: usize,
        hOffsetDst: usize,
        src: Array,
        wOffsetSrc: usize,
        hOffsetSrc: usize,
        count: usize,
        kind: u32,
    ) {
        context()?;
        if count == 0 {
            return Ok(());
        }
        between_arrays(kind)?;
        // By way of memory, as rows of the two need not have the same length.
        let between = Scratch::new(count)?;
        let from = pieces((src, wOffsetSrc, hOffsetSrc), count)?;
        let to = pieces((dst, wOffsetDst, hOffsetDst), count)?;
        let memory = (CU_MEMORYTYPE_HOST, between.address);
        Way::Out.pieces(&from, memory, Order::Wait)?;
        Way::In.pieces(&to, memory, Order::Wait)
    }
}

/// A copy by the driver, of bytes, rows, slices.
pub(super) fn boxes(src: CopySide3D, dst: CopySide3D, size: [usize; 3], order: Order) -> Answer {
    let [width_in_bytes, height, depth] = size;
    let copy = CUDA_MEMCPY3D { src, dst, width_in_bytes, height, depth };
    // SAFETY: addresses of the program are the caller's, of which the driver has the same contract.
    check(unsafe {
        match order {
            Order::Wait => driver::cuMemcpy3D_v2(&raw const copy),
            Order::Stream(stream) => driver::cuMemcpy3DAsync_v2(&raw const copy, stream),
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

/// Which way bytes go between memory and an array.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Into the array.
    In,
    /// Out of it.
    Out,
}

impl Way {
    /// `CU_MEMORYTYPE_*` of the memory.
    ///
    /// `cudaErrorInvalidMemcpyDirection` if the program says another direction.
    fn memory(self, kind: u32) -> Answer<u32> {
        let direction = Direction::of(kind)?;
        match self {
            Self::In => direction.writes_device().map(|()| direction.source()),
            Self::Out => direction.reads_device().map(|()| direction.destination()),
        }
    }

    fn copy(self, array: CopySide3D, memory: CopySide3D, size: [usize; 3], order: Order) -> Answer {
        match self {
            Self::In => boxes(memory, array, size, order),
            Self::Out => boxes(array, memory, size, order),
        }
    }

    /// Copies rows, of memory with a pitch.
    fn rows(
        self,
        (array, x, y): Place,
        (address, pitch): (u64, usize),
        [width, height]: [usize; 2],
        kind: u32,
        order: Order,
    ) -> Answer {
        context()?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        if height > 1 && width > pitch {
            return Err(INVALID_PITCH_VALUE
                .because(format!("pitch {pitch} is less than width {width}: a row does not fit")));
        }
        let memory = memory_side(self.memory(kind)?, address, pitch);
        self.copy(array_side(array, x, y), memory, [width, height, 1], order)
    }

    /// Copies bytes in a line.
    fn line(self, array: Place, address: u64, count: usize, kind: u32, order: Order) -> Answer {
        context()?;
        let memory = (self.memory(kind)?, address);
        self.pieces(&pieces(array, count)?, memory, order)
    }

    /// Copies the boxes of a line, whose memory (`CU_MEMORYTYPE_*`) begins at an address.
    fn pieces(self, pieces: &[Piece], (kind, address): (u32, u64), order: Order) -> Answer {
        pieces.iter().try_for_each(|piece| {
            let address = address.checked_add(piece.at).ok_or_else(|| {
                CUresult::INVALID_VALUE.because(format!(
                    "the memory of the copy, from {address:#x} on, passes the end of the addresses"
                ))
            })?;
            self.copy(piece.array, memory_side(kind, address, piece.pitch), piece.size, order)
        })
    }
}

/// A part of a line of bytes that is a box in an array.
struct Piece {
    array: CopySide3D,
    /// Bytes of the line before it.
    at: u64,
    /// Bytes of a whole row of the array, and so from a row to the next in the line.
    pitch: usize,
    size: [usize; 3],
}

/// The boxes of a line of bytes: the rest of the first row, whole rows, a part of the last one.
fn pieces((array, x, y): Place, count: usize) -> Answer<Vec<Piece>> {
    let (descriptor, format) = format_of(array)?;
    let unit = if format.is_blocks() { 4 } else { 1 };
    let pitch = descriptor.width.div_ceil(unit).saturating_mul(format.bytes()?);
    let all = descriptor.height.max(1).div_ceil(unit).saturating_mul(pitch);
    let end = y.saturating_mul(pitch).saturating_add(x).saturating_add(count);
    if pitch == 0 || x > pitch || end > all {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "count {count} from wOffset {x}, hOffset {y} on passes the end of the array, which has {all} bytes in \
             rows of {pitch}"
        )));
    }
    let mut pieces = Vec::new();
    let (mut x, mut y, mut at) = (x, y, 0);
    while at < count {
        let left = count - at;
        let (width, height) =
            if x != 0 || left < pitch { (left.min(pitch - x), 1) } else { (pitch, left / pitch) };
        if width != 0 {
            let array = array_side(array, x, y);
            pieces.push(Piece { array, at: at as u64, pitch, size: [width, height, 1] });
        }
        at += width * height;
        y = y.checked_add(height).ok_or_else(|| {
            CUresult::INVALID_VALUE
                .because(format!("hOffset {y} and {height} rows are more than 64 bits count"))
        })?;
        x = 0;
    }
    Ok(pieces)
}

/// Memory of the program for a copy.
struct Scratch {
    _bytes: Vec<u8>,
    address: u64,
}

impl Scratch {
    fn new(size: usize) -> Answer<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| {
            CUresult::OUT_OF_MEMORY
                .because(format!("the program has no {size} bytes of memory left"))
        })?;
        bytes.resize(size, 0);
        let address = bytes.as_mut_ptr().expose_provenance() as u64;
        Ok(Self { _bytes: bytes, address })
    }
}
