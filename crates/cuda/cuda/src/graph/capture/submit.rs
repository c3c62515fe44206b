//! Copies and memory sets in streams, which become nodes during a capture.

use crate::copy::{self, CopyEnd};
use crate::deferred::Order;
use crate::fill;
use crate::graph::op::{CopyOp, Op};
use crate::graph::params;
use crate::memory::endpoint::Side;
use crate::prelude::*;

/// Copies a region in a stream ([`copy::copy`]), or adds the copy to the captured graph.
pub(crate) fn copy(to: &CopyEnd<'_>, from: &CopyEnd<'_>, size: [u64; 3], order: &Order) -> Answer {
    let Some(place) = order.capture else { return copy::copy(to, from, size, order) };
    place.check()?;
    if size.contains(&0) {
        return Ok(());
    }
    for (end, side) in [(from, Side::Src), (to, Side::Dst)] {
        if !end.comes_later()? {
            end.find(side, size)?;
        }
    }
    let [width_in_bytes, height, depth] = size.map(|n| n as usize);
    let (src, dst) = (from.side()?, to.side()?);
    let copy = CUDA_MEMCPY3D { src, dst, width_in_bytes, height, depth };
    place.add(Op::Memcpy(Arc::new(CopyOp { copy, context: order.context.handle })))
}

/// Copies contiguous bytes.
pub(crate) fn copy_bytes(to: CopyEnd<'_>, from: CopyEnd<'_>, len: usize, order: &Order) -> Answer {
    copy(&to, &from, [len as u64, 1, 1], order)
}

/// Sets rows in a stream ([`fill::fill`]), or adds the memory set to the captured graph.
pub(crate) fn fill(
    address: u64,
    pitch: usize,
    pattern: &[u8],
    size: [usize; 2],
    order: &Order,
) -> Answer<bool> {
    let Some(place) = order.capture else {
        return fill::fill(address, pitch, pattern, size, order);
    };
    place.check()?;
    if !size.contains(&0) {
        let mut value = [0; 4];
        value[..pattern.len()].copy_from_slice(pattern);
        place.add(params::memset(&CUDA_MEMSET_NODE_PARAMS {
            dst: address,
            pitch,
            value: u32::from_le_bytes(value),
            elementSize: pattern.len() as u32,
            width: size[0],
            height: size[1],
            ctx: order.context.handle.number(),
        })?)?;
    }
    Ok(false)
}
