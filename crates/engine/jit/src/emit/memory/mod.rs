//! Loads and stores whose address is not a constant of the frame or of the parameters, for both
//! instruction sets.
//!
//! A *lane group* (`part`) is the lanes of a vector register of 32-bit lanes. Vector code accesses
//! the data of a lane group at once where the addresses have a shape ([`shape`]): the lanes are
//! contiguous, or have one address. [`Addressing`] says what is known when the code is emitted;
//! other shapes are cached ([`crate::emit::index`], [`crate::emit::base_groups`]) or tested.
//! Otherwise the lanes are scattered: each is checked ([`offsets`]), and its data is copied to or
//! from scratch registers of the frame, which vector code then accesses as contiguous lanes
//! ([`parts`], [`rows`]).
//!
//! `ebp` has the shape while the code accesses the lane groups, `rbx` the mask of executing lanes,
//! and the addresses of the lane groups are in a [`shape::Slot`] or in registers.
//!
//! With AVX-512, the addresses of the two lane groups, their offsets and the mask of executing
//! lanes are in registers. Scattered values are stored directly from registers, and contiguous
//! lanes of which only some execute the access are accessed with a mask.

mod access;
mod addressing;
mod indexed;
mod lane;
mod load;
mod offsets;
mod parts;
mod rows;
mod same;
mod shape;
mod some_lanes;
mod store;

use crate::frame::Frame;
use crate::ir::{Access, Space};
pub(super) use access::{MemAccess, low_32, sized};
pub(super) use addressing::Addressing;
use iced_x86::MemoryOperand;
pub(super) use shape::Row;

/// The scratch register for a base that is not a register, the first scratch register of data, of
/// which a lane takes up to 32 bytes, and the scratch register for offsets, for accesses of up to
/// 16 bytes.
const BASE_ROW: usize = 0;
const DATA_ROW: usize = 1;
pub(super) const OFFSET_ROW: usize = 4;

/// Lane masks in the frame: the lanes whose data is still to be copied one by one, and the lanes
/// that execute the access, which are the lanes that vector stores write.
pub(super) const REST: usize = Frame::SAVED;
pub(super) const STORED: usize = Frame::SAVED + 16;

/// Whether compiled code contains accesses of this size, count and offset. PTX has no larger offset
/// from a register.
pub(super) fn is_supported(access: &Access) -> bool {
    let powers = access.size.is_power_of_two() && access.count.is_power_of_two();
    let total = u32::from(access.size) * u32::from(access.count);
    let somewhere = !matches!(access.space, Space::Frame | Space::Param);
    let is_near = access.base.is_none() || i32::try_from(access.offset as i64).is_ok();
    powers && access.size <= 8 && total <= 32 && somewhere && is_near
}

/// A memory operand moved by `bytes` bytes.
fn moved(mut memory: MemoryOperand, bytes: usize) -> MemoryOperand {
    memory.displacement += bytes as i64;
    memory.displ_size = 1;
    memory
}
