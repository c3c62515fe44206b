//! Copies of 3D regions (runtime API, "Memory Management").

use super::array::format_of;
use super::copy::{Order, context_of, in_order};
use super::copy_array::boxes;
use crate::api::*;

in_order! {
    /// Copies a 3D region.
    fn cudaMemcpy3D, cudaMemcpy3DAsync(p) |order| {
        // SAFETY: the program's memory is valid as the runtime API requires.
        unsafe { copy(&p.get()?, order) }
    }

    /// Copies a 3D region between devices.
    fn cudaMemcpy3DPeer, cudaMemcpy3DPeerAsync(p) |order| {
        // SAFETY: the program's memory is valid as the runtime API requires.
        unsafe { copy_peer(&p.get()?, order) }
    }
}

/// Source or destination of a copy: an array or memory, and the offset in it.
#[derive(Clone, Copy)]
struct CopySide {
    array: Array,
    memory: cudaPitchedPtr,
    pos: cudaPos,
    /// `CU_MEMORYTYPE_*`, if this side is memory.
    kind: u32,
}

/// # Safety
/// The arguments satisfy the safety contract of [`boxes`].
unsafe fn copy(parms: &cudaMemcpy3DParms, order: Order) -> Answer {
    context()?;
    match to_boxes(parms)? {
        // SAFETY: the caller upholds this function's safety contract.
        Some(copy) => unsafe { boxes(&copy, order) },
        None => Ok(()),
    }
}

/// Translates a copy for the driver; `None` if its extent is empty.
pub(super) fn to_boxes(parms: &cudaMemcpy3DParms) -> Answer<Option<CUDA_MEMCPY3D>> {
    let direction = Direction::of(parms.kind)?;
    let (from, to) = (direction.source(), direction.destination());
    let side = |array, memory, pos, kind| CopySide { array, memory, pos, kind };
    let src = side(parms.src_array, parms.src_ptr, parms.src_pos, from);
    let dst = side(parms.dst_array, parms.dst_ptr, parms.dst_pos, to);
    to_driver(&src, &dst, parms.extent)
}

/// # Safety
/// The arguments satisfy the safety contract of [`boxes`].
unsafe fn copy_peer(parms: &cudaMemcpy3DPeerParms, order: Order) -> Answer {
    context()?;
    let kind = CU_MEMORYTYPE_DEVICE;
    let (src_context, dst_context) = (context_of(parms.src_device)?, context_of(parms.dst_device)?);
    let src = CopySide { array: parms.src_array, memory: parms.src_ptr, pos: parms.src_pos, kind };
    let dst = CopySide { array: parms.dst_array, memory: parms.dst_ptr, pos: parms.dst_pos, kind };
    let Some(mut copy) = to_driver(&src, &dst, parms.extent)? else { return Ok(()) };
    (copy.src.context, copy.dst.context) = (src_context, dst_context);
    // SAFETY: the caller upholds the same contract as for the driver's function.
    check(unsafe {
        match order {
            Order::Wait => driver::cuMemcpy3DPeer(&raw const copy),
            Order::Stream(stream) => driver::cuMemcpy3DPeerAsync(&raw const copy, stream),
        }
    })
}

/// Translates a copy for the driver; `None` if its extent is empty. If there is an array, the
/// extent is in its elements (texels for block-compressed arrays). Offsets are in elements of their
/// own side, which are bytes for memory.
fn to_driver(src: &CopySide, dst: &CopySide, extent: cudaExtent) -> Answer<Option<CUDA_MEMCPY3D>> {
    let cudaExtent { width, height, depth } = extent;
    if width == 0 || height == 0 || depth == 0 {
        return Ok(None);
    }
    for (name, side) in [("src", src), ("dst", dst)] {
        // Exactly one of array and memory must be given.
        if (side.array == 0) == (side.memory.ptr == 0) {
            let given = if side.array == 0 { "neither" } else { "both" };
            bail!(
                "{given} of {name}Array and {name}Ptr are given: each side of a copy is one of them"
            );
        }
    }
    let format = element(src.array, dst.array)?;
    let (unit, bytes) = match format {
        Some(format) if format.is_blocks() => (4, format.bytes()?),
        Some(format) => (1, format.bytes()?),
        None => (1, 1),
    };
    let width_in_bytes = width
        .div_ceil(unit)
        .checked_mul(bytes)
        .ok_or_else(|| invalid!("width {width} of the extent is more bytes than 64 bits count"))?;
    if format.is_none() {
        for (name, memory) in [("src", src.memory), ("dst", dst.memory)] {
            let rows = height > 1 || depth > 1;
            ensure!(
                !rows || width <= memory.pitch,
                INVALID_PITCH_VALUE,
                "pitch {} of {name}Ptr is less than the width of the extent, {}",
                memory.pitch,
                Count(width, "byte")
            );
            ensure!(
                depth <= 1 || height <= memory.ysize,
                INVALID_PITCH_VALUE,
                "ysize {} of {name}Ptr is less than the height of the extent, {}",
                memory.ysize,
                Count(height, "row")
            );
        }
    }
    Ok(Some(CUDA_MEMCPY3D {
        src: src.to_driver(unit, bytes)?,
        dst: dst.to_driver(unit, bytes)?,
        width_in_bytes,
        height: height.div_ceil(unit),
        depth,
    }))
}

/// The format of the arrays of a copy, whose elements have equal sizes.
fn element(src: Array, dst: Array) -> Answer<Option<Format>> {
    let format = |array| if array == 0 { Ok(None) } else { format_of(array).map(|(_, f)| Some(f)) };
    let (src, dst): (Option<Format>, Option<Format>) = (format(src)?, format(dst)?);
    if let (Some(src), Some(dst)) = (src, dst)
        && (src.bytes()? != dst.bytes()? || src.is_blocks() != dst.is_blocks())
    {
        bail!(
            "srcArray and dstArray have elements of {} and {}, or one is block-compressed: they are copied \
             only between arrays alike in that",
            src.bytes()?,
            Count(dst.bytes()?, "byte")
        );
    }
    Ok(src.or(dst))
}

impl CopySide {
    /// Converts the offset: texels to blocks, elements to bytes.
    fn to_driver(self, unit: usize, bytes: usize) -> Answer<CopySide3D> {
        let cudaPos { x, y, z } = self.pos;
        if self.array != 0 {
            let x_in_bytes = (x / unit)
                .checked_mul(bytes)
                .ok_or_else(|| invalid!("position x {x} is more bytes than 64 bits count"))?;
            return Ok(CopySide3D { z, ..array_side(self.array, x_in_bytes, y / unit) });
        }
        Ok(CopySide3D {
            x_in_bytes: x,
            y,
            z,
            height: self.memory.ysize,
            ..memory_side(self.kind, self.memory.ptr, self.memory.pitch)
        })
    }
}
