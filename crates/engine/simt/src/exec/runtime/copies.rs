//! Executes copies and fills that kernels request from the device runtime, and validates their
//! arguments.

use super::{Call, Failed};
use crate::runtime::{Pitched, Task, code};
use texunit_memory::{SpaceKind, space_of};

/// `cudaMemcpyDeviceToDevice` and `cudaMemcpyDefault`.
const DIRECTIONS: [u64; 2] = [3, 4];

/// Positions of the fields of `cudaMemcpy3DParms`, in words of 8 bytes.
mod parms {
    pub(super) const FROM_ARRAY: usize = 0;
    pub(super) const FROM: usize = 1;
    pub(super) const TO_ARRAY: usize = 8;
    pub(super) const TO: usize = 9;
    pub(super) const EXTENT: usize = 16;
    pub(super) const KIND: usize = 19;
    pub(super) const WORDS: usize = 20;
}

impl Call<'_, '_, '_> {
    pub(super) fn copy(
        &mut self,
        (to, from): (Pitched, Pitched),
        extent: [u64; 3],
        (kind, stream): (u64, u64),
    ) -> Result<(), Failed> {
        if !DIRECTIONS.contains(&kind) {
            return Err(code::INVALID_MEMCPY_DIRECTION.into());
        }
        let extent = checked_extent(extent, &[to, from])?;
        self.submit(stream, Task::Copy { to, from, extent })
    }

    pub(super) fn copy_box(&mut self, parms: u64, stream: u64) -> Result<(), Failed> {
        let mut words = [0; parms::WORDS];
        for (i, word) in words.iter_mut().enumerate() {
            // The last field has only 4 bytes.
            let size = if i == parms::KIND { 4 } else { 8 };
            *word = self.load(parms.wrapping_add(8 * i as u64), size)?;
        }
        if words[parms::FROM_ARRAY] != 0 || words[parms::TO_ARRAY] != 0 {
            return Err(code::INVALID_VALUE.into());
        }
        let pitched = |i: usize| {
            // Fields: position, pointer, pitch, width, height.
            let [x, y, z, address, row, _, height] = [0, 1, 2, 3, 4, 5, 6].map(|n| words[i + n]);
            let slice = row.saturating_mul(height);
            let offset =
                x.saturating_add(y.saturating_mul(row)).saturating_add(z.saturating_mul(slice));
            Pitched { address: address.saturating_add(offset), row, slice }
        };
        let extent = std::array::from_fn(|i| words[parms::EXTENT + i]);
        self.copy((pitched(parms::TO), pitched(parms::FROM)), extent, (words[parms::KIND], stream))
    }

    pub(super) fn fill(
        &mut self,
        to: Pitched,
        value: u64,
        extent: [u64; 3],
        stream: u64,
    ) -> Result<(), Failed> {
        let extent = checked_extent(extent, &[to])?;
        self.submit(stream, Task::Fill { to, value: value as u8, extent })
    }
}

/// Validates the extent of a copy or fill by a kernel: global memory only, in rows that do not
/// overlap.
fn checked_extent(extent: [u64; 3], places: &[Pitched]) -> Result<[u64; 3], u32> {
    let [width, height, depth] = extent;
    for place in places {
        let is_global = matches!(space_of(place.address), SpaceKind::Global | SpaceKind::Const);
        let fits = (height <= 1 || place.row >= width)
            && (depth <= 1 || place.slice >= place.row.saturating_mul(height));
        if !is_global || !fits {
            return Err(code::INVALID_VALUE);
        }
    }
    Ok(if extent.contains(&0) { [0; 3] } else { extent })
}
