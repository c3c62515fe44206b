//! Copies of rows and slices to, from and between arrays (runtime API, "Memory Management").

use super::array::format_of;
use super::copy::Order;
use crate::call::{check, runtime_api};
use crate::state::context;
use crate::types::{
    Array, Direction, INVALID_MEMCPY_DIRECTION, INVALID_PITCH_VALUE, Stream, array_side,
    memory_side,
};
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::{CU_MEMORYTYPE_HOST, CUDA_MEMCPY3D, CUresult, CopySide3D};

// The addresses in the structure come from the C caller, whose memory it is.
unsafe extern "C" {
    safe fn cuMemcpy3D_v2(copy: &CUDA_MEMCPY3D) -> CUresult;
    safe fn cuMemcpy3DAsync_v2(copy: &CUDA_MEMCPY3D, stream: Stream) -> CUresult;
}

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
        to_array((dst, wOffset, hOffset), (src, spitch), [width, height], kind, Order::Wait)
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
        let order = Order::Stream(stream);
        to_array((dst, wOffset, hOffset), (src, spitch), [width, height], kind, order)
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
        from_array((dst, dpitch), (src, wOffset, hOffset), [width, height], kind, Order::Wait)
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
        let order = Order::Stream(stream);
        from_array((dst, dpitch), (src, wOffset, hOffset), [width, height], kind, order)
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
        line_to_array((dst, wOffset, hOffset), src, count, kind, Order::Wait)
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
        line_to_array((dst, wOffset, hOffset), src, count, kind, Order::Stream(stream))
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
        line_from_array(dst, (src, wOffset, hOffset), count, kind, Order::Wait)
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
        line_from_array(dst, (src, wOffset, hOffset), count, kind, Order::Stream(stream))
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
        from.iter().try_for_each(|piece| {
            let memory = memory_side(CU_MEMORYTYPE_HOST, between.address + piece.at, piece.pitch);
            boxes(piece.array, memory, piece.size, Order::Wait)
        })?;
        to.iter().try_for_each(|piece| {
            let memory = memory_side(CU_MEMORYTYPE_HOST, between.address + piece.at, piece.pitch);
            boxes(memory, piece.array, piece.size, Order::Wait)
        })
    }
}

/// A copy by the driver, of bytes, rows, slices.
pub(super) fn boxes(src: CopySide3D, dst: CopySide3D, size: [usize; 3], order: Order) -> Answer {
    let [width_in_bytes, height, depth] = size;
    let copy = CUDA_MEMCPY3D { src, dst, width_in_bytes, height, depth };
    check(match order {
        Order::Wait => cuMemcpy3D_v2(&copy),
        Order::Stream(stream) => cuMemcpy3DAsync_v2(&copy, stream),
    })
}

fn between_arrays(kind: u32) -> Answer {
    match Direction::of(kind)? {
        Direction::DeviceToDevice | Direction::Default => Ok(()),
        _ => Err(INVALID_MEMCPY_DIRECTION),
    }
}

fn to_array(
    (array, x, y): Place,
    (from, pitch): (u64, usize),
    [width, height]: [usize; 2],
    kind: u32,
    order: Order,
) -> Answer {
    context()?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    if height > 1 && width > pitch {
        return Err(INVALID_PITCH_VALUE);
    }
    let direction = Direction::of(kind)?;
    direction.writes_device()?;
    let src = memory_side(direction.source(), from, pitch);
    boxes(src, array_side(array, x, y), [width, height, 1], order)
}

fn from_array(
    (to, pitch): (u64, usize),
    (array, x, y): Place,
    [width, height]: [usize; 2],
    kind: u32,
    order: Order,
) -> Answer {
    context()?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    if height > 1 && width > pitch {
        return Err(INVALID_PITCH_VALUE);
    }
    let direction = Direction::of(kind)?;
    direction.reads_device()?;
    let dst = memory_side(direction.destination(), to, pitch);
    boxes(array_side(array, x, y), dst, [width, height, 1], order)
}

fn line_to_array(to: Place, from: u64, count: usize, kind: u32, order: Order) -> Answer {
    context()?;
    let direction = Direction::of(kind)?;
    direction.writes_device()?;
    pieces(to, count)?.iter().try_for_each(|piece| {
        let address = from.checked_add(piece.at).ok_or(CUresult::INVALID_VALUE)?;
        let src = memory_side(direction.source(), address, piece.pitch);
        boxes(src, piece.array, piece.size, order)
    })
}

fn line_from_array(to: u64, from: Place, count: usize, kind: u32, order: Order) -> Answer {
    context()?;
    let direction = Direction::of(kind)?;
    direction.reads_device()?;
    pieces(from, count)?.iter().try_for_each(|piece| {
        let address = to.checked_add(piece.at).ok_or(CUresult::INVALID_VALUE)?;
        let dst = memory_side(direction.destination(), address, piece.pitch);
        boxes(piece.array, dst, piece.size, order)
    })
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
        return Err(CUresult::INVALID_VALUE);
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
        y = y.checked_add(height).ok_or(CUresult::INVALID_VALUE)?;
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
        bytes.try_reserve_exact(size).map_err(|_| CUresult::OUT_OF_MEMORY)?;
        bytes.resize(size, 0);
        let address = bytes.as_mut_ptr().expose_provenance() as u64;
        Ok(Self { _bytes: bytes, address })
    }
}
